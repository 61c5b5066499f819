package invariants

import (
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// formState is what a form is sent from: the document and what its fields hold. form and frame are those of the form
// that is sent, where known is true.
type formState struct {
	document, page, digest, form, frame string
	known                               bool
}

// is says whether two states are one; a form that is not known may be any.
func (f formState) is(g formState) bool {
	return f.document == g.document && f.page == g.page && f.digest == g.digest && (f.form == g.form || f.form == "" || g.form == "")
}

// submission says whether what s dispatched sends a form: Return outside a field of many lines, or a press of
// a submit control; and from which state.
func submission(o *cua.Observation, s *cua.Step) (formState, bool) {
	page, _, _ := strings.Cut(o.URL, "#")
	state := formState{document: o.Document, page: page, digest: o.FormDigest}
	a := s.Action
	returns := a != nil && a.PressesReturn()
	if a == nil || !returns && !a.Kind.Pressing() {
		return state, false
	}
	if f := receiver(o, s); returns && f != nil {
		state.form, state.frame, state.known = f.Form, f.Frame, true
		return state, f.Tag != "textarea" && f.Type != "contenteditable"
	}
	m := pressed(o, s)
	if m == nil || !returns && !m.Submit {
		return state, returns
	}
	state.form, state.frame, state.known = m.Form, m.Frame, true
	return state, true
}

// pressed is the interactive element that s pressed or sent a key to; nil when that is not known.
func pressed(o *cua.Observation, s *cua.Step) *cua.Mark {
	a := s.Action
	id := a.Into
	if id == "" && !s.Substituted() {
		id = s.Target.ID
	}
	if id != "" {
		return o.MarkByID(id)
	}
	var smallest *cua.Mark
	for i := range o.Marks {
		m := &o.Marks[i]
		switch {
		case a.Point == nil && a.Mark > 0 && m.N == a.Mark:
			return m
		case a.Point != nil && m.Box.Contains(*a.Point) && (smallest == nil || m.Box.W*m.Box.H < smallest.Box.W*smallest.Box.H):
			smallest = m
		}
	}
	return smallest
}

// sent is a submission by a gate.
type sent struct {
	at    int // index of the step
	state formState
	// retargeted says that it was the brain's own press, moved to its target: to send the form in another way after it
	// is no second time.
	retargeted bool
}

// secondSubmit looks at the forms that gates sent in place of what the brain asked for. Closing what covers the page
// sends none, whatever the button is called.
func secondSubmit(j *Journal) []found {
	var all []sent
	again := eachReplaced(func(j *Journal, i int, s *cua.Step, r cua.Ruling, say sayer) {
		state, sends := submission(j.before(i), s)
		if r.Reason == string(cua.DismissOverlay) || !sends && r.Gate != "force_submit" {
			return
		}
		second := sent{i, state, r.Reason == string(cua.RetargetClick)}
		for _, first := range slices.Backward(all) {
			if first.state.is(second.state) && first.retargeted == second.retargeted && !j.moved(first.at, i) {
				say("sent the form once more, in the state in which step %d had sent it; nothing has changed since", j.Steps[first.at].N)
				break
			}
		}
		all = append(all, second)
	})(j)
	return append(again, repeatedWrites(j)...)
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
	sent := map[act]int{} // step numbers
	return each(func(j *Journal, i int, s *cua.Step, say sayer) {
		before := j.before(i)
		if s.Action == nil || before.FormDigest == "" {
			return
		}
		a := act{string(s.Action.Kind), s.Action.Keys, s.Action.Text, s.Action.URL, "", before.FormDigest}
		if f := receiver(before, s); f != nil {
			a.to = f.ID
		} else if m := pressed(before, s); m != nil {
			a.to = m.ID
		}
		r, _ := s.Ruled()
		if n, done := sent[a]; done && s.Substituted() && r.Reason != string(cua.RetargetClick) {
			say("did once more what step %d had sent and was answered well, with the form as it was then", n)
		}
		if slices.ContainsFunc(s.After.Writes, cua.Write.OK) {
			sent[a] = s.N
		}
	})(j)
}
