package recovery

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// The rows of the pointer: scrolls, overlays, clicks that miss, native pickers.

// pressing is a click on a mark; the zero Way if it is not in view.
func (m *Moment) pressing(mark *cua.Mark, format string, args ...any) Way {
	if mark == nil {
		return Way{}
	}
	at, ok := mark.Box.CenterIn(m.Now.Viewport)
	if !ok {
		return Way{}
	}
	return doing(cua.Action{Kind: cua.Click, Point: &at, Into: mark.ID}, format, args...)
}

// The height of the top of the page, the box that contains such clicks, and how far to scroll then, CSS px.
const (
	topPx       = 100
	topWidthPx  = 80
	topHeightPx = 40
	scrollPx    = 400
)

// clickedTopAgain requires Config.Early clicks without effect at the top of a page that can scroll, and
// another one: a model that clicks at the header has not seen what is below.
func clickedTopAgain(m *Moment) bool {
	run := idle(m.Evidence.LastActing(m.g.Config.Early), m.g.Config.Early)
	at := topClick(m.Proposal.Action, m.Proposal.Target)
	if run == nil || at == nil || m.Proposal.Target.Editable || isCovered(m) ||
		m.Now.Scroll.Y >= m.Now.Scroll.MaxY {
		return false
	}
	lo, hi := *at, *at
	for _, s := range run {
		if at = topClick(s.Action, s.Step.Target); at == nil {
			return false
		}
		lo.X, lo.Y, hi.X, hi.Y = min(lo.X, at.X), min(lo.Y, at.Y), max(hi.X, at.X), max(hi.Y, at.Y)
	}
	return hi.X-lo.X <= topWidthPx && hi.Y-lo.Y <= topHeightPx
}

func topClick(a cua.Action, t cua.Target) *cua.Point {
	if at := pressPoint(a, t); a.Kind.Pressing() && at != nil && at.Y <= topPx {
		return at
	}
	return nil
}

func scrollPage(m *Moment) Way {
	return doing(cua.Action{Kind: cua.Scroll, DY: scrollPx}, "scrolled down instead of clicking at the "+
		"top of the page again: the last %d clicks there had no effect", m.g.Config.Early)
}

func isCovered(m *Moment) bool { return m.Proposal.Target.Covering != nil }

// dismissOverlay removes what covers the target: by the overlay's own control that closes or rejects, else by
// Escape, else by the next such control. None of them sends a form or accepts.
func dismissOverlay(m *Moment) Way {
	c := m.Proposal.Target.Covering
	over := "what covers the place"
	if name := cua.OneLine(c.Name); name != "" {
		over = fmt.Sprintf("%q, which covers the place", name)
	}
	var ways []Way
	for _, id := range c.Controls {
		mark := m.Now.MarkByID(id)
		if mark == nil || mark.Covered || mark.Disabled || mark.Submit ||
			!cua.Refusal(mark.Text) || !cua.Refusal(mark.Name) {
			continue
		}
		ways = append(ways, m.pressing(mark, "pressed %q to close %s", cua.OneLine(mark.Name), over))
	}
	escape := doing(cua.Action{Kind: cua.Key, Keys: "Escape"}, "pressed Escape to close %s", over)
	for _, w := range slices.Insert(ways, min(1, len(ways)), escape) {
		if w.Action.Kind != "" && !m.tried(w.Action) {
			return w
		}
	}
	return Way{}
}

func isOutOfView(m *Moment) bool {
	box, _ := m.aimedBox()
	view, at := m.Now.Viewport, box.Center()
	outside := at.X < 0 || at.Y < 0 || at.X >= float64(view.W) || at.Y >= float64(view.H)
	return view != (cua.Size{}) && !box.Empty() && outside
}

// aimedBox is the box of the target and its name: by its identity, else that of the field that the loop is
// about.
func (m *Moment) aimedBox() (cua.Box, string) {
	if m.Proposal.Target.Identified() {
		return m.Proposal.Target.Box, m.Proposal.Target.Name
	}
	at := pressPoint(m.Proposal.Action, m.Proposal.Target)
	for _, n := range slices.Backward(m.loop.Evidence) {
		was := m.History.Step(n).Target
		f := m.Now.FieldByID(cmp.Or(was.Field, was.ID))
		if f != nil && at != nil && was.Box.Contains(*at) && !f.Box.Contains(*at) {
			return f.Box, cmp.Or(f.Label, f.Name)
		}
	}
	return cua.Box{}, ""
}

func scrollToTarget(m *Moment) Way {
	box, name := m.aimedBox()
	view := m.Now.Viewport
	to := func(at, size float64, edge int) float64 { return math.Round(at + size/2 - float64(edge)/2) }
	a := cua.Action{Kind: cua.Scroll, DY: to(box.Y, box.H, view.H)}
	if box.X+box.W <= 0 || box.X >= float64(view.W) {
		a.DX = to(box.X, box.W, view.W)
	}
	if s := m.Now.Scroll; s.MaxY > 0 { // how far the page can scroll is known
		a.DY = max(-s.Y, min(a.DY, s.MaxY-s.Y))
	}
	if a.DX == 0 && a.DY == 0 {
		return Way{}
	}
	return doing(a, "scrolled to %s, which is out of sight", quoted(name))
}

