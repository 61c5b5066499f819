package recovery

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// closers are names of what makes a layer go away by saying no, which binds nobody; accepters those of what merely
// takes note or consents. "Yes" and "Continue" are neither: what they say yes to is not known.
var (
	closers = regexp.MustCompile(`(?i)^[^\p{L}\p{N}]*(close|dismiss|hide|no|nope|not now|not interested|no,? thanks?( you)?|never ?mind|maybe later|remind me later|later|skip|` +
		`(i )?(reject|decline|deny|refuse|disagree|do not (agree|accept)|don.t (agree|accept))|cancel|keep|[×✕✖✗x]|` +
		`(accept |allow |use )?(only )?(strictly )?(necessary|essential|required)( cookies?)?( only)?|continue without( (accepting|agreeing|consent))?)` +
		`( (this|the|all|it|my|dialog|popup|pop-up|banner|notice|message|window|modal|overlay|ad|offer|plan|subscription|optional|non-essential|nonessential|additional|` +
		`other|extra|tracking|cookies?|and|continue|for|now))*[^\p{L}\p{N}]*$`)
	// givesUp is what looks like a closer and gives something up.
	givesUp = regexp.MustCompile(`(?i)\bcancel\b.*\b(my|plan|subscription|offer|order|booking)\b`)
	// shutters are those closers that can be of nothing but a layer, for where the layer itself is not known.
	shutters  = regexp.MustCompile(`(?i)^[^\p{L}\p{N}]*(close|dismiss|hide|[×✕✖✗])\b`)
	symbols   = regexp.MustCompile(`^\s*[×✕✖✗⨯]\s*$`)
	accepters = regexp.MustCompile(`(?i)^[^\p{L}\p{N}]*(i )?(accept|agree|allow|ok|okay|got it|i understand|understood)( (this|the|all|it|and close|cookies))*[^\p{L}\p{N}]*$`)
)

// dismiss is rung a: what covers the target's point goes away, by its own button, else by Escape. A button that
// consents is pressed only where there is no other, and nothing in the layer's name is at stake.
func (g Ladder) dismiss(t *cua.Turn, p cua.Proposal) (substitute, bool) {
	c := p.Target.Covering
	if c == nil {
		return substitute{}, false
	}
	over := "what covers the place"
	if name := line(c.Name); name != "" {
		over = fmt.Sprintf("%q, which covers the place", name)
	}
	inside := buttonsOver(t, p)
	for _, m := range inside {
		at, _ := m.Box.CenterIn(t.Now.Viewport)
		a := cua.Action{Kind: cua.Click, Point: &at}
		consents := len(inside) == 1 && accepters.MatchString(m.Name) && !cua.SaysRisk(c.Name) && !cua.Unasked(c.Name)
		closes := symbols.MatchString(m.Name) || closers.MatchString(m.Name) && !givesUp.MatchString(m.Name) && (c.ID != "" || shutters.MatchString(m.Name))
		if (closes || consents && c.ID != "") && !inVain(t, a) {
			return substitute{action: a, detail: fmt.Sprintf("pressed %q to close %s", line(m.Name), over)}, true
		}
	}
	return substitute{action: cua.Action{Kind: cua.Key, Keys: "Escape"}, detail: "pressed Escape to close " + over}, true
}

// buttonsOver are the buttons and links of the layer that covers what p is aimed at.
func buttonsOver(t *cua.Turn, p cua.Proposal) []cua.Mark {
	var out []cua.Mark
	for _, m := range t.Now.Marks {
		at, ok := m.Box.CenterIn(t.Now.Viewport)
		if ok && !m.Covered && !m.Disabled && m.ID != p.Target.ID && p.Target.Covering.Box.Contains(at) && (m.Role == "button" || m.Role == "link") {
			out = append(out, m)
		}
	}
	return out
}

// scroll is rung b: the target lies outside the viewport, or has moved out of it since.
func (g Ladder) scroll(t *cua.Turn, p cua.Proposal) (substitute, bool) {
	view := t.Now.Viewport
	box, name := p.Target.Box, p.Target.Name
	if !p.Target.Identified() || box.Empty() {
		f := g.moved(t, p)
		if f == nil {
			return substitute{}, false
		}
		box, name = f.Box, cmp.Or(f.Label, f.Name)
	}
	if view == (cua.Size{}) || box.Empty() || !outside(box.Center(), view) {
		return substitute{}, false
	}
	to := func(at, size, edge float64) float64 { return math.Round(at + size/2 - edge/2) }
	a := cua.Action{Kind: cua.Scroll, DY: to(box.Y, box.H, float64(view.H))}
	if box.X+box.W <= 0 || box.X >= float64(view.W) {
		a.DX = to(box.X, box.W, float64(view.W))
	}
	if s := t.Now.Scroll; s.MaxY > 0 { // how far the page can still scroll is known
		a.DY = max(-s.Y, min(a.DY, s.MaxY-s.Y))
	}
	if a.DX == 0 && a.DY == 0 {
		return substitute{}, false
	}
	return substitute{action: a, detail: fmt.Sprintf("scrolled to %s, which is out of sight", quoted(name))}, true
}

