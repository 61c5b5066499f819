package cua

import (
	"cmp"
	"slices"
)

// Send is one way in which a form is sent: a press of a submit control, or Return in a field of one line.
type Send struct {
	// Step is the index into the history's steps; -1 is a send that was not made. An interrupted one has the
	// index that its step would have had.
	Step int
	// Signature is that of the action, Form and Frame say which form; Form is "" for controls in no form.
	Signature, Form, Frame string
	// FormKey is the state that the form was in before.
	FormKey string
	// State, of an uncertain one and of one by a script, is the page, by origin and path, and what the fields
	// of the form alone held.
	State string
	// Secret says that a field of the form held a secret or a password.
	Secret bool
	// OK says that a request that may have changed the server was answered well.
	OK bool
	// Rejected says that a form with a secret was answered by 401, 403 or 429, or by being asked for the
	// same again, be it from the first step of the sign-in on. What the page did not send was not rejected.
	Rejected bool
	// ByScript says that nothing in the markup shows it: a press or a key that commits caused a request that
	// may have changed the server, or its answer was lost.
	ByScript bool
	// Interrupted says that only its intent is on record. Uncertain says that nobody saw what came of it: it
	// is interrupted and no page proves it, or the session ended before the answer.
	Interrupted, Uncertain bool
	// Control is the name of what was pressed, the page's text: hostile; "" is not known.
	Control string
	// fields are those of the form that take text, as they were sent; filled are those of them that held
	// something, secrets those of the form that held a secret.
	fields, filled, secrets []*Field
}

// SendOf is the send that a makes on the page o, aimed at at; false when it makes none.
func SendOf(o *Observation, a Action, at Target) (Send, bool) { return sendOf(o, a, at, nil) }

// sendOf is SendOf. What is called like one of the known fields holds a secret, as they did.
func sendOf(o *Observation, a Action, at Target, known []*Field) (Send, bool) {
	at = aimedAt(o, a, at)
	if f := o.FieldByID(at.ID); f != nil && a.PressesReturn() && !f.SingleLine() {
		return Send{}, false // it begins a new line
	}
	if !a.PressesReturn() && !(a.Kind.Pressing() && at.SubmitShaped()) {
		return Send{}, false
	}
	return sendAt(o, a, at, known), true
}

// sendAt is the send that a is, aimed at at.
func sendAt(o *Observation, a Action, at Target, known []*Field) Send {
	a.Into = "" // it is in at
	s := Send{Step: -1, Signature: Signature(a, at), Form: at.Form, Frame: at.Frame, FormKey: o.FormKey(),
		Control: at.Name, fields: o.textFields(at.Form, at.Frame)}
	asked := func(f *Field) bool {
		return slices.ContainsFunc(known, func(was *Field) bool {
			return was.Frame == f.Frame &&
				was.calledLike(f)
		})
	}
	for _, f := range s.fields {
		if !f.Empty {
			s.filled = append(s.filled, f)
		}
	}
	for i := range o.Fields {
		f := &o.Fields[i]
		in := f.Form == s.Form && f.Frame == s.Frame
		if in && (f.Secret != "" || !f.Empty && (f.Type == "password" || f.Typable() && asked(f))) {
			s.secrets = append(s.secrets, f)
		}
	}
	s.Secret = s.secrets != nil
	return s
}

// textFields are the fields of that form that take text now.
func (o *Observation) textFields(form, frame string) (out []*Field) {
	for i := range o.Fields {
		if f := &o.Fields[i]; f.Form == form && f.Frame == frame && f.TakesText() && f.Typable() {
			out = append(out, f)
		}
	}
	return out
}

// secret says whether f is called like a field that held a secret.
func (s *Send) secret(f *Field) bool { return slices.ContainsFunc(s.secrets, f.calledLike) }

// aimedAt is at, completed by what the page knows of the control or field that a acts on.
func aimedAt(o *Observation, a Action, at Target) Target {
	at.ID = cmp.Or(a.Into, at.ID)
	if f := o.Focus; at.ID == "" && (a.entersLine() || a.pressesSpace()) && a.Point == nil && f != nil {
		at.ID, at.Form, at.Frame = f.ID, f.Form, f.Frame
	}
	if m := o.MarkByID(at.ID); m != nil {
		at.Role, at.Name, at.Tag, at.Type = m.Role, m.Name, m.Tag, m.Type
		at.Form, at.Frame, at.Submit = cmp.Or(at.Form, m.Form), cmp.Or(at.Frame, m.Frame),
			at.Submit || m.Submit
	}
	if f := o.FieldByID(at.ID); f != nil {
		at.Form, at.Frame = cmp.Or(at.Form, f.Form), cmp.Or(at.Frame, f.Frame)
	}
	return at
}

// sends are those of a history, as far as the steps up to each say what came of it.
type sends struct {
	all []*Send
	// judge are the positions of those of which later steps may say more.
	judge []int
	// known are the fields that held a secret when they were sent, each once.
	known []*Field
}

