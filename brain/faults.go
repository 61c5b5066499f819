package brain

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// fault is one way to err.
type fault struct {
	name string
	help string
	// px is the default magnitude of a fault that has one, CSS pixels; 0 is a fault without one.
	px float64
	// values are the values of a name that takes a word in place of a rate.
	values []string
	// apply returns the spoiled decision, or false where the fault has nothing to change. Nil is a
	// name that modifies the other faults.
	apply func(s stroke) (cua.Decision, bool)
}

// stroke is one chance to err. What a fault does is a function of turn, decision, seed and step
// number; it reads what happened before in the history and keeps no state.
type stroke struct {
	turn *cua.Turn
	said cua.Decision // what the wrapped brain decided
	px   float64
	// chance is drawn from the seed, the step number and the name of the fault.
	chance *rand.Rand
	faults Faults
}

// instead is the decision with another action; false where that is no change or cannot be done.
func (s stroke) instead(a cua.Action, thought string) (cua.Decision, bool) {
	if reflect.DeepEqual(a, s.said.Action) || a.Validate(s.turn.Now.Viewport) != nil {
		return s.said, false
	}
	d := s.said
	d.Action, d.Thought = a, thought
	return d, true
}

// The names that code asks for.
const (
	// nudgeObedience makes a brain err less.
	nudgeObedience = "nudge_obedience"
	pageCycler     = "page_cycler"
	// stubborn is a name for nudge_obedience=0.
	stubborn = "stubborn"
	// wordsName selects the thoughts: see Faults.Words.
	wordsName = "words"
)

// Default magnitudes, CSS pixels.
const (
	// defaultMiss is more than half the diagonal of an ordinary button (110 × 40), so that such a button is
	// always missed. A field that is 38 high and as wide as its form is missed at four angles of five. Of 123
	// controls that a brain without faults pressed on pages of the embedded suites, 82 % of all angles miss
	// and 16 % hit another control. A distance of 100 would miss 92 %, one of 30 would miss 58 %.
	defaultMiss   = 60
	defaultJitter = 5
)

// maxPx bounds a magnitude: more leaves any viewport.
const maxPx = 500

// faults is the table of all faults in the order in which they are tried. The first one that changes
// a decision is the only one of its step.
func faults() []fault {
	return []fault{
		// jumpy is first: it reacts to the nudge, the other faults ignore it.
		{name: "jumpy", apply: jump,
			help: "after a nudge, click the button nearest to the last press, whatever it does"},
		{name: "click_fixation", apply: clickAgain, help: "instead of typing, click the field again"},
		{name: "return_submitter", apply: pressReturn,
			help: "press Return in the field instead of going on to the next one or pressing submit"},
		{name: "off_target", px: defaultMiss, apply: missTarget,
			help: "press this far from the intended point, at a random angle; on the embedded suites the " +
				"default misses the control at 82 % of the angles and hits another one at 16 %"},
		{name: "jitter", px: defaultJitter, apply: shake,
			help: "move the press at random, with this standard deviation on each axis"},
		{name: "toggler", apply: undoLast,
			help: "undo the last action: press the toggle or its opposite, empty the field"},
		{name: pageCycler, apply: leavePage,
			help: "leave the page instead of acting, and come back in the next step"},
		{name: "early_done", apply: claimDone,
			help: "say done with success once something was tried, until a done was refused"},
		{name: "repeat_last", apply: repeatLast, help: "repeat the last action instead of the next one"},
		{name: "malformed", apply: garble, help: "give an answer that cannot be parsed"},
		{name: nudgeObedience, help: "how often a step is free of faults that carries a nudge, or a lesson " +
			"about what the fault would do"},
		{name: wordsName, values: wordsValues(), help: "what the brain says it thinks, in every step, spoiled or " +
			"not: kept names the true target, none says nothing, wrong names another control, negated " +
			"says that " +
			"it must not press the true target; without it each fault says what it does"},
	}
}

// Faults are the faults of one brain in one episode.
type Faults struct {
	// Rates are the faults and how often each strikes. A fault that is not listed never strikes, and
	// without nudge_obedience neither nudges nor lessons are followed. The last of a name counts.
	Rates []FaultRate `json:"rates,omitzero"`
	// Words selects the thoughts of all decisions: kept, none, wrong or negated. "" leaves them alone:
	// a fault says what it does, and a press that misses says what the wrapped brain said.
	Words string `json:"words,omitzero"`
	// Seed makes the episode's chance: equal seeds err alike at the same step numbers.
	Seed int64 `json:"seed"`
}

// Add adds what ParseFault read.
func (f *Faults) Add(r FaultRate) {
	if r.Name == wordsName {
		f.Words = r.Words
		return
	}
	f.Rates = append(f.Rates, r)
}

