package model

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// limits draws one that a vendor might have.
func limits(t *rapid.T) Limit {
	l := Limit{}
	if rapid.Bool().Draw(t, "edge") {
		l.LongEdge = rapid.IntRange(256, 4096).Draw(t, "long")
	}
	if rapid.Bool().Draw(t, "area") {
		l.Pixels = rapid.IntRange(64*64, 4_000_000).Draw(t, "pixels")
	}
	if rapid.Bool().Draw(t, "patched") {
		l.Patch = rapid.SampledFrom([]int{14, 28, 32}).Draw(t, "patch")
		l.Patches = rapid.IntRange(100, 6000).Draw(t, "patches")
	}
	if rapid.Bool().Draw(t, "smart") {
		l.Factor = rapid.SampledFrom([]int{28, 32}).Draw(t, "factor")
		l.MinPixels = rapid.SampledFrom([]int{0, 3136, 65536}).Draw(t, "least")
	}
	return l
}

// TestPointsComeBack: a point of the viewport, told in the model's units and read back, is where it was:
// within one CSS pixel, or half a unit where the picture or the grid is coarser than two pixels to the unit,
// and a whole one past the last line of a grid, which is 999 of 1000. The model's words are read without any
// loss.
func TestPointsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		view := cua.Size{W: rapid.IntRange(64, 8192).Draw(t, "w"), H: rapid.IntRange(64, 8192).Draw(t, "h")}
		s := Fit(view, limits(t), rapid.SampledFrom([]int{0, 0, 1000}).Draw(t, "grid"))
		p := cua.Point{X: rapid.Float64Range(0, float64(view.W-1)).Draw(t, "x"),
			Y: rapid.Float64Range(0, float64(view.H-1)).Draw(t, "y")}
		x, y := s.Units(p)
		back, f := s.Point(float64(x), float64(y))
		if f != nil {
			t.Fatalf("%v is %d,%d on %v: %v", p, x, y, s, f)
		}
		w, h := s.units()
		for _, d := range []struct{ was, is, unit, end float64 }{{p.X, back.X, float64(view.W) / w, w},
			{p.Y, back.Y, float64(view.H) / h, h}} {
			most := d.unit / 2
			if s.Grid > 0 && d.was > (d.end-1)*d.unit {
				most = d.unit
			}
			if math.Abs(d.was-d.is) > max(1, most)+1e-6 {
				t.Fatalf("%v came back as %v on %+v", p, back, s)
			}
		}
		ax, ay := s.Units(back)
		if ax != x || ay != y {
			t.Fatalf("the model's %d,%d is %v, which it would call %d,%d", x, y, back, ax, ay)
		}
		if (cua.Action{Kind: cua.Click, Point: &back}).Validate(view) != nil {
			t.Fatalf("%v is outside of %v", back, view)
		}
	})
}

func TestPicturesAreWithinTheirLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		view := cua.Size{W: rapid.IntRange(64, 8192).Draw(t, "w"), H: rapid.IntRange(64, 8192).Draw(t, "h")}
		l := limits(t)
		s := Fit(view, l, 0)
		if !l.holds(s.Size) {
			t.Fatalf("%v of %v breaks %+v", s.Size, view, l)
		}
		if l.Factor > 0 && (s.Size.W%l.Factor != 0 || s.Size.H%l.Factor != 0) {
			t.Fatalf("%v is no multiple of %d", s.Size, l.Factor)
		}
		if l.Factor == 0 && (s.Size.W > view.W || s.Size.H > view.H) {
			t.Fatalf("%v was enlarged to %v", view, s.Size)
		}
	})
}

func TestTheUsualViewportIsSentAsItIs(t *testing.T) {
	view := cua.Size{W: 1280, H: 800}
	for name, l := range map[string]Limit{
		"none": {}, "1568 px and 1568 patches of 28": {LongEdge: 1568, Patch: 28, Patches: 1568}, "2576 px": {LongEdge: 2576, Patch: 28, Patches: 4784},
	} {
		if s := Fit(view, l, 0); s.Size != view {
			t.Errorf("%s: %v", name, s.Size)
		}
		s := Fit(view, l, 0)
		for _, p := range []cua.Point{{X: 0, Y: 0}, {X: 640, Y: 400}, {X: 1279, Y: 799}} {
			if got, f := s.Point(p.X, p.Y); f != nil || got != p {
				t.Errorf("%s: %v is %v %v", name, p, got, f)
			}
		}
	}
	if n := patches(view, 28); n != 46*29 {
		t.Errorf("%d patches", n)
	}
}

