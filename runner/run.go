package runner

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/perceptual"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Runner runs one episode of one task. Brain, Env, Config and Dir must be set. A Runner is used for one Run
// or Resume. Any number of them can run concurrently.
type Runner struct {
	Brain  Brain
	Env    Env // the runner does not close it
	Config Config
	// Dir is the episode's folder. Run creates it, and fails if it has a journal already.
	Dir string
	// Secrets are the values of secrets by name. Env must use the same map. Run adds the passwords that it
	// redacts: those in the text of the task, and those that the brain types into a password field. They are
	// stored nowhere else. If it is nil, nothing is redacted and the text of the task is not read.
	Secrets map[string]string
	// Plain reads plan values out of the text of the task without redacting any, if Secrets is nil. It is for
	// benchmarks with made-up passwords.
	Plain bool
	// Header has what only the caller knows: episode name, arm, brain, browser, build, host and lessons. The
	// runner sets the rest, and the ID if the caller has set none.
	Header trajectories.Header
	// Reward computes the reward from the task's own state. It is called once, before the end is recorded. If
	// it is nil, the task has no reward.
	Reward func(ctx context.Context, end cua.EndReason, answer string) (*float64, error)
	// Now is the clock for records; nil is time.Now.
	Now func() time.Time
	// Random is the source of the episode's ID; nil is crypto/rand.
	Random io.Reader
	// Watch is called with each step after it was recorded. It must not keep or change the step. Nil is none.
	Watch func(*cua.Step)
	// Stage is called when a stage of a step begins (Stages), for status only. It must return at once. Nil is
	// none.
	Stage func(step int, stage string)
	// Attend is called when the episode pauses for a person (recovery.attended), when a person asked for a
	// pause (Pause), and when the brain asks a question. The card says what was tried and what can be done.
	// Attend returns the person's choice; for a takeover it returns once the person has given the browser
	// back. If it is nil or returns an error, the episode ends as paused and can be resumed. The time that it
	// takes does not count as time of the episode.
	Attend func(ctx context.Context, c trajectories.PauseCard) (trajectories.PauseChoice, error)
	// NoState stores no more checkpoints, whatever the config says. Stored ones stay.
	NoState bool
	// MaxSteps is the new cap on all steps of the episode for Resume; 0 leaves the cap unchanged. It
	// continues an episode that has used up its steps.
	MaxSteps int

	inbox inbox // requests of a person: Rewind, Tell
}

// episode is the state of a running Runner.
type episode struct {
	brain   Brain
	env     Env
	cfg     Config
	asm     Assembly
	task    cua.Task
	header  trajectories.Header
	browser *trajectories.BrowserInfo // of a resumed episode, if it is another one than before
	dir     string
	journal *trajectories.Writer
	before  *trajectories.Trajectory // what was recorded by earlier processes; nil for a new episode
	events  []trajectories.Event
	started time.Time
	reward  func(context.Context, cua.EndReason, string) (*float64, error)
	now     func() time.Time
	watch   func(*cua.Step)
	attend  func(context.Context, trajectories.PauseCard) (trajectories.PauseChoice, error)
	stage   func(step int, stage string)
	inbox   *inbox
	secrets map[string]string // what is typed and redacted in records, by name; nil redacts nothing
	redact  *redact.Set       // the same

	history  cua.History
	intent   *cua.Intent       // recorded, without a step so far
	notes    []cua.Note        // the runner's own, for the next turn
	frame    *perceptual.Frame // the newest frame, decoded; nil if it could not be decoded
	shots    []cua.Shot        // the most recent frames, oldest first
	maxSteps int               // Runner.MaxSteps
	wall     time.Duration     // of the wall-clock cap on this process; 0 is no cap
	dropped  map[string]bool   // checkpoints that this process has dropped already
}

// Run resets the environment and makes steps until the episode ends. The result is computed from the journal
// and contains the end reason, also for an infrastructure fault. The error is non-nil only if the machine is
// broken (bad config, a journal that cannot be written).
func (r *Runner) Run(ctx context.Context, task cua.Task) (trajectories.RunResult, error) {
	defer r.inbox.close()
	e, err := r.episode(r.plan(ctx, task))
	if err != nil {
		return trajectories.RunResult{}, err
	}
	if e.header.ID == "" {
		e.header.ID, err = trajectories.NewID(e.started, cmp.Or[io.Reader](r.Random, rand.Reader))
		if err != nil {
			return trajectories.RunResult{}, err
		}
	}
	if e.journal, err = trajectories.Create(r.Dir, e.header); err != nil {
		return trajectories.RunResult{}, fmt.Errorf("runner: starting the journal: %w", err)
	}
	defer e.journal.Close()
	e.keepIn()
	return e.finish(ctx, e.start(ctx))
}