// None says whether a brain with f is the brain without it.
func (f Faults) None() bool { return len(f.Rates) == 0 && f.Words == "" }

// check is an error where a rate or the words are not among the known ones.
func (f Faults) check() error {
	for _, r := range f.Rates {
		if r.Name == wordsName {
			return fmt.Errorf("brain: fault %s has no rate: want it as the field %s", wordsName, wordsName)
		}
		if err := r.check(); err != nil {
			return err
		}
	}
	if f.Words == "" {
		return nil
	}
	return FaultRate{Name: wordsName, Words: f.Words}.check()
}

// of is the rate under that name; the zero FaultRate where there is none.
func (f Faults) of(name string) FaultRate {
	var out FaultRate
	for _, x := range f.Rates {
		if x.Name == name {
			out = x
		}
	}
	return out
}

// chance draws from seed, step number and name; step 0 stands for the whole episode.
func (f Faults) chance(step int, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(uint64(f.Seed), h.Sum64()^uint64(step)*0x9E3779B97F4A7C15))
}

// strikes says whether the fault strikes at that step, and returns the rest of its chance.
func (f Faults) strikes(step int, name string) (*rand.Rand, bool) {
	rate := f.of(name).Rate
	if rate <= 0 {
		return nil, false
	}
	r := f.chance(step, name)
	return r, r.Float64() < rate
}

// heeds says whether the brain follows the nudge among the notes of that step; false without one.
func (f Faults) heeds(step int, notes []cua.Note) bool {
	if !slices.ContainsFunc(notes, isNudge) {
		return false
	}
	_, ok := f.strikes(step, nudgeObedience)
	return ok
}

// remembers says whether the brain follows a lesson of that turn about what the fault would do; false
// without one. It follows lessons as often as nudges.
func (f Faults) remembers(t *cua.Turn, mistake cua.Action) bool {
	origin := cua.Origin(t.Now.URL)
	if !slices.ContainsFunc(t.Lessons, func(l cua.Lesson) bool {
		return l.Origin == origin && l.About(mistake.Kind)
	}) {
		return false
	}
	_, ok := f.strikes(t.Number, nudgeObedience)
	return ok
}

// Faulty is a brain that errs: see WithFaults.
type Faulty struct {
	brain  Brain
	faults Faults
}

// WithFaults wraps b so that it errs at the given rates. Whether a fault strikes is a function of seed,
// step number and fault, so a repeated or resumed episode errs alike.
//
// A turn with a nudge is free of faults with the probability nudge_obedience: the brain followed the
// nudge. A nudge that was not followed is what jumpy reacts to. A lesson of the turn about what a fault
// would do prevents the fault with the same probability. A fault of two steps (page_cycler) is finished
// whatever strikes in the second step.
//
// By keeps the wrapped brain's name. The error is that of a bad rate or of unknown words.
func WithFaults(b Brain, f Faults) (*Faulty, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	return &Faulty{brain: b, faults: f}, nil
}

// Decide asks the wrapped brain and may spoil its answer.
func (f *Faulty) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	d, err := f.brain.Decide(ctx, t)
	if err != nil || d.Refused {
		return d, err
	}
	out := f.faults.speak(t, d, f.faults.spoil(t, d))
	out.Sent = d.Sent
	return out, nil
}

// spoil is the decision after the faults: d itself where none strikes.
func (f Faults) spoil(t *cua.Turn, d cua.Decision) cua.Decision {
	if back, ok := f.comeBack(t, d); ok {
		return back
	}
	if d.Failure != nil || f.heeds(t.Number, t.Notes) {
		return d
	}
	for _, x := range faults() {
		if x.apply == nil {
			continue
		}
		chance, ok := f.strikes(t.Number, x.name)
		if !ok {
			continue
		}
		px := f.of(x.name).Px
		if px == 0 {
			px = x.px
		}
		if spoiled, ok := x.apply(stroke{turn: t, said: d, px: px, chance: chance, faults: f}); ok {
			if f.remembers(t, spoiled.Action) {
				return d
			}
			return spoiled
		}
	}
	return d
}

// Extract asks the wrapped brain, where it can read plan values from a text (runner.Extractor). Faults
// strike decisions only. It is an error where the brain cannot.
func (f *Faulty) Extract(ctx context.Context, goal string) ([]cua.PlanValue, error) {
	return extract(ctx, f.brain, goal)
}

// KeepIn tells the wrapped brain (see KeepIn).
func (f *Faulty) KeepIn(dir string) { KeepIn(f.brain, dir) }

// Close closes the wrapped brain (see Close).
func (f *Faulty) Close() error { return Close(f.brain) }