// moved is the field that an earlier step of the loop hit at p's place, and that is elsewhere now.
func (g Ladder) moved(t *cua.Turn, p cua.Proposal) *cua.Field {
	at := pressPoint(p.Action, p.Target)
	if at == nil {
		return nil
	}
	for _, s := range t.Signals {
		for _, n := range slices.Backward(s.Evidence) {
			st := step(t.History, n)
			if st == nil || !st.Target.Identified() || !st.Target.Box.Contains(*at) {
				continue
			}
			if f := fieldByID(&t.Now, cmp.Or(st.Target.Field, st.Target.ID)); f != nil && !f.Box.Contains(*at) {
				return f
			}
		}
	}
	return nil
}

// retarget is rung c: a click that lands on nothing interactive goes to the interactive element nearest to it, and one that hits
// another control than the brain's words name to that one. Onto something risky it goes only where those words name that.
func (g Ladder) retarget(t *cua.Turn, p cua.Proposal) (substitute, bool) {
	m, why := g.beside(t, p, false), "to which the place was nearest: where it would have landed there is nothing to press"
	if m == nil {
		m, why = g.mistaken(t, p), fmt.Sprintf("which the brain's words name: it would have landed on %s", quoted(p.Target.Name))
	}
	if m == nil {
		return substitute{}, false
	}
	to, _ := m.Box.CenterIn(t.Now.Viewport)
	if to == *pressPoint(p.Action, p.Target) {
		return substitute{}, false
	}
	a := p.Action
	a.Point, a.Mark, a.Into, a.Why = &to, 0, "", ""
	did := "clicked"
	if a.Kind == cua.Type {
		did = "typed into"
	}
	return substitute{action: a, detail: fmt.Sprintf("%s %s, %s", did, quoted(m.Name), why)}, true
}

// beside is the element that p's press lands beside: the first of those near, covered ones among them only if asked for. Nil where
// there is none, and where its name is risky and not in the brain's words.
func (g Ladder) beside(t *cua.Turn, p cua.Proposal, covered bool) *cua.Mark {
	return meantOf(p, g.near(t, p, covered))
}

// meantOf is the first of near; nil where there is none, and where its name is risky and not in p's words.
func meantOf(p cua.Proposal, near []*cua.Mark) *cua.Mark {
	if len(near) == 0 || risky(near[0].Name) && !mentions(p, near[0].Name) {
		return nil
	}
	return near[0]
}

// near are the elements that may be pressed and lie no further than RetargetPx from where p would press, the nearest first.
// Where the brain's words name some of them it is one of those that is meant. None where p lands on an element
// or on something that is pressed for the place.
func (g Ladder) near(t *cua.Turn, p cua.Proposal, covered bool) []*cua.Mark {
	at := pressPoint(p.Action, p.Target)
	if !aims(p.Action) || at == nil || p.Target.Covering != nil || interactive(t.Now, p.Target) || surface(p.Target) {
		return nil
	}
	var out []*cua.Mark
	for i := range t.Now.Marks {
		m := &t.Now.Marks[i]
		if m.Disabled || m.Covered && !covered || m.Box.Empty() || gap(m.Box, *at) > g.Config.RetargetPx {
			continue
		}
		if p.Action.Kind == cua.Type && !wants(t, m.ID, p.Action.Text, mentions(p, m.Name)) {
			continue
		}
		if _, ok := m.Box.CenterIn(t.Now.Viewport); ok {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b *cua.Mark) int { return cmp.Compare(gap(a.Box, *at), gap(b.Box, *at)) })
	if named := slices.DeleteFunc(slices.Clone(out), func(m *cua.Mark) bool { return !says(t, p, m.ID, m.Name) }); len(named) > 0 {
		return named
	}
	return out
}

// wants says whether the visible field with that identity takes typed text, and may take this one: a planned value goes only
// where it belongs, any other one only where nothing would be lost, and not while another field holds just that, for which it
// may be meant once more: unless the brain's words name this one, or it is a password, which is asked for twice.
func wants(t *cua.Turn, id, text string, named bool) bool {
	f := fieldByID(&t.Now, id)
	if f == nil || !f.TakesText() {
		return false
	}
	elsewhere := false
	if t.Form != nil {
		for _, v := range t.Form.Values {
			if v.Field == "" || text != v.Value && text != v.Text {
				continue
			}
			if v.Field == id {
				return true
			}
			elsewhere = true
		}
	}
	if !f.Empty || elsewhere {
		return false
	}
	return named || f.Type == "password" ||
		!slices.ContainsFunc(t.Now.Fields, func(other cua.Field) bool { return other.ID != id && held(other, text) })
}

