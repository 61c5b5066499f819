package invariants

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Journal is what invariants read: a trajectory, and what only its records and its bytes tell.
type Journal struct {
	*trajectories.Trajectory
	// Records are those that could be read, in order, also the one that the grammar refused and those
	// after it, which are not part of the trajectory. Nil leaves the grammar unchecked.
	Records []*trajectories.Record
	// Text are the journal's bytes.
	Text []byte
	// Secrets are values by name that must not be in Text; none leaves secret_in_clear unchecked.
	Secrets map[string]string

	samples []cua.Sample
	config  *checkedConfig
}

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
	// lacks says what is not known of a journal that would have to be; "" is nothing. Nil never lacks anything.
	lacks func(*Journal) string
}

// found is a violation whose invariant is known.
type found struct {
	step   int
	detail string
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

// All lists all of them in the order in which they are documented.
func All() []Invariant {
	return []Invariant{
		{Name: "typed_twice", check: typedTwice, Source: "recovery: form controller",
			Help: "no gate types a value into a field that holds it, nor a second time into one that showed no other value since"},
		{Name: "kept_values", check: keptValues, Source: "recovery: form controller; rules that bind every rung",
			Help: "no planned value is added to itself in the field that holds it before two refusals, and none is refused that the field does not hold"},
		{Name: "wrong_field", check: wrongField, Source: "recovery: loop recovery, rule 1; form controller, matching",
			Help: "no gate types a planned value into the field of another one, past its own field, or a secret into a field that is none"},
		{Name: "secret_off_field", check: secretOffField, Source: "recovery: policy; browser: secrets",
			Help: "nobody types <secret:NAME> anywhere but into a field that asks for it"},
		{Name: "secret_off_origin", check: secretOffOrigin, Source: "recovery: policy; browser: secrets",
			Help: "nobody types <secret:NAME> on another site than the start page's and those that the task lists"},
		{Name: "secret_in_clear", check: secretInClear, lacks: secretsUnknown, Source: "trajectory: journal; browser: secrets",
			Help: "no value of a secret is in the journal: as it is, escaped, URL-encoded, as base64 or as a digest"},
		{Name: "second_submit", check: secondSubmit, Source: "recovery: force_submit; memory: irreversible fence",
			Help: "no gate sends a form twice in one state, nor repeats what was sent and answered well"},
		{Name: "return_once", check: returnOnce, Source: "recovery: rules that bind every rung",
			Help: "Return is substituted at most once for each state of a form"},
		{Name: "reason_codes", check: reasonCodes, Source: "recovery: loop_recovery_reason; trajectory: RunResult",
			Help: "each substitution of loop recovery or the ladder has a known code, each code a substitution of its kind, and the counts agree"},
		{Name: "first_ruling_wins", check: firstRulingWins, Source: "recovery: the chain",
			Help: "at most one gate rules with force, it is the last that was asked, and what was dispatched is what it ruled"},
		{Name: "gates_all_asked", check: gatesAllAsked, Source: "recovery: the chain; policy, always on",
			Help: "the gates that were asked are those of the header up to the one that decided, and limits and policy are among them"},
		{Name: "signal_behind_rule", check: signalBehindRule, Source: "recovery: loop recovery, breaker, ladder; loops: a signal",
			Help: "no loop recovery and no rung without a soft signal on the step (or, for a click that is brought home, as many misses in vain), no stop without a hard one, and evidence is of steps before"},
		{Name: "end_agrees", check: endAgrees, Source: "design: end reasons; recovery: limits",
			Help: "the end is what the last step came to, its success follows from it, and no step is made after one that ends or past the cap"},
		{Name: "done_too_early", check: doneTooEarly, Source: "recovery: done-acceptance gate",
			Help: "no done is accepted with a blank answer, a plan that does not show or a planned value that was never in the page"},
		{Name: "off_list", check: offList, Source: "recovery: policy; browser: security",
			Help: "nobody opens an address outside the allow-list, nor a private one that is not listed with its port"},
		{Name: "never_unasked", check: neverUnasked, Source: "recovery: rules that bind every rung; form controller; ladder, dismiss_overlay",
			Help: "no gate presses what costs, removes, gives up or agrees, unless the brain aimed at it or named it, or the task plans it"},
		{Name: "stop_after_warning", check: stopAfterWarning, Source: "recovery: breaker, rules that bind every rung",
			Help: "no stop before a last warning and three steps after a substitution, no third refusal in a row at one state"},
		{Name: "mistakes_in_order", check: mistakesInOrder, Source: "memory: mistake tracker",
			Help: "a note after as many failures as the config says, no second one and no end without a success or as many again, one of both a step"},
		{Name: "repeats_counted", check: repeatsCounted, Source: "memory: repeat guard",
			Help: "each recorded repeat is what the steps before it come to, none is missing, and its feedback ends with the note"},
		{Name: "rung_once", check: rungOnce, Source: "recovery: rules that bind every rung",
			Help: "no reason code is used again in an incident where it had no effect, nor on an origin where it failed in two"},
		{Name: "incident_outcomes", check: incidentOutcomes, Source: "loops: incidents",
			Help: "each incident has exactly one outcome once the episode has ended, and no step is in two"},
		{Name: "pauses", check: pauses, Source: "memory: spiral breaker",
			Help: "a pause is one that a gate ruled, nobody takes over or goes on where no person or policy says so, and what goes on names what had stopped it"},
		{Name: "rewinds_capped", check: rewindsCapped, Source: "memory: rollback, budget",
			Help: "brain and gates go back at most as often as the config says, in an incident and until somebody goes on with fresh counters"},
		{Name: "fence", check: fence, Source: "memory: irreversible fence",
			Help: "no rewind goes back past a step that sent something that was answered well"},
		{Name: "grammar", check: grammatical, Source: "trajectory: journal",
			Help: "records stand in their order, steps are numbered, each intent has its step and its very action"},
	}
}

// checkedConfig are the fields of a recorded config that bound what is promised.
type checkedConfig struct {
	Shadow  []string `json:"shadow"`
	FormCtl struct {
		Attempts int `json:"attempts"`
		Refusals int `json:"refusals"` // 0 also in a journal of before there was such a gate
	} `json:"formctl"`
	Detector struct {
		Streak struct {
			From int `json:"from"`
		} `json:"streak"`
	} `json:"detector"`
	Recovery struct {
		Attended bool   `json:"attended"`
		OnSpiral string `json:"on_spiral"` // "" in a journal of before there was a policy: it halts
		Breaker  struct {
			MaxRefusals int `json:"max_refusals"`
		} `json:"breaker"`
		Ladder struct {
			Rewinds int `json:"rewinds"`
			Misses  int `json:"misses"` // 0 also in a journal of before clicks were brought home without a signal
		} `json:"ladder"`
		Mistakes struct {
			Run int `json:"run"`
		} `json:"mistakes"`
		Limits struct {
			MaxSteps  int `json:"max_steps"`
			MaxTokens int `json:"max_tokens"`
		} `json:"limits"`
		Policy struct {
			Allow   []string `json:"allow"`
			Open    bool     `json:"open"`
			Rewinds int      `json:"rewinds"` // 0 in a journal of before there was such a cap
		} `json:"policy"`
	} `json:"recovery"`
}

// bounds are those of the header's config; what it does not say is as in the arm default.
func (j *Journal) bounds() checkedConfig {
	if j.config == nil {
		c := &checkedConfig{}
		_ = json.Unmarshal(j.Header.Config, c) // a config that cannot be read bounds nothing
		if c.FormCtl.Attempts < 1 {
			c.FormCtl.Attempts = 1
		}
		if c.Recovery.Breaker.MaxRefusals < 1 {
			c.Recovery.Breaker.MaxRefusals = 2
		}
		if c.Detector.Streak.From < 1 {
			c.Detector.Streak.From = 3
		}
		if c.Recovery.Mistakes.Run < 1 {
			c.Recovery.Mistakes.Run = 3
		}
		j.config = c
	}
	return *j.config
}

// sampled are the samples of the whole history.
func (j *Journal) sampled() []cua.Sample {
	if j.samples == nil {
		j.samples = j.History().Samples()
	}
	return j.samples
}

// substitution is the ruling that put something else in the place of what the brain asked for.
func substitution(s *cua.Step) (cua.Ruling, bool) {
	r, ok := s.Ruled()
	return r, ok && s.Substituted()
}

// rescued says whether r is by one of the gates that answer for loop_recovery_reason.
func rescued(r cua.Ruling) bool { return r.Gate == "loop_recovery" || r.Gate == "ladder" }

// grammatical holds the records against the grammar, and what one record says of another.
func grammatical(j *Journal) []found {
	var out []found
	var g trajectories.Grammar
	var intent *trajectories.Intent
	for line, r := range j.Records {
		say := func(format string, args ...any) {
			out = append(out, found{g.Steps(), fmt.Sprintf("line %d: ", line+1) + fmt.Sprintf(format, args...)})
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
			if of := r.Event.Intent; r.Event.Kind == trajectories.InterruptedEvent && of != nil && intent != nil && (of.Number != intent.Number || !sameAct(of.Action, intent.Action)) {
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
