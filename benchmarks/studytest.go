package benchmarks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// pressing is an environment without a browser: each click presses the instance's button.
type pressing struct {
	t    *testing.T
	task cua.Task
	n    int
	// broken makes Reset fail.
	broken bool
}

func (e *pressing) page() cua.Observation {
	return cua.Observation{URL: e.task.URL, Title: `<script>alert("title")</script>`, DOMDigest: fmt.Sprint(e.n), Viewport: cua.Size{W: 1280, H: 800}}
}

func (e *pressing) Reset(_ context.Context, task cua.Task) (cua.Observation, error) {
	e.task = task
	if e.broken {
		return cua.Observation{}, errors.New("the browser is gone")
	}
	return e.page(), nil
}

func (e *pressing) Locate(context.Context, cua.Action) (cua.Target, error) {
	return cua.Target{ID: "button", Role: "button"}, nil
}

func (e *pressing) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	if a.Kind == cua.Click {
		res, err := http.PostForm(e.task.URL+"press", url.Values{"delta": {"1"}})
		if err != nil {
			return cua.Outcome{}, err
		}
		res.Body.Close()
		e.n++
	}
	return cua.Outcome{After: e.page()}, ctx.Err()
}

func (e *pressing) Restore(context.Context, cua.Checkpoint, []string) (cua.Outcome, error) {
	return cua.Outcome{After: e.page()}, nil
}

func (e *pressing) Denials() []cua.Denial { return nil }

func (e *pressing) Close() error { return nil }

// pressings makes them; the named tasks' first sessions are broken.
type pressings struct {
	t      *testing.T
	broken map[string]int
	// before is called with the number of sessions opened so far.
	before func(n int)
	noEnv  bool

	mu     sync.Mutex
	opened []string
}

func (p *pressings) NewEnv(_ context.Context, s Setting) (runner.Env, error) {
	task := s.Task
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.noEnv {
		return nil, errors.New("no browser anywhere")
	}
	p.opened = append(p.opened, task.ID)
	if p.before != nil {
		p.before(len(p.opened))
	}
	p.broken[task.ID]--
	return &pressing{t: p.t, broken: p.broken[task.ID] >= 0}, nil
}

// byOracle plays the oracle's clicks at any point and its done.
type byOracle []cua.Scripted

func (b byOracle) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	a := b[min(t.Decision, len(b))-1].Action
	if a.Kind == cua.Click {
		a.Point = &cua.Point{X: 10, Y: 10}
	}
	usd := 0.0625
	return cua.Decision{Action: a, By: "oracle", Usage: cua.Usage{InputTokens: 9, OutputTokens: 1,
		USD: &usd}}, ctx.Err()
}

func (p *pressings) NewBrain(in Scripts, c Cell) (runner.Brain, trajectories.BrainInfo, error) {
	return p.asking(pressed(in)), trajectories.BrainInfo{Name: "oracle " + c.Fault}, nil
}

// asking is b with its requests read.
func (p *pressings) asking(b runner.Brain) runner.Brain {
	return &envtest.Overseen{Brain: b, Fault: func(what string) { p.t.Error(what) }}
}

func pressed(in Scripts) byOracle {
	return byOracle(slices.DeleteFunc(slices.Clone(in.Oracle),
		func(s cua.Scripted) bool { return s.Kind == cua.Wait }))
}

func testPlan(seeds int) Plan {
	bare := runner.DefaultConfig()
	bare.Toggles = cua.Toggles{}
	return Plan{Version: planVersion, Suites: []string{"controls", "traps"},
		Tasks: []string{"stepper", "slow-save", "t6-dead-button"},
		Arms:  []Arm{{"default", bare}, {"off", bare}}, Base: "off", Seeds: SeedsUpTo(seeds)}
}

// near reports what, where got is not want within tol.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.Abs(got-want) > tol {
		t.Errorf("%s = %.6f, want %.6f", what, got, want)
	}
}
