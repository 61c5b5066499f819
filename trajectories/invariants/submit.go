package invariants

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// formState is what a form is sent from: the document and what its fields hold. form is the form that is
// sent, "" where that is not known.
type formState struct{ document, page, digest, form string }

// is says whether two states are one; a form that is not known may be any.
func (f formState) is(g formState) bool {
	return f.document == g.document && f.page == g.page && f.digest == g.digest && (f.form == g.form || f.form == "" || g.form == "")
}

// submission says whether what s dispatched sends a form: Return outside a field of many lines, or a press of
// a submit control; and from which state.
func submission(o *cua.Observation, s *cua.Step) (formState, bool) {
	page, _, _ := strings.Cut(o.URL, "#")
	state := formState{document: o.Document, page: page, digest: o.FormDigest}
	switch a := s.Action; {
	case a == nil:
		return state, false
	case a.PressesReturn():
		if f := receiver(o, s); f != nil {
			state.form = f.Form
			return state, f.Tag != "textarea" && f.Type != "contenteditable"
		}
		if m := pressed(o, s); m != nil {
			state.form = m.Form
		}
		return state, true
	case a.Kind.Pressing():
		m := pressed(o, s)
		if m == nil || !m.Submit {
			return state, false
		}
		state.form = m.Form
		return state, true
	}
	return state, false
}

// pressed is the interactive element that s pressed or sent a key to; nil when that is not known.
func pressed(o *cua.Observation, s *cua.Step) *cua.Mark {
	a := s.Action
	id := a.Into
	if id == "" && !s.Substituted() {
		id = s.Target.ID
	}
	var smallest *cua.Mark
	for i := range o.Marks {
		m := &o.Marks[i]
		switch {
		case id != "" && m.ID == id:
			return m
		case id == "" && a.Point != nil && m.Box.Contains(*a.Point) && (smallest == nil || m.Box.W*m.Box.H < smallest.Box.W*smallest.Box.H):
			smallest = m
		}
	}
	return smallest
}

// sent is a submission by a gate.
type sent struct {
	at    int // index of the step
	state formState
	// home says that it was the brain's own press, brought home: to send the form in another way after it is no second time.
	home bool
}

// sendings are the submissions that gates made in place of what the brain asked for. Closing what covers
// the page is none, whatever the button is called.
func sendings(j *Journal) []sent {
	var out []sent
	h := j.History()
	for i := range j.Steps {
		s := &j.Steps[i]
		r, ok := substitution(s)
		if !ok || r.Reason == string(cua.DismissOverlay) {
			continue
		}
		before := h.Before(i)
		state, sends := submission(&before, s)
		if sends || r.Gate == "force_submit" {
			out = append(out, sent{i, state, r.Reason == string(cua.RetargetClick)})
		}
	}
	return out
}

func secondSubmit(j *Journal) []found {
	var out []found
	all := sendings(j)
	for n, second := range all {
		for _, first := range slices.Backward(all[:n]) {
			if !first.state.is(second.state) || first.home != second.home || j.moved(first.at, second.at) {
				continue
			}
			out = append(out, found{j.Steps[second.at].N, fmt.Sprintf("sent the form once more, in the state in which step %d had sent it; nothing has changed since", j.Steps[first.at].N)})
			break
		}
	}
	return append(out, repeatedWrites(j)...)
}

// moved says whether a step from index i to before index k is known to have changed the page.
func (j *Journal) moved(i, k int) bool {
	return slices.ContainsFunc(j.sampled()[i:k], func(s cua.Sample) bool { return s.Progress })
}

// act is what makes one act the same as another: the action with what it went to, and what the form held.
type act struct{ kind, keys, text, url, to, digest string }

// repeatedWrites finds what a gate did although the same had been sent before, by whomever, and answered well. A
// page without a form has no state of one that could be the same: the "+" of a stepper may be pressed again.
func repeatedWrites(j *Journal) []found {
	var out []found
	h := j.History()
	sent := map[act]int{} // step numbers
	for i := range j.Steps {
		s := &j.Steps[i]
		before := h.Before(i)
		if s.Action == nil || before.FormDigest == "" {
			continue
		}
		a := act{string(s.Action.Kind), s.Action.Keys, s.Action.Text, s.Action.URL, "", before.FormDigest}
		if f := receiver(&before, s); f != nil {
			a.to = f.ID
		} else if m := pressed(&before, s); m != nil {
			a.to = m.ID
		}
		if n, done := sent[a]; done {
			if r, ok := substitution(s); ok && r.Reason != string(cua.RetargetClick) {
				out = append(out, found{s.N, fmt.Sprintf("did once more what step %d had sent and was answered well, with the form as it was then", n)})
			}
		}
		if slices.ContainsFunc(s.After.Writes, cua.Write.OK) {
			sent[a] = s.N
		}
	}
	return out
}

func returnOnce(j *Journal) []found {
	var out []found
	h := j.History()
	pressed := map[string]int{} // step numbers by the form's state
	for i := range j.Steps {
		s := &j.Steps[i]
		if _, ok := substitution(s); !ok || !s.Action.PressesReturn() {
			continue
		}
		key := h.Before(i).FormKey()
		if n, again := pressed[key]; again {
			out = append(out, found{s.N, fmt.Sprintf("pressed Return in the state of the form in which step %d had pressed it", n)})
			continue
		}
		pressed[key] = s.N
	}
	return out
}
