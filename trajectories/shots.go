package trajectories

import (
	"math"

	"github.com/cua-runner/cua-runner/cua"
)

// shot is a frame with what is drawn on it. Places are percent of the frame.
type shot struct {
	Class   string // of the frame's style; "" is missing
	W, H    int
	Caption string
	Missing string
	Pins    []pin
	Boxes   []overlay
	// Typed is input without a place, as "key Return".
	Typed string
}

// pin is a point: proposed, dispatched, both or to (the end of a drag).
type pin struct {
	Class     string
	Left, Top float64
}

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
	first = d.shot(before, "before")
	mark := func(class string, p *cua.Point) {
		if p != nil {
			first.Pins = append(first.Pins, pin{class, share(p.X, first.W), share(p.Y, first.H)})
		}
	}
	from, to := proposedPoint(s), dispatchedPoint(s)
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
		first.Typed = string(a.Kind) + " " + arguments(*a)
	}
	if s.Action == nil || s.Action.Kind.Ends() {
		first.Caption = "nothing touched the page"
		return first, nil
	}
	if s.After.FrameSHA == before.FrameSHA {
		first.Caption = "before and after: the same picture"
		return first, nil
	}
	second = d.shot(s.After, "after")
	if s.Effect != nil && s.Effect.Tiles != nil {
		second.box("changed", s.Effect.Tiles.Box)
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

func (d *deck) shot(o cua.Observation, caption string) *shot {
	v := d.viewport(o)
	f := &shot{W: v.W, H: v.H, Caption: caption}
	switch {
	case o.FrameSHA == "" && o.Dialog != nil:
		f.Missing = "no frame: a dialog is open"
	case o.FrameSHA == "":
		f.Missing = "no frame"
	default:
		if f.Class = d.embed(o.FrameSHA); f.Class == "" {
			f.Missing = "the frame is missing"
		}
	}
	return f
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
