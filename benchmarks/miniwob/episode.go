package miniwob

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

//go:embed start.js
var startScript string

//go:embed verdict.js
var verdictScript string

const (
	// readyWithin is how long a task may take to be ready.
	readyWithin = 2500 * time.Millisecond
	// latePatience is how long a task that is known to answer late is asked after each action, askEvery how
	// often.
	latePatience = 500 * time.Millisecond
	askEvery     = 20 * time.Millisecond
)

// Page is a browser session whose page can be told to start and asked how it stands.
type Page interface {
	runner.Env
	// Begin is Reset with script run in the page's own world between its load and the first look at it. The
	// value is what the script returned.
	Begin(ctx context.Context, task cua.Task, script string) (cua.Observation, json.RawMessage, error)
	// Ask evaluates script in the page's own world; nil while a dialog is open.
	Ask(ctx context.Context, script string) (json.RawMessage, error)
}

// Verdict is what a page said of one episode.
type Verdict struct {
	// PageSeed is what the page was seeded with; it follows from the task's seed.
	PageSeed int64 `json:"page_seed"`
	// Ended says that the page ended the episode. Where it did not the rewards are 0.
	Ended bool `json:"ended"`
	// Raw is the reward as the task gave it, -1 to 1, Timed what is left of it after the time that was taken.
	Raw   float64 `json:"raw_reward"`
	Timed float64 `json:"timed_reward"`
	// Reason is the task's own; "" is none.
	Reason string `json:"reason,omitzero"`
	// Any is the success of BrowserGym: a raw reward above 0. Full is that of the Farama Foundation: 1.
	Any  bool `json:"success_any"`
	Full bool `json:"success_full"`
	// LateMS is how long answers were waited for that come late.
	LateMS float64 `json:"late_ms,omitzero"`
}

// Episode is one task under one seed on a page of its own. It satisfies runner.Env: the task's own end ends
// it, with the reward of its profile. It is used by one goroutine.
type Episode struct {
	Page
	// Task is what the agent is given. Its goal is the page's; where the page did not start it says so.
	Task cua.Task

	name    string
	profile Profile
	fault   error // why it did not start
	begun   bool  // Reset was called
	now     cua.Observation
	verdict Verdict
}

// Start opens the page of task under seed and begins the episode. A page that does not start is an episode
// whose Reset fails and says why. Subset is for the task's tags, limit its cap of steps.
func Start(ctx context.Context, page Page, s *Server, task, subset string, seed int64, p Profile,
	limit int) *Episode {
	e := &Episode{Page: page, name: task, profile: p, verdict: Verdict{PageSeed: PageSeed(seed)}}
	e.Task = cua.Task{ID: ID(task), URL: s.URL(task), Allow: []string{s.Host},
		Tags: []string{"miniwob", subset}, Seed: seed, MaxSteps: limit}
	e.begin(ctx)
	return e
}

// ID is the name of a task among those of other suites: BrowserGym's.
func ID(task string) string { return "miniwob." + task }

func (e *Episode) begin(ctx context.Context) {
	options, err := json.Marshal(map[string]any{"seed": e.verdict.PageSeed, "limitMS": e.profile.LimitMS,
		"bare":    e.profile.Bare,
		"readyMS": readyWithin.Milliseconds()})
	if err != nil {
		e.fault = err
		return
	}
	var value json.RawMessage
	e.now, value, e.fault = e.Page.Begin(ctx, e.Task, strings.Replace(startScript, "(OPTIONS)",
		"("+string(options)+")", 1))
	var began struct{ Goal string }
	if e.fault == nil {
		e.fault = json.Unmarshal(value, &began)
	}
	e.Task.Goal = began.Goal
	if e.fault != nil {
		e.Task.Goal = "(the page did not start)"
		e.fault = fmt.Errorf("miniwob: starting %s: %w", e.name, e.fault)
	}
}

