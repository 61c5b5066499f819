package invariants

import (
	"math"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// WrongKind is a way in which an intervention can be wrong.
type WrongKind string

// The kinds, in the order in which they are reported.
const (
	// WrongInField is a planned value in a field that is not its own (invariant wrong_field).
	WrongInField WrongKind = "wrong_field"
	// WrongTwice is a value put where it was already (invariant typed_twice).
	WrongTwice WrongKind = "typed_twice"
	// WrongReturn is a Return that nothing called for: in a state of the form in which it had been
	// pressed before, with planned values still missing in the form, in place of a click on what sends nothing, or in
	// place of one that had not been tried in vain.
	WrongReturn WrongKind = "needless_return"
	// WrongStop is an episode given up although one of the last three steps had reached something new.
	WrongStop WrongKind = "stopped_healthy"
)

// WrongKinds lists the kinds in that order.
func WrongKinds() []WrongKind { return []WrongKind{WrongInField, WrongTwice, WrongReturn, WrongStop} }

// Wrong is one wrong intervention.
type Wrong struct {
	Kind   WrongKind `json:"kind"`
	Step   int       `json:"step"`
	Detail string    `json:"detail"`
}

// WrongInterventions are those of t, by kind and step: what a configuration is to have few of. They
// are judged by the journal alone, in hindsight, and by one rule for every arm. A step is at most once of a kind.
func WrongInterventions(t *trajectories.Trajectory) []Wrong {
	j := &Journal{Trajectory: t}
	var out []Wrong
	add := func(kind WrongKind, all []found) {
		for _, f := range all {
			out = append(out, Wrong{kind, f.step, f.detail})
		}
	}
	add(WrongInField, eachReplaced(wrongField)(j))
	add(WrongTwice, eachReplaced(typedTwice)(j))
	add(WrongReturn, needlessReturns(j))
	add(WrongStop, each(healthyStops)(j))
	return out
}

// lately is how many steps back something new makes an episode healthy: the soft window of the detectors.
const lately = 3

func needlessReturns(j *Journal) []found {
	pressed := map[string]bool{} // states of forms in which Return was pressed, by whomever
	return each(func(j *Journal, i int, s *cua.Step, say sayer) {
		if s.Action == nil || !s.Action.PressesReturn() {
			return
		}
		before := j.before(i)
		again := pressed[before.FormKey()]
		pressed[before.FormKey()] = true
		r, _ := s.Ruled()
		switch {
		case !s.Substituted():
		case again:
			say("%s pressed Return: Return had been pressed in this state of the form", r.Gate)
		case missing(j.Header.Task, before, s):
			say("%s pressed Return: a planned value of the form was not in yet", r.Gate)
		case s.Target.Editable || s.Target.Field != "" || !j.wouldSend(i):
			say("%s pressed Return: what the brain clicked sends nothing", r.Gate)
		case !j.triedInVain(i):
			say("%s pressed Return: what the brain clicked had not been tried in vain", r.Gate)
		}
	})(j)
}

// wouldSend says whether step i was aimed at something that sends a form, by its own markup or name. Where the
// place of the click says nothing, the brain's words do, if the substitute led to something.
func (j *Journal) wouldSend(i int) bool {
	s := &j.Steps[i]
	if s.Target.Submit || cua.SaysSubmit(s.Target.Name) {
		return true
	}
	return (cua.SaysSubmit(s.Thought) || cua.SaysSubmit(s.Proposed.Why)) && j.sampled()[i].Progress
}

// missing says whether a visible field of the form that s sends is labelled as a planned value is and empty.
func missing(t cua.Task, o *cua.Observation, s *cua.Step) bool {
	state, _ := submission(o, s)
	return slices.ContainsFunc(o.Fields, func(f cua.Field) bool {
		return (state.form == "" || f.Form == state.form) && f.Editable && !f.Disabled && !f.ReadOnly && contentsOf(&f).blank() && owned(&f, t.Fields)
	})
}

// nearPx is how far two presses may lie apart, CSS px, to be of one thing where nothing was identified.
const nearPx = 16

// triedInVain says whether what step i was aimed at was tried before, and had no effect when it was tried last.
func (j *Journal) triedInVain(i int) bool {
	aim, at := &j.Steps[i].Target, proposedPoint(&j.Steps[i])
	for k := i - 1; k >= 0; k-- {
		s := &j.sampled()[k]
		q := proposedPoint(s.Step)
		near := at != nil && q != nil && math.Abs(at.X-q.X) <= nearPx && math.Abs(at.Y-q.Y) <= nearPx
		if s.Acting && !s.Step.Substituted() && (aim.ID != "" && s.Step.Target.ID == aim.ID || near) {
			return !s.Progress
		}
	}
	return false
}

// gotSomewhere says whether one of the last acting steps or waits before step i reached something new. Looks in
// between are how what was reached is read, and not counted; the same look at the same page once more is.
func (j *Journal) gotSomewhere(i int) bool {
	n := 0
	for k := i - 1; k >= 0 && n < lately; k-- {
		s := &j.sampled()[k]
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

// abandoned says whether step i led to a page that the run had come to before, on a way that a rewind took back: new
// to the live steps, and nothing new to the run.
func (j *Journal) abandoned(i int) bool {
	s := &j.sampled()[i]
	return s.After != s.Before && slices.ContainsFunc(j.sampled()[:i], func(o cua.Sample) bool { return o.After == s.After })
}

// seenBefore says whether step i is a look without effect that had been made since anything else was done.
func (j *Journal) seenBefore(i int) bool {
	samples := j.sampled()
	look := func(s *cua.Sample) bool {
		return s.Step.Dispatched() && !s.Acting && s.Action.Kind.ReadOnly() && s.Idle() && s.Before == s.After
	}
	if !look(&samples[i]) {
		return false
	}
	for k := i - 1; k >= 0 && (look(&samples[k]) || !samples[k].Step.Dispatched()); k-- {
		if samples[k].Step.Dispatched() && samples[k].Signature == samples[i].Signature {
			return true
		}
	}
	return false
}

func healthyStops(j *Journal, i int, s *cua.Step, say sayer) {
	if r, ok := s.Ruled(); ok && stops(r) && j.gotSomewhere(i) {
		say("%s stopped the episode: one of the last steps had led to something new", r.Gate)
	}
}
