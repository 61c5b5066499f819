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

// secondSubmit looks at the forms that gates sent in place of what the brain asked for: in a state in which a
// gate had sent them, or just as somebody had sent them and was answered well. Closing what covers the page
// sends none, whatever the button is called, and moving the brain's own press to its target sends no second
// time what was sent in another way. A page without a form has no state of one that could be the same.
func secondSubmit(j *Journal) []found {
	return eachReplaced(func(j *Journal, i int, s *cua.Step, r cua.Ruling, say sayer) {
		send, sends := j.sends(i)
		if coded(r, cua.DismissOverlay) || !sends && r.Gate != "force_submit" {
			return
		}
		retargets, now := coded(r, cua.RetargetClick), j.before(i)
		for k := i - 1; k >= 0; k-- {
			earlier, then := &j.Steps[k], j.before(k)
			first, sent := j.sends(k)
			by, _ := earlier.Ruled()
			if !sent && by.Gate != "force_submit" || then.FormDigest != now.FormDigest {
				continue
			}
			gates := earlier.Substituted() && retargets == coded(by, cua.RetargetClick) &&
				then.Document == now.Document && then.FormKey() == now.FormKey() &&
				(first.Form == send.Form || first.Form == "" || send.Form == "")
			answered := !retargets && now.FormDigest != "" && first.Signature == send.Signature &&
				slices.ContainsFunc(earlier.After.Writes, cua.Write.OK)
			if answered || gates && !coded(by, cua.DismissOverlay) && !j.moved(k, i) {
				say("sent the form once more, as step %d had, with its fields as they were then", earlier.N)
				return
			}
		}
	})(j)
}

// moved says whether a step from index i to before index k is known to have changed the page.
func (j *Journal) moved(i, k int) bool {
	return slices.ContainsFunc(j.sampled()[i:k], func(s cua.Sample) bool { return s.Progress })
}