// sendsOf are the sends that were made or interrupted, in order. All steps count, also those that a rewind
// undid: the server does not know of rewinds.
func sendsOf(h History) []*Send {
	var s sends
	s.read(h, 0)
	all, _ := s.judged(&h)
	return all
}

// read takes in the steps from index from on.
func (r *sends) read(h History, from int) {
	for i := from; i < len(h.Steps); i++ {
		for _, cut := range h.cutOff(i) {
			r.add(cut, true)
		}
		s := &h.Steps[i]
		if s.Action == nil {
			continue
		}
		target, before := s.goesTo(), h.before(i)
		send, ok := sendOf(before, *s.Action, target, r.known)
		if !ok {
			send, ok = sentSecret(before, s, target, r.known)
		}
		if !ok {
			send, ok = h.sentByScript(i)
		}
		if !ok {
			continue
		}
		send.Step = i
		send.OK = slices.ContainsFunc(s.After.Writes, Write.OK)
		r.add(&send, send.Secret || !send.OK && s.unanswered())
	}
}

func (r *sends) add(s *Send, judge bool) {
	if judge {
		r.judge = append(r.judge, len(r.all))
	}
	r.all = append(r.all, s)
	for _, f := range s.secrets {
		same := func(k *Field) bool {
			return k.Frame == f.Frame && k.Label == f.Label && k.Name == f.Name && k.NameAttr == f.NameAttr &&
				k.Type == f.Type
		}
		if !slices.ContainsFunc(r.known, same) {
			r.known = append(r.known, f)
		}
	}
}

// judged are the sends with what later steps of h say of them, and those that were interrupted after its
// last step. Doubtful are those among them of which that is known at last: who held a secret may be rejected,
// and an answer may have come unseen.
func (r *sends) judged(h *History) (all, doubtful []*Send) {
	all = slices.Clone(r.all)
	for _, i := range r.judge {
		s := *all[i]
		doubtful = append(doubtful, &s)
		if s.Interrupted {
			continue
		}
		if !s.OK && h.leftOpen(s.Step) {
			s.Uncertain, s.State = true, formState(h.before(s.Step), s.Form, s.Frame)
		}
		s.Rejected = s.Secret && (h.rejected(s) || h.beginsAnew(r.all, i))
		all[i] = &s
	}
	for _, cut := range h.cutOff(len(h.Steps)) {
		all, doubtful = append(all, cut), append(doubtful, cut)
	}
	return all, doubtful
}

// sentSecret is the send that s made by a press that nothing but what came of it shows to be one: by a
// script, of a form with a secret, whatever the control is called.
func sentSecret(before *Observation, s *Step, target Target, known []*Field) (Send, bool) {
	if !s.Action.Kind.Pressing() || len(s.After.Writes) == 0 {
		return Send{}, false
	}
	at := aimedAt(before, *s.Action, target)
	send := sendAt(before, *s.Action, at, known)
	return send, at.Identified() && send.Secret
}

// sentByScript is the send that step i made, or may have made, by a script: alone, or by answering a dialog.
func (h *History) sentByScript(i int) (Send, bool) {
	s := &h.Steps[i]
	if len(s.After.Writes) == 0 && !s.unanswered() {
		return Send{}, false
	}
	a, target, o := h.behind(i, *s.Action, s.goesTo())
	send, may := commits(o, a, target)
	may = may || s.Action.Kind == AnswerDlg && a.Kind != AnswerDlg
	send.ByScript, send.State = true, formState(o, send.Form, send.Frame)
	return send, may
}

// SendsAgain says whether a would send a secret on the page o once more, as s did: by a send, or by a press
// of what is called like the control that s pressed.
func (s Send) SendsAgain(o *Observation, a Action, at Target) bool {
	if next, ok := sendOf(o, a, at, s.secrets); ok && next.Secret || s.Signature == Signature(a, at) {
		return true
	}
	at = aimedAt(o, a, at)
	return a.Kind.Pressing() && at.Name != "" && at.Name == s.Control && sendAt(o, a, at, s.secrets).Secret
}

// rejected says whether the answer to the send refuses it, or asks for the same again. The answer may come
// while somebody waits.
func (h *History) rejected(send Send) bool {
	before, s := h.before(send.Step), &h.Steps[send.Step]
	opened := s.After.Document != before.Document
	refuses := func(status int) bool { return status == 401 || status == 403 || status == 429 }
	refused := func(w Write) bool { return refuses(w.Status) }
	return opened && refuses(s.After.Status) || slices.ContainsFunc(s.After.Writes, refused) ||
		slices.ContainsFunc(h.answers(send), send.asksAgain)
}

// answers are the pages that answered the send: after it, and after the waits that follow at once.
func (h *History) answers(send Send) (out []*Observation) {
	sent := false
	for i := send.Step; i < len(h.Steps) && (i == send.Step || h.waited(i)); i++ {
		after := &h.Steps[i].After
		sent = sent || after.Document != h.before(send.Step).Document || len(after.Writes) > 0
		if sent {
			out = append(out, after)
		}
	}
	return out
}

func (h *History) waited(i int) bool {
	a := h.Steps[i].Action
	return h.resumedAt(i) == nil && (a == nil || a.Kind == Wait)
}

