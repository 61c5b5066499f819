package heuristic

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Brain is the embedded default brain. It needs no key, no network and no model. It reads what any brain
// is shown (goal, plan values, elements, focus, dialog, title, alerts, its own steps and their results)
// and works like a simple, honest model: it focuses a field in one step and types in the next, selects,
// ticks, presses what the goal names, turns pages and months, scrolls to controls out of view, waits while
// the page is busy, reads the page (extract) if the elements are not enough, and says done with what it
// saw.
//
// It is stubborn on purpose: it repeats a press without effect forever, as a model without a guard does.
// Loop recovery is measured with it. It ignores nudges (Faults' nudge_obedience controls how often a
// faulty brain follows them). It gives up, with success=false, only if nothing on the page helps. It knows
// no site, and it understands only the English of readGoal. It is not a model: its results say nothing
// about what a model solves.
type Brain struct{}

// Decide is a pure function of t. It returns no error except that of ctx.
func (Brain) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	v := look(t)
	for _, rule := range []func(*view) *move{(*view).answer, (*view).repair, (*view).caution,
		(*view).patience,
		(*view).unblock, (*view).fill, (*view).work, (*view).send, (*view).follow, (*view).finish} {
		m := rule(v)
		if m == nil || v.undoes(m.action) {
			continue
		}
		if m.action.Validate(t.Now.Viewport) == nil {
			return cua.Decision{Action: m.action, Thought: m.thought, By: "heuristic"}, ctx.Err()
		}
	}
	m := v.giveUp()
	return cua.Decision{Action: m.action, Thought: m.thought, By: "heuristic"}, ctx.Err()
}

// answer answers an open dialog. It accepts nothing dangerous that the goal did not ask for.
func (v *view) answer() *move {
	d := v.now.Dialog
	if d == nil {
		return nil
	}
	a := cua.Action{Kind: cua.AnswerDlg}
	goal := Words(v.t.Task.Goal)
	switch d.Type {
	case "alert":
		a.Accept = true
	case "prompt":
		for _, w := range v.values {
			if within(strong(Words(w.Label)), Words(d.Message)) {
				a.Accept, a.Text = true, w.Value
			}
		}
		if !a.Accept && d.Default != "" {
			a.Accept, a.Text = true, d.Default
		}
	default:
		a.Accept = true
		for _, danger := range dangerWords.FindAllString(d.Message, -1) {
			a.Accept = a.Accept && slices.Contains(goal, strings.ToLower(danger))
		}
	}
	if a.Accept {
		return &move{a, "answer the dialog with yes"}
	}
	return &move{a, "the dialog asks for something that the goal does not; answer no"}
}

// maxReloads is how often a page that did not load is reloaded.
const maxReloads = 2

// repair reloads a page that did not load, and then gives up.
func (v *view) repair() *move {
	if v.now.NavError == "" {
		return nil
	}
	if v.trailing(func(s *cua.Step) bool { return s.Proposed.Kind == cua.Reload }, waited) < maxReloads {
		return &move{cua.Action{Kind: cua.Reload}, "the page did not load; try again"}
	}
	return v.failed("the page cannot be reached: " + clip(v.now.NavError, 80))
}

// caution reads the page after an interruption, because the result of the last action is unknown.
func (v *view) caution() *move {
	if v.canRead() && slices.ContainsFunc(v.t.Notes, func(n cua.Note) bool { return n.From == "runner" }) {
		return v.extract()
	}
	return nil
}

// Maximum waits for a page that is busy (maxWaits) or may be busy (maxDoubt).
const (
	maxWaits = 8
	maxDoubt = 3
	waitMS   = 1000
	longWait = 3000
)

// patience waits while the page is busy, and for the result of the last press.
func (v *view) patience() *move {
	n := v.waits()
	wait := &move{cua.Action{Kind: cua.Wait, MS: min(waitMS*(n+1), longWait)}, "the page is at work; wait"}
	if n < maxWaits && v.busy() {
		return wait
	}
	i := len(v.steps) - 1 - v.trailing(func(s *cua.Step) bool { return waited(s) || looked(s) }, never)
	if n >= maxDoubt || i < 0 {
		return nil
	}
	s := &v.steps[i]
	unanswered := slices.ContainsFunc(s.After.Writes, func(w cua.Write) bool { return w.Status == 0 }) &&
		n == 0
	if unanswered || s.Settle != nil && s.Settle.Capped && n == 0 {
		return wait
	}
	if p, ok := v.pressAt(i); ok && !p.effect && waitClause.MatchString(v.t.Task.Goal) && !s.Target.Editable {
		return wait
	}
	return nil
}

var waitClause = regexp.MustCompile(`(?i)\bwait\b`)

// work pursues the aims of the goal: the first open one, or a later one if the page has nothing for the
// first.
func (v *view) work() *move {
	k, from, ok := v.open()
	if !ok {
		return nil
	}
	for ; k < len(v.aims); k++ {
		if _, done := v.reached(v.aims[k], from); done {
			continue
		}
		m := v.pursue(v.aims[k], from)
		if m != nil && !v.undoes(m.action) {
			return m
		}
		if v.aims[k].kind == aimStep {
			return nil // later aims would use a wrong number
		}
	}
	return nil
}

