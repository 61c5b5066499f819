package formctl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// ForceFill replaces a click on a field with a pending planned value by the input of that value: it types
// over the content of the field, selects the option, or presses the right radio button of the group. A click
// that does the same stays as proposed, and so does a click that opens a list; in an open list it presses the
// option.
//
// It replaces Return in a single-line field, and a press of a submit control, while a visible field of the
// form surely waits for its value. It refuses only one thing: typing a value into the field that shows it
// already, without overwriting. A brain that types after its click was replaced would double the value.
//
// Each action names its control by identity (Action.Into). Nothing is put into a field that is covered or
// outside an open modal dialog, and no value that its field shows is typed again.
type ForceFill struct{ Config Config }

// ReasonFill is the gate's reason.
const ReasonFill = "fill_pending_value"

// ReasonHeld is the reason of a refusal: the proposal would append a planned value to itself.
const ReasonHeld = "field_holds_value"

// Name is "force_fill".
func (ForceFill) Name() string { return "force_fill" }

// Review replaces, refuses or passes. It passes if the same input did not land before (Config.Attempts).
func (g ForceFill) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	pass := cua.Ruling{Gate: g.Name(), Verdict: cua.Pass}
	if p.Failure != nil || t.Form == nil || t.Evidence == nil {
		return pass
	}
	if v := doubled(t, p); v != nil {
		return cua.Ruling{Gate: g.Name(), Verdict: cua.Refuse, Reason: ReasonHeld,
			Detail: fmt.Sprintf("the field for %q already holds its planned value: typing it again adds "+
				"to it", cua.Flat(v.Label))}
	}
	if v, a := suggested(t, p); v != nil {
		return cua.Ruling{Gate: g.Name(), Verdict: cua.Replace, Reason: ReasonFill, Action: a,
			Detail: fmt.Sprintf("took the suggestion for the planned value %q", cua.Flat(v.Label))}
	}
	v, f, why := due(t, p)
	w := want(v.PlanValue)
	if f == nil || f.Covered || !t.Now.Reachable(f.Dialog) || w.holds(f) {
		return pass
	}
	a, ok := fill(t, f, &w)
	evidence, again := g.mayTry(t, a, f.ID, &w)
	if !ok || !again || does(t, p, f, a) {
		return pass
	}
	return cua.Ruling{Gate: g.Name(), Verdict: cua.Replace, Reason: ReasonFill, Evidence: evidence,
		Action: &a, Detail: fmt.Sprintf("filled in the planned value %q %s", cua.Flat(v.Label), why)}
}

// doubled is the value that p would append to itself; nil is none.
func doubled(t *cua.Turn, p cua.Proposal) *cua.FormValue {
	f := t.Now.FieldIn(p.Action, p.Target)
	if f == nil || p.Action.Kind != cua.Type || p.Action.Clear {
		return nil
	}
	for _, v := range t.Form.Values {
		w := want(v.PlanValue)
		if v.Field == f.ID && (p.Action.Text == v.Value || p.Action.Text == v.Text) && w.holds(f) {
			return &v
		}
	}
	return nil
}

// suggested presses the suggestion of a combobox for the value that the last step typed into it, before a
// press elsewhere closes the list: many accept only suggestions. A nil value is none.
func suggested(t *cua.Turn, p cua.Proposal) (*cua.FormValue, *cua.Action) {
	n, f := len(t.History.Steps), t.Evidence.Focus
	if n == 0 || f == nil || f.Role != "combobox" || f.Covered || !t.Now.Reachable(f.Dialog) ||
		!p.Action.Kind.Pressing() || p.Target.Covering != nil {
		return nil, nil
	}
	if last := t.History.Steps[n-1].Action; last == nil || last.Kind != cua.Type {
		return nil, nil
	}
	for _, v := range t.Form.Values {
		if w := want(v.PlanValue); v.Field == f.ID && w.holds(f) {
			if a, ok := offered(t, f, &w); ok && a.Into != p.Target.ID {
				return &v, &a
			}
		}
	}
	return nil, nil
}

