package model

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // frames may be JPEG
	"image/png"
	"math"

	"golang.org/x/image/draw"

	"github.com/cua-runner/cua-runner/cua"
)

// Limit limits the picture for a model. A zero field means no limit.
type Limit struct {
	// LongEdge is the maximum of the longer edge, px.
	LongEdge int
	// Pixels is the maximum of width times height.
	Pixels int
	// patches is the maximum of ceil(w/Patch)·ceil(h/Patch), the unit that many vendors count.
	Patch   int
	Patches int
	// Factor rounds both edges to multiples of it (the models' smart_resize). With it, a picture with
	// fewer than MinPixels is enlarged to MinPixels.
	Factor    int
	MinPixels int
}

// UsualView is the viewport of a page whose viewport is not known yet.
var UsualView = cua.Size{W: 1280, H: 800}

// Screen is the geometry of the picture for a model. It converts the model's coordinates to the viewport
// and back.
type Screen struct {
	// View is the viewport, CSS pixels. Size is the size of the picture, px.
	View, Size cua.Size
	// Grid is the number of units along each edge if the model uses a grid, for example 1000; 0 means
	// pixels of the picture.
	Grid int
}

// Fit is the largest screen within l with the proportions of view. It is enlarged only to reach
// l.MinPixels. The picture is at least one pixel (one factor) wide and high.
func Fit(view cua.Size, l Limit, grid int) Screen {
	s := Screen{View: view, Size: view, Grid: grid}
	if view.W < 1 || view.H < 1 {
		return s
	}
	scale := 1.0
	if long := max(view.W, view.H); l.LongEdge > 0 && long > l.LongEdge {
		scale = float64(l.LongEdge) / float64(long)
	}
	if area := float64(view.W) * float64(view.H); l.Pixels > 0 && area*scale*scale > float64(l.Pixels) {
		scale = math.Sqrt(float64(l.Pixels) / area)
	} else if l.Factor > 0 && area*scale*scale < float64(l.MinPixels) {
		scale = math.Sqrt(float64(l.MinPixels) / area)
	}
	s.Size = l.sized(view, scale)
	for i := 0; i < 10_000 && !l.holds(s.Size) && max(s.Size.W, s.Size.H) > max(l.Factor, 1); i++ {
		scale *= 0.995
		s.Size = l.sized(view, scale)
	}
	return s
}

// sized is view times scale, rounded to multiples of the factor if there is one.
func (l Limit) sized(view cua.Size, scale float64) cua.Size {
	edge := func(n int) int {
		v := float64(n) * scale
		if l.Factor > 1 {
			return max(int(math.Round(v/float64(l.Factor))), 1) * l.Factor
		}
		return max(int(v), 1)
	}
	return cua.Size{W: edge(view.W), H: edge(view.H)}
}

// holds reports whether a picture of that size is within the limit.
func (l Limit) holds(s cua.Size) bool {
	if l.LongEdge > 0 && max(s.W, s.H) > l.LongEdge || l.Pixels > 0 && s.W*s.H > l.Pixels {
		return false
	}
	return l.Patch < 1 || l.Patches < 1 || patches(s, l.Patch) <= l.Patches
}

// patches is the number of square patches with that edge that cover a picture.
func patches(s cua.Size, patch int) int {
	return ((s.W + patch - 1) / patch) * ((s.H + patch - 1) / patch)
}

// units are the numbers of units along the edges.
func (s Screen) units() (w, h float64) {
	if s.Grid > 0 {
		return float64(s.Grid), float64(s.Grid)
	}
	return float64(s.Size.W), float64(s.Size.H)
}

