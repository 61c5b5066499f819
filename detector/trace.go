package detector

import "github.com/cua-runner/cua-runner/cua"

// trace is what the shapes read of a history: the samples since counters started anew,
// the newest reach of them.
type trace struct {
	h cua.History
	// steps are all of them, oldest first; acting those of acting steps.
	steps, acting []*cua.Sample
	// blind says that the run has no page state at all: no node is known, and of no step could it
	// be said that it changed nothing. Rules for coordinates and text alone then apply.
	blind bool
}

// reach bounds how far back a shape looks: no window is longer (maxWindow), and a run that
// long has said what it has to say.
const reach = maxWindow

// newTrace reads samples, which are those of h.
func newTrace(h cua.History, samples []cua.Sample) *trace {
	from := max(h.Fresh(), len(samples)-reach)
	t := &trace{h: h, steps: make([]*cua.Sample, 0, len(samples)-from), acting: make([]*cua.Sample, 0, len(samples)-from), blind: true}
	for i := from; i < len(samples); i++ {
		s := &samples[i]
		t.steps = append(t.steps, s)
		if s.Acting {
			t.acting = append(t.acting, s)
		}
		if t.blind && (s.Before != "" || s.After != "" || s.Idle()) {
			t.blind = false
		}
	}
	return t
}

// newest are the last n acting samples, or as many as there are.
func (t *trace) newest(n int) []*cua.Sample { return t.acting[max(0, len(t.acting)-n):] }

// dispatched are the samples of all that was done: waits and looks too, ends not.
func (t *trace) dispatched() []*cua.Sample {
	out := make([]*cua.Sample, 0, len(t.steps))
	for _, s := range t.steps {
		if s.Step.Dispatched() && !s.Step.Action.Kind.Ends() {
			out = append(out, s)
		}
	}
	return out
}

// idle says whether s may be part of a run without effect: it had none, or nothing can be said of
// any step of the run and this one is not known to have had one.
func (t *trace) idle(s *cua.Sample) bool { return s.Idle() || t.blind && !s.Progress }

// recentActing is how many acting steps adaptive windows look at.
const recentActing = 8

// windows are soft and hard as adaptive windows set them: later while the newest acting steps are
// diverse (at least 0.6 distinct signatures) or reached a new node, earlier for a hard signal when
// they are nearly one (at most a quarter distinct) and had no effect. Work in progress
// presses dead things too; a toggling bit is not progress, a new node is (spec: loops, adaptive windows).
func (t *trace) windows(adaptive bool, soft, hard int) (int, int) {
	if !adaptive {
		return soft, hard
	}
	last := t.newest(recentActing)
	distinct, fresh, effect := 0, false, false
	for i, s := range last {
		fresh, effect = fresh || s.New, effect || !t.idle(s)
		first := true
		for _, o := range last[:i] {
			first = first && o.Signature != s.Signature
		}
		if first {
			distinct++
		}
	}
	switch n := len(last); {
	case fresh || 5*distinct >= 3*n:
		return soft + 2, max(hard, soft+3)
	case 4*distinct <= n && !effect:
		return soft, max(hard-1, soft+1)
	}
	return soft, hard
}
