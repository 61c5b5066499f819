package heuristic

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// covered reports whether something lies over the control with that id.
func (v *view) covered(id string) bool { return coveredIn(v.now, id) }

func coveredIn(o *cua.Observation, id string) bool {
	return slices.ContainsFunc(o.Marks, func(m cua.Mark) bool { return m.ID == id && m.Covered })
}

// unblock closes a layer that appeared over the fields while they were filled in. It presses a control that
// appeared with the layer: one that declines, otherwise one that closes. It is nil if no layer appeared.
func (v *view) unblock() *move {
	if v.sent() {
		return nil // the layer may be the answer of the page
	}
	over, before := v.blocked()
	if over == "" {
		return nil
	}
	m := v.closer(closers[:3], func(m cua.Mark) bool { return before.MarkByID(m.ID) != nil })
	if m == nil {
		return nil
	}
	p, _ := m.Box.CenterIn(v.now.Viewport)
	return &move{cua.Action{Kind: cua.Click, Point: &p},
		fmt.Sprintf("something came up over the form; press %q", clip(m.Name, 40))}
}

// blocked is the field of a value that is covered, and the newest page on which it was not; "" if there is
// none.
func (v *view) blocked() (string, cua.Observation) {
	for _, w := range v.values {
		for _, f := range v.now.Fields {
			free := f
			free.Disabled, free.Editable = false, true
			if !v.covered(f.ID) || f.Type == "select" || fits(w.PlanValue, free) < matchFloor {
				continue
			}
			for i := len(v.steps) - 1; i >= 0; i-- {
				o := v.t.History.Before(i)
				if o.Document == v.now.Document && slices.ContainsFunc(o.Fields,
					func(g cua.Field) bool { return g.ID == f.ID }) && !coveredIn(&o, f.ID) {
					return f.ID, o
				}
			}
		}
	}
	return "", cua.Observation{}
}
