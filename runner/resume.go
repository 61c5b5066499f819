package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// NotResumable is the error for an episode that has ended for good.
type NotResumable struct {
	Dir    string
	Reason cua.EndReason
	Steps  int // how many steps it made
}

// Resumable is nil if t can be resumed with a cap of maxSteps steps; 0 leaves the cap unchanged.
func Resumable(t *trajectories.Trajectory, maxSteps int) error {
	if t.End == nil || t.End.Reason.CanContinue() || t.End.Reason == cua.EndMaxSteps &&
		maxSteps > len(t.Steps) {
		return nil
	}
	return &NotResumable{Dir: t.Dir, Reason: t.End.Reason, Steps: len(t.Steps)}
}

func (n *NotResumable) Error() string {
	if n.Reason == cua.EndMaxSteps {
		return fmt.Sprintf("%s: the episode has used up its %d steps: raise the cap (--max-steps) to go on",
			n.Dir, n.Steps)
	}
	return fmt.Sprintf("%s: the episode has ended (%s)", n.Dir, n.Reason)
}

// Resume continues the episode in r.Dir after a pause, an end that can be continued, or a crash. The config
// comes from its header. r.Config is ignored, and so is r.Header but for the browser: if it is not the one of
// before, the event that continues the episode names it. The page of the last step is opened again. An
// action whose outcome is unknown is reported to the brain and not repeated.
func (r *Runner) Resume(ctx context.Context) (trajectories.RunResult, error) {
	defer r.inbox.close()
	journal, t, err := trajectories.Reopen(r.Dir)
	if err != nil {
		return trajectories.RunResult{}, fmt.Errorf("runner: resuming: %w", err)
	}
	defer journal.Close()
	if err := Resumable(t, r.MaxSteps); err != nil {
		return trajectories.RunResult{}, err
	}
	if r.Config, err = Recorded(t.Header); err != nil {
		return trajectories.RunResult{}, fmt.Errorf("runner: resuming %s: %w", r.Dir, err)
	}
	here := r.Header.Browser
	r.Header = t.Header
	e, err := r.episode(t.Header.Task)
	if err != nil {
		return trajectories.RunResult{}, err
	}
	e.journal, e.header, e.before, e.events, e.maxSteps = journal, t.Header, t, t.Events, r.MaxSteps
	if here.String() != "" && !here.Same(t.Browser()) {
		e.browser = &here
	}
	e.keepIn()
	return e.finish(ctx, e.resume(ctx, t))
}

// resume opens the last page again and continues.
func (e *episode) resume(ctx context.Context, t *trajectories.Trajectory) error {
	e.history = t.History()
	if t.Interrupted != nil {
		ev := trajectories.Event{Kind: trajectories.InterruptedEvent, Intent: t.Interrupted,
			Detail: "the runner stopped before the outcome was recorded"}
		if err := e.event(ev); err != nil {
			return err
		}
	}
	e.notes = append(e.notes, interruptedNotes(e.events, len(t.Steps))...)
	e.notes = append(e.notes, answerNotes(e.events, len(t.Steps))...)
	if t.Start.URL == "" {
		return e.restart(ctx, t)
	}
	task, was := e.task, e.history.Now()
	task.At = lastOpened(e.history)
	o, err := e.open(ctx, task, "opening the page again")
	if err != nil {
		if err := e.reopened(t); err != nil {
			return err
		}
		return err
	}
	back, err := e.restoreState(ctx, &o, was)
	if err != nil {
		return err
	}
	if err := e.keepObservation(&o); err != nil {
		return err
	}
	page := stored(o)
	ev := resumption(t, e.attend != nil)
	ev.After, ev.Restored, ev.MaxSteps, ev.Browser = &page, back, e.maxSteps, e.browser
	if err := e.event(ev); err != nil {
		return err
	}
	e.history.Resumed = e.trajectory().History().Resumed
	// if the last page was a dead one, the agent went there itself
	if page.NavError != "" && (was.NavError == "" || len(t.Steps) == 0) {
		return &stop{reason: cua.EndEnvError, detail: fmt.Sprintf("opening %s again: %s", task.Page(),
			page.NavError)}
	}
	return e.loop(ctx)
}

