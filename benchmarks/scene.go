package benchmarks

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

// scene is what the pages of the detectors' cases show beside words: where things are and in
// which of several ways they are built. Each page uses some of it.
type scene struct {
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
	// First is the number that ids start from. Renews is what is rendered anew by each press: ""
	// nothing, "thing" or "page".
	First  int
	Renews string
	// Values are what a dial goes through, by the buttons Less and More.
	Values     []string
	Less, More string
	// Views are the pages of a cycle, or the two that are compared.
	Views []view
	// Words are the searches that have results.
	Words []string
}

// view is one of several pages; Link is the name of what leads on to the next.
type view struct {
	Title, Link string
	Rows        []row
}

// styles are the ways in which controls answer pointer and focus without doing anything.
func styles(r *rand.Rand) string { return pick(r, "bare", "hover", "ring", "push", "glide") }

// board places the board below what the page has to say.
func (s *scene) board(r *rand.Rand) {
	s.W, s.H = between(r, 220, 340), between(r, 90, 130)
	s.X, s.Y = between(r, 40, 1240-s.W), between(r, 500, 780-s.H)
}

// at is a place on the board: its middle and so many px beside it.
func (s *scene) at(dx, dy int) *cua.Point {
	return &cua.Point{X: float64(s.X + s.W/2 + dx), Y: float64(s.Y + s.H/2 + dy)}
}

// alive gives the page a clock and something that turns.
func (s *scene) alive(r *rand.Rand) {
	s.ClockMS = pick(r, 40, 100, 250, 500, 1000)
	s.Live = pick(r, "css", "canvas", "gif", "svg")
	if s.Live == "gif" {
		s.GIF = spinning(between(r, 4, 20))
	}
}

// spinning is a small picture that turns, as a data address; each of its frames lasts so many
// hundredths of a second.
func spinning(delay int) template.URL {
	const edge, frames = 32, 8
	ring := [frames]image.Point{{16, 3}, {25, 7}, {29, 16}, {25, 25}, {16, 29}, {7, 25}, {3, 16}, {7, 7}}
	var g gif.GIF
	for f := range frames {
		m := image.NewPaletted(image.Rect(0, 0, edge, edge), color.Palette{color.White, color.Gray{Y: 200}, color.Gray{Y: 60}})
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
		panic(fmt.Sprintf("benchmarks: encoding a picture of our own: %v", err)) // it is made of constants
	}
	return template.URL("data:image/gif;base64," + base64.StdEncoding.EncodeToString(b.Bytes()))
}

// facts are rows that say something different for each subject.
func facts(r *rand.Rand, subject string, n int) []row {
	names := []string{"Opened", "Staff", "Visitors", "Rooms", "Stock", "Orders", "Returns", "Area"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	out := make([]row, n)
	for i := range out {
		out[i] = row{names[i] + ", " + strings.ToLower(subject), fmt.Sprint(between(r, 12, 9800))}
	}
	return out
}

func click(p *cua.Point) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Click, Point: p}}
}

func scroll(p *cua.Point, dy int) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Scroll, Point: p, DY: float64(dy)}}
}

func point(x, y int) *cua.Point { return &cua.Point{X: float64(x), Y: float64(y)} }
