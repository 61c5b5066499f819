package heuristic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// want is a value, the field in which it belongs, and whether it is there.
type want struct {
	cua.PlanValue
	field *cua.Field // nil when no visible field matches
	in    bool
}

// matchFloor is the minimum score of a match: half of the words in common.
const matchFloor = 0.5

// plan assigns the values of the task and of the goal to the visible fields: best name first, one to one.
// The rest goes, in order, into fields without an informative name.
func (v *view) plan(given []cua.PlanValue) []want {
	out := v.wanted(given)
	type pair struct {
		w, f  int
		score float64
	}
	var pairs []pair
	for w := range out {
		for f := range v.now.Fields {
			if s := fits(out[w].PlanValue, v.now.Fields[f]); s >= matchFloor {
				pairs = append(pairs, pair{w, f, s})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.score, a.score) })
	taken := map[int]bool{}
	for i := range out {
		if at := out[i].field; at != nil {
			taken[slices.IndexFunc(v.now.Fields, func(f cua.Field) bool { return f.ID == at.ID })] = true
			continue
		}
		if f := cua.ByPlace(out[i].Label, v.now.Fields); f >= 0 && !taken[f] &&
			takes(v.now.Fields[f], out[i].Value) {
			out[i].field, taken[f] = &v.now.Fields[f], true
		}
	}
	for _, p := range pairs {
		if out[p.w].field == nil && !taken[p.f] {
			out[p.w].field, taken[p.f] = &v.now.Fields[p.f], true
		}
	}
	v.inOrder(out, taken)
	for i := range out {
		out[i].in = v.landed(out[i])
	}
	return out
}

// wanted are the values of the task and of the goal, without fields.
func (v *view) wanted(given []cua.PlanValue) []want {
	var out []want
	for _, p := range v.t.Task.Fields {
		out = append(out, want{PlanValue: p})
	}
	for _, p := range given { // the runner may have read it out of the goal too
		if !slices.ContainsFunc(v.t.Task.Fields, func(f cua.PlanValue) bool { return f.Value == p.Value }) {
			out = append(out, want{PlanValue: p})
		}
	}
	out = append(out, v.settable()...)
	return append(out, v.confirmations(out)...)
}

// maxTyped is how often a number is typed into its field. If the page does not keep it, the buttons of the
// field are used.
const maxTyped = 2

// settable are the quantities of the goal that a field accepts by typing or choosing. If the goal names a
// button for a quantity, the button is used.
func (v *view) settable() []want {
	var out []want
	byButton := strings.ContainsAny(v.t.Task.Goal, "+＋−") || slices.ContainsFunc(Words(v.t.Task.Goal),
		presses)
	for _, a := range v.aims {
		if a.kind != aimStep || a.text != "" && v.offers(a) {
			continue
		}
		f, value := counterField(v.now, a), itoa(a.number)
		if f == nil || f.Type != "select" && !f.Typable() || !takes(*f, value) || byButton &&
			len(steppers(v.now, a, 1)) > 0 {
			continue
		}
		if holds(*f, value) || v.puts(f.ID, value) < maxTyped {
			out = append(out, want{PlanValue: cua.PlanValue{Label: a.on, Value: value}, field: f})
		}
	}
	return out
}

// puts is how often value was typed into or chosen in that field.
func (v *view) puts(id, value string) int {
	n := 0
	for i := range v.steps {
		s := &v.steps[i]
		if s.Action == nil || s.Action.Kind != cua.Type && s.Action.Kind != cua.Select {
			continue
		}
		focus := v.t.History.Before(i).Focus
		if s.Action.Text == value && (s.Action.Into == id || s.Target.Field == id || focus != nil &&
			focus.ID == id) {
			n++
		}
	}
	return n
}

func presses(w string) bool {
	return slices.Contains([]string{"press", "pressing", "click", "clicking", "button", "buttons", "plus",
		"minus"}, w)
}

// confirmations are the values for which a field asks a second time.
func (v *view) confirmations(plan []want) []want {
	var out []want
	for _, f := range v.now.Fields {
		if !confirms(names(f)...) || slices.ContainsFunc(plan,
			func(w want) bool { return confirms(w.Label) }) {
			continue
		}
		for _, w := range plan {
			label := Words(w.Label)
			if slices.ContainsFunc(names(f), func(n string) bool {
				return within(strong(label),
					Words(n))
			}) ||
				f.Type == "password" && slices.Contains(label, "password") {
				out = append(out, want{PlanValue: cua.PlanValue{Label: "confirm " + w.Label, Value: w.Value}})
				break
			}
		}
	}
	return out
}

