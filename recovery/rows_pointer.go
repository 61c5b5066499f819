package recovery

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// The rows of the pointer: scrolls, layers, clicks that miss, native pickers.

// pressing is a click on a mark, which the press must reach; the zero way where it is not in view.
func (m *moment) pressing(mark *cua.Mark, detail string) way {
	if mark == nil {
		return way{}
	}
	at, ok := mark.Box.CenterIn(m.Now.Viewport)
	if !ok {
		return way{}
	}
	return way{action: cua.Action{Kind: cua.Click, Point: &at, Into: mark.ID}, detail: detail}
}

// What counts as clicking high on the page again: how far down, and the box that holds the clicks; and how far
// scroll_page scrolls then, CSS px (spec: recovery, rescue table).
const (
	topPx       = 100
	topWidthPx  = 80
	topHeightPx = 40
	scrollPx    = 400
)

// clickedTopAgain says whether the proposal is one more click high on the page, on nothing that takes text, after
// Config.Early ones without effect, and the page can scroll. A model that clicks at the header again and again has not
// seen what lies below.
func clickedTopAgain(m *moment) bool {
	run, n := m.Evidence.Acting, m.g.Config.Early
	if m.p.Target.Editable || isCovered(m) || m.Now.Scroll.Y >= m.Now.Scroll.MaxY || !idle(run, n) {
		return false
	}
	clicks := []*cua.Point{topClick(m.p.Action, m.p.Target)}
	for _, s := range run[len(run)-n:] {
		clicks = append(clicks, topClick(s.Action, s.Step.Target))
	}
	for _, a := range clicks {
		for _, b := range clicks {
			if a == nil || b == nil || math.Abs(a.X-b.X) > topWidthPx || math.Abs(a.Y-b.Y) > topHeightPx {
				return false
			}
		}
	}
	return true
}

// topClick is where a clicks high on the page; nil where it does not.
func topClick(a cua.Action, t cua.Target) *cua.Point {
	if at := pressPoint(a, t); a.Kind.Pressing() && at != nil && at.Y <= topPx {
		return at
	}
	return nil
}

func scrollPage(m *moment) way {
	return way{action: cua.Action{Kind: cua.Scroll, DY: scrollPx},
		detail: fmt.Sprintf("scrolled down instead of clicking at the top of the page again: the last %d clicks there had no effect", m.g.Config.Early)}
}

func isCovered(m *moment) bool { return m.p.Target.Covering != nil }

// dismissOverlay takes away what covers the target: by the layer's own control that closes or rejects, else by Escape, else
// by the next such control. A control that sends a form is none, and neither is one that accepts.
func dismissOverlay(m *moment) way {
	c := m.p.Target.Covering
	over := "what covers the place"
	if name := line(c.Name); name != "" {
		over = fmt.Sprintf("%q, which covers the place", name)
	}
	escape := way{action: cua.Action{Kind: cua.Key, Keys: "Escape"}, detail: "pressed Escape to close " + over}
	var ways []way
	for _, id := range c.Controls {
		mark := m.Now.MarkByID(id)
		if mark == nil || mark.Covered || mark.Disabled || mark.Submit || !cua.Refusal(mark.Text) || !cua.Refusal(mark.Name) {
			continue
		}
		ways = append(ways, m.pressing(mark, fmt.Sprintf("pressed %q to close %s", line(mark.Name), over)))
	}
	ways = slices.Insert(ways, min(1, len(ways)), escape)
	for _, w := range ways {
		if w.action.Kind != "" && !m.tried(w.action) {
			return w
		}
	}
	return way{}
}

func isOutOfView(m *moment) bool {
	box, _ := m.aimedBox()
	view := m.Now.Viewport
	return view != (cua.Size{}) && !box.Empty() && outside(box.Center(), view)
}

