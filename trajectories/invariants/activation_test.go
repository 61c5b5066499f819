package invariants

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// named is a button that sends form f; its place follows from its number.
func named(n int, name string) cua.Mark {
	return cua.Mark{N: n, ID: "button/" + name, Role: "button", Name: name, Text: name, Tag: "button",
		Type: "submit", Submit: true, Form: "f", Box: cua.Box{X: 600, Y: float64(100 * n), W: 80, H: 20}}
}

// plainButton is a button that sends nothing.
func plainButton(n int, name string) cua.Mark {
	m := named(n, name)
	m.Submit, m.Type, m.Form = false, "button", ""
	return m
}

// marked is a page with the controls. The default button of form f is the first that sends it.
func marked(marks ...cua.Mark) *tale {
	return begin([]cua.Field{textbox("Name"), textbox("Email")}, "Name", "ada").With(func(j *Journal) {
		j.Start.Marks, j.Start.Forms = marks, []cua.Form{{ID: "f"}}
		for _, m := range marks {
			if f := &j.Start.Forms[0]; m.Submit && f.Default == nil {
				f.Default = new(m.Control())
			}
		}
	})
}

// onMark is a click on the nth control, by its place; intoMark one by its identity.
func onMark(n int) cua.Action {
	return cua.Action{Kind: cua.Click, Point: &cua.Point{X: 640, Y: float64(100*n + 10)}}
}

func intoMark(m cua.Mark) cua.Action {
	return cua.Action{Kind: cua.Click, Point: &cua.Point{X: 640, Y: m.Box.Y + 10}, Into: m.ID}
}

// aimed has the newest step's proposal be a press on m, or beside everything where m has no identity.
func aimed(m cua.Mark, thought string) func(*cua.Step) {
	return func(s *cua.Step) {
		s.Proposed, s.Thought = cua.Action{Kind: cua.Click, Point: &cua.Point{X: 690,
			Y: m.Box.Y + 10}}, thought
		s.Target = cua.Target{ID: m.ID, Role: m.Role, Name: m.Name, Text: m.Text, Submit: m.Submit,
			Form: m.Form, Point: s.Proposed.Point}
	}
}

