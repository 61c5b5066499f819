package runner

import (
	"context"

	"github.com/cua-runner/cua-runner/cua"
)

// dispatch is the one call that changes the page.
func (e *episode) dispatch(ctx context.Context, w *work) (cua.Outcome, error) {
	if w.step.Action.Kind == cua.Rewind {
		return e.rewind(ctx, w)
	}
	return e.env.Act(ctx, *w.step.Action)
}

// applyOutcome records what the environment reported.
func (w *work) applyOutcome(out cua.Outcome) {
	w.outcome = &out
	settle := out.Settle // a copy: a pointer into the outcome would keep its frame in memory
	w.step.After, w.step.Failure, w.step.Settle = out.After, out.Failure, &settle
	t := &w.step.Timing
	t.Dispatch, t.Settle, t.Observe = out.DispatchMS, out.SettleMS, out.ObserveMS
	switch {
	case fatal(out.Failure) != nil:
		w.end = fatal(out.Failure)
	case out.Terminated:
		w.end = &stop{reason: cua.EndEnvEnded, reward: out.Reward}
	}
}

// unchanged is the page after a step that dispatched nothing: o without what its own action caused.
func unchanged(o cua.Observation) cua.Observation {
	o = stored(o)
	o.Writes, o.Alerts, o.Ambient.Parts, o.Recut = nil, nil, nil, nil // the frame and Ambient.Boxes stay
	return o
}

// ending is how an accepted done or ask ends the episode.
func (e *episode) ending(a cua.Action) *stop {
	switch {
	case a.Kind == cua.Ask:
		asks := e.attend != nil
		return &stop{reason: cua.EndAsked, detail: a.Text, pause: asks, asks: asks}
	case a.Success:
		return &stop{reason: cua.EndDone, detail: a.Text}
	}
	return &stop{reason: cua.EndDoneFailed, detail: a.Text}
}
