package brain

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// fault is one way to err. apply turns a decision into what the faulty brain says
// instead, and false where the fault has nothing to change; a nil apply modifies the
// other faults.
type fault struct {
	name  string
	help  string
	apply func(t *cua.Turn, d cua.Decision) (cua.Decision, bool)
}

// nudgeObedience is the one name that makes a brain err less.
const nudgeObedience = "nudge_obedience"

// faults is the table of all of them, in the order in which they are tried: the first
// that changes a decision is the only one of its step.
func faults() []fault {
	return []fault{
		{"click_fixation", "instead of typing, click the field again", clickAgain},
		{nudgeObedience, "how often a step that carries a nudge is free of faults", nil},
	}
}

// FaultHelp is one fault's name and line of help.
type FaultHelp struct {
	Name string `json:"name"`
	Help string `json:"help"`
}

// FaultList lists what ParseFault knows.
func FaultList() []FaultHelp {
	var out []FaultHelp
	for _, f := range faults() {
		out = append(out, FaultHelp{f.name, f.help})
	}
	return out
}

// FaultRate says how often a fault strikes where it can: 0 is never, 1 always.
type FaultRate struct {
	Name string  `json:"name"`
	Rate float64 `json:"rate"`
}

// ParseFault reads name=rate. An unknown name is an error that lists the known ones.
func ParseFault(s string) (FaultRate, error) {
	name, num, ok := strings.Cut(s, "=")
	name = strings.TrimSpace(name)
	if !ok {
		return FaultRate{}, fmt.Errorf("brain: fault %q: want name=rate, as click_fixation=0.5", s)
	}
	rate, err := strconv.ParseFloat(strings.TrimSpace(num), 64)
	if err != nil {
		return FaultRate{}, fmt.Errorf("brain: fault %s: rate %q is no number", name, num)
	}
	f := FaultRate{Name: name, Rate: rate}
	return f, f.check()
}

func (f FaultRate) check() error {
	var known []string
	for _, k := range faults() {
		known = append(known, k.name)
	}
	if !slices.Contains(known, f.Name) {
		return fmt.Errorf("brain: unknown fault %q; known: %s", f.Name, strings.Join(known, ", "))
	}
	if !(f.Rate >= 0 && f.Rate <= 1) { // so written, it refuses NaN too
		return fmt.Errorf("brain: fault %s: rate must be 0 to 1, not %v", f.Name, f.Rate)
	}
	return nil
}

// Faults are the faults of one brain in one episode.
type Faults struct {
	// Rates are the faults and how often each strikes; one that is not listed never does,
	// and without nudge_obedience nudges are not followed. The last of a name counts.
	Rates []FaultRate `json:"rates,omitzero"`
	// Seed makes the episode's chance: equal seeds err at the same step numbers.
	Seed int64 `json:"seed"`
}

func (f Faults) rate(name string) float64 {
	r := 0.0
	for _, x := range f.Rates {
		if x.Name == name {
			r = x.Rate
		}
	}
	return r
}

// Faulty is a brain that errs: see WithFaults.
type Faulty struct {
	brain  Brain
	faults Faults
}

// WithFaults wraps b so that it errs at the given rates. Whether a fault strikes is a function
// of (seed, step number, fault), so a repeated or resumed episode errs alike. In a turn with a
// note from "nudge" no fault strikes with the probability nudge_obedience: the brain followed
// the nudge. By keeps the inner brain's name. The error is that of a bad rate.
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
	if err != nil || d.Failure != nil || d.Refused {
		return d, err
	}
	if nudged(t) && f.strikes(t.Number, nudgeObedience) {
		return d, nil
	}
	for _, x := range faults() {
		if x.apply == nil || !f.strikes(t.Number, x.name) {
			continue
		}
		if spoiled, ok := x.apply(t, d); ok {
			return spoiled, nil
		}
	}
	return d, nil
}

func nudged(t *cua.Turn) bool {
	return slices.ContainsFunc(t.Notes, func(n cua.Note) bool { return n.From == "nudge" })
}

// strikes draws from (seed, step number, name).
func (f *Faulty) strikes(step int, name string) bool {
	rate := f.faults.rate(name)
	if rate <= 0 {
		return false
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(uint64(f.faults.Seed), h.Sum64()^uint64(step)*0x9E3779B97F4A7C15)).Float64() < rate
}

// clickAgain presses the field that the text would have gone into.
func clickAgain(t *cua.Turn, d cua.Decision) (cua.Decision, bool) {
	if d.Action.Kind != cua.Type {
		return d, false
	}
	p, ok := typedInto(t, d.Action)
	if !ok {
		return d, false
	}
	d.Action = cua.Action{Kind: cua.Click, Point: &p}
	d.Thought = "the field needs its value; clicking the field"
	return d, true
}

// typedInto is a point of the field that a type goes into: where it clicks first, else the
// field it names, else the focused one.
func typedInto(t *cua.Turn, a cua.Action) (cua.Point, bool) {
	if a.Point != nil {
		return *a.Point, true
	}
	if a.Mark > 0 || a.Into != "" {
		for _, m := range t.Now.Marks {
			if m.N == a.Mark && a.Mark > 0 || m.ID == a.Into {
				return inView(m.Box, t.Now.Viewport)
			}
		}
		for _, f := range t.Now.Fields {
			if f.ID == a.Into {
				return inView(f.Box, t.Now.Viewport)
			}
		}
		return cua.Point{}, false
	}
	if t.Now.Focus == nil {
		return cua.Point{}, false
	}
	return inView(t.Now.Focus.Box, t.Now.Viewport)
}

// inView is the centre of the part of b that lies in the viewport; false when none does.
// The zero viewport is unknown and shows everything.
func inView(b cua.Box, view cua.Size) (cua.Point, bool) {
	if b.Empty() {
		return cua.Point{}, false
	}
	if view == (cua.Size{}) {
		return b.Center(), true
	}
	x0, x1 := max(b.X, 0), min(b.X+b.W, float64(view.W))
	y0, y1 := max(b.Y, 0), min(b.Y+b.H, float64(view.H))
	if x1-x0 < 1 || y1-y0 < 1 {
		return cua.Point{}, false
	}
	return cua.Point{X: (x0 + x1) / 2, Y: (y0 + y1) / 2}, true
}
