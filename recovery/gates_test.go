package recovery

import (
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestLimits(t *testing.T) {
	usd := func(v float64) *float64 { return &v }
	spent := cua.Step{Usage: cua.Usage{InputTokens: 600, OutputTokens: 400, USD: usd(0.5)},
		Timing: cua.Timing{Decide: 700, Act: 300}}
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
			for _, p := range []cua.Proposal{proposal(button()),
				{Failure: &cua.Failure{Kind: cua.FailSchema}}, {Action: cua.Action{Kind: cua.Done}}} {
				if r := review(t, Limits{c.c}, turn, p); r.End != c.want ||
					(r.Verdict == cua.Halt) != (c.want != "") {
					t.Errorf("%+v, want %q", r, c.want)
				}
			}
		})
	}
}

func TestLimitsUnknownCost(t *testing.T) {
	turn := begin(page("")).clicks(3, button()).turn()
	if r := review(t, Limits{LimitsConfig{MaxCostUSD: 0.01}}, turn,
		proposal(button())); r.Verdict != cua.Pass {
		t.Errorf("an unknown cost adds nothing: %+v", r)
	}
}

func TestBreaker(t *testing.T) {
	warn := []cua.Note{{From: NudgeName, Level: LastWarning, Text: "last"}}
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
	nudged := Breaker{Stop: StopRule{Grace: 3, Nudged: true}}
	for _, c := range []row{
		{name: "hard, warned, nothing left", gate: nudged, warnAt: 9, want: cua.EndLoop},
		{name: "soft is not enough", gate: nudged, level: cua.Soft, warnAt: 9},
		{name: "failures are the mistake tracker's", gate: nudged, shape: cua.ShapeFailures, warnAt: 9},
		{name: "a spiral has its own end", gate: nudged, shape: cua.ShapeSpiral, warnAt: 9, want: cua.EndSpiral},
		{name: "no warning was delivered", gate: nudged},
		{name: "an instruction is no last warning", gate: nudged, warnAt: 9, level2: true},
		{name: "the warning was of an earlier loop", gate: nudged, warnAt: 1},
		{name: "nudges are off", gate: Breaker{Stop: StopRule{Grace: 3}}, want: cua.EndLoop},
		{name: "a spiral need not be hard", gate: nudged, shape: cua.ShapeSpiral, level: cua.Soft, warnAt: 9, want: cua.EndSpiral},
		{name: "two steps after a substitution", gate: nudged, warnAt: 9, subAt: 8},
		{name: "three steps after a substitution", gate: nudged, warnAt: 9, subAt: 7, want: cua.EndLoop},
		{name: "done is a way out", gate: nudged, warnAt: 9, p: cua.Proposal{Action: cua.Action{Kind: cua.Done}}},
		{name: "ask is a way out", gate: nudged, warnAt: 9, p: cua.Proposal{Action: cua.Action{Kind: cua.Ask}}},
		{name: "rewind is a way out", gate: nudged, warnAt: 9, p: cua.Proposal{Action: cua.Action{Kind: cua.Rewind}}},
		{name: "an unreadable answer is not", gate: nudged, warnAt: 9, p: cua.Proposal{Failure: &cua.Failure{Kind: cua.FailSchema}}, want: cua.EndLoop},
		{name: "an action that does not continue the loop", gate: nudged, warnAt: 9, p: proposal(cua.Target{ID: "a/help", Role: "link", Clickable: true, Point: at(900, 700)})},
		{name: "a frozen page that was hard is continued by whatever acts", gate: nudged, shape: cua.ShapeFrozen, warnAt: 9,
			p:    proposal(cua.Target{ID: "a/help", Role: "link", Clickable: true, Point: at(900, 700)}),
			want: cua.EndLoop},
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

func TestTheThirdRefusalInOneStateIsAStop(t *testing.T) {
	refusal := cua.Ruling{Gate: "policy", Verdict: cua.Refuse, Reason: cua.ReasonHost, Detail: "not opened"}
	refused := cua.Step{Proposed: cua.Action{Kind: cua.Navigate, URL: "https://evil.test/"},
		Rulings: []cua.Ruling{{Gate: "limits", Verdict: cua.Pass}, refusal}}
	for _, c := range []struct {
		name  string
		s     *story
		stuck StopRule
		want  cua.Verdict
	}{
		{"the first", begin(page("")), StopRule{}, cua.Refuse},
		{"the second", begin(page("")).add(refused), StopRule{}, cua.Refuse},
		{"the third", begin(page("")).add(refused).add(refused), StopRule{}, cua.Halt},
		{"the third where a person can be asked", begin(page("")).add(refused).add(refused), StopRule{Attended: true}, cua.Pause},
		{"not in a row", begin(page("")).add(refused).clicks(1, button()).add(refused), StopRule{}, cua.Refuse},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := c.s.turn()
			turn.Evidence = cua.EvidenceOf(turn.History, nil)
			r := Breaker{Config: DefaultConfig().Breaker, Stop: c.stuck}.LimitRefusals(turn, refusal)
			if r.Verdict != c.want || r.Gate != "policy" || c.want != cua.Refuse &&
				(r.Reason != ReasonRefusals || !slices.Equal(r.Evidence, []int{1, 2})) {
				t.Errorf("%+v, want %s", r, c.want)
			}
		})
	}
}
