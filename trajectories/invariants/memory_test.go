package invariants

import (
	"encoding/json"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// noted gives the last step the repeat that its count is said to be.
func noted(count int, ordinal string) func(*cua.Step) {
	return func(s *cua.Step) {
		s.Repeat = &cua.Repeat{Count: count, Target: s.Target.ID}
		s.Feedback = "Note: " + ordinal + " consecutive click on this element without a fresh look — verify visually or report current state instead of clicking again."
	}
}

func TestRepeatsCounted(t *testing.T) {
	three := func() *tale { return form().Clicks(3).Last(noted(3, "3rd")) }
	look := cua.Action{Kind: cua.Zoom}
	again := cua.Action{Kind: cua.Reload}
	press := cua.Action{Kind: cua.Click, Point: sendTarget.Point}
	put := cua.Action{Kind: cua.Type, Text: "x", Into: "box/Name"}
	typed := func() *tale {
		return form().Brain(put, cua.Target{ID: "box/Name"}, holding("Name", "x")).Brain(put, cua.Target{ID: "box/Name"}, holding("Name", "xx")).
			Brain(put, cua.Target{ID: "box/Name"}, holding("Name", "xxx"))
	}
	checkRows(t, "repeats_counted", []checkRow{
		{"two clicks", form().Clicks(2), nil},
		{"three clicks, noted", three(), nil},
		{"three clicks, not noted", form().Clicks(3), []int{3}},
		{"a fourth is noted too", three().Clicks(1).Last(noted(4, "4th")), nil},
		{"a fourth that is not", three().Clicks(1), []int{4}},
		{"another count", form().Clicks(3).Last(noted(4, "4th")), []int{3}},
		{"too early", form().Clicks(2).Last(noted(2, "2nd")), []int{2}},
		{"another target", three().Last(func(s *cua.Step) { s.Repeat.Target = "button/Other" }), []int{3}},
		{"another effect", three().Last(func(s *cua.Step) { s.Repeat.Effect = true }), []int{3}},
		{"the feedback says nothing", three().Last(func(s *cua.Step) { s.Feedback = "" }), []int{3}},
		{"it says another count", three().Last(func(s *cua.Step) { s.Feedback = "Note: 4th" + s.Feedback[len("Note: 3rd"):] }), []int{3}},
		{"something stands before it", three().Last(func(s *cua.Step) { s.Feedback = "WARNING: no observed effect; " + s.Feedback }), nil},
		{"something stands behind it", three().Last(func(s *cua.Step) { s.Feedback += " Really." }), []int{3}},
		{"a look between", form().Clicks(2).Brain(look, sendTarget).Clicks(2), nil},
		{"a look between, noted all the same", form().Clicks(2).Brain(look, sendTarget).Clicks(1).Last(noted(3, "3rd")), []int{4}},
		{"a look elsewhere", form().Clicks(2).Brain(look, cua.Target{ID: "box/Name"}).Clicks(1).Last(noted(3, "3rd")), nil},
		{"a reload between", form().Clicks(2).Brain(again, cua.Target{}).Clicks(2), nil},
		{"another page between", form().Clicks(2).Brain(press, cua.Target{ID: "link/Away"}, at(shopPage+"/2")).Clicks(2), nil},
		{"an effect between", form().Clicks(2).Brain(press, sendTarget, dom("other")).Clicks(2), nil},
		{"edits with effects, not noted", typed(), []int{3}},
		{"the guard was off", form().Clicks(4).With(func(j *Journal) { j.Header.Toggles.RepeatGuard = false }), nil},
		{"the guard was off, and spoke", three().With(func(j *Journal) { j.Header.Toggles.RepeatGuard = false }), []int{3}},
		{"another threshold", form().Clicks(4).With(func(j *Journal) { j.Header.Config = json.RawMessage(`{"detector":{"streak":{"from":5}}}`) }), nil},
	})
}

func TestMistakesInOrder(t *testing.T) {
	missed := func(t *tale, n int) *tale {
		for range n {
			t.Step(cua.Step{Failure: &cua.Failure{Kind: cua.FailNotFound, Detail: "gone"}, Rulings: passes("limits", "mistakes", "breaker", "policy")})
		}
		return t
	}
	told := func(s *cua.Step) { s.Notes = append(s.Notes, cua.Note{From: "mistakes", Text: "three"}) }
	halted := cua.Ruling{Gate: "mistakes", Verdict: cua.Halt, Reason: "mistakes_after_note", End: cua.EndMistakes}
	press := cua.Action{Kind: cua.Click, Point: sendTarget.Point}
	four := func() *tale { return missed(missed(form(), 3), 1).Last(told) }
	six := func() *tale { return missed(four(), 2) }
	asked := func(t *tale) *tale {
		return t.Last(func(s *cua.Step) { s.Rulings = append(s.Rulings, cua.Ruling{Gate: "mistakes", Verdict: cua.Pass}) })
	}
	checkRows(t, "mistakes_in_order", []checkRow{
		{"three failures are not told of yet", missed(form(), 3), nil},
		{"then they are", four(), nil},
		{"then they are not", missed(form(), 4), []int{4}},
		{"told too early", missed(form(), 3).Last(told), []int{3}},
		{"told twice at once", four().Last(told), []int{4}},
		{"told beside a nudge", four().Last(func(s *cua.Step) { s.Notes = append(s.Notes, cua.Note{From: "nudge", Level: 1}) }), []int{4}},
		{"told again without a success", missed(six(), 1).Last(told), []int{7}},
		{"ended after three more", six().Ruled(halted), nil},
		{"ended after two more", missed(four(), 1).Ruled(halted), []int{6}},
		{"ended without a note", missed(form(), 3).Ruled(halted), []int{4}},
		{"ended with the note", missed(form(), 3).Ruled(halted).Last(told), []int{4}},
		{"not ended", asked(six().Clicks(1)), []int{7}},
		{"a success between", missed(missed(form(), 2).Brain(press, sendTarget, dom("other")), 2), nil},
		{"a click without effect between", missed(missed(form(), 2).Clicks(1), 1).Clicks(1).Last(told), nil},
		{"the tracker was off", missed(form(), 9).With(func(j *Journal) { j.Header.Toggles.MistakeTracker = false }), nil},
		{"the tracker was off, and spoke", four().With(func(j *Journal) { j.Header.Toggles.MistakeTracker = false }), []int{4}},
		{"another run", missed(form(), 4).With(func(j *Journal) { j.Header.Config = json.RawMessage(`{"recovery":{"mistakes":{"run":5}}}`) }), nil},
	})
}