// interactive says whether t is something that reacts to a press, or belongs to what does.
func interactive(o cua.Observation, t cua.Target) bool {
	if t.Field != "" || t.Editable || t.Submit {
		return true
	}
	switch t.Role {
	case "button", "link", "checkbox", "radio", "switch", "tab", "option", "menuitem", "menuitemcheckbox", "menuitemradio", "combobox",
		"listbox", "textbox", "searchbox", "slider", "spinbutton", "treeitem":
		return true
	}
	return t.Identified() && slices.ContainsFunc(o.Marks, func(m cua.Mark) bool { return m.ID == t.ID })
}

// surface says whether t is pressed for the place on it: a drawing, a map, a film.
func surface(t cua.Target) bool {
	switch t.Tag {
	case "canvas", "video", "svg", "object", "embed", "map", "area":
		return true
	}
	return t.Role == "canvas" || t.Role == "application"
}

// control is rung d: a control whose picker belongs to the browser and not to the page is set by value:
// the plan value that belongs in it, or, for a list, the option that the brain's words name.
func (g Ladder) control(t *cua.Turn, p cua.Proposal) (substitute, bool) {
	if !p.Action.Kind.Pressing() {
		return substitute{}, false
	}
	f := fieldByID(&t.Now, cmp.Or(p.Target.Field, p.Target.ID))
	if f == nil || f.Disabled || f.ReadOnly {
		return substitute{}, false
	}
	v, planned := planValue(t.Form, *f)
	a := cua.Action{Into: f.ID, Text: cmp.Or(v.Text, v.Value)}
	switch {
	case f.Tag == "select" || f.Type == "select":
		a.Kind, a.Text = cua.Select, optionFor(*f, a.Text, p)
	case dated(f.Type) && planned:
		a.Kind, a.Clear = cua.Type, true
	case f.Type == "file" && planned:
		a.Kind, a.Text, a.Files = cua.Upload, "", []string{v.Value}
	default:
		return substitute{}, false
	}
	if a.Text == "" && a.Files == nil || held(*f, a.Text) || f.Selected == a.Text && a.Kind == cua.Select {
		return substitute{}, false
	}
	return substitute{action: a, detail: fmt.Sprintf("set %s by value: its picker is not part of the page", named(*f))}, true
}

// dated says whether fields of that type open a picker of the browser's own.
func dated(typ string) bool {
	switch typ {
	case "date", "time", "datetime-local", "month", "week", "color":
		return true
	}
	return false
}

// planValue is the pending value that belongs in f, else for a file field the one whose label is the
// field's: form control matches only what is typed or chosen.
func planValue(form *cua.FormState, f cua.Field) (cua.FormValue, bool) {
	for _, v := range form.Pending() {
		if v.Field == f.ID || f.Type == "file" && v.Field == "" && slices.Contains([]string{words(f.Label), words(f.Name), words(f.NameAttr)}, words(v.Label)) {
			return v, true
		}
	}
	return cua.FormValue{}, false
}

// optionFor is the option of f that value means, else the only one that the brain's words name;
// "" when there is none.
func optionFor(f cua.Field, value string, p cua.Proposal) string {
	for _, o := range f.Options {
		if value != "" && strings.EqualFold(strings.TrimSpace(o), strings.TrimSpace(value)) {
			return o
		}
	}
	if value != "" {
		return ""
	}
	found := ""
	for _, o := range f.Options {
		switch {
		case o == f.Selected || strings.TrimSpace(words(o)) == "" || !mentions(p, o):
		case found == "" || strings.Contains(words(o), words(found)): // "New York" before "York"
			found = o
		case !strings.Contains(words(found), words(o)):
			return ""
		}
	}
	return found
}

// risky says whether a press of that name is the brain's alone to ask for.
func risky(name string) bool { return cua.SaysRisk(name) || cua.Unasked(name) }

// mentions says whether the brain's words contain name, as whole words.
func mentions(p cua.Proposal, name string) bool {
	w := words(name)
	return strings.TrimSpace(w) != "" && (strings.Contains(words(p.Thought), w) || strings.Contains(words(p.Action.Why), w))
}

// outside says whether p lies beyond an edge of the viewport.
func outside(p cua.Point, view cua.Size) bool {
	return p.X < 0 || p.Y < 0 || p.X >= float64(view.W) || p.Y >= float64(view.H)
}

// gap is how far p lies from b, CSS px; 0 inside.
func gap(b cua.Box, p cua.Point) float64 {
	return math.Hypot(max(b.X-p.X, 0, p.X-b.X-b.W), max(b.Y-p.Y, 0, p.Y-b.Y-b.H))
}

// quoted is a name that the page wrote, in one line.
func quoted(name string) string {
	if name = line(name); name != "" {
		return fmt.Sprintf("%q", name)
	}
	return "the element"
}
