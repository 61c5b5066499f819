package heuristic

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// undoes reports whether a would change something that is already as the goal wants it: a ticked box, a
// chosen option, a text in its field, a number that was reached. No rule may do that.
func (v *view) undoes(a cua.Action) bool {
	switch a.Kind {
	case cua.Type, cua.Select:
		f := v.into(a)
		return f != nil && slices.ContainsFunc(v.values, func(w want) bool {
			return w.in && w.field != nil && w.field.ID == f.ID && !same(a.Text, w.Value) &&
				a.Text != option(*f, w.Value)
		})
	case cua.Click:
		return v.untick(a) || v.stepsOff(a)
	}
	return false
}

// into is the field into which a types or in which it chooses; nil if there is none.
func (v *view) into(a cua.Action) *cua.Field {
	if a.Into != "" {
		return v.now.FieldByID(a.Into)
	}
	if a.Point != nil {
		return v.fieldAt(*a.Point)
	}
	return v.now.Focus
}

func (v *view) fieldAt(p cua.Point) *cua.Field {
	i := slices.IndexFunc(v.now.Fields, func(f cua.Field) bool { return f.Box.Contains(p) })
	if i < 0 {
		return nil
	}
	return &v.now.Fields[i]
}

// untick reports whether a press changes a box or radio button that is as the goal wants it.
func (v *view) untick(a cua.Action) bool {
	f := (*cua.Field)(nil)
	if a.Point != nil {
		f = v.fieldAt(*a.Point)
	}
	if f == nil || !tickable(*f) {
		return false
	}
	if slices.ContainsFunc(v.values, func(w want) bool {
		return w.in && w.field != nil &&
			w.field.ID == f.ID
	}) {
		return true
	}
	return slices.ContainsFunc(v.aims, func(goal aim) bool {
		return (goal.kind == aimTick || goal.kind == aimChoose) &&
			slices.ContainsFunc(v.now.Fields, func(g cua.Field) bool {
				i := slices.IndexFunc(v.now.Fields, func(h cua.Field) bool { return h.ID == g.ID })
				is, _ := shows(goal, v.now.Fields, i)
				rival := f.Type == "radio" && g.Type == "radio" && g.NameAttr == f.NameAttr &&
					g.NameAttr != ""
				return is && (g.ID == f.ID || rival)
			})
	})
}

// stepsOff reports whether a presses a button of a quantity that already has the wanted number.
func (v *view) stepsOff(a cua.Action) bool {
	for _, goal := range v.aims {
		if goal.kind != aimStep {
			continue
		}
		if _, ok := v.quantityReached(goal, 0); !ok {
			continue
		}
		for _, way := range []int{1, -1} {
			if m := v.stepper(goal, way, len(v.steps)); m != nil && a.Point != nil &&
				m.Box.Contains(*a.Point) {
				return true
			}
		}
	}
	return false
}
