package cua

import (
	"cmp"
	"slices"
)

// Intent is what is about to be dispatched. It is on disk before the page is touched. Where no step follows
// it, nobody saw what came of it.
type Intent struct {
	// Number is that of the step to come.
	Number int    `json:"number"`
	Action Action `json:"action"`
	// Target is the identity of the control or field that the action goes to, Name its accessible name, the
	// page's text: hostile. "" is not known.
	Target string `json:"target,omitzero"`
	Name   string `json:"name,omitzero"`
	// Submit says that the action may send something: by Return or Space, by a line end that is typed, by a
	// press of a submit control, of anything but a field in a form that holds something, or of one with a
	// risky name, or by going on with such a press behind a dialog. A control that goes on in a list sends
	// only where the markup says so. Form and Frame say which form; Form is "" for controls in no form.
	Submit bool   `json:"submit,omitzero"`
	Form   string `json:"form,omitzero"`
	Frame  string `json:"frame,omitzero"`
	// Document and FormDigest are those of the page before the action, or before the press that opened the
	// dialog.
	Document   string `json:"document,omitzero"`
	FormDigest string `json:"form_digest,omitzero"`
}

// IntentOf is the intent of s, which has an action and is about to be dispatched after h. The answer to a
// dialog goes on with the press that opened it: its intent is aimed at what was pressed, on the page of then.
func IntentOf(h *History, s *Step) Intent {
	a, target, o := h.behind(len(h.Steps), *s.Action, s.goesTo())
	at := aimedAt(o, a, target)
	in := Intent{Number: s.N, Action: *s.Action, Target: at.ID, Name: at.Name, Document: o.Document,
		FormDigest: o.FormDigest}
	send, may := commits(o, a, target)
	if s.Action.Kind == AnswerDlg { // whoever asks first is about to act; a cancelled question ends it
		open := h.before(len(h.Steps)).Dialog // nil where the brain answers one that is not there
		may = a.Kind != AnswerDlg && open != nil && (s.Action.Accept || open.Type == "alert")
	}
	if may {
		in.Submit, in.Form, in.Frame = true, send.Form, send.Frame
	}
	return in
}

// behind is the action that a, which is or would be step i, goes on with: of the answer to a JavaScript
// dialog the action that opened it, else a itself; with what it was aimed at and the page that it acted on.
func (h *History) behind(i int, a Action, at Target) (Action, Target, *Observation) {
	o := h.before(i)
	for i--; a.Kind == AnswerDlg && i >= 0; i-- { // what nobody did in between, a wait say, opened nothing
		if s := &h.Steps[i]; s.Action != nil && s.Action.Kind.acts() {
			a, at, o = *s.Action, s.goesTo(), h.before(i)
		}
	}
	return a, at, o
}

// commits is the send that a may make: SendOf, or what may send by a script. That is a press of a control
// whose name says that it sends or that is risky ("Buy now"), or of any control but a field in a form that
// holds something; a key that activates what has the focus, or that a script may hear; and a line end that is
// typed. What goes on in a list commits nothing, unless the markup says so.
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
	says := RiskyName(at.Name) || at.Form != "" && SaysSubmit(at.Name)
	return send, a.Kind.Pressing() && at.Identified() && f == nil && !at.Input &&
		(says || o.holds(at.Form, at.Frame))
}

// holds says whether somebody may have put something into a field of the form; false for what is in no form.
func (o *Observation) holds(form, frame string) bool {
	return form != "" && slices.ContainsFunc(o.Fields, func(f Field) bool {
		return f.Form == form && f.Frame == frame && !f.Disabled &&
			(!f.Empty || f.Checked || f.Selected != "")
	})
}

// goesTo is what the dispatched action of s is aimed at, as far as the page was asked: of a substitution it
// is not known.
func (s *Step) goesTo() Target {
	if s.Substituted() {
		return Target{}
	}
	return s.Target
}

// cutOff are the sends that were interrupted before step i: the intent is on record and the step is not.
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

// proves says whether the page of the newest session before step i answers what was sent before it: the
// server led to a page that was never shown before, it opened well, and it asks for nothing. A page to sign
// in asks.
func (h *History) proves(i int) bool {
	o := h.resumedAt(i)
	known := func(s Step) bool { return path(s.After.URL) == path(o.URL) }
	return o.NavError == "" && o.Status < 400 && path(o.URL) != path(h.Start.URL) &&
		!slices.ContainsFunc(h.Steps[:i], known) && !slices.ContainsFunc(o.Fields, Field.TakesText)
}

// leftOpen says whether nobody saw what the server answered to step i: the tab crashed under it, the browser
// was lost, or the session ended while a request was under way. To wait or look in between is no answer.
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

// unanswered says whether nobody saw an answer while s was made: the tab crashed, the page or the browser was
// lost, or a request is still under way.
func (s *Step) unanswered() bool {
	open := func(w Write) bool { return w.Status == 0 }
	return s.tabCrashed() || s.Failure != nil && s.Failure.Kind.End() != "" ||
		slices.ContainsFunc(s.After.Writes, open)
}

func (s *Step) tabCrashed() bool {
	return s.Settle != nil && slices.Contains(s.Settle.Faults, "tab_crash")
}

// Uncertain is the send that p may make a second time, or that p, a done, takes for made, while nobody knows
// what came of it; nil is none. It is the same send while the form holds what it held then, or what a session
// after it was shown. After the question, whoever goes on has answered it.
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

// forgotten says whether p would send once more what was sent, after the session that saw the answer has
// ended: the next one shows the form again, and nobody has chosen to go on since. To fill it in again is no
// other act then.
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

// stillHolds says whether the form of was holds what it held then, or what a session after it was shown.
func (t *Turn) stillHolds(was *Send) bool {
	now := formState(&t.Now, was.Form, was.Frame)
	return now == was.State || slices.ContainsFunc(t.History.Resumed, func(r Resumption) bool {
		return !r.Fresh && r.At >= was.Step && formState(&r.Page, was.Form, was.Frame) == now
	})
}

// alike says whether both send one form, o on the page now. A form that is gone from it may have come back
// under another identity. Controls in no form send together only where Return is one of them.
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

// Evidence is the number of the step that made s; of an interrupted send that of the step before it, nil
// where it was the first.
func (s *Send) Evidence() []int {
	switch {
	case !s.Interrupted:
		return []int{s.Step + 1}
	case s.Step == 0:
		return nil
	}
	return []int{s.Step}
}

// answered says whether somebody was asked about the uncertain send, and chose to go on.
func (h *History) answered(s *Send) bool {
	for _, r := range h.Resumed {
		if r.Fresh && r.At > s.Step && r.At <= len(h.Steps) {
			ruled, _ := h.Steps[r.At-1].Ruled()
			// of old journals, nil is any
			about := ruled.Evidence == nil || slices.Equal(ruled.Evidence, s.Evidence())
			if ruled.Reason == UncertainSend && about {
				return true
			}
		}
	}
	return false
}
