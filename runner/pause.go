package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
	"github.com/cua-runner/cua-runner/trajectories"
)

// paused takes what a stretch of steps came to. Where a gate paused the episode, whoever may choose chooses:
// the policy for unattended runs, or the person who is there. Otherwise the episode ends with it.
func (e *episode) paused(ctx context.Context, cause error) error {
	var s *stop
	if !errors.As(cause, &s) || !s.pause {
		return cause
	}
	ev := trajectories.Event{Reason: s.reason, Incident: e.history.Steps[len(e.history.Steps)-1].Incident}
	pause := ev
	pause.Kind, pause.Detail, pause.By = trajectories.PauseEvent, s.detail, s.by
	if err := e.event(pause); err != nil {
		return err
	}
	switch {
	case s.by == "" && !s.asks && e.cfg.Recovery.Continues():
		return e.goOn(ev, "the policy for unattended runs is to continue")
	case e.attend == nil:
		return cause
	}
	return e.attended(ctx, ev, cause)
}

// attended does what the person chooses; the episode ends with cause where that is to stop, or where nobody
// answers any more.
func (e *episode) attended(ctx context.Context, ev trajectories.Event, cause error) error {
	t := e.trajectory()
	card, _ := trajectories.PauseCardOf(t, Incidents(t, DefaultConfig()))
	e.inbox.asks(true)
	defer e.inbox.asks(false)
	for {
		c, err := e.choose(ctx, card)
		if err != nil || e.inbox.leaving() {
			return cause
		}
		switch c.Kind {
		case trajectories.ChooseRewind:
			if !e.canGoBack(c, &card) {
				continue
			}
			return e.goOn(ev, "a person goes back")
		case trajectories.ChooseTakeover:
			if err := e.takenOver(ctx, ev); err != nil {
				return err
			}
			if c.Stay {
				continue
			}
			return e.goOn(ev, "a person gave the browser back")
		case trajectories.ChooseAnswer:
			if !card.Offers(c.Kind) {
				continue
			}
			return e.answered(ev, c)
		case trajectories.ChooseContinue:
			return e.goOn(ev, "a person chose to continue")
		default:
			return cause
		}
	}
}

// canGoBack makes a person's choice to go back the next step. It reports false where that is refused; the
// card then says why.
func (e *episode) canGoBack(c trajectories.PauseChoice, card *trajectories.PauseCard) bool {
	if _, ok := e.inbox.rewindAsked(); ok { // it came through the inbox, which answers it
		if _, ok := e.personDecision(); !ok {
			return false
		}
	}
	q := RewindRequest{Step: cmp.Or(c.Step, e.newest()), Consent: c.Consent}
	if _, ok := e.inbox.rewindAsked(); !ok {
		if no := e.refusal(q); no != nil {
			card.Refused = &no.Restored
			return false
		}
	}
	e.inbox.addRewind(q)
	return true
}

// choose asks the person who is there. A rewind that somebody asks for meanwhile (Runner.Rewind) is a choice
// too.
func (e *episode) choose(ctx context.Context, card trajectories.PauseCard) (trajectories.PauseChoice, error) {
	asking, over := e.inbox.cancellable(ctx)
	defer over()
	c, err := e.attend(asking, card)
	if q, ok := e.inbox.rewindAsked(); ok && ctx.Err() == nil {
		return trajectories.PauseChoice{Kind: trajectories.ChooseRewind, Step: q.Step,
			Consent: q.Consent}, nil
	}
	return c, err
}

// goOn continues the episode where it is, with fresh counters.
func (e *episode) goOn(ev trajectories.Event, why string) error {
	ev.Kind, ev.Detail = trajectories.ContinueEvent, why
	return e.afresh(ev)
}

// afresh records an event with which the episode continues with fresh counters.
func (e *episode) afresh(ev trajectories.Event) error {
	if err := e.event(ev); err != nil {
		return err
	}
	e.history.Resumed = append(e.history.Resumed, cua.Resumption{At: len(e.history.Steps),
		Page: e.history.Now(), Fresh: true, End: ev.Reason})
	return nil
}

// takenOver looks at the page that a person has given back, records what changed and says it to the brain.
func (e *episode) takenOver(ctx context.Context, ev trajectories.Event) error {
	before := e.history.Now()
	out, err := e.env.Act(ctx, cua.Action{Kind: cua.Observe})
	switch {
	case err != nil:
		return e.cannotContinue(ctx, cua.EndEnvError, "looking at the page that was given back", err)
	case fatal(out.Failure) != nil:
		return fatal(out.Failure)
	}
	if err := e.keepObservation(&out.After); err != nil {
		return err
	}
	page := stored(out.After)
	effect := detector.Effect(detector.EffectInput{Before: before, After: page,
		Action: cua.Action{Kind: cua.Observe}, Churn: e.history.Churn()})
	ev.Kind, ev.After, ev.Detail = trajectories.TakeoverEvent, &page, "a person had the browser"
	if effect != nil {
		ev.Changes = effect.Progress
	}
	if err := e.event(ev); err != nil {
		return err
	}
	e.history.Resumed = append(e.history.Resumed, cua.Resumption{At: len(e.history.Steps), Page: page})
	e.notes = append(e.notes, cua.Note{From: noteRunner,
		Text: fmt.Sprintf("A person had the browser since your last step. %s Go on from the page as it is.",
			changed(before, page))})
	return nil
}
