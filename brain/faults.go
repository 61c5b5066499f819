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

// fault is one kind of error that a faulty brain makes.
type fault struct {
	name string
	help string
	// px is the default magnitude, CSS pixels; 0 means that the fault has no magnitude.
	px float64
	// values are the accepted values of a name that takes a word instead of a rate.
	values []string
	// apply returns the changed decision, or false if the fault has nothing to change. A nil apply marks a
	// name that modifies the other faults.
	apply func(s stroke) (cua.Decision, bool)
}

// stroke is one opportunity for a fault. The result is a function of turn, decision, seed and step number.
// It reads earlier steps from the history and keeps no state.
type stroke struct {
	turn *cua.Turn
	said cua.Decision // what the wrapped brain decided
	px   float64
	// chance is seeded by the seed, the step number and the name of the fault.
	chance *rand.Rand
	faults Faults
}

// instead is the decision with action a. It returns false if a changes nothing or is not possible.
func (s stroke) instead(a cua.Action, thought string) (cua.Decision, bool) {
	if reflect.DeepEqual(a, s.said.Action) || a.Validate(s.turn.Now.Viewport) != nil {
		return s.said, false
	}
	d := s.said
	d.Action, d.Thought = a, thought
	return d, true
}

// Names that the code refers to.
const (
	// nudgeObedience is the rate at which the brain follows nudges and lessons.
	nudgeObedience = "nudge_obedience"
	pageCycler     = "page_cycler"
	// stubborn is an alias of nudge_obedience=0.
	stubborn = "stubborn"
	// wordsName selects the thoughts: see Faults.Words.
	wordsName = "words"
)

// Default magnitudes, CSS pixels.
const (
	// defaultMiss is more than half the diagonal of an ordinary button (110 × 40), so it always misses such a
	// button. A field of height 38 that is as wide as its form is missed at four of five angles. For the 123
	// controls that a brain without faults pressed on pages of the embedded suites, 82 % of all angles miss
	// and 16 % hit another control. A distance of 100 would miss 92 %, a distance of 30 would miss 58 %.
	defaultMiss   = 60
	defaultJitter = 5
)

// maxPx is the largest accepted magnitude. A larger one would leave any viewport.
const maxPx = 500

// faults is the table of all faults in the order in which they are tried. At most one applies per step:
// the first that changes the decision.
func faults() []fault {
	return []fault{
		// jumpy is first because it reacts to the nudge, and the other faults ignore it.
		{name: "jumpy", apply: jump,
			help: "after a nudge, click the button nearest to the last press, whatever it does"},
		{name: "click_fixation", apply: clickAgain, help: "instead of typing, click the field again"},
		{name: "return_submitter", apply: pressReturn,
			help: "press Return in the field instead of moving to the next one or pressing submit"},
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
			help: "say done with success after any action, until a done is refused"},
		{name: "repeat_last", apply: repeatLast, help: "repeat the last action instead of the next one"},
		{name: "malformed", apply: garble, help: "return a reply that cannot be parsed"},
		{name: nudgeObedience, help: "the share of steps without a fault among those with a nudge, or with a " +
			"lesson about what the fault would do"},
		{name: wordsName, values: wordsValues(), help: "the thought of every step, with or without a fault: " +
			"kept names the true target, none says nothing, wrong names another control, negated says " +
			"that it must not press the true target; without it each fault says what it does"},
	}
}

// Faults are the faults of one brain in one episode.
type Faults struct {
	// Rates are the faults and their rates. A fault that is not listed never occurs. Without
	// nudge_obedience neither nudges nor lessons are followed. If a name occurs twice, the last one
	// counts.
	Rates []FaultRate `json:"rates,omitzero"`
	// Words selects the thoughts of all decisions: kept, none, wrong or negated. With "" a fault describes
	// what it does, and a press that misses keeps the thought of the wrapped brain.
	Words string `json:"words,omitzero"`
	// Seed determines the random values: equal seeds err in the same way at the same step numbers.
	Seed int64 `json:"seed"`
}

// Add adds a rate that ParseFault returned.
func (f *Faults) Add(r FaultRate) {
	if r.Name == wordsName {
		f.Words = r.Words
		return
	}
	f.Rates = append(f.Rates, r)
}

// None reports whether f changes nothing.
func (f Faults) None() bool { return len(f.Rates) == 0 && f.Words == "" }

