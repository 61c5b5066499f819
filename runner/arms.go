package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Arm is a named config overlay.
type Arm struct {
	Name string `json:"name"`
	Help string `json:"help"`
	// Overlay is a partial config document. Mechanisms are switched by Bare and On instead.
	Overlay string `json:"overlay,omitzero"`
	// Bare switches all mechanisms off first; On switches these on again.
	Bare bool     `json:"bare,omitzero"`
	On   []string `json:"on,omitzero"`
}

// Arms are the built-in arms. "-NAME" is the default without one mechanism.
func Arms() []Arm {
	detectors := append([]string{"effect_conditioning", "adaptive_windows"}, cua.ShapeToggles()...)
	return []Arm{
		{Name: "default", Help: "everything on"},
		{Name: "classic", Help: "the documented starting policy: repeat, drift and frozen without effects, four rescue rows", Bare: true,
			On: []string{"shape_repeat", "shape_drift", "shape_frozen", "nudge", "breaker", "done_gate",
				"form_controller",
				"loop_recovery", "rescue_scroll_page", "rescue_type_pending_value",
				"rescue_tab_to_next_field", "rescue_press_return_for_submit", "perceptual_verify"},
			Overlay: `{"recovery":{"rescue":{"classic":true}}}`},
		{Name: "naive", Help: "three equal actions are a loop, whatever the page does: a warning, and the end if it continues", Bare: true,
			On:      []string{"shape_repeat", "nudge", "breaker"},
			Overlay: `{"detector":{"soft":3,"hard":4,"frozen":{"soft":3},"ignore_page":true}}`},
		{Name: "nudge", Help: "detectors and nudges only: nothing is replaced, refused or halted", Bare: true,
			On: slices.Concat(detectors, []string{"nudge"})},
		{Name: "placebo", Help: "nudges at random steps: as many as in the arm nudge of the same cell where a study plays that too, else in one step of five", Bare: true,
			On: slices.Concat(detectors, []string{"nudge"}), Overlay: `{"placebo":{"every":5}}`},
		{Name: "detectors", Help: "signals alone: nothing is said to the brain, nothing replaced, refused or halted", Bare: true, On: detectors},
		{Name: "off", Help: "the bare loop: no detector, no gate but limits and policy", Bare: true},
	}
}

// Arm is c changed by the named arm: a built-in one, optionally followed by -MECHANISM, +MECHANISM and
// {field=value} for the differences (ArmName). An unknown name is an error that lists the known ones.
func (c Config) Arm(name string) (Config, error) {
	base, mechanisms, settings := armParts(name)
	var names []string
	for _, a := range Arms() {
		if a.Name == base || base == "" && len(mechanisms) > 0 && a.Name == "default" {
			out, err := c.apply(a)
			if err != nil {
				return c, err
			}
			return out.changed(mechanisms, settings)
		}
		names = append(names, a.Name)
	}
	return c,
		fmt.Errorf("runner: unknown arm %q; known: %s; -MECHANISM and +MECHANISM after one switch it "+
			"off and on", name, strings.Join(names, ", "))
}

func (c Config) apply(a Arm) (Config, error) {
	out := c.clone()
	if a.Bare {
		out.Toggles = cua.Toggles{}
	}
	for _, m := range a.On {
		if err := out.Toggles.Set(m, true); err != nil {
			return c, fmt.Errorf("runner: arm %s: %w", a.Name, err)
		}
	}
	if a.Overlay == "" {
		return out, nil
	}
	out, err := out.Overlay([]byte(a.Overlay))
	if err != nil {
		return c, fmt.Errorf("runner: arm %s: %w", a.Name, err)
	}
	return out, nil
}

// ArmNames are the names of Arms, in their order.
func ArmNames() []string {
	var out []string
	for _, a := range Arms() {
		out = append(out, a.Name)
	}
	return out
}
