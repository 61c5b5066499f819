package recovery

import (
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestLimits(t *testing.T) {
	usd := func(v float64) *float64 { return &v }
	spent := cua.Step{Usage: cua.Usage{InputTokens: 600, OutputTokens: 400, USD: usd(0.5)}, Timing: cua.Timing{Decide: 700, Act: 300}}
	for _, c := range []struct {
		name  string
		c     LimitsConfig
		task  int
		steps int
		want  cua.EndReason
	}{
		{"zero is no cap", LimitsConfig{}, 0, 9, ""},
		{"the last step is still made", LimitsConfig{MaxSteps: 5}, 0, 4, ""},
		{"one more is not", LimitsConfig{MaxSteps: 5}, 0, 5, cua.EndMaxSteps},
		{"the task's cap comes first, lower", LimitsConfig{MaxSteps: 5}, 3, 3, cua.EndMaxSteps},
		{"the task's cap comes first, higher", LimitsConfig{MaxSteps: 5}, 9, 5, ""},
		{"wall time is the sum of timings", LimitsConfig{MaxWallMS: 2000}, 0, 2, cua.EndMaxWall},
		{"wall time not yet used up", LimitsConfig{MaxWallMS: 2001}, 0, 2, ""},
		{"input and output tokens", LimitsConfig{MaxTokens: 2000}, 0, 2, cua.EndMaxTokens},
		{"cost", LimitsConfig{MaxCostUSD: 1}, 0, 2, cua.EndMaxCost},
		{"steps before wall before tokens before cost", LimitsConfig{MaxSteps: 2, MaxWallMS: 1, MaxTokens: 1, MaxCostUSD: 0.1}, 0, 2, cua.EndMaxSteps},
		{"wall before tokens", LimitsConfig{MaxWallMS: 1, MaxTokens: 1, MaxCostUSD: 0.1}, 0, 2, cua.EndMaxWall},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := begin(page(""))
			for range c.steps {
				s.add(spent)
			}
			turn := s.turn()
			turn.Task.MaxSteps = c.task
			for _, p := range []cua.Proposal{proposal(button()), {Failure: &cua.Failure{Kind: cua.FailSchema}}, {Action: cua.Action{Kind: cua.Done}}} {
				if r := review(t, Limits{c.c}, turn, p); r.End != c.want || (r.Verdict == cua.Halt) != (c.want != "") {
					t.Errorf("%+v, want %q", r, c.want)
				}
			}
		})
	}
}

func TestLimitsUnknownCost(t *testing.T) {
	turn := begin(page("")).clicks(3, button()).turn()
	if r := review(t, Limits{LimitsConfig{MaxCostUSD: 0.01}}, turn, proposal(button())); r.Verdict != cua.Pass {
		t.Errorf("an unknown cost adds nothing: %+v", r)
	}
}