// surfaces are pressed for a position on them: drawings, maps, films.
var surfaces = []string{"canvas", "video", "svg", "object", "embed", "map", "area"}

// hitsNothing reports whether a press lands on nothing that reacts to it.
func hitsNothing(m *Moment) bool {
	a, t := m.Proposal.Action, m.Proposal.Target
	hit := t.Covering != nil || t.Clickable || t.Editable || t.Field != "" ||
		slices.Contains(surfaces, t.Tag) || t.Role == "canvas" || t.Role == "application"
	return a.Kind.Pressing() && pressPoint(a, t) != nil && !hit
}

// near are the marks within Config.NearPx of the proposal's point, the nearest first.
func (m *Moment) near() []cua.Mark {
	at := pressPoint(m.Proposal.Action, m.Proposal.Target)
	if at == nil {
		return nil
	}
	gap := func(b cua.Box) float64 { // 0 inside
		return math.Hypot(max(b.X-at.X, 0, at.X-b.X-b.W), max(b.Y-at.Y, 0, at.Y-b.Y-b.H))
	}
	out := slices.DeleteFunc(slices.Clone(m.Now.Marks), func(mark cua.Mark) bool {
		return mark.Disabled || mark.Covered || mark.Box.Empty() || gap(mark.Box) > m.g.Config.NearPx
	})
	slices.SortStableFunc(out, func(a, b cua.Mark) int { return cmp.Compare(gap(a.Box), gap(b.Box)) })
	return out
}

// clickNearest presses the only mark in reach that the brain's words name, else the nearest clickable one. If
// the words name another one, it presses none.
func clickNearest(m *Moment) Way {
	near := m.near()
	if len(near) == 0 {
		return Way{}
	}
	named := func(mark cua.Mark) bool { return cua.NamedAlone(m.Proposal, mark.Control(), near) }
	to := near[max(0, slices.IndexFunc(near, named))]
	others := func(mark cua.Mark) bool { return mark.ID != to.ID && cua.Names(m.Proposal, mark.Control()) }
	w := m.pressing(&to, "clicked %s, to which the place was nearest: where it would have landed there is "+
		"nothing to press", quoted(to.Name))
	if w.Action.Kind == "" || slices.ContainsFunc(near, others) {
		return Way{}
	}
	w.Action.Kind = m.Proposal.Action.Kind
	return w
}

// pickers are the types of input whose picker belongs to the browser and not to the page.
var pickers = []string{"date", "time", "datetime-local", "month", "week", "color", "file"}

func isSelect(f *cua.Field) bool { return f.Tag == "select" || f.Type == "select" }

func isNativePicker(m *Moment) bool {
	f := m.Now.FieldIn(m.Proposal.Action, m.Proposal.Target)
	return f != nil && m.Proposal.Action.Kind.Pressing() && !f.Disabled && !f.ReadOnly &&
		(isSelect(f) || slices.Contains(pickers, f.Type))
}

// setControl sets the planned value of the control or, in a list, the option that the brain's words name.
func setControl(m *Moment) Way {
	f := m.Now.FieldIn(m.Proposal.Action, m.Proposal.Target)
	a, planned := cua.Action{Kind: cua.Type, Clear: true}, false
	if v := m.Form.PendingFor(f.ID); v != nil {
		a.Text, planned = cmp.Or(v.Text, v.Value), true
	}
	switch a.Into = f.ID; {
	case isSelect(f):
		a.Kind, a.Clear, a.Text = cua.Select, false, m.option(f, a.Text)
		if mark := m.Now.MarkByID(f.ID); !planned && (mark == nil || !mark.Input) || f.Selected == a.Text {
			return Way{} // a list that sends its form on a selection
		}
	case f.Type == "file" && planned:
		a = cua.Action{Kind: cua.Upload, Into: f.ID, Files: []string{a.Text}}
	}
	if a.Text == "" && a.Files == nil || holdsValue(f, a.Text) {
		return Way{}
	}
	return doing(a, "set %s by value: its picker is not part of the page", named(f))
}

// option is the only option of f that value matches, or without a value the one that the brain's words
// affirm; "" is none.
func (m *Moment) option(f *cua.Field, value string) string {
	found := slices.DeleteFunc(slices.Clone(f.Options), func(o string) bool {
		named := value == "" && o != f.Selected && cua.Affirms(m.Proposal, o)
		return !named && !strings.EqualFold(strings.TrimSpace(o), strings.TrimSpace(value))
	})
	if len(found) != 1 {
		return ""
	}
	return found[0]
}
