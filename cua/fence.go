package cua

import (
	"cmp"
	"slices"
)

// SentBefore is the earlier step that already sent what p would send, from the same state of the form, and
// that the server accepted; nil is none.
//
// Not counted: a form without a field to fill in, which has no state; a control that pages through a list or
// counts; a form that somebody has filled in again, in the session that saw the answer or after the answer
// asked to sign in first; and signing in, which does nothing twice (rejected credentials have their own
// rule).
func (t *Turn) SentBefore(p Proposal) *Step {
	if t.Now.signsIn(p.Target.Form) || p.Action.Kind.Pressing() && SaysOnward(p.Target.Name) {
		return nil
	}
	now, sends := SendOf(&t.Now, p.Action, p.Target)
	sends = sends && t.Now.fillable(now.Form) && !t.Now.signsIn(now.Form) && !SaysOnward(p.Target.Name)
	for _, was := range slices.Backward(t.Evidence.Sends) {
		if !was.OK || was.Step >= len(t.History.Steps) { // the page itself proves it, and nothing came after
			continue
		}
		forgotten := t.forgotten(was, p)
		if !forgotten && (!sends || was.ByScript || was.FormKey != now.FormKey ||
			was.Signature != now.Signature) {
			continue
		}
		s := &t.History.Steps[was.Step]
		switch {
		case s.After.asksPassword() && !t.History.before(was.Step).asksPassword():
		case !forgotten && t.filledSince(was.Step, now.Form):
			return nil
		default:
			return s
		}
	}
	return nil
}

// filledSince reports whether a step after index i put something into a field of the form.
func (t *Turn) filledSince(i int, form string) bool {
	return slices.ContainsFunc(t.History.Steps[i+1:], func(s Step) bool { return s.fillsIn(form) })
}

// fillsIn reports whether s put something into a field of the form.
func (s *Step) fillsIn(form string) bool {
	if s.Action == nil || s.Failure != nil {
		return false
	}
	if at := s.goesTo(); s.Action.Kind.Pressing() { // a tick or a selection, not just the caret
		return at.Input && at.Form == form && s.Effect.Has(ChangeForm)
	}
	if s.Action.Kind != Type && s.Action.Kind != Select {
		return false
	}
	f := s.After.FieldIn(*s.Action, s.Target)
	return f != nil && f.Form == form
}

// FieldIn is the visible field that a, aimed at at, types into: the one that it presses first, else the one
// that it names, else the focused one. Nil is none.
func (o *Observation) FieldIn(a Action, at Target) *Field {
	switch {
	case a.Point != nil || a.Mark > 0:
		return o.FieldByID(cmp.Or(at.Field, at.ID))
	case a.Into != "":
		return o.FieldByID(a.Into)
	}
	return o.Focus
}

func (o *Observation) asksPassword() bool {
	return slices.ContainsFunc(o.Fields, func(f Field) bool { return f.Type == "password" })
}

// signsIn reports whether the form only asks who somebody is: one password field, and at most one other text
// field.
func (o *Observation) signsIn(form string) bool {
	count := map[bool]int{} // by whether the field is a password
	for _, f := range o.Fields {
		if f.Form == form && f.TakesText() {
			count[f.Type == "password"]++
		}
	}
	return count[true] == 1 && count[false] <= 1
}

// fillable reports whether the form exists and has a field that can be filled in.
func (o *Observation) fillable(form string) bool {
	return slices.ContainsFunc(o.Fields, func(f Field) bool {
		return form != "" && f.Form == form && !f.Disabled && !f.ReadOnly
	})
}
