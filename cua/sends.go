package cua

import (
	"cmp"
	"slices"
)

// Send is one submission of a form: a press of a submit control, or Return in a single-line field.
type Send struct {
	// Step is the index into the history's steps; -1 is a send that was not made. An interrupted one has the
	// index that its step would have had.
	Step int
	// Signature is that of the action. Form and Frame identify the form; Form is "" for controls in no form.
	Signature, Form, Frame string
	// FormKey is the state of the form before.
	FormKey string
	// State is the page (origin and path) and the content of this form's fields. It is set for uncertain
	// sends and for those by a script.
	State string
	// Secret says that a field of the form held a secret or a password.
	Secret bool
	// OK says that the server accepted a request that may have changed it.
	OK bool
	// Rejected says that a form with a secret was answered by 401, 403 or 429, or by asking for the same
	// again, possibly from the first step of the sign-in. A form that the page did not send cannot be
	// rejected.
	Rejected bool
	// ByScript says that the markup does not show it as a send: a press or key caused a request that may have
	// changed the server, or its answer was lost.
	ByScript bool
	// Interrupted says that only its intent is recorded. Uncertain says that its outcome is not known: it was
	// interrupted and no page shows the outcome, or the session ended before the answer.
	Interrupted, Uncertain bool
	// Control is the name of the pressed control, which is untrusted; "" is not known.
	Control string
	// fields are the text fields of the form as they were sent; filled are those with a value, secrets those
	// of the form with a secret.
	fields, filled, secrets []*Field
}

// SendOf is the send that a, aimed at at, makes on the page o; false if it makes none.
func SendOf(o *Observation, a Action, at Target) (Send, bool) { return sendOf(o, a, at, nil) }

// sendOf is SendOf. A field with the name of one of the known fields holds a secret, as those did.
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

// sendAt is the send that a, aimed at at, would be.
func sendAt(o *Observation, a Action, at Target, known []*Field) Send {
	a.Into = "" // at has it
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

// secret reports whether f has the name of a field that held a secret.
func (s *Send) secret(f *Field) bool { return slices.ContainsFunc(s.secrets, f.calledLike) }

// aimedAt is at with what the page knows of the control or field that a acts on.
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

// sends are those of a history, judged by the steps that were read so far.
type sends struct {
	all []*Send
	// judge are the indexes of sends that later steps may still change.
	judge []int
	// known are the fields that held a secret when they were sent, each once.
	known []*Field
}

// read reads the steps from index from on.
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

// judged are all sends, judged by the later steps of h, including those interrupted after its last step.
// Doubtful are those whose judgement needs later steps: they held a secret and may be rejected, or their
// answer may never have been seen.
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

// sentSecret is the send of s, a press of any control by which a script sent a form with a secret. Only its
// effect shows it.
func sentSecret(before *Observation, s *Step, target Target, known []*Field) (Send, bool) {
	if !s.Action.Kind.Pressing() || len(s.After.Writes) == 0 {
		return Send{}, false
	}
	at := aimedAt(before, *s.Action, target)
	send := sendAt(before, *s.Action, at, known)
	return send, at.Identified() && send.Secret
}

// sentByScript is the send that step i made or may have made by a script, alone or by answering a dialog.
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

// SendsAgain reports whether a, on the page o, would repeat the send s of a secret: by a send, or by a
// press of a control with the same name.
func (s Send) SendsAgain(o *Observation, a Action, at Target) bool {
	if next, ok := sendOf(o, a, at, s.secrets); ok && next.Secret || s.Signature == Signature(a, at) {
		return true
	}
	at = aimedAt(o, a, at)
	return a.Kind.Pressing() && at.Name != "" && at.Name == s.Control && sendAt(o, a, at, s.secrets).Secret
}

// rejected reports whether the answer to the send rejects it or asks for the same again. The answer may come
// during later waits.
func (h *History) rejected(send Send) bool {
	before, s := h.before(send.Step), &h.Steps[send.Step]
	opened := s.After.Document != before.Document
	refuses := func(status int) bool { return status == 401 || status == 403 || status == 429 }
	refused := func(w Write) bool { return refuses(w.Status) }
	return opened && refuses(s.After.Status) || slices.ContainsFunc(s.After.Writes, refused) ||
		slices.ContainsFunc(h.answers(send), send.asksAgain)
}

// answers are the pages that answered the send: the one after it and those of the waits that follow
// immediately.
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

// asksAgain reports whether the page asks again for what was sent: by the same form for a password, by a form
// with the same secrets by name, or by a form with the same kinds of fields for a password. The answer may
// change the name or address of the form, the names of its fields, and the type of the password field.
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

// beginsAnew reports whether send i was answered by the first step of its sign-in: the next send identifies
// the person, the answer had asked for that, and the next text that the site asks for is a secret.
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

// begunBy reports whether next identifies the person whose secret s sent: by the fields that s had besides
// its secret; otherwise by one text, or by the same texts as before.
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

// SameForm reports whether both sent the same form, by its identity or by the names of its fields.
func (s Send) SameForm(o Send) bool {
	return s.Frame == o.Frame && (s.Form == o.Form ||
		s.fields != nil && len(s.fields) == len(o.fields) && called(s.fields, o.fields))
}

// FormIn is the form on the page now that was sent on the page before: the one with its identity, else a new
// one that asks for the same fields; nil if there is none. A form's identity changes with its address and
// with the heading around it.
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

// Emptied reports whether the form held text when it was sent and, as form on the page o, holds none of it
// now. Passwords do not count, because errors clear them too.
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

// called reports whether each of fields has the name of one of others.
func called(fields, others []*Field) bool {
	return !slices.ContainsFunc(fields, func(f *Field) bool {
		return !slices.ContainsFunc(others,
			f.calledLike)
	})
}

// calledLike reports whether two fields have a name in common; passwords without any name are alike.
func (f *Field) calledLike(o *Field) bool {
	same := func(a, b string) bool { return a != "" && a == b }
	nameless := func(f *Field) bool { return f.Type == "password" && f.Label+f.Name+f.NameAttr == "" }
	return same(f.Label, o.Label) || same(f.Name, o.Name) || same(f.NameAttr, o.NameAttr) ||
		nameless(f) && nameless(o)
}
