package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Pause asks the episode to pause after its current step. It returns once the pause is on record, and at once
// if the episode is paused already. The person who attends (Attend) then chooses. If nobody attends, the
// episode ends as paused. The error is ErrOver if the episode ended first, or that of ctx; after the latter
// the pause may still come.
func (r *Runner) Pause(ctx context.Context) error { return r.inbox.askPause(ctx) }

// Leave asks the episode to stop after its current step and to stay as it is, without an end, so that another
// process can resume it. Run or Resume then returns a result without a termination reason. The same holds if
// the context ends or the machine fails first. A paused episode stays paused. An episode that ends by itself
// first has ended.
func (r *Runner) Leave() {
	b := &r.inbox
	b.mu.Lock()
	defer b.mu.Unlock()
	b.leave = true
	if b.asking && b.cancel != nil {
		b.cancel(errLeave)
	}
}

// errLeave is the cause that cancels the question to the person who attends.
var errLeave = errors.New("the episode is left for later")

// pendingPause is a request for a pause.
type pendingPause struct {
	done chan struct{} // closed once err is set
	err  error
}

func (b *inbox) askPause(ctx context.Context) error {
	b.mu.Lock()
	switch {
	case b.over:
		b.mu.Unlock()
		return ErrOver
	case b.asking:
		b.mu.Unlock()
		return nil
	case b.pause == nil:
		b.pause = &pendingPause{done: make(chan struct{})}
	}
	p := b.pause
	b.mu.Unlock()
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// replyPause answers a pending request for a pause. The caller holds the lock.
func (b *inbox) replyPause(err error) {
	if b.pause != nil {
		b.pause.err = err
		close(b.pause.done)
		b.pause = nil
	}
}

// asks says that the person who attends is being asked, or no longer.
func (b *inbox) asks(now bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asking = now
	b.replyPause(nil)
}

func (b *inbox) leaving() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.leave
}

// stop is what a person's request makes of the time between two steps; nil is nothing.
func (b *inbox) stop() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.leave:
		return &stop{reason: cua.EndCancelled, detail: "left for later"}
	case b.pause != nil:
		return &stop{reason: cua.EndPaused, detail: "a person asked for a pause", pause: true, by: cua.Person}
	}
	return nil
}

// pausedBefore asks the person who attends about a pause that was open when the previous process ended.
func (e *episode) pausedBefore(ctx context.Context) error {
	t := e.trajectory()
	p := t.Paused()
	if p == nil || e.attend == nil {
		return nil
	}
	return e.attended(ctx, trajectories.Event{Reason: p.Reason, Incident: p.Incident},
		&stop{reason: p.Reason, detail: p.Detail, pause: true})
}

// answered records a person's answer, with which the episode continues. The next turn carries it. If it is a
// secret, its name is recorded and its value is typed.
func (e *episode) answered(ev trajectories.Event, c trajectories.PauseChoice) error {
	text, err := OneSentence(c.Text)
	text = e.redact.Text(text) // after that: a line break may stand within a secret
	switch {
	case err != nil:
		return fmt.Errorf("runner: the answer: %w", err)
	case c.Secret != "" && e.secrets == nil:
		return errors.New("runner: the answer is a secret, and Runner.Secrets is nil")
	case c.Secret != "":
		e.inbox.learn(func() { e.secrets[c.Secret] = c.Value })
		e.redact.Learn(e.secrets)
		text = "<secret:" + c.Secret + ">"
	}
	ev.Kind, ev.Detail, ev.Answer = trajectories.AnswerEvent, "a person answered", text
	if err := e.afresh(ev); err != nil {
		return err
	}
	e.notes = append(e.notes, answerNotes(e.events, len(e.history.Steps))...)
	return nil
}

// answerNotes tell the brain the answer that came after the last step.
func answerNotes(events []trajectories.Event, steps int) []cua.Note {
	for _, ev := range slices.Backward(events) {
		if ev.Kind == trajectories.AnswerEvent && ev.Step == steps {
			return []cua.Note{{From: cua.Person,
				Text: "The person who watches this run answers your question: " + ev.Answer}}
		}
	}
	return nil
}

// left is the result of an episode that stays without an end.
func (e *episode) left(cause error) (trajectories.RunResult, error) {
	if err := e.cut(); cause == nil {
		cause = err
	}
	t := e.trajectory()
	t.Incidents = Incidents(t, DefaultConfig())
	return Result(t), cause
}

// Stages are the names of the stages of a step, in their order.
func Stages() []string {
	return []string{"turn", "decide", "locate", "review", "intent", "act", "verify", "record"}
}

// enter reports the stage that begins.
func (e *episode) enter(stage string) {
	if e.stage != nil {
		e.stage(len(e.history.Steps)+1, stage)
	}
}
