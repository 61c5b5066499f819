package cua

import "math"

// Size is a width and a height in CSS pixels.
type Size struct {
	W int `json:"w"`
	H int `json:"h"`
}

// Diagonal is the length of the diagonal in CSS pixels.
func (s Size) Diagonal() float64 { return math.Hypot(float64(s.W), float64(s.H)) }

// Box is a rectangle in CSS pixels of the viewport. It may lie partly or wholly
// outside of it; the zero Box is none.
type Box struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// Empty reports whether b has no area.
func (b Box) Empty() bool { return b.W <= 0 || b.H <= 0 }

// Center is the middle of b.
func (b Box) Center() Point { return Point{b.X + b.W/2, b.Y + b.H/2} }

// Contains reports whether p lies in b, edges included.
func (b Box) Contains(p Point) bool {
	return !b.Empty() && p.X >= b.X && p.X <= b.X+b.W && p.Y >= b.Y && p.Y <= b.Y+b.H
}

// Overlaps reports whether a and b share area.
func (b Box) Overlaps(a Box) bool {
	return !b.Empty() && !a.Empty() && b.X < a.X+a.W && a.X < b.X+b.W && b.Y < a.Y+a.H && a.Y < b.Y+b.H
}

// Grow is b with d more on each side.
func (b Box) Grow(d float64) Box {
	if b.Empty() {
		return b
	}
	return Box{b.X - d, b.Y - d, b.W + 2*d, b.H + 2*d}
}

// CenterIn is the center of the part of b that lies in the viewport; false if less than a pixel of it does.
// The zero viewport is unknown and contains everything.
func (b Box) CenterIn(view Size) (Point, bool) {
	if b.Empty() {
		return Point{}, false
	}
	if view == (Size{}) {
		return b.Center(), true
	}
	x0, x1 := max(b.X, 0), min(b.X+b.W, float64(view.W))
	y0, y1 := max(b.Y, 0), min(b.Y+b.H, float64(view.H))
	if x1-x0 < 1 || y1-y0 < 1 {
		return Point{}, false
	}
	return Point{(x0 + x1) / 2, (y0 + y1) / 2}, true
}

// Distance is the Euclidean distance between two points in CSS pixels.
func (p Point) Distance(q Point) float64 { return math.Hypot(p.X-q.X, p.Y-q.Y) }
