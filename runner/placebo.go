package runner

import (
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
)

// Nudged is c with nudges that follow the signals, where c is a placebo of that; false where it is none.
func (c Config) Nudged() (Config, bool) {
	if !c.Toggles.Nudge || reflect.DeepEqual(c.Recovery.Nudge.Placebo, recovery.Placebo{}) {
		return c, false
	}
	out := c.clone()
	out.Recovery.Nudge.Placebo = recovery.Placebo{}
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
	out.Recovery.Nudge.Placebo = recovery.Placebo{At: at}
	return out
}
