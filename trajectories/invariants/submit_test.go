package invariants

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// press is force_submit's press of the form's own control.
func press() cua.Action { return cua.Action{Kind: cua.Click, Point: &cua.Point{X: 440, Y: 410}} }

func TestSecondSubmit(t *testing.T) {
	const submit, enter = "submit_filled_form", "press_return_for_submit"
	sent := func(changes ...change) *tale { return form().Gate("force_submit", submit, press(), changes...) }
	area := cua.Field{ID: "box/Note", Label: "Note", Tag: "textarea", Type: "text", Form: "f", Editable: true}
	other := textbox("Search")
	other.Form = "g"
	checkRows(t, "second_submit", []checkRow{
		{"once", sent(), nil},
		{"the brain's own press retargeted, and then Return", form().Gate("rescue", "retarget_click", press()).Gate("rescue", enter, returnKey("Name")), nil},
		{"the brain's own press retargeted once more, after it was answered well", form().Gate("rescue", "retarget_click", press(), written).Gate("rescue", "retarget_click", press()), nil},
		{"pressed twice", sent().Gate("force_submit", submit, press()), []int{2}},
		{"pressed, then Return", sent().Clicks(2).Gate("rescue", enter, returnKey("Email")), []int{4}},
		{"Return twice", form().Gate("rescue", enter, returnKey("Email")).Gate("rescue", enter, returnKey("Email")), []int{2}},
		{"three times", sent().Gate("force_submit", submit, press()).Gate("force_submit", submit, press()), []int{2, 3}},
		{"after a value changed", sent().Fill("Name", "ada", holding("Name", "ada")).Gate("force_submit", submit, press()), nil},
		{"after a value changed and changed back", sent().Brain(typing("Name", "x"), cua.Target{}, holding("Name", "x")).
			Brain(typing("Name", ""), cua.Target{}, holding("Name", "")).Gate("force_submit", submit,
			press()), nil},
		{"after the page said something", sent(dom("error")).Gate("force_submit", submit, press()), nil},
		{"in another document", sent(fresh("d2"), dom("again")).Gate("force_submit", submit, press()), nil},
		{"by the brain, then by a gate", form().Brain(click(), sendTarget).Gate("force_submit", submit, press()), nil},
		{"a gate, then the brain", sent().Brain(click(), sendTarget), nil},
		{"two forms of one page", begin([]cua.Field{textbox("Name"), other}, "Name", "ada").Gate("rescue", enter, returnKey("Name")).
			Gate("rescue", enter, returnKey("Search")), nil},
		{"Return in a field of many lines", begin([]cua.Field{area}).Gate("rescue", enter, returnKey("Note")).Gate("rescue", enter, returnKey("Note")), nil},
		{"a cover that is closed twice", form().Gate("rescue", "dismiss_overlay", press()).Gate("rescue", "dismiss_overlay", press()), nil},
		{"a click retargeted to the button twice", form().Gate("rescue", "retarget_click", press()).Gate("rescue", "retarget_click", press()), []int{2}},
		{"what the brain sent and was answered well", form().Brain(returnKey("Email"), cua.Target{}, written, dom("thanks")).
			Gate("rescue", enter, returnKey("Email")), []int{2}},
		{"what was sent with other values", form().Brain(returnKey("Email"), cua.Target{}, written, dom("thanks")).Fill("Name", "ada", holding("Name", "ada")).
			Gate("rescue", enter, returnKey("Email")), nil},
		{"what was sent and failed", form().Brain(returnKey("Email"), cua.Target{}, dom("sorry"), func(o *cua.Observation) {
			o.Writes = []cua.Write{{Method: "POST", URL: shopPage, Status: 500}}
		}).Gate("rescue", enter, returnKey("Email")), nil},
		{"a value that a gate typed once more, after it had been saved", form().Fill("Name", "ada", written).Fill("Name", "ada"), []int{2}},
		{"a value that the brain typed, after it had been saved", form().Brain(typing("Name", "ada"), cua.Target{}, written).Fill("Name", "ada"), []int{2}},
		{"a value that was not saved", form().Fill("Name", "ada").Fill("Name", "ada"), nil},
		{"a value that was saved, and then another one", form().Fill("Name", "ada", written).Fill("Name", "bob"), nil},
		{"a value that was saved, into another field", form().Fill("Name", "ada", written).Fill("Email", "ada"), nil},
		{"a value that was saved in a form that has changed since", form().Fill("Name", "ada", written, holding("Name", "ada")).Fill("Name", "ada"), nil},
		{"a cover that is closed twice, by a button that writes", form().Gate("rescue", "dismiss_overlay", press(), written).Gate("rescue", "dismiss_overlay", press()), []int{2}},
		{"a stepper without a form", func() *tale {
			s := begin(nil)
			for range 2 {
				s.Gate("rescue", "retarget_click", press(), written, dom("more"),
					func(o *cua.Observation) { o.DOMDigest += "1" })
				s.Last(func(e *cua.Step) { e.After.FormDigest = "" })
			}
			return s.With(func(j *Journal) { j.Start.FormDigest = "" })
		}(), nil},
	})
}
