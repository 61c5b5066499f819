package heuristic

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// symbols are names without words, and their meanings.
var symbols = map[string][]string{
	"+": {"plus", "increase", "increment", "up", "more"}, "＋": {"plus", "increase", "increment", "up", "more"},
	"-": {"minus", "decrease", "decrement", "down", "less"}, "−": {"minus", "decrease", "decrement", "down", "less"}, "–": {"minus", "decrease", "decrement", "down", "less"},
	">": {"next"}, "›": {"next"}, "»": {"next"}, "→": {"next"}, "▶": {"next"}, "❯": {"next"},
	"<": {"previous", "prev"}, "‹": {"previous", "prev"}, "«": {"previous", "prev"}, "←": {"previous", "prev"}, "◀": {"previous", "prev"}, "❮": {"previous", "prev"},
	"×": {"close", "dismiss"}, "✕": {"close", "dismiss"}, "✖": {"close", "dismiss"}, "↻": {"refresh", "reload"},
}

// Meaning returns the informative words of a name, or those that a symbol stands for.
func Meaning(s string) (w []string, symbol bool) {
	for _, part := range strings.Fields(s) {
		if m, ok := symbols[part]; ok {
			rest := slices.DeleteFunc(Words(s), func(x string) bool { return slices.Contains(smallWords, x) })
			if len(rest) == 0 {
				return m, true
			}
		}
	}
	return Words(s), false
}

// named is how well a name fits the words that were asked for, 0 to 1.
func named(asked, name string) float64 {
	if asked == "" || name == "" {
		return 0
	}
	if strings.EqualFold(strings.TrimSpace(asked), strings.TrimSpace(name)) {
		return 1
	}
	a, sa := Meaning(asked)
	n, sn := Meaning(name)
	if sa || sn {
		if slices.ContainsFunc(strong(a), func(x string) bool { return slices.Contains(n, x) }) {
			return 0.8
		}
		return 0
	}
	return alike(a, n)
}

// nameFloor is the score below which an element does not match a name.
const nameFloor = 0.5

func Submits(m cua.Mark) bool {
	return m.Submit || (m.Role == "button" || m.Tag == "button") && cua.SaysSubmit(m.Name)
}

// find is the visible mark with the best score; nil if none has one. Enabled and uncovered marks take
// precedence, then buttons and links over fields, then the order of the page.
func (v *view) find(score func(cua.Mark) float64) *cua.Mark { return findIn(v.now, score) }

func findIn(o *cua.Observation, score func(cua.Mark) float64) *cua.Mark {
	var best *cua.Mark
	top := 0.0
	for i := range o.Marks {
		m := &o.Marks[i]
		s := score(*m)
		if s < nameFloor {
			continue
		}
		if _, ok := m.Box.CenterIn(o.Viewport); !ok {
			continue
		}
		if m.Disabled {
			s -= 0.3
		}
		if m.Covered {
			s -= 0.05
		}
		if m.Role == "button" || m.Role == "link" || m.Submit {
			s += 0.02
		}
		if best == nil || s > top {
			best, top = m, s
		}
	}
	return best
}

func (v *view) called(words string) *cua.Mark {
	return v.find(func(m cua.Mark) float64 { return named(words, m.Name) })
}

