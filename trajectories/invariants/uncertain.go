package invariants

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// uncertainSend holds the sends after an interrupted one against its intent: the same form with the same
// digest is not sent again before somebody was asked and went on.
func uncertainSend(j *Journal) []Violation {
	var out report
	for k, e := range j.Events {
		in := e.Intent
		sends := e.Kind == trajectories.InterruptedEvent && in != nil && in.Submit
		if !sends || j.Header.Task.Idempotent || j.shown(k) {
			continue
		}
		for i := e.Step; i < len(j.Steps) && !j.consented(k, i); i++ {
			if j.sameSend(in, i) {
				out.at(j.Steps[i].N, "sent the form again that the interrupted step %d may have sent",
					in.Number)
			}
		}
	}
	return out
}

// sameSend reports whether step i sends what in may have sent: the same form with the same digest, or by the
// same action on the same control.
func (j *Journal) sameSend(in *cua.Intent, i int) bool {
	send, ok := j.sends(i)
	a := j.Steps[i].Action
	again := a != nil && a.Kind == in.Action.Kind && j.Steps[i].Target.ID == in.Target &&
		!j.Steps[i].Substituted()
	one := in.Form != "" || send.Signature == cua.Signature(in.Action, cua.Target{ID: in.Target})
	return (again || ok && one && send.Form == in.Form && send.Frame == in.Frame) &&
		j.before(i).FormDigest == in.FormDigest
}

// consented reports whether somebody went on between event k and step i, after the question.
func (j *Journal) consented(k, i int) bool {
	return slices.ContainsFunc(j.Events[k:], func(e trajectories.Event) bool {
		if !e.Kind.Fresh() || e.Step > i || e.Step == 0 {
			return false
		}
		r, _ := j.Steps[e.Step-1].Ruled()
		return r.Reason == cua.UncertainSend
	})
}

// shown reports whether the session after event k was led to another page, on which nothing can be filled in.
func (j *Journal) shown(k int) bool {
	was := j.Start.URL
	if n := j.Events[k].Step; n > 0 {
		was = j.Steps[n-1].After.URL
	}
	for _, e := range j.Events[k:] {
		if e.After != nil {
			return sheetOf(e.After.URL) != sheetOf(was) && !slices.ContainsFunc(e.After.Fields,
				cua.Field.TakesText)
		}
	}
	return false
}
