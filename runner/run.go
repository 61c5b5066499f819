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
	"github.com/cua-runner/cua-runner/perceptual"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Runner runs one episode of one task. Brain, Env, Config and Dir must be set.
// A Runner is used for one Run or Resume; any number of them run side by side.
type Runner struct {
	Brain  Brain
	Env    Env // not closed by the runner
	Config Config
	// Dir is the episode's folder. Run makes it and fails when a journal is there already.
	Dir string
	// Secrets are the values of secrets by name, the same map that the environment types from. Run reads plan
	// values out of the text of a task that has none, puts the passwords among them here, and keeps them
	// nowhere else; so does it with what the brain types into a password field. nil: all is taken as it is.
	Secrets map[string]string
	// Plain reads plan values out of the text of a task that has none where Secrets is nil too: nothing in
	// the text is a secret then, and all is recorded as it stands. It is for benchmarks that ask for made-up
	// passwords.
	Plain bool
	// Header carries what only the caller knows: episode name, arm, brain, browser, build, host
	// and lessons. The runner fills in the rest, and the id where the caller has none.
	Header trajectories.Header
	// Reward asks what the task's own state is worth, once, before the end is recorded.
	// nil: the task has none.
	Reward func(ctx context.Context, end cua.EndReason, answer string) (*float64, error)
	// Now stamps records; nil is time.Now.
	Now func() time.Time
	// Random makes the episode's id; nil is crypto/rand.
	Random io.Reader
	// Watch sees each step after it was recorded; nil: nobody. It must not keep or change it.
	Watch func(*cua.Step)
	// Stage is told each stage of a step as it begins (Stages), for status only; nil: nobody. It must return
	// at once.
	Stage func(step int, stage string)
	// Attend is asked when the episode pauses for a person (recovery.attended), when one asked for a pause
	// (Pause), and when the brain asks a question: the card says what was tried and what can be done. It
	// returns what the person chose, a takeover once the browser was given back. nil, or an error: nobody is
	// there, and the episode ends as paused as it is, to be resumed. The time until it returns is no time of
	// the episode.
	Attend func(ctx context.Context, c trajectories.PauseCard) (trajectories.PauseChoice, error)
	// NoState keeps no checkpoint state from here on, whatever the config says: what was kept stays.
	NoState bool
	// MaxSteps is the cap on the steps of an episode from Resume on, all counted; 0 leaves it as it was. An
	// episode that had used up its steps can be gone on with so.
	MaxSteps int

	inbox inbox // requests of a person: Rewind, Tell
}

// episode is a Runner at work.
type episode struct {
	brain   Brain
	env     Env
	cfg     Config
	asm     Assembly
	task    cua.Task
	header  trajectories.Header
	dir     string
	journal *trajectories.Writer
	before  *trajectories.Trajectory // what was recorded before this process; nil for a new episode
	events  []trajectories.Event
	started time.Time
	reward  func(context.Context, cua.EndReason, string) (*float64, error)
	now     func() time.Time
	watch   func(*cua.Step)
	attend  func(context.Context, trajectories.PauseCard) (trajectories.PauseChoice, error)
	stage   func(step int, stage string)
	inbox   *inbox
	secrets map[string]string // what is typed and not recorded, by name; nil keeps none

	history  cua.History
	intent   *cua.Intent       // on record without a step yet
	notes    []cua.Note        // the runner's own, for the next turn
	frame    *perceptual.Frame // the newest frame, decoded; nil when it could not be
	shots    []cua.Shot        // the most recent frames, oldest first
	maxSteps int               // Runner.MaxSteps
	dropped  map[string]bool   // checkpoints that were removed by this process, to spare the disk
}

// Run resets the environment and steps until the episode ends. The result is
// computed from what was recorded. The error is not nil only when the machine is broken
// (bad config, a journal that cannot be written); the episode's own end, also by
// an infrastructure fault, is in the result.
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

// episode checks the config and puts the parts together.
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
	e.cfg.Checkpoints.State = e.cfg.Checkpoints.State && !r.NoState
	if e.now == nil {
		e.now = time.Now
	}
	h := &e.header
	h.Version, h.Task, h.Config, h.Toggles, h.Viewport = trajectories.Version, task, cfg, r.Config.Toggles,
		r.Config.Viewport
	h.Detectors, h.Advisors, h.Gates = e.asm.Names()
	h.Lessons = e.asm.within(h.Lessons, task)
	e.started = e.now()
	h.Started = e.started
	return e, nil
}

