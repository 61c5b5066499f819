package detector

import (
	"github.com/cua-runner/cua-runner/cua"
)

// trace is what the shapes use of a history: the newest samples since the counters were last reset.
type trace struct {
	h cua.History
	// first is the index of the first of steps.
	first int
	// steps are all samples, oldest first. acting are those of acting steps. dispatched are those of all
	// dispatched steps, including waits and looks, except done and ask. counted are those of dispatched that
	// are no part of a poll.
	steps, acting, dispatched, counted []*cua.Sample
	// blind says that the run has no page state: no node is known. Rules for coordinates and text alone then
	// apply in addition.
	blind bool
	pace  pace
}

// reach is how many steps back shapes look: cua.Reach, or twice the longest window if that is more, at most
// maxWindow. It bounds the cost of a turn in a long episode.
func (c Config) reach() int {
	longest := max(c.Hard, c.Frozen.Soft, c.Cycle.HardSteps, c.Cycle.Hard*c.Cycle.MaxPeriod,
		c.Revisit.SoftWindow, c.Revisit.HardWindow, c.Spiral.Hard+c.Spiral.Overwrites, c.Failures.Hard,
		c.Streak.From, c.Stall.Hard, c.Stagnation.Hard, 2*c.Stagnation.Blind, c.Blind.Press, c.Blind.Named,
		c.Blind.Type, c.Blind.Visits, (c.Blind.Periods+1)*c.Cycle.MaxPeriod)
	return min(max(cua.Reach, 2*longest), maxWindow)
}

// newTrace is the trace of the newest reach steps of h, which has these samples.
func newTrace(h cua.History, samples []cua.Sample, reach int) *trace {
	t := &trace{h: h, first: max(h.Fresh(), len(samples)-reach), blind: true}
	n := len(samples) - t.first
	all := make([]*cua.Sample, 4*n) // one allocation for the four
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

// did reports whether step i dispatched something that does not end the episode.
func (t *trace) did(i int) bool {
	s := t.steps[i]
	kind := s.Action.Kind // zero if nothing was dispatched
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

// resumed reports whether a new session began right before step i.
func (t *trace) resumed(i int) bool { return t.h.ResumedAt(t.first+i) != nil }

// newest are the last n acting samples, or all if there are fewer.
func (t *trace) newest(n int) []*cua.Sample { return t.acting[max(0, len(t.acting)-n):] }

// idle reports whether s can be part of a run without effect: it had none, or there is no page state and s is
// not known to have had one.
func (t *trace) idle(s *cua.Sample) bool { return s.Idle() || t.blind && !s.Progress }

// recentActing is how many acting steps adaptive windows look at.
const recentActing = 8

// pace is the character of the newest acting steps.
type pace struct {
	known bool
	// roams says that they are diverse or reached a new node, stands that they are nearly the same and had no
	// effect.
	roams, stands bool
}

// windows are soft and hard, adapted: later while the newest acting steps are diverse (at least 0.6 distinct
// signatures) or reached a new node; an earlier hard window when they are nearly the same (at most 0.25
// distinct) and had no effect. Work in progress presses dead controls too. A bit that toggles is no progress,
// a new node is (docs/detection.md#signals).
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
