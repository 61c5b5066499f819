package brain

import (
	"math"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// isNudge reports whether n is a nudge of any level, placebo nudges included.
func isNudge(n cua.Note) bool { return n.From == "nudge" }

// jump answers a nudge with a press on the nearest button, whatever that does. It measures what a nudge
// costs with a brain that takes it as an order to do anything else.
func jump(s stroke) (cua.Decision, bool) {
	now := s.turn.Now
	if now.Dialog != nil || !slices.ContainsFunc(s.turn.Notes, isNudge) {
		return s.said, false
	}
	from := lastPress(s.turn)
	var best *cua.Point
	least := math.Inf(1)
	for _, m := range now.Marks {
		if m.Role != "button" && m.Tag != "button" || m.Disabled || m.Covered || m.Box.Contains(from) {
			continue // no button, not to be pressed by what the brain is shown, or what was pressed last
		}
		p, ok := m.Box.CenterIn(now.Viewport)
		if d := p.Distance(from); ok && d < least {
			best, least = &p, d
		}
	}
	if best == nil {
		return s.said, false
	}
	return s.instead(cua.Action{Kind: cua.Click, Point: best}, "that does not work; press something else")
}

// lastPress is the intended point of the newest press of the episode. Before any press it is the centre of
// the focused field, otherwise that of the viewport.
func lastPress(t *cua.Turn) cua.Point {
	for i := len(t.History.Steps) - 1; i >= 0; i-- {
		a := t.History.Steps[i].Proposed
		if p, ok := intended(t.History.Before(i), a); ok && a.Kind.Pressing() {
			return p
		}
	}
	if f := t.Now.Focus; f != nil && !f.Box.Empty() {
		return f.Box.Center()
	}
	return cua.Point{X: float64(t.Now.Viewport.W) / 2, Y: float64(t.Now.Viewport.H) / 2}
}
