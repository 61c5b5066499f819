package formctl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// ForceFill replaces a click on a field whose planned value is pending with putting that value
// in, replacing what is there: text is typed, an option selected, the right radio button of the
// group pressed. A single click on a box or button that it would put right is left as proposed. So
// is a click on a list that a press opens; once it shows the option, the option is pressed.
//
// Return in a field of one line and a click on a submit control would send the form half filled while
// a visible field of it surely waits for its value: they are replaced with putting that value in.
//
// A planned date or time that is typed into a native control in a spelling that it does not take is typed in its own.
//
// A value that has landed is kept: see keep.
type ForceFill struct{ Config Config }

// ReasonFill is the gate's reason.
const ReasonFill = "fill_pending_value"

// Name is "force_fill".
func (ForceFill) Name() string { return "force_fill" }

// Review replaces or passes, and refuses what would undo a value that has landed. It passes once the same
// filling did not land (Config.Attempts), and once it has refused Config.Refusals times in a row.
func (g ForceFill) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	pass := cua.Ruling{Gate: g.Name(), Verdict: cua.Pass}
	if p.Failure != nil || t.Now.Dialog != nil || t.Form == nil {
		return pass
	}
	if r, ok := g.keep(t, p); ok {
		return r
	}
	if r, ok := g.take(t, p); ok {
		return r
	}
	var v cua.FormValue
	var f *cua.Field
	why := "instead of only clicking its field"
	switch {
	case p.Action.PressesReturn():
		why = "before the form is sent"
		v, f = unfilled(t, p)
	case p.Action.Kind == cua.Type:
		why = "as its field takes it"
		v, f = respelt(t, p)
	case p.Action.Kind.Pressing() && p.Target.Submit && cua.SaysRetreat(p.Target.Name):
	case p.Action.Kind.Pressing() && p.Target.Submit:
		why = "before the form is sent"
		v, f = waiting(t, p, p.Target.Form, p.Target.Frame)
	case p.Action.Kind.Pressing():
		v, f = due(t, fieldOf(t.Now, p.Target))
	}
	if f == nil {
		return pass
	}
	w := want(v.PlanValue)
	if w.holds(f) {
		return pass
	}
	a, ok := fill(t, f, &w)
	if !ok || g.does(t, p, f, a) {
		return pass
	}
	evidence, again := g.mayTry(t, a, f.ID, &w)
	if !again {
		return pass
	}
	return cua.Ruling{Gate: g.Name(), Verdict: cua.Replace, Reason: ReasonFill, Action: &a, Evidence: evidence,
		Detail: fmt.Sprintf("filled in the planned value %q %s", clean(v.Label), why)}
}

// fieldOf is the visible field that a target is or belongs to; nil when it is none.
func fieldOf(o cua.Observation, target cua.Target) *cua.Field {
	id := cmp.Or(target.Field, target.ID)
	if id == "" {
		return nil
	}
	i := slices.IndexFunc(o.Fields, func(f cua.Field) bool { return f.ID == id })
	if i < 0 {
		return nil
	}
	return &o.Fields[i]
}

// due is the pending value that a press on f is about, and the field that it goes into: f itself;
// for a radio button the one of its group; or, where the value's label fits f just as well as the
// field that it was assigned to and nothing else belongs there, f. A value that landed in another field before
// f was shown, and was not sent since, is f's as well.
func due(t *cua.Turn, f *cua.Field) (cua.FormValue, *cua.Field) {
	if f == nil {
		return cua.FormValue{}, nil
	}
	pending := t.Form.Pending()
	for _, v := range pending {
		if v.Field == f.ID {
			return v, f
		}
	}
	for _, v := range t.Form.Values {
		switch {
		case v.Field != f.ID:
		case v.Score >= sure && blank(f) && astray(t, f, v):
			return v, f
		default:
			return cua.FormValue{}, nil
		}
	}
	for _, v := range pending {
		other := fieldOf(t.Now, cua.Target{ID: v.Field})
		if other == nil {
			continue
		}
		if f.Type == "radio" {
			if other.Type == "radio" && together(f, other) {
				return v, other
			}
			continue
		}
		w := wantFor(t.Task, v.PlanValue)
		if s := score(&w, f, read(f)); s > 0 && takes(&w, f) && s == score(&w, other, read(other)) {
			return v, f
		}
	}
	return cua.FormValue{}, nil
}