// episode validates the config and creates the episode.
func (r *Runner) episode(task cua.Task) (*episode, error) {
	if err := r.Config.Validate(); err != nil {
		return nil, err
	}
	cfg, err := json.Marshal(r.Config)
	if err != nil {
		return nil, fmt.Errorf("runner: writing config: %w", err)
	}
	e := &episode{brain: r.Brain, env: r.Env, cfg: r.Config, asm: Assemble(r.Config), task: task,
		dir: r.Dir, header: r.Header, reward: r.Reward, now: r.Now, watch: r.Watch, attend: r.Attend,
		stage: r.Stage, inbox: &r.inbox, secrets: r.Secrets}
	if r.Secrets != nil {
		e.redact = redact.New(r.Secrets)
		e.env = clean(r.Env, e.redact)
	}
	e.cfg.Checkpoints.State = e.cfg.Checkpoints.State && !r.NoState
	if e.now == nil {
		e.now = time.Now
	}
	e.wall = time.Duration(e.cfg.Recovery.Limits.MaxWallMS * float64(time.Millisecond))
	h := &e.header
	h.Version, h.Task, h.Config, h.Toggles, h.Viewport = trajectories.Version, task, cfg, r.Config.Toggles,
		r.Config.Viewport
	h.Detectors, h.Advisors, h.Gates = e.asm.Names()
	h.Lessons = e.asm.within(h.Lessons, task)
	e.started = e.now()
	h.Started = e.started
	return e, nil
}

// keepIn gives the folder to a brain that is a Keeper.
func (e *episode) keepIn() {
	if k, ok := e.brain.(Keeper); ok {
		k.KeepIn(e.dir)
	}
}

// start opens the start page, records it and runs the loop.
func (e *episode) start(ctx context.Context) error {
	o, err := e.open(ctx, e.task, "opening the start page")
	if err != nil {
		return err
	}
	if err := e.keepObservation(&o); err != nil {
		return err
	}
	e.history.Start = stored(o)
	if err := e.journal.Start(e.history.Start); err != nil {
		return err
	}
	if o.NavError != "" {
		return &stop{reason: cua.EndEnvError, detail: fmt.Sprintf("opening %s: %s", e.task.URL, o.NavError)}
	}
	return e.loop(ctx)
}

// open resets the environment to the first page of this process. The error is how the episode ends.
func (e *episode) open(ctx context.Context, task cua.Task, doing string) (cua.Observation, error) {
	ctx, stop := e.clocked(ctx)
	defer stop()
	o, err := e.env.Reset(ctx, task)
	if err != nil {
		return o, e.cannotContinue(ctx, cua.EndEnvError, doing, err)
	}
	return o, nil
}

// clocked is ctx with the wall clock running until stop is called: it ends when the clock runs out.
func (e *episode) clocked(ctx context.Context) (clocked context.Context, stop func()) {
	if e.wall == 0 {
		return ctx, func() {}
	}
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, e.wall, errWall)
	return ctx, func() {
		cancel()
		e.wall = max(e.wall-time.Since(began), 1)
	}
}

// loop makes steps until something ends the episode. The wall clock does not run during a pause.
func (e *episode) loop(ctx context.Context) error {
	e.inbox.open()
	if err := e.pausedBefore(ctx); err != nil {
		return err
	}
	for {
		if err := e.paused(ctx, e.stretch(ctx)); err != nil {
			return err
		}
	}
}

// stretch makes steps until something ends or pauses the episode.
func (e *episode) stretch(ctx context.Context) error {
	ctx, stop := e.clocked(ctx)
	defer stop()
	for {
		if ctx.Err() != nil {
			return e.cannotContinue(ctx, cua.EndCancelled, "between two steps", ctx.Err())
		}
		if err := e.step(ctx); err != nil {
			return err
		}
		if s := e.inbox.stop(); s != nil {
			return s
		}
	}
}

