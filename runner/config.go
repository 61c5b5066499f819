package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
	"github.com/cua-runner/cua-runner/formctl"
	"github.com/cua-runner/cua-runner/perceptual"
	"github.com/cua-runner/cua-runner/recovery"
	"github.com/cua-runner/cua-runner/trajectories/lessons"
)

// Config is everything that determines an episode besides task, brain and browser. It is one JSON document:
// it is written into every header, read back by resume and replay, and changed only by overlays.
type Config struct {
	// Viewport is in CSS pixels; both edges are 64 to 8192.
	Viewport cua.Size    `json:"viewport"`
	Toggles  cua.Toggles `json:"toggles"`
	// Frames is how many of the most recent frames a turn has, 0 to 20.
	Frames     int               `json:"frames"`
	Detector   detector.Config   `json:"detector"`
	Recovery   recovery.Config   `json:"recovery"`
	FormCtl    formctl.Config    `json:"formctl"`
	Perceptual perceptual.Config `json:"perceptual"`
	Lessons    lessons.Config    `json:"lessons"`
	// Checkpoints says what is stored for rewinds.
	Checkpoints CheckpointConfig `json:"checkpoints"`
	// Placebo gives nudges at fixed steps instead of on signals.
	Placebo Placebo `json:"placebo,omitzero"`
	// Shadow names gates, and rows of the rescue table by their codes, that rule without force: their rulings
	// are recorded and have no other effect. Limits, policy and director always rule with force.
	Shadow []string `json:"shadow,omitzero"`
}

// DefaultConfig is that of the arm default.
func DefaultConfig() Config {
	return Config{
		Viewport:   cua.Size{W: 1280, H: 800},
		Toggles:    cua.AllOn(),
		Frames:     3,
		Detector:   detector.DefaultConfig(),
		Recovery:   recovery.DefaultConfig(),
		FormCtl:    formctl.DefaultConfig(),
		Perceptual: perceptual.DefaultConfig(),
		Lessons:    lessons.DefaultConfig(),

		Checkpoints: defaultCheckpoints(),
	}
}

// Validate reports the first value that is out of range.
func (c Config) Validate() error {
	for _, edge := range []int{c.Viewport.W, c.Viewport.H} {
		if edge < 64 || edge > 8192 {
			return fmt.Errorf("runner: config: viewport %d×%d: each edge must be 64 to 8192", c.Viewport.W,
				c.Viewport.H)
		}
	}
	if c.Frames < 0 || c.Frames > 20 {
		return fmt.Errorf("runner: config: frames must be 0 to 20, not %d", c.Frames)
	}
	for _, name := range c.Shadow {
		if known := ShadowNames(); !slices.Contains(known, name) {
			return fmt.Errorf("runner: config: shadow: no gate or row %q can rule in shadow; known: %s", name,
				strings.Join(known, ", "))
		}
	}
	for _, v := range []interface{ Validate() error }{c.Detector, c.Recovery, c.FormCtl, c.Perceptual,
		c.Lessons, c.Checkpoints, c.Placebo} {
		if err := v.Validate(); err != nil {
			return fmt.Errorf("runner: config: %w", err)
		}
	}
	return nil
}
