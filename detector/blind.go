package detector

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// BlindConfig holds the windows of rules for runs without any page state. They are
// wider: with nothing to see by, an honest stepper and a dead button look alike.
type BlindConfig struct {
	// Press is how many presses of one point are a repeat or a drift.
	Press int `json:"press"`
	// Named is that for presses of which only a name is known: a page has many things of one name.
	Named int `json:"named"`
	// Type is how many times in a row the same text goes into the same place, or one drag is made.
	Type int `json:"type"`
	// Periods is how many times a cycle of actions must come round.
	Periods int `json:"periods"`
	// Visits is how many times within revisit.soft_window the same text is typed, whatever is done in
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
		return 0 // nothing is known of it: two of a kind may be different things
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

// moves says whether keys move a cursor, a selection or a page, or take back one thing at a time.
func moves(keys string) bool {
	return slices.Contains([]string{"Tab", "Shift+Tab", "Up", "Down", "Left", "Right", "Page_Up", "Page_Down",
		"Home", "End",
		"BackSpace", "Delete", "space"}, keys)
}

// like says whether two actions are one as far as can be told without a page: the same signature, or the
// same parameters at points within the least tolerance.
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
