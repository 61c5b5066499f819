package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/invariants"
)

// Wrong is one wrong intervention.
type Wrong struct {
	Kind   benchmarks.WrongKind `json:"kind"`
	Step   int                  `json:"step"`
	Detail string               `json:"detail"`
}

// WrongInterventions are those of t, by kind and step: what a configuration is to have few of. They are
// judged by the journal alone, in hindsight, and by one rule for every arm. A step is at most once of a kind.
func WrongInterventions(t *trajectories.Trajectory) []Wrong {
	var out []Wrong
	j := &invariants.Journal{Trajectory: t}
	for _, in := range invariants.All() {
		if in.Name != string(benchmarks.WrongInField) && in.Name != string(benchmarks.WrongTwice) {
			continue
		}
		broken, _ := in.Check(j)
		for _, v := range broken {
			out = append(out, Wrong{benchmarks.WrongKind(in.Name), v.Step, v.Detail})
		}
	}
	slices.SortStableFunc(out, func(a, b Wrong) int {
		return slices.Index(benchmarks.WrongKinds(), a.Kind) - slices.Index(benchmarks.WrongKinds(), b.Kind)
	})
	h := hindsight{t, t.History().Samples()}
	return slices.Concat(out, h.needlessReturns(), h.healthyStops())
}

// hindsight is a trajectory with the outcome of its steps.
type hindsight struct {
	*trajectories.Trajectory
	samples []cua.Sample
}

// lately is how many steps back something new makes an episode healthy: the soft window of the detectors.
const lately = 3

func (j hindsight) needlessReturns() []Wrong {
	var out []Wrong
	h := j.History()
	pressed := map[string]bool{} // states of forms in which Return was pressed, by whomever
	for i := range j.Steps {
		s := &j.Steps[i]
		if s.Action == nil || !s.Action.PressesReturn() {
			continue
		}
		before := h.Before(i)
		again, why := pressed[before.FormKey()], ""
		pressed[before.FormKey()] = true
		switch {
		case !s.Substituted():
		case again:
			why = "Return had been pressed in this state of the form"
		case missing(j.Header.Task, &before, s):
			why = "a planned value of the form was not in yet"
		case s.Target.Editable || s.Target.Field != "" || !j.wouldSend(i):
			why = "what the brain clicked sends nothing"
		case !j.triedInVain(i):
			why = "what the brain clicked had not been tried without effect"
		}
		if r, _ := s.Ruled(); why != "" {
			out = append(out, Wrong{benchmarks.WrongReturn, s.N, fmt.Sprintf("%s pressed Return: %s", r.Gate,
				why)})
		}
	}
	return out
}

// wouldSend reports whether step i was aimed at something that sends a form, by its own markup or name. Where
// the place of the click says nothing, the brain's words do, if the substitute led to something.
func (j hindsight) wouldSend(i int) bool {
	s := &j.Steps[i]
	if s.Target.Submit || cua.SaysSubmit(s.Target.Name) {
		return true
	}
	return (cua.SaysSubmit(s.Thought) || cua.SaysSubmit(s.Proposed.Why)) && j.samples[i].Progress
}

// missing reports whether a visible field of the form that Return sends is labelled as a planned value is and
// empty.
func missing(t cua.Task, o *cua.Observation, s *cua.Step) bool {
	form := ""
	if f := cmp.Or(o.FieldByID(s.Action.Into), o.Focus); f != nil {
		form = f.Form
	}
	return slices.ContainsFunc(o.Fields, func(f cua.Field) bool {
		blank := f.ValueDigest == "" && f.Secret == "" && !f.Checked
		labelled := func(v cua.PlanValue) bool { return invariants.Labelled(&f, v.Label) }
		return (form == "" || f.Form == form) && f.Editable && !f.Disabled && !f.ReadOnly && blank &&
			slices.ContainsFunc(t.Fields, labelled)
	})
}

// sameThingPx is how far two presses may lie apart, CSS px, to be of one thing where nothing was identified.
const sameThingPx = 16

// triedInVain reports whether what step i was aimed at was tried before, and had no effect when it was tried
// last.
func (j hindsight) triedInVain(i int) bool {
	aim, at := &j.Steps[i].Target, aimedAt(&j.Steps[i])
	for k := i - 1; k >= 0; k-- {
		s := &j.samples[k]
		q := aimedAt(s.Step)
		near := at != nil && q != nil && math.Abs(at.X-q.X) <= sameThingPx &&
			math.Abs(at.Y-q.Y) <= sameThingPx
		if s.Acting && !s.Step.Substituted() && (aim.ID != "" && s.Step.Target.ID == aim.ID || near) {
			return !s.Progress
		}
	}
	return false
}

// gotSomewhere reports whether one of the last acting steps or waits before step i reached something new.
// Looks in between are how what was reached is read, and not counted; the same look at the same page once
// more is.
func (j hindsight) gotSomewhere(i int) bool {
	n := 0
	for k := i - 1; k >= 0 && n < lately; k-- {
		s := &j.samples[k]
		if !s.Acting && (s.Step.Action == nil || s.Step.Action.Kind != cua.Wait) && !j.seenBefore(k) {
			continue
		}
		if s.New && !j.abandoned(k) {
			return true
		}
		n++
	}
	return false
}

// abandoned reports whether step i led to a page that the run had come to before, on a way that a rewind took
// back: new to the live steps, and nothing new to the run.
func (j hindsight) abandoned(i int) bool {
	s := &j.samples[i]
	return s.After != s.Before && slices.ContainsFunc(j.samples[:i],
		func(o cua.Sample) bool { return o.After == s.After })
}

// seenBefore reports whether step i is a look without effect that had been made since anything else was done.
func (j hindsight) seenBefore(i int) bool {
	samples := j.samples
	look := func(s *cua.Sample) bool {
		return s.Step.HasAction() && !s.Acting && s.Action.Kind.ReadOnly() && s.Idle() && s.Before == s.After
	}
	if !look(&samples[i]) {
		return false
	}
	for k := i - 1; k >= 0 && (look(&samples[k]) || !samples[k].Step.HasAction()); k-- {
		if samples[k].Step.HasAction() && samples[k].Signature == samples[i].Signature {
			return true
		}
	}
	return false
}

// aimedAt is where s was aimed at; nil without a place.
func aimedAt(s *cua.Step) *cua.Point { return cmp.Or(s.Target.Point, s.Proposed.Point) }

func (j hindsight) healthyStops() []Wrong {
	var out []Wrong
	for i := range j.Steps {
		s := &j.Steps[i]
		if r, ok := s.Ruled(); ok && invariants.Stops(r) && j.gotSomewhere(i) {
			out = append(out, Wrong{benchmarks.WrongStop, s.N, r.Gate +
				" stopped the episode: one of the last steps had led to something new"})
		}
	}
	return out
}
