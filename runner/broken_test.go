package runner_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// cut is the scripted environment with a fault in one of its calls.
type cut struct {
	*envtest.Env
	reset, locate, act func() error
	// never says that the start page never comes.
	never bool
}

func (c cut) Reset(ctx context.Context, t cua.Task) (cua.Observation, error) {
	if c.never {
		<-ctx.Done()
		return cua.Observation{}, ctx.Err()
	}
	if c.reset != nil {
		return cua.Observation{}, c.reset()
	}
	return c.Env.Reset(ctx, t)
}

func (c cut) Locate(ctx context.Context, a cua.Action) (cua.Target, error) {
	if c.locate != nil {
		return cua.Target{}, c.locate()
	}
	return c.Env.Locate(ctx, a)
}

func (c cut) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	if c.act != nil {
		return cua.Outcome{}, c.act()
	}
	return c.Env.Act(ctx, a)
}

// decide is a brain of one function.
type decide func(context.Context) (cua.Decision, error)

func (d decide) Decide(ctx context.Context, _ *cua.Turn) (cua.Decision, error) { return d(ctx) }

func press(context.Context) (cua.Decision, error) {
	return cua.Decision{Action: cua.Action{Kind: cua.Click, Mark: 1}}, nil
}

// After any fault the journal is sealed and says whose fault it was; an action whose outcome nobody
// saw is on record as such, and the next process tells the brain.
func TestWhateverBreaksTheJournalIsSealed(t *testing.T) {
	gone := func() error { return errors.New("the browser has gone") }
	failed := func(k cua.FailureKind) func() error {
		return func() error { return fmt.Errorf("browser: %w", &cua.Failure{Kind: k, Detail: "why"}) }
	}
	blamed, refused := failed(cua.FailSite), failed(cua.FailNav)
	interrupt := func(cancel context.CancelFunc) func() error {
		return func() error { cancel(); return context.Canceled }
	}
	for _, row := range []struct {
		name        string
		brain       decide
		env         func(cancel context.CancelFunc) cut
		wallMS      float64
		want        cua.EndReason
		interrupted bool
	}{
		{name: "the start page cannot be opened", brain: press, env: func(context.CancelFunc) cut { return cut{reset: gone} }, want: cua.EndEnvError},
		{name: "the start page never comes", brain: press, env: func(context.CancelFunc) cut { return cut{never: true} }, wallMS: 50, want: cua.EndMaxWall},
		{name: "locating fails", brain: press, env: func(context.CancelFunc) cut { return cut{locate: gone} }, want: cua.EndEnvError},
		{name: "acting fails", brain: press, env: func(context.CancelFunc) cut { return cut{act: gone} }, want: cua.EndEnvError, interrupted: true},
		{name: "the start page is to blame", brain: press, env: func(context.CancelFunc) cut { return cut{reset: blamed} }, want: cua.EndSiteFault},
		{name: "the page is to blame while locating", brain: press, env: func(context.CancelFunc) cut { return cut{locate: blamed} }, want: cua.EndSiteFault},
		{name: "the page is to blame while acting", brain: press, env: func(context.CancelFunc) cut { return cut{act: blamed} }, want: cua.EndSiteFault},
		{name: "the start page shows an error", brain: press, env: func(context.CancelFunc) cut { return cut{reset: refused} }, want: cua.EndEnvError},
		{name: "interrupted while acting", brain: press, env: func(c context.CancelFunc) cut { return cut{act: interrupt(c)} }, want: cua.EndCancelled, interrupted: true},
		{name: "interrupted while locating", brain: press, env: func(c context.CancelFunc) cut { return cut{locate: interrupt(c)} }, want: cua.EndCancelled},
		{name: "the brain fails", brain: func(context.Context) (cua.Decision, error) { return cua.Decision{}, errors.New("no answer") }, want: cua.EndBrainError},
		{name: "the brain panics", brain: func(context.Context) (cua.Decision, error) { panic("out of my mind") }, want: cua.EndBrainError},
		{name: "the brain never comes back", brain: func(context.Context) (cua.Decision, error) { select {} }, wallMS: 50, want: cua.EndMaxWall},
		{name: "the brain comes back late", brain: func(ctx context.Context) (cua.Decision, error) { <-ctx.Done(); return press(ctx) }, wallMS: 50, want: cua.EndMaxWall},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			env := cut{}
			if row.env != nil {
				env = row.env(cancel)
			}
			e := readEpisode(t, "testdata/pager_is_left_alone.txtar")
			env.Env = &envtest.Env{Site: e.site}
			e.config.Recovery.Limits.MaxWallMS = row.wallMS
			dir := filepath.Join(t.TempDir(), "run")
			r := &runner.Runner{Brain: overseen(t, row.brain), Env: env, Config: e.config, Dir: dir}
			result, err := r.Run(ctx, e.task)
			if err != nil || result.TerminationReason != row.want {
				t.Fatalf("%s, %v; want %s", result.TerminationReason, err, row.want)
			}
			tr, err := trajectories.Read(dir)
			if err != nil || tr.End == nil || tr.End.Reason != row.want {
				t.Fatalf("the journal ends with %+v (%v)", tr.End, err)
			}
			told := resumeOnce(t, e, dir)
			if told != row.interrupted {
				t.Errorf("the next process told the brain of an interrupted action: %v, want %v", told,
					row.interrupted)
			}
		})
	}
}