// closers match names of controls that close something, the least binding first: they decline a question,
// close a box, confirm a notice, agree.
var closers = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^\W*(cancel|no|maybe later|later|skip|stay|go back)\W*$`),
	regexp.MustCompile(`(?i)^\W*(close|dismiss|no,? thanks|not now|decline|reject|reject all|×|✕|✖)\W*$`),
	regexp.MustCompile(`(?i)^\W*(got it|ok|okay)\W*$`),
	regexp.MustCompile(`(?i)^\W*(accept|accept all|accept cookies)\W*$`),
}

// closer is a control with one of those names that can be pressed, in the order of names, without those
// that skip excludes.
func (v *view) closer(names []*regexp.Regexp, skip func(cua.Mark) bool) *cua.Mark {
	for _, closes := range names {
		for i := range v.now.Marks {
			m := &v.now.Marks[i]
			if _, ok := m.Box.CenterIn(v.now.Viewport); ok && !m.Covered && !m.Disabled &&
				closes.MatchString(m.Name) && !skip(*m) {
				return m
			}
		}
	}
	return nil
}

// click presses m. If a layer with a visible close control covers m, it closes the layer first, as a
// person would.
func (v *view) click(m cua.Mark, thought string) *move {
	if m.Covered {
		if n := len(v.steps); n > 0 && v.steps[n-1].Action != nil && v.steps[n-1].Action.Kind == cua.Select {
			return &move{cua.Action{Kind: cua.Key, Keys: "Escape"},
				"the list still lies over it; close the list"}
		}
		// a Cancel may belong to the form itself
		if c := v.closer(closers[1:], func(c cua.Mark) bool { return c.ID == m.ID }); c != nil {
			p, _ := c.Box.CenterIn(v.now.Viewport)
			return &move{cua.Action{Kind: cua.Click, Point: &p},
				fmt.Sprintf("something lies over it; press %q", clip(c.Name, 40))}
		}
	}
	p, ok := m.Box.CenterIn(v.now.Viewport)
	if !ok {
		return v.bring(m.Box)
	}
	return &move{cua.Action{Kind: cua.Click, Point: &p}, thought}
}

// bring scrolls b to the middle of the viewport; nil if that was just tried.
func (v *view) bring(b cua.Box) *move {
	if b.Empty() {
		return nil
	}
	if n := len(v.steps); n > 0 && scrolled(&v.steps[n-1]) && !v.samples[n-1].Progress {
		return nil
	}
	c, view := b.Center(), v.size()
	dx, dy := 0.0, c.Y-float64(view.H)/2
	if c.X < 0 || c.X >= float64(view.W) {
		dx = c.X - float64(view.W)/2
	}
	if dx == 0 && dy == 0 {
		return nil
	}
	return &move{cua.Action{Kind: cua.Scroll, DX: dx, DY: dy},
		"it is outside of what is visible; scroll to it"}
}

func scrolled(s *cua.Step) bool { return s.Action != nil && s.Action.Kind == cua.Scroll }

// sweep searches for something that is not visible: down to the end of the page, then up to its top; nil
// after all of it was seen.
func (v *view) sweep(what string) *move {
	up := false
	for i := len(v.steps) - 1; i >= 0 && (scrolled(&v.steps[i]) || looked(&v.steps[i])); i-- {
		if s := &v.steps[i]; scrolled(s) {
			if !v.samples[i].Progress && i == len(v.steps)-1 {
				return nil
			}
			up = up || s.Action.DY < 0
		}
	}
	stride := 0.8 * float64(v.size().H)
	thought := fmt.Sprintf("nothing visible is named %q; scroll", clip(what, 60))
	at := v.now.Scroll
	if !up && at.Y < at.MaxY-1 {
		return &move{cua.Action{Kind: cua.Scroll, DY: min(stride, at.MaxY-at.Y)}, thought}
	}
	if at.Y > 1 {
		return &move{cua.Action{Kind: cua.Scroll, DY: -min(stride, at.Y)}, thought}
	}
	return nil
}

// sideWords match buttons in a form that do not submit it.
var sideWords = regexp.MustCompile(`(?i)\b(cancel|reset|clear|back|previous|help|show|hide|toggle|upload|browse|delete|remove|add|edit|forgot)\b`)

// forms are the forms of the fields that have or had values.
func (v *view) forms() map[string]bool {
	out := map[string]bool{}
	for _, w := range v.values {
		if w.field != nil && w.field.Form != "" {
			out[w.field.Form] = true
		}
	}
	for i := range v.steps {
		s := &v.steps[i]
		if s.Action == nil || s.Action.Kind != cua.Type && s.Action.Kind != cua.Select {
			continue
		}
		form := s.Target.Form
		if f := s.After.Focus; form == "" && f != nil {
			form = f.Form
		}
		if form != "" {
			out[form] = true
		}
	}
	return out
}

// sender is the control in o that submits the form of the values; nil if none is visible.
func (v *view) sender(o *cua.Observation) *cua.Mark {
	forms := v.forms()
	best := findIn(o, func(m cua.Mark) float64 {
		if !Submits(m) && m.Role != "button" || sideWords.MatchString(m.Name) || stepsWay(o, m, 1) ||
			stepsWay(o, m, -1) {
			return 0
		}
		s := 0.0
		if m.Submit {
			s += 0.5
		}
		if cua.SaysSubmit(m.Name) {
			s += 0.5
		}
		if forms[m.Form] {
			s += 0.5
		}
		if s > 0 && within(strong(Words(m.Name)), Words(v.t.Task.Goal)) {
			s += 0.2
		}
		return s
	})
	if best != nil {
		return best
	}
	lone := func(m cua.Mark) bool {
		return (m.Role == "button" || m.Tag == "button") && !sideWords.MatchString(m.Name)
	}
	if i := slices.IndexFunc(o.Marks, lone); i >= 0 && !slices.ContainsFunc(o.Marks[i+1:], lone) {
		return &o.Marks[i] // the only button
	}
	return nil
}

// submit presses the control that submits the filled form.
func (v *view) submit() *move {
	best := v.sender(v.now)
	if best == nil {
		return v.sweep("submit")
	}
	return v.click(*best, fmt.Sprintf("all that is visible is filled in; press %q", clip(best.Name, 40)))
}

// tick ticks the first required box that is not ticked.
func (v *view) tick() *move {
	for _, f := range v.now.Fields {
		if f.Type != "checkbox" || f.Checked || f.Disabled || !f.Required {
			continue
		}
		if p, ok := f.Box.CenterIn(v.now.Viewport); ok {
			return &move{cua.Action{Kind: cua.Click, Point: &p}, "the form wants this box ticked"}
		}
		return v.bring(f.Box)
	}
	return nil
}
