package runner

import (
	"reflect"

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

// AsNudged is the placebo c with as many nudges as steps carried, of the same levels, at steps drawn from as many; c itself where
// there are no steps.
func (c Config) AsNudged(steps []cua.Step) Config {
	if len(steps) == 0 {
		return c
	}
	out := c.clone()
	p := recovery.Placebo{Of: len(steps)}
	for i := range steps {
		for _, n := range steps[i].Notes {
			if n.From == recovery.NudgeName {
				p.Levels = append(p.Levels, n.Level)
			}
		}
	}
	out.Recovery.Nudge.Placebo = p
	return out
}
