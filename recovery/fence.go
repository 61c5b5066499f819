package recovery

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// The reasons for which policy refuses what no rewind undoes.
const (
	// ReasonDone: the same was sent already, with the form as it is now, and was answered well.
	ReasonDone = "irreversible_done"
	// ReasonFence: the rewind would go back past a step that sent something that was answered well. The
	// ruling's Evidence are the numbers of those steps.
	ReasonFence = string(cua.IrreversibleFence)
	// ReasonBudget: brain and gates have gone back as often as they may.
	ReasonBudget = "rewind_budget"
)

// RewindBudget is how often brain and gates may go back. The zero value holds nobody.
type RewindBudget struct {
	// Incident is for each incident; Episode for all, until somebody goes on with fresh counters.
	Incident, Episode int
}

// spent says why no more may be made now; "" when one may.
func (b RewindBudget) spent(t *cua.Turn) string {
	if b.Episode == 0 {
		return ""
	}
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
	case t.Incident != nil && here >= b.Incident:
		return fmt.Sprintf("%d times since step %d, where it got stuck", here, t.Incident.First)
	case all >= b.Episode:
		return fmt.Sprintf("%d times", all)
	}
	return ""
}

// irreversible refuses what cannot be undone, and what cannot be done twice; false has nothing against p. All steps
// count, also those that a rewind undid: the server does not know of rewinds.
func (g Policy) irreversible(t *cua.Turn, p cua.Proposal) (cua.Ruling, bool) {
	refuse := func(reason, detail string, evidence []int) (cua.Ruling, bool) {
		return cua.Ruling{Gate: g.Name(), Verdict: cua.Refuse, Reason: reason, Detail: detail, Evidence: evidence}, true
	}
	if p.Action.Kind == cua.Rewind {
		if spent := g.Stuck.Budget.spent(t); spent != "" && p.By != cua.Person {
			return refuse(ReasonBudget, "not gone back: it was done "+spent+
				", and that is as often as it may be. Go on from the page as it is, or say done with success=false and why it cannot be done", nil)
		}
		sent := t.History.Sent(p.Action.Step)
		if len(sent) == 0 || g.Config.AllowCrossing || p.By == cua.Person && p.Action.Accept {
			return cua.Ruling{}, false
		}
		return refuse(ReasonFence, fmt.Sprintf("not gone back: step %d sent something that the server keeps (%s), and nobody consented to going back past it",
			sent[0], answers(t.History, sent[0])), sent)
	}
	if n := doneBefore(t, p); n > 0 {
		return refuse(ReasonDone, fmt.Sprintf("not done again: step %d did this with the form as it is now, and the server took it (%s)", n, answers(t.History, n)), []int{n})
	}
	return cua.Ruling{}, false
}

// doneBefore is the number of a step that sent the form that p would send, from the state that the form is in now, and was
// answered well; 0 is none. A form without a field that could be filled has no such state, and what goes on in a list
// or counts may be pressed again and again. Nor is it the same act once somebody has filled the form in again, or where the
// answer asked to sign in first. To sign in again does nothing twice: rejected is the rule for that.
func doneBefore(t *cua.Turn, p cua.Proposal) int {
	now, ok := cua.SendOf(&t.Now, p.Action, p.Target)
	if !ok || now.Form == "" || signsIn(t.Now, now.Form) || cua.SaysOnward(p.Target.Name) || !fillable(t.Now.Fields, now.Form) {
		return 0
	}
	for _, was := range slices.Backward(t.Evidence.Sends) {
		if !was.OK || was.FormKey != now.FormKey || was.Signature != now.Signature {
			continue
		}
		before, s := t.History.Before(was.Step), &t.History.Steps[was.Step]
		switch {
		case hasPassword(s.After) && !hasPassword(before):
		case typedSince(t.History, was.Step, now.Form):
			return 0
		default:
			return s.N
		}
	}
	return 0
}

// typedSince says whether a step after index i put something into a field of the form.
func typedSince(h cua.History, i int, form string) bool {
	return slices.ContainsFunc(h.Steps[i+1:], func(s cua.Step) bool {
		if s.Action == nil || s.Failure != nil || s.Action.Kind != cua.Type && s.Action.Kind != cua.Select {
			return false
		}
		f := s.After.FieldByID(cmp.Or(s.Action.Into, s.Target.Field, s.Target.ID))
		if f == nil {
			f = s.After.Focus // what is typed without a place goes there
		}
		return f != nil && f.Form == form
	})
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

// fillable says whether the form has a field that somebody could fill in.
func fillable(fields []cua.Field, form string) bool {
	return slices.ContainsFunc(fields, func(f cua.Field) bool { return f.Form == form && !f.Disabled && !f.ReadOnly })
}

// answers say what a step sent and what the server answered, without what may be secret in addresses.
func answers(h cua.History, n int) string {
	s := step(h, n)
	if s == nil {
		return ""
	}
	var out []string
	for _, w := range s.After.Writes {
		if w.OK() {
			out = append(out, fmt.Sprintf("%s %s: status %d", w.Method, line(cua.PublicURL(w.URL)), w.Status))
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}
