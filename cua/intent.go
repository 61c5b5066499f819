package cua

import (
	"cmp"
	"slices"
)

// Intent is an action that is about to be dispatched. It is on disk before the page is touched. If no step
// follows it, its outcome is unknown.
type Intent struct {
	// Number is that of the step to come.
	Number int    `json:"number"`
	Action Action `json:"action"`
	// Target is the identity of the control or field that the action is aimed at, Name its accessible name,
	// which is untrusted. "" is not known.
	Target string `json:"target,omitzero"`
	Name   string `json:"name,omitzero"`
	// Submit says that the action may send something. These may: Return, Space or a typed line end; a press
	// of a submit control, of a control with a risky name, or of anything but a field in a form with a value;
	// and accepting a dialog that such a press opened. A control that pages through a list counts only if the
	// markup makes it a submit control. Form and Frame say which form; Form is "" for controls in no form.
	Submit bool   `json:"submit,omitzero"`
	Form   string `json:"form,omitzero"`
	Frame  string `json:"frame,omitzero"`
	// Document and FormDigest are those of the page before the action. For the answer to a dialog, they are
	// those before the press that opened it.
	Document   string `json:"document,omitzero"`
	FormDigest string `json:"form_digest,omitzero" redact:"-"`
}

// IntentOf is the intent of s, which is about to be dispatched after h. The answer to a dialog continues the
// press that opened it: its target and page are those of that press.
func IntentOf(h *History, s *Step) Intent {
	a, target, o := h.behind(len(h.Steps), *s.Action, s.goesTo())
	at := aimedAt(o, a, target)
	in := Intent{Number: s.N, Action: *s.Action, Target: at.ID, Name: at.Name, Document: o.Document,
		FormDigest: o.FormDigest}
	send, may := commits(o, a, target)
	if s.Action.Kind == AnswerDlg { // opening the dialog sent nothing yet, and cancelling it sends nothing
		open := h.before(len(h.Steps)).Dialog // nil if the brain answers a dialog that is not open
		may = a.Kind != AnswerDlg && open != nil && (s.Action.Accept || open.Type == "alert")
	}
	if may {
		in.Submit, in.Form, in.Frame = true, send.Form, send.Frame
	}
	return in
}

// behind is the action that a, at step index i, continues, with its target and the page that it acted on. For
// the answer to a JavaScript dialog it is the action that opened the dialog; otherwise it is a itself.
func (h *History) behind(i int, a Action, at Target) (Action, Target, *Observation) {
	o := h.before(i)
	for i--; a.Kind == AnswerDlg && i >= 0; i-- { // skip steps that did not act, such as waits
		if s := &h.Steps[i]; s.Action != nil && s.Action.Kind.acts() {
			a, at, o = *s.Action, s.goesTo(), h.before(i)
		}
	}
	return a, at, o
}

// commits is the send that a may make: SendOf, or one by a script. A script may send on a press of a control
// whose name is risky or says submit, on a press of anything but a field in a form with a value, on a key
// that activates the focused control, and on a typed line end. A control that pages through a list does not
// count, unless the markup makes it a submit control.
func commits(o *Observation, a Action, at Target) (Send, bool) {
	send, ok := SendOf(o, a, at)
	at = aimedAt(o, a, at)
	if onward := a.Kind.Pressing() && !at.Submit && SaysOnward(at.Name); ok || onward {
		return send, !onward
	}
	send = sendAt(o, a, at, nil)
	f := o.FieldByID(at.ID)
	if enters := a.entersLine(); enters || a.pressesSpace() {
		newLine := a.Kind == Type && f != nil && !f.SingleLine()
		return send, at.Identified() && (enters || f == nil) && !newLine
	}
	says := riskyName(at.Name) || at.Form != "" && SaysSubmit(at.Name)
	return send, a.Kind.Pressing() && at.Identified() && f == nil && !at.Input &&
		(says || o.holds(at.Form, at.Frame))
}

// holds reports whether the form has a field with a value; false for controls in no form.
func (o *Observation) holds(form, frame string) bool {
	return form != "" && slices.ContainsFunc(o.Fields, func(f Field) bool {
		return f.Form == form && f.Frame == frame && !f.Disabled &&
			(!f.Empty || f.Checked || f.Selected != "")
	})
}

// goesTo is the target of the dispatched action of s. That of a substitution is not known.
func (s *Step) goesTo() Target {
	if s.Substituted() {
		return Target{}
	}
	return s.Target
}

// cutOff are the interrupted sends before step i: the intent is recorded and the step is not.
func (h *History) cutOff(i int) []*Send {
	var out []*Send
	before := &h.Start
	if i > 0 {
		before = &h.Steps[i-1].After
	}
	k, _ := slices.BinarySearchFunc(h.Resumed, i, func(r Resumption, i int) int { return r.At - i })
	for ; k < len(h.Resumed) && h.Resumed[k].At == i; k++ {
		r := &h.Resumed[k]
		if in := r.Interrupted; in != nil && in.Submit {
			a, page := in.Action, before
			if a.Kind == AnswerDlg {
				a, _, page = h.behind(i, a, Target{})
			}
			s := sendAt(page, a, Target{ID: in.Target, Name: in.Name, Form: in.Form, Frame: in.Frame}, nil)
			s.Step, s.State, s.Interrupted, s.OK = i, formState(page, in.Form, in.Frame), true, h.proves(i)
			s.Uncertain = !s.OK
			out = append(out, &s)
		}
		before = &r.Page
	}
	return out
}

