package cua

import "testing"

func TestAttemptAt(t *testing.T) {
	press := Action{Kind: Click}
	step := func(n int, a Action, reason Reason, effect bool) Step {
		s := Step{N: n, Proposed: press, Action: &a, RecoveryReason: reason, Effect: &Effect{}}
		if effect {
			s.Effect.Progress = []Change{ChangeForm}
		}
		if reason != "" {
			s.Rulings = []Ruling{{Verdict: Replace, Reason: string(reason)}}
		}
		return s
	}
	tab, write, home := Action{Kind: Key, Keys: "Tab"}, Action{Kind: Type, Text: "x"}, Action{Kind: Click, Point: &Point{1, 1}}
	for _, c := range []struct {
		name  string
		first Step
		next  *Step
		want  bool
	}{
		{"its own effect", step(1, home, RetargetClick, true), nil, true},
		{"no effect", step(1, home, RetargetClick, false), nil, false},
		{"a Tab before what is typed", step(1, tab, TabToNextField, false), new(step(2, write, "", true)), true},
		{"a click brought home before what is typed", step(1, home, RetargetClick, false), new(step(2, write, "", true)), true},
		{"what is typed changes nothing", step(1, home, RetargetClick, false), new(step(2, write, "", false)), false},
		{"a press after it is another matter", step(1, home, RetargetClick, false), new(step(2, press, "", true)), false},
		{"other codes are judged by their own step", step(1, tab, DismissOverlay, false), new(step(2, write, "", true)), false},
	} {
		h := History{Steps: []Step{c.first}}
		if c.next != nil {
			h.Steps = append(h.Steps, *c.next)
		}
		if a, ok := AttemptAt(h.Samples(), 0); !ok || a.Effect != c.want || a.Reason != c.first.RecoveryReason || a.Step != 1 {
			t.Errorf("%s: %+v %v", c.name, a, ok)
		}
	}
	plain := History{Steps: []Step{step(1, press, "", true)}}
	if a, ok := AttemptAt(plain.Samples(), 0); ok {
		t.Errorf("no substitution, and yet %+v", a)
	}
}