// Reset is the page as it was when the episode began.
func (e *Episode) Reset(ctx context.Context, _ cua.Task) (cua.Observation, error) {
	if e.begun {
		e.begin(ctx)
	}
	e.begun = true
	return e.now, e.fault
}

// offered reports whether the benchmark has such actions: an episode is one page, without an address or tabs.
func offered(k cua.Kind) bool {
	switch k {
	case cua.Navigate, cua.Back, cua.Forward, cua.Reload, cua.NewTab, cua.SwitchTab, cua.CloseTab:
		return false
	}
	return true
}

// Act does a and asks whether the episode has ended.
func (e *Episode) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	if !offered(a.Kind) {
		return e.refused(a.Kind), nil
	}
	out, err := e.Page.Act(ctx, a)
	if err != nil {
		return out, err
	}
	e.now = out.After
	if out.Failure != nil && out.Failure.Kind.End() != "" || a.Kind.ReadOnly() {
		return out, nil
	}
	if err := e.ask(ctx); err != nil {
		out.Failure = cua.EndingFailure(err)
		return out, nil
	}
	if e.verdict.Ended {
		reward := e.reward()
		out.Terminated, out.Reward = true, &reward
	}
	return out, nil
}

// Restore is refused: a page that is loaded again is another episode.
func (e *Episode) Restore(context.Context, cua.Checkpoint, []string) (cua.Outcome, error) {
	return e.refused(cua.Rewind), nil
}

func (e *Episode) refused(k cua.Kind) cua.Outcome {
	return cua.Outcome{After: e.now, Failure: &cua.Failure{Kind: cua.FailExec,
		Detail: fmt.Sprintf("MiniWoB++ has no %s: an episode is one page", k)}}
}

// Reward is what the episode has earned by its profile, 0 or 1, as the page says now.
func (e *Episode) Reward(ctx context.Context) (float64, error) {
	if e.fault != nil {
		return 0, nil
	}
	if !e.verdict.Ended {
		if err := e.look(ctx); err != nil {
			return 0, err
		}
	}
	return e.reward(), nil
}

func (e *Episode) reward() float64 { return e.profile.Reward(e.verdict) }

// Verdict is what the page has said so far.
func (e *Episode) Verdict() Verdict { return e.verdict }

// ask looks whether the episode has ended, for a while where the task is known to answer late.
func (e *Episode) ask(ctx context.Context) error {
	if err := e.look(ctx); err != nil || e.verdict.Ended || !late[e.name] {
		return err
	}
	began := time.Now()
	defer func() { e.verdict.LateMS += float64(time.Since(began).Microseconds()) / 1000 }()
	for time.Since(began) < latePatience {
		select {
		case <-time.After(askEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := e.look(ctx); err != nil || e.verdict.Ended {
			return err
		}
	}
	return nil
}

// late are the tasks that answer after the action that ends them, when an animation is over.
var late = map[string]bool{"click-pie": true, "click-pie-nodelay": true}

// errNoVerdict is the fault of a task that ended and gave no reward.
var errNoVerdict = errors.New("the task ended without a reward")

// look asks the page once.
func (e *Episode) look(ctx context.Context) error {
	text, err := e.Page.Ask(ctx, verdictScript)
	if err != nil || text == nil { // a dialog is open: it has not ended
		return err
	}
	var said struct {
		Left, Done bool
		Raw, Timed *float64
		Reason     string
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return fmt.Errorf("miniwob: reading the verdict of %s: %w", e.name, err)
	}
	switch {
	case said.Left:
		e.verdict.Ended, e.verdict.Reason = true, "the page was left"
	case said.Done && (said.Raw == nil || said.Timed == nil):
		return fmt.Errorf("miniwob: %s: %w", e.name, errNoVerdict)
	case said.Done:
		v := &e.verdict
		v.Ended, v.Raw, v.Timed, v.Reason = true, *said.Raw, *said.Timed, said.Reason
		v.Any, v.Full = v.Raw > 0, v.Raw == 1
	}
	return nil
}