func TestActivation(t *testing.T) {
	beside := cua.Mark{Box: cua.Box{Y: 100}}
	remove, details, next := plainButton(1, "Delete account"), plainButton(1, "Details of Ada"),
		plainButton(1, "Next")
	icon, disagree, both := plainButton(1, "Next"), plainButton(1, "Next"), plainButton(1, "Next")
	icon.Text, disagree.Text, both.Text = "", "Buy", "Continue"
	red := plainButton(1, "Red")
	red.Role, red.Input = "checkbox", true
	box := plainButton(1, "Accept the terms")
	box.Role, box.Input = "checkbox", true
	press := func(m cua.Mark) *tale { return marked(m).Gate("rescue", "press_submit", intoMark(m)) }
	retarget := func(m cua.Mark, thought string, more ...cua.Mark) *tale {
		return marked(append([]cua.Mark{m}, more...)...).Gate("rescue", "retarget_click",
			intoMark(m)).Last(aimed(beside, thought))
	}
	enter := func(marks ...cua.Mark) *tale {
		return marked(marks...).Gate("rescue", "press_return_for_submit",
			returnKey("Name")).Last(aimed(beside, "send it"))
	}
	dismiss := func(m cua.Mark) *tale {
		return marked(m).Gate("rescue", "dismiss_overlay", intoMark(m)).Last(aimed(beside, ""))
	}
	outOfView := func(t *tale, c *cua.Control) *tale {
		return t.With(func(j *Journal) { j.Start.Forms[0].Default, j.Start.Marks = c, nil })
	}
	many := func(tag, typ string) *tale {
		return enter(named(1, "Delete")).With(func(j *Journal) {
			j.Start.Fields[0].Tag,
				j.Start.Fields[0].Type = tag, typ
		})
	}
	checkRows(t, "activation", []checkRow{
		{"an input", press(red), nil},
		{"an input that says that it agrees", press(box), []int{1}},
		{"the same, by a planned value", marked(box).Gate("force_fill", "fill_pending_value", onMark(1)), nil},
		{"the brain's own press", marked(remove).Brain(onMark(1), cua.Target{ID: remove.ID}), nil},
		{"the very control that the brain pressed", press(remove).Last(aimed(remove, "")), nil},
		{"by its place alone", marked(remove).Gate("force_submit", "submit_filled_form", onMark(1)).Last(aimed(remove, "")), nil},
		{"that the brain hovered over", press(remove).Last(aimed(remove, "")).Last(func(s *cua.Step) { s.Proposed.Kind = cua.Hover }), []int{1}},
		{"another of the same name", press(remove).Last(aimed(remove, "")).Last(func(s *cua.Step) { s.Target.ID = "button/other" }), []int{1}},
		{"an actor, by force_submit", marked(remove).Gate("force_submit", "submit_filled_form", onMark(1)), []int{1}},
		{"an actor in place of a key", press(remove).Last(func(s *cua.Step) { s.Proposed, s.Target = cua.Action{Kind: cua.Wait, MS: 9}, cua.Target{} }), []int{1}},
		{"a harmless one", press(next), nil},
		{"two harmless names that differ", press(both), nil},
		{"a harmless name with an icon only", press(icon), []int{1}},
		{"a harmless name that shows another text", press(disagree), []int{1}},
		{"a harmless name with signs and space", press(plainButton(1, "  NEXT  › ")), nil},
		{"a name that holds a harmless one", press(plainButton(1, "Next: pay")), []int{1}},
		{"a name in another language", press(plainButton(1, "Weiter")), []int{1}},
		{"a place where nothing is known", marked(next).Gate("rescue", "press_submit", onMark(7)), []int{1}},
		{"an identity that the page does not have", marked(next).Gate("rescue", "press_submit", cua.Action{Kind: cua.Click, Point: &cua.Point{}, Into: "button/Gone"}), []int{1}},

		{"the brain names it", retarget(details, "I press Details of Ada now."), nil},
		{"it is named by another gate", press(details).Last(aimed(beside, "I press Details of Ada now.")), []int{1}},
		{"nobody names it", retarget(details, "I press something."), []int{1}},
		{"a part of its name", retarget(details, "the details"), []int{1}},
		{"its name is part of a word", retarget(plainButton(1, "Plan"), "a planned press"), []int{1}},
		{"with a negation", retarget(details, "I must not press Details of Ada."), []int{1}},
		{"with one in another sentence", retarget(details, "That did not work. Press Details of Ada."), nil},
		{"once with and once without", retarget(details, "Press Details of Ada. Never press Details of Ada!"), []int{1}},
		{"with a negation in German", retarget(details, "Details of Ada ist es nicht."), []int{1}},
		{"with a negation in Japanese", retarget(details, "Details of Ada は押さない"), []int{1}},
		{"a risky one by its name", retarget(remove, "Press Delete account."), []int{1}},
		{"a risky one in German", retarget(plainButton(1, "Konto löschen"), "Konto löschen."), []int{1}},
		{"another in reach is named too", retarget(details, "Details of Ada, then Orders.", cua.Mark{ID: "o", Name: "Orders", Box: cua.Box{X: 600, Y: 130, W: 80, H: 20}}), []int{1}},
		{"another is named far away", retarget(details, "Details of Ada, then Orders.", plainButton(6, "Orders")), nil},
		{"an icon that is named", retarget(func() cua.Mark { m := details; m.Text = ""; return m }(), "Details of Ada."), []int{1}},

		{"Return where the default button is harmless", enter(named(1, "Sign in")), nil},
		{"Return where it deletes", enter(named(1, "Remove account"), named(2, "Sign in")), []int{1}},
		{"Return where the brain pressed the default button", enter(named(1, "Remove account")).Last(aimed(named(1, "Remove account"), "")), nil},
		{"Return where it pressed the other one", enter(named(1, "Remove account"), named(2, "Save")).Last(aimed(named(2, "Save"), "")), []int{1}},
		{"Return where the default button is out of view", outOfView(enter(), &cua.Control{ID: "b", Role: "button", Name: "Donate", Text: "Donate", Submit: true, Form: "f"}), []int{1}},
		{"Return where a harmless one is out of view", outOfView(enter(), &cua.Control{ID: "b", Role: "button", Name: "Search", Text: "Search", Submit: true, Form: "f"}), nil},
		{"Return in a form without a default button", enter(), []int{1}},
		{"where the brain pressed a submit control of it", enter().Last(aimed(cua.Mark{ID: "link", Role: "button", Name: "Save", Form: "f"}, "")), nil},
		{"where it pressed one of another form", enter().Last(aimed(cua.Mark{ID: "link", Role: "button", Name: "Save", Form: "g"}, "")), []int{1}},
		{"where it pressed what sends nothing", enter().Last(aimed(cua.Mark{ID: "link", Role: "link", Name: "Help", Form: "f"}, "")), []int{1}},
		{"Return in no form", enter(named(1, "Sign in")).With(func(j *Journal) { j.Start.Fields[0].Form = "" }), []int{1}},
		{"Return where nothing has the focus", marked(named(1, "Sign in")).Gate("rescue", "press_return_for_submit", returnKey("")), []int{1}},
		{"Return in a field of many lines", many("textarea", "text"), nil},
		{"Return in an editor", many("div", "contenteditable"), []int{1}},
		{"Return that the brain pressed", marked(named(1, "Remove account")).Brain(returnKey("Name"), cua.Target{}), nil},

		{"a layer is closed", dismiss(plainButton(1, "Close")), nil},
		{"a layer is rejected", dismiss(plainButton(1, "Reject all")), nil},
		{"a layer is accepted", dismiss(plainButton(1, "Accept all")), []int{1}},
		{"a layer goes on", dismiss(plainButton(1, "Continue")), []int{1}},
		{"a closer that sends a form", dismiss(named(1, "Close")), []int{1}},
		{"Escape", marked().Gate("rescue", "dismiss_overlay", cua.Action{Kind: cua.Key, Keys: "Escape"}), nil},
	})
}