// aimedBox is where the target is: its own box, else that of the field that the point hit in the loop before and that has moved
// since.
func (m *moment) aimedBox() (cua.Box, string) {
	if m.p.Target.Identified() {
		return m.p.Target.Box, m.p.Target.Name
	}
	at := pressPoint(m.p.Action, m.p.Target)
	for _, s := range m.Signals {
		for _, n := range slices.Backward(s.Evidence) {
			st := step(m.History, n)
			if at == nil || st == nil || !st.Target.Identified() || !st.Target.Box.Contains(*at) {
				continue
			}
			if f := m.Now.FieldByID(cmp.Or(st.Target.Field, st.Target.ID)); f != nil && !f.Box.Contains(*at) {
				return f.Box, cmp.Or(f.Label, f.Name)
			}
		}
	}
	return cua.Box{}, ""
}

func scrollToTarget(m *moment) way {
	box, name := m.aimedBox()
	view := m.Now.Viewport
	to := func(at, size, edge float64) float64 { return math.Round(at + size/2 - edge/2) }
	a := cua.Action{Kind: cua.Scroll, DY: to(box.Y, box.H, float64(view.H))}
	if box.X+box.W <= 0 || box.X >= float64(view.W) {
		a.DX = to(box.X, box.W, float64(view.W))
	}
	if s := m.Now.Scroll; s.MaxY > 0 { // how far the page can still scroll is known
		a.DY = max(-s.Y, min(a.DY, s.MaxY-s.Y))
	}
	if a.DX == 0 && a.DY == 0 {
		return way{}
	}
	return way{action: a, detail: fmt.Sprintf("scrolled to %s, which is out of sight", quoted(name))}
}

// hitsNothing says whether the click, or the click of a type, lands on nothing that reacts to it. What is pressed for the
// place on it, as a drawing or a map, is hit.
func hitsNothing(m *moment) bool {
	aims := m.p.Action.Kind.Pressing() || m.p.Action.Kind == cua.Type && m.p.Action.Point != nil
	t := m.p.Target
	return aims && pressPoint(m.p.Action, t) != nil && t.Covering == nil && !t.Clickable && !t.Editable && t.Field == "" && !surface(t)
}

// surface says whether t is pressed for the place on it: a drawing, a map, a film.
func surface(t cua.Target) bool {
	switch t.Tag {
	case "canvas", "video", "svg", "object", "embed", "map", "area":
		return true
	}
	return t.Role == "canvas" || t.Role == "application"
}

// near are the marks that may be pressed and lie no further than Config.NearPx from where the proposal presses, the nearest first.
func (m *moment) near() []cua.Mark {
	at := pressPoint(m.p.Action, m.p.Target)
	var out []cua.Mark
	for _, mark := range m.Now.Marks {
		if at == nil || mark.Disabled || mark.Covered || mark.Box.Empty() || gap(mark.Box, *at) > m.g.Config.NearPx {
			continue
		}
		out = append(out, mark)
	}
	slices.SortStableFunc(out, func(a, b cua.Mark) int { return cmp.Compare(gap(a.Box, *at), gap(b.Box, *at)) })
	return out
}

func (m *moment) reach() []cua.Control {
	var out []cua.Control
	for _, mark := range m.near() {
		out = append(out, mark.Control())
	}
	return out
}

// clickNearest does the proposal on the one mark in reach that the brain's words name, else on the nearest; where they name
// something else in reach, on none. Text goes into a field that may take it.
func clickNearest(m *moment) way {
	near := m.near()
	if m.p.Action.Kind == cua.Type {
		near = slices.DeleteFunc(near, func(mark cua.Mark) bool { return !m.takesText(mark.ID) })
	}
	if len(near) == 0 {
		return way{}
	}
	to := near[0]
	if i := slices.IndexFunc(near, func(mark cua.Mark) bool { return cua.NamedAlone(m.p, mark.Control(), m.reach()) }); i >= 0 {
		to = near[i]
	}
	if slices.ContainsFunc(near, func(mark cua.Mark) bool { return mark.ID != to.ID && cua.Names(m.p, mark.Control()) }) {
		return way{}
	}
	w := m.pressing(&to, "")
	if w.action.Kind == "" {
		return w
	}
	did := "clicked"
	if m.p.Action.Kind == cua.Type {
		did = "typed into"
	}
	a := m.p.Action
	a.Point, a.Into, a.Mark, a.Why = w.action.Point, to.ID, 0, ""
	if a.Kind == cua.Type {
		a.Point, a.Text = nil, strings.TrimRight(a.Text, "\r\n")
	}
	return way{action: a, detail: fmt.Sprintf("%s %s, to which the place was nearest: where it would have landed there is nothing to press",
		did, quoted(to.Name))}
}

