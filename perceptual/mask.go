package perceptual

import (
	"math"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
)

// PresentationBoxes are the boxes, CSS px, in which a page shows where the attention is, as far as that
// changed between two observations: elements that gained or lost focus, its ring or hover; selected text; the
// browser's validation message beside a focused field; and the browser's pickers that opened or closed.
// Changes inside an open picker are not included.
func PresentationBoxes(before, after *cua.Observation) []cua.Box {
	out := append(hint(before), hint(after)...)
	if focusID(before) != focusID(after) || ring(before) != ring(after) {
		for _, f := range []*cua.Field{before.Focus, after.Focus} {
			if f != nil && !f.Box.Empty() {
				out = append(out, f.Box)
			}
		}
	}
	out = append(append(out, without(before.Hover, after.Hover)...), without(after.Hover, before.Hover)...)
	out = append(append(out, without(before.Selected, after.Selected)...),
		without(after.Selected, before.Selected)...)
	return append(append(out, without(before.Pickers, after.Pickers)...),
		without(after.Pickers, before.Pickers)...)
}

// The validation message is below or above its field, and fades in and out. Its size depends on its text;
// these are slightly more than Chromium's.
const (
	hintHeight = 80
	hintEdge   = 80
	hintRune   = 9
)

// hint is where the browser may show why the focused field is not valid. The message itself is part of the
// form digest.
func hint(o *cua.Observation) []cua.Box {
	f := o.Focus
	if f == nil || f.Invalid == "" || f.Box.Empty() {
		return nil
	}
	w := max(f.Box.W, float64(hintEdge+hintRune*utf8.RuneCountInString(f.Invalid)))
	return []cua.Box{{X: f.Box.X - hintEdge, Y: f.Box.Y - hintHeight, W: w + 2*hintEdge,
		H: f.Box.H + 2*hintHeight}}
}

func ring(o *cua.Observation) bool { return o.Focus != nil && o.Focus.Ring }

func focusID(o *cua.Observation) string {
	if o.Focus == nil {
		return ""
	}
	return o.Focus.ID
}

// without are the boxes of a that are not in b.
func without(a, b []cua.Box) []cua.Box {
	var out []cua.Box
	for _, x := range a {
		found := false
		for _, y := range b {
			found = found || x == y
		}
		if !found && !x.Empty() {
			out = append(out, x)
		}
	}
	return out
}

// mark sorts the changed tiles of d into masked, presentation and progress, and computes Box and Share.
func mark(d *cua.TileDiff, o CompareOptions, c Config, scale float64) {
	ambient, shown, styled := newCover(d, len(o.Ambient)), newCover(d, len(o.Presentation)),
		newCover(d, len(o.Restyled))
	for _, b := range o.Restyled {
		styled.add(b, scale)
	}
	for _, b := range o.Ambient {
		ambient.add(b, scale)
	}
	for _, b := range o.Presentation {
		shown.add(b.Grow(float64(c.RingPx)), scale)
	}
	left := 0
	var bounds cua.Box
	for _, t := range d.Changed {
		if o.Churn.Tiles[t] || ambient.has(t) {
			d.Masked = append(d.Masked, t)
			continue
		}
		if shown.has(t) && !styled.has(t) {
			d.Presentation = append(d.Presentation, t)
		}
		bounds = union(bounds, d.TileBox(t))
		left++
	}
	if left == 0 {
		return
	}
	d.Share = float64(left) / float64(d.Cols*d.Rows)
	d.Box = cua.Box{X: bounds.X / scale, Y: bounds.Y / scale, W: bounds.W / scale, H: bounds.H / scale}
}

// cover are the tiles that some boxes touch; nil is none.
type cover struct {
	cols, rows int
	touched    []bool
}

func newCover(d *cua.TileDiff, boxes int) cover {
	if boxes == 0 {
		return cover{}
	}
	return cover{cols: d.Cols, rows: d.Rows, touched: make([]bool, d.Cols*d.Rows)}
}

func (c cover) has(t int) bool { return c.touched != nil && c.touched[t] }

// add adds the tiles under b, CSS px. A box comes from the page and may have any values.
func (c cover) add(b cua.Box, scale float64) {
	if b.Empty() {
		return
	}
	x0, x1 := span(b.X*scale, (b.X+b.W)*scale, c.cols)
	y0, y1 := span(b.Y*scale, (b.Y+b.H)*scale, c.rows)
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			c.touched[y*c.cols+x] = true
		}
	}
}

// span is the range of tiles from low to high px, clamped to n. It is empty for NaN.
func span(low, high float64, n int) (from, to int) {
	if !(low < high) {
		return 0, 0
	}
	clamp := func(v float64) int { return int(min(max(v, 0), float64(n))) }
	return clamp(math.Floor(low / cua.TileSize)), clamp(math.Ceil(high / cua.TileSize))
}

func union(a, b cua.Box) cua.Box {
	if a.Empty() {
		return b
	}
	x, y := min(a.X, b.X), min(a.Y, b.Y)
	return cua.Box{X: x, Y: y, W: max(a.X+a.W, b.X+b.W) - x, H: max(a.Y+a.H, b.Y+b.H) - y}
}

// region is the square around p in pixels of the frame; p is in CSS px.
func region(p cua.Point, c Config, scale float64) cua.Box {
	half := float64(c.RegionPx) / 2
	return cua.Box{X: (p.X - half) * scale, Y: (p.Y - half) * scale, W: 2 * half * scale, H: 2 * half * scale}
}

// regionChanged reports whether a pixel inside r changed in a tile of progress. r is clamped to the frame.
func regionChanged(before, after *Frame, d *cua.TileDiff, r cua.Box, tol int) bool {
	for _, t := range d.Changed {
		b := d.TileBox(t)
		if !b.Overlaps(r) || d.Masked.Has(t) || d.Presentation.Has(t) {
			continue
		}
		x0, x1 := int(max(b.X, r.X)), min(int(math.Ceil(min(b.X+b.W, r.X+r.W))), after.W)
		y0, y1 := int(max(b.Y, r.Y)), min(int(math.Ceil(min(b.Y+b.H, r.Y+r.H))), after.H)
		for y := y0; y < y1; y++ {
			if differs(before.rows[y][4*x0:4*x1], after.rows[y][4*x0:4*x1], tol) {
				return true
			}
		}
	}
	return false
}