func TestOutOfReach(t *testing.T) {
	modal := func(o *cua.Observation) { o.Modal = "dlg" }
	start := func(edit func(o *cua.Observation)) *tale {
		return form().With(func(j *Journal) {
			edit(
				&j.Start)
		})
	}
	fill := func(edit func(o *cua.Observation)) *tale {
		return start(edit).Fill("Name", "ada", holding("Name", "ada"))
	}
	covering := func(s *cua.Step) { s.Target.Covering = &cua.Covering{ID: "banner"} }
	escape := cua.Action{Kind: cua.Key, Keys: "Escape"}
	checkRows(t, "out_of_reach", []checkRow{
		{"nothing is open", fill(func(*cua.Observation) {}), nil},
		{"a modal dialog is open", fill(modal), []int{1}},
		{"the field is in it", fill(func(o *cua.Observation) { o.Modal, o.Fields[0].Dialog = "dlg", "dlg" }), nil},
		{"the field is in another", fill(func(o *cua.Observation) { o.Modal, o.Fields[0].Dialog = "dlg", "old" }), []int{1}},
		{"the field is in a dialog that is not modal", fill(func(o *cua.Observation) { o.Fields[0].Dialog = "side" }), nil},
		{"a dialog of the browser is open", fill(func(o *cua.Observation) { o.Dialog = &cua.Dialog{Type: "confirm"} }), []int{1}},
		{"the field is covered", fill(func(o *cua.Observation) { o.Fields[0].Covered = true }), []int{1}},
		{"another field is", fill(func(o *cua.Observation) { o.Fields[1].Covered = true }), nil},
		{"Return beside a modal dialog", start(modal).Gate("rescue", "press_return_for_submit", returnKey("Name")), []int{1}},
		{"a press outside of it", start(modal).Gate("force_submit", "submit_filled_form", click()), []int{1}},
		{"a press inside", start(func(o *cua.Observation) { o.Modal, o.Marks[0].Dialog = "dlg", "dlg" }).Gate("force_submit", "submit_filled_form", click()), nil},
		{"a press on what is covered", start(func(o *cua.Observation) { o.Marks[0].Covered = true }).Gate("force_submit", "submit_filled_form", click()), []int{1}},
		{"a press on the target that something covers", form().Gate("force_submit", "submit_filled_form", intoMark(sendButton())).Last(covering), []int{1}},
		{"typing while something covers what was clicked", form().Fill("Name", "ada", holding("Name", "ada")).Last(covering), nil},
		{"Escape", start(modal).Gate("rescue", "dismiss_overlay", escape).Last(covering), nil},
		{"a scroll", start(modal).Gate("rescue", "scroll_page", cua.Action{Kind: cua.Scroll, DY: 9}), nil},
		{"what the brain types", start(modal).Brain(typing("Name", "ada"), cua.Target{}), nil},
	})
}