// lastOpened is the address of the newest page of h that could be opened; "" is none. A session cannot start
// on one that could not.
func lastOpened(h cua.History) string {
	for i := len(h.Steps); i >= 0; i-- {
		if page := h.Before(i); page.NavError == "" {
			return page.URL
		}
	}
	return ""
}

// restoreState restores the newest checkpoint in the new session, including cookies, and sets o to the page
// after that. It returns the result; nil if there is no checkpoint.
func (e *episode) restoreState(ctx context.Context, o *cua.Observation,
	was cua.Observation) (*cua.Restored, error) {
	if !e.cfg.Checkpoints.State || was.NavError != "" || o.NavError != "" {
		return nil, nil
	}
	page, err := trajectories.ReadState(e.dir, was.Checkpoint)
	if err != nil {
		return nil, nil // it was never stored, or was dropped
	}
	n := len(e.history.Steps) + 1
	out, err := e.env.Restore(ctx, cua.Checkpoint{Step: n, URL: was.URL, State: was.Checkpoint, Page: page},
		cua.Facets())
	switch {
	case err != nil:
		return nil, e.cannotContinue(ctx, cua.EndEnvError, "giving the page back", err)
	case fatal(out.Failure) != nil:
		return nil, fatal(out.Failure)
	}
	r := cua.NewRestored(n, out.Facets, cua.Facets(), nil)
	if *o = out.After; out.Failure != nil {
		r.OK = cua.RestoredNone
	}
	if r.OK != cua.RestoredAll {
		lost := strings.Join(append(r.By(cua.Drifted), r.By(cua.Unsupported)...), ", ")
		e.notes = append(e.notes, cua.Note{From: noteRunner,
			Text: fmt.Sprintf(
				"The run continues in a new browser. Not as it was: %s. Look at the page before you go on.",
				lost)})
	}
	return &r, nil
}

// restart opens the start page of an episode that was never shown it.
func (e *episode) restart(ctx context.Context, t *trajectories.Trajectory) error {
	if err := e.reopened(t); err != nil {
		return err
	}
	return e.start(ctx)
}

// reopened records that the episode continues, when no page could be opened.
func (e *episode) reopened(t *trajectories.Trajectory) error {
	if t.End == nil && e.browser == nil {
		return nil
	}
	return e.event(trajectories.Event{Kind: trajectories.ResumeEvent, MaxSteps: e.maxSteps,
		Browser: e.browser})
}

// resumption is the event with which t continues. If somebody chose to continue an episode that was stopped,
// it has the end reason and the incident, and counters start again. If the process ended before anybody
// chose, Attend is called again.
func resumption(t *trajectories.Trajectory, attended bool) trajectories.Event {
	ev := trajectories.Event{Kind: trajectories.ResumeEvent}
	card, paused := trajectories.PauseCardOf(t, nil)
	switch {
	case t.End != nil && continued(t.End.Reason):
		ev.Kind, ev.Reason = trajectories.ContinueEvent, t.End.Reason
	case t.End == nil && paused && !attended:
		ev.Kind, ev.Reason = trajectories.ContinueEvent, card.Reason
	default:
		return ev
	}
	if n := len(t.Steps); n > 0 {
		ev.Incident = t.Steps[n-1].Incident
	}
	return ev
}

// continued reports whether counters start again after reason: the agent was stopped and somebody chose to
// continue. That is not so after a crash or an interrupt.
func continued(reason cua.EndReason) bool {
	return !reason.Infrastructure() && reason != cua.EndCancelled
}

// interruptedNotes warn of an action whose outcome is unknown, if no step has followed it.
func interruptedNotes(events []trajectories.Event, steps int) []cua.Note {
	for _, ev := range slices.Backward(events) {
		if ev.Kind == trajectories.InterruptedEvent && ev.Intent != nil && ev.Step == steps {
			did := "it may have been done. Look at the page before you repeat it."
			if ev.Intent.Submit {
				did = "the form may have been sent. Look for what shows that it was before you send it again."
			}
			return []cua.Note{{From: noteRunner,
				Text: fmt.Sprintf("the run was interrupted during %s (step %d): %s",
					ev.Intent.Action.Kind, ev.Intent.Number, did)}}
		}
	}
	return nil
}

// noteRunner is Note.From of the runner's own notes.
const noteRunner = "runner"