// keepIn tells the brain the folder, where it leaves anything there.
func (e *episode) keepIn() {
	if k, ok := e.brain.(Keeper); ok {
		k.KeepIn(e.dir)
	}
}

// start opens the start page, records it and runs the loop.
func (e *episode) start(ctx context.Context) error {
	o, err := e.env.Reset(ctx, e.task)
	if err != nil {
		return e.broken(ctx, cua.EndEnvError, "opening the start page", err)
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

// loop steps until something ends the episode. What a pause takes is no time of the episode.
func (e *episode) loop(ctx context.Context) error {
	e.inbox.open()
	left := time.Duration(e.cfg.Recovery.Limits.MaxWallMS * float64(time.Millisecond))
	if err := e.pausedBefore(ctx); err != nil {
		return err
	}
	for {
		began := time.Now()
		err := e.stretch(ctx, left)
		if left > 0 {
			left = max(left-time.Since(began), 1)
		}
		if err := e.paused(ctx, err); err != nil {
			return err
		}
	}
}

// stretch steps until something ends the episode or pauses it. wall is how long it may take; 0 is as long as
// it likes.
func (e *episode) stretch(ctx context.Context, wall time.Duration) error {
	if wall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, wall, errWall)
		defer cancel()
	}
	for {
		if ctx.Err() != nil {
			return e.broken(ctx, cua.EndCancelled, "between two steps", ctx.Err())
		}
		if err := e.step(ctx); err != nil {
			return err
		}
		if s := e.inbox.stop(); s != nil {
			return s
		}
	}
}

// finish writes the end record and computes the result. A broken machine ends the episode as
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
	end := trajectories.End{Reason: s.reason, Code: s.code, Detail: s.detail, Reward: s.reward}
	if answers(s.reason) {
		end.Answer, end.Detail = s.detail, ""
	}
	if e.reward != nil && end.Reward == nil && s.reason != cua.EndCancelled && !s.reason.Infrastructure() {
		askCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rewardGrace)
		reward, err := e.reward(askCtx, s.reason, s.detail)
		cancel()
		if err != nil && s.reason != cua.EndSiteFault { // a page that is broken cannot be asked
			end.Reason, end.Detail = cua.EndEnvError, "asking for the reward: "+err.Error()
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

// cut records what was begun and has no outcome on record, and what was not let out.
func (e *episode) cut() error {
	if e.intent == nil {
		return e.denied()
	}
	in := *e.intent
	return cmp.Or(e.event(trajectories.Event{Kind: trajectories.InterruptedEvent, Intent: &in,
		Detail: "the step was cut before its outcome was recorded"}), e.denied())
}

// trajectory is what is on record so far.
func (e *episode) trajectory() *trajectories.Trajectory {
	t := &trajectories.Trajectory{Dir: e.dir, Header: e.header, Start: e.history.Start,
		Steps: e.history.Steps, Events: e.events}
	if e.before != nil {
		t.Ends = slices.Clone(e.before.Ends)
	}
	return t
}

// answers says whether the detail of such an end is the brain's own answer.
func answers(r cua.EndReason) bool {
	return r == cua.EndDone || r == cua.EndDoneFailed || r == cua.EndDoneUnverified || r == cua.EndAsked
}

// totals sums the episode up. The duration is measured; what earlier processes took is added.
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
	ev.At, ev.Step = e.now(), len(e.history.Steps)
	e.events = append(e.events, ev)
	return e.journal.Event(ev)
}

// denied records what was not let out since the last time.
func (e *episode) denied() error {
	if d := e.env.Denials(); len(d) > 0 {
		return e.event(trajectories.Event{Kind: trajectories.DeniedEvent, Denied: d})
	}
	return nil
}

// since is the time from start in ms, in steps of a microsecond.
func (e *episode) since(start time.Time) float64 {
	return float64(e.now().Sub(start).Microseconds()) / 1000
}

// stored is o without the frame itself and without what a rewind would need: histories keep names only.
func stored(o cua.Observation) cua.Observation {
	o.Shot, o.State = nil, nil
	return o
}
