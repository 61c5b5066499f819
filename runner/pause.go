package runner

import (
	"errors"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// paused takes what a step came to. Where a gate paused the episode and the policy for unattended runs is to
// continue, it goes on at once with fresh counters; otherwise the episode ends with it.
func (e *episode) paused(cause error) error {
	var s *stop
	if !errors.As(cause, &s) || !s.pause || !goesOn(e.cfg.Recovery) {
		return cause
	}
	was := e.history.Steps[len(e.history.Steps)-1].Incident
	if err := e.event(trajectories.Event{Kind: trajectories.PauseEvent, Reason: s.reason, Incident: was, Detail: s.detail}); err != nil {
		return err
	}
	return e.goOn(trajectories.Event{Reason: s.reason, Incident: was, Detail: "the policy for unattended runs is to continue"})
}

// goOn continues the episode where it is, with fresh counters.
func (e *episode) goOn(ev trajectories.Event) error {
	ev.Kind = trajectories.ContinueEvent
	if err := e.event(ev); err != nil {
		return err
	}
	e.history.Resumed = append(e.history.Resumed, cua.Resumption{At: len(e.history.Steps), Page: e.history.Now(), Fresh: true, End: ev.Reason})
	return nil
}
