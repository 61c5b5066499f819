package invariants

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Violation is one place at which an invariant does not hold.
type Violation struct {
	Invariant string `json:"invariant"`
	// Step is the number of the step; 0 is none.
	Step int `json:"step,omitzero"`
	// Detail says what was found, in one line. It may quote names that a page wrote, and no values.
	Detail string `json:"detail"`
}

// Invariant is a promise that each journal must keep, whatever the page and the brain did. It is
// judged from the journal alone, by none of the gates' code. Package cua says what an address or a send is.
type Invariant struct {
	Name string `json:"name"`
	// Source is the page of this repository that makes the promise, with its section.
	Source string `json:"source"`
	// check is pure.
	check func(*Journal) []Violation
	// lacks says what is not known of a journal that would have to be; "" is nothing. Nil lacks nothing.
	lacks func(*Journal) string
	// Help is the promise in one line.
	Help string `json:"help"`
}

// report collects violations of one invariant, which Check names.
type report []Violation

func (r *report) at(step int, format string, args ...any) {
	*r = append(*r, Violation{Step: step, Detail: fmt.Sprintf(format, args...)})
}

// sayer reports a violation at the step that is judged.
type sayer func(format string, args ...any)

// each is the check that judges every step.
func each(judge func(j *Journal, i int, s *cua.Step, say sayer)) func(*Journal) []Violation {
	return func(j *Journal) []Violation {
		var out report
		for i := range j.Steps {
			s := &j.Steps[i]
			judge(j, i, s, func(format string, args ...any) { out.at(s.N, format, args...) })
		}
		return out
	}
}

// replacementJudge judges step i, at which the gate of r put something else in the place of what the brain
// asked for.
type replacementJudge func(j *Journal, i int, s *cua.Step, r cua.Ruling, say sayer)

// eachReplaced is the check that judges every step with a replacement.
func eachReplaced(judge replacementJudge) func(*Journal) []Violation {
	return each(func(j *Journal, i int, s *cua.Step, say sayer) {
		if r, ok := s.Ruled(); ok && s.Substituted() {
			judge(j, i, s, r, say)
		}
	})
}

// Check says where j breaks the promise, and why that could not be told; "" when it could. Steps that were
// copied from another episode were made under the configuration of that one, with whose journal they are
// checked; but what the grammar says of them is reported here too.
func (in Invariant) Check(j *Journal) (broken []Violation, unchecked string) {
	if in.lacks != nil {
		unchecked = in.lacks(j)
	}
	broken = in.check(j)
	if in.Name != "grammar" {
		broken = slices.DeleteFunc(broken, func(v Violation) bool { return j.Header.Forked(v.Step) })
	}
	for i := range broken {
		broken[i].Invariant = in.Name
	}
	return broken, unchecked
}

