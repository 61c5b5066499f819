package recovery

import (
	"cmp"
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
// Who was brought home before is not let miss again where the brain's words name what it lands beside: then it is the
// step that was.
func (g Ladder) misses(t *cua.Turn, p cua.Proposal) []int {
	n := g.Config.Misses
	run := acting(t.History)
	if n == 0 || p.Failure != nil {
		return nil
	}
	if g.mistaken(t, p) != nil {
		return numbers(run, n)
	}
	near := g.near(t, p, false)
	m := meantOf(p, near)
	if m == nil {
		return nil
	}
	if len(near) == 1 && says(t, p, m.ID, m.Name) {
		if home := broughtHome(t); home > 0 {
			return []int{home}
		}
	}
	if !idle(run, n) {
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

// broughtHome is the step in this document in which a press was last brought home with an effect; 0 where none was, or where one hit
// something by itself since: then the brain's aim is good again.
func broughtHome(t *cua.Turn) int {
	samples := t.History.Samples()
	for i := len(samples) - 1; i >= t.History.Fresh(); i-- {
		s := samples[i].Step
		switch {
		case s.After.Document != t.Now.Document:
			return 0
		case s.RecoveryReason == cua.RetargetClick:
			if a, ok := cua.AttemptAt(samples, i); ok && a.Effect {
				return s.N
			}
			return 0
		case s.Dispatched() && !s.Substituted() && aims(*s.Action) && interactive(t.History.Before(i), s.Target):
			return 0
		}
	}
	return 0
}

// says whether p's words name the element of that identity and name: by its name, by its place among the fields, or by the planned
// value that belongs in it.
func says(t *cua.Turn, p cua.Proposal, id, name string) bool {
	if mentions(p, name) {
		return true
	}
	if i := cua.ByPlace(p.Thought+". "+p.Action.Why, t.Now.Fields); i >= 0 && t.Now.Fields[i].ID == id {
		return true
	}
	return t.Form != nil && id != "" && slices.ContainsFunc(t.Form.Values, func(v cua.FormValue) bool { return v.Field == id && mentions(p, v.Label) })
}

// aims says whether a presses something at a place: a click, or text that is typed where it clicks first.
func aims(a cua.Action) bool { return a.Kind.Pressing() || a.Kind == cua.Type && a.Point != nil }

// mistaken is the element that p's words name where its press hits another one of the same role, no further than RetargetPx
// away: the wrong box in a column of boxes. Nil where the words name the one that is hit too, or none, or several beside it;
// and unless the last Misses actions pressed that one and the page is where it was before them: a press that leads on is not
// doubted for the words beside it. Nothing risky is pressed so.
func (g Ladder) mistaken(t *cua.Turn, p cua.Proposal) *cua.Mark {
	at := pressPoint(p.Action, p.Target)
	if !p.Action.Kind.Pressing() || at == nil || p.Target.Covering != nil || !interactive(t.Now, p.Target) ||
		says(t, p, cmp.Or(p.Target.Field, p.Target.ID), p.Target.Name) || !g.roundOn(t, p.Target) {
		return nil
	}
	var found *cua.Mark
	for i := range t.Now.Marks {
		m := &t.Now.Marks[i]
		if m.ID == p.Target.ID || m.Role != p.Target.Role || m.Disabled || m.Covered || m.Box.Empty() || gap(m.Box, *at) > g.Config.RetargetPx ||
			!says(t, p, m.ID, m.Name) || p.Target.Name == "" && m.Name != "" {
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
