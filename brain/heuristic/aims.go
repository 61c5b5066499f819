package heuristic

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// open is the first aim that is not reached, and the state from which it counts; false if all are reached.
// State i is the page before step i, and the last state is the present page.
func (v *view) open() (k, from int, ok bool) {
	for k, a := range v.aims {
		end, done := v.reached(a, from)
		if !done {
			return k, from, true
		}
		from = end
	}
	return len(v.aims), from, false
}

// reached is the first state, from state from on, in which a is reached.
func (v *view) reached(a aim, from int) (int, bool) {
	switch a.kind {
	case aimPage:
		return v.pageReached(a, from)
	case aimStep:
		return v.quantityReached(a, from)
	case aimDate:
		return v.dateReached(a, from)
	case aimTick, aimChoose:
		if i, ok := v.stateReached(a, from); ok {
			return i, true
		}
		if a.kind == aimTick || a.on == "" { // a control that is not a field: a press is enough
			return v.pressReached(aim{on: a.on + a.text, times: 1}, from)
		}
		return from, false
	case aimBottom:
		for i := from; i <= len(v.steps); i++ {
			if s := v.t.History.Before(i).Scroll; s.MaxY > 0 && s.Y >= s.MaxY-1 {
				return i, true
			}
		}
		return from, v.now.Scroll.MaxY <= 0
	}
	return v.pressReached(a, from)
}

// stateReached is the state from which on the page shows that the target of a is ticked or chosen. A later
// change revokes that, unless the form was sent before, because a page may then empty its form.
func (v *view) stateReached(a aim, from int) (int, bool) {
	since := -1
	for i := from; i <= len(v.steps); i++ {
		o := v.t.History.Before(i)
		holds, shown := false, false
		for f := range o.Fields {
			is, about := shows(a, o.Fields, f)
			holds, shown = holds || is, shown || about
		}
		if holds && since < 0 {
			since = i
		} else if shown && !holds {
			since = -1
		}
		if since >= 0 && i < len(v.steps) && v.sends(i) {
			break
		}
	}
	return max(since, from), since >= 0
}

// shows reports whether field i is the target of a (about), and whether it has the wanted state (is).
func shows(a aim, fields []cua.Field, i int) (is, about bool) {
	f := fields[i]
	if at := cua.ByPlace(a.on, fields); at >= 0 && a.kind == aimTick {
		return at == i && f.Checked, at == i
	}
	switch {
	case a.kind == aimTick:
		about = tickable(f) && (named(a.on, f.Label) >= nameFloor || named(a.on, f.Name) >= nameFloor)
		return about && f.Checked, about
	case f.Type == "radio":
		about = named(a.text, f.Label) == 1
		return about && f.Checked, about
	}
	o := option(f, a.text)
	about = o != "" && (a.on == "" || fits(cua.PlanValue{Label: a.on, Value: a.text}, f) > 0)
	return about && (f.Selected == o || slices.Contains(strings.Split(f.Selected, ", "), o)), about
}

// everShown reports whether any state had a field to which the choice could refer.
func (v *view) everShown(a aim) bool {
	for i := 0; i <= len(v.steps); i++ {
		o := v.t.History.Before(i)
		for f := range o.Fields {
			if _, about := shows(a, o.Fields, f); about {
				return true
			}
		}
		if slices.ContainsFunc(o.Marks, func(m cua.Mark) bool { return named(a.text, m.Name) >= nameFloor }) {
			return true
		}
	}
	return false
}

// tickable reports whether a press ticks f.
func tickable(f cua.Field) bool { return f.Type == "checkbox" || f.Type == "radio" }

func (v *view) pressReached(a aim, from int) (int, bool) {
	n := 0
	for i := from; i < len(v.steps); i++ {
		if n > 0 && a.until != "" && v.holdsAt(a, i) {
			return i, true
		}
		if p, ok := v.pressAt(i); ok && p.effect && named(a.on, p.name) >= nameFloor {
			n++
			if a.until == "" && n >= a.times {
				return i + 1, true
			}
		}
	}
	return from, a.until != "" && n > 0 && v.holdsAt(a, len(v.steps))
}

// conditionWords are ignored in a condition: "until it shows X" means until X is visible.
var conditionWords = []string{"is", "are", "shows", "show", "shown", "appears", "appear", "visible", "you",
	"see", "there", "says", "say", "reads", "the", "a", "an", "reach", "reached", "i", "becomes", "it",
	"been", "has", "have"}

