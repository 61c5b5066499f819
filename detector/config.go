package detector

import (
	"fmt"
	"math"
)

// Config holds the thresholds of all shapes (docs/detection.md#the-shapes). Start from DefaultConfig; the
// zero Config does not validate.
type Config struct {
	// Soft is how many acting steps a shape must hold for a soft signal. Three is the window of the
	// documented policy. Two equal presses without effect are common in healthy use (a double press, a slow
	// page).
	Soft int `json:"soft"`
	// Hard is how many it must hold for a hard signal.
	Hard       int              `json:"hard"`
	Drift      DriftConfig      `json:"drift"`
	Frozen     FrozenConfig     `json:"frozen"`
	Cycle      CycleConfig      `json:"cycle"`
	Revisit    RevisitConfig    `json:"revisit"`
	Spiral     SpiralConfig     `json:"spiral"`
	Failures   FailuresConfig   `json:"failures"`
	Streak     StreakConfig     `json:"streak"`
	Stall      StallConfig      `json:"stall"`
	Stagnation StagnationConfig `json:"stagnation"`
	// IgnorePage makes the classic shape repeat compare actions only, so turning pages counts although the
	// page changes. It is for the arm naive.
	IgnorePage bool `json:"ignore_page,omitzero"`
	// Blind is for runs without any page state.
	Blind BlindConfig `json:"blind"`
}

// DriftConfig says which points are one place (docs/detection.md#drift). The box of an identified target
// takes precedence.
type DriftConfig struct {
	// TolPx is the smallest tolerance on each axis, CSS px.
	TolPx float64 `json:"tol_px"`
	// TolShare is the tolerance as a share of the viewport's diagonal, 0 to 1. The larger of the two applies.
	TolShare float64 `json:"tol_share"`
	// Button, Link and Menu scale the tolerance by the target's role: buttons are large and far apart, links
	// are lines of text, menu items are close together.
	Button float64 `json:"button"`
	Link   float64 `json:"link"`
	Menu   float64 `json:"menu"`
}

// FrozenConfig holds the window of frozen.
type FrozenConfig struct {
	// Soft is the soft window of the shape frozen: one more than for the others, because the steps may all be
	// different. The classic shape uses Config.Soft.
	Soft int `json:"soft"`
}

// DefaultConfig has the values that docs/detection.md names for each shape.
func DefaultConfig() Config {
	return Config{Soft: 3, Hard: 8,
		Drift:      DriftConfig{TolPx: 8, TolShare: 0.004, Button: 1.5, Link: 0.5, Menu: 0.75},
		Frozen:     FrozenConfig{Soft: 4},
		Cycle:      CycleConfig{MaxPeriod: 5, Soft: 2, SoftSteps: 5, Hard: 3, HardSteps: 8},
		Revisit:    RevisitConfig{Soft: 3, SoftWindow: 20, Hard: 5, HardWindow: 24, MaxNew: 0.5},
		Spiral:     SpiralConfig{Soft: 3, Hard: 5, Overwrites: 8},
		Failures:   FailuresConfig{Soft: 3, Hard: 6},
		Streak:     StreakConfig{From: 3},
		Stall:      StallConfig{Soft: 6, Hard: 12, SoftS: 60, HardS: 180, UnknownMS: 5000},
		Stagnation: StagnationConfig{Soft: 14, Hard: 24, MaxNodes: 0.5, Blind: 20},
		Blind:      BlindConfig{Press: 4, Named: 5, Type: 3, Periods: 3, Visits: 4}}
}

// maxWindow bounds the windows. A longer one would exceed the steps of an episode.
const maxWindow = 1000

// count is a field that is a whole number, with its range.
type count struct {
	path       string
	v, low, up int
}

func (c Config) counts() []count {
	return []count{
		{"soft", c.Soft, 2, maxWindow},
		{"frozen.soft", c.Frozen.Soft, 2, maxWindow},
		{"hard", c.Hard, max(c.Soft, c.Frozen.Soft) + 1, maxWindow},
		{"cycle.max_period", c.Cycle.MaxPeriod, 2, 50},
		{"cycle.soft", c.Cycle.Soft, 2, maxWindow},
		{"cycle.soft_steps", c.Cycle.SoftSteps, 0, maxWindow},
		{"cycle.hard", c.Cycle.Hard, c.Cycle.Soft, maxWindow},
		{"cycle.hard_steps", c.Cycle.HardSteps, c.Cycle.SoftSteps, maxWindow},
		{"revisit.soft", c.Revisit.Soft, 2, maxWindow},
		{"revisit.soft_window", c.Revisit.SoftWindow, c.Revisit.Soft, maxWindow},
		{"revisit.hard", c.Revisit.Hard, c.Revisit.Soft + 1, maxWindow},
		{"revisit.hard_window", c.Revisit.HardWindow, c.Revisit.Hard, maxWindow},
		{"spiral.soft", c.Spiral.Soft, 2, maxWindow},
		{"spiral.hard", c.Spiral.Hard, c.Spiral.Soft + 1, maxWindow},
		{"spiral.overwrites", c.Spiral.Overwrites, c.Spiral.Soft, maxWindow},
		{"failures.soft", c.Failures.Soft, 2, maxWindow},
		{"failures.hard", c.Failures.Hard, c.Failures.Soft + 1, maxWindow},
		{"streak.from", c.Streak.From, 2, maxWindow},
		{"stall.soft", c.Stall.Soft, 2, maxWindow},
		{"stall.hard", c.Stall.Hard, c.Stall.Soft + 1, maxWindow},
		{"stall.unknown_ms", c.Stall.UnknownMS, 0, 3600000},
		{"stagnation.soft", c.Stagnation.Soft, 2, maxWindow},
		{"stagnation.hard", c.Stagnation.Hard, c.Stagnation.Soft + 1, maxWindow},
		{"stagnation.blind", c.Stagnation.Blind, 2, maxWindow},
		{"blind.press", c.Blind.Press, 2, maxWindow},
		{"blind.named", c.Blind.Named, 2, maxWindow},
		{"blind.visits", c.Blind.Visits, 2, maxWindow},
		{"blind.type", c.Blind.Type, 2, maxWindow},
		{"blind.periods", c.Blind.Periods, 2, maxWindow},
	}
}

// Validate reports a value that is out of range, by its path in the config document.
func (c Config) Validate() error {
	for _, f := range c.counts() {
		if f.v < f.low || f.v > f.up {
			return fmt.Errorf("detector: %s must be %d to %d, not %d", f.path, f.low, f.up, f.v)
		}
	}
	for _, f := range []struct {
		name       string
		v, low, up float64
	}{
		{"drift.tol_px", c.Drift.TolPx, 0, 500},
		{"drift.tol_share", c.Drift.TolShare, 0, 1},
		{"drift.button", c.Drift.Button, 0, 10},
		{"drift.link", c.Drift.Link, 0, 10},
		{"drift.menu", c.Drift.Menu, 0, 10},
		{"revisit.max_new", c.Revisit.MaxNew, 0, 1},
		{"stagnation.max_nodes", c.Stagnation.MaxNodes, 0, 1},
		{"stall.soft_s", c.Stall.SoftS, 1, 86400},
		{"stall.hard_s", c.Stall.HardS, c.Stall.SoftS, 86400},
	} {
		if math.IsNaN(f.v) || f.v < f.low || f.v > f.up {
			return fmt.Errorf("detector: %s must be %g to %g, not %g", f.name, f.low, f.up, f.v)
		}
	}
	return nil
}