// due is the pending value to put in instead of p, its field, and the occasion in words. A nil field is none.
func due(t *cua.Turn, p cua.Proposal) (v cua.FormValue, f *cua.Field, why string) {
	switch {
	case p.Action.PressesReturn():
		v, f = beforeReturn(t, p)
		return v, f, "before the form is sent"
	case !p.Action.Kind.Pressing():
		return v, nil, ""
	case p.Target.Submit:
		if !cua.SaysRetreat(p.Target.Name) {
			v, f = waiting(t, p, place{p.Target.Form, p.Target.Frame})
		}
		return v, f, "before the form is sent"
	case p.Target.Covering != nil:
		return v, nil, ""
	}
	v, f = pressed(t, fieldOf(&t.Now, p.Target))
	return v, f, "instead of only clicking its field"
}

// fieldOf is the visible field that a target is or belongs to; nil is none.
func fieldOf(o *cua.Observation, target cua.Target) *cua.Field {
	return o.FieldByID(cmp.Or(target.Field, target.ID))
}

// pressed is the pending value for a press on f, and the field that it goes into: f itself; for a radio
// button the one in its group; or f if it fits the value as well as the assigned field and no other value
// belongs in f.
func pressed(t *cua.Turn, f *cua.Field) (v cua.FormValue, into *cua.Field) {
	if f == nil {
		return v, nil
	}
	for _, v := range t.Form.Values {
		if v.Field == f.ID && v.Landed {
			return v, nil
		} else if v.Field == f.ID {
			return v, f
		}
	}
	for _, v := range t.Form.Pending() {
		other := t.Now.FieldByID(v.Field)
		switch w := wantFor(t.Task, v.PlanValue); {
		case other == nil:
		case f.Type == "radio":
			if other.Type == "radio" && together(f, other) {
				return v, other
			}
		case takes(&w, f):
			if s := score(&w, f, read(f)); s > 0 && s == score(&w, other, read(other)) {
				return v, f
			}
		}
	}
	return v, nil
}

// together reports whether two radio buttons are in one group.
func together(a, b *cua.Field) bool {
	same := placeOf(a) == placeOf(b) && a.NameAttr == b.NameAttr && a.Group == b.Group
	return same && a.NameAttr+a.Group != ""
}

// beforeReturn is the value that the form waits for when p presses Return in a single-line field. In a list
// of suggestions Return selects one instead.
func beforeReturn(t *cua.Turn, p cua.Proposal) (cua.FormValue, *cua.Field) {
	focus := t.Evidence.Focus
	if p.Action.Into != "" {
		focus = t.Now.FieldByID(p.Action.Into)
	}
	if focus == nil || !focus.SingleLine() || focus.Role == "combobox" {
		return cua.FormValue{}, nil
	}
	return waiting(t, p, placeOf(focus))
}

// sure is the lowest score of a value that is put in before a form is sent: more than half of the words
// match.
const sure = 0.75

// waiting is the first pending value in document order whose visible field is in the form that p is about to
// send. It is none if a director decided p.
func waiting(t *cua.Turn, p cua.Proposal, form place) (cua.FormValue, *cua.Field) {
	if strings.HasPrefix(p.By, cua.DirectorPrefix) {
		return cua.FormValue{}, nil
	}
	pending := t.Form.Pending()
	for j := range t.Now.Fields {
		f := &t.Now.Fields[j]
		if placeOf(f) != form || f.ID == "" || f.Disabled || f.ReadOnly || chooser(f) {
			continue
		}
		for _, v := range pending {
			// a typed value may be shown in an unknown spelling
			if v.Field == f.ID && v.Score >= sure && (blank(f) || !entered(t, v)) {
				return v, f
			}
		}
	}
	return cua.FormValue{}, nil
}