var goneWords = regexp.MustCompile(`(?i)\b(no more|nothing|disappears?|disabled|gone|cannot|can't|end of|all)\b`)

// holdsAt reports whether the condition of a repeated press holds in state i: one line of the page has all
// its words, or the pressed control is gone.
func (v *view) holdsAt(a aim, i int) bool {
	o := v.t.History.Before(i)
	enabled := slices.ContainsFunc(o.Marks, func(m cua.Mark) bool {
		return !m.Disabled &&
			named(a.on, m.Name) >= nameFloor
	})
	disabled := slices.ContainsFunc(o.Marks, func(m cua.Mark) bool {
		return m.Disabled &&
			named(a.on, m.Name) >= nameFloor
	})
	if !enabled && (disabled || goneWords.MatchString(a.until)) {
		return true
	}
	lines := append(stated(o), strings.Split(v.readAt(i), "\n")...)
	return slices.ContainsFunc(lines, func(l string) bool { return within(condition(a), Words(l)) })
}

// condition are the words that one line of the page must have.
func condition(a aim) []string {
	return slices.DeleteFunc(Words(a.until), func(w string) bool {
		return slices.Contains(conditionWords,
			w)
	})
}

// stated are the lines that an observation shows without reading the page.
func stated(o cua.Observation) []string {
	lines := append([]string{o.Title, o.URL}, o.Alerts...)
	for _, m := range o.Marks {
		lines = append(lines, m.Name)
	}
	return lines
}

// readAt is the text that was read in state i.
func (v *view) readAt(i int) string {
	if i == 0 {
		return ""
	}
	return v.reading(i - 1)
}

// reckoned is a number that the page shows, tracked over the states.
type reckoned struct {
	n     int
	known bool
}

// trace tracks a number over the states: seen reads it if the page shows it, and a press with an effect
// changes it by delta.
func (v *view) trace(from int, start reckoned, seen func(i int) (int, bool),
	delta func(press) int) []reckoned {
	var out []reckoned
	c := start
	for i := from; i <= len(v.steps); i++ {
		if n, ok := seen(i); ok {
			c = reckoned{n, true}
		}
		out = append(out, c)
		if i < len(v.steps) {
			if p, ok := v.pressAt(i); ok && p.effect {
				c.n += delta(p)
			}
		}
	}
	return out
}

func (v *view) firstState(from int, trace []reckoned, n int) (int, bool) {
	for i, c := range trace {
		if c.known && c.n == n {
			return from + i, true
		}
	}
	return from, false
}

// pursue is the next step towards a, which counts from state from; nil if nothing on the page helps.
func (v *view) pursue(a aim, from int) *move {
	switch a.kind {
	case aimPage:
		return v.turnPage(a, from)
	case aimStep:
		return v.stepTo(a, from)
	case aimDate:
		return v.pickDay(a, from)
	case aimTick, aimChoose:
		return v.set(a)
	case aimBottom:
		return &move{cua.Action{Kind: cua.Scroll, DY: 0.8 * float64(v.size().H)}, "scroll on to the end"}
	}
	if a.until != "" && v.canRead() && v.acted() {
		return v.extract()
	}
	if m := v.called(a.on); m != nil {
		return v.click(*m, fmt.Sprintf("the goal names %q; press it", clip(m.Name, 40)))
	}
	if a.soft {
		return nil
	}
	return v.sweep(a.on)
}

// set ticks a box or chooses an option.
func (v *view) set(a aim) *move {
	if f := cua.ByPlace(a.on, v.now.Fields); f >= 0 && a.kind == aimTick {
		return v.enter(want{PlanValue: cua.PlanValue{Label: a.on}, field: &v.now.Fields[f]})
	}
	for i := range v.now.Fields {
		f := &v.now.Fields[i]
		w := want{PlanValue: cua.PlanValue{Label: a.on, Value: a.text}, field: f}
		if a.kind == aimTick && (f.Type == "checkbox" || f.Type == "radio") &&
			(named(a.on, f.Label) >= nameFloor || named(a.on, f.Name) >= nameFloor) {
			return v.enter(w)
		}
		if a.kind == aimChoose && f.Type == "select" && option(*f, a.text) != "" &&
			(a.on == "" || fits(w.PlanValue, *f) > 0) {
			return v.enter(w)
		}
	}
	what := a.on
	if a.kind == aimChoose {
		what = a.text
	}
	if m := v.called(what); m != nil {
		return v.click(*m, fmt.Sprintf("the goal names %q; press it", clip(m.Name, 40)))
	}
	return v.sweep(what)
}
