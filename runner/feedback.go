package runner

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
)

// feedback tells the brain about this step in its next turn: what was done instead of its proposal, what
// failed, what the verifier saw, and what the repeat guard counted.
func feedback(w *work) string {
	s := &w.step
	var says []string
	ruled, _ := s.Ruled()
	switch {
	case s.Failure != nil && s.Action == nil:
		says = append(says, fmt.Sprintf("%s was not done (%s): %s", asked(s.Proposed), s.Failure.Kind,
			s.Failure.Detail))
	case s.Failure != nil:
		says = append(says, fmt.Sprintf("%s failed (%s): %s", s.Action.Kind, s.Failure.Kind,
			s.Failure.Detail))
	case s.Substituted():
		says = append(says, fmt.Sprintf("instead of %s: %s (%s)", asked(s.Proposed), describe(*s.Action),
			ruled.Reason))
	}
	if back := rewound(s); back != "" {
		says = append(says, back)
	}
	if w.warning != "" {
		says = append(says, w.warning)
	}
	if w.outcome != nil {
		if w.outcome.Text != "" {
			says = append(says, w.outcome.Text)
		}
		for _, alert := range s.After.Alerts {
			says = append(says, "the page showed an alert, which was accepted: "+alert)
		}
		if d := s.After.Dialog; d != nil {
			says = append(says, fmt.Sprintf("a %s dialog is open: %s", d.Type, d.Message))
		}
		if s.After.PartialLoad {
			says = append(says, "the page did not finish loading and was stopped")
		}
		if s.After.NavError != "" {
			says = append(says, "the page could not be opened: "+s.After.NavError)
		}
	}
	if s.Repetition != nil {
		says = append(says, recovery.RepeatGuard{}.Sentence(*s.Action, *s.Repetition))
	}
	return strings.Join(says, "; ")
}

// asked is the kind of the proposal; a reply that could not be parsed has none.
func asked(a cua.Action) string { return cmp.Or(string(a.Kind), "your answer") }

// describe is an action in words, without typed values.
func describe(a cua.Action) string {
	switch a.Kind {
	case cua.Type:
		return "typed the planned value"
	case cua.Select:
		return "selected the planned option"
	case cua.Key:
		return "pressed " + a.Keys
	case cua.Scroll:
		return "scrolled"
	}
	return string(a.Kind)
}