// resumeOnce continues with the run in dir and reports whether its first turn warned of an interrupted
// action.
func resumeOnce(t *testing.T, e episode, dir string) bool {
	t.Helper()
	before, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !before.End.Reason.CanContinue() {
		return false
	}
	r, _ := e.runner(t, dir)
	if _, err := r.Resume(context.Background()); err != nil {
		t.Fatalf("resuming: %v", err)
	}
	after, err := trajectories.Read(dir)
	if err != nil || len(after.Steps) == len(before.Steps) {
		t.Fatalf("resuming added no step (%v)", err)
	}
	for _, n := range after.Steps[len(before.Steps)].Notes {
		if strings.Contains(n.Text, "interrupted") {
			return true
		}
	}
	return false
}

// An episode that never saw its page ends as the infrastructure's fault each time it is tried.
func TestResumeWithTheServerStillDown(t *testing.T) {
	e := readEpisode(t, "testdata/pager_is_left_alone.txtar")
	dir := filepath.Join(t.TempDir(), "run")
	for try := range 3 {
		r, env := e.runner(t, dir)
		env.Down = true
		var err error
		var res trajectories.RunResult
		if try == 0 {
			res, err = r.Run(context.Background(), e.task)
		} else {
			res, err = r.Resume(context.Background())
		}
		if err != nil || res.TerminationReason != cua.EndEnvError || res.Steps != 0 {
			t.Fatalf("try %d: %s after %d steps, %v", try+1, res.TerminationReason, res.Steps, err)
		}
	}
	r, _ := e.runner(t, dir)
	if res, err := r.Resume(context.Background()); err != nil || res.TerminationReason != cua.EndDone {
		t.Errorf("with the server up again: %s, %v", res.TerminationReason, err)
	}
}

// A cap that is reached costs no further decision.
func TestACapAsksNoBrain(t *testing.T) {
	e := readEpisode(t, "testdata/pager_is_left_alone.txtar")
	e.task.MaxSteps = 3
	asked := 0
	r := &runner.Runner{Brain: overseen(t,
		decide(func(ctx context.Context) (cua.Decision, error) { asked++; return press(ctx) })),
		Env: &envtest.Env{Site: e.site}, Config: e.config, Dir: filepath.Join(t.TempDir(), "run")}
	res, err := r.Run(context.Background(), e.task)
	if err != nil || res.TerminationReason != cua.EndMaxSteps || res.Steps != 3 || asked != 3 {
		t.Errorf("%s after %d steps, the brain was asked %d times (%v)", res.TerminationReason, res.Steps,
			asked, err)
	}
}

// A journal from before a mechanism existed is resumed without it, and one with a field of a
// newer program not at all.
func TestConfigOfAnotherVersion(t *testing.T) {
	c, err := runner.Recorded(trajectories.Header{Config: []byte(`{"toggles":{"nudge":true},"detector":{"soft":5}}`)})
	if err != nil || !c.Toggles.Nudge || c.Toggles.Breaker || c.Detector.Soft != 5 ||
		c.Detector.Hard != runner.DefaultConfig().Detector.Hard {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := runner.Recorded(trajectories.Header{Config: []byte(`{"toggles":{"telepathy":true}}`)}); err == nil {
		t.Error("a mechanism that this program does not have was dropped")
	}
}