// Point converts the model's x, y to the viewport: the centre of that pixel of the picture, or that line
// of the grid. A point outside the picture is a failure. The last line of a grid counts as inside.
func (s Screen) Point(x, y float64) (cua.Point, *cua.Failure) {
	w, h := s.units()
	end := 0.0 // pixels count from 0 to w-1
	if s.Grid > 0 {
		end = 1
	}
	if !(x >= 0 && y >= 0 && x < w+end && y < h+end) {
		return cua.Point{}, Bad("the point %v,%v lies outside of 0,0 to %v,%v", x, y, w-1+end, h-1+end)
	}
	return cua.Point{X: s.along(x, w, s.View.W), Y: s.along(y, h, s.View.H)}, nil
}

// Clamp is Point for models that are known to point past the edge: a point outside is moved to the edge,
// and moved is true. NaN is still a failure.
func (s Screen) Clamp(x, y float64) (p cua.Point, moved bool, f *cua.Failure) {
	w, h := s.units()
	cx, cy := min(max(x, 0), w-1), min(max(y, 0), h-1)
	p, f = s.Point(cx, cy)
	return p, cx != x || cy != y, f
}

// along converts one coordinate.
func (s Screen) along(v, units float64, view int) float64 {
	edge := float64(view)
	out := v * edge / units
	if s.Grid == 0 {
		out = (v+0.5)*edge/units - 0.5
	}
	return min(max(out, 0), edge-1)
}

// Units is the inverse of Point: the coordinates of p in the model's space, rounded to whole units.
func (s Screen) Units(p cua.Point) (x, y int) {
	w, h := s.units()
	back := func(v, units float64, view int) int {
		out := v * units / float64(view)
		if s.Grid == 0 {
			out = (v+0.5)*units/float64(view) - 0.5
		}
		return int(min(max(math.Round(out), 0), units-1))
	}
	return back(p.X, w, s.View.W), back(p.Y, h, s.View.H)
}

// Limits of a decoded frame. The browser's own frames are far smaller.
const (
	maxShotBytes  = 32 << 20
	maxShotPixels = 64 << 20
)

// Blank is a white picture of the size of the screen, for a wire that requires a picture when none could
// be taken, for example while a dialog is open from the beginning.
func (s Screen) Blank() (cua.Shot, error) {
	img := image.NewGray(image.Rect(0, 0, max(s.Size.W, 1), max(s.Size.H, 1)))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return cua.Shot{}, fmt.Errorf("model: writing a picture: %w", err)
	}
	return cua.Shot{Data: b.Bytes(), Mime: "image/png"}, nil
}

// Picture is shot scaled to the screen, as PNG, with marks drawn on it. A shot of that size is returned
// unchanged if there are no marks.
func (s Screen) Picture(shot cua.Shot, marks []cua.Mark) (cua.Shot, error) {
	if len(shot.Data) > maxShotBytes {
		return cua.Shot{}, fmt.Errorf("model: a frame of %d bytes is too large", len(shot.Data))
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(shot.Data))
	if err != nil {
		return cua.Shot{}, fmt.Errorf("model: reading a frame: %w", err)
	}
	if c.Width*c.Height > maxShotPixels {
		return cua.Shot{}, fmt.Errorf("model: a frame of %d×%d pixels is too large", c.Width, c.Height)
	}
	if c.Width == s.Size.W && c.Height == s.Size.H && len(marks) == 0 {
		return shot, nil
	}
	img, _, err := image.Decode(bytes.NewReader(shot.Data))
	if err != nil {
		return cua.Shot{}, fmt.Errorf("model: reading a frame: %w", err)
	}
	out := image.NewRGBA(image.Rect(0, 0, s.Size.W, s.Size.H))
	if c.Width == s.Size.W && c.Height == s.Size.H {
		draw.Draw(out, out.Bounds(), img, img.Bounds().Min, draw.Src)
	} else {
		draw.CatmullRom.Scale(out, out.Bounds(), img, img.Bounds(), draw.Src, nil)
	}
	s.drawMarks(out, marks)
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, out); err != nil {
		return cua.Shot{}, fmt.Errorf("model: writing a frame: %w", err)
	}
	return cua.Shot{Data: b.Bytes(), Mime: "image/png"}, nil
}
