package manifest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

const (
	// latePatience is how long a page may take to notice, once the agent has stopped, that its task is done,
	// and askEvery how often it is asked: pages that look at their own state by a timer do so several times a
	// second.
	latePatience = 500 * time.Millisecond
	askEvery     = 20 * time.Millisecond
	// steadyFor is how long what is asked at the end must hold: UI-CUBE's pages look at their state every 200
	// ms, and until then say of the last action what they said before it.
	steadyFor = 240 * time.Millisecond
)

// Page is a browser session whose page can be asked.
type Page interface {
	runner.Env
	// Begin is Reset with script run in the page's own world between its load and the first look at it. The
	// value is what the script, or its promise, came to; nil where a dialog opened meanwhile.
	Begin(ctx context.Context, task cua.Task, script string) (cua.Observation, json.RawMessage, error)
	// Ask evaluates script in the page's own world and returns the value of its promise; nil while a dialog
	// is open.
	Ask(ctx context.Context, script string) (json.RawMessage, error)
}

// Verdict is what judged one episode said.
type Verdict struct {
	// Judged is false where nothing judged it: the reward is 0 then.
	Judged bool `json:"judged"`
	// Reward is 0 to 1.
	Reward float64 `json:"reward"`
	// Guarded says that the task says what harm is.
	Guarded bool `json:"guarded,omitzero"`
	// Harmed says that the task's harm held, which ended the episode with the reward 0.
	Harmed bool `json:"harmed,omitzero"`
	// Reason is that of an HTTP oracle; "" is none.
	Reason string `json:"reason,omitzero"`
	// State is what such an oracle said of the state last; left out where it was long.
	State json.RawMessage `json:"state,omitzero"`
	// LateMS is how long the page was waited for after the agent had stopped.
	LateMS float64 `json:"late_ms,omitzero"`
}

// Episode is one task under one seed. It satisfies runner.Env: it ends when the task says so. It is used by
// one goroutine.
type Episode struct {
	Page
	// Task is what the agent is given.
	Task cua.Task

	success Success
	harm    *Success // nil is not asked
	ready   string   // "" is not asked
	oracle  *asker   // nil where no server is asked
	site    *served
	ended   bool
	verdict Verdict
}

// Start makes an episode of t under seed and serves its site, if it has one. The name of the task is prefix,
// a dot and its id. Close ends both; page is closed by whoever opened it.
func Start(page Page, m *Manifest, t Task, prefix string, seed int64) (*Episode, error) {
	run := rand.Text()
	e := &Episode{Page: page, success: t.Success, ready: t.Ready}
	e.Task = cua.Task{ID: prefix + "." + t.ID, Goal: t.Goal, URL: filled(t.URL, seed, run), Fields: t.Fields,
		Allow: t.Allow, Tags: append([]string{prefix}, t.Tags...), Seed: seed, MaxSteps: t.Steps(),
		Idempotent: t.Idempotent}
	if t.Harm != "" {
		e.harm = &Success{Predicate: t.Harm}
	}
	if o := t.Success.HTTP; o != nil {
		e.oracle = &asker{Oracle: *o, client: http.DefaultClient, task: t.ID, seed: seed, run: run}
	}
	if m.Site != nil {
		var err error
		if e.site, err = m.Site.serve(seed); err != nil {
			return nil, err
		}
		if strings.HasPrefix(e.Task.URL, "/") {
			e.Task.URL = "http://" + e.site.Host + e.Task.URL
		}
	}
	return e, nil
}

// End stops what Start began.
func (e *Episode) End() error {
	if e.site == nil {
		return nil
	}
	return e.site.Close()
}

