package cua

import (
	"cmp"
	"slices"
)

// SentBefore is the step that sent what p would send, from the state that the form is in now, and was
// answered well; nil when there is none. A form without a field to fill in has no state, and a control that
// goes on in a list or counts may be pressed again. It is another act once somebody has filled the form in
// again, in the session that saw the answer, or where the answer asked to sign in first. Signing in again
// does nothing twice: rejected credentials have a rule of their own.
func (t *Turn) SentBefore(p Proposal) *Step {
	if t.Now.signsIn(p.Target.Form) || p.Action.Kind.Pressing() && SaysOnward(p.Target.Name) {
		return nil
	}
	now, sends := SendOf(&t.Now, p.Action, p.Target)
	sends = sends && t.Now.fillable(now.Form) && !t.Now.signsIn(now.Form) && !SaysOnward(p.Target.Name)
	for _, was := range slices.Backward(t.Evidence.Sends) {
		if !was.OK || was.Step >= len(t.History.Steps) { // that a page proves, and nothing came after
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

// filledSince says whether a step after index i put something into a field of the form.
func (t *Turn) filledSince(i int, form string) bool {
	return slices.ContainsFunc(t.History.Steps[i+1:], func(s Step) bool { return s.fillsIn(form) })
}

// fillsIn says whether s put something into a field of the form.
func (s *Step) fillsIn(form string) bool {
	if s.Action == nil || s.Failure != nil {
		return false
	}
	if at := s.goesTo(); s.Action.Kind.Pressing() { // a tick or a choice, and no mere caret
		return at.Input && at.Form == form && s.Effect.Has(ChangeForm)
	}
	if s.Action.Kind != Type && s.Action.Kind != Select {
		return false
	}
	f := s.After.FieldIn(*s.Action, s.Target)
	return f != nil && f.Form == form
}

// FieldIn is the visible field that a types into, aimed at at: what it presses first, else what it names,
// else the focus; nil when it is none.
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

// signsIn says whether the form only asks who somebody is: one password, and one other text at most.
func (o *Observation) signsIn(form string) bool {
	count := map[bool]int{} // by whether it is a password
	for _, f := range o.Fields {
		if f.Form == form && f.TakesText() {
			count[f.Type == "password"]++
		}
	}
	return count[true] == 1 && count[false] <= 1
}

// fillable says whether there is such a form, and it has a field that somebody could fill in.
func (o *Observation) fillable(form string) bool {
	return slices.ContainsFunc(o.Fields, func(f Field) bool {
		return form != "" && f.Form == form && !f.Disabled && !f.ReadOnly
	})
}
