package detector

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// The classic shapes use arguments, URLs and frame hashes, and no effects. Every dispatched step counts,
// including waits. They are the shapes of the arm classic, the policy that this project started from.

// ClassicRepeat holds while the last dispatched actions have byte-equal parameters. A scroll, a wait or a
// page key does not count while URL or hash changes, unless Config.IgnorePage is set.
type ClassicRepeat struct{ Config }

// Detect is pure (Detector).
func (r ClassicRepeat) Detect(h cua.History) []cua.Signal {
	steps := r.dispatched(h)
	if len(steps) < r.Soft {
		return nil
	}
	last := steps[len(steps)-1]
	a := asked(last)
	turns := a.Kind == cua.Scroll || a.Kind == cua.Wait || a.Kind == cua.Key &&
		slices.Contains(pageKeys, a.Keys)
	var left traces
	i := len(steps)
	for ; i > 0 && equal(asked(steps[i-1]), a) && !(turns && !r.IgnorePage &&
		left.moves(&steps[i-1].After)); i-- {
	}
	return signal(cua.ShapeRepeat, r.Soft, r.Hard, steps[i:], last.Target.ID, 0)
}

// pageKeys scroll a page: pressing one again is how a page is read.
var pageKeys = []string{"Page_Down", "Page_Up", "Down", "Up"}

// ClassicDrift holds while the last dispatched actions are pointer actions of one kind and
// all points are within tolerance of the first, inclusive on both axes.
type ClassicDrift struct{ Config }

// Detect is pure (Detector).
func (d ClassicDrift) Detect(h cua.History) []cua.Signal {
	steps := d.dispatched(h)
	if len(steps) < d.Soft {
		return nil
	}
	last := steps[len(steps)-1]
	kind := asked(last).Kind
	i := len(steps)
	for i > 0 && kind.Pointer() && asked(steps[i-1]).Kind == kind && pointOf(steps[i-1]) != nil {
		i--
	}
	steps = steps[i:]
	tol := max(d.Drift.TolPx, d.Drift.TolShare*h.Before(len(h.Steps)-1).Viewport.Diagonal()) *
		d.Drift.scale(last)
	run := 0
	var from, to extent
	for n := 1; n <= len(steps); n++ {
		first := steps[len(steps)-n]
		from.add(*pointOf(first))
		if end := asked(first).To; end != nil {
			to.add(*end)
		}
		switch {
		case n < d.Soft:
		case from.around(*pointOf(first), tol) && (asked(first).To == nil ||
			to.around(*asked(first).To, tol)):
			run = n
		case n >= d.Hard:
			n = len(steps) // a longer window would start earlier
		}
	}
	return signal(cua.ShapeDrift, d.Soft, d.Hard, steps[len(steps)-run:], last.Target.ID, 0)
}

// extent is the bounding box of some points.
type extent struct {
	low, high cua.Point
	some      bool
}

func (e *extent) add(p cua.Point) {
	if !e.some {
		*e = extent{low: p, high: p, some: true}
		return
	}
	e.low = cua.Point{X: min(e.low.X, p.X), Y: min(e.low.Y, p.Y)}
	e.high = cua.Point{X: max(e.high.X, p.X), Y: max(e.high.Y, p.Y)}
}

// around reports whether all points are within tol of p on both axes.
func (e *extent) around(p cua.Point, tol float64) bool {
	return within(e.low, p, tol) && within(e.high, p, tol)
}

// ClassicFrozen holds while the last dispatched steps have left no two different non-empty URLs and no two
// different non-empty frame hashes, and each has left at least one of the two.
type ClassicFrozen struct{ Config }

// Detect is pure (Detector).
func (f ClassicFrozen) Detect(h cua.History) []cua.Signal {
	steps := f.dispatched(h)
	var left traces
	i := len(steps)
	for i > 0 && !empty(&steps[i-1].After) && !left.moves(&steps[i-1].After) {
		i--
	}
	return signal(cua.ShapeFrozen, f.Soft, f.Hard, steps[i:], "", 0)
}

// traces are the URL and hashes that the steps of a window have left.
type traces struct{ url, hash, sha string }

// moves reports whether o differs from what was left so far; otherwise it is added. It compares the
// perceptual hashes if both have one, else the hashes of the bytes.
func (t *traces) moves(o *cua.Observation) bool {
	hash := ""
	if o.Fingerprint != nil {
		hash = o.Fingerprint.DHash64
	}
	other := func(a, b string) bool { return a != "" && b != "" && a != b }
	if other(t.url, o.URL) || other(t.hash, hash) || (t.hash == "" || hash == "") &&
		other(t.sha, o.FrameSHA) {
		return true
	}
	for _, f := range []struct {
		to   *string
		from string
	}{{&t.url, o.URL}, {&t.hash, hash}, {&t.sha, o.FrameSHA}} {
		if *f.to == "" {
			*f.to = f.from
		}
	}
	return false
}

func empty(o *cua.Observation) bool { return o.URL == "" && o.FrameSHA == "" && o.Fingerprint == nil }

// dispatched are the dispatched steps since the counters were last reset, within reach.
func (c Config) dispatched(h cua.History) []*cua.Step {
	from := max(h.Fresh(), len(h.Steps)-c.reach())
	out := make([]*cua.Step, 0, len(h.Steps)-from)
	for i := from; i < len(h.Steps); i++ {
		if s := &h.Steps[i]; s.HasAction() && !s.Action.Kind.Ends() {
			out = append(out, s)
		}
	}
	return out
}

// asked is the action that a step counts as: the proposal, because an intervention must not reset its own
// evidence.
func asked(s *cua.Step) *cua.Action {
	if s.Substituted() {
		return &s.Proposed
	}
	return s.Action
}

func pointOf(s *cua.Step) *cua.Point {
	if a := asked(s); a.Point != nil {
		return a.Point
	}
	return s.Target.Point
}

// equal reports whether two actions have the same parameters, ignoring the brain's explanation.
func equal(a, b *cua.Action) bool {
	same := func(p, q *cua.Point) bool { return p == q || p != nil && q != nil && *p == *q }
	if !same(a.Point, b.Point) || !same(a.To, b.To) || !slices.Equal(a.Files, b.Files) {
		return false
	}
	return a.Kind == b.Kind && a.Mark == b.Mark && a.Into == b.Into && a.Text == b.Text &&
		a.Clear == b.Clear &&
		a.Keys == b.Keys && a.URL == b.URL && a.DX == b.DX && a.DY == b.DY && a.MS == b.MS &&
		a.Tab == b.Tab &&
		a.Accept == b.Accept && a.Step == b.Step && a.Success == b.Success
}
