package studytest

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
	"time"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Pressing is an environment without a browser: each click presses the instance's button.
type Pressing struct {
	t    *testing.T
	task cua.Task
	n    int
	// broken makes Reset fail.
	broken bool
}

func (e *Pressing) page() cua.Observation {
	return cua.Observation{URL: e.task.URL, Title: `<script>alert("title")</script>`, DOMDigest: fmt.Sprint(e.n), Viewport: cua.Size{W: 1280, H: 800}}
}

func (e *Pressing) Reset(_ context.Context, task cua.Task) (cua.Observation, error) {
	e.task = task
	if e.broken {
		return cua.Observation{}, errors.New("the browser is gone")
	}
	return e.page(), nil
}

func (e *Pressing) Locate(context.Context, cua.Action) (cua.Target, error) {
	return cua.Target{ID: "button", Role: "button"}, nil
}

func (e *Pressing) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
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

func (e *Pressing) Restore(context.Context, cua.Checkpoint, []string) (cua.Outcome, error) {
	return cua.Outcome{After: e.page()}, nil
}

func (e *Pressing) Denials() []cua.Denial { return nil }

func (e *Pressing) Close() error { return nil }

// Pressings makes them; the named tasks' first sessions are broken.
type Pressings struct {
	T      *testing.T
	Broken map[string]int
	// before is called with the number of sessions opened so far.
	Before func(n int)
	NoEnv  bool

	Mu     sync.Mutex
	Opened []string
}

func (p *Pressings) NewEnv(_ context.Context, s benchmarks.Setting) (runner.Env, error) {
	task := s.Task
	p.Mu.Lock()
	defer p.Mu.Unlock()
	if p.NoEnv {
		return nil, errors.New("no browser anywhere")
	}
	p.Opened = append(p.Opened, task.ID)
	if p.Before != nil {
		p.Before(len(p.Opened))
	}
	p.Broken[task.ID]--
	return &Pressing{t: p.T, broken: p.Broken[task.ID] >= 0}, nil
}

// ByOracle plays the oracle's clicks at any point and its done.
type ByOracle []cua.Scripted

func (b ByOracle) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	a := b[min(t.Decision, len(b))-1].Action
	if a.Kind == cua.Click {
		a.Point = &cua.Point{X: 10, Y: 10}
	}
	usd := 0.0625
	return cua.Decision{Action: a, By: "oracle", Usage: cua.Usage{InputTokens: 9, OutputTokens: 1,
		USD: &usd}}, ctx.Err()
}

func (p *Pressings) NewBrain(in benchmarks.Scripts, c benchmarks.Cell) (runner.Brain, trajectories.BrainInfo,
	error) {
	return p.Asking(Pressed(in)), trajectories.BrainInfo{Name: "oracle " + c.Fault}, nil
}

// Asking is b with its requests read.
func (p *Pressings) Asking(b runner.Brain) runner.Brain {
	return &envtest.Overseen{Brain: b, Fault: func(what string) { p.T.Error(what) }}
}

// Pressed is the oracle of a task without its waits.
func Pressed(in benchmarks.Scripts) ByOracle {
	return ByOracle(slices.DeleteFunc(slices.Clone(in.Oracle),
		func(s cua.Scripted) bool { return s.Kind == cua.Wait }))
}

// Plan is of three tasks in two arms, both without any mechanism.
func Plan(seeds int) benchmarks.Plan {
	bare := runner.DefaultConfig()
	bare.Toggles = cua.Toggles{}
	return benchmarks.Plan{Version: benchmarks.PlanVersion, Suites: []string{"controls", "traps"},
		Tasks: []string{"stepper", "slow-save", "t6-dead-button"},
		Arms:  []benchmarks.Arm{{Name: "default", Config: bare}, {Name: "off", Config: bare}}, Base: "off",
		Seeds: benchmarks.SeedsUpTo(seeds)}
}

// Near reports what, where got is not want within tol.
func Near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.Abs(got-want) > tol {
		t.Errorf("%s = %.6f, want %.6f", what, got, want)
	}
}

// Patience is for how long what an action sets off is waited for: only a failure uses it up, however
// busy the machine is.
const Patience = time.Minute

// Overseen is b with its requests read: one that holds a sentinel, or a frame in the history, fails the test.
func Overseen(t testing.TB, b runner.Brain) runner.Brain {
	t.Helper()
	return &envtest.Overseen{Brain: b, Fault: func(what string) { t.Error(what) }}
}
