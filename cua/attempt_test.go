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
	tab, write, home := Action{Kind: Key, Keys: "Tab"}, Action{Kind: Type, Text: "x"},
		Action{Kind: Click, Point: &Point{1, 1}}
	for _, c := range []struct {
		name  string
		first Step
		next  *Step
		want  bool
	}{
		{"its own effect", step(1, home, RetargetClick, true), nil, true},
		{"no effect", step(1, home, RetargetClick, false), nil, false},
		{"a Tab before what is typed", step(1, tab, TabToNextField, false), new(step(2, write, "", true)), true},
		{"a retargeted click before what is typed", step(1, home, RetargetClick, false), new(step(2, write, "", true)), true},
		{"what is typed changes nothing", step(1, home, RetargetClick, false), new(step(2, write, "", false)), false},
		{"a press after it is another matter", step(1, home, RetargetClick, false), new(step(2, press, "", true)), false},
		{"other codes are judged by their own step", step(1, tab, DismissOverlay, false), new(step(2, write, "", true)), false},
	} {
		h := History{Steps: []Step{c.first}}
		if c.next != nil {
			h.Steps = append(h.Steps, *c.next)
		}
		if a, ok := AttemptAt(h.Samples(), 0); !ok || a.Effect != c.want ||
			a.Reason != c.first.RecoveryReason || a.Step != 1 {
			t.Errorf("%s: %+v %v", c.name, a, ok)
		}
	}
	plain := History{Steps: []Step{step(1, press, "", true)}}
	if a, ok := AttemptAt(plain.Samples(), 0); ok {
		t.Errorf("no substitution, and yet %+v", a)
	}
}

// TestAttemptGetsSomewhere: what leads back to a state that was known, and a menu that is closed, is no
// effect.
func TestAttemptGetsSomewhere(t *testing.T) {
	page := func(dom string) Observation {
		return Observation{URL: "https://a.test/", DOMDigest: dom, DOMParts: map[string]string{"main": dom}}
	}
	open := Step{N: 1, Proposed: Action{Kind: Click}, Action: &Action{Kind: Click}, After: page("menu"),
		Effect: dom("main")}
	cure := func(after string, changes ...Change) Step {
		e := &Effect{Progress: changes}
		if len(changes) > 0 && changes[0] == ChangeDOM {
			e.Parts = []string{"main"}
		}
		return Step{N: 2, Proposed: Action{Kind: Click}, Action: &Action{Kind: Key, Keys: "Escape"},
			RecoveryReason: DismissOverlay, Rulings: []Ruling{{Verdict: Replace,
				Reason: string(DismissOverlay)}}, After: page(after), Effect: e}
	}
	wait := func(after string, e *Effect) Step {
		return Step{N: 3, Proposed: Action{Kind: Wait}, Action: &Action{Kind: Wait, MS: 1000},
			After: page(after), Effect: e}
	}
	late := Step{N: 3, Proposed: Action{Kind: Click}, Action: &Action{Kind: Click}, After: page("list"),
		Effect: &Effect{}, Target: Target{Idle: Idle{Parts: []string{"main"}, Caused: []string{"main"}}}}
	lateHome := late
	lateHome.After = page("home")
	for _, c := range []struct {
		name  string
		steps []Step
		want  bool
	}{
		{"a new state", []Step{open, cure("list", ChangeDOM)}, true},
		{"the menu that the press before it opened is closed", []Step{open, cure("home", ChangeDOM)}, false},
		{"the known state came with a write", []Step{open, cure("home", ChangeDOM, ChangeWrite)}, true},
		{"and with a download", []Step{open, cure("home", ChangeDOM, ChangeDownload)}, true},
		{"nothing but a download", []Step{open, cure("menu", ChangeDownload)}, true},
		{"pixels alone, which no node sees", []Step{open, cure("menu", ChangePixels)}, true},
		{"a scroll within its bucket", []Step{open, cure("menu", ChangeScroll)}, false},
		{"a dialog that closed", []Step{open, cure("menu", ChangeDialog)}, false},
		{"no effect", []Step{open, cure("menu")}, false},
		{"a new state after a wait", []Step{open, cure("menu"), wait("list", dom("main"))}, true},
		{"the known state after a wait", []Step{open, cure("menu"), wait("home", dom("main"))}, false},
		{"a new state that the next step found", []Step{open, cure("menu"), late}, true},
		{"the known state, found by the next step", []Step{open, cure("menu"), lateHome}, false},
	} {
		h := History{Start: page("home"), Steps: c.steps}
		if a, ok := AttemptAt(h.Samples(), 1); !ok || a.Effect != c.want {
			t.Errorf("%s: %+v %v, want effect %t", c.name, a, ok, c.want)
		}
	}
	retype := cure("menu")
	retype.Action, retype.RecoveryReason = &Action{Kind: Key, Keys: "Tab"}, TabToNextField
	typed := func(after string) Step {
		return Step{N: 3, Proposed: Action{Kind: Type, Text: "x"}, Action: &Action{Kind: Type, Text: "x"},
			After: page(after), Effect: dom("main")}
	}
	for after, want := range map[string]bool{"named": true, "home": false} {
		h := History{Start: page("home"), Steps: []Step{open, retype, typed(after)}}
		if a, _ := AttemptAt(h.Samples(), 1); a.Effect != want {
			t.Errorf("a Tab before an input that leads to %q: %+v, want effect %t", after, a, want)
		}
	}
}
