package brain

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// fault is one way to err.
type fault struct {
	name string
	help string
	// px is the magnitude of a fault that has one where none is given, CSS pixels; 0 takes none.
	px float64
	// apply is what the faulty brain says instead, and false where the fault has nothing to
	// change. Nil modifies the other faults.
	apply func(s stroke) (cua.Decision, bool)
}

// stroke is one chance to err. What a fault does is a function of it, and it of turn, decision,
// seed and step number: what went before is read in the history and kept nowhere.
type stroke struct {
	turn *cua.Turn
	said cua.Decision // what the wrapped brain decided
	px   float64
	// chance is this step's and this fault's own.
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
	// nudgeObedience is the one name that makes a brain err less.
	nudgeObedience = "nudge_obedience"
	pageCycler     = "page_cycler"
	// stubborn is a name for nudge_obedience=0.
	stubborn = "stubborn"
)

// Magnitudes where none is given, CSS pixels.
const (
	defaultMiss   = 18 // beyond the edge: outside of what a click may be off by and still hit
	defaultJitter = 5
)

// maxPx bounds a magnitude: more leaves any viewport.
const maxPx = 500

// faults is the table of all of them, in the order in which they are tried: the first
// that changes a decision is the only one of its step.
func faults() []fault {
	return []fault{
		// First: it answers the nudge, the others go on as though there were none.
		{name: "jumpy", help: "after a nudge, click the button nearest to where the last press was, whatever it does", apply: jump},
		{name: "click_fixation", help: "instead of typing, click the field again", apply: clickAgain},
		{name: "return_submitter", help: "press Return in the field instead of going on to the next one or pressing submit", apply: pressReturn},
		{name: "off_target", px: defaultMiss, help: "click this far beside the edge of what was aimed at", apply: missTarget},
		{name: "jitter", px: defaultJitter, help: "move the pointer's place at random, with this standard deviation", apply: shake},
		{name: "toggler", help: "undo what was just done: press the toggle or its opposite, empty the field", apply: undoLast},
		{name: pageCycler, help: "leave the page where something is to be done, and come back in the step after", apply: leavePage},
		{name: "early_done", help: "say done with success once something was tried, until a done was refused", apply: claimDone},
		{name: "repeat_last", help: "do again what was just done instead of what comes next", apply: repeatLast},
		{name: "malformed", help: "answer with what cannot be parsed", apply: garble},
		{name: nudgeObedience, help: "how often a step is free of faults that carries a nudge, or a lesson about what the fault would do"},
	}
}

// FaultHelp is one fault's name and line of help.
type FaultHelp struct {
	Name string `json:"name"`
	Help string `json:"help"`
	// Px is the magnitude where none is given, CSS pixels; 0 takes none.
	Px float64 `json:"px,omitzero"`
	// Same is the fault and rate that the name alone stands for; "" is a fault with a rate of its own.
	Same string `json:"same_as,omitzero"`
}

// Syntax is how to ask for the fault: name=RATE, name=RATE@PX where it has a magnitude, or the name alone.
func (h FaultHelp) Syntax() string {
	switch {
	case h.Same != "":
		return h.Name
	case h.Px == 0:
		return h.Name + "=RATE"
	}
	return h.Name + "=RATE@PX"
}

// FaultList lists what ParseFault knows.
func FaultList() []FaultHelp {
	var out []FaultHelp
	for _, f := range faults() {
		out = append(out, FaultHelp{Name: f.name, Help: f.help, Px: f.px})
	}
	return append(out, FaultHelp{Name: stubborn, Same: nudgeObedience + "=0",
		Help: "follow no nudge and no lesson: so it is too where nudge_obedience is not given"})
}

// FaultRate says how often a fault strikes where it can: 0 is never, 1 always.
type FaultRate struct {
	Name string  `json:"name"`
	Rate float64 `json:"rate"`
	// Px is the magnitude of a fault that has one, CSS pixels, up to 500; 0 is the fault's own.
	Px float64 `json:"px,omitzero"`
}

// ParseFault reads name=rate or, for a fault with a magnitude, name=rate@px; stubborn, which has no rate, is read as
// nudge_obedience=0. An unknown name is an error that lists the known ones.
func ParseFault(s string) (FaultRate, error) {
	name, num, ok := strings.Cut(s, "=")
	name = strings.TrimSpace(name)
	switch {
	case name == stubborn && !ok:
		return FaultRate{Name: nudgeObedience}, nil
	case !ok:
		return FaultRate{}, fmt.Errorf("brain: fault %q: want name=rate, as click_fixation=0.5", s)
	}
	num, size, sized := strings.Cut(num, "@")
	rate, err := strconv.ParseFloat(strings.TrimSpace(num), 64)
	if err != nil {
		return FaultRate{}, fmt.Errorf("brain: fault %s: rate %q is no number", name, num)
	}
	f := FaultRate{Name: name, Rate: rate}
	if sized {
		if f.Px, err = strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(size), "px"), 64); err != nil {
			return FaultRate{}, fmt.Errorf("brain: fault %s: pixels %q is no number", name, size)
		}
		if f.Px == 0 {
			return FaultRate{}, fmt.Errorf("brain: fault %s: pixels must be above 0 and at most %d, not 0", name, maxPx)
		}
	}
	return f, f.check()
}