// astray says whether v went into another field than f in this document, and nothing was sent since.
func astray(t *cua.Turn, f *cua.Field, v cua.FormValue) bool {
	if f.Type == "checkbox" || f.Type == "radio" { // what they hold, many do
		return false
	}
	w, found := want(v.PlanValue), false
	for i := len(t.History.Steps); i >= 0; i-- {
		o := t.History.Before(i)
		if o.Document != t.Now.Document {
			return false
		}
		holds := slices.ContainsFunc(o.Fields, func(g cua.Field) bool { return g.ID != f.ID && w.holds(&g) })
		if found && !holds {
			return true // it went in here
		}
		if slices.ContainsFunc(o.Writes, cua.Write.OK) {
			return false
		}
		found = found || holds
	}
	return found
}

// together says whether two radio buttons are of one group.
func together(a, b *cua.Field) bool {
	if a.Form != b.Form || a.Frame != b.Frame {
		return false
	}
	return a.NameAttr != "" && a.NameAttr == b.NameAttr || a.NameAttr == b.NameAttr && a.Group != "" && a.Group == b.Group
}

// unfilled is the value that waits for the form of the field of one line in which Return is about to be
// pressed. In a list of suggestions Return takes one.
func unfilled(t *cua.Turn, p cua.Proposal) (cua.FormValue, *cua.Field) {
	focus := t.Now.Focus
	if p.Action.Into != "" {
		focus = fieldOf(t.Now, cua.Target{ID: p.Action.Into})
	}
	if focus == nil || !focus.SingleLine() || focus.Role == "combobox" {
		return cua.FormValue{}, nil
	}
	return waiting(t, p, focus.Form, focus.Frame)
}

// sure is the least score of a value that is put in unasked, before a form is sent.
const sure = 0.75

// waiting is the first pending value, in the order of the page, whose visible field is in the form that
// is about to be sent. A director knows what it does.
func waiting(t *cua.Turn, p cua.Proposal, form, frame string) (cua.FormValue, *cua.Field) {
	if strings.HasPrefix(p.By, cua.DirectorPrefix) {
		return cua.FormValue{}, nil
	}
	pending := t.Form.Pending()
	for j := range t.Now.Fields {
		f := &t.Now.Fields[j]
		if f.Form != form || f.Frame != frame || f.ID == "" {
			continue
		}
		for _, v := range pending {
			if v.Field == f.ID && v.Score >= sure && fillable(f) && !entered(t, f, v) {
				return v, f
			}
		}
	}
	return cua.FormValue{}, nil
}

// entered says whether the value was put into f in this document, by whomever, and f shows something:
// the page may show it in a way that we do not know.
func entered(t *cua.Turn, f *cua.Field, v cua.FormValue) bool {
	if blank(f) {
		return false
	}
	for i := range t.History.Steps {
		s := &t.History.Steps[i]
		if s.Action == nil || s.Action.Kind != cua.Type || s.After.Document != t.Now.Document || s.Action.Text != v.Value && s.Action.Text != v.Text {
			continue
		}
		focus := s.After.Focus
		if s.Action.Into == f.ID || s.Action.Into == "" && (s.Target.Field == f.ID || focus != nil && focus.ID == f.ID) {
			return true
		}
	}
	return false
}

// fillable says whether one action puts a value into f.
func fillable(f *cua.Field) bool { return !f.Disabled && !f.ReadOnly && !chooser(f) }

// fill is the action that puts the value into f; false where there is none.
func fill(t *cua.Turn, f *cua.Field, w *wanted) (cua.Action, bool) {
	value := w.value.Value
	switch {
	case !accepts(f, value):
		return offered(t, f, w)
	case f.Type == "select":
		return cua.Action{Kind: cua.Select, Into: f.ID, Text: wire(f, value)}, true
	case f.Type == "checkbox" || f.Type == "radio":
		return cua.Action{Kind: cua.Click, Into: f.ID}, true
	case chooser(f):
		if a, ok := offered(t, f, w); ok {
			return a, true
		}
		return cua.Action{Kind: cua.Click, Into: f.ID}, true
	case !f.Editable && !stepped(f):
		return cua.Action{}, false
	}
	return cua.Action{Kind: cua.Type, Into: f.ID, Text: wire(f, value), Clear: true}, true
}

// stepped says whether f takes a value although no text goes in at a caret.
func stepped(f *cua.Field) bool { return f.Tag == "input" && (f.Type == "range" || f.Type == "color") }

