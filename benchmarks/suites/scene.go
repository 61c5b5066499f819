package suites

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/gif"
	"math/rand/v2"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Scene is what the pages of the detectors' cases show beside words: where things are and in
// which of several ways they are built. Each page uses some of it.
type Scene struct {
	// Look is the way in which the page is built, one of its own.
	Look string
	// Style is what the thing that is pressed does under pointer and focus: a class.
	Style string
	// Name is that of the thing that is pressed.
	Name string
	// X, Y, W, H are the place of the board that the thing is on, CSS px.
	X, Y, W, H int
	// ClockMS is how often the clock ticks; 0 is no clock. Live is what turns beside it.
	ClockMS int
	Live    string
	GIF     template.URL
	// First is the number that ids start from. Renews is what is rendered again by each press: ""
	// nothing, "thing" or "page".
	First  int
	Renews string
	// Values are what a dial goes through, by the buttons Less and More.
	Values     []string
	Less, More string
	// Views are the pages of a cycle, or the two that are compared.
	Views []View
	// Words are the searches that have results.
	Words []string
}

// View is one of several pages; Link is the name of what leads on to the next.
type View struct {
	Title, Link string
	Rows        []Row
}

// Styles are the ways in which controls answer pointer and focus without doing anything.
func Styles(r *rand.Rand) string { return Pick(r, "bare", "hover", "ring", "push", "glide") }

// Board places the board below what the page has to say.
func (s *Scene) Board(r *rand.Rand) {
	s.W, s.H = Between(r, 220, 340), Between(r, 90, 130)
	s.X, s.Y = Between(r, 40, 1240-s.W), Between(r, 500, 780-s.H)
}

// At is a place on the board: its middle and so many px beside it.
func (s *Scene) At(dx, dy int) *cua.Point {
	return &cua.Point{X: float64(s.X + s.W/2 + dx), Y: float64(s.Y + s.H/2 + dy)}
}

// Alive gives the page a clock and something that turns.
func (s *Scene) Alive(r *rand.Rand) {
	s.ClockMS = Pick(r, 40, 100, 250, 500, 1000)
	s.Live = Pick(r, "css", "canvas", "gif", "svg")
	if s.Live == "gif" {
		s.GIF = spinning(Between(r, 4, 20))
	}
}

// spinning is a small picture that turns, as a data address; each of its frames lasts so many
// hundredths of a second.
func spinning(delay int) template.URL {
	const edge, frames = 32, 8
	ring := [frames]image.Point{{16, 3}, {25, 7}, {29, 16}, {25, 25}, {16, 29}, {7, 25}, {3, 16}, {7, 7}}
	var g gif.GIF
	for f := range frames {
		m := image.NewPaletted(image.Rect(0, 0, edge, edge), color.Palette{color.White, color.Gray{Y: 200},
			color.Gray{Y: 60}})
		for i, at := range ring {
			shade := uint8(1)
			if i == f {
				shade = 2
			}
			for dy := -2; dy <= 2; dy++ {
				for dx := -2; dx <= 2; dx++ {
					m.SetColorIndex(at.X+dx, at.Y+dy, shade)
				}
			}
		}
		g.Image, g.Delay = append(g.Image, m), append(g.Delay, delay)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		panic(fmt.Sprintf("suites: encoding a picture of our own: %v", err)) // it is made of constants
	}
	return template.URL("data:image/gif;base64," + base64.StdEncoding.EncodeToString(b.Bytes()))
}

// Facts are rows that say something different for each subject.
func Facts(r *rand.Rand, subject string, n int) []Row {
	names := []string{"Opened", "Staff", "Visitors", "Rooms", "Stock", "Orders", "Returns", "Area"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	out := make([]Row, n)
	for i := range out {
		out[i] = Row{names[i] + ", " + strings.ToLower(subject), fmt.Sprint(Between(r, 12, 9800))}
	}
	return out
}

// Click presses at a point.
func Click(p *cua.Point) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Click, Point: p}}
}

// Scroll turns the wheel by dy px at a point; nil is the middle of the viewport.
func Scroll(p *cua.Point, dy int) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Scroll, Point: p, DY: float64(dy)}}
}

// Point is a point of the viewport, CSS px.
func Point(x, y int) *cua.Point { return &cua.Point{X: float64(x), Y: float64(y)} }
