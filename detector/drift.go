package detector

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Drift holds while the last acting steps are pointer actions of one kind around one place without any
// effect. A place is one identified target at any offset, or the points within tolerance of their median on
// both axes.
type Drift struct {
	Config
	// Adaptive lets the windows adapt to the run.
	Adaptive bool
}

// Detect is pure (Detector).
func (d Drift) Detect(h cua.History) []cua.Signal { return traced(d, h) }

func (d Drift) detect(t *trace) []cua.Signal {
	if len(t.acting) == 0 {
		return nil
	}
	last := t.acting[len(t.acting)-1]
	soft, hard := t.windows(d.Adaptive, d.Soft, d.Hard)
	out := d.around(t, last, soft, hard, 1, (*cua.Sample).Idle)
	if t.blind {
		// The rows of a list are only half the tolerance apart, and without effects they cannot be
		// distinguished.
		out = stronger(out, d.around(t, last, d.Blind.Press, d.Hard+d.Blind.Press-d.Soft, 0.5,
			func(s *cua.Sample) bool {
				return t.idle(s) && s.Action.Text == last.Action.Text
			}))
	}
	return out
}

// around is the signal of pointer actions like last around its place. idle says which steps can be part of
// it; scale scales the tolerance.
func (d Drift) around(t *trace, last *cua.Sample, soft, hard int, scale float64,
	idle func(*cua.Sample) bool) []cua.Signal {
	run := tail(t.acting, func(s *cua.Sample) bool {
		return idle(s) && s.Action.Kind == last.Action.Kind && s.Action.Kind.Pointer() && pressed(s) != nil &&
			(s.Action.Kind != cua.Drag || s.Action.To != nil)
	})
	if len(run) < soft {
		return nil
	}
	before := t.h.Before(len(t.h.Steps) - 1)
	p := place{target: last.Step.Target, tol: scale * d.Drift.tolerance(last, before.Viewport)}
	if p.target.Identified() && last.Action.Kind != cua.Drag {
		p.signature = last.Signature
	}
	run = p.longest(run, soft, hard)
	if run == nil {
		return nil
	}
	return signal(cua.ShapeDrift, soft, hard, run, last.Step.Target.ID, spread(run[max(0, len(run)-hard):]))
}

// pressed is the point of a sample's action; nil if it has none.
func pressed(s *cua.Sample) *cua.Point {
	if s.Action.Point != nil {
		return s.Action.Point
	}
	return s.Step.Target.Point
}

// place is the place of the newest press.
type place struct {
	target cua.Target
	tol    float64
	// signature is that of presses of the target; "" if it does not identify the place.
	signature string
}

// longest is the longest run at the end of samples in one place; nil if it has fewer than soft. Its center is
// that of its samples, but of the newest hard ones at most, so that a slow walk over the page is not one
// place.
func (p *place) longest(samples []*cua.Sample, soft, hard int) []*cua.Sample {
	var run []*cua.Sample
	for n := soft; n <= min(hard, len(samples)); n++ {
		window := samples[len(samples)-n:]
		if from, to := centre(window); p.holds(window, from, to) {
			run = window
		}
	}
	if len(run) < hard {
		return run
	}
	from, to := centre(run)
	return tail(samples, func(s *cua.Sample) bool { return p.in(s, from, to) })
}

func (p *place) holds(samples []*cua.Sample, from, to cua.Point) bool {
	return !slices.ContainsFunc(samples, func(s *cua.Sample) bool { return !p.in(s, from, to) })
}

// in reports whether s lies in the place with center from; to is the center of the other ends of drags.
func (p *place) in(s *cua.Sample, from, to cua.Point) bool {
	if p.signature != "" && s.Signature == p.signature {
		return true
	}
	at := *pressed(s)
	if !p.covers(s.Step.Target, at) && (p.other(s.Step.Target) || !within(at, from, p.tol)) {
		return false
	}
	return s.Action.Kind != cua.Drag || within(*s.Action.To, to, p.tol)
}

// other reports whether t is another element than the one that was identified there.
func (p *place) other(t cua.Target) bool {
	return p.target.Identified() && t.Identified() && t.ID != p.target.ID
}

// covers reports whether t, or the point, belongs to the element that was identified there.
func (p *place) covers(t cua.Target, at cua.Point) bool {
	return p.target.Identified() && (t.ID == p.target.ID || p.target.Box.Contains(at))
}

// within reports whether a and b are at most tol apart on both axes.
func within(a, b cua.Point, tol float64) bool {
	return math.Abs(a.X-b.X) <= tol && math.Abs(a.Y-b.Y) <= tol
}

// centre is the median of the points, and that of the other ends of drags.
func centre(samples []*cua.Sample) (from, to cua.Point) {
	var ends [4][]float64
	for _, s := range samples {
		at := pressed(s)
		ends[0], ends[1] = append(ends[0], at.X), append(ends[1], at.Y)
		if s.Action.Kind == cua.Drag {
			ends[2], ends[3] = append(ends[2], s.Action.To.X), append(ends[3], s.Action.To.Y)
		}
	}
	return cua.Point{X: median(ends[0]), Y: median(ends[1])}, cua.Point{X: median(ends[2]),
		Y: median(ends[3])}
}

// median sorts v and returns its median; 0 for none. The empirical quantile of an even number is the lower of
// the two middle values, so it asks for the upper one too. An interpolated quantile would be wrong for three
// values.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	lower := stat.Quantile(0.5, stat.Empirical, v, nil)
	upper := stat.Quantile(0.5+0.25/float64(len(v)), stat.Empirical, v, nil)
	return (lower + upper) / 2
}

// spread is the standard deviation of the points along the direction in which they differ most, CSS px: the
// square root of the largest eigenvalue of their covariance.
func spread(samples []*cua.Sample) float64 {
	xy := mat.NewDense(len(samples), 2, nil)
	for i, s := range samples {
		xy.SetRow(i, []float64{pressed(s).X, pressed(s).Y})
	}
	var cov mat.SymDense
	stat.CovarianceMatrix(&cov, xy, nil)
	var eigen mat.EigenSym
	if !eigen.Factorize(&cov, false) {
		return 0
	}
	return math.Round(math.Sqrt(max(0, slices.Max(eigen.Values(nil))))*100) / 100
}

// tolerance is how far the points of one place may lie from its center on each axis, CSS px.
func (c DriftConfig) tolerance(s *cua.Sample, viewport cua.Size) float64 {
	return max(c.TolPx, c.TolShare*viewport.Diagonal()) * c.scale(s.Step)
}

// scale is the factor of the target's role, by the page or else by words of the brain's reasoning.
func (c DriftConfig) scale(s *cua.Step) float64 {
	role := strings.ToLower(s.Target.Role)
	if role == "" {
		text := s.Thought + " " + s.Proposed.Why
		switch {
		case buttonWord.MatchString(text):
			role = "button"
		case linkWord.MatchString(text):
			role = "link"
		case menuWord.MatchString(text):
			role = "menuitem"
		}
	}
	switch role {
	case "button":
		return c.Button
	case "link":
		return c.Link
	case "select", "combobox", "listbox", "option", "menuitem", "menuitemcheckbox", "menuitemradio":
		return c.Menu
	}
	return 1
}

var (
	buttonWord = regexp.MustCompile(`(?i)\bbutton\b`)
	linkWord   = regexp.MustCompile(`(?i)\blink\b`)
	menuWord   = regexp.MustCompile(`(?i)\b(menu|drop-?down|select box|option)\b`)
)
