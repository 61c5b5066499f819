package perceptual

import (
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

func TestCompare(t *testing.T) {
	before := fromImage(screen())
	at := &cua.Point{X: 1000, Y: 300}
	char := func(i *image.RGBA) { fill(i, 1000, 300, 7, 11, ink) }
	jitter := func(i *image.RGBA) {
		for p := range i.Pix {
			if p%4 != 3 {
				i.Pix[p] ^= uint8(p) & 7
			}
		}
	}
	corner := func(i *image.RGBA) { fill(i, 1279, 799, 1, 1, ink) }
	charTile := cua.TileSet{9*40 + 31} // column 31, row 9
	rows := []struct {
		name     string
		paint    func(*image.RGBA)
		o        CompareOptions
		changed  cua.TileSet
		masked   cua.TileSet
		shown    cua.TileSet
		region   bool
		progress bool
	}{
		{name: "nothing", paint: func(*image.RGBA) {}, o: CompareOptions{Point: at}},
		{name: "one character", paint: char, o: CompareOptions{Point: at}, changed: charTile, region: true, progress: true},
		{name: "far from the point", paint: char, o: CompareOptions{Point: &cua.Point{X: 100, Y: 300}}, changed: charTile, progress: true},
		{name: "without a point", paint: char, changed: charTile, progress: true},
		{name: "in a tile that the region only touches, outside of it", paint: char, o: CompareOptions{Point: &cua.Point{X: 899, Y: 300}},
			changed: charTile, progress: true},
		{name: "one pixel within it", paint: char, o: CompareOptions{Point: &cua.Point{X: 901, Y: 300}}, changed: charTile, region: true, progress: true},
		{name: "churn", paint: char, o: CompareOptions{Point: at, Churn: cua.ChurnMask{Tiles: map[int]bool{charTile[0]: true}}},
			changed: charTile, masked: charTile},
		{name: "ambient", paint: char, o: CompareOptions{Point: at, Ambient: []cua.Box{{X: 990, Y: 290, W: 24, H: 24}}},
			changed: charTile, masked: charTile},
		{name: "ambient elsewhere", paint: char, o: CompareOptions{Point: at, Ambient: []cua.Box{{X: 0, Y: 0, W: 24, H: 24}}},
			changed: charTile, region: true, progress: true},
		{name: "inside the focused field", paint: char, o: CompareOptions{Point: at, Presentation: []cua.Box{{X: 990, Y: 290, W: 200, H: 24}}},
			changed: charTile, shown: charTile},
		{name: "a ring around the field", paint: char, o: CompareOptions{Presentation: []cua.Box{{X: 1024, Y: 290, W: 100, H: 24}}},
			changed: charTile, shown: charTile},
		{name: "a box that is no box", paint: char, o: CompareOptions{Ambient: []cua.Box{{X: math.NaN(), Y: math.Inf(1), W: 5, H: 5}, {W: -5, H: 5}}},
			changed: charTile, progress: true},
		{name: "the whole viewport moves by itself", paint: char, o: CompareOptions{Ambient: []cua.Box{{X: -1e9, Y: -1e9, W: 1e10, H: 1e10}}},
			changed: charTile, masked: charTile},
		{name: "raster jitter", paint: jitter, o: CompareOptions{Point: at}},
		{name: "the last pixel", paint: corner, o: CompareOptions{Point: &cua.Point{X: 1279, Y: 799}}, changed: cua.TileSet{999}, region: true, progress: true},
		{name: "a device pixel ratio of two", paint: char, o: CompareOptions{Point: &cua.Point{X: 500, Y: 150}, Viewport: cua.Size{W: 640, H: 400},
			Ambient: []cua.Box{{X: 495, Y: 145, W: 12, H: 12}}}, changed: charTile, masked: charTile},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			d := Compare(before, with(row.paint), row.o, DefaultConfig())
			if d.Cols != 40 || d.Rows != 25 {
				t.Errorf("grid %d×%d", d.Cols, d.Rows)
			}
			if !slices.Equal(d.Changed, row.changed) || !slices.Equal(d.Masked, row.masked) ||
				!slices.Equal(d.Presentation, row.shown) {
				t.Errorf("changed %v, masked %v, presentation %v, want %v, %v, %v", d.Changed, d.Masked,
					d.Presentation, row.changed, row.masked, row.shown)
			}
			if d.Region != row.region || len(d.Progress()) > 0 != row.progress {
				t.Errorf("region %v, progress %v, want %v, %v", d.Region, d.Progress(), row.region,
					row.progress)
			}
			left := len(row.changed) - len(row.masked)
			if d.Share != float64(left)/1000 || d.Box.Empty() != (left == 0) {
				t.Errorf("share %v, box %v of %d tiles", d.Share, d.Box, left)
			}
		})
	}
}

