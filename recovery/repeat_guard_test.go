package recovery

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestOrdinals(t *testing.T) {
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 10: "10th", 11: "11th",
		12: "12th", 13: "13th", 14: "14th", 20: "20th", 21: "21st", 22: "22nd", 23: "23rd", 24: "24th",
		100: "100th", 101: "101st", 102: "102nd", 103: "103rd", 110: "110th", 111: "111th", 112: "112th",
		113: "113th", 121: "121st",
		1011: "1011th", 1021: "1021st"} {
		if got := ordinal(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

func TestTheSentence(t *testing.T) {
	for _, c := range []struct {
		name  string
		kind  cua.Kind
		count int
		want  string
	}{
		{"a click", cua.Click, 3,
			"Note: 3rd consecutive click on this element without a fresh look — verify visually or report current state instead of clicking again."},
		{"a double click is one of its class", cua.DoubleClick, 4,
			"Note: 4th consecutive click on this element without a fresh look — verify visually or report current state instead of clicking again."},
		{"typing", cua.Type, 11,
			"Note: 11th consecutive type on this element without a fresh look — verify visually or report current state instead of typing again."},
		{"selecting", cua.Select, 22,
			"Note: 22nd consecutive select on this element without a fresh look — verify visually or report current state instead of selecting again."},
		{"a key", cua.Key, 101,
			"Note: 101st consecutive key on this element without a fresh look — verify visually or report current state instead of pressing keys again."},
		{"a drag", cua.Drag, 111,
			"Note: 111th consecutive drag on this element without a fresh look — verify visually or report current state instead of dragging again."},
	} {
		if got := (RepeatGuard{}).Sentence(cua.Action{Kind: c.kind},
			cua.Repetition{Count: c.count}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The guard speaks for the signal streak where the newest step is part of it. The shape decides what counts
// and what resets; the tests of the shape and of the machine check that.
func TestJudge(t *testing.T) {
	streak := func(evidence ...int) cua.Signal {
		return cua.Signal{Shape: cua.ShapeStreak, Level: cua.NoteLevel, Run: len(evidence),
			Target: "button/send", Evidence: evidence}
	}
	three := func() *story { return begin(page("")).clicks(3, button()) }
	for _, c := range []struct {
		name    string
		s       *story
		signals []cua.Signal
		want    *cua.Repetition
	}{
		{"nothing happened", begin(page("")), nil, nil},
		{"no signal", three(), nil, nil},
		{"another shape", three(), []cua.Signal{{Shape: cua.ShapeRepeat, Level: cua.Soft, Run: 3, Evidence: []int{1, 2, 3}}}, nil},
		{"a streak", three(), []cua.Signal{{Shape: cua.ShapeRepeat, Level: cua.Soft, Evidence: []int{1, 2, 3}}, streak(1, 2, 3)}, &cua.Repetition{Count: 3, Target: "button/send"}},
		{"a streak that ended before", three(), []cua.Signal{streak(1, 2)}, nil},
		{"an edit with an effect", three().do(click(button()), button(), true), []cua.Signal{streak(1, 2, 3, 4)}, &cua.Repetition{Count: 4, Target: "button/send", Effect: true}},
		{"nothing was dispatched", three().add(cua.Step{Proposed: click(button())}), []cua.Signal{streak(1, 2, 3, 4)}, nil},
	} {
		before := snapshot(t, c.s.turn(), cua.Proposal{})
		for range 2 { // the same twice
			if got := (RepeatGuard{}).Judge(c.s.h.Samples(), c.signals); (got == nil) != (c.want == nil) ||
				got != nil && *got != *c.want {
				t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
			}
		}
		if snapshot(t, c.s.turn(), cua.Proposal{}) != before {
			t.Errorf("%s: the history was changed", c.name)
		}
	}
}
