package runner_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

// stuck is a history of n steps that press one dead button of a page, as c rules on them: what a gate puts in
// place of a press has no effect either, and after a pause the episode continues with fresh counters.
func stuck(c runner.Config, n int) cua.History {
	h := cua.History{Start: travelled(0).Start}
	a, task := runner.Assemble(c), benchTask()
	target := cua.Target{ID: "button|Go", Role: "button", Name: "Go", Form: "f", Submit: true,
		Clickable: true, Point: &cua.Point{X: 50, Y: 600}}
	p := cua.Proposal{Action: cua.Action{Kind: cua.Click, Point: target.Point}, Target: target, By: "bench",
		Thought: "I press Go"}
	for i := range n {
		t := a.Turn(task, h, nil)
		s := cua.Step{N: i + 1, Decision: t.Decision, Proposed: p.Action, Target: target, By: p.By,
			Signals: t.Signals, Notes: t.Notes, After: t.Now}
		if t.Incident != nil {
			s.Incident = t.Incident.ID
		}
		var ruled cua.Ruling
		s.Rulings, ruled = a.Review(t, p)
		over := false
		switch ruled.Verdict {
		case cua.Halt, cua.Pause:
			over = true
		case cua.Refuse:
			s.Failure = &cua.Failure{Kind: cua.FailPolicy, Detail: ruled.Detail}
		case cua.Replace:
			s.Action, s.RecoveryReason = ruled.Action, cua.Reason(ruled.Reason)
		default:
			s.Action = &s.Proposed
		}
		if s.Action != nil {
			s.Effect = &cua.Effect{}
		}
		h.Steps = append(h.Steps, s)
		if over {
			h.Resumed = append(h.Resumed, cua.Resumption{At: i + 1, Page: h.Now(), Fresh: true,
				End: ruled.End})
		}
	}
	return h
}

func benchTask() cua.Task {
	return cua.Task{Goal: "Order a lamp", URL: "https://shop.test/list",
		Fields: []cua.PlanValue{{Label: "Field 3", Value: "x"}}}
}

// uncapped is the default config without caps.
func uncapped() runner.Config {
	c := runner.DefaultConfig()
	l := &c.Recovery.Limits
	l.MaxSteps, l.MaxWallMS, l.MaxTokens, l.MaxCostUSD = 0, 0, 0, 0
	return c
}

// reviewed are the runs whose turns and reviews are measured, each of n steps.
func reviewed(tb testing.TB, n int) []reviewedRun {
	goesOn, alone := uncapped(), uncapped()
	goesOn.Recovery.OnSpiral = "continue"
	alone, err := alone.Ablate("breaker", "loop_recovery", "recovery_ladder", "mistake_tracker")
	if err != nil {
		tb.Fatal(err)
	}
	return []reviewedRun{{"travelled", uncapped(), travelled(n)}, {"stuck", goesOn, stuck(goesOn, n)},
		{"unbroken", alone, stuck(alone, n)}}
}

type reviewedRun struct {
	name   string
	config runner.Config
	h      cua.History
}

// at is the history as it was after n steps. It shares its memory with those after it, as a run's does.
func (r reviewedRun) at(n int) cua.History {
	k := 0
	for k < len(r.h.Resumed) && r.h.Resumed[k].At <= n {
		k++
	}
	return cua.History{Start: r.h.Start, Steps: r.h.Steps[:n:n], Resumed: r.h.Resumed[:k:k]}
}

// BenchmarkReview is what making the turn and reviewing costs at a step of a run that continues: best-us/turn
// is the mean of the best ten steps in a row around it.
func BenchmarkReview(b *testing.B) {
	const window = 10
	for _, run := range reviewed(b, 1500) {
		for _, n := range []int{15, 200, 500, 1500} {
			b.Run(fmt.Sprintf("%s/step=%d", run.name, n), func(b *testing.B) {
				best := time.Duration(1 << 62)
				for b.Loop() {
					a := runner.Assemble(run.config)
					a.Turn(benchTask(), run.at(n-window-1), nil)
					a.Turn(benchTask(), run.at(n-window), nil)
					var took time.Duration
					for i := n - window; i < n; i++ {
						h, s := run.at(i), &run.h.Steps[i]
						p := cua.Proposal{Action: s.Proposed, Target: s.Target, By: s.By, Thought: s.Thought}
						began := time.Now()
						a.Review(a.Turn(benchTask(), h, nil), p)
						took += time.Since(began)
					}
					best = min(best, took)
				}
				b.ReportMetric(float64(best.Nanoseconds())/1000/window, "best-us/turn")
			})
		}
	}
}
