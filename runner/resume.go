package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// NotResumable says that an episode has ended in a way that cannot be continued.
type NotResumable struct {
	Dir    string
	Reason cua.EndReason
}

func (n *NotResumable) Error() string {
	return fmt.Sprintf("runner: resuming %s: the episode has ended (%s)", n.Dir, n.Reason)
}

// Resume goes on with the episode in r.Dir, whatever cut it: the config comes from its header,
// the page is opened anew where the episode was, and an action whose outcome nobody saw
// is told to the brain instead of being done twice. r.Config and r.Header are not read.
func (r *Runner) Resume(ctx context.Context) (trajectories.RunResult, error) {
	journal, t, err := trajectories.Reopen(r.Dir)
	if err != nil {
		return trajectories.RunResult{}, fmt.Errorf("runner: resuming: %w", err)
	}
	defer journal.Close()
	if t.End != nil && !t.End.Reason.CanContinue() {
		return trajectories.RunResult{}, &NotResumable{Dir: r.Dir, Reason: t.End.Reason}
	}
	r.Config = DefaultConfig()
	if err := json.Unmarshal(t.Header.Config, &r.Config); err != nil {
		return trajectories.RunResult{}, fmt.Errorf("runner: resuming %s: reading its config: %w", r.Dir, err)
	}
	r.Header = t.Header
	e, err := r.episode(t.Header.Task)
	if err != nil {
		return trajectories.RunResult{}, err
	}
	e.journal, e.header, e.before, e.events = journal, t.Header, t, t.Events
	return e.seal(ctx, e.resume(ctx, t))
}

// resume opens the page where the episode was and goes on.
func (e *episode) resume(ctx context.Context, t *trajectories.Trajectory) error {
	e.history = t.History()
	if t.Interrupted != nil {
		if err := e.interrupted(*t.Interrupted); err != nil {
			return err
		}
	}
	if t.Start.URL == "" {
		return e.start(ctx)
	}
	task := e.task
	if at := e.history.Now().URL; at != "" {
		task.URL = at
	}
	o, err := e.env.Reset(ctx, task)
	if err != nil {
		return e.broken(ctx, cua.EndEnvError, "opening the page again", err)
	}
	if err := e.see(&o); err != nil {
		return err
	}
	page := stored(o)
	kind := trajectories.ResumeEvent
	if t.End != nil && continued(t.End.Reason) {
		kind = trajectories.ContinueEvent
	}
	if err := e.event(trajectories.Event{Kind: kind, After: &page}); err != nil {
		return err
	}
	e.history.Resumed = append(e.history.Resumed, cua.Resumption{At: len(e.history.Steps), Page: page,
		Fresh: kind == trajectories.ContinueEvent})
	return e.loop(ctx)
}

// continued says whether going on after reason starts with fresh counters: the agent had been
// stopped and somebody chose to go on. A crash or an interrupt is no such choice.
func continued(reason cua.EndReason) bool {
	return !reason.Infrastructure() && reason != cua.EndCancelled
}

// interrupted records an action whose outcome nobody saw, and tells the brain.
func (e *episode) interrupted(in trajectories.Intent) error {
	e.notes = append(e.notes, interruptedNote(in))
	return e.event(trajectories.Event{Kind: trajectories.InterruptedEvent, Intent: &in,
		Detail: "the runner stopped before the outcome was recorded"})
}

// interruptedNote warns of an action that may or may not have been done.
func interruptedNote(in trajectories.Intent) cua.Note {
	return cua.Note{From: noteRunner, Text: fmt.Sprintf(
		"the run was interrupted during %s (step %d): it may have been done. Look at the page before you repeat it.",
		in.Action.Kind, in.Number)}
}

// noteRunner is Note.From of what the runner itself says; advisors have their own names.
const noteRunner = "runner"