// proves reports whether the first page of the newest session before step i shows that the send before it
// arrived: its address was never shown before, it opened without an error, and it has no field to fill in (a
// sign-in page has).
func (h *History) proves(i int) bool {
	o := h.resumedAt(i)
	known := func(s Step) bool { return path(s.After.URL) == path(o.URL) }
	return o.NavError == "" && o.Status < 400 && path(o.URL) != path(h.Start.URL) &&
		!slices.ContainsFunc(h.Steps[:i], known) && !slices.ContainsFunc(o.Fields, Field.TakesText)
}

// leftOpen reports whether the server's answer to step i was never seen: the tab crashed, the browser was
// lost, or the session ended while a request was pending. Waits and read-only steps in between do not
// change that.
func (h *History) leftOpen(i int) bool {
	s := &h.Steps[i]
	if s.tabCrashed() {
		return true
	}
	lost := s.unanswered()
	for k := i + 1; lost && k <= len(h.Steps); k++ {
		if h.resumedAt(k) != nil {
			return true
		}
		if k < len(h.Steps) {
			a, o := h.Steps[k].Action, &h.Steps[k].After
			answered := slices.ContainsFunc(o.Writes, func(w Write) bool { return w.Status != 0 })
			lost = (a == nil || a.Kind == Wait || a.Kind.ReadOnly()) && !answered &&
				o.Document == s.After.Document
		}
	}
	return false
}

// unanswered reports whether no answer was seen while s was made: the tab crashed, the page or the browser
// was lost, or a request is still pending.
func (s *Step) unanswered() bool {
	open := func(w Write) bool { return w.Status == 0 }
	return s.tabCrashed() || s.Failure != nil && s.Failure.Kind.End() != "" ||
		slices.ContainsFunc(s.After.Writes, open)
}

func (s *Step) tabCrashed() bool {
	return s.Settle != nil && slices.Contains(s.Settle.Faults, "tab_crash")
}

// Uncertain is the uncertain send that p may repeat or, if p is a done, that p relies on; nil is none. A send
// is the same while the form holds what it held then, or what a later session showed. Once a person was asked
// about it and chose to continue, it is no longer uncertain.
func (t *Turn) Uncertain(p Proposal) *Send {
	now, sends := commits(&t.Now, p.Action, p.Target)
	claims := p.Action.Kind == Done && p.Action.Success
	if t.Task.Idempotent {
		return nil
	}
	for _, was := range t.Evidence.Doubtful {
		if !was.Uncertain || !t.stillHolds(was) || t.History.answered(was) {
			continue
		}
		again := was.Signature == now.Signature || sends
		if claims && t.Now.FormOf(was.Form, was.Frame) != nil || again && was.alike(now, &t.Now) {
			return was
		}
	}
	return nil
}

// forgotten reports whether p would repeat the send was because a new session shows the form again: the
// session that saw the answer has ended, and nobody has chosen to continue since. Filling the form in again
// does not make it another act then.
func (t *Turn) forgotten(was *Send, p Proposal) bool {
	shown := false
	for i := range t.History.Resumed {
		if r := &t.History.Resumed[i]; r.At > was.Step {
			shown = !r.Fresh && (shown || was.Form == "" || r.Page.FormOf(was.Form, was.Frame) != nil)
		}
	}
	if !shown {
		return false
	}
	now, sends := commits(&t.Now, p.Action, p.Target)
	return (sends || was.Signature == now.Signature) && was.alike(now, &t.Now) &&
		cmp.Or(was.State, formState(t.History.before(was.Step), was.Form, was.Frame)) ==
			formState(&t.Now, was.Form, was.Frame)
}

// stillHolds reports whether the form of was holds what it held then, or what a later session showed.
func (t *Turn) stillHolds(was *Send) bool {
	now := formState(&t.Now, was.Form, was.Frame)
	return now == was.State || slices.ContainsFunc(t.History.Resumed, func(r Resumption) bool {
		return !r.Fresh && r.At >= was.Step && formState(&r.Page, was.Form, was.Frame) == now
	})
}

// alike reports whether both send the same form; now is the page of o. A form that has disappeared may have
// come back with another identity. Controls in no form are alike only if one of the two sends is by Return.
func (s *Send) alike(o Send, now *Observation) bool {
	switch {
	case s.Frame != o.Frame || s.Signature == o.Signature:
		return s.Frame == o.Frame
	case s.Form != o.Form:
		return now.FormOf(s.Form, s.Frame) == nil && s.SameForm(o)
	}
	return s.Form != "" || s.byReturn() || o.byReturn()
}

func (s *Send) byReturn() bool {
	return len(s.Signature) > len(Key) && s.Signature[:len(Key)] == string(Key)
}

// Evidence is the number of the step that made s. For an interrupted send it is that of the step before, and
// nil if there is none.
func (s *Send) Evidence() []int {
	switch {
	case !s.Interrupted:
		return []int{s.Step + 1}
	case s.Step == 0:
		return nil
	}
	return []int{s.Step}
}

// answered reports whether a person was asked about the uncertain send s and chose to continue.
func (h *History) answered(s *Send) bool {
	for _, r := range h.Resumed {
		if r.Fresh && r.At > s.Step && r.At <= len(h.Steps) {
			ruled, _ := h.Steps[r.At-1].Ruled()
			// nil in journals of older versions: any send
			about := ruled.Evidence == nil || slices.Equal(ruled.Evidence, s.Evidence())
			if ruled.Reason == UncertainSend && about {
				return true
			}
		}
	}
	return false
}
