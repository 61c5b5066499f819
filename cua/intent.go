package cua

import "slices"

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
	// Submit says that the action may send something: by Return, or by a press of a submit control, or of one
	// with a risky name. A control that goes on in a list sends only where the markup says so. Form and Frame say which form; Form is ""
	// for controls in no form.
	Submit bool   `json:"submit,omitzero"`
	Form   string `json:"form,omitzero"`
	Frame  string `json:"frame,omitzero"`
	// Document and FormDigest are those of the page before the action.
	Document   string `json:"document,omitzero"`
	FormDigest string `json:"form_digest,omitzero"`
}

// IntentOf is the intent of s, which has an action and is about to be dispatched on the page o.
func IntentOf(o *Observation, s *Step) Intent {
	a, at := *s.Action, aimedAt(o, *s.Action, s.goesTo())
	in := Intent{Number: s.N, Action: a, Target: at.ID, Name: at.Name, Document: o.Document,
		FormDigest: o.FormDigest}
	onward := !a.PressesReturn() && !at.Submit && SaysOnward(at.Name)
	if send, ok := commits(o, a, s.goesTo()); ok && !onward {
		in.Submit, in.Form, in.Frame = true, send.Form, send.Frame
	}
	return in
}

// commits is the send that a may make: SendOf, or a press of a control with a risky name ("Buy now"), which may
// send by a script.
func commits(o *Observation, a Action, at Target) (Send, bool) {
	if send, ok := SendOf(o, a, at); ok {
		return send, true
	}
	at = aimedAt(o, a, at)
	return sendAt(o, a, at, nil), a.Kind.Pressing() && at.Identified() && !at.Input && RiskyName(at.Name)
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
func (h *History) cutOff(i int) []Send {
	var out []Send
	before := &h.Start
	if i > 0 {
		before = &h.Steps[i-1].After
	}
	for k := range h.Resumed {
		r := &h.Resumed[k]
		if in := r.Interrupted; r.At == i && in != nil && in.Submit {
			s := sendAt(before, in.Action, Target{ID: in.Target, Form: in.Form, Frame: in.Frame}, nil)
			s.Step, s.State, s.Interrupted, s.OK = i, formState(before, in.Form, in.Frame), true, h.proves(i)
			s.Uncertain = !s.OK
			out = append(out, s)
		}
		if r.At == i {
			before = &r.Page
		}
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

// leftOpen says whether nobody saw what the server answered to step i: the tab crashed under it, the browser was
// lost, or the session ended while a request was under way. To wait or look in between is no answer.
func (h *History) leftOpen(i int) bool {
	s := &h.Steps[i]
	open := func(w Write) bool { return w.Status == 0 }
	if s.Settle != nil && slices.Contains(s.Settle.Faults, "tab_crash") {
		return true
	}
	lost := s.Failure != nil && s.Failure.Kind == FailEnv || slices.ContainsFunc(s.After.Writes, open)
	for k := i + 1; lost && k <= len(h.Steps); k++ {
		if h.resumedAt(k) != nil {
			return true
		}
		if k < len(h.Steps) {
			a, o := h.Steps[k].Action, &h.Steps[k].After
			answered := slices.ContainsFunc(o.Writes, func(w Write) bool { return !open(w) })
			lost = (a == nil || a.Kind == Wait || a.Kind.ReadOnly()) && !answered && o.Document == s.After.Document
		}
	}
	return false
}

// Uncertain is the send that p may make a second time, or that p, a done, takes for made, while nobody knows
// what came of it; nil is none. It is the same send while the form holds what it held then, or what a session
// after it was shown. After the question, whoever goes on has answered it.
func (t *Turn) Uncertain(p Proposal) *Send {
	now, sends := commits(&t.Now, p.Action, p.Target)
	claims := p.Action.Kind == Done && p.Action.Success
	if t.Task.Idempotent || !sends && !claims {
		return nil
	}
	for i := range t.Evidence.Sends {
		was := &t.Evidence.Sends[i]
		if !was.Uncertain || !t.stillHolds(was) || t.History.answered(was.Step) {
			continue
		}
		if claims && t.Now.FormOf(was.Form, was.Frame) != nil || sends && was.alike(now) {
			return was
		}
	}
	return nil
}

// forgotten says whether now would send once more what was sent, after the session that saw the answer has
// ended: the next one shows the form again, and nobody has chosen to go on since. To fill it in again is no
// other act then.
func (t *Turn) forgotten(was, now Send) bool {
	shown := false
	for i := range t.History.Resumed {
		if r := &t.History.Resumed[i]; r.At > was.Step {
			shown = !r.Fresh && (shown || r.Page.FormOf(was.Form, was.Frame) != nil)
		}
	}
	return shown && was.alike(now) &&
		formState(t.History.before(was.Step), was.Form, was.Frame) == formState(&t.Now, was.Form, was.Frame)
}

// stillHolds says whether the form of was holds what it held then, or what a session after it was shown.
func (t *Turn) stillHolds(was *Send) bool {
	now := formState(&t.Now, was.Form, was.Frame)
	return now == was.State || slices.ContainsFunc(t.History.Resumed, func(r Resumption) bool {
		return !r.Fresh && r.At >= was.Step && formState(&r.Page, was.Form, was.Frame) == now
	})
}

// alike says whether both send one form. Controls in no form send together only where Return is one of them.
func (s *Send) alike(o Send) bool {
	return s.Form == o.Form && s.Frame == o.Frame &&
		(s.Form != "" || s.Signature == o.Signature || s.byReturn() || o.byReturn())
}

func (s *Send) byReturn() bool {
	return len(s.Signature) > len(Key) && s.Signature[:len(Key)] == string(Key)
}

// answered says whether somebody was asked about an uncertain send after step index i, and chose to go on.
func (h *History) answered(i int) bool {
	for _, r := range h.Resumed {
		if r.Fresh && r.At > i && r.At <= len(h.Steps) {
			if ruled, _ := h.Steps[r.At-1].Ruled(); ruled.Reason == UncertainSend {
				return true
			}
		}
	}
	return false
}
