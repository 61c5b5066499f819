package detector

import (
	"github.com/cua-runner/cua-runner/cua"
)

// trace is what the shapes read of a history: the samples since counters started anew,
// the newest of them.
type trace struct {
	h cua.History
	// first is the index of the step that steps begins with.
	first int
	// steps are all of them, oldest first; acting those of acting steps; dispatched those of all
	// that was done: waits and looks too, ends not; counted those of dispatched that are no part of
	// a poll.
	steps, acting, dispatched, counted []*cua.Sample
	// blind says that the run has no page state at all: no node is known. Rules for coordinates
	// and text alone then apply beside the others.
	blind bool
	pace  pace
}

// reach is how far back shapes look, steps: cua.Reach, or twice the longest window where that is more, and
// never more than maxWindow. A run that long has said what it has to say, and a turn costs the same however
// long the episode is.
func (c Config) reach() int {
	longest := max(c.Hard, c.Frozen.Soft, c.Cycle.HardSteps, c.Cycle.Hard*c.Cycle.MaxPeriod,
		c.Revisit.HardWindow, c.Spiral.Hard+c.Spiral.Overwrites, c.Failures.Hard, c.Streak.From, c.Stall.Hard,
		c.Stagnation.Hard, 2*c.Stagnation.Blind, c.Blind.Press, c.Blind.Named, c.Blind.Type, c.Blind.Visits,
		(c.Blind.Periods+1)*c.Cycle.MaxPeriod)
	return min(max(cua.Reach, 2*longest), maxWindow)
}

// newTrace is the trace of h, whose samples these are, over the newest reach steps.
func newTrace(h cua.History, samples []cua.Sample, reach int) *trace {
	t := &trace{h: h, first: max(h.Fresh(), len(samples)-reach), blind: true}
	n := len(samples) - t.first
	all := make([]*cua.Sample, 4*n) // one piece of memory for the four
	t.steps, t.acting, t.dispatched, t.counted = all[:0:n], all[n:n:2*n], all[2*n:2*n:3*n], all[3*n:3*n]
	for i := t.first; i < len(samples); i++ {
		s := &samples[i]
		t.steps = append(t.steps, s)
		if s.Acting {
			t.acting = append(t.acting, s)
		}
		if t.did(len(t.steps) - 1) {
			t.dispatched = append(t.dispatched, s)
			if !s.Poll {
				t.counted = append(t.counted, s)
			}
		}
		t.blind = t.blind && s.Before == "" && s.After == ""
	}
	return t
}

// did says whether step i did anything but to end the episode.
func (t *trace) did(i int) bool {
	s := t.steps[i]
	kind := s.Action.Kind // nothing where nothing was dispatched
	if s.Substituted {
		kind = s.Step.Action.Kind
	}
	return kind != "" && !kind.Ends()
}

// before is the page that step i acted on.
func (t *trace) before(i int) *cua.Observation {
	i += t.first
	if r := t.h.ResumedAt(i); r != nil {
		return &r.Page
	}
	if i == 0 {
		return &t.h.Start
	}
	return &t.h.Steps[i-1].After
}

// resumed says whether another session began right before step i.
func (t *trace) resumed(i int) bool { return t.h.ResumedAt(t.first+i) != nil }

// newest are the last n acting samples, or as many as there are.
func (t *trace) newest(n int) []*cua.Sample { return t.acting[max(0, len(t.acting)-n):] }

// idle says whether s may be part of a run without effect: it had none, or the run has no page
// state and s is not known to have had one.
func (t *trace) idle(s *cua.Sample) bool { return s.Idle() || t.blind && !s.Progress }

// recentActing is how many acting steps adaptive windows look at.
const recentActing = 8

// pace is what the newest acting steps are like.
type pace struct {
	known bool
	// roams says that they are diverse or reached a new node, stands that they are nearly one and had no
	// effect.
	roams, stands bool
}

// windows are soft and hard as adaptive windows set them: later while the newest acting steps are
// diverse (at least 0.6 distinct signatures) or reached a new node, earlier for a hard signal when
// they are nearly one (at most a quarter distinct) and had no effect. Work in progress
// presses dead things too; a toggling bit is not progress, a new node is (spec: loops, adaptive windows).
func (t *trace) windows(adaptive bool, soft, hard int) (int, int) {
	if !adaptive {
		return soft, hard
	}
	if !t.pace.known {
		t.pace = t.read()
	}
	switch {
	case t.pace.roams:
		return soft + 2, max(hard, soft+3)
	case t.pace.stands:
		return soft, max(hard-1, soft+1)
	}
	return soft, hard
}

func (t *trace) read() pace {
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
	return pace{known: true, roams: fresh || 5*distinct >= 3*len(last),
		stands: 4*distinct <= len(last) && !effect}
}
