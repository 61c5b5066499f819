package recovery

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

// situation is one turn for loop recovery; the zero one is a repeat of three clicks on a
// submit button with an empty text field focused, whose value is pending.
type situation struct {
	name    string
	target  *cua.Target // of the loop and of the proposal
	to      *cua.Target // of the proposal when it differs
	focus   *cua.Field
	noFocus bool
	values  []cua.FormValue
	fields  []cua.Field
	shape   cua.Shape
	level   cua.Level
	moving  bool // the last step had an effect
	marks   []cua.Mark
	telling bool     // the focused field says what it wants
	vague   []string // other fields that do not
	tried   []cua.Attempt
	ret     bool // Return was dispatched in this form state
	thought string
	kind    cua.Kind
	dialog  bool
	config  func(*LoopRecoveryConfig)

	want cua.Reason
	into string
	text string
}

func (c situation) review(t tb) cua.Ruling {
	t.Helper()
	target := button()
	if c.target != nil {
		target = *c.target
	}
	o := page("s")
	focus := textField("a", "Name")
	if c.focus != nil {
		focus = *c.focus
	}
	o.Fields, o.Marks = append([]cua.Field{focus}, c.fields...), c.marks
	if !c.noFocus {
		o.Focus = &focus
	}
	s := begin(o)
	if c.ret {
		s.do(cua.Action{Kind: cua.Key, Keys: "Return"}, cua.Target{}, false)
	}
	s.clicks(2, target).do(click(target), target, c.moving)
	turn := s.looping(orElse(c.shape, cua.ShapeRepeat), orElse(c.level, cua.Soft), 3)
	turn.Incident.Tried = c.tried
	if c.dialog {
		turn.Now.Dialog = &cua.Dialog{Type: "confirm"}
	}
	if c.values != nil {
		turn.Form = &cua.FormState{Values: c.values}
		if !c.telling {
			turn.Form.Vague = append([]string{"a"}, c.vague...)
		}
	}
	to := target
	if c.to != nil {
		to = *c.to
	}
	p := cua.Proposal{Action: cua.Action{Kind: orElse(c.kind, cua.Click), Point: to.Point}, Target: to, Thought: c.thought}
	config := DefaultConfig().LoopRecovery
	if c.config != nil {
		c.config(&config)
	}
	return review(t, LoopRecovery{config, 3}, turn, p)
}

func orElse[T comparable](v, or T) T {
	var zero T
	if v == zero {
		return or
	}
	return v
}

func value(label, text, field string, landed bool) cua.FormValue {
	return cua.FormValue{PlanValue: cua.PlanValue{Label: label, Value: text}, Field: field, Landed: landed}
}

func fieldWith(change func(*cua.Field)) *cua.Field {
	f := textField("a", "Name")
	change(&f)
	return &f
}

func targetWith(change func(*cua.Target)) *cua.Target {
	b := button()
	change(&b)
	return &b
}

func classic(c *LoopRecoveryConfig) { *c = ClassicLoopRecovery() }

