package recovery

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// The rules of policy on what cannot be undone. All steps count, also those that a rewind undid: the server
// does not know of rewinds.

// RewindBudget is how often brain and gates may go back. The zero value holds nobody.
type RewindBudget struct {
	// Incident is for each incident; Episode for all, until somebody goes on with fresh counters.
	Incident, Episode int
}

// spent says why no more may be made now; "" when one may.
func (b RewindBudget) spent(t *cua.Turn) string {
	all, here := 0, 0
	for _, s := range fresh(t.History) {
		if !isRewind(&s) || s.By == cua.Person {
			continue
		}
		if all++; t.Incident != nil && s.N >= t.Incident.First {
			here++
		}
	}
	switch {
	case b.Episode == 0:
		return ""
	case t.Incident != nil && here >= b.Incident:
		return fmt.Sprintf("%d times since step %d, where it got stuck", here, t.Incident.First)
	case all >= b.Episode:
		return fmt.Sprintf("%d times", all)
	}
	return ""
}

// goingBack refuses a rewind beyond the budget, and one past a send that the server keeps.
func (g Policy) goingBack(t *cua.Turn, p cua.Proposal) cua.Ruling {
	if p.Action.Kind != cua.Rewind {
		return pass(g.Name())
	}
	if spent := g.Stuck.Budget.spent(t); spent != "" && p.By != cua.Person {
		return g.refuse(ReasonBudget, nil, "not gone back: it was done %s, and that is as often as it may "+
			"be. Go on from the page as it is, or say done with success=false and why it cannot be done", spent)
	}
	sent := t.History.Sent(p.Action.Step)
	if len(sent) == 0 || g.Config.AllowCrossing || p.By == cua.Person && p.Action.Accept {
		return pass(g.Name())
	}
	return g.refuse(ReasonFence, sent, "not gone back: step %d sent something that the server keeps (%s), "+
		"and nobody consented to going back past it", sent[0], answers(step(t.History, sent[0])))
}

// sendingAgain refuses what was sent from the form's present state and answered well. A form without a field
// to fill has no state, and what goes on in a list or counts may be pressed again. It is another act once
// somebody has filled the form in again, or where the answer asked to sign in first. Signing in again does
// nothing twice: rejected is the rule for that.
func (g Policy) sendingAgain(t *cua.Turn, p cua.Proposal) cua.Ruling {
	now, ok := cua.SendOf(&t.Now, p.Action, p.Target)
	if !ok || !fillable(t.Now, now.Form) || signsIn(t.Now, now.Form) || cua.SaysOnward(p.Target.Name) {
		return pass(g.Name())
	}
	for _, was := range slices.Backward(t.Evidence.Sends) {
		if !was.OK || was.FormKey != now.FormKey || was.Signature != now.Signature {
			continue
		}
		before, s := t.History.Before(was.Step), &t.History.Steps[was.Step]
		switch {
		case hasPassword(s.After) && !hasPassword(before):
		case slices.ContainsFunc(t.History.Steps[was.Step+1:], fillsIn(now.Form)):
			return pass(g.Name())
		default:
			return g.refuse(ReasonDone, []int{s.N}, "not done again: step %d did this with the form as it is "+
				"now, and the server took it (%s)", s.N, answers(s))
		}
	}
	return pass(g.Name())
}

// fillsIn says of a step whether it put something into a field of the form.
func fillsIn(form string) func(cua.Step) bool {
	return func(s cua.Step) bool {
		if s.Action == nil || s.Failure != nil || s.Action.Kind != cua.Type && s.Action.Kind != cua.Select {
			return false
		}
		// What is typed without a place goes where the focus is.
		f := cmp.Or(s.After.FieldByID(cmp.Or(s.Action.Into, s.Target.Field, s.Target.ID)), s.After.Focus)
		return f != nil && f.Form == form
	}
}

func hasPassword(o cua.Observation) bool {
	return slices.ContainsFunc(o.Fields, func(f cua.Field) bool { return f.Type == "password" })
}

// signsIn says whether the form only asks who somebody is: one password, and one other text at most.
func signsIn(o cua.Observation, form string) bool {
	count := map[bool]int{} // by whether it is a password
	for _, f := range o.Fields {
		if f.Form == form && f.TakesText() {
			count[f.Type == "password"]++
		}
	}
	return count[true] == 1 && count[false] <= 1
}

// fillable says whether there is such a form, and it has a field that somebody could fill in.
func fillable(o cua.Observation, form string) bool {
	return slices.ContainsFunc(o.Fields, func(f cua.Field) bool {
		return form != "" && f.Form == form && !f.Disabled && !f.ReadOnly
	})
}

// answers say what s sent and what the server answered, without what may be secret in addresses.
func answers(s *cua.Step) string {
	var out []string
	for _, w := range s.After.Writes {
		if w.OK() {
			url := cua.OneLine(cua.PublicURL(w.URL))
			out = append(out, fmt.Sprintf("%s %s: status %d", w.Method, url, w.Status))
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}