var confirmWords = []string{"confirm", "confirmation", "repeat", "again", "retype", "re", "verify", "reenter"}

func confirms(names ...string) bool {
	for _, n := range names {
		if slices.ContainsFunc(Words(n), func(w string) bool { return slices.Contains(confirmWords, w) }) {
			return true
		}
	}
	return false
}

// inOrder assigns the values without a matching field to the generic fields, in the order in which both
// are given. A value that is already in such a field stays there.
func (v *view) inOrder(plan []want, taken map[int]bool) {
	for i := range plan {
		w := &plan[i]
		if w.field != nil || !v.landedEarlier(*w) {
			continue
		}
		for j := range v.now.Fields {
			if f := &v.now.Fields[j]; !taken[j] && f.Editable && generic(*f) &&
				v.landed(want{PlanValue: w.PlanValue, field: f}) {
				w.field, taken[j] = f, true
				break
			}
		}
	}
	next := 0
	for i := range plan {
		w := &plan[i]
		if w.field != nil || v.landedEarlier(*w) {
			continue
		}
		for ; next < len(v.now.Fields); next++ {
			f := &v.now.Fields[next]
			if !taken[next] && f.Editable && generic(*f) && takes(*f, w.Value) {
				w.field, taken[next] = f, true
				next++
				break
			}
		}
	}
}

// holds reports whether f shows value.
func holds(f cua.Field, value string) bool {
	switch f.Type {
	case "checkbox":
		return f.Checked == yes(value, f)
	case "radio":
		return f.Checked && (len(f.Options) == 0 || strings.EqualFold(f.Selected, value)) ||
			f.Selected != "" && strings.EqualFold(f.Selected, value)
	case "select":
		return f.Selected != "" && f.Selected == option(f, value)
	}
	if n := cua.SecretName(value); n != "" {
		return f.Secret == n
	}
	if native(f) && f.ValueDigest == cua.Digest(put(f, value)) {
		return true
	}
	if d, ok := valueDay(value); ok && slices.ContainsFunc(d.spellings(),
		func(s string) bool { return cua.Digest(s) == f.ValueDigest }) {
		return true
	}
	return value != "" && f.ValueDigest == cua.Digest(value)
}

// yes reports whether value means that the check box is to be ticked.
func yes(value string, f cua.Field) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "no", "false", "off", "0", "unchecked", "none":
		return false
	}
	return true
}

// landed reports whether the value of w is in its field: the field shows it; or it was typed and the page
// shows something else that it accepts as valid (a mask, a masked password); or the field is gone and had
// it.
func (v *view) landed(w want) bool {
	if w.field == nil {
		return v.landedEarlier(w)
	}
	if holds(*w.field, w.Value) {
		return true
	}
	if n, ok := smallNumbers()[w.field.ValueDigest]; ok && n != atoi(w.Value) {
		return false // a mask does not change the number
	}
	return !w.field.Empty && w.field.Invalid == "" && v.typed(w.field.ID, w.Value)
}

func (v *view) landedEarlier(w want) bool {
	for i := range v.steps {
		s := &v.steps[i]
		if s.Action == nil || s.Failure != nil {
			continue
		}
		typed := s.Action.Kind == cua.Type && same(s.Action.Text, w.Value) && v.samples[i].Progress
		if typed || s.Action.Kind == cua.Select && within(Words(w.Value), Words(s.Action.Text)) {
			return true
		}
	}
	return false
}

// heldWhenSent reports whether a field for w had its value when a form was sent, because the page may then
// empty or remove the form.
func (v *view) heldWhenSent(w want) bool {
	for i := range v.steps {
		if v.sends(i) && slices.ContainsFunc(v.t.History.Before(i).Fields, func(f cua.Field) bool {
			return fits(w.PlanValue, f) >= matchFloor && holds(f, w.Value)
		}) {
			return true
		}
	}
	return false
}