func TestBreaker(t *testing.T) {
	warn := []cua.Note{{From: NudgeName, Level: LastWarning, Text: "last"}}
	never, always, asks := rules(cua.Pass), rules(cua.Replace), rules(cua.Halt)
	type row struct {
		name   string
		shape  cua.Shape
		level  cua.Level
		gate   Breaker
		warnAt int // step that carried the last warning, 0 none
		level2 bool
		subAt  int // step of a substitution, 0 none
		p      cua.Proposal
		fresh  int
		want   cua.EndReason
	}
	nudged := Breaker{Stop: Stop{Grace: 3, Nudged: true}, Rungs: []Reviewer{never}}
	for _, c := range []row{
		{name: "hard, warned, nothing left", gate: nudged, warnAt: 9, want: cua.EndLoop},
		{name: "soft is not enough", gate: nudged, level: cua.Soft, warnAt: 9},
		{name: "failures are the mistake tracker's", gate: nudged, shape: cua.ShapeFailures, warnAt: 9},
		{name: "a spiral has its own end", gate: nudged, shape: cua.ShapeSpiral, warnAt: 9, want: cua.EndSpiral},
		{name: "no warning was delivered", gate: nudged},
		{name: "an instruction is no last warning", gate: nudged, warnAt: 9, level2: true},
		{name: "the warning was of an earlier loop", gate: nudged, warnAt: 1},
		{name: "nudges are off", gate: Breaker{Stop: Stop{Grace: 3}, Rungs: []Reviewer{never}}, want: cua.EndLoop},
		{name: "recovery is off as well", gate: Breaker{Stop: Stop{Grace: 3}}, want: cua.EndLoop},
		{name: "a substitution is left", gate: Breaker{Stop: nudged.Stop, Rungs: []Reviewer{never, always}}, warnAt: 9},
		{name: "the question to a person is left", gate: Breaker{Stop: nudged.Stop, Rungs: []Reviewer{asks}}, warnAt: 9},
		{name: "a spiral need not be hard", gate: nudged, shape: cua.ShapeSpiral, level: cua.Soft, warnAt: 9, want: cua.EndSpiral},
		{name: "two steps after a substitution", gate: nudged, warnAt: 9, subAt: 8},
		{name: "three steps after a substitution", gate: nudged, warnAt: 9, subAt: 7, want: cua.EndLoop},
		{name: "done is a way out", gate: nudged, warnAt: 9, p: cua.Proposal{Action: cua.Action{Kind: cua.Done}}},
		{name: "ask is a way out", gate: nudged, warnAt: 9, p: cua.Proposal{Action: cua.Action{Kind: cua.Ask}}},
		{name: "rewind is a way out", gate: nudged, warnAt: 9, p: cua.Proposal{Action: cua.Action{Kind: cua.Rewind}}},
		{name: "an unreadable answer is not", gate: nudged, warnAt: 9, p: cua.Proposal{Failure: &cua.Failure{Kind: cua.FailSchema}}, want: cua.EndLoop},
		{name: "a chosen continuation starts afresh", gate: nudged, warnAt: 9, fresh: 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := begin(page("")).clicks(10, button())
			if c.warnAt > 0 {
				s.h.Steps[c.warnAt-1].Notes = slices.Clone(warn)
				if c.level2 {
					s.h.Steps[c.warnAt-1].Notes[0].Level = 2
				}
			}
			if c.subAt > 0 {
				s.h.Steps[c.subAt-1].RecoveryReason = cua.TabToNextField
			}
			if c.fresh > 0 {
				s.h.Resumed = []cua.Resumption{{At: c.fresh, Page: page(""), Fresh: true}}
			}
			if c.shape == "" {
				c.shape = cua.ShapeRepeat
			}
			if c.level == "" {
				c.level = cua.Hard
			}
			if c.p.Action.Kind == "" && c.p.Failure == nil {
				c.p = proposal(button())
			}
			c.gate.Config = DefaultConfig().Breaker
			r := review(t, c.gate, s.looping(c.shape, c.level, 8), c.p)
			if r.End != c.want || (r.Verdict == cua.Halt) != (c.want != "") {
				t.Errorf("%+v, want end %q", r, c.want)
			}
			if c.want != "" && len(r.Evidence) != 8 {
				t.Errorf("evidence %v", r.Evidence)
			}
		})
	}
}

