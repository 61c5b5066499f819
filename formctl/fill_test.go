package formctl

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

// TestForceFillWhatIsInReach: nothing is put into a field that is covered or behind a dialog, by click or by
// Return.
func TestForceFillWhatIsInReach(t *testing.T) {
	city := in("b", "City")
	within := with(city, func(f *cua.Field) { f.Dialog = "d" })
	under := onto(city)
	under.Target.Covering = &cua.Covering{ID: "layer"}
	overSend := cua.Target{ID: "s", Role: "button", Name: "Send", Submit: true, Form: "f",
		Covering: &cua.Covering{ID: "layer"}}
	enter := cua.Proposal{Action: cua.Action{Kind: cua.Key, Keys: "Return"}}
	send := cua.Proposal{Action: cua.Action{Kind: cua.Click}, Target: cua.Target{ID: "s", Role: "button",
		Name: "Send", Submit: true, Form: "f"}}
	for _, c := range []struct {
		name  string
		field cua.Field
		page  func(*cua.Observation)
		p     cua.Proposal
		want  bool
	}{
		{"nothing is in the way", city, nil, onto(city), true},
		{"a layer lies over the field", with(city, func(f *cua.Field) { f.Covered = true }), nil, onto(city), false},
		{"a layer lies over the point", city, nil, under, false},
		{"a modal dialog is open elsewhere", city, func(o *cua.Observation) { o.Modal = "d" }, onto(city), false},
		{"the field is in the modal dialog", within, func(o *cua.Observation) { o.Modal = "d" }, onto(within), true},
		{"the field is in a dialog below the topmost one", within, func(o *cua.Observation) { o.Modal = "e" }, onto(within), false},
		{"a dialog that is not modal", within, nil, onto(within), true},
		{"a JavaScript dialog is open", city, func(o *cua.Observation) { o.Dialog = &cua.Dialog{Type: "confirm"} }, onto(city), false},
		{"Return in the dialog's field, for a field behind it", city, func(o *cua.Observation) { o.Modal = "d" }, enter, false},
		{"Return, with the waiting field covered", with(city, func(f *cua.Field) { f.Covered = true }), nil, enter, false},
		{"a press of the submit control behind a dialog", city, func(o *cua.Observation) { o.Modal = "d" }, send, false},
		{"a press of the submit control under a layer that leaves the field free", city, nil, cua.Proposal{Action: send.Action, Target: overSend}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := page(holding(in("a", "Name"), "Ada"), c.field)
			o.Focus = &o.Fields[0]
			if c.page != nil {
				c.page(&o)
			}
			r := review(t, ForceFill{DefaultConfig()}, turn(plan("Name", "Ada", "City", "Oslo"),
				steps(o)), c.p)
			if (r.Verdict == cua.Replace) != c.want || c.want && r.Action.Into != "b" {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestForceFillTypesNoLineEnd: a line end at the end of a value would send the form or add a line; one within
// it has no place in a field of one line.
func TestForceFillTypesNoLineEnd(t *testing.T) {
	area := with(in("a", "Message"), func(f *cua.Field) { f.Tag = "textarea" })
	for _, c := range []struct {
		name, value string
		f           cua.Field
		want        string // "" is left as proposed
	}{
		{"at the end", "Oslo\r\n", in("a", "Message"), "Oslo"},
		{"at the end of several lines", "Hi\nthere\n\n", area, "Hi\nthere"},
		{"within a field of one line", "Hi\nthere", in("a", "Message"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := review(t, ForceFill{DefaultConfig()}, turn(plan("Message", c.value),
				steps(page(c.f))), onto(c.f))
			got := ""
			if r.Verdict == cua.Replace {
				got = r.Action.Text
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestForceFillLeavesTheBrainToEdit: whatever the brain types, selects or ticks itself passes, also where the
// field holds its value, unless it would add the value to itself.
func TestForceFillLeavesTheBrainToEdit(t *testing.T) {
	name := in("a", "Name")
	box := with(typed(in("c", "Terms"), "checkbox"), func(f *cua.Field) {
		f.Editable,
			f.Checked = false, true
	})
	o := page(holding(name, "Ada"), box)
	o.Focus = &o.Fields[0]
	task := plan("Name", "Ada", "Terms", "yes")
	types := func(text string, clear bool) cua.Proposal {
		p := onto(name)
		p.Action.Kind, p.Action.Text, p.Action.Clear = cua.Type, text, clear
		return p
	}
	for what, p := range map[string]cua.Proposal{
		"the value again":             types("Ada", true),
		"another value added":         types(" Lovelace", false),
		"the value into another":      into(types("Ada", false), "c"),
		"the field emptied":           types("", true),
		"another value":               types("Eve", true),
		"the box pressed":             onto(box),
		"the value in another way":    {Action: cua.Action{Kind: cua.Select, Text: "Ada"}, Target: cua.Target{ID: "a", Field: "a"}},
		"a click into the full field": onto(name),
	} {
		if r := review(t, ForceFill{DefaultConfig()}, turn(task, steps(o)), p); r.Verdict != cua.Pass {
			t.Errorf("%s: %+v", what, r)
		}
	}
	focused := cua.Proposal{Action: cua.Action{Kind: cua.Type, Text: "Ada"}}
	for what, p := range map[string]cua.Proposal{"at its place": types("Ada", false),
		"into the focus": focused,
		"by identity":    into(focused, "a")} {
		if r := review(t, ForceFill{DefaultConfig()}, turn(task, steps(o)), p); r.Verdict != cua.Refuse ||
			r.Reason != ReasonHeld {
			t.Errorf("the value added to itself %s: %+v", what, r)
		}
	}
	empty := page(name, box)
	if r := review(t, ForceFill{DefaultConfig()}, turn(task, steps(empty)),
		types("Ada", false)); r.Verdict != cua.Pass {
		t.Errorf("the first time: %+v", r)
	}
}

// into is p aimed at a field by its identity alone.
func into(p cua.Proposal, field string) cua.Proposal {
	p.Action.Point, p.Action.Into = nil, field
	return p
}

// TestForceFillPressesInputsOnly: what stands like an option or a day and may do more than choose is not
// pressed.
func TestForceFillPressesInputsOnly(t *testing.T) {
	list := with(in("c", "Class"), func(f *cua.Field) {
		f.Role, f.Tag, f.Type, f.Editable = "combobox",
			"button", "submit", false
	})
	actor := mark("o", "option", "First")
	actor.Input = false
	o := marked(page(list), actor)
	if r := review(t, ForceFill{DefaultConfig()}, turn(plan("Class", "First"), steps(o)),
		onto(list)); r.Verdict == cua.Replace {
		t.Errorf("%+v", r)
	}
}

// TestGatesProperty: whatever page and proposal, the gates are pure (review), name the control that they act
// on, put values into inputs that are in reach, and press no control whose names bind somebody.
func TestGatesProperty(t *testing.T) {
	names := []string{"", "Submit", "Buy now", "Löschen", "Sign in", "Cancel", "Delete account"}
	rapid.Check(t, func(t *rapid.T) {
		task, fields, _ := scene(t)
		for i := range fields {
			fields[i].Form = rapid.SampledFrom([]string{"", "f", "g"}).Draw(t, "form")
			fields[i].Dialog = rapid.SampledFrom([]string{"", "", "d"}).Draw(t, "dialog")
			fields[i].Covered = rapid.IntRange(0, 4).Draw(t, "covered") == 0
			if rapid.IntRange(0, 2).Draw(t, "filled") > 0 {
				fields[i] = holding(fields[i], task.Fields[i].Value)
			}
		}
		name := func() string { return rapid.SampledFrom(names).Draw(t, "name") }
		control := cua.Mark{ID: "own", Role: "button", Name: name(), Text: name(), Form: "f", Submit: true,
			Box: cua.Box{W: 9, H: 9}}
		o := marked(page(fields...), control)
		o.Modal = rapid.SampledFrom([]string{"", "", "d"}).Draw(t, "modal")
		o.Focus = &o.Fields[rapid.IntRange(0, len(fields)-1).Draw(t, "focus")]
		target := rapid.SampledFrom([]cua.Target{onto(fields[0]).Target,
			{ID: "own", Role: "button", Name: control.Name, Submit: true, Form: "f"},
			{ID: "dead", Role: "button", Name: "Submit", Form: "f"}, {ID: "dead", Role: "button", Name: "Submit"}}).Draw(t, "target")
		action := rapid.SampledFrom([]cua.Action{{Kind: cua.Click}, {Kind: cua.Key, Keys: "Return"},
			{Kind: cua.Type, Text: "x"}}).Draw(t, "action")
		h := steps(o, o)
		h.Steps[0].Target = target
		tn, p := turn(task, h), cua.Proposal{Action: action, Target: target,
			Thought: "Buy now, then " + strings.Join(names, " ")}
		if r := review(t, ForceFill{DefaultConfig()}, tn, p); r.Verdict == cua.Replace {
			f := o.FieldByID(r.Action.Into)
			if f == nil || f.Covered || !o.Reachable(f.Dialog) || f.ValueDigest == cua.Digest(r.Action.Text) {
				t.Fatalf("%+v into %+v", r.Action, f)
			}
		}
		r := review(t, ForceSubmit{DefaultConfig()}, tn, p)
		if r.Verdict != cua.Replace {
			return
		}
		f := o.FieldByID(r.Action.Into)
		sent := r.Action.Kind == cua.Click && r.Action.Into == "own" && cua.HarmlessName(control.Name) &&
			cua.HarmlessName(control.Text)
		returned := r.Action.PressesReturn() && f != nil && f.Form != "f" && o.Reachable(f.Dialog) &&
			f.Dialog == target.Dialog
		if !sent && !returned {
			t.Fatalf("%+v", r)
		}
	})
}
