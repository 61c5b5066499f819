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
		{"the brain's own press brought home, and then Return", form().gate("ladder", "retarget_click", press()).gate("loop_recovery", enter, returnKey("Name")), nil},
		{"the brain's own press brought home once more, after it was answered well", form().gate("ladder", "retarget_click", press(), written).gate("ladder", "retarget_click", press()), nil},
		{"pressed twice", sent().gate("force_submit", submit, press()), []int{2}},
		{"pressed, then Return", sent().clicks(2).gate("loop_recovery", enter, returnKey("Email")), []int{4}},
		{"Return twice", form().gate("loop_recovery", enter, returnKey("Email")).gate("loop_recovery", enter, returnKey("Email")), []int{2}},
		{"three times", sent().gate("force_submit", submit, press()).gate("force_submit", submit, press()), []int{2, 3}},
		{"after a value changed", sent().fill("Name", "ada", holding("Name", "ada")).gate("force_submit", submit, press()), nil},
		{"after a value changed and changed back", sent().brain(typing("Name", "x"), cua.Target{}, holding("Name", "x")).
			brain(typing("Name", ""), cua.Target{}, holding("Name", "")).gate("force_submit", submit, press()), nil},
		{"after the page said something", sent(dom("error")).gate("force_submit", submit, press()), nil},
		{"in another document", sent(fresh("d2"), dom("again")).gate("force_submit", submit, press()), nil},
		{"by the brain, then by a gate", form().brain(click(), sendTarget).gate("force_submit", submit, press()), nil},
		{"a gate, then the brain", sent().brain(click(), sendTarget), nil},
		{"two forms of one page", begin([]cua.Field{textbox("Name"), other}, "Name", "ada").gate("loop_recovery", enter, returnKey("Name")).
			gate("loop_recovery", enter, returnKey("Search")), nil},
		{"Return in a field of many lines", begin([]cua.Field{area}).gate("loop_recovery", enter, returnKey("Note")).gate("loop_recovery", enter, returnKey("Note")), nil},
		{"a cover that is closed twice", form().gate("ladder", "dismiss_overlay", press()).gate("ladder", "dismiss_overlay", press()), nil},
		{"a click brought home to the button twice", form().gate("ladder", "retarget_click", press()).gate("ladder", "retarget_click", press()), []int{2}},
		{"what the brain sent and was answered well", form().brain(returnKey("Email"), cua.Target{}, written, dom("thanks")).
			gate("loop_recovery", enter, returnKey("Email")), []int{2}},
		{"what was sent with other values", form().brain(returnKey("Email"), cua.Target{}, written, dom("thanks")).fill("Name", "ada", holding("Name", "ada")).
			gate("loop_recovery", enter, returnKey("Email")), nil},
		{"what was sent and failed", form().brain(returnKey("Email"), cua.Target{}, dom("sorry"), func(o *cua.Observation) {
			o.Writes = []cua.Write{{Method: "POST", URL: shopPage, Status: 500}}
		}).gate("loop_recovery", enter, returnKey("Email")), nil},
		{"a stepper without a form", func() *tale {
			s := begin(nil)
			for range 2 {
				s.gate("ladder", "retarget_click", press(), written, dom("more"), func(o *cua.Observation) { o.DOMDigest += "1" })
				s.last(func(e *cua.Step) { e.After.FormDigest = "" })
			}
			return s.set(func(j *Journal) { j.Start.FormDigest = "" })
		}(), nil},
	})
}

func TestReturnOnce(t *testing.T) {
	const enter = "press_return_for_submit"
	once := func(changes ...change) *tale {
		return form().gate("loop_recovery", enter, returnKey("Email"), changes...)
	}
	checkRows(t, "return_once", []checkRow{
		{"once", once(), nil},
		{"twice", once().gate("loop_recovery", enter, returnKey("Email")), []int{2}},
		{"twice, by two gates", once().gate("force_submit", "submit_filled_form", returnKey("")), []int{2}},
		{"twice, with Enter", once().gate("ladder", "use_control", cua.Action{Kind: cua.Key, Keys: "ctrl+Enter"}), []int{2}},
		{"twice, although the page said something", once(dom("error")).gate("loop_recovery", enter, returnKey("Email")), []int{2}},
		{"twice, the second by the brain", once().brain(returnKey("Email"), cua.Target{}), nil},
		{"once in each state", once().fill("Name", "ada", holding("Name", "ada")).gate("loop_recovery", enter, returnKey("Email")), nil},
		{"again in a state that was left and came back", once().fill("Name", "ada", holding("Name", "ada")).brain(typing("Name", ""), cua.Target{}, holding("Name", "")).
			gate("loop_recovery", enter, returnKey("Email")), []int{4}},
		{"once on each page", once(at("https://shop.example/two")).gate("loop_recovery", enter, returnKey("Email")), nil},
		{"Tab twice", form().gate("loop_recovery", "tab_to_next_field", cua.Action{Kind: cua.Key, Keys: "Tab"}).
			gate("loop_recovery", "tab_to_next_field", cua.Action{Kind: cua.Key, Keys: "Tab"}), nil},
	})
}