// offered presses what an open list or calendar offers for the value: an option of just that
// text, or for a date that is picked and not typed the day that is named in full.
func offered(t *cua.Turn, f *cua.Field, w *wanted) (cua.Action, bool) {
	day, dated := parseDate(w.value.Value)
	if w.secret != "" || f.Disabled || !chooser(f) && !(dated && f.ReadOnly) {
		return cua.Action{}, false
	}
	for _, m := range t.Now.Marks {
		if m.Disabled || m.Covered || m.ID == f.ID || m.ID == "" {
			continue
		}
		option := m.Role == "option" || m.Role == "menuitemradio" || m.Role == "treeitem"
		if chooser(f) && option && sameText(m.Name, w.value.Value) || dated && f.ReadOnly && dayNamed(m.Name) == day {
			return cua.Action{Kind: cua.Click, Into: m.ID}, true
		}
	}
	return cua.Action{}, false
}

// dayNamed is the whole date that a calendar's button names, with or without its weekday; "" is
// none.
func dayNamed(name string) string {
	f := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == ',' || r == '\u00a0' })
	for i := 0; i+3 <= len(f) && len(f) <= 8; i++ {
		if d, ok := parseDate(strings.Join(f[i:i+3], " ")); ok {
			return d
		}
	}
	d, _ := parseDate(name)
	return d
}

// take presses the suggestion that a combobox makes for the value that was just typed into it, before
// a click elsewhere closes the list: many take nothing but what was picked.
func (g ForceFill) take(t *cua.Turn, p cua.Proposal) (cua.Ruling, bool) {
	n := len(t.History.Steps)
	if n == 0 || !p.Action.Kind.Pressing() || t.History.Steps[n-1].Action == nil || t.History.Steps[n-1].Action.Kind != cua.Type {
		return cua.Ruling{}, false
	}
	f := t.Now.Focus
	if f == nil || f.Role != "combobox" || !f.Editable {
		return cua.Ruling{}, false
	}
	for _, v := range t.Form.Values {
		w := want(v.PlanValue)
		if v.Field != f.ID || w.secret != "" || !w.holds(f) {
			continue
		}
		i := slices.IndexFunc(t.Now.Marks, func(m cua.Mark) bool {
			return m.Role == "option" && m.ID != "" && !m.Disabled && !m.Covered && sameText(m.Name, v.Value)
		})
		if i < 0 || t.Now.Marks[i].ID == p.Target.ID {
			continue
		}
		a := cua.Action{Kind: cua.Click, Into: t.Now.Marks[i].ID}
		if evidence, again := g.mayTry(t, a, f.ID, &w); again {
			return cua.Ruling{Gate: g.Name(), Verdict: cua.Replace, Reason: ReasonFill, Action: &a, Evidence: evidence,
				Detail: fmt.Sprintf("took the suggestion for the planned value %q", clean(v.Label))}, true
		}
	}
	return cua.Ruling{}, false
}

// does says whether the proposal itself does what a does: one click on the very field, unless such a
// click had no effect before.
func (g ForceFill) does(t *cua.Turn, p cua.Proposal, f *cua.Field, a cua.Action) bool {
	if a.Kind != cua.Click || a.Into != f.ID || p.Action.Kind != cua.Click || f.ID != cmp.Or(p.Target.Field, p.Target.ID) {
		return false
	}
	now := t.Now.FormKey()
	for i := len(t.History.Steps) - 1; i >= t.History.Fresh(); i-- {
		s := &t.History.Steps[i]
		if s.After.FormKey() != now {
			break
		}
		if s.Action != nil && s.Action.Kind.Pressing() && cmp.Or(s.Target.Field, s.Target.ID) == f.ID && !s.Effect.Any() {
			return false
		}
	}
	return true
}

// mayTry says whether a may be substituted once more in this document, and which steps tried it.
func (g ForceFill) mayTry(t *cua.Turn, a cua.Action, field string, w *wanted) (evidence []int, ok bool) {
	missed := 0
	for i := t.History.Fresh(); i < len(t.History.Steps); i++ {
		s := &t.History.Steps[i]
		r, ruled := s.Ruled()
		if !ruled || r.Gate != g.Name() || s.Action == nil || s.After.Document != t.Now.Document ||
			s.Action.Kind != a.Kind || s.Action.Into != a.Into || s.Action.Text != a.Text {
			continue
		}
		evidence = append(evidence, s.N)
		if f := fieldOf(s.After, cua.Target{ID: field}); f == nil || !w.holds(f) {
			missed++
		}
	}
	return evidence, missed < g.Config.Attempts && len(evidence) < g.Config.Fills
}

// clean is a label fit for one line.
func clean(label string) string { return strings.Join(strings.Fields(label), " ") }
