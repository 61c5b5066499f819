package cua

import (
	"iter"
	"math"
	"slices"
)

// Resumption is one place where an episode continued after an end, a crash or a pause.
type Resumption struct {
	// At is the number of steps at that time.
	At int
	// Page is what the new session showed. Text that a person had typed may be gone.
	Page Observation
	// Fresh says that counters start again: the episode was paused or halted, and somebody chose to continue.
	// A resume after a crash is not fresh.
	Fresh bool
	// End is the end reason before a fresh resumption; "" is unknown.
	End EndReason
	// MaxSteps is the cap on steps from then on; 0 leaves it unchanged.
	MaxSteps int
	// Interrupted is the recorded intent without a step; nil is none.
	Interrupted *Intent
}

// Now is the newest observation: that of the newest resumption, the last step's After, or Start.
func (h History) Now() Observation { return h.Before(len(h.Steps)) }

// Before is the observation that step i (an index into Steps) acted on. For len(Steps) it is that of the step
// to come.
func (h History) Before(i int) Observation { return *h.before(i) }

func (h *History) before(i int) *Observation {
	if page := h.resumedAt(i); page != nil {
		return page
	}
	if i == 0 {
		return &h.Start
	}
	return &h.Steps[i-1].After
}

// Live are the steps that no rewind undid, in order. Form control and the prompt use these; caps and counts
// use all steps.
func Live(steps []Step) []Step {
	var live []int
	for i := range LiveBackward(steps) {
		live = append(live, i)
	}
	if len(live) == len(steps) {
		return steps
	}
	out := make([]Step, 0, len(live))
	for _, i := range slices.Backward(live) {
		out = append(out, steps[i])
	}
	return out
}

// LiveBackward are the indexes of the live steps, newest first. A rewind undoes the step that it returns to
// and all later steps before it.
func LiveBackward(steps []Step) iter.Seq[int] {
	return func(yield func(int) bool) {
		undone := math.MaxInt // the lowest number that a later rewind undid
		for i := len(steps) - 1; i >= 0; i-- {
			if steps[i].N < undone && !yield(i) {
				return
			}
			if to := steps[i].RewoundTo; to > 0 {
				undone = min(undone, to)
			}
		}
	}
}

// Fresh is the index of the first step that counters read: that of the newest fresh resumption, or 0.
func (h History) Fresh() int {
	for i := range slices.Backward(h.Resumed) {
		if r := &h.Resumed[i]; r.Fresh {
			return min(r.At, len(h.Steps))
		}
	}
	return 0
}

// ResumedAt is the newest resumption right before step i (an index); nil is none. There can be several,
// because a session may end before it acts.
func (h *History) ResumedAt(i int) *Resumption {
	for j := len(h.Resumed) - 1; j >= 0 && h.Resumed[j].At >= i; j-- {
		if h.Resumed[j].At == i {
			return &h.Resumed[j]
		}
	}
	return nil
}

// resumedAt is the page of that resumption; nil is none.
func (h *History) resumedAt(i int) *Observation {
	if r := h.ResumedAt(i); r != nil {
		return &r.Page
	}
	return nil
}

// Index is the index of the step with number n; -1 if there is none.
func (h History) Index(n int) int {
	if 0 < n && n <= len(h.Steps) && h.Steps[n-1].N == n { // the usual case
		return n - 1
	}
	i, ok := slices.BinarySearchFunc(h.Steps, n, func(s Step, n int) int { return s.N - n })
	if !ok {
		return -1
	}
	return i
}

// Step is the step with number n; nil if there is none.
func (h History) Step(n int) *Step {
	if i := h.Index(n); i >= 0 {
		return &h.Steps[i]
	}
	return nil
}

// ChurnMask is what changes without an action in one document: parts and tiles with idle changes in two
// intervals (docs/detection.md#evidence-and-what-no-effect-means).
type ChurnMask struct {
	Parts map[string]bool
	Tiles map[int]bool
}

// Churn is the mask of the newest document. An idle change right after a wait is not counted: it is a late
// effect of the last acting step, unless the page itself reports it as ambient.
func (h History) Churn() ChurnMask {
	var c churn
	c.read(h)
	return c.at(h.Now())
}

// afterWait reports whether the last dispatched action before step i (an index) is a wait.
func (h *History) afterWait(i int) bool {
	for ; i > 0 && h.resumedAt(i) == nil; i-- {
		if a := h.Steps[i-1].Action; a != nil {
			return a.Kind == Wait
		}
	}
	return false
}

// Asks reports whether s is a question to a person that no gate stopped.
func (s *Step) Asks() bool { return s.Action != nil && s.Action.Kind == Ask }