// takesText says whether the field may take the proposal's text: a planned value goes where it belongs, any other into an
// empty field.
func (m *moment) takesText(id string) bool {
	f := m.Now.FieldByID(id)
	if f == nil || !f.TakesText() || !f.Typable() {
		return false
	}
	if m.Form != nil {
		text := m.p.Action.Text
		for _, v := range m.Form.Values {
			if v.Field != "" && (text == v.Value || text == v.Text) {
				return v.Field == id
			}
		}
	}
	return f.Empty
}

// isNativePicker says whether the proposal clicks a control whose picker belongs to the browser and not to the page.
func isNativePicker(m *moment) bool {
	f := m.Now.FieldByID(cmp.Or(m.p.Target.Field, m.p.Target.ID))
	if f == nil || !m.p.Action.Kind.Pressing() || f.Disabled || f.ReadOnly {
		return false
	}
	switch f.Type {
	case "date", "time", "datetime-local", "month", "week", "color", "file":
		return true
	}
	return f.Tag == "select" || f.Type == "select"
}

// setControl sets it by value: the plan value that belongs in it, or, for a list, the option that the brain's words name.
func setControl(m *moment) way {
	f := *m.Now.FieldByID(cmp.Or(m.p.Target.Field, m.p.Target.ID))
	v, planned := m.planned(f)
	a := cua.Action{Into: f.ID, Text: cmp.Or(v.Text, v.Value)}
	switch {
	case f.Tag == "select" || f.Type == "select":
		a.Kind, a.Text = cua.Select, m.option(f, a.Text)
	case f.Type == "file" && planned:
		a.Kind, a.Text, a.Files = cua.Upload, "", []string{v.Value}
	case f.Type != "file" && planned:
		a.Kind, a.Clear = cua.Type, true
	default:
		return way{}
	}
	if a.Text == "" && a.Files == nil || holdsValue(f, a.Text) || f.Selected == a.Text && a.Kind == cua.Select {
		return way{}
	}
	return way{action: a, detail: fmt.Sprintf("set %s by value: its picker is not part of the page", named(f))}
}

// planned is the pending value that belongs in f. Form control matches only what is typed or chosen: a file field takes
// the one whose label is the field's.
func (m *moment) planned(f cua.Field) (cua.FormValue, bool) {
	pending := m.Form.Pending()
	i := slices.IndexFunc(pending, func(v cua.FormValue) bool {
		named := slices.Contains([]string{words(f.Label), words(f.Name), words(f.NameAttr)}, words(v.Label))
		return v.Field == f.ID || f.Type == "file" && v.Field == "" && named
	})
	if i < 0 {
		return cua.FormValue{}, false
	}
	return pending[i], true
}

// option is the option of f that value means; without a value the one option that the brain's words name, in no sentence with
// a negation. "" is none.
func (m *moment) option(f cua.Field, value string) string {
	means := func(o string) bool {
		return strings.EqualFold(strings.TrimSpace(o), strings.TrimSpace(value)) || value == "" && o != f.Selected && cua.Affirms(m.p, o)
	}
	found := slices.DeleteFunc(slices.Clone(f.Options), func(o string) bool { return !means(o) })
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// outside says whether p lies beyond an edge of the viewport.
func outside(p cua.Point, view cua.Size) bool {
	return p.X < 0 || p.Y < 0 || p.X >= float64(view.W) || p.Y >= float64(view.H)
}

// gap is how far p lies from b, CSS px; 0 inside.
func gap(b cua.Box, p cua.Point) float64 {
	return math.Hypot(max(b.X-p.X, 0, p.X-b.X-b.W), max(b.Y-p.Y, 0, p.Y-b.Y-b.H))
}