// TestCompareRestyled: what a press has given another look is a result, though the press put focus
// and pointer there.
func TestCompareRestyled(t *testing.T) {
	o := CompareOptions{Presentation: []cua.Box{{X: 990, Y: 290, W: 40, H: 40}}}
	change := with(func(i *image.RGBA) { fill(i, 1000, 300, 7, 11, ink) })
	if d := Compare(fromImage(screen()), change, o, DefaultConfig()); len(d.Progress()) > 0 ||
		len(d.Presentation) == 0 {
		t.Errorf("progress %v, presentation %v, want presentation alone", d.Progress(), d.Presentation)
	}
	o.Restyled = []cua.Box{{X: 995, Y: 295, W: 20, H: 20}}
	if d := Compare(fromImage(screen()), change, o, DefaultConfig()); len(d.Progress()) == 0 ||
		len(d.Presentation) > 0 {
		t.Errorf("progress %v, presentation %v, want progress alone", d.Progress(), d.Presentation)
	}
}

func TestCompareBox(t *testing.T) {
	d := Compare(fromImage(screen()), with(func(i *image.RGBA) {
		fill(i, 1000, 300, 7, 11, ink)
		fill(i, 40, 70, 4, 4, ink)
	}), CompareOptions{Viewport: cua.Size{W: 640, H: 400}}, DefaultConfig())
	if want := (cua.Box{X: 16, Y: 32, W: 496, H: 128}); d.Box != want {
		t.Errorf("box %v, want %v in CSS px", d.Box, want)
	}
}

func TestCompareSizes(t *testing.T) {
	small := fromImage(image.NewRGBA(image.Rect(0, 0, 100, 70)))
	d := Compare(fromImage(screen()), small, CompareOptions{Point: &cua.Point{X: 5, Y: 5},
		Churn: cua.ChurnMask{Tiles: map[int]bool{0: true}}}, DefaultConfig())
	if d.Cols != 4 || d.Rows != 3 || len(d.Changed) != 12 || len(d.Masked) != 0 || d.Share != 1 || !d.Region {
		t.Errorf("difference %+v, want everything changed", d)
	}
}

