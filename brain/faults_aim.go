package brain

import (
	"math"

	"github.com/cua-runner/cua-runner/cua"
)

// element is one interactive thing of a page: a mark, a field, or both in one.
type element struct {
	id     string
	box    cua.Box
	field  bool // takes a value
	ticked bool // is a check box or a radio button
	submit bool // sends a form, by its markup or name
}

// elements are those of o that have a box, each once.
func elements(o cua.Observation) []element {
	var out []element
	at := map[string]int{}
	for _, m := range o.Marks {
		if !m.Box.Empty() {
			at[m.ID] = len(out)
			out = append(out, element{id: m.ID, box: m.Box, submit: submits(m), ticked: tickable(m.Type) || tickable(m.Role)})
		}
	}
	for _, f := range o.Fields {
		if i, ok := at[f.ID]; ok {
			out[i].field, out[i].ticked = true, out[i].ticked || tickable(f.Type)
		} else if !f.Box.Empty() {
			out = append(out, element{id: f.ID, box: f.Box, field: true, ticked: tickable(f.Type)})
		}
	}
	return out
}

func tickable(typ string) bool { return typ == "checkbox" || typ == "radio" || typ == "switch" }

// aimed is what an action is aimed at: the mark or field that it names, else the smallest element
// at its point; false when that is nothing.
func aimed(o cua.Observation, a cua.Action) (element, bool) {
	id := a.Into
	for _, m := range o.Marks {
		if a.Mark > 0 && m.N == a.Mark {
			id = m.ID
		}
	}
	var best element
	found := false
	for _, e := range elements(o) {
		switch {
		case a.Point != nil:
			if e.box.Contains(*a.Point) && (!found || e.box.W*e.box.H < best.box.W*best.box.H) {
				best, found = e, true
			}
		case id != "" && e.id == id:
			return e, true
		}
	}
	return best, found
}

// missTarget presses beside the edge of what was aimed at. What is named by its mark is not missed.
func missTarget(s stroke) (cua.Decision, bool) {
	a := s.said.Action
	if a.Point == nil || !a.Kind.Pointer() && a.Kind != cua.Type {
		return s.said, false
	}
	p, ok := s.beside(*a.Point)
	if !ok {
		return s.said, false
	}
	a.Point = &p
	return s.instead(a, s.said.Thought)
}

// beside is a point px outside of the element at p, on a side where that element is still the
// nearest one; where there is none, on any side inside the viewport. One episode misses to one
// side, as a scale that is off does. Above and below come last: there is a field's label, which
// focuses it, and a box's label is on its right.
func (s stroke) beside(p cua.Point) (cua.Point, bool) {
	now := s.turn.Now
	target, ok := aimed(now, cua.Action{Point: &p})
	if !ok {
		target = element{box: cua.Box{X: p.X, Y: p.Y}}
	}
	b := target.box
	right, left := cua.Point{X: b.X + b.W + s.px, Y: p.Y}, cua.Point{X: b.X - s.px, Y: p.Y}
	below, above := cua.Point{X: p.X, Y: b.Y + b.H + s.px}, cua.Point{X: p.X, Y: b.Y - s.px}
	sides := []cua.Point{right, left, below, above}
	switch {
	case target.ticked:
		sides = []cua.Point{left, below, above, right}
	case s.faults.chance(0, "off_target").IntN(2) == 0:
		sides[0], sides[1] = left, right
	}
	var fallback *cua.Point
	for i, q := range sides {
		if !inside(q, now.Viewport) {
			continue
		}
		nearest := true
		for _, e := range elements(now) {
			nearest = nearest && (e.id == target.id || gap(e.box, q) > s.px)
		}
		if nearest {
			return q, true
		}
		if fallback == nil {
			fallback = &sides[i]
		}
	}
	if fallback == nil {
		return cua.Point{}, false
	}
	return *fallback, true
}

// inside says whether p lies in the viewport; the zero viewport is unknown and has no far edge.
func inside(p cua.Point, view cua.Size) bool {
	return p.X >= 0 && p.Y >= 0 && (view == (cua.Size{}) || p.X < float64(view.W) && p.Y < float64(view.H))
}

// gap is how far p is from b, CSS pixels; 0 inside.
func gap(b cua.Box, p cua.Point) float64 {
	return math.Hypot(max(b.X-p.X, 0, p.X-b.X-b.W), max(b.Y-p.Y, 0, p.Y-b.Y-b.H))
}

// shake moves both ends of a pointer action, or where a type clicks first, and keeps them inside
// the viewport.
func shake(s stroke) (cua.Decision, bool) {
	a := s.said.Action
	if a.Point == nil || !a.Kind.Pointer() && a.Kind != cua.Type {
		return s.said, false
	}
	move := func(p *cua.Point) *cua.Point {
		if p == nil {
			return nil
		}
		x, y := max(p.X+s.px*s.chance.NormFloat64(), 0), max(p.Y+s.px*s.chance.NormFloat64(), 0)
		if view := s.turn.Now.Viewport; view != (cua.Size{}) {
			x, y = min(x, float64(view.W-1)), min(y, float64(view.H-1))
		}
		return &cua.Point{X: x, Y: y}
	}
	a.Point, a.To = move(a.Point), move(a.To)
	return s.instead(a, s.said.Thought)
}