// entered reports whether the value was typed in this document, by whomever.
func entered(t *cua.Turn, v cua.FormValue) bool {
	return slices.ContainsFunc(t.Evidence.Typed, func(i int) bool {
		s, text := &t.History.Steps[i], t.History.Steps[i].Action.Text
		typed := s.Action.Kind == cua.Type && (text == v.Value || text == v.Text)
		return typed && s.After.Document == t.Now.Document
	})
}

// fill is the action that puts the value into f; false is none. Typed text never ends in a line end, and has
// none if a line end would send the form.
func fill(t *cua.Turn, f *cua.Field, w *wanted) (cua.Action, bool) {
	value := w.value.Value
	offer, ok := offered(t, f, w)
	switch {
	case !accepts(f, value) || ok && chooser(f):
		return offer, ok
	case f.Type == "select":
		return cua.Action{Kind: cua.Select, Into: f.ID, Text: wire(f, value)}, true
	case f.Type == "checkbox" || f.Type == "radio" || chooser(f):
		return cua.Action{Kind: cua.Click, Into: f.ID}, true
	case !f.Editable && !(f.Tag == "input" && (f.Type == "range" || f.Type == "color")):
		return cua.Action{}, false
	}
	text := strings.TrimRight(wire(f, value), "\r\n")
	if text == "" || f.Tag == "input" && strings.ContainsAny(text, "\r\n") {
		return cua.Action{}, false
	}
	return cua.Action{Kind: cua.Type, Into: f.ID, Text: text, Clear: true}, true
}

// offered presses the input that an open list or calendar offers for the value: an option with exactly that
// text or, for a date that cannot be typed, the day with its full name.
func offered(t *cua.Turn, f *cua.Field, w *wanted) (cua.Action, bool) {
	if w.secret != "" || f.Disabled {
		return cua.Action{}, false
	}
	day, dated := parseDate(w.value.Value)
	for _, m := range t.Now.Marks {
		option := m.Role == "option" || m.Role == "menuitemradio" || m.Role == "treeitem"
		chosen := f.Role == "combobox" && option && sameText(m.Name, w.value.Value)
		picked := dated && f.ReadOnly && dayNamed(m.Name) == day
		if m.Input && !m.Disabled && !m.Covered && m.ID != "" && m.ID != f.ID && (chosen || picked) {
			return cua.Action{Kind: cua.Click, Into: m.ID}, true
		}
	}
	return cua.Action{}, false
}

// does reports whether p does the same as a: a single click on f, unless such a click had no effect in this
// state.
func does(t *cua.Turn, p cua.Proposal, f *cua.Field, a cua.Action) bool {
	onto := func(target cua.Target) bool { return cmp.Or(target.Field, target.ID) == f.ID }
	if a.Kind != cua.Click || a.Into != f.ID || p.Action.Kind != cua.Click || !onto(p.Target) {
		return false
	}
	return !slices.ContainsFunc(t.Evidence.Tried, func(s cua.Sample) bool {
		return s.Step.Action.Kind.Pressing() && onto(s.Step.Target)
	})
}

// mayTry reports whether a may be substituted once more in this document, and which steps have tried it.
func (g ForceFill) mayTry(t *cua.Turn, a cua.Action, field string, w *wanted) (evidence []int, ok bool) {
	missed := 0
	from, _ := slices.BinarySearch(t.Evidence.Ruled, t.Evidence.Fresh)
	for _, i := range t.Evidence.Ruled[from:] {
		s := &t.History.Steps[i]
		r, _ := s.Ruled()
		if r.Gate != g.Name() || s.Action == nil || s.After.Document != t.Now.Document ||
			s.Action.Kind != a.Kind || s.Action.Into != a.Into || s.Action.Text != a.Text {
			continue
		}
		evidence = append(evidence, s.N)
		if f := s.After.FieldByID(field); f == nil || !w.holds(f) {
			missed++
		}
	}
	return evidence, missed < g.Config.Attempts && len(evidence) < g.Config.Fills
}
