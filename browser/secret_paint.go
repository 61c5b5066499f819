package browser

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
)

// paintArgs say what a document looks for in order to have it painted over. No document is told a value:
// Prints are fingerprints of the spellings by their length, and A and B the bases of their two polynomials.
type paintArgs struct {
	A      int32              `json:"a"`
	B      int32              `json:"b"`
	Prints map[int][][2]int32 `json:"prints,omitzero"`
}

// painting is what a probe knows of what is painted over in pictures of its page.
type painting struct {
	args  *paintArgs
	known int // secrets that args is of
	// hidden are the places at the last read, in the top viewport; all means all of it.
	hidden []cua.Box
	// warped are the frames that are not shown as large as they are: in one of them a place is all of it.
	warped map[string]cua.Box
}

// secretRaw are the places of what is secret in one document, in its own viewport.
type secretRaw struct {
	Path  string   `json:"path"`
	Boxes []rawBox `json:"boxes"`
}

// prints are what documents look for; nil where the episode keeps no secrets and paints nothing over.
func (p *probe) prints() *paintArgs {
	if p.in.Secrets == nil {
		return nil
	}
	g := &p.paint
	b := sum(p.in.Key.now(), "the parts of pages that show a secret")
	next := paintArgs{A: int32(binary.LittleEndian.Uint32(b[:4]) | 1),
		B: int32(binary.LittleEndian.Uint32(b[4:8]) | 1), Prints: map[int][][2]int32{}}
	if g.args != nil && g.known == len(p.in.Secrets) && g.args.A == next.A && g.args.B == next.B {
		return g.args
	}
	for _, value := range p.in.Secrets {
		if len(value) < redact.MinLength {
			continue
		}
		for _, spelling := range redact.Spellings(value) {
			units := utf16.Encode([]rune(strings.Map(unparted, spelling.Text)))
			if len(units) >= redact.MinLength {
				mark := [2]int32{polynomial(units, next.A), polynomial(units, next.B)}
				next.Prints[len(units)] = append(next.Prints[len(units)], mark)
			}
		}
	}
	g.args, g.known = &next, len(p.in.Secrets)
	return g.args
}

// unparted leaves out what may part the characters of a spelling without changing how it reads (secrets.js).
func unparted(r rune) rune {
	if unicode.IsSpace(r) || r == '-' || r == '\u00ad' || r >= '\u200b' && r <= '\u200f' || r == '\u2060' ||
		r == '\ufeff' {
		return -1
	}
	return r
}

// polynomial is the value of a text in a base, modulo 2³².
func polynomial(units []uint16, base int32) (x int32) {
	for _, u := range units {
		x = x*base + int32(u)
	}
	return x
}

// everything is a place that holds all of any viewport.
var everything = cua.Box{X: -1e5, Y: -1e5, W: 2e5, H: 2e5}

// hide keeps what is to be painted over of a page that was read. A frame that did not answer may show
// anything.
func (g *painting) hide(frames map[string]placed) {
	g.hidden, g.warped = nil, map[string]cua.Box{}
	if g.args == nil {
		return
	}
	for _, f := range frames {
		for _, c := range f.Frames {
			if c.Warped {
				g.warped[c.Path] = shift(c.Shown.box(), f.dx, f.dy)
			}
			if _, answered := frames[c.Path]; !answered && len(g.args.Prints) > 0 {
				g.hidden = append(g.hidden, shift(c.Shown.box(), f.dx, f.dy))
			}
		}
	}
	for path, f := range frames {
		g.hidden = append(g.hidden, g.places(path, f.Secret, cua.Point{X: f.dx, Y: f.dy})...)
	}
}

// places are boxes of the document at path, whose viewport begins at off, in the top viewport.
func (g *painting) places(path string, boxes []rawBox, off cua.Point) (out []cua.Box) {
	for above, box := range g.warped {
		if len(boxes) > 0 && (path == above || strings.HasPrefix(path, above+"/")) {
			return []cua.Box{box}
		}
	}
	for _, b := range boxes {
		if !b.finite() {
			return []cua.Box{everything}
		}
		out = append(out, shift(b.box(), off.X, off.Y))
	}
	return out
}

// cover paints over in a frame what is secret in it. before is what is known of the page before the frame was
// taken, after what was found afterwards; asked false says that the page could not be asked then. If a box
// has moved between the two, all that lies between its places is painted over.
func (t *tab) cover(f *frames.Taken, after []cua.Box, asked bool) error {
	g := &t.probe.paint
	if g.args == nil || t.owner.opts.unpainted {
		return nil
	}
	boxes := g.hidden
	switch {
	case !asked && len(g.args.Prints) > 0:
		boxes = []cua.Box{everything}
	case !asked:
	case len(boxes) != len(after) || !sameBoxes(boxes, after):
		boxes = []cua.Box{hull(append(slices.Clone(boxes), after...))}
	}
	if len(boxes) == 0 {
		return nil
	}
	return t.frames.Cover(f, boxes, t.owner.b.scale)
}

// sameBoxes says whether a and b hold the same boxes, in any order.
func sameBoxes(a, b []cua.Box) bool {
	for _, x := range a {
		if !slices.Contains(b, x) {
			return false
		}
	}
	return true
}

// hull is the smallest box around all.
func hull(all []cua.Box) cua.Box {
	out := all[0]
	for _, b := range all[1:] {
		x, y := min(out.X, b.X), min(out.Y, b.Y)
		out = cua.Box{X: x, Y: y, W: max(out.X+out.W, b.X+b.W) - x, H: max(out.Y+out.H, b.Y+b.H) - y}
	}
	return out
}

// uncovered asks where the page shows what is secret now; false is that it cannot be asked.
func (t *tab) uncovered(ctx context.Context) ([]cua.Box, bool) {
	if t.probe.prints() == nil {
		return nil, true
	}
	m, err := t.probe.stirred(ctx)()
	return m.secret, err == nil
}