// asksAgain says whether the page asks for what was sent: the same form for its password, or one for all
// secrets by their names, or one with the same kinds of fields for a password. An answer may give the form
// another name or address each time, its fields other names, and the password another type.
func (s Send) asksAgain(o *Observation) bool {
	return slices.ContainsFunc(o.Fields, func(f Field) bool {
		if f.Frame != s.Frame || f.Type == "password" && f.Form == s.Form {
			return f.Frame == s.Frame
		}
		fields := o.textFields(f.Form, f.Frame)
		kinds := slices.EqualFunc(fields, s.fields, func(a, b *Field) bool { return a.Type == b.Type })
		return f.Type == "password" && kinds && len(fields) > 1 || called(s.secrets, fields)
	})
}

// beginsAnew says whether send i was answered by the first step of its sign-in: what is filled in next says
// who somebody is, the answer had asked for that, and the next text that the site asks for is a secret.
func (h *History) beginsAnew(sends []*Send, i int) bool {
	n := slices.IndexFunc(sends[i+1:], func(s *Send) bool { return s.filled != nil })
	if n < 0 || !sends[i].begunBy(*sends[i+1+n], sends[:i]) {
		return false
	}
	next := sends[i+1+n]
	page := path(h.before(next.Step).URL)
	asked := func(o *Observation) bool {
		absent := func(was *Field) bool {
			return !slices.ContainsFunc(o.Fields, func(f Field) bool { return f.calledLike(was) })
		}
		return !slices.ContainsFunc(next.filled, absent) &&
			(path(o.URL) == page || o.FormOf(next.Form, next.Frame) != nil)
	}
	if !slices.ContainsFunc(h.answers(*sends[i]), asked) {
		return false
	}
	for _, s := range h.Steps[next.Step:] {
		text := func(f Field) bool { return f.TakesText() && f.Typable() }
		secret := func(f Field) bool { return text(f) && (f.Type == "password" || sends[i].secret(&f)) }
		if slices.ContainsFunc(s.After.Fields, text) {
			return slices.ContainsFunc(s.After.Fields, secret)
		}
	}
	return false
}

// begunBy says whether next says who somebody is to whom the secret of s belongs: by the fields that s itself
// held beside its secret; else by one text, or by the same texts as before.
func (s Send) begunBy(next Send, before []*Send) bool {
	user := slices.DeleteFunc(slices.Clone(s.filled), s.secret)
	if len(user) > 0 {
		return !next.Secret && len(user) == len(next.filled) && called(user, next.filled)
	}
	same := func(was *Send) bool {
		return slices.EqualFunc(was.filled, next.filled, func(a, b *Field) bool {
			return a.calledLike(b) && a.ValueDigest == b.ValueDigest
		})
	}
	return !next.Secret && len(next.filled) == 1 || slices.ContainsFunc(before, same)
}

// SameForm says whether both sent one form, by its identity or by what its fields are called.
func (s Send) SameForm(o Send) bool {
	return s.Frame == o.Frame && (s.Form == o.Form ||
		s.fields != nil && len(s.fields) == len(o.fields) && called(s.fields, o.fields))
}

// FormIn is the form on the page now that was sent on the page before: the one of its identity, else one that
// has come since and asks for the same fields; nil when it is gone. A form gets another identity when its
// address changes or a heading around it.
func (s Send) FormIn(before, now *Observation) *Form {
	if f := now.FormOf(s.Form, s.Frame); f != nil || s.fields == nil {
		return f
	}
	for i := range now.Forms {
		f := &now.Forms[i]
		came := f.Frame == s.Frame && before.FormOf(f.ID, f.Frame) == nil
		if came && called(s.fields, now.textFields(f.ID, f.Frame)) {
			return f
		}
	}
	return nil
}

// Emptied says whether the form held text when it was sent, and holds none of it as form on the page o:
// passwords aside, which errors empty too.
func (s Send) Emptied(o *Observation, form *Form) bool {
	emptied := false
	for _, was := range s.filled {
		if was.Type == "password" {
			continue
		}
		kept := func(f Field) bool {
			same := f.Form == form.ID && f.Frame == form.Frame && f.calledLike(was)
			return !f.Empty && (f.ID == was.ID || same)
		}
		if slices.ContainsFunc(o.Fields, kept) {
			return false
		}
		emptied = true
	}
	return emptied
}

// called says whether each of fields has one in others that is called like it.
func called(fields, others []*Field) bool {
	return !slices.ContainsFunc(fields, func(f *Field) bool {
		return !slices.ContainsFunc(others,
			f.calledLike)
	})
}

// calledLike says whether two fields have a name in common; passwords without any are alike.
func (f *Field) calledLike(o *Field) bool {
	same := func(a, b string) bool { return a != "" && a == b }
	nameless := func(f *Field) bool { return f.Type == "password" && f.Label+f.Name+f.NameAttr == "" }
	return same(f.Label, o.Label) || same(f.Name, o.Name) || same(f.NameAttr, o.NameAttr) ||
		nameless(f) && nameless(o)
}
