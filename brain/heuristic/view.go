package heuristic

import (
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// view is a turn with the derived data of the heuristic. It is created for each decision.
type view struct {
	t       *cua.Turn
	now     *cua.Observation
	steps   []cua.Step
	samples []cua.Sample
	aims    []aim
	values  []want
	// form says that there are values that are sent after they are entered. A quantity alone is not sent.
	form bool
	// quantities caches the results of quantityReached.
	quantities map[quantityKey]quantityResult
	// node is the node of the present page.
	node  string
	churn cua.ChurnMask
}

// move is the action that a rule proposes.
type move struct {
	action  cua.Action
	thought string
}

func look(t *cua.Turn) *view {
	v := &view{t: t, now: &t.Now, steps: t.History.Steps, samples: t.History.Samples(),
		churn: t.History.Churn(), quantities: map[quantityKey]quantityResult{}}
	v.node = cua.Node(t.Now, v.churn)
	aims, values := readGoal(t.Task.Goal)
	v.aims, v.form = aims, len(t.Task.Fields)+len(values) > 0
	v.values = v.plan(values)
	return v
}

// size is the size of the viewport, or the default size if the page does not report one.
func (v *view) size() cua.Size {
	if v.now.Viewport == (cua.Size{}) {
		return cua.Size{W: 1280, H: 800}
	}
	return v.now.Viewport
}

// press is one step that pressed something, or that sent Return instead.
type press struct {
	step   int // index into steps
	name   string
	id     string
	submit bool
	effect bool
}

// pressAt is the press of step i; false if it made none.
func (v *view) pressAt(i int) (press, bool) {
	s := &v.steps[i]
	if s.Action == nil {
		return press{}, false
	}
	if s.RecoveryReason == cua.DismissOverlay {
		return press{}, false // a gate closed a covering layer instead: the control was not pressed
	}
	returned := s.Action.Kind == cua.Key && (s.Action.Keys == "Return" || s.Action.Keys == "Enter")
	if !s.Action.Kind.Pressing() && !returned {
		return press{}, false
	}
	p := press{step: i, name: s.Target.Name, id: s.Target.ID, submit: s.Target.SubmitShaped() || returned,
		effect: v.samples[i].Progress}
	if returned {
		p.byDefault(v.t.History.Before(i))
	}
	// the target belongs to the proposed action
	if at := s.Action.Point; at != nil && (p.name == "" || s.Substituted()) {
		before := v.t.History.Before(i)
		for _, m := range before.Marks {
			if m.Box.Contains(*at) || m.ID != "" && m.ID == s.Target.ID {
				p.name, p.id, p.submit = m.Name, m.ID, Submits(m)
			}
		}
	}
	return p, true
}

// byDefault makes p the press of the default button of the focused form, which Return presses.
func (p *press) byDefault(before cua.Observation) {
	f := before.Focus
	if f == nil {
		return
	}
	if form := before.FormOf(f.Form, f.Frame); form != nil && form.Default != nil {
		p.name, p.id = form.Default.Name, form.Default.ID
	}
}

// lastPress is the newest press on something that is not a field.
func (v *view) lastPress() (press, bool) {
	for i := len(v.steps) - 1; i >= 0; i-- {
		if p, ok := v.pressAt(i); ok && !v.steps[i].Target.Editable {
			return p, true
		}
	}
	return press{}, false
}

// pressed reports whether a control of that name was pressed with an effect.
func (v *view) pressed(m cua.Mark) bool {
	for i := range v.steps {
		if p, ok := v.pressAt(i); ok && p.effect && (p.id != "" && p.id == m.ID || p.name != "" &&
			p.name == m.Name) {
			return true
		}
	}
	return false
}

// acted reports whether any step had an effect.
func (v *view) acted() bool {
	return slices.ContainsFunc(v.samples, func(s cua.Sample) bool { return s.Acting && s.Progress })
}

// trailing counts the newest consecutive steps for which is holds, ignoring steps for which skip holds.
func (v *view) trailing(is, skip func(*cua.Step) bool) int {
	n := 0
	for i := len(v.steps) - 1; i >= 0; i-- {
		s := &v.steps[i]
		switch {
		case is(s):
			n++
		case !skip(s):
			return n
		}
	}
	return n
}

func waited(s *cua.Step) bool { return s.Action != nil && s.Action.Kind == cua.Wait }
func looked(s *cua.Step) bool { return s.Proposed.Kind.ReadOnly() }
func never(*cua.Step) bool    { return false }

// waits counts the waits since the last step that did something.
func (v *view) waits() int { return v.trailing(waited, looked) }

// maxReads is how often in a row the page is read. A page that keeps changing is then used as it was read.
const maxReads = 2

// reading is the text that an extract found at step i; "" if step i is not one.
func (v *view) reading(i int) string {
	s := &v.steps[i]
	if s.Action == nil || s.Action.Kind != cua.Extract || s.Failure != nil {
		return ""
	}
	return s.Feedback
}

// read is the text of the present page; false if it was not read since the last change. After a wait,
// content that changes by itself counts as a change too, because the wait may have been for it.
func (v *view) read() (string, bool) {
	looks, idle := v.trailing(looked, never), false
	for i := len(v.steps) - 1; i >= 0; i-- {
		if text := v.reading(i); text != "" {
			after := &v.steps[i].After
			same := cua.Node(*after, v.churn) == v.node && (!idle || after.DOMDigest == v.now.DOMDigest)
			return text, same || looks >= maxReads
		}
		if v.steps[i].Acting() && v.samples[i].Progress {
			break
		}
		idle = idle || waited(&v.steps[i])
	}
	return "", false
}

// canRead reports whether reading the page is worth a step: its present state was not read, and no attempt
// to read has failed or found nothing.
func (v *view) canRead() bool {
	if _, ok := v.read(); ok {
		return false
	}
	if v.trailing(looked, never) >= maxReads {
		return false
	}
	for i := range v.steps {
		if v.steps[i].Proposed.Kind == cua.Extract && v.reading(i) == "" {
			return false
		}
	}
	return true
}

// moved reports whether anything on the page changed during the newest wait, including content that
// changes by itself.
func (v *view) moved() bool {
	for i := len(v.steps) - 1; i >= 0; i-- {
		if waited(&v.steps[i]) {
			return v.t.History.Before(i).DOMDigest != v.steps[i].After.DOMDigest
		}
	}
	return false
}

func (v *view) extract() *move {
	return &move{cua.Action{Kind: cua.Extract}, "look at what the page says now"}
}

// says is all text of the page in the turn except its elements: title, alerts, the text of an open dialog,
// and the text that was read of the present page.
func (v *view) says() string {
	parts := []string{v.now.Title}
	parts = append(parts, v.now.Alerts...)
	if v.now.Dialog != nil {
		parts = append(parts, v.now.Dialog.Message)
	}
	if text, ok := v.read(); ok {
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n")
}

// news is says without the text that the page had before the first action.
func (v *view) news() string {
	var parts []string
	if v.now.Title != v.t.History.Start.Title {
		parts = append(parts, v.now.Title)
	}
	parts = append(parts, v.now.Alerts...)
	if text, ok := v.read(); ok {
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n")
}

// busy reports whether the page is busy, by its title, text, or a control that says so.
func (v *view) busy() bool {
	if busyText(v.says()) {
		return true
	}
	for _, m := range v.now.Marks {
		resting := strings.HasSuffix(m.Name, "…") || strings.HasSuffix(m.Name, "...") || m.Disabled
		if resting && busyText(m.Name) {
			return true
		}
	}
	return false
}