// All lists the invariants in the order in which they are documented.
func All() []Invariant {
	return []Invariant{
		{"activation", "docs/recovery.md#safe-activation", eachReplaced(activation), nil,
			"no gate activates an actor that is not harmless and that the brain neither asked for nor named"},
		{"out_of_reach", "docs/recovery.md#safe-activation", eachReplaced(outOfReach), nil,
			"no gate acts under a cover, under a JavaScript dialog, or outside the open modal dialog"},
		{"typed_twice", "docs/forms.md#what-is-done", eachReplaced(typedTwice), nil,
			"no gate types a value into a field that holds it, or again without another value in between"},
		{"wrong_field", "docs/forms.md#which-field-a-value-belongs-in", eachReplaced(wrongField), nil,
			"no gate types a planned value past its own field, or so that another field takes it"},
		{"secret_off_field", "SECURITY.md#what-is-promised", each(secretOffField), nil,
			"nobody types <secret:NAME> anywhere but into a field that asks for it"},
		{"secret_off_origin", "docs/forms.md#secrets", each(secretOffOrigin), nil,
			"nobody types <secret:NAME> on another site than the start page's and those of the task"},
		{"secret_in_clear", "SECURITY.md#what-is-promised", secretInClear, secretsUnknown,
			"no value of a secret is in the journal: plain, escaped, encoded or as a digest"},
		{"rejected_credentials", "docs/recovery.md#rejected-credentials", rejectedCredentials, nil,
			"nobody sends a secret after two rejected sends, before somebody continues with fresh counters"},
		{"second_submit", "docs/memory.md#rewind", secondSubmit, nil,
			"no gate sends a form twice in one state, nor repeats what was sent and answered well"},
		{"uncertain_send", "docs/uncertain-sends.md", uncertainSend, nil,
			"nobody sends a form again that an interrupted step may have sent, before somebody was asked"},
		{"reason_codes", "docs/recovery.md#the-rescue-table", reasonCodes, nil,
			"each rescue has a known code, each code an action of its kind, and the counts agree"},
		{"first_ruling_wins", "docs/recovery.md#the-chain", each(firstRulingWins), nil,
			"one gate at most rules with force, it is the last that was asked, and its ruling is done"},
		{"gates_all_asked", "docs/recovery.md#the-chain", gatesAllAsked, nil,
			"the gates of the header are asked once each, in order, up to the one that decided"},
		{"signal_behind_rule", "docs/recovery.md#the-rescue-table", signalBehindRule, nil,
			"no rescue but scroll_page without a soft signal, no stop without a hard one; evidence is past"},
		{"end_agrees", "docs/recovery.md#the-chain", endAgrees, nil,
			"the end is the outcome of the last step, and no step follows one that ends, or the cap"},
		{"done_too_early", "docs/recovery.md#the-done-gate", each(doneTooEarly), nil,
			"no done with a blank answer, a plan that does not show or a value that was never in the page"},
		{"done_beside_error", "docs/recovery.md#the-done-gate", each(doneBesideError), nil,
			"no done while the form that was sent last is still there with an invalid field"},
		{"off_list", "SECURITY.md#what-is-promised", each(offList), nil,
			"nobody opens an address off the allow-list, or a private one that is not listed with its port"},
		{"stop_after_warning", "docs/recovery.md#the-chain", stopAfterWarning, nil,
			"no stop before a last warning, none right after a replacement; no third refusal at one state"},
		{"mistakes_in_order", "docs/memory.md#mistake-tracker", mistakesInOrder, nil,
			"a note after a run of failures, and the end after a run more without a success"},
		{"rescue_once", "docs/recovery.md#rules-outside-the-rows", rescueOnce, nil,
			"no reason code again in an incident where it failed, or on an origin where it failed in two"},
		{"incident_outcomes", "docs/detection.md#how-to-ask", incidentOutcomes, nil,
			"each incident has exactly one outcome once the episode has ended, and no step is in two"},
		{"pauses", "docs/memory.md#stuck-for-good", pauses, nil,
			"a gate ruled each pause, and nobody continues where no person or policy says so"},
		{"rewinds_capped", "docs/memory.md#rewind", each(rewindsCapped), nil,
			"brain and gates go back at most as often as the config says"},
		{"fence", "docs/memory.md#rewind", each(fence), nil,
			"no rewind goes back past a step that sent something that was answered well"},
		{"grammar", "docs/trajectories.md", grammatical, nil,
			"records stand in their order, steps are numbered, each intent has its step and its action"},
	}
}

// rescued reports whether r is by the gate that answers for loop_recovery_reason; version 1 had two.
func rescued(r cua.Ruling) bool {
	return r.Gate == "rescue" || r.Gate == "loop_recovery" || r.Gate == "ladder"
}

// grammatical holds the records against the grammar, and what one record says of another.
func grammatical(j *Journal) []Violation {
	var out report
	var g trajectories.Grammar
	var intent *cua.Intent
	for line, r := range j.Records {
		say := func(format string, args ...any) {
			out.at(g.Steps(), "line %d: %s", line+1, fmt.Sprintf(format, args...))
		}
		if err := g.Accept(r); err != nil {
			say("%v", err)
			return out // whatever follows is out of step
		}
		switch r.Type {
		case trajectories.IntentRecord:
			intent = r.Intent
		case trajectories.StepRecord:
			if a := r.Step.Action; intent != nil && (a == nil || !sameAct(intent.Action, *a)) {
				say("step %d dispatched something else than its intent says (%s)",
					r.Step.N, intent.Action.Kind)
			}
			intent = nil
		case trajectories.EventRecord:
			of := r.Event.Intent
			if of != nil && intent != nil && r.Event.Kind == trajectories.InterruptedEvent &&
				(of.Number != intent.Number || !sameAct(of.Action, intent.Action)) {
				say("the interrupted intent of step %d is not the one that was open", of.Number)
			}
			intent = nil
		case trajectories.EndRecord:
			if n := r.End.Totals.Steps; n != g.Steps() {
				say("the end counts %d steps, there are %d", n, g.Steps())
			}
		}
	}
	return out
}

// sameAct compares actions as they are recorded.
func sameAct(a, b cua.Action) bool {
	a.Files, b.Files = append([]string{}, a.Files...), append([]string{}, b.Files...)
	return reflect.DeepEqual(a, b)
}