func TestLoopRecovery(t *testing.T) {
	mine := []cua.FormValue{value("Name", "Ada", "a", false)}
	lone := []cua.FormValue{value("Parcel", "PX-1", "", false)}
	plain := plainTarget()
	for _, c := range []situation{
		{name: "1: the value whose label matches the focused field", values: mine, want: cua.TypePendingValue, into: "a", text: "Ada"},
		{name: "1: of two pending values the one that belongs there", values: []cua.FormValue{value("City", "Oslo", "b", false), mine[0]}, want: cua.TypePendingValue, text: "Ada"},
		{name: "1: a date as its field wants it", values: []cua.FormValue{{PlanValue: cua.PlanValue{Label: "Day", Value: "01/31/2026"}, Field: "a", Text: "2026-01-31"}}, want: cua.TypePendingValue, text: "2026-01-31"},
		{name: "1: a lone field takes the value that no field matches", values: lone, want: cua.TypePendingValue, into: "a", text: "PX-1"},
		{name: "1: not one of two values that no field matches", values: []cua.FormValue{lone[0], value("Street", "Mill Lane", "", false)}, want: cua.TabToNextField},
		{name: "1: of two the one that the field's type allows", values: []cua.FormValue{value("Parcel", "many", "", false), value("Weight", "12", "", false)},
			focus: fieldWith(func(f *cua.Field) { f.Type = "number" }), want: cua.TypePendingValue, text: "12"},
		{name: "1: not into one of two fields that say nothing", values: lone, fields: []cua.Field{textField("b", "")}, vague: []string{"b"}, want: cua.TabToNextField},
		{name: "1: into one of two, when the other is filled in", values: lone, fields: []cua.Field{filledIn(textField("b", ""))}, vague: []string{"b"}, want: cua.TypePendingValue, text: "PX-1"},
		{name: "1: not into a field that says that it wants another", values: lone, telling: true, want: cua.TabToNextField},
		{name: "1: not when a visible field matches the value", values: []cua.FormValue{value("City", "Oslo", "b", false)}, want: cua.TabToNextField},
		{name: "1: not when another value has landed there", values: []cua.FormValue{value("Name", "Ada", "a", true), lone[0]}, want: cua.TabToNextField},
		{name: "1: not when the field's type does not allow it", values: lone, focus: fieldWith(func(f *cua.Field) { f.Type = "email" }), want: cua.TabToNextField},
		{name: "1: never a guess into a password field", values: lone, focus: fieldWith(func(f *cua.Field) { f.Type = "password" }), want: cua.TabToNextField},
		{name: "1: never a guess into a one-time-code field", values: lone, focus: fieldWith(func(f *cua.Field) { f.Autocomplete = "one-time-code" }), want: cua.TabToNextField},
		{name: "1: never a guess into a payment field", values: lone, focus: fieldWith(func(f *cua.Field) { f.Autocomplete = "cc-number" }), want: cua.TabToNextField},
		{name: "1: a password field by its label", values: mine, focus: fieldWith(func(f *cua.Field) { f.Type = "password" }), want: cua.TypePendingValue, text: "Ada"},
		{name: "1: a secret is never guessed into a text field", values: []cua.FormValue{value("Token", "<secret:T>", "", false)}, want: cua.TabToNextField},
		{name: "1: a password is never guessed into a text field", values: []cua.FormValue{value("Password", "hunter2", "", false)}, want: cua.TabToNextField},
		{name: "1: a value that the field holds is not typed again", values: mine, focus: fieldWith(func(f *cua.Field) { f.ValueDigest = cua.Digest("Ada") })},
		{name: "1: a secret that the field holds is not typed again", values: []cua.FormValue{value("Name", "<secret:N>", "a", false)}, focus: fieldWith(func(f *cua.Field) { f.Secret = "N" })},
		{name: "1: once per incident", values: mine, tried: []cua.Attempt{{Reason: cua.TypePendingValue}}},
		{name: "1: again when it had an effect", values: mine, tried: []cua.Attempt{{Reason: cua.TypePendingValue, Effect: true}}, want: cua.TypePendingValue},
		{name: "1: the page need not be frozen", values: mine, moving: true, want: cua.TypePendingValue},

		{name: "2: submit-shaped, frozen, nothing pending", want: cua.PressReturnForSubmit, into: ""},
		{name: "2: before rule 3, but not when the page moved", moving: true, want: cua.TabToNextField},
		{name: "2: not while a value is pending elsewhere", values: []cua.FormValue{value("City", "Oslo", "b", false)}, want: cua.TabToNextField},
		{name: "2: not on a target that submits nothing", target: &plain, want: cua.TabToNextField},
		{name: "2: whole words of the reasoning say so", target: &plain, thought: "I will log in now", want: cua.PressReturnForSubmit},
		{name: "2: pieces of words do not", target: &plain, thought: "the blogin page resubmits nextdoor", want: cua.TabToNextField},
		{name: "2: Return at most once per form state", ret: true, want: cua.TabToNextField},
		{name: "2: once per incident", tried: []cua.Attempt{{Reason: cua.PressReturnForSubmit}}, want: cua.TabToNextField},
		{name: "2: in a text area Return would add a line, so in the form's other field", focus: fieldWith(func(f *cua.Field) { f.Tag = "textarea" }),
			fields: []cua.Field{textField("b", "City")}, want: cua.PressReturnForSubmit, into: "b"},
		{name: "2: in the form of the button, not in a search box", focus: fieldWith(func(f *cua.Field) { f.Form = "search" }),
			fields: []cua.Field{textField("b", "City")}, want: cua.PressReturnForSubmit, into: "b"},

		{name: "3: nothing pending for the field", target: &plain, want: cua.TabToNextField},
		{name: "3: once per incident", target: &plain, tried: []cua.Attempt{{Reason: cua.TabToNextField}}},
		{name: "3: not while its own value is pending", target: &plain, values: mine, tried: []cua.Attempt{{Reason: cua.TypePendingValue}}},
		{name: "3: not from a field that takes no text", target: &plain, focus: fieldWith(func(f *cua.Field) { f.Editable = false })},
		{name: "3: not from a field that is read-only", target: &plain, focus: fieldWith(func(f *cua.Field) { f.ReadOnly = true })},

		{name: "4: nothing focused: the form's last field first", noFocus: true, fields: []cua.Field{textField("b", "City")}, want: cua.PressReturnForSubmit, into: "b"},
		{name: "4: not while a value is pending for the form", noFocus: true, fields: []cua.Field{textField("b", "City")}, values: []cua.FormValue{value("City", "Oslo", "b", false)}},
		{name: "4: a value that belongs in no field of it is no matter", noFocus: true, fields: []cua.Field{textField("b", "City")}, values: lone, want: cua.PressReturnForSubmit, into: "b"},
		{name: "4: a form without fields: its button", noFocus: true, target: targetWith(func(b *cua.Target) { b.Form = "g" }), want: cua.PressReturnForSubmit, into: "button/send"},
		{name: "4: a button is focused", focus: fieldWith(func(f *cua.Field) { f.ID, f.Editable, f.Tag = "button/send", false, "button" }), want: cua.PressReturnForSubmit, into: "button/send"},
		{name: "4: not when the page moved", noFocus: true, moving: true},
		{name: "4: not on a target that submits nothing", noFocus: true, target: &plain},
		{name: "4: Return at most once per form state", noFocus: true, ret: true},

		{name: "a drift is a loop", shape: cua.ShapeDrift, values: mine, want: cua.TypePendingValue},
		{name: "a frozen page is one", shape: cua.ShapeFrozen, values: mine, want: cua.TypePendingValue},
		{name: "a hard signal is at least soft", level: cua.Hard, values: mine, want: cua.TypePendingValue},
		{name: "a note is not", level: cua.NoteLevel, values: mine},
		{name: "failures are not", shape: cua.ShapeFailures, values: mine},
		{name: "a stall is not", shape: cua.ShapeStall, values: mine},
		{name: "another target breaks the loop itself", to: targetWith(func(b *cua.Target) { b.ID, b.Point = "button/next", at(300, 425) }), values: mine},
		{name: "the same place continues it where nothing is identified", to: &cua.Target{ID: "@38,50", Point: at(308, 392)}, values: mine, want: cua.TypePendingValue},
		{name: "the target's own box is its place", to: &cua.Target{ID: "@42,50", Point: at(339, 409)}, values: mine, want: cua.TypePendingValue},
		{name: "beside it is not", to: &cua.Target{ID: "@45,50", Point: at(360, 400)}, values: mine},
		{name: "a wait passes", kind: cua.Wait, values: mine},
		{name: "a right click passes", kind: cua.RightClick, values: mine},
		{name: "a double click continues the clicks", kind: cua.DoubleClick, values: mine, want: cua.TypePendingValue},
		{name: "a dialog is in the way", dialog: true, values: mine},
		{name: "without rules nothing is replaced", values: mine, config: func(c *LoopRecoveryConfig) { c.Rules = nil }},

		{name: "4: not through what covers the button", shape: cua.ShapeFrozen, noFocus: true, target: targetWith(func(b *cua.Target) { b.Covering = &cua.Covering{ID: "veil"} })},
		{name: "4: unless that could not be closed", shape: cua.ShapeFrozen, noFocus: true, target: targetWith(func(b *cua.Target) { b.Covering = &cua.Covering{ID: "veil"} }),
			tried: []cua.Attempt{{Reason: cua.DismissOverlay}}, want: cua.PressReturnForSubmit, into: "a"},
		{name: "4: not where Return would press what the brain did not ask for", shape: cua.ShapeFrozen, noFocus: true, target: targetWith(func(b *cua.Target) { b.Form = "f" }),
			fields: []cua.Field{{ID: "b", Form: "f", Tag: "input", Editable: true}}, marks: []cua.Mark{{N: 1, ID: "remove", Role: "button", Name: "Remove account", Submit: true, Form: "f"}}},
		{name: "2: not through what covers the button, then Tab", target: targetWith(func(b *cua.Target) { b.Covering = &cua.Covering{ID: "veil"} }), want: cua.TabToNextField},

		{name: "classic: the first pending value, whatever the field", config: classic, values: []cua.FormValue{value("City", "Oslo", "b", false)}, want: cua.TypePendingValue, into: "a", text: "Oslo"},
		{name: "classic: a password field still only by label", config: classic, focus: fieldWith(func(f *cua.Field) { f.Type = "password" }), values: lone, want: cua.TabToNextField},
		{name: "classic: no rule 2", config: classic, thought: "submit", want: cua.TabToNextField},
		{name: "classic: submit-shaped by reasoning", config: classic, shape: cua.ShapeFrozen, noFocus: true, target: &plain, thought: "press submit", want: cua.PressReturnForSubmit, into: "a"},
		{name: "4: a thing that is no button is not focused, and Return goes nowhere else", shape: cua.ShapeFrozen, noFocus: true, target: &plain, thought: "press submit",
			fields: []cua.Field{{ID: "z", Form: "g"}}},
		{name: "classic: the target's name says nothing", config: classic, shape: cua.ShapeFrozen, noFocus: true},
		{name: "classic: frozen is the signal", config: classic, noFocus: true, thought: "submit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.review(t)
			if r.Reason != string(c.want) || (r.Verdict == cua.Replace) != (c.want != "") {
				t.Fatalf("%+v, want %q", r, c.want)
			}
			if c.want == "" {
				return
			}
			a := *r.Action
			switch c.want {
			case cua.TypePendingValue:
				if a.Kind != cua.Type || a.Into != "a" || !a.Clear || c.text != "" && a.Text != c.text {
					t.Errorf("%+v", a)
				}
			case cua.TabToNextField:
				if a.Kind != cua.Key || a.Keys != "Tab" {
					t.Errorf("%+v", a)
				}
			case cua.PressReturnForSubmit:
				if a.Kind != cua.Key || a.Keys != "Return" || a.Into != c.into {
					t.Errorf("%+v, want into %q", a, c.into)
				}
			}
			if len(r.Evidence) != 3 || a.Why != "" {
				t.Errorf("evidence %v, why %q", r.Evidence, a.Why)
			}
			if err := a.Validate(cua.Size{W: 1280, H: 800}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLoopRecoveryPropertyNeedsASignal: without a soft signal of repeat, drift or frozen nothing
// is ever replaced, and what is replaced is one of the three codes with a valid action.
func TestLoopRecoveryPropertyNeedsASignal(t *testing.T) {
	plain := plainTarget()
	rapid.Check(t, func(t *rapid.T) {
		c := situation{
			shape:   rapid.SampledFrom([]cua.Shape{cua.ShapeRepeat, cua.ShapeDrift, cua.ShapeFrozen, cua.ShapeCycle, cua.ShapeSpiral, cua.ShapeFailures, cua.ShapeStall}).Draw(t, "shape"),
			level:   rapid.SampledFrom([]cua.Level{cua.NoteLevel, cua.Soft, cua.Hard}).Draw(t, "level"),
			noFocus: rapid.Bool().Draw(t, "no focus"),
			moving:  rapid.Bool().Draw(t, "moving"),
			ret:     rapid.Bool().Draw(t, "ret"),
			kind:    rapid.SampledFrom([]cua.Kind{cua.Click, cua.TripleClick, cua.Type, cua.Scroll, cua.Done}).Draw(t, "kind"),
			thought: rapid.SampledFrom([]string{"", "submit"}).Draw(t, "thought"),
			target:  rapid.SampledFrom([]*cua.Target{nil, &plain}).Draw(t, "target"),
			values:  []cua.FormValue{value("Name", "Ada", rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "field"), rapid.Bool().Draw(t, "landed"))},
		}
		if rapid.Bool().Draw(t, "classic") {
			c.config = classic
		}
		r := c.review(t)
		may := c.level.AtLeast(cua.Soft) && slices.Contains([]cua.Shape{cua.ShapeRepeat, cua.ShapeDrift, cua.ShapeFrozen}, c.shape) && c.kind.Pressing()
		if r.Verdict == cua.Replace {
			if !may || !slices.Contains(cua.Reasons()[:3], cua.Reason(r.Reason)) || r.Action.Validate(cua.Size{}) != nil {
				t.Fatalf("%+v in %+v", r, c)
			}
			if r.Action.Kind == cua.Type && c.values[0].Landed {
				t.Fatal("a landed value was typed")
			}
		} else if r.Verdict != cua.Pass {
			t.Fatalf("it only replaces: %+v", r)
		}
	})
}