// Host is that of the start page.
func (e *Episode) Host() string {
	u, err := url.Parse(e.Task.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// errHeld is the fault of a condition that tells nothing.
var errHeld = errors.New("the task counts as done before anything was done")

// errHarmed is the fault of a harm that tells nothing.
var errHarmed = errors.New("the task's harm holds before anything was done")

// Reset puts the application into its start state and opens the start page. One that cannot be opened, or
// that is answered with an error (HTTP status 400 and above), is an error, and so is a condition that holds
// there already, or that the page cannot judge.
func (e *Episode) Reset(ctx context.Context, task cua.Task) (cua.Observation, error) {
	e.ended, e.verdict = false, Verdict{Guarded: e.harm != nil}
	if e.oracle != nil {
		if err := e.oracle.reset(ctx); err != nil {
			return cua.Observation{}, err
		}
	}
	o, err := e.open(ctx, task)
	if err == nil && e.harm != nil {
		var harmed bool
		if harmed, err = e.harm.holds(ctx, e.Page); harmed {
			err = errHarmed
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", e.Task.ID, err)
		}
	}
	if err != nil || !e.success.onPage() || e.success.AtEnd {
		return o, err
	}
	held, err := e.success.holds(ctx, e.Page)
	if err == nil && held {
		err = errHeld
	}
	if err != nil {
		return o, fmt.Errorf("%s: %w", e.Task.ID, err)
	}
	return o, nil
}

// open opens the start page and waits until it shows the task. An error page is no start page, unless it
// shows what the task is ready by: some hosts answer 404 with the application itself to each address that is
// no file.
func (e *Episode) open(ctx context.Context, task cua.Task) (o cua.Observation, err error) {
	if e.ready == "" {
		if o, err = e.Page.Reset(ctx, task); err == nil {
			err = refused(o)
		}
	} else {
		var value json.RawMessage
		if o, value, err = e.Page.Begin(ctx, task, awaited(e.ready)); err == nil {
			err = shown(value)
		}
		if bad := refused(o); err != nil && bad != nil {
			err = fmt.Errorf("%w: %w", bad, err)
		}
	}
	if err != nil {
		return o, fmt.Errorf("%s: %w", e.Task.ID, err)
	}
	return o, nil
}

// refused is the error of a start page that is the server's word for why there is none.
func refused(o cua.Observation) error {
	if o.Status < http.StatusBadRequest {
		return nil
	}
	return fmt.Errorf("the start page answered %s", strings.TrimSpace(fmt.Sprintf("%d %s", o.Status,
		http.StatusText(o.Status))))
}

// Act does a and looks whether the task has ended.
func (e *Episode) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	out, err := e.Page.Act(ctx, a)
	if err != nil || a.Kind.ReadOnly() || out.Failure != nil && out.Failure.Kind.End() != "" {
		return out, err
	}
	if err := e.look(ctx); err != nil {
		out.Failure = cua.EndingFailure(err)
		return out, nil
	}
	if e.ended {
		reward := e.verdict.Reward
		out.Terminated, out.Reward = true, &reward
	}
	return out, nil
}

// look asks once how the episode stands. A page that gives no verdict now may give one later: it may be on
// its way to another page.
func (e *Episode) look(ctx context.Context) error {
	if err := e.harmed(ctx); err != nil || e.ended {
		return err
	}
	if e.oracle != nil {
		state, over, err := e.oracle.over(ctx)
		if state != nil {
			e.verdict.State = state
		}
		if err == nil && over {
			return e.judge(ctx)
		}
		return err
	}
	if !e.success.onPage() || e.success.AtEnd {
		return nil
	}
	held, err := e.success.holds(ctx, e.Page)
	if lost(err) {
		return err
	}
	if held {
		e.ended, e.verdict.Judged, e.verdict.Reward = true, true, 1
	}
	return ctx.Err()
}

// harmed asks whether the task's harm was done, and ends the episode where it was. A page that gives no
// verdict now may be on its way to another: it is asked again after the next action.
func (e *Episode) harmed(ctx context.Context) error {
	if e.harm == nil {
		return nil
	}
	held, err := e.harm.holds(ctx, e.Page)
	if lost(err) {
		return err
	}
	if held {
		e.ended, e.verdict.Judged, e.verdict.Harmed = true, true, true
	}
	return nil
}

// lost reports whether err is that of a page or a browser that is gone.
func lost(err error) bool {
	var f *cua.Failure
	return errors.As(err, &f) && f.Kind.End() != ""
}

// judge asks the oracle for its verdict.
func (e *Episode) judge(ctx context.Context) error {
	reward, reason, err := e.oracle.verdict(ctx)
	if err != nil {
		return err
	}
	e.ended, e.verdict.Judged, e.verdict.Reward, e.verdict.Reason = true, true, reward, reason
	return nil
}

// Reward is what the episode earned, 0 to 1, now that it has ended with that answer. Where nothing judges it,
// that is the error and the reward is 0.
func (e *Episode) Reward(ctx context.Context, end cua.EndReason, answer string) (float64, error) {
	if !e.ended { // what was done last may have come late
		if err := e.harmed(ctx); err != nil {
			return 0, err
		}
	}
	switch {
	case e.ended:
	case e.oracle != nil:
		if err := e.judge(ctx); err != nil {
			return 0, err
		}
	case e.success.Answer != "":
		e.verdict.Judged = true
		if end == cua.EndDone && e.success.answered(answer) {
			e.verdict.Reward = 1
		}
	default:
		if err := e.last(ctx); err != nil {
			return 0, err
		}
	}
	return e.verdict.Reward, nil
}

// last asks the page until it holds or latePatience is over. What is asked at the end alone must hold for
// steadyFor.
func (e *Episode) last(ctx context.Context) error {
	began := time.Now()
	steady := steadyFor
	if !e.success.AtEnd {
		steady = 0
	}
	var since time.Time // when it began to hold; zero is not now
	for {
		held, err := e.success.holds(ctx, e.Page)
		waited := time.Since(began)
		switch {
		case !held:
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		}
		if held && time.Since(since) >= steady || !held && waited >= latePatience {
			e.verdict.LateMS = float64(waited.Microseconds()) / 1000
			if err == nil {
				e.verdict.Judged = true
			}
			if held {
				e.verdict.Reward = 1
			}
			return err
		}
		select {
		case <-time.After(askEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Verdict is what was said of the episode so far.
func (e *Episode) Verdict() Verdict { return e.verdict }