// TestCompareProperties: the tiles are those that a pixel by pixel comparison finds.
func TestCompareProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 100).Draw(t, "w"), rapid.IntRange(1, 100).Draw(t, "h")
		a, b := image.NewRGBA(image.Rect(0, 0, w, h)), image.NewRGBA(image.Rect(0, 0, w, h))
		want := map[int]bool{}
		p := cua.Point{X: float64(rapid.IntRange(0, w-1).Draw(t, "px")),
			Y: float64(rapid.IntRange(0, h-1).Draw(t, "py"))}
		c := DefaultConfig()
		c.RegionPx = 20
		region := false
		for range rapid.IntRange(0, 6).Draw(t, "changes") {
			x, y := rapid.IntRange(0, w-1).Draw(t, "x"), rapid.IntRange(0, h-1).Draw(t, "y")
			v := rapid.Uint8().Draw(t, "value")
			b.SetRGBA(x, y, color.RGBA{A: v})
		}
		for y := range h {
			for x := range w {
				if b.RGBAAt(x, y).A > uint8(c.TolPixel) {
					want[y/32*tiles(w)+x/32] = true
					fx, fy := float64(x), float64(y)
					region = region || fx >= p.X-10 && fx < p.X+10 && fy >= p.Y-10 && fy < p.Y+10
				}
			}
		}
		d := Compare(fromImage(a), fromImage(b), CompareOptions{Point: &p}, c)
		if len(d.Changed) != len(want) || !slices.IsSorted(d.Changed) || d.Region != region {
			t.Fatalf("tiles %v, region %v, want %v, %v", d.Changed, d.Region, want, region)
		}
		for _, tile := range d.Changed {
			if !want[tile] {
				t.Fatalf("tile %d did not change", tile)
			}
		}
		if back := Compare(fromImage(b), fromImage(a), CompareOptions{Point: &p},
			c); !slices.Equal(back.Changed, d.Changed) {
			t.Fatalf("backwards %v, forwards %v", back.Changed, d.Changed)
		}
	})
}

func TestPresentationBoxes(t *testing.T) {
	name, mail := &cua.Field{ID: "name", Box: cua.Box{X: 1, W: 10, H: 10}},
		&cua.Field{ID: "mail", Box: cua.Box{X: 2, W: 10, H: 10}}
	moved := &cua.Field{ID: "name", Box: cua.Box{X: 50, W: 10, H: 10}}
	ringed := &cua.Field{ID: "name", Box: name.Box, Ring: true}
	wrong := &cua.Field{ID: "zip", Box: cua.Box{X: 200, Y: 300, W: 50, H: 20}, Invalid: "bad"}
	hover := cua.Box{X: 3, W: 5, H: 5}
	rows := []struct {
		name          string
		before, after cua.Observation
		want          []cua.Box
	}{
		{"nothing", cua.Observation{}, cua.Observation{}, nil},
		{"focus gained", cua.Observation{}, cua.Observation{Focus: name}, []cua.Box{name.Box}},
		{"focus lost", cua.Observation{Focus: name}, cua.Observation{}, []cua.Box{name.Box}},
		{"focus moved", cua.Observation{Focus: name}, cua.Observation{Focus: mail}, []cua.Box{name.Box, mail.Box}},
		{"focus kept: what changes in it is a result", cua.Observation{Focus: name}, cua.Observation{Focus: moved}, nil},
		{"the ring turns on where the focus stays", cua.Observation{Focus: name}, cua.Observation{Focus: ringed}, []cua.Box{name.Box, name.Box}},
		{"hover gained", cua.Observation{}, cua.Observation{Hover: []cua.Box{hover}}, []cua.Box{hover}},
		{"hover lost", cua.Observation{Hover: []cua.Box{hover}}, cua.Observation{}, []cua.Box{hover}},
		{"hover kept", cua.Observation{Hover: []cua.Box{hover}}, cua.Observation{Hover: []cua.Box{hover}}, nil},
		{"text selected", cua.Observation{}, cua.Observation{Selected: []cua.Box{hover}}, []cua.Box{hover}},
		{"text selected no more", cua.Observation{Selected: []cua.Box{hover}}, cua.Observation{}, []cua.Box{hover}},
		{"text selected still", cua.Observation{Selected: []cua.Box{hover}}, cua.Observation{Selected: []cua.Box{hover}}, nil},
		{"the hint at a field that is not valid", cua.Observation{Focus: wrong}, cua.Observation{Focus: wrong}, []cua.Box{
			{X: 120, Y: 220, W: 80 + 9*3 + 160, H: 180}, {X: 120, Y: 220, W: 80 + 9*3 + 160, H: 180}}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := PresentationBoxes(&row.before, &row.after); !slices.Equal(got, row.want) {
				t.Errorf("boxes %v, want %v", got, row.want)
			}
		})
	}
}