// typed reports whether the newest typing into that field was of value, with an effect.
func (v *view) typed(id, value string) bool {
	for i := len(v.steps) - 1; i >= 0; i-- {
		s := &v.steps[i]
		if s.Action == nil || s.Action.Kind != cua.Type || s.Failure != nil {
			continue
		}
		focus := s.After.Focus
		if s.Action.Into == id || s.Target.Field == id || focus != nil && focus.ID == id {
			return same(s.Action.Text, value) && v.samples[i].Progress
		}
	}
	return false
}

// unmet are the values whose field is visible and does not have them, in the order of the page.
func (v *view) unmet() []want {
	var out []want
	for _, w := range v.values {
		if w.field != nil && !w.in {
			out = append(out, w)
		}
	}
	slices.SortStableFunc(out, func(a, b want) int {
		return slices.IndexFunc(v.now.Fields, func(f cua.Field) bool { return f.ID == a.field.ID }) -
			slices.IndexFunc(v.now.Fields, func(f cua.Field) bool { return f.ID == b.field.ID })
	})
	return out
}

// fill is the next step of filling the visible fields: type into the focused one, otherwise select, tick,
// or click the next one, so that the next step can type.
func (v *view) fill() *move {
	if m := v.suggestion(); m != nil {
		return m
	}
	todo := v.unmet()
	if focus := v.now.Focus; focus != nil && focus.Editable {
		for _, w := range todo {
			if f := *w.field; f.ID == focus.ID && f.Typable() {
				return &move{cua.Action{Kind: cua.Type, Text: put(f, w.Value), Clear: !w.field.Empty},
					"type the value of " + clip(w.Label, 60)}
			}
		}
	}
	for _, w := range todo {
		if m := v.enter(w); m != nil {
			return m
		}
	}
	return v.lookalike()
}

// lookalike presses a control that is named like a value without a field. It may be a field that is not
// recognised, or one that appears when pressed.
func (v *view) lookalike() *move {
	for _, w := range v.values {
		if w.in || w.field != nil {
			continue
		}
		m := v.find(func(m cua.Mark) float64 {
			if m.Disabled || Submits(m) || m.Role == "link" || slices.ContainsFunc(v.now.Fields,
				func(f cua.Field) bool { return f.ID == m.ID }) {
				return 0
			}
			if s := named(w.Label, m.Name); s > 0.8 {
				return s
			}
			return 0
		})
		if m != nil {
			return v.click(*m, "this is where the missing value seems to go; focus it")
		}
	}
	return nil
}

func (v *view) enter(w want) *move {
	f := *w.field
	p, ok := f.Box.CenterIn(v.now.Viewport)
	if !ok {
		return v.bring(f.Box)
	}
	about := clip(w.Label, 60)
	if cua.SaysSubmit(about) || cua.SaysRisk(about) {
		about = "it" // a thought in the words of buttons would read as the intent to send
	}
	switch {
	case f.Type == "select" && v.covered(f.ID): // a custom list that covers it shows its value
		return &move{cua.Action{Kind: cua.Select, Into: f.ID, Text: option(f, w.Value)},
			"choose the value of " + about}
	case f.Type == "select":
		return &move{cua.Action{Kind: cua.Select, Point: &p, Text: option(f, w.Value)},
			"choose the value of " + about}
	case f.Type == "checkbox":
		return &move{cua.Action{Kind: cua.Click, Point: &p}, "set the check box " + about}
	case f.Type == "radio":
		for _, m := range v.now.Marks {
			if at, ok := m.Box.CenterIn(v.now.Viewport); ok && m.Role == "radio" &&
				alike(Words(w.Value), Words(m.Name)) == 1 {
				p = at
			}
		}
		return &move{cua.Action{Kind: cua.Click, Point: &p}, "choose the value of " + about}
	}
	return &move{cua.Action{Kind: cua.Click, Point: &p},
		fmt.Sprintf("the field for %s needs its value; focus it first", about)}
}

// suggestion presses the option that a combobox offers for the text that was just typed.
func (v *view) suggestion() *move {
	f := v.now.Focus
	n := len(v.steps)
	if f == nil || f.Role != "combobox" || n == 0 || v.steps[n-1].Action == nil ||
		v.steps[n-1].Action.Kind != cua.Type {
		return nil
	}
	for _, m := range v.now.Marks {
		if m.Role == "option" && alike(Words(v.steps[n-1].Action.Text), Words(m.Name)) == 1 {
			return v.click(m, "choose the offered value")
		}
	}
	return nil
}