func TestBreakerRefusals(t *testing.T) {
	refused := cua.Step{Proposed: cua.Action{Kind: cua.Navigate, URL: "https://evil.test/"},
		Rulings: []cua.Ruling{{Gate: "limits", Verdict: cua.Pass}, {Gate: "policy", Verdict: cua.Refuse, Reason: cua.ReasonHost}}}
	evil := cua.Proposal{Action: refused.Proposed}
	g := Breaker{Config: DefaultConfig().Breaker, Refusers: []Reviewer{Policy{}, Done{DefaultConfig().Done}}}
	s := begin(page("")).add(refused)
	if r := review(t, g, s.turn(), evil); r.Verdict != cua.Pass {
		t.Errorf("a second refusal is policy's own: %+v", r)
	}
	s.add(refused)
	if r := review(t, g, s.turn(), evil); r.End != cua.EndLoop || r.Reason != ReasonRefusals || !slices.Equal(r.Evidence, []int{1, 2}) {
		t.Errorf("a third in a row ends the episode: %+v", r)
	}
	if r := review(t, g, s.turn(), proposal(button())); r.Verdict != cua.Pass {
		t.Errorf("something that is not refused goes on: %+v", r)
	}
	moved := begin(page("")).add(refused).add(refused)
	moved.h.Steps[0].After = page("other")
	if r := review(t, g, moved.turn(), evil); r.Verdict != cua.Pass {
		t.Errorf("not at one state: %+v", r)
	}
	between := begin(page("")).add(refused).clicks(1, button()).add(refused)
	if r := review(t, g, between.turn(), evil); r.Verdict != cua.Pass {
		t.Errorf("not in a row: %+v", r)
	}
}

// rules is a gate that always rules so.
type rules cua.Verdict

func (r rules) Review(*cua.Turn, cua.Proposal) cua.Ruling {
	return cua.Ruling{Verdict: cua.Verdict(r)}
}

func TestTopClickGuard(t *testing.T) {
	logo := cua.Target{ID: "a/logo", Role: "link", Name: "Home", Point: at(100, 40)}
	other := func(x, y float64) cua.Target { return cua.Target{ID: "x", Role: "link", Point: at(x, y)} }
	tall := func(y, max float64) cua.Observation {
		o := page("")
		o.Scroll = cua.Scrolled{Y: y, MaxY: max}
		return o
	}
	vain := func(progress bool) *story {
		s := begin(tall(0, 900)).clicks(2, logo)
		s.add(cua.Step{Proposed: click(logo), Action: &cua.Action{Kind: cua.Scroll, DY: 400}, Target: logo, Effect: effect(progress),
			Rulings: []cua.Ruling{{Gate: "top_click_guard", Verdict: cua.Replace}}})
		return s.clicks(2, logo)
	}
	field := logo
	field.Editable = true
	for _, c := range []struct {
		name string
		s    *story
		to   cua.Target
		want bool
	}{
		{"a third click at the top", begin(tall(0, 900)).clicks(2, logo), logo, true},
		{"80 px aside and 40 px down is the same place", begin(tall(0, 900)).clicks(1, logo).clicks(1, other(180, 80)), other(120, 60), true},
		{"81 px aside is another place", begin(tall(0, 900)).clicks(1, logo).clicks(1, other(181, 40)), logo, false},
		{"41 px down is another place", begin(tall(0, 900)).clicks(1, logo).clicks(1, other(100, 81)), logo, false},
		{"a second click", begin(tall(0, 900)).clicks(1, logo), logo, false},
		{"one of them had an effect", begin(tall(0, 900)).clicks(1, logo).do(click(logo), logo, true), logo, false},
		{"y = 100 is high", begin(tall(0, 900)).clicks(2, other(9, 100)), other(9, 100), true},
		{"y = 101 is not", begin(tall(0, 900)).clicks(2, other(9, 101)), other(9, 101), false},
		{"a field waits for text", begin(tall(0, 900)).clicks(2, field), field, false},
		{"the page cannot scroll further", begin(tall(900, 900)).clicks(2, logo), logo, false},
		{"the guard's last scroll had no effect", vain(false), logo, false},
		{"the guard's last scroll had one", vain(true), logo, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := review(t, TopClickGuard{Config: DefaultConfig().TopClickGuard}, c.s.turn(), proposal(c.to))
			if (r.Verdict == cua.Replace) != c.want {
				t.Fatalf("%+v", r)
			}
			if c.want && (r.Action.Kind != cua.Scroll || r.Action.DY != 400 || len(r.Evidence) != 2) {
				t.Errorf("%+v", r)
			}
		})
	}
}
