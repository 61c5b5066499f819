package invariants

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// sends is the send that step i made; false when it made none.
func (j *Journal) sends(i int) (cua.Send, bool) {
	s, now := &j.Steps[i], j.before(i)
	if s.Action == nil {
		return cua.Send{}, false
	}
	target := s.Target
	if s.Substituted() { // it is that of what was proposed
		target = cua.Target{}
		if m := pressed(now, s); m != nil {
			target.ID = m.ID
		}
	}
	return cua.SendOf(now, *s.Action, target)
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
		case a.Point == nil || !m.Box.Contains(*a.Point):
		case smallest == nil || m.Box.W*m.Box.H < smallest.Box.W*smallest.Box.H:
			smallest = m
		}
	}
	return smallest
}

// secondSubmit looks at the forms that gates sent in place of what the brain asked for. Closing what covers
// the page sends none, whatever the button is called. To send the form in another way after the brain's own
// press was moved to its target is no second time.
func secondSubmit(j *Journal) []found {
	var all []int // indexes of steps
	again := eachReplaced(func(j *Journal, i int, s *cua.Step, r cua.Ruling, say sayer) {
		send, sends := j.sends(i)
		if coded(r, cua.DismissOverlay) || !sends && r.Gate != "force_submit" {
			return
		}
		for _, k := range slices.Backward(all) {
			first, _ := j.sends(k)
			before, _ := j.Steps[k].Ruled()
			retargeted := coded(r, cua.RetargetClick)
			if j.oneForm(i, k) && (first.Form == send.Form || first.Form == "" || send.Form == "") &&
				retargeted == (coded(before, cua.RetargetClick)) && !j.moved(k, i) {
				say("sent the form once more, as step %d had; nothing has changed since", k+1)
				break
			}
		}
		all = append(all, i)
	})(j)
	return append(again, repeatedWrites(j)...)
}

// oneForm says whether the forms are in one state, in one document, before two steps.
func (j *Journal) oneForm(i, k int) bool {
	a, b := j.before(i), j.before(k)
	return a.Document == b.Document && a.FormKey() == b.FormKey()
}

// moved says whether a step from index i to before index k is known to have changed the page.
func (j *Journal) moved(i, k int) bool {
	return slices.ContainsFunc(j.sampled()[i:k], func(s cua.Sample) bool { return s.Progress })
}

// act is what makes one act the same as another: the action with what it went to, and what the form held.
type act struct{ kind, keys, text, url, to, digest string }

// repeatedWrites finds what a gate did although the same had been sent before, by whomever, and answered
// well. A page without a form has no state of one that could be the same: the "+" of a stepper may be pressed
// again.
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
		if n, done := sent[a]; done && s.Substituted() && !coded(r, cua.RetargetClick) {
			say("did once more what step %d had sent and was answered well, with the form as it was then", n)
		}
		if slices.ContainsFunc(s.After.Writes, cua.Write.OK) {
			sent[a] = s.N
		}
	})(j)
}
