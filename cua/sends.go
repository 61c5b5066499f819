package cua

import (
	"cmp"
	"slices"
)

// Send is one way in which a form is sent: a press of a submit control, or Return in a field of one line.
type Send struct {
	// Step is the index into the history's steps; -1 is a send that was not made.
	Step int
	// Signature is that of the action, Form and Frame say which form; Form is "" for controls in no form.
	Signature, Form, Frame string
	// FormKey is the state that the form was in before.
	FormKey string
	// Secret says that a field of the form held a secret or a password.
	Secret bool
	// OK says that a request that may have changed the server was answered well.
	OK bool
	// Rejected says that a form with a secret was answered by 401, 403 or 429, or by the same form again.
	// What the page did not send was not rejected.
	Rejected bool
}

// SendOf is the send that a makes on the page o, aimed at at; false when it makes none.
func SendOf(o *Observation, a Action, at Target) (Send, bool) {
	at = aimedAt(o, a, at)
	if f := o.FieldByID(at.ID); f != nil && a.PressesReturn() && !f.SingleLine() {
		return Send{}, false // it begins a new line
	}
	if !a.PressesReturn() && !(a.Kind.Pressing() && at.SubmitShaped()) {
		return Send{}, false
	}
	return sendAt(o, a, at), true
}

// sendAt is the send that a is, aimed at at.
func sendAt(o *Observation, a Action, at Target) Send {
	a.Into = "" // it is in at
	holdsSecret := func(f Field) bool {
		return f.Form == at.Form && f.Frame == at.Frame && (f.Secret != "" || f.Type == "password" && !f.Empty)
	}
	return Send{Step: -1, Signature: Signature(a, at), Form: at.Form, Frame: at.Frame, FormKey: o.FormKey(),
		Secret: slices.ContainsFunc(o.Fields, holdsSecret)}
}

// aimedAt is at, completed by what the page knows of the control or field that a acts on.
func aimedAt(o *Observation, a Action, at Target) Target {
	at.ID = cmp.Or(a.Into, at.ID)
	if at.ID == "" && a.PressesReturn() && a.Point == nil && o.Focus != nil {
		at.ID = o.Focus.ID
	}
	if m := o.MarkByID(at.ID); m != nil {
		at.Role, at.Name, at.Tag, at.Type = m.Role, m.Name, m.Tag, m.Type
		at.Form, at.Frame, at.Submit = cmp.Or(at.Form, m.Form), cmp.Or(at.Frame, m.Frame), at.Submit || m.Submit
	}
	if f := o.FieldByID(at.ID); f != nil {
		at.Form, at.Frame = cmp.Or(at.Form, f.Form), cmp.Or(at.Frame, f.Frame)
	}
	return at
}

// sendsFrom are the sends that were made by the steps from index from on, in order. All steps count, also
// those that a rewind undid: the server does not know of rewinds.
func sendsFrom(h History, from int) []Send {
	var out []Send
	for i := from; i < len(h.Steps); i++ {
		s := &h.Steps[i]
		if s.Action == nil {
			continue
		}
		target := s.Target
		if s.Substituted() { // it is what the brain had aimed at
			target = Target{}
		}
		before := h.before(i)
		send, ok := SendOf(before, *s.Action, target)
		if !ok {
			send, ok = sentSecret(before, s, target)
		}
		if !ok {
			continue
		}
		send.Step = i
		send.OK = slices.ContainsFunc(s.After.Writes, Write.OK)
		send.Rejected = send.Secret && rejected(before, &s.After, send)
		out = append(out, send)
	}
	return out
}

// sentSecret is the send that s made by a press that nothing but what came of it shows to be one: by a
// script, of a form with a secret, whatever the control is called.
func sentSecret(before *Observation, s *Step, target Target) (Send, bool) {
	if !s.Action.Kind.Pressing() || len(s.After.Writes) == 0 {
		return Send{}, false
	}
	at := aimedAt(before, *s.Action, target)
	send := sendAt(before, *s.Action, at)
	return send, at.Identified() && send.Secret
}

func rejected(before, after *Observation, send Send) bool {
	opened := after.Document != before.Document
	refused := func(status int) bool { return status == 401 || status == 403 || status == 429 }
	if opened && refused(after.Status) || slices.ContainsFunc(after.Writes, func(w Write) bool { return refused(w.Status) }) {
		return true
	}
	return (opened || len(after.Writes) > 0) && slices.ContainsFunc(after.Fields, func(f Field) bool {
		return f.Frame == send.Frame && (f.Form == send.Form && f.Type == "password" || asksAgain(before, f, send))
	})
}

// asksAgain says whether f asks for a password by the label of one that was sent. An answer may give the form
// another name or address each time, and the password another type.
func asksAgain(before *Observation, f Field, send Send) bool {
	return f.TakesText() && f.Label != "" && slices.ContainsFunc(before.Fields, func(was Field) bool {
		return was.Form == send.Form && was.Frame == send.Frame && (was.Type == "password" || was.Secret != "") && was.Label == f.Label
	})
}
