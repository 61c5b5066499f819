package runner

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
)

// Placebo gives nudges at fixed steps without a signal, as if the page were frozen. It is the control for the
// effect of being nudged at all. The zero value leaves nudges to the signals.
type Placebo struct {
	// Every is the number of steps between two nudges if At is nil; 0 is no nudge.
	Every int `json:"every,omitzero"`
	// At are the levels of the nudges by step, from step 1, each 0 to recovery.LastWarning; 0 is no nudge.
	At []int `json:"at,omitzero"`
}

// Validate reports what is out of range.
func (p Placebo) Validate() error {
	if p.Every < 0 {
		return fmt.Errorf("placebo.every must be at least 0, not %d", p.Every)
	}
	if slices.ContainsFunc(p.At, func(l int) bool { return l < 0 || l > recovery.LastWarning }) {
		return fmt.Errorf("placebo.at: each must be 0 to %d, not %v", recovery.LastWarning, p.At)
	}
	return nil
}

// level is the level of the nudge of step n, from 1; 0 is none.
func (p Placebo) level(n int) int {
	switch {
	case n <= len(p.At):
		return p.At[n-1]
	case p.At == nil && p.Every > 0 && n%p.Every == 0:
		return min(n/p.Every, recovery.LastWarning)
	}
	return 0
}

// placebo is the advisor nudge, timed by Placebo.
type placebo struct {
	Placebo
	nudge recovery.Nudge
}

// timed is the nudge, or its placebo if p has any steps.
func nudgeOrPlacebo(n recovery.Nudge, p Placebo) Advisor {
	if p.Every == 0 && p.At == nil {
		return n
	}
	return placebo{Placebo: p, nudge: n}
}

// hintRun is the run in the text of a placebo's hint: the one at which loop shapes become soft.
const hintRun = 3

// Advise is the note of the step; nil for most steps.
func (p placebo) Advise(t *cua.Turn) []cua.Note {
	level := p.level(t.Number)
	if level == 0 {
		return nil
	}
	run := [...]int{hintRun, p.nudge.Config.Instruct, p.nudge.Config.Warn}[level-1]
	sig := &cua.Signal{Shape: cua.ShapeFrozen, Level: cua.Soft, Run: max(1, min(run, len(t.History.Steps)))}
	return []cua.Note{p.nudge.Say(t, sig, level)}
}

// Nudged is c with nudges on signals; false if c is no placebo of that.
func (c Config) Nudged() (Config, bool) {
	if !c.Toggles.Nudge || reflect.DeepEqual(c.Placebo, Placebo{}) {
		return c, false
	}
	out := c.clone()
	out.Placebo = Placebo{}
	return out, true
}

// AsNudged is the placebo c with as many nudges as the steps had, of the same levels in the same order, at
// steps drawn with seed. It is c itself if there are no steps.
func (c Config) AsNudged(steps []cua.Step, seed uint64) Config {
	if len(steps) == 0 {
		return c
	}
	var levels []int
	for i := range steps {
		for _, n := range steps[i].Notes {
			if n.From == recovery.NudgeName {
				levels = append(levels, n.Level)
			}
		}
	}
	drawn := rand.New(rand.NewPCG(seed, 0)).Perm(len(steps))[:min(len(levels), len(steps))]
	slices.Sort(drawn)
	at := make([]int, len(steps))
	for i, step := range drawn {
		at[step] = levels[i]
	}
	out := c.clone()
	out.Placebo = Placebo{At: at}
	return out
}