// settled reports whether all aims are reached, except soft ones, and, if there are plan values, except
// choices for which no page had a field: "choose both stations" is about the values.
func (v *view) settled() bool {
	from := 0
	for _, a := range v.aims {
		end, done := v.reached(a, from)
		if !done && !a.soft && !(v.form && a.kind == aimChoose && !v.everShown(a)) {
			return false
		}
		from = max(from, end)
	}
	return true
}

// lastFill is the index of the newest step that entered a value; -1 if there is none.
func (v *view) lastFill() int {
	for i := len(v.steps) - 1; i >= 0; i-- {
		if a := v.steps[i].Action; a != nil && (a.Kind == cua.Type || a.Kind == cua.Select) {
			return i
		}
	}
	return -1
}

// sent reports whether something was pressed with an effect after the last value was entered.
func (v *view) sent() bool {
	for i := v.lastFill() + 1; i < len(v.steps); i++ {
		p, ok := v.pressAt(i)
		if !ok || !p.effect {
			continue
		}
		before := v.t.History.Before(i)
		if m := v.sender(&before); p.submit || m != nil && m.ID == p.id ||
			slices.ContainsFunc(v.aims, func(a aim) bool {
				return a.kind == aimPress &&
					named(a.on, p.name) >= nameFloor
			}) {
			return true
		}
	}
	return false
}

// wrongNumber is the name of a quantity that differs from the goal; "" if there is none.
func (v *view) wrongNumber() string {
	for _, a := range v.aims {
		if _, ok := v.reached(a, 0); a.kind == aimStep && !ok {
			return a.on
		}
	}
	return ""
}

// send submits the form once no visible field waits for a value.
func (v *view) send() *move {
	if v.wrongNumber() != "" {
		return nil
	}
	if !v.form || v.lastFill() < 0 && !slices.ContainsFunc(v.values,
		func(w want) bool { return w.in }) || v.sent() {
		return nil
	}
	if m := v.tick(); m != nil {
		return m
	}
	return v.submit()
}

// follow presses what the words of the goal name, if the goal was not parsed otherwise or the form for the
// values is behind a link. It does not press what the goal asks for later.
func (v *view) follow() *move {
	if len(v.aims) > 0 && v.settled() || len(v.values) > 0 && v.lastFill() >= 0 {
		return nil
	}
	goal := Words(v.t.Task.Goal)
	k, _, _ := v.open()
	later := v.aims[min(k+1, len(v.aims)):]
	m := v.find(func(m cua.Mark) float64 {
		w := strong(Words(m.Name))
		if slices.ContainsFunc(later, func(a aim) bool {
			return a.kind == aimPress && !a.soft &&
				named(a.on, m.Name) >= nameFloor
		}) {
			return 0
		}
		if !within(w, goal) || v.pressed(m) || m.Disabled || slices.Contains(smallWords, w[0]) {
			return 0
		}
		return 0.6 + 0.05*float64(min(len(w), 6))
	})
	if m != nil {
		return v.click(*m, fmt.Sprintf("the goal's words name %q; press it", clip(m.Name, 40)))
	}
	return nil
}

// succeed says done with what was seen.
func (v *view) succeed() *move {
	saw := v.now.Title
	if text, ok := v.read(); ok {
		saw = text
	} else if len(v.now.Alerts) > 0 {
		saw = strings.Join(v.now.Alerts, " ")
	}
	answer := "Done. "
	if last, ok := v.lastPress(); ok && last.name != "" {
		answer += fmt.Sprintf("I pressed %q last. ", clip(last.name, 40))
	}
	if saw = clip(saw, 300); saw != "" {
		answer += "The page says: " + saw
	} else {
		answer += "The page is at " + clip(v.now.URL, 200)
	}
	for _, name := range v.t.Task.OutputFields {
		if line := lineWith(v.says(), name); line != "" {
			answer += "\n" + line
		}
	}
	return &move{cua.Action{Kind: cua.Done, Success: true, Text: answer},
		"all that the goal asks for is done"}
}

// lineWith is the first line of text that has all words of name.
func lineWith(text, name string) string {
	for line := range strings.Lines(text) {
		if within(Words(name), Words(line)) {
			return clip(line, 200)
		}
	}
	return ""
}

func (v *view) failed(why string) *move {
	return &move{cua.Action{Kind: cua.Done, Text: "Not done: " + why}, why}
}

// giveUp handles a page on which nothing helps: look at the rest of the page, wait a moment, read it, and
// then give up.
func (v *view) giveUp() *move {
	if m := v.sweep("what the goal asks for"); m != nil {
		return m
	}
	if len(v.now.Marks)+len(v.now.Fields) == 0 && v.waits() < maxDoubt {
		return &move{cua.Action{Kind: cua.Wait, MS: waitMS}, "the page shows nothing to act on yet; wait"}
	}
	if v.canRead() {
		return v.extract()
	}
	if v.complete() && v.acted() && succeeded(v.news()) {
		return v.succeed()
	}
	var missing []string
	for _, w := range v.values {
		if !w.in {
			missing = append(missing, w.Label)
		}
	}
	why := "nothing that I can find here serves the goal"
	if on := v.wrongNumber(); on != "" {
		why = "I cannot set " + clip(on, 60)
	} else if len(missing) > 0 {
		why = "no field that I can find takes " + clip(strings.Join(missing, ", "), 200)
	}
	return v.failed(why)
}
