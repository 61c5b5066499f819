package invariants

import (
	"fmt"
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
// judged from the journal alone, by none of the code that is to keep it.
type Invariant struct {
	Name string `json:"name"`
	Help string `json:"help"`
	// Source is where the spec makes the promise.
	Source string `json:"source"`
	// check is pure.
	check func(*Journal) []found
	// lacks says what is not known of a journal that would have to be; "" is nothing. Nil never lacks
	// anything.
	lacks func(*Journal) string
}

// found is a violation whose invariant is known.
type found struct {
	step   int
	detail string
}

// report collects what is found.
type report []found

func (r *report) at(step int, format string, args ...any) {
	*r = append(*r, found{step, fmt.Sprintf(format, args...)})
}

// sayer reports a violation at the step that is judged.
type sayer func(format string, args ...any)

// each is the check that judges every step.
func each(judge func(j *Journal, i int, s *cua.Step, say sayer)) func(*Journal) []found {
	return func(j *Journal) []found {
		var out report
		for i := range j.Steps {
			s := &j.Steps[i]
			judge(j, i, s, func(format string, args ...any) { out.at(s.N, format, args...) })
		}
		return out
	}
}

// eachReplaced is the check that judges every step in which a gate put something else in the place of what
// the brain asked for; the ruling is the gate's.
func eachReplaced(judge func(j *Journal, i int, s *cua.Step, r cua.Ruling, say sayer)) func(*Journal) []found {
	return each(func(j *Journal, i int, s *cua.Step, say sayer) {
		if r, ok := s.Ruled(); ok && s.Substituted() {
			judge(j, i, s, r, say)
		}
	})
}

// Check says where j breaks the promise, and why that could not be told; "" when it could.
func (in Invariant) Check(j *Journal) (broken []Violation, unchecked string) {
	if in.lacks != nil {
		unchecked = in.lacks(j)
	}
	for _, f := range in.check(j) {
		broken = append(broken, Violation{in.Name, f.step, f.detail})
	}
	return broken, unchecked
}

// All lists the invariants in the order in which they are documented.
func All() []Invariant {
	return []Invariant{
		{Name: "activation", check: eachReplaced(activation), Source: "recovery: safe activation",
			Help: "no gate activates an actor that the brain did not ask for, unless it is harmless by both its names, or named alone"},
		{Name: "out_of_reach", check: eachReplaced(outOfReach), Source: "recovery: safe activation; dismiss_overlay",
			Help: "no gate presses or types under a cover, under a JavaScript dialog, or outside the modal dialog that is open"},
		{Name: "typed_twice", check: eachReplaced(typedTwice), Source: "recovery: form controller",
			Help: "no gate types a value into a field that holds it, nor a second time into one that showed no other value since"},
		{Name: "wrong_field", check: eachReplaced(wrongField), Source: "recovery: form controller, matching",
			Help: "no gate types a planned value into the field of another one, past its own field, or so that another field takes it"},
		{Name: "secret_off_field", check: each(secretOffField), Source: "recovery: policy; browser: secrets",
			Help: "nobody types <secret:NAME> anywhere but into a field that asks for it"},
		{Name: "secret_off_origin", check: each(secretOffOrigin), Source: "recovery: policy; browser: secrets",
			Help: "nobody types <secret:NAME> on another site than the start page's and those that the task lists"},
		{Name: "secret_in_clear", check: secretInClear, lacks: secretsUnknown, Source: "trajectory: journal; browser: secrets",
			Help: "no value of a secret is in the journal: as it is, escaped, URL-encoded, as base64 or as a digest"},
		{Name: "rejected_credentials", check: rejectedCredentials, Source: "recovery: done gate, rejected credentials",
			Help: "nobody sends a secret again after two sends that were rejected, before somebody goes on with fresh counters"},
		{Name: "second_submit", check: secondSubmit, Source: "recovery: force_submit; memory: irreversible fence",
			Help: "no gate sends a form twice in one state, nor repeats what was sent and answered well"},
		{Name: "reason_codes", check: reasonCodes, Source: "recovery: reason codes; trajectory: RunResult",
			Help: "each ruling of the rescue table has a known code, each code an action of its kind, and the counts agree"},
		{Name: "first_ruling_wins", check: each(firstRulingWins), Source: "recovery: the chain",
			Help: "at most one gate rules with force, it is the last that was asked, and what was dispatched is what it ruled"},
		{Name: "gates_all_asked", check: gatesAllAsked, Source: "recovery: the chain",
			Help: "the gates that were asked are those of the header up to the one that decided, in the chain's order, each once"},
		{Name: "signal_behind_rule", check: signalBehindRule, Source: "recovery: rescue table, breaker; loops: a signal",
			Help: "no rescue without a soft signal on the step but scroll_page, no stop without a hard one, and evidence is of steps before"},
		{Name: "end_agrees", check: endAgrees, Source: "design: end reasons; recovery: limits",
			Help: "the end is what the last step came to, its success follows from it, and no step is made after one that ends or past the cap"},
		{Name: "done_too_early", check: each(doneTooEarly), Source: "recovery: done gate",
			Help: "no done is accepted with a blank answer, a plan that does not show or a planned value that was never in the page"},
		{Name: "done_beside_error", check: each(doneBesideError), Source: "recovery: done gate, form_shows_error",
			Help: "no done is accepted while the form that was sent last is still there with a field that the page shows as invalid"},
		{Name: "off_list", check: each(offList), Source: "recovery: policy; browser: security",
			Help: "nobody opens an address outside the allow-list, nor a private one that is not listed with its port"},
		{Name: "stop_after_warning", check: stopAfterWarning, Source: "recovery: breaker; rules outside the rows",
			Help: "no stop before a last warning and three steps after a replacement, no third refusal in a row at one state"},
		{Name: "mistakes_in_order", check: mistakesInOrder, Source: "memory: mistake tracker",
			Help: "a note after as many failures as the config says, no second one and no end without a success or as many again, one of both a step"},
		{Name: "repeats_counted", check: repeatsCounted, Source: "memory: repeat guard",
			Help: "each recorded repeat is what the steps before it come to, none is missing, and its feedback ends with the note"},
		{Name: "rescue_once", check: rescueOnce, Source: "recovery: rules outside the rows",
			Help: "no reason code is used again in an incident where it had no effect, nor on an origin where it failed in two"},
		{Name: "incident_outcomes", check: incidentOutcomes, Source: "loops: incidents",
			Help: "each incident has exactly one outcome once the episode has ended, and no step is in two"},
		{Name: "pauses", check: pauses, Source: "memory: spiral breaker",
			Help: "a pause is one that a gate ruled, nobody takes over or goes on where no person or policy says so, and what goes on names what had stopped it"},
		{Name: "rewinds_capped", check: each(rewindsCapped), Source: "memory: rollback, budget",
			Help: "brain and gates go back at most as often as the config says, in an incident and until somebody goes on with fresh counters"},
		{Name: "fence", check: each(fence), Source: "memory: irreversible fence",
			Help: "no rewind goes back past a step that sent something that was answered well"},
		{Name: "grammar", check: grammatical, Source: "trajectory: journal",
			Help: "records stand in their order, steps are numbered, each intent has its step and its very action"},
	}
}

// rescued says whether r is by the gate that answers for loop_recovery_reason; version 1 had two.
func rescued(r cua.Ruling) bool {
	return r.Gate == "rescue" || r.Gate == "loop_recovery" || r.Gate == "ladder"
}

// grammatical holds the records against the grammar, and what one record says of another.
func grammatical(j *Journal) []found {
	var out report
	var g trajectories.Grammar
	var intent *trajectories.Intent
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
				say("step %d dispatched something else than its intent says (%s)", r.Step.N, intent.Action.Kind)
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
	point := func(p, q *cua.Point) bool { return p == nil && q == nil || p != nil && q != nil && *p == *q }
	if !point(a.Point, b.Point) || !point(a.To, b.To) || !slices.Equal(a.Files, b.Files) {
		return false
	}
	a.Point, a.To, a.Files, b.Point, b.To, b.Files = nil, nil, nil, nil, nil, nil
	return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b)
}
