package detector

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// BlindConfig holds the windows for runs without any page state. They are wider, because without it careful
// stepping and a dead button look the same.
type BlindConfig struct {
	// Press is how many presses of one point are a repeat or a drift.
	Press int `json:"press"`
	// Named is the same for presses of which only a name is known: a page has many elements with one name.
	Named int `json:"named"`
	// Type is how many times in a row the same text goes into the same place, or the same drag is made.
	Type int `json:"type"`
	// Periods is how many times a cycle of actions must repeat.
	Periods int `json:"periods"`
	// Visits is how many times the same text must be typed within revisit.soft_window, whatever is done in
	// between.
	Visits int `json:"visits"`
}

// window is the soft window of repeat for actions like s; 0 is never.
func (c BlindConfig) window(s *cua.Sample) int {
	switch s.Action.Kind {
	case cua.Type, cua.Drag:
		return c.Type
	case cua.Scroll, cua.Wait:
		return 0
	case cua.Key:
		if moves(s.Action.Keys) {
			return 0
		}
	}
	if a := s.Action; !a.Kind.Known() && s.Step.Target.ID == "" && a.Point == nil && a.Text == "" {
		return 0 // without a place or name, two equal actions may be aimed at different things
	}
	return c.press(s)
}

// press is the window for pointer actions like s.
func (c BlindConfig) press(s *cua.Sample) int {
	if pressed(s) == nil {
		return c.Named
	}
	return c.Press
}

// moves reports whether keys move a cursor, a selection or a page, or delete or undo one thing at a time.
func moves(keys string) bool {
	return slices.Contains([]string{"Tab", "Shift+Tab", "Up", "Down", "Left", "Right", "Page_Up", "Page_Down",
		"Home", "End",
		"BackSpace", "Delete", "space"}, keys)
}

// like reports whether two actions are the same as far as that can be known without a page: they have the
// same signature, or the same parameters at points within the smallest tolerance.
func (c Config) like(a, b *cua.Sample) bool {
	if a.Signature == b.Signature {
		return true
	}
	p, q := pressed(a), pressed(b)
	if p == nil || q == nil || a.Step.Target.Identified() || b.Step.Target.Identified() ||
		!within(*p, *q, c.Drift.TolPx) {
		return false
	}
	x, y := a.Action, b.Action
	if x.To != nil && y.To != nil && within(*x.To, *y.To, c.Drift.TolPx) {
		x.To, y.To = nil, nil
	}
	x.Point, y.Point = nil, nil
	return equal(&x, &y)
}
