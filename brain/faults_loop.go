package brain

import (
	"cmp"
	"net/url"
	"reflect"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// own is the newest step if the brain continues from it: the step was dispatched as the brain asked, and
// the brain did not follow a nudge in it. Otherwise own is nil. An action that a gate substituted is
// neither repeated nor undone, and the next action of the wrapped brain passes unchanged.
func (s stroke) own() *cua.Step {
	steps := s.turn.History.Steps
	if len(steps) == 0 {
		return nil
	}
	last := &steps[len(steps)-1]
	if last.Action == nil || last.Substituted() || last.RewoundTo > 0 ||
		s.faults.followsNudge(last.N, last.Notes) {
		return nil
	}
	return last
}

// repeatLast repeats the last action.
func repeatLast(s stroke) (cua.Decision, bool) {
	last := s.own()
	if last == nil || last.Proposed.Kind.Ends() || last.Proposed.Kind == cua.AnswerDlg ||
		s.said.Action.Kind == cua.AnswerDlg {
		return s.said, false
	}
	return s.instead(last.Proposed, last.Thought)
}

// undoLast undoes the last action if that had an effect: it empties the field, selects the previous
// option, or presses the toggle again or its opposite. It does not refill what it emptied. That is the
// next action of the wrapped brain, so the two alternate.
func undoLast(s stroke) (cua.Decision, bool) {
	last := s.own()
	if last == nil || last.Failure != nil || !last.Effect.Any() || s.turn.Now.Dialog != nil {
		return s.said, false
	}
	switch {
	case last.Action.Kind == cua.Type:
		f := s.turn.Now.Focus
		if last.Action.Text == "" || f == nil || !f.Editable || f.Empty {
			return s.said, false
		}
		return s.instead(cua.Action{Kind: cua.Type, Clear: true}, "that is not right; empty the field")
	case last.Action.Kind == cua.Select:
		return s.chooseBack(last)
	case last.Action.Kind.Pressing():
		return s.pressBack(last)
	}
	return s.said, false
}

// chooseBack selects the option that was selected before the last one.
func (s stroke) chooseBack(last *cua.Step) (cua.Decision, bool) {
	before := s.turn.History.Before(len(s.turn.History.Steps) - 1)
	id := cmp.Or(last.Target.Field, last.Target.ID)
	same := func(f cua.Field) bool { return f.ID == id }
	was, is := slices.IndexFunc(before.Fields, same), slices.IndexFunc(s.turn.Now.Fields, same)
	if was < 0 || is < 0 {
		return s.said, false
	}
	old, field := before.Fields[was].Selected, s.turn.Now.Fields[is]
	p, ok := field.Box.CenterIn(s.turn.Now.Viewport)
	if !ok || old == "" || old == field.Selected {
		return s.said, false
	}
	back := cua.Action{Kind: cua.Select, Point: &p, Text: old}
	return s.instead(back, "that is not right; choose what was there")
}

// pressBack presses the control that undoes the press of last.
func (s stroke) pressBack(last *cua.Step) (cua.Decision, bool) {
	undoes := func(m cua.Mark) bool { return opposite(last.Target.Name, m.Name) }
	if last.Target.Identified() && togglesItself(last.Target) {
		undoes = func(m cua.Mark) bool { return m.ID == last.Target.ID || m.ID == last.Target.Field }
	}
	for _, m := range s.turn.Now.Marks {
		p, ok := m.Box.CenterIn(s.turn.Now.Viewport)
		if !ok || m.Disabled || !undoes(m) {
			continue
		}
		at, ok := intended(s.turn.Now, s.said.Action)
		if ok && s.said.Action.Kind.Pressing() && m.Box.Contains(at) {
			return s.said, false // the wrapped brain undoes it itself
		}
		return s.instead(cua.Action{Kind: cua.Click, Point: &p}, "that is not right; put it back")
	}
	return s.said, false
}

// togglesItself reports whether a second press on t undoes the first.
func togglesItself(t cua.Target) bool {
	switch {
	case t.Type == "checkbox", t.Role == "checkbox", t.Role == "switch", t.Role == "menuitemcheckbox",
		t.Tag == "summary":
		return true
	}
	return t.Role == "button" && slices.ContainsFunc(words(t.Name), func(w string) bool {
		return w == "toggle" || w == "menu"
	})
}

// opposites are pairs of words that name opposite actions.
var opposites = [][2]string{
	{"next", "previous"}, {"next", "prev"}, {"forward", "back"}, {"older", "newer"}, {"open", "close"},
	{"show", "hide"}, {"expand", "collapse"}, {"more", "less"}, {"more", "fewer"}, {"add", "remove"},
	{"increase", "decrease"}, {"increment", "decrement"}, {"plus", "minus"}, {"up", "down"},
	{"select", "deselect"}, {"select", "unselect"}, {"check", "uncheck"}, {"enable", "disable"}, {"on", "off"},
	{"start", "stop"}, {"play", "pause"}, {"lock", "unlock"}, {"follow", "unfollow"}, {"like", "unlike"},
}

// opposite reports whether two names differ only in opposite words.
func opposite(a, b string) bool {
	wa, symbolA := meaning(a)
	wb, symbolB := meaning(b)
	against := func(x, y string) bool {
		return slices.Contains(opposites, [2]string{x, y}) || slices.Contains(opposites, [2]string{y, x})
	}
	if symbolA || symbolB { // a symbol stands for any of its words
		return slices.ContainsFunc(wa, func(x string) bool {
			return slices.ContainsFunc(wb, func(y string) bool { return against(x, y) })
		})
	}
	if len(wa) != len(wb) {
		return false
	}
	n := 0
	for i := range wa {
		switch {
		case wa[i] == wb[i]:
		case against(wa[i], wb[i]):
			n++
		default:
			return false
		}
	}
	return n > 0
}

// leavePage leaves the page instead of acting; comeBack returns in the next step.
func leavePage(s stroke) (cua.Decision, bool) {
	k := s.said.Action.Kind
	if k.Ends() || k.ReadOnly() || k == cua.Wait || k == cua.AnswerDlg || s.turn.Now.Dialog != nil {
		return s.said, false
	}
	h := s.turn.History
	if s.faults.trip(h).kept[place(s.turn.Now.URL)] {
		return s.said, false
	}
	a, ok := s.faults.exit(h, s.turn.Now)
	if !ok {
		return s.said, false
	}
	return s.instead(a, "this may not be the right page; look at another one first")
}

// trip is the state of page_cycler, read from the history.
type trip struct {
	from  string     // address of the page that was left and not returned to; "" is none
	by    cua.Action // how it was left
	tabs  int        // tabs that were open there
	tries int        // steps since
	// kept are the places that are not left again, because the brain followed a nudge there, or a gate
	// refused or replaced the leaving. Without it, the next leaving would undo each such step.
	kept map[string]bool
}

// maxReturns is the number of steps in which returning is tried.
const maxReturns = 3

func (f Faults) trip(h cua.History) trip {
	t := trip{kept: map[string]bool{}}
	for i := range h.Steps {
		s := &h.Steps[i]
		before, after := h.Before(i), h.Before(i+1)
		if t.from != "" {
			if f.followsNudge(s.N, s.Notes) { // it came back and stays
				t.kept[place(t.from)] = true
			}
			if t.tries++; cua.PageURL(after.URL) == cua.PageURL(t.from) || t.tries >= maxReturns {
				t.from, t.tries = "", 0
			}
			continue
		}
		if f.followsNudge(s.N, s.Notes) {
			t.kept[place(before.URL)] = true
			continue
		}
		if !f.left(h, i, before) {
			continue
		}
		if s.Action == nil || s.Substituted() {
			t.kept[place(before.URL)] = true
		} else if cua.PageURL(before.URL) != cua.PageURL(after.URL) {
			t.from, t.by, t.tabs = before.URL, *s.Action, before.Tabs
		}
	}
	return t
}

// left reports whether step i is page_cycler's leaving: the fault occurred, and the action is the one that
// it draws. The brain's words (Why) do not count.
func (f Faults) left(h cua.History, i int, before cua.Observation) bool {
	s := &h.Steps[i]
	switch s.Proposed.Kind {
	case cua.Click, cua.Back, cua.Navigate:
	default:
		return false
	}
	if _, struck := f.occurs(s.N, pageCycler); !struck {
		return false
	}
	a, ok := f.exit(cua.History{Start: h.Start, Steps: h.Steps[:i], Resumed: h.Resumed}, before)
	did := s.Proposed
	did.Why = ""
	return ok && reflect.DeepEqual(a, did)
}

// exit is a way to leave the page: a link, the previous page, or the front page of the site. The seed
// chooses, so a page with the same exits is always left in the same way. The text of a link does not
// matter.
func (f Faults) exit(h cua.History, now cua.Observation) (cua.Action, bool) {
	here := cua.PageURL(now.URL)
	useless := map[string]bool{} // exits of this page that did not leave it: target or kind
	depth := 0                   // pages before this one in the tab's history
	for i := range h.Steps {
		s := &h.Steps[i]
		before, after := cua.PageURL(h.Before(i).URL), cua.PageURL(s.After.URL)
		switch {
		case s.Action == nil:
		case before == after:
			if before == here {
				useless[cmp.Or(s.Target.ID, string(s.Action.Kind))] = true
			}
		case s.Action.Kind == cua.Back:
			depth--
		default:
			depth++
		}
	}
	var ways []cua.Action
	for _, m := range now.Marks {
		p, ok := m.Box.CenterIn(now.Viewport)
		if ok && m.Role == "link" && !m.Disabled && !m.Covered && !useless[m.ID] {
			ways = append(ways, cua.Action{Kind: cua.Click, Point: &p})
		}
	}
	if depth > 0 && !useless[string(cua.Back)] {
		ways = append(ways, cua.Action{Kind: cua.Back})
	}
	if u, err := url.Parse(here); err == nil && u.Host != "" {
		if front := u.Scheme + "://" + u.Host + "/"; front != here && !useless[string(cua.Navigate)] {
			ways = append(ways, cua.Action{Kind: cua.Navigate, URL: front})
		}
	}
	if len(ways) == 0 {
		return cua.Action{}, false
	}
	return ways[f.chance(0, pageCycler).IntN(len(ways))], true
}

// comeBack returns to the page that page_cycler left, first by the reverse of how it was left, then by its
// address. It ignores nudges and the wrapped brain, which does not know the other page.
func (f Faults) comeBack(t *cua.Turn, d cua.Decision) (cua.Decision, bool) {
	if f.of(pageCycler).Rate <= 0 || t.Now.Dialog != nil {
		return d, false
	}
	trip := f.trip(t.History)
	if trip.from == "" {
		return d, false
	}
	a := cua.Action{Kind: cua.Back}
	switch {
	case trip.tries > 0:
		a = cua.Action{Kind: cua.Navigate, URL: trip.from}
	case t.Now.Tabs > trip.tabs && trip.tabs > 0:
		a.Kind = cua.CloseTab
	case trip.by.Kind == cua.Back:
		a.Kind = cua.Forward
	}
	d.Action, d.Thought, d.Failure = a, "there is nothing here; go back", nil
	return d, true
}

// place is an address without query and fragment, so that the pages of one list are one place.
func place(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.Fragment, u.RawFragment, u.RawQuery = "", "", ""
	return u.String()
}
