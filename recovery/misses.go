package recovery

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Missed says whether p is one more click beside an element that was missed in vain before, and will be brought home to it.
func (g Ladder) Missed(t *cua.Turn, p cua.Proposal) bool {
	if !slices.Contains(g.Rungs, cua.RetargetClick) || g.misses(t, p) == nil || spent(t, cua.RetargetClick) || g.usedUp(t, cua.RetargetClick) {
		return false
	}
	_, ok := g.climb(rung{reason: cua.RetargetClick, try: Ladder.retarget}, t, p)
	return ok
}

// misses are the steps in which the last actions landed beside the element that p lands beside too, all of them on nothing
// that could be pressed and without effect; nil where they were fewer than Misses. That is no loop yet, but what is
// meant is known: the same nearest element each time.
func (g Ladder) misses(t *cua.Turn, p cua.Proposal) []int {
	n := g.Config.Misses
	run := acting(t.History)
	if n == 0 || p.Failure != nil || !idle(run, n) {
		return nil
	}
	m := g.beside(t, p, false)
	if m == nil {
		return nil
	}
	for _, s := range run[len(run)-n:] {
		st := s.Step
		if st.After.Document != t.Now.Document || !aims(*st.Action) || st.Target.Covering != nil || interactive(t.Now, st.Target) {
			return nil
		}
		if at := pressPoint(*st.Action, st.Target); at == nil || gap(m.Box, *at) > g.Config.RetargetPx {
			return nil
		}
	}
	return numbers(run, n)
}

// aims says whether a presses something at a place: a click, or text that is typed where it clicks first.
func aims(a cua.Action) bool { return a.Kind.Pressing() || a.Kind == cua.Type && a.Point != nil }
