package brain

import (
	"math"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// isNudge says whether n is one, of whatever level: a placebo's are none the less.
func isNudge(n cua.Note) bool { return n.From == "nudge" }

// jump answers a nudge with a press on the nearest button, whatever that does: what a nudge costs with a brain that
// takes it for an order to do anything else.
func jump(s stroke) (cua.Decision, bool) {
	now := s.turn.Now
	if now.Dialog != nil || !slices.ContainsFunc(s.turn.Notes, isNudge) {
		return s.said, false
	}
	from, id := lastPress(s.turn)
	var best *cua.Point
	least := math.Inf(1)
	for _, m := range now.Marks {
		if m.Role != "button" && m.Tag != "button" || m.Disabled || m.Covered || m.ID != "" && m.ID == id {
			continue
		}
		p, ok := m.Box.CenterIn(now.Viewport)
		if d := gap(m.Box, from); ok && d < least {
			best, least = &p, d
		}
	}
	if best == nil {
		return s.said, false
	}
	return s.instead(cua.Action{Kind: cua.Click, Point: best}, "that does not work; press something else")
}

// lastPress is where the newest press of the episode was meant to go, and what stood there: a jump does not end where it
// began. Before any press it is the middle of the focused field, else that of the viewport.
func lastPress(t *cua.Turn) (cua.Point, string) {
	for i := len(t.History.Steps) - 1; i >= 0; i-- {
		s := &t.History.Steps[i]
		switch {
		case !s.Proposed.Kind.Pressing():
		case s.Proposed.Point != nil:
			return *s.Proposed.Point, s.Target.ID
		case s.Target.Point != nil:
			return *s.Target.Point, s.Target.ID
		}
	}
	if f := t.Now.Focus; f != nil && !f.Box.Empty() {
		return f.Box.Center(), f.ID
	}
	return cua.Point{X: float64(t.Now.Viewport.W) / 2, Y: float64(t.Now.Viewport.H) / 2}, ""
}
