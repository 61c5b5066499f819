package brain

import (
	"math"

	"github.com/cua-runner/cua-runner/cua"
)

// intended is the point that a presses: its own point, or the centre of the mark that it names.
func intended(o cua.Observation, a cua.Action) (cua.Point, bool) {
	if a.Point != nil {
		return *a.Point, true
	}
	for _, m := range o.Marks {
		if a.Mark > 0 && m.N == a.Mark {
			return m.Box.CenterIn(o.Viewport)
		}
	}
	return cua.Point{}, false
}

// missTarget moves the press by px at a random angle. It ignores the elements of the page, so it may still
// hit the target or another control.
func missTarget(s stroke) (cua.Decision, bool) {
	angle := 2 * math.Pi * s.chance.Float64()
	return s.moved(func(p *cua.Point) *cua.Point {
		return &cua.Point{X: p.X + s.px*math.Cos(angle), Y: p.Y + s.px*math.Sin(angle)}
	}, false)
}

// shake moves the press, and both ends of a drag, by a normally distributed offset on each axis.
func shake(s stroke) (cua.Decision, bool) {
	return s.moved(func(p *cua.Point) *cua.Point {
		return &cua.Point{X: p.X + s.px*s.chance.NormFloat64(), Y: p.Y + s.px*s.chance.NormFloat64()}
	}, true)
}

// moved is the decision with its press moved, inside the viewport. It returns false if the action presses
// nowhere or does not move. The end of a drag moves only with bothEnds.
func (s stroke) moved(move func(*cua.Point) *cua.Point, bothEnds bool) (cua.Decision, bool) {
	a := s.said.Action
	p, ok := intended(s.turn.Now, a)
	if !ok || !a.Kind.Pointer() && a.Kind != cua.Type {
		return s.said, false
	}
	view := s.turn.Now.Viewport
	a.Point, a.Mark = clamped(move(&p), view), 0
	if bothEnds && a.To != nil {
		a.To = clamped(move(a.To), view)
	} else if *a.Point == p {
		return s.said, false
	}
	return s.instead(a, s.said.Thought)
}

// clamped is the nearest point of the viewport. A zero viewport is unknown and has no right or bottom
// edge.
func clamped(p *cua.Point, view cua.Size) *cua.Point {
	q := cua.Point{X: max(p.X, 0), Y: max(p.Y, 0)}
	if view != (cua.Size{}) {
		q.X, q.Y = min(q.X, float64(view.W-1)), min(q.Y, float64(view.H-1))
	}
	return &q
}

// element is one interactive element of a page: a mark, a field, or both.
type element struct {
	id     string
	name   string // accessible name; of a field without one, its label or placeholder
	box    cua.Box
	field  bool // takes a value
	submit bool // submits a form, by its markup or name
}

// elements lists the elements of o that have a box, each once.
func elements(o cua.Observation) []element {
	var out []element
	at := map[string]int{}
	for _, m := range o.Marks {
		if !m.Box.Empty() {
			at[m.ID] = len(out)
			out = append(out, element{id: m.ID, name: m.Name, box: m.Box, submit: submits(m)})
		}
	}
	for _, f := range o.Fields {
		if i, ok := at[f.ID]; ok {
			out[i].field = true
		} else if !f.Box.Empty() {
			out = append(out, fieldElement(f))
		}
	}
	return out
}

// aimed is the element that an action is aimed at: the mark or field that it names, otherwise the smallest
// element at its point; false if there is none. The faults use it to find what the wrapped brain meant,
// never to choose where to press.
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
