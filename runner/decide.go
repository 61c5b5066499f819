package runner

import (
	"context"
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// decision is the brain's, or that of a person who wants to go back. A person's rewind cancels the call of
// the brain.
func (e *episode) decision(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	for {
		if d, ok := e.personDecision(); ok {
			return d, nil
		}
		asking, over := e.inbox.cancellable(ctx)
		d, err := e.ask(asking, t)
		over()
		if _, ok := e.inbox.rewindAsked(); !ok || ctx.Err() != nil {
			return d, err
		}
		if p, ok := e.personDecision(); ok {
			return p, nil
		}
		if err == nil { // the rewind was refused, and the brain had answered before it was cancelled
			return d, nil
		}
	}
}

// ask is the brain's answer. A brain that panics is broken. So is one that does not return when its context
// ends: an answer after brainGrace is dropped.
func (e *episode) ask(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	type answer struct {
		d   cua.Decision
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if r := recover(); r != nil {
				a.err = redactError(e.redact, fmt.Errorf("the brain panicked: %v", r))
			}
			answers <- a
		}()
		d, err := e.brain.Decide(ctx, t)
		a.d, a.err = redactDecision(e.redact, d), redactError(e.redact, err)
	}()
	over, cancel := delayCancel(ctx, brainGrace)
	defer cancel()
	select {
	case a := <-answers:
		if a.err == nil && ctx.Err() != nil {
			a.err = ctx.Err()
		}
		return a.d, a.err
	case <-over.Done():
		return cua.Decision{}, ctx.Err()
	}
}

// validated is d within the size of a record. If its action is not valid in the viewport, it is a failure.
func validated(d cua.Decision, viewport cua.Size) cua.Decision {
	if d = d.Bounded(); d.Failure != nil {
		return d
	}
	if err := d.Action.Validate(viewport); err != nil {
		kind := cua.FailSchema
		if !d.Action.Kind.Known() {
			kind = cua.FailUnknownAction
		}
		d.Failure = &cua.Failure{Kind: kind, Detail: err.Error()}
	}
	return d
}

// propose makes d the proposal of the step.
func (e *episode) propose(w *work, d cua.Decision) {
	if d.By == cua.Person { // the brain has not seen the notes to it: the next turn repeats them
		e.notes, w.step.Notes = splitNotes(w.step.Notes)
	}
	if n := len(e.history.Steps); d.Continues && n > 0 {
		w.step.Decision = e.history.Steps[n-1].Decision
	}
	w.sent = d.Sent
	w.proposal = cua.Proposal{Action: d.Action, By: d.By, Thought: d.Thought, Failure: d.Failure}
	w.step.Proposed, w.step.Thought, w.step.By, w.step.Usage = d.Action, d.Thought, d.By, d.Usage
	if d.Refused {
		w.end = &stop{reason: cua.EndRefused, detail: d.Thought}
	}
}

// splitNotes separates what the runner and a person said from what advisors wrote.
func splitNotes(notes []cua.Note) (own, advice []cua.Note) {
	for _, n := range notes {
		if n.From == noteRunner || n.From == cua.Person {
			own = append(own, n)
		} else {
			advice = append(advice, n)
		}
	}
	return own, advice
}