// finish writes the end record and computes the result. If the machine is broken it ends the episode as
// env_error, as far as that can still be written.
func (e *episode) finish(ctx context.Context, cause error) (trajectories.RunResult, error) {
	var s *stop
	if err := e.journal.Synced(); err != nil {
		cause = err
	}
	if !errors.As(cause, &s) {
		s = &stop{reason: cua.EndEnvError, detail: cause.Error()}
	} else {
		cause = nil
	}
	if e.inbox.leaving() && (s.reason == cua.EndCancelled || s.reason.Infrastructure() || s.pause) {
		return e.left(cause)
	}
	end := trajectories.End{Reason: s.reason, Code: s.code, Detail: e.redact.Text(s.detail), Reward: s.reward}
	if answers(s.reason) {
		end.Answer, end.Detail = end.Detail, ""
	}
	if e.reward != nil && end.Reward == nil && s.reason != cua.EndCancelled && !s.reason.Infrastructure() {
		askCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rewardGrace)
		reward, err := e.reward(askCtx, s.reason, s.detail)
		cancel()
		if err != nil && s.reason != cua.EndSiteFault { // a page that is broken cannot be asked
			end.Reason, end.Detail = cua.EndEnvError, e.redact.Text("asking for the reward: "+err.Error())
		}
		end.Reward = reward
	}
	end.Success = end.Reason == cua.EndDone
	if end.Reward != nil {
		end.Success = *end.Reward >= 1
	}
	if err := e.cut(); cause == nil {
		cause = err
	}
	if end.Reason.Infrastructure() {
		fault := trajectories.Event{Kind: trajectories.FaultEvent, Detail: end.Detail}
		if err := e.event(fault); cause == nil {
			cause = err
		}
	}
	end.At, end.Totals = e.now(), e.totals()
	if err := e.journal.End(end); cause == nil {
		cause = err
	}
	t := e.trajectory()
	t.End, t.Ends = &end, append(t.Ends, end)
	t.Incidents = Incidents(t, DefaultConfig())
	return Result(t), cause
}

// cut records an action without a recorded outcome, and the requests that were refused.
func (e *episode) cut() error {
	if e.intent == nil {
		return e.denied()
	}
	in := *e.intent
	return cmp.Or(e.event(trajectories.Event{Kind: trajectories.InterruptedEvent, Intent: &in,
		Detail: "the step was cut before its outcome was recorded"}), e.denied())
}

// trajectory is what is recorded so far.
func (e *episode) trajectory() *trajectories.Trajectory {
	t := &trajectories.Trajectory{Dir: e.dir, Header: e.header, Start: e.history.Start,
		Steps: e.history.Steps, Events: e.events}
	if e.before != nil {
		t.Ends = slices.Clone(e.before.Ends)
	}
	return t
}

// answers reports whether the detail of an end with reason r is the brain's own answer.
func answers(r cua.EndReason) bool {
	return r == cua.EndDone || r == cua.EndDoneFailed || r == cua.EndDoneUnverified || r == cua.EndAsked
}

// totals sums up the episode. The duration includes that of earlier processes.
func (e *episode) totals() trajectories.Totals {
	t := trajectories.Sum(e.history.Steps)
	t.DurationMS = e.now().Sub(e.started).Milliseconds()
	if e.before == nil {
		return t
	}
	if n := len(e.before.Ends); n > 0 {
		t.DurationMS += e.before.Ends[n-1].Totals.DurationMS
	} else {
		t.DurationMS += trajectories.Sum(e.before.Steps).DurationMS
	}
	return t
}

func (e *episode) event(ev trajectories.Event) error {
	ev = redact.Value(e.redact, ev)
	ev.At, ev.Step = e.now(), len(e.history.Steps)
	e.events = append(e.events, ev)
	return e.journal.Event(ev)
}

// denied records the requests that were refused since the last call.
func (e *episode) denied() error {
	if d := e.env.Denials(); len(d) > 0 {
		return e.event(trajectories.Event{Kind: trajectories.DeniedEvent, Denied: d})
	}
	return nil
}

// since is the time since start in ms, rounded down to microseconds.
func (e *episode) since(start time.Time) float64 {
	return float64(e.now().Sub(start).Microseconds()) / 1000
}

// stored is o without the frame and the page state themselves: histories contain only their names.
func stored(o cua.Observation) cua.Observation {
	o.Shot, o.State = nil, nil
	return o
}
