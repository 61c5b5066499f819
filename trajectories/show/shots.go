package show

import (
	"fmt"
	"math"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// shot is a frame with what is drawn on it. Places are percent of the frame.
type shot struct {
	picture
	W, H    int
	Alt     string
	Caption string
	Missing string
	Pins    []pin
	Boxes   []overlay
	Patches []patch
	// Typed is input without a place, as "key Return".
	Typed string
}

// pin is a point: proposed, dispatched, both or to (the end of a drag).
type pin struct {
	Class     string
	Left, Top float64
}

// patch are the tiles that changed in one way, as the path of an SVG in CSS px: changed, or attention for
// those that focus or hover explains.
type patch struct{ Class, Path string }

// overlay is a rectangle: target, covering or changed.
type overlay struct {
	Class                    string
	Left, Top, Width, Height float64
}

// viewport is that of o, or the episode's where a record does not tell it.
func (d *deck) viewport(o cua.Observation) cua.Size {
	for _, v := range []cua.Size{o.Viewport, d.t.Header.Viewport, d.t.Start.Viewport} {
		if v.W > 0 && v.H > 0 {
			return v
		}
	}
	return cua.Size{W: 1280, H: 800}
}

// shots are the page as the brain saw it, with the places, and the page after the step; the
// second is nil when it is the same picture.
func (d *deck) shots(s *cua.Step, before cua.Observation) (first, second *shot) {
	first = d.shot(before, "before", fmt.Sprintf("The page before step %d", s.N))
	mark := func(class string, p *cua.Point) {
		if p != nil {
			first.Pins = append(first.Pins, pin{class, share(p.X, first.W), share(p.Y, first.H)})
		}
	}
	from, to := trajectories.ProposedPoint(s), trajectories.DispatchedPoint(s)
	if to == nil && s.Action != nil {
		to = into(before, s.Action.Into)
	}
	if from != nil && to != nil && *from == *to && s.Action.Kind == s.Proposed.Kind {
		mark("both", to)
	} else {
		mark("proposed", from)
		mark("dispatched", to)
	}
	mark("to", s.Proposed.To)
	first.box("target", s.Target.Box)
	if s.Target.Covering != nil {
		first.box("covering", s.Target.Covering.Box)
	}
	if a := s.Action; a != nil && (a.Kind == cua.Type || a.Kind == cua.Key) {
		first.Typed = string(a.Kind) + " " + trajectories.Arguments(*a)
	}
	if s.Action == nil || s.Action.Kind.Ends() {
		first.Caption = "nothing touched the page"
		return first, nil
	}
	if s.After.FrameSHA == before.FrameSHA {
		first.Caption = "before and after: the same picture"
		return first, nil
	}
	second = d.shot(s.After, "after", fmt.Sprintf("The page after step %d", s.N))
	if s.Effect != nil && s.Effect.Tiles != nil {
		second.changed(*s.Effect.Tiles)
	}
	return first, second
}

// into is the middle of the field or button with that identity; nil when o shows none.
func into(o cua.Observation, id string) *cua.Point {
	box := cua.Box{}
	for _, m := range o.Marks {
		if m.ID == id {
			box = m.Box
		}
	}
	for _, f := range o.Fields {
		if f.ID == id {
			box = f.Box
		}
	}
	if id == "" || box.Empty() {
		return nil
	}
	p := box.Center()
	return &p
}

func (d *deck) shot(o cua.Observation, caption, alt string) *shot {
	v := d.viewport(o)
	f := &shot{W: v.W, H: v.H, Caption: caption, Alt: alt}
	switch {
	case o.FrameSHA == "" && o.Dialog != nil:
		f.Missing = "no frame: a dialog is open"
	case o.FrameSHA == "":
		f.Missing = "no frame"
	default:
		if f.picture = d.picture(o.FrameSHA); f.Src == "" && f.From == "" {
			f.Missing = "the frame is missing"
		}
	}
	return f
}

// changed draws the tiles that changed, each where it is. A record that does not name them has the box around
// them.
func (f *shot) changed(d cua.TileDiff) {
	if len(d.Changed) == 0 {
		f.box("changed", d.Box)
		return
	}
	for _, p := range []patch{{"changed", outline(d, d.Progress())},
		{"attention", outline(d, d.Presentation)}} {
		if p.Path != "" {
			f.Patches = append(f.Patches, p)
		}
	}
}

// outline is a path around tiles: one rectangle for a run of them in one row and for equal runs below each
// other.
func outline(d cua.TileDiff, tiles cua.TileSet) string {
	var path strings.Builder
	last := map[[2]int]int{} // by first and last column, the row that a rectangle has come to
	from := map[[2]int]int{}
	draw := func(run [2]int) {
		w, h := (run[1]-run[0]+1)*cua.TileSize, (last[run]-from[run]+1)*cua.TileSize
		fmt.Fprintf(&path, "M%d %dh%dv%dh-%dz", run[0]*cua.TileSize, from[run]*cua.TileSize, w, h, w)
	}
	var runs [][2]int // in the order in which they were begun
	for i := 0; i < len(tiles); {
		j := i
		for j+1 < len(tiles) && tiles[j+1] == tiles[j]+1 && d.Cols > 0 && tiles[j+1]%d.Cols > 0 {
			j++
		}
		if d.Cols <= 0 || tiles[i] < 0 || tiles[j] >= d.Cols*d.Rows {
			i = j + 1
			continue
		}
		run, row := [2]int{tiles[i] % d.Cols, tiles[j] % d.Cols}, tiles[i]/d.Cols
		switch at, open := last[run]; {
		case !open:
			runs = append(runs, run)
			from[run] = row
		case at != row-1:
			draw(run)
			from[run] = row
		}
		last[run] = row
		i = j + 1
	}
	for _, run := range runs {
		draw(run)
	}
	return path.String()
}

func (f *shot) box(class string, b cua.Box) {
	if b.Empty() {
		return
	}
	left, top := share(b.X, f.W), share(b.Y, f.H)
	o := overlay{class, left, top, digits(share(b.X+b.W, f.W) - left), digits(share(b.Y+b.H, f.H) - top)}
	if o.Width > 0 && o.Height > 0 {
		f.Boxes = append(f.Boxes, o)
	}
}

// share is v as percent of size, kept inside the frame.
func share(v float64, size int) float64 {
	return digits(min(max(100*v/float64(size), 0), 100))
}

// digits rounds percent to two digits: a hundredth is below a pixel.
func digits(p float64) float64 { return math.Round(100*p) / 100 }
