package invariants

import (
	"encoding/json"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestMistakesInOrder(t *testing.T) {
	missed := func(t *tale, n int) *tale {
		for range n {
			t.Step(cua.Step{Failure: &cua.Failure{Kind: cua.FailNotFound, Detail: "gone"},
				Rulings: passes("limits", "mistakes", "breaker", "policy")})
		}
		return t
	}
	told := func(s *cua.Step) { s.Notes = append(s.Notes, cua.Note{From: "mistakes", Text: "three"}) }
	halted := cua.Ruling{Gate: "mistakes", Verdict: cua.Halt, Reason: "mistakes_after_note",
		End: cua.EndMistakes}
	press := cua.Action{Kind: cua.Click, Point: sendTarget.Point}
	four := func() *tale { return missed(missed(form(), 3), 1).Last(told) }
	six := func() *tale { return missed(four(), 2) }
	asked := func(t *tale) *tale {
		return t.Last(func(s *cua.Step) {
			s.Rulings = append(s.Rulings,
				cua.Ruling{Gate: "mistakes", Verdict: cua.Pass})
		})
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