// check returns an error for an unknown fault, a rate out of range, or an unknown value of words.
func (f Faults) check() error {
	for _, r := range f.Rates {
		if r.Name == wordsName {
			return fmt.Errorf("brain: fault %s takes no rate: set the field %s instead", wordsName, wordsName)
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

// of is the rate of that name, or the zero FaultRate.
func (f Faults) of(name string) FaultRate {
	var out FaultRate
	for _, x := range f.Rates {
		if x.Name == name {
			out = x
		}
	}
	return out
}

// chance is a generator seeded by seed, step number and name. Step 0 stands for the whole episode.
func (f Faults) chance(step int, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(uint64(f.Seed), h.Sum64()^uint64(step)*0x9E3779B97F4A7C15))
}

// occurs reports whether the fault occurs at that step, and returns the generator for its details.
func (f Faults) occurs(step int, name string) (*rand.Rand, bool) {
	rate := f.of(name).Rate
	if rate <= 0 {
		return nil, false
	}
	r := f.chance(step, name)
	return r, r.Float64() < rate
}

// followsNudge reports whether the brain follows the nudge among the notes of that step; false without one.
func (f Faults) followsNudge(step int, notes []cua.Note) bool {
	if !slices.ContainsFunc(notes, isNudge) {
		return false
	}
	_, ok := f.occurs(step, nudgeObedience)
	return ok
}

// followsLesson reports whether the brain follows a lesson of the turn about the mistake; false without such
// a lesson. Lessons are followed as often as nudges.
func (f Faults) followsLesson(t *cua.Turn, mistake cua.Action) bool {
	origin := cua.Origin(t.Now.URL)
	if !slices.ContainsFunc(t.Lessons, func(l cua.Lesson) bool {
		return l.Origin == origin && l.About(mistake.Kind)
	}) {
		return false
	}
	_, ok := f.occurs(t.Number, nudgeObedience)
	return ok
}

// Faulty is a brain that makes errors: see WithFaults.
type Faulty struct {
	brain  Brain
	faults Faults
}

// WithFaults wraps b with faults at the given rates. Whether a fault occurs is a function of seed, step
// number and fault, so a repeated or resumed episode errs in the same way.
//
// A turn with a nudge has no fault with the probability nudge_obedience: the brain followed the nudge.
// jumpy reacts to a nudge that is not followed. A lesson of the turn about what a fault would do prevents
// the fault with the same probability. A fault of two steps (page_cycler) always completes its second
// step.
//
// Decision.By keeps the wrapped brain's name. WithFaults returns an error for an invalid rate or unknown
// words.
func WithFaults(b Brain, f Faults) (*Faulty, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	return &Faulty{brain: b, faults: f}, nil
}

// Decide asks the wrapped brain and may replace its answer by a fault.
func (f *Faulty) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	d, err := f.brain.Decide(ctx, t)
	if err != nil || d.Refused {
		return d, err
	}
	out := f.faults.speak(t, d, f.faults.spoil(t, d))
	out.Sent = d.Sent
	return out, nil
}

// spoil is the decision after the faults, or d if none occurs.
func (f Faults) spoil(t *cua.Turn, d cua.Decision) cua.Decision {
	if back, ok := f.comeBack(t, d); ok {
		return back
	}
	if d.Failure != nil || f.followsNudge(t.Number, t.Notes) {
		return d
	}
	for _, x := range faults() {
		if x.apply == nil {
			continue
		}
		chance, ok := f.occurs(t.Number, x.name)
		if !ok {
			continue
		}
		px := f.of(x.name).Px
		if px == 0 {
			px = x.px
		}
		if spoiled, ok := x.apply(stroke{turn: t, said: d, px: px, chance: chance, faults: f}); ok {
			if f.followsLesson(t, spoiled.Action) {
				return d
			}
			return spoiled
		}
	}
	return d
}

// Extract asks the wrapped brain for plan values (runner.Extractor). Faults affect decisions only. It
// returns an error if the wrapped brain has no Extract.
func (f *Faulty) Extract(ctx context.Context, goal string) ([]cua.PlanValue, error) {
	return extract(ctx, f.brain, goal)
}

// KeepIn passes dir to the wrapped brain (see KeepIn).
func (f *Faulty) KeepIn(dir string) { KeepIn(f.brain, dir) }

// Close closes the wrapped brain (see Close).
func (f *Faulty) Close() error { return Close(f.brain) }
