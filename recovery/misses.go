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
// meant is known: the same nearest element each time. Presses that hit another control than the brain's words name are misses too.
func (g Ladder) misses(t *cua.Turn, p cua.Proposal) []int {
	n := g.Config.Misses
	run := acting(t.History)
	if n == 0 || p.Failure != nil || len(run) < n {
		return nil
	}
	if g.mistaken(t, p) != nil {
		return numbers(run, n)
	}
	if !idle(run, n) {
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

// mistaken is the element that p's words name where its press hits another one of the same role, no further than RetargetPx
// away: the wrong box in a column of boxes. Nil where the words name the one that is hit too, or none, or several beside it;
// and unless the last Misses actions pressed that one and the page is where it was before them: a press that leads on is not
// doubted for the words beside it. Nothing risky is pressed so.
func (g Ladder) mistaken(t *cua.Turn, p cua.Proposal) *cua.Mark {
	at := pressPoint(p.Action, p.Target)
	if !p.Action.Kind.Pressing() || at == nil || p.Target.Covering != nil || !interactive(t.Now, p.Target) || mentions(p, p.Target.Name) ||
		!g.roundOn(t, p.Target) {
		return nil
	}
	placed := cua.ByPlace(p.Thought+". "+p.Action.Why, t.Now.Fields)
	var found *cua.Mark
	for i := range t.Now.Marks {
		m := &t.Now.Marks[i]
		byPlace := placed >= 0 && t.Now.Fields[placed].ID == m.ID
		if m.ID == p.Target.ID || m.Role != p.Target.Role || m.Disabled || m.Covered || m.Box.Empty() || gap(m.Box, *at) > g.Config.RetargetPx ||
			!byPlace && (p.Target.Name == "" || !mentions(p, m.Name)) {
			continue
		}
		if found != nil {
			return nil
		}
		found = m
	}
	if found == nil || risky(found.Name) {
		return nil
	}
	return found
}

// roundOn says whether the last Misses actions all pressed target, and the page is where it was before them.
func (g Ladder) roundOn(t *cua.Turn, target cua.Target) bool {
	n, run := g.Config.Misses, acting(t.History)
	if n == 0 || len(run) < n || !target.Identified() {
		return false
	}
	last := run[len(run)-n:]
	return last[0].Before != "" && last[0].Before == last[n-1].After && !slices.ContainsFunc(last, func(s cua.Sample) bool {
		return !s.Step.Dispatched() || !s.Step.Action.Kind.Pressing() || s.Step.Target.ID != target.ID || s.Step.After.Document != t.Now.Document
	})
}
