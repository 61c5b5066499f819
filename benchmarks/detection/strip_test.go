package detection_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
	"github.com/cua-runner/cua-runner/trajectories"
)

// strip is what the template shows.
type strip struct {
	Case          string // what is played, with its seed
	Shape, Others string
	W, H          int // of a frame
	Cards         []still
	Style         template.CSS
}

// still is one step.
type still struct {
	N             int
	Level         cua.Level // that holds after the step
	Chip          string    // said where a level first holds
	Frame         string    // class of the frame before the step
	Place         template.CSS
	Mark, Box     template.CSS   // "" is none
	Trail         []template.CSS // earlier marks
	Words, Effect string
	Idle          bool // no effect
}

// first is the first step after which a signal of level l or above held; 0 is none.
func (s strip) first(l cua.Level) (n int, ok bool) {
	i := slices.IndexFunc(s.Cards, func(c still) bool { return c.Level.AtLeast(l) })
	if i < 0 {
		return 0, false
	}
	return s.Cards[i].N, true
}

// cardW is how wide a frame is in the picture, CSS px; columns are how many stand in a row.
const (
	cardW   = 220
	columns = 5
)

// height is how high a frame is in the picture, CSS px.
func (f film) height() int { return int(f.part.H * f.zoom()) }

func (f film) strip(t *testing.T, tr *trajectories.Trajectory) strip {
	t.Helper()
	h := tr.History()
	f.part = f.aimed(h)
	s := strip{Case: fmt.Sprintf("%s, seed %d", f.task, f.seed), Shape: string(f.shape), W: cardW,
		H: f.height()}
	if f.script != nil {
		s.Case = "on the page of " + s.Case
	}
	onsets := detector.Shapes(detector.DefaultConfig()).Score(h, tr.End.Reason).Onsets
	s.Others = others(onsets, f.shape)
	frames := map[string]bool{}
	var trail []template.CSS
	var style strings.Builder
	for i := range h.Steps {
		before := h.Before(i)
		c := still{N: h.Steps[i].N, Words: did(&h.Steps[i]), Frame: "f" + before.FrameSHA}
		c.Effect, c.Idle = came(&h.Steps[i])
		c.Place, c.Mark, c.Box = f.place(), f.mark(&h.Steps[i]), f.box(&h.Steps[i])
		if f.trail {
			c.Trail = slices.Clone(trail)
			trail = append(trail, c.Mark)
		}
		for _, o := range onsets {
			if o.Shape != f.shape || c.N < o.Step || c.N > o.Last || c.Level.AtLeast(o.Level) {
				continue
			}
			if c.Level = o.Level; c.N == o.Step {
				c.Chip = string(o.Level)
			}
		}
		s.Cards = append(s.Cards, c)
		if !frames[before.FrameSHA] {
			frames[before.FrameSHA] = true
			raw, err := tr.Blob(before.FrameSHA)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&style, ".%s{background-image:url(\"data:%s;base64,%s\")}\n", c.Frame,
				http.DetectContentType(raw), base64.StdEncoding.EncodeToString(raw))
		}
	}
	s.Style = template.CSS(style.String())
	return s
}

// others says which other shapes gave a signal, and when.
func others(onsets []detector.Onset, but cua.Shape) string {
	var out []string
	said := map[string]bool{}
	for _, o := range onsets {
		if key := fmt.Sprint(o.Shape, o.Level); o.Shape != but && !said[key] {
			said[key] = true
			out = append(out, fmt.Sprintf("%s %s after step %d", o.Shape, o.Level, o.Step))
		}
	}
	return strings.Join(out, ", ")
}

func pressedAt(s *cua.Step) *cua.Point {
	switch {
	case s.Proposed.Point != nil:
		return s.Proposed.Point
	case s.Target.Point != nil:
		return s.Target.Point
	case !s.Target.Box.Empty():
		p := s.Target.Box.Center()
		return &p
	}
	return nil
}

// aimed is the part that is shown of a run.
func (f film) aimed(h cua.History) cua.Box {
	out, size := f.part, h.Start.Viewport
	p := pressedAt(&h.Steps[0])
	if p != nil && out.X == 0 && out.Y == 0 {
		out.X = min(max(p.X-out.W/2, 0), float64(size.W)-out.W)
		out.Y = min(max(p.Y-out.H/2, 0), float64(size.H)-out.H)
	}
	return out
}

