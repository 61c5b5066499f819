package detector

import (
	"fmt"
	"math"
)

// Config holds the thresholds of all shapes (spec: loops, shapes). Start from
// DefaultConfig; the zero Config does not validate.
type Config struct {
	// Soft is how many acting steps a shape must hold for a soft signal. Three is the
	// window of the documented policy; two identical presses without effect are common in
	// healthy use (a double press, a slow page).
	Soft int `json:"soft"`
	// Hard is how many it must hold for a hard signal.
	Hard   int          `json:"hard"`
	Drift  DriftConfig  `json:"drift"`
	Frozen FrozenConfig `json:"frozen"`
}

// DriftConfig says which points are one place (spec: loops, tolerance). The
// box of an identified target comes before all of it.
type DriftConfig struct {
	// TolPx is the least tolerance on each axis, CSS px.
	TolPx float64 `json:"tol_px"`
	// TolShare is the tolerance as a share of the viewport's diagonal, 0 to 1. The larger of
	// the two counts.
	TolShare float64 `json:"tol_share"`
	// Button, Link and Menu scale the tolerance by the target's role: buttons are large and
	// stand apart, links are lines of text, and the items of a menu lie close together.
	Button float64 `json:"button"`
	Link   float64 `json:"link"`
	Menu   float64 `json:"menu"`
}

// FrozenConfig holds the window of frozen.
type FrozenConfig struct {
	// Soft is that of the shape frozen: one more than the others, because the steps may all be
	// different. The classic shape reads Config.Soft.
	Soft int `json:"soft"`
}

// DefaultConfig is what the spec names.
func DefaultConfig() Config {
	return Config{Soft: 3, Hard: 8,
		Drift:  DriftConfig{TolPx: 8, TolShare: 0.004, Button: 1.5, Link: 0.5, Menu: 0.75},
		Frozen: FrozenConfig{Soft: 4}}
}

// maxWindow bounds the windows: more steps than an episode has could never fire.
const maxWindow = 1000

// Validate says which value is out of range, by its path in the config document.
func (c Config) Validate() error {
	if c.Soft < 2 || c.Soft > maxWindow {
		return fmt.Errorf("detector: soft must be 2 to %d, not %d", maxWindow, c.Soft)
	}
	if c.Frozen.Soft < 2 || c.Frozen.Soft > maxWindow {
		return fmt.Errorf("detector: frozen.soft must be 2 to %d, not %d", maxWindow, c.Frozen.Soft)
	}
	if low := max(c.Soft, c.Frozen.Soft); c.Hard <= low || c.Hard > maxWindow {
		return fmt.Errorf("detector: hard must be above soft and frozen.soft (%d) and at most %d, not %d", low, maxWindow, c.Hard)
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
	} {
		if math.IsNaN(f.v) || f.v < f.low || f.v > f.up {
			return fmt.Errorf("detector: %s must be %g to %g, not %g", f.name, f.low, f.up, f.v)
		}
	}
	return nil
}