func (f FaultRate) check() error {
	list := FaultList()
	i := slices.IndexFunc(list, func(k FaultHelp) bool { return k.Name == f.Name })
	switch {
	case i < 0:
		var known []string
		for _, k := range list {
			known = append(known, k.Name)
		}
		return fmt.Errorf("brain: unknown fault %q; known: %s", f.Name, strings.Join(known, ", "))
	case list[i].Same != "":
		return fmt.Errorf("brain: fault %s takes no rate: it is %s", f.Name, list[i].Same)
	case !(f.Rate >= 0 && f.Rate <= 1): // so written, it refuses NaN too
		return fmt.Errorf("brain: fault %s: rate must be 0 to 1, not %v", f.Name, f.Rate)
	case f.Px != 0 && list[i].Px == 0:
		return fmt.Errorf("brain: fault %s takes no pixels: want %s", f.Name, list[i].Syntax())
	case !(f.Px >= 0 && f.Px <= maxPx):
		return fmt.Errorf("brain: fault %s: pixels must be above 0 and at most %d, not %v", f.Name, maxPx, f.Px)
	}
	return nil
}

// Faults are the faults of one brain in one episode.
type Faults struct {
	// Rates are the faults and how often each strikes; one that is not listed never does,
	// and without nudge_obedience neither nudges nor lessons are followed. The last of a name counts.
	Rates []FaultRate `json:"rates,omitzero"`
	// Seed makes the episode's chance: equal seeds err at the same step numbers.
	Seed int64 `json:"seed"`
}

// of is what was asked for under that name; the zero FaultRate when nothing was.
func (f Faults) of(name string) FaultRate {
	var out FaultRate
	for _, x := range f.Rates {
		if x.Name == name {
			out = x
		}
	}
	return out
}

// chance draws from (seed, step number, name); step 0 is what holds for the whole episode.
func (f Faults) chance(step int, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(uint64(f.Seed), h.Sum64()^uint64(step)*0x9E3779B97F4A7C15))
}

// strikes says whether the fault strikes at that step, and with what further chance.
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

// remembers says whether the brain follows a lesson of that turn about what it would do by a fault; false without one.
// It follows lessons as often as nudges.
func (f Faults) remembers(t *cua.Turn, mistake cua.Action) bool {
	origin := cua.Origin(t.Now.URL)
	if !slices.ContainsFunc(t.Lessons, func(l cua.Lesson) bool { return l.Origin == origin && l.About(mistake.Kind) }) {
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

// WithFaults wraps b so that it errs at the given rates. Whether a fault strikes is a function
// of (seed, step number, fault), so a repeated or resumed episode errs alike. In a turn with a
// note from "nudge" no fault strikes with the probability nudge_obedience: the brain followed
// the nudge; a nudge that was not followed is what jumpy strikes at. With the same probability a fault leaves a step alone where a lesson of the turn is
// about what it would do, by origin and class of action: the brain remembered. A fault of two
// steps (page_cycler) is finished whatever strikes in the second.
// By keeps the inner brain's name. The error is that of a bad rate.
func WithFaults(b Brain, f Faults) (*Faulty, error) {
	for _, r := range f.Rates {
		if err := r.check(); err != nil {
			return nil, err
		}
	}
	return &Faulty{brain: b, faults: f}, nil
}

// Decide asks the wrapped brain and may spoil its answer.
func (f *Faulty) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	d, err := f.brain.Decide(ctx, t)
	if err != nil || d.Refused {
		return d, err
	}
	if back, ok := f.faults.comeBack(t, d); ok {
		return back, nil
	}
	if d.Failure != nil || f.faults.heeds(t.Number, t.Notes) {
		return d, nil
	}
	for _, x := range faults() {
		if x.apply == nil {
			continue
		}
		chance, ok := f.faults.strikes(t.Number, x.name)
		if !ok {
			continue
		}
		px := f.faults.of(x.name).Px
		if px == 0 {
			px = x.px
		}
		if spoiled, ok := x.apply(stroke{turn: t, said: d, px: px, chance: chance, faults: f.faults}); ok {
			if f.faults.remembers(t, spoiled.Action) {
				return d, nil
			}
			return spoiled, nil
		}
	}
	return d, nil
}

// Extract asks the wrapped brain, where it can read plan values out of a text (runner.Extractor); faults strike in
// decisions alone. It is an error where the brain cannot.
func (f *Faulty) Extract(ctx context.Context, goal string) ([]cua.PlanValue, error) {
	return extract(ctx, f.brain, goal)
}

// Close closes the wrapped brain (see Close).
func (f *Faulty) Close() error { return Close(f.brain) }