func TestPointsOutside(t *testing.T) {
	pixels, grid := Fit(cua.Size{W: 1280, H: 800}, Limit{}, 0), Fit(cua.Size{W: 1280, H: 800}, Limit{}, 1000)
	for _, row := range []struct {
		name string
		s    Screen
		x, y float64
		ok   bool
		want cua.Point // when it is clamped
	}{
		{"right of the picture", pixels, 1280, 10, false, cua.Point{X: 1279, Y: 10}},
		{"above it", pixels, 10, -1, false, cua.Point{X: 10, Y: 0}},
		{"the end of the grid", grid, 1000, 1000, true, cua.Point{X: 1278.72, Y: 799}},
		{"past the grid", grid, 1001, 500, false, cua.Point{X: 1278.72, Y: 400}},
		{"no number", grid, math.NaN(), 1, false, cua.Point{}},
		{"infinite", pixels, math.Inf(1), 1, false, cua.Point{X: 1279, Y: 1}},
	} {
		_, f := row.s.Point(row.x, row.y)
		if (f == nil) != row.ok {
			t.Errorf("%s: %v", row.name, f)
		}
		got, moved, f := row.s.Clamp(row.x, row.y)
		if math.IsNaN(row.x) {
			if f == nil {
				t.Errorf("%s is inside after all", row.name)
			}
			continue
		}
		if f != nil || !moved || math.Abs(got.X-row.want.X) > 1 || math.Abs(got.Y-row.want.Y) > 1 {
			t.Errorf("%s: clamped to %v (%v) %v, want %v", row.name, got, moved, f, row.want)
		}
	}
}

func TestPicture(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 400, 200))
	for x := range 400 {
		for y := range 200 {
			img.Set(x, y, color.White)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	shot := cua.Shot{Data: b.Bytes(), Mime: "image/png"}
	same, err := Fit(cua.Size{W: 400, H: 200}, Limit{}, 0).Picture(shot, nil)
	if err != nil || &same.Data[0] != &shot.Data[0] {
		t.Errorf("a picture that fits was made again: %v", err)
	}
	small, err := Fit(cua.Size{W: 400, H: 200}, Limit{LongEdge: 100}, 0).Picture(shot,
		[]cua.Mark{{N: 12, Box: cua.Box{X: 40, Y: 40, W: 80, H: 80}}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(bytes.NewReader(small.Data))
	if err != nil || got.Bounds().Dx() != 100 || got.Bounds().Dy() != 50 {
		t.Fatal(got.Bounds(), err)
	}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(got.At(x, y)).(color.RGBA) }
	if at(29, 20) != markColors[0] || at(60, 20) != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("the mark's edge is %v, beside it is %v", at(29, 20), at(60, 20))
	}
	for name, bad := range map[string][]byte{"no picture": []byte("GIF8 not really"), "empty": nil} {
		if _, err := Fit(cua.Size{W: 400, H: 200}, Limit{}, 0).Picture(cua.Shot{Data: bad}, nil); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestImagesAreDroppedInSteps(t *testing.T) {
	for _, row := range []struct{ keep, every, total, from int }{
		{0, 0, 50, 0}, {3, 0, 3, 0}, {3, 0, 4, 1}, {3, 5, 7, 0}, {3, 5, 8, 5}, {3, 5, 12, 5}, {3, 5, 13, 10},
	} {
		if got := (Images{row.keep, row.every}).From(row.total); got != row.from {
			t.Errorf("%+v: %d", row, got)
		}
	}
}

func TestPlacesAreToldInTheUnitsOfThePicture(t *testing.T) {
	view := cua.Size{W: 2560, H: 1600}
	for _, row := range []struct {
		name  string
		limit Limit
		grid  int
		want  string
	}{
		{"pixels of the viewport", Limit{}, 0, " at 1280,400\n"},
		{"a picture that is within the limit", Limit{LongEdge: 3000}, 0, " at 1280,400\n"},
		{"a picture that is half as large", Limit{LongEdge: 1280}, 0, " at 640,200\n"},
		{"a grid", Limit{LongEdge: 1920}, 1000, " at 500,250\n"},
	} {
		s := &script{replies: []Reply{calling(click(1)), calling(click(1))}}
		w := newWorld(t, s, brain.Options{})
		prompt := DefaultPrompt()
		prompt.Marks = true
		w.b = New(s, Config{By: signed, Prompt: prompt, Limit: row.limit, Grid: row.grid}, brain.Options{})
		w.turn.Now.Viewport = view
		w.turn.Now.Marks = []cua.Mark{{N: 1, Role: "button", Name: "Send",
			Box: cua.Box{X: 1270, Y: 390, W: 20, H: 20}}}
		at := cua.Action{Kind: cua.Click, Point: &cua.Point{X: 1280, Y: 400}}
		w.turn.History.Steps = []cua.Step{{N: 1, Proposed: at, Action: &at, By: "another"}}
		w.turn.Number = 2
		w.step(w.decide(), nil)
		w.decide()
		for n := range 2 {
			if !strings.Contains(s.said[n].Text, `[1] button "Send"`+row.want) {
				t.Errorf("%s: request %d: %q", row.name, n, s.said[n].Text)
			}
		}
		if !strings.Contains(s.said[0].Text, "- step 1: click"+row.want) {
			t.Errorf("%s: %q", row.name, s.said[0].Text)
		}
	}
}
