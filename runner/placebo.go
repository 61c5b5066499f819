package runner

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
)

// Placebo says at which steps nudges come without a signal, as if the page were frozen: a control for what a
// nudge does by being said at all. The zero one leaves nudges to the signals.
type Placebo struct {
	// Every is after how many steps the next one comes, where At is nil; 0 is none.
	Every int `json:"every,omitzero"`
	// At are the levels by step, from step 1 on, 0 to recovery.LastWarning; 0 is no nudge.
	At []int `json:"at,omitzero"`
}

// Validate says what is out of range.
func (p Placebo) Validate() error {
	if p.Every < 0 {
		return fmt.Errorf("placebo.every must be at least 0, not %d", p.Every)
	}
	if slices.ContainsFunc(p.At, func(l int) bool { return l < 0 || l > recovery.LastWarning }) {
		return fmt.Errorf("placebo.at: each must be 0 to %d, not %v", recovery.LastWarning, p.At)
	}
	return nil
}

// level is that of the nudge of step n, numbered from 1; 0 is none.
func (p Placebo) level(n int) int {
	switch {
	case n <= len(p.At):
		return p.At[n-1]
	case p.At == nil && p.Every > 0 && n%p.Every == 0:
		return min(n/p.Every, recovery.LastWarning)
	}
	return 0
}

// placebo is the advisor nudge with its nudges at the steps of Placebo.
type placebo struct {
	Placebo
	nudge recovery.Nudge
}

// timed is the nudge, or its placebo where p says when nudges come.
func timed(n recovery.Nudge, p Placebo) Advisor {
	if p.Every == 0 && p.At == nil {
		return n
	}
	return placebo{Placebo: p, nudge: n}
}

// hintRun is the run that a placebo's hint speaks of: the one at which loop shapes turn soft (spec: loops).
const hintRun = 3

// Advise is the note of the step; nil in most.
func (p placebo) Advise(t *cua.Turn) []cua.Note {
	level := p.level(t.Number)
	if level == 0 {
		return nil
	}
	run := [...]int{hintRun, p.nudge.Config.Instruct, p.nudge.Config.Warn}[level-1]
	sig := &cua.Signal{Shape: cua.ShapeFrozen, Level: cua.Soft, Run: max(1, min(run, len(t.History.Steps)))}
	return []cua.Note{p.nudge.Say(t, sig, level)}
}

// Nudged is c with nudges that follow the signals, where c is a placebo of that; false where it is none.
func (c Config) Nudged() (Config, bool) {
	if !c.Toggles.Nudge || reflect.DeepEqual(c.Placebo, Placebo{}) {
		return c, false
	}
	out := c.clone()
	out.Placebo = Placebo{}
	return out, true
}

// AsNudged is the placebo c with as many nudges as steps carried, of the same levels in the same order, at
// steps drawn by seed from as many; c itself where there are no steps.
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