// zoom is how large a pixel of the page is in the picture.
func (f film) zoom() float64 { return cardW / f.part.W }

// place is how a frame lies behind its part.
func (f film) place() template.CSS {
	z := f.zoom()
	return template.CSS(fmt.Sprintf("background-size:%.1fpx auto;background-position:%.1fpx %.1fpx", 1280*z,
		-f.part.X*z, -f.part.Y*z))
}

// mark is where the pointer pressed; "" is nowhere.
func (f film) mark(s *cua.Step) template.CSS {
	p := pressedAt(s)
	if p == nil || !s.Proposed.Kind.Pointer() {
		return ""
	}
	return template.CSS(fmt.Sprintf("left:%.1fpx;top:%.1fpx", (p.X-f.part.X)*f.zoom(),
		(p.Y-f.part.Y)*f.zoom()))
}

// box is around the target of what has no point; "" is none.
func (f film) box(s *cua.Step) template.CSS {
	b, z := s.Target.Box, f.zoom()
	if b.Empty() || s.Proposed.Kind.Pointer() {
		return ""
	}
	return template.CSS(fmt.Sprintf("left:%.1fpx;top:%.1fpx;width:%.1fpx;height:%.1fpx", (b.X-f.part.X)*z,
		(b.Y-f.part.Y)*z, b.W*z, b.H*z))
}

// did is a step's action in a few words.
func did(s *cua.Step) string {
	a := s.Proposed
	switch {
	case a.Kind == cua.Wait:
		return fmt.Sprintf("wait %g s", float64(a.MS)/1000)
	case a.Kind == cua.Scroll:
		return fmt.Sprintf("scroll by %g px", a.DY)
	case a.Keys != "":
		return "key " + a.Keys
	case a.URL != "":
		return "navigate elsewhere"
	case a.Text != "":
		return fmt.Sprintf("%s “%s”", a.Kind, a.Text)
	case s.Target.Name != "":
		return fmt.Sprintf("%s “%s”", strings.ReplaceAll(string(a.Kind), "_", " "), s.Target.Name)
	case a.Mark > 0:
		return fmt.Sprintf("%s mark %d", a.Kind, a.Mark)
	case a.Point != nil:
		return fmt.Sprintf("%s at %g, %g", a.Kind, a.Point.X, a.Point.Y)
	}
	return strings.ReplaceAll(string(a.Kind), "_", " ")
}

// came is the outcome of a step; idle says that it was nothing.
func came(s *cua.Step) (words string, idle bool) {
	switch {
	case s.Failure != nil:
		return strings.ReplaceAll(string(s.Failure.Kind), "_", " "), true
	case s.Effect == nil:
		return "effect unknown", false
	case !s.Effect.Any():
		return "no effect", true
	}
	words = "effect:"
	for _, c := range s.Effect.Progress {
		words += " " + string(c)
	}
	return words, false
}

// photograph renders a strip in the browser and gives its pixels with few colours.
func photograph(t *testing.T, b *browser.Browser, s strip) []byte {
	t.Helper()
	page, err := template.ParseFiles(filepath.Join("testdata", "strip.html"))
	if err != nil {
		t.Fatal(err)
	}
	var html bytes.Buffer
	if err := page.Execute(&html, s); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(html.Bytes())
	}))
	defer server.Close()
	rows := (len(s.Cards) + columns - 1) / columns
	height := 42 + rows*(s.H+64) + 4
	if s.Others != "" {
		height += 24
	}
	session, err := b.NewSession(t.Context(), browser.SessionOptions{Viewport: cua.Size{W: 1180, H: height}})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	o, err := session.Reset(t.Context(), cua.Task{ID: "strip", URL: server.URL,
		Allow: []string{server.Listener.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	shot, _, err := image.Decode(bytes.NewReader(o.Shot.Data))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, fewer(shot)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// fewer is m in the 256 colours that it has most of; each other becomes the nearest of them.
func fewer(m image.Image) image.Image {
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(m.At(x, y)).(color.RGBA) }
	r := m.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	var colours []color.RGBA
	for c := range count {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	var palette color.Palette
	for _, c := range colours[:min(256, len(colours))] {
		palette = append(palette, c)
	}
	out := image.NewPaletted(r, palette)
	index := map[color.RGBA]uint8{}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c := at(x, y)
			i, ok := index[c]
			if !ok {
				i = uint8(palette.Index(c))
				index[c] = i
			}
			out.SetColorIndex(x, y, i)
		}
	}
	return out
}
