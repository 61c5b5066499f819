package recovery

import (
	"fmt"
	"math"

	"github.com/cua-runner/cua-runner/cua"
)

// TopClickConfig says what counts as clicking high on the page again.
type TopClickConfig struct {
	// Clicks is how many clicks without effect come before the one that is replaced.
	Clicks int `json:"clicks"`
	// MaxY is how far down a click still counts as high on the page, CSS px.
	MaxY float64 `json:"max_y"`
	// WidthPx and HeightPx are the edges of the box that all of them lie in, CSS px.
	WidthPx  float64 `json:"width_px"`
	HeightPx float64 `json:"height_px"`
	// ScrollPx is how far the substitute scrolls down, CSS px.
	ScrollPx float64 `json:"scroll_px"`
}

// TopClickGuard replaces a repeated click high on the page that has no effect with a scroll:
// a model that clicks at the header again and again has not seen what lies below. Clicks into
// a field pass, because they wait for text, and so does every click once the page cannot
// scroll further or the guard's last scroll had no effect.
type TopClickGuard struct {
	Config TopClickConfig
	// Knows says that it is known what the click was meant for, so that a scroll would only move it away; nil never knows.
	Knows func(t *cua.Turn, p cua.Proposal) bool
}

// ReasonTopClick is the guard's reason.
const ReasonTopClick = "repeated_top_click"

// Name is "top_click_guard".
func (TopClickGuard) Name() string { return "top_click_guard" }

// Review replaces with a scroll or passes.
func (g TopClickGuard) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	c := g.Config
	at := pressPoint(p.Action, p.Target)
	if p.Failure != nil || !p.Action.Kind.Pressing() || at == nil || at.Y > c.MaxY || p.Target.Editable || t.Now.Dialog != nil {
		return pass(g.Name())
	}
	if g.Knows != nil && g.Knows(t, p) {
		return pass(g.Name())
	}
	if s := t.Now.Scroll; s.MaxY > 0 && s.Y >= s.MaxY {
		return pass(g.Name())
	}
	run := acting(t.History)
	if !idle(run, c.Clicks) || g.scrolledInVain(t.Now.URL, run) {
		return pass(g.Name())
	}
	lo, hi := *at, *at
	for _, s := range run[len(run)-c.Clicks:] {
		q := pressPoint(*s.Step.Action, s.Step.Target)
		if !s.Step.Action.Kind.Pressing() || q == nil || q.Y > c.MaxY {
			return pass(g.Name())
		}
		lo = cua.Point{X: math.Min(lo.X, q.X), Y: math.Min(lo.Y, q.Y)}
		hi = cua.Point{X: math.Max(hi.X, q.X), Y: math.Max(hi.Y, q.Y)}
	}
	if hi.X-lo.X > c.WidthPx || hi.Y-lo.Y > c.HeightPx {
		return pass(g.Name())
	}
	return cua.Ruling{Gate: g.Name(), Verdict: cua.Replace, Reason: ReasonTopClick, Action: &cua.Action{Kind: cua.Scroll, DY: c.ScrollPx},
		Evidence: numbers(run, c.Clicks),
		Detail:   fmt.Sprintf("scrolled down instead of clicking at the top of the page again: the last %d clicks there had no effect", c.Clicks)}
}

// scrolledInVain says whether the guard's newest scroll on the page at url had no effect.
func (g TopClickGuard) scrolledInVain(url string, run []cua.Sample) bool {
	for i := len(run) - 1; i >= 0; i-- {
		if r, ok := run[i].Step.Ruled(); ok && r.Gate == g.Name() && run[i].Step.After.URL == url {
			return !run[i].Progress
		}
	}
	return false
}
