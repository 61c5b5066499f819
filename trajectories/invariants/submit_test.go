package invariants

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// press is force_submit's press of the form's own control.
func press() cua.Action { return cua.Action{Kind: cua.Click, Point: &cua.Point{X: 440, Y: 410}} }

func TestSecondSubmit(t *testing.T) {
	const submit, enter = "submit_filled_form", "press_return_for_submit"
	sent := func(changes ...change) *tale { return form().gate("force_submit", submit, press(), changes...) }
	area := cua.Field{ID: "box/Note", Label: "Note", Tag: "textarea", Type: "text", Form: "f", Editable: true}
	other := textbox("Search")
	other.Form = "g"
	checkRows(t, "second_submit", []checkRow{
		{"once", sent(), nil},
		{"the brain's own press retargeted, and then Return", form().gate("rescue", "retarget_click", press()).gate("rescue", enter, returnKey("Name")), nil},
		{"the brain's own press retargeted once more, after it was answered well", form().gate("rescue", "retarget_click", press(), written).gate("rescue", "retarget_click", press()), nil},
		{"pressed twice", sent().gate("force_submit", submit, press()), []int{2}},
		{"pressed, then Return", sent().clicks(2).gate("rescue", enter, returnKey("Email")), []int{4}},
		{"Return twice", form().gate("rescue", enter, returnKey("Email")).gate("rescue", enter, returnKey("Email")), []int{2}},
		{"three times", sent().gate("force_submit", submit, press()).gate("force_submit", submit, press()), []int{2, 3}},
		{"after a value changed", sent().fill("Name", "ada", holding("Name", "ada")).gate("force_submit", submit, press()), nil},
		{"after a value changed and changed back", sent().brain(typing("Name", "x"), cua.Target{}, holding("Name", "x")).
			brain(typing("Name", ""), cua.Target{}, holding("Name", "")).gate("force_submit", submit, press()), nil},
		{"after the page said something", sent(dom("error")).gate("force_submit", submit, press()), nil},
		{"in another document", sent(fresh("d2"), dom("again")).gate("force_submit", submit, press()), nil},
		{"by the brain, then by a gate", form().brain(click(), sendTarget).gate("force_submit", submit, press()), nil},
		{"a gate, then the brain", sent().brain(click(), sendTarget), nil},
		{"two forms of one page", begin([]cua.Field{textbox("Name"), other}, "Name", "ada").gate("rescue", enter, returnKey("Name")).
			gate("rescue", enter, returnKey("Search")), nil},
		{"Return in a field of many lines", begin([]cua.Field{area}).gate("rescue", enter, returnKey("Note")).gate("rescue", enter, returnKey("Note")), nil},
		{"a cover that is closed twice", form().gate("rescue", "dismiss_overlay", press()).gate("rescue", "dismiss_overlay", press()), nil},
		{"a click retargeted to the button twice", form().gate("rescue", "retarget_click", press()).gate("rescue", "retarget_click", press()), []int{2}},
		{"what the brain sent and was answered well", form().brain(returnKey("Email"), cua.Target{}, written, dom("thanks")).
			gate("rescue", enter, returnKey("Email")), []int{2}},
		{"what was sent with other values", form().brain(returnKey("Email"), cua.Target{}, written, dom("thanks")).fill("Name", "ada", holding("Name", "ada")).
			gate("rescue", enter, returnKey("Email")), nil},
		{"what was sent and failed", form().brain(returnKey("Email"), cua.Target{}, dom("sorry"), func(o *cua.Observation) {
			o.Writes = []cua.Write{{Method: "POST", URL: shopPage, Status: 500}}
		}).gate("rescue", enter, returnKey("Email")), nil},
		{"a stepper without a form", func() *tale {
			s := begin(nil)
			for range 2 {
				s.gate("rescue", "retarget_click", press(), written, dom("more"), func(o *cua.Observation) { o.DOMDigest += "1" })
				s.last(func(e *cua.Step) { e.After.FormDigest = "" })
			}
			return s.set(func(j *Journal) { j.Start.FormDigest = "" })
		}(), nil},
	})
}
