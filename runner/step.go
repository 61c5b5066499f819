package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/formctl"
	"github.com/cua-runner/cua-runner/perceptual"
	"github.com/cua-runner/cua-runner/recovery"
)

// work is one step in the making.
type work struct {
	turn     *cua.Turn
	proposal cua.Proposal
	step     cua.Step
	outcome  *cua.Outcome      // nil when nothing was dispatched
	before   cua.Observation   // the page as locate found it: what the action is measured from
	frame    *perceptual.Frame // that page's, decoded; nil when there is none
	warning  string            // the verifier's, for the feedback
	sent     string            // what the brain was sent for it
	end      *stop             // set when the episode ends with this step
}

// stop ends the episode. It is an error so that a stage can say so and the loop
// can tell it from a machine that is broken.
type stop struct {
	reason cua.EndReason
	detail string
	reward *float64
	code   string // the gate's reason, where it asks
	pause  bool   // a gate paused the episode: it may go on from here
}

func (s *stop) Error() string { return fmt.Sprintf("%s: %s", s.reason, s.detail) }

// step is one turn of the loop. Its eight stages are the whole machine:
//
//	history ─► turn ─► decide ─► locate ─► review ─► intent ─► act ─► verify ─► record ─► history
//
// It returns a *stop when the episode is over and any other error when the machine is
// broken.
func (e *episode) step(ctx context.Context) error {
	w := e.look()
	if err := e.capped(w); err != nil {
		return err
	}
	if err := e.decide(ctx, w); err != nil {
		return err
	}
	if err := e.locate(ctx, w); err != nil {
		return err
	}
	e.review(w)
	if err := e.intend(w); err != nil {
		return err
	}
	if err := e.act(ctx, w); err != nil {
		return err
	}
	if err := e.verify(w); err != nil {
		return err
	}
	return e.record(w)
}

// look makes the turn: what brain, advisors and gates are shown.
func (e *episode) look() *work {
	start := e.now()
	e.notes = append(e.notes, e.desk.heard()...)
	w := &work{turn: e.asm.Turn(e.task, e.history, e.notes)}
	w.turn.Frames, w.turn.Lessons = e.shots, e.asm.Lessons(e.header.Lessons, w.turn)
	w.before, w.frame = w.turn.Now, e.frame
	e.notes = nil
	w.step = cua.Step{N: w.turn.Number, Decision: w.turn.Decision, Signals: w.turn.Signals,
		Notes: w.turn.Notes}
	if w.turn.Incident != nil {
		w.step.Incident = w.turn.Incident.ID
	}
	w.step.Timing.Turn = e.since(start)
	return w
}

// capped ends the episode that has reached a limit, before its brain is asked.
func (e *episode) capped(w *work) error {
	if r := e.asm.limits.Review(w.turn, cua.Proposal{}); r.Verdict == cua.Halt {
		return &stop{reason: r.End, detail: r.Detail}
	}
	return nil
}

// decide asks the brain. What it cannot answer ends the episode, what it answers
// wrongly is a failed step.
func (e *episode) decide(ctx context.Context, w *work) error {
	start := e.now()
	d, err := e.decision(ctx, w.turn)
	w.step.Timing.Decide = e.since(start)
	if err != nil {
		return e.broken(ctx, cua.EndBrainError, "asking the brain", err)
	}
	if d = d.Bounded(); d.Failure == nil {
		if bad := d.Action.Validate(w.turn.Now.Viewport); bad != nil {
			kind := cua.FailSchema
			if !d.Action.Kind.Known() {
				kind = cua.FailUnknownAction
			}
			d.Failure = &cua.Failure{Kind: kind, Detail: bad.Error()}
		}
	}
	// nobody has answered to what the runner and the person said: the next turn says it again
	if d.By == cua.Person {
		e.notes, w.step.Notes = toldApart(w.step.Notes)
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
	return nil
}

// brainGrace is how long a brain may take to notice that its context is over.
const brainGrace = 2 * time.Second

// ask is the brain's answer. A brain that panics is broken, and so is one that does not come back
// when its context is over: its late answer counts for nothing.
func (e *episode) ask(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	type answer struct {
		d   cua.Decision
		err error
	}
	came := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if r := recover(); r != nil {
				a.err = fmt.Errorf("the brain panicked: %v", r)
			}
			came <- a
		}()
		a.d, a.err = e.brain.Decide(ctx, t)
	}()
	over, cancel := graceful(ctx, brainGrace)
	defer cancel()
	select {
	case a := <-came:
		if a.err == nil && ctx.Err() != nil {
			a.err = ctx.Err()
		}
		return a.d, a.err
	case <-over.Done():
		return cua.Decision{}, ctx.Err()
	}
}

// locate asks the page what the proposal is aimed at and what moved meanwhile.
func (e *episode) locate(ctx context.Context, w *work) error {
	if w.proposal.Failure != nil || w.end != nil {
		return nil
	}
	start := e.now()
	target, err := e.env.Locate(ctx, w.proposal.Action)
	var failed *cua.Failure
	if errors.As(err, &failed) && failed.Kind != cua.FailEnv {
		w.proposal.Failure = failed
	} else if err != nil {
		return e.broken(ctx, cua.EndEnvError, "locating the target", err)
	}
	e.idle(w, &target)
	w.proposal.Target, w.step.Target = target, target
	w.proposal = formctl.SealTyped(w.turn, w.proposal, e.secrets)
	w.step.Proposed, w.step.Thought = w.proposal.Action, w.proposal.Thought
	w.step.Timing.Locate = e.since(start)
	return nil
}

// review lets the gates rule and settles what will be dispatched.
func (e *episode) review(w *work) {
	start := e.now()
	w.step.Failure = w.proposal.Failure
	if w.end == nil {
		var ruled cua.Ruling
		w.step.Rulings, ruled = e.asm.Review(w.turn, w.proposal)
		e.obey(w, ruled)
	}
	w.step.Timing.Review = e.since(start)
}

// obey turns the deciding ruling into what the step will do.
func (e *episode) obey(w *work, ruled cua.Ruling) {
	if ruled.Gate == recovery.RescueName && ruled.Verdict != cua.Pass {
		w.step.RecoveryReason = cua.Reason(ruled.Reason)
	}
	switch ruled.Verdict {
	case cua.Halt, cua.Pause:
		w.end = &stop{reason: ruled.End, detail: ruled.Detail, pause: ruled.Verdict == cua.Pause}
		if ruled.End == cua.EndAsked {
			w.end.code = ruled.Reason
		}
	case cua.Refuse:
		w.step.Failure = &cua.Failure{Kind: refusedAs(w.proposal.Action), Detail: ruled.Detail}
		w.step.Restored = fenced(w.proposal, ruled)
	case cua.Replace:
		a := *ruled.Action
		w.step.Action = &a
	default:
		if w.proposal.Failure == nil {
			a := w.proposal.Action
			w.step.Action = &a
		}
	}
	if w.proposal.Action.Kind == cua.Done && (ruled.Verdict == cua.Refuse || w.end != nil &&
		w.end.reason == cua.EndDoneUnverified) {
		w.step.DoneRejected = cua.DoneCode(ruled.Reason)
	}
}

// refusedAs is the failure kind of a refused action.
func refusedAs(a cua.Action) cua.FailureKind {
	if a.Kind == cua.Done {
		return cua.FailDoneRefused
	}
	return cua.FailPolicy
}

// intend writes down what is about to be done, before anything touches the page: after a
// crash the journal shows an intent without a step.
func (e *episode) intend(w *work) error {
	if w.step.Action == nil || w.step.Action.Kind.Ends() {
		return nil
	}
	start := e.now()
	in := cua.IntentOf(&w.turn.History, &w.step)
	err := e.journal.Intent(in)
	if err == nil {
		e.intent = &in
	}
	w.step.Timing.Intent = e.since(start)
	return err
}

// act dispatches, settles and observes. It is not cut short by a first interrupt: what was
// begun is finished and recorded, within sealGrace.
func (e *episode) act(ctx context.Context, w *work) error {
	w.step.After = unchanged(w.turn.Now)
	a := w.step.Action
	if a == nil {
		return nil
	}
	if a.Kind.Ends() {
		w.end = ending(*a)
		return nil
	}
	actCtx, cancel := graceful(ctx, sealGrace)
	defer cancel()
	start := e.now()
	out, err := e.dispatch(actCtx, w)
	w.step.Timing.Act = e.since(start)
	if err != nil {
		return e.broken(ctx, cua.EndEnvError, "acting", err)
	}
	w.outcome = &out
	settle := out.Settle // a copy: a pointer into the outcome would keep its frame for as long as the step
	w.step.After, w.step.Failure, w.step.Settle = out.After, out.Failure, &settle
	w.step.Timing.Dispatch, w.step.Timing.Settle, w.step.Timing.Observe = out.DispatchMS, out.SettleMS,
		out.ObserveMS
	switch {
	case out.Failure != nil && out.Failure.Kind == cua.FailEnv:
		w.end = &stop{reason: cua.EndEnvError, detail: out.Failure.Detail}
	case out.Terminated:
		w.end = &stop{reason: cua.EndEnvEnded, reward: out.Reward}
	}
	return nil
}

// unchanged is the page after a step that did nothing: as it was, with nothing caused.
func unchanged(o cua.Observation) cua.Observation {
	o = stored(o)
	o.Writes, o.Alerts, o.Ambient.Parts = nil, nil, nil // the frame stays, and with it where things move
	return o
}

// dispatch is the one call that changes the page.
func (e *episode) dispatch(ctx context.Context, w *work) (cua.Outcome, error) {
	if w.step.Action.Kind == cua.Rewind {
		return e.rewind(ctx, w)
	}
	return e.env.Act(ctx, *w.step.Action)
}

// ending is how an accepted done or ask closes the episode.
func ending(a cua.Action) *stop {
	switch {
	case a.Kind == cua.Ask:
		return &stop{reason: cua.EndAsked, detail: a.Text}
	case a.Success:
		return &stop{reason: cua.EndDone, detail: a.Text}
	}
	return &stop{reason: cua.EndDoneFailed, detail: a.Text}
}

// sealGrace is how long an interrupted episode may finish the step it is in (spec: browser,
// faults, Ctrl-C once).
const sealGrace = 10 * time.Second

// graceful is ctx with its cancellation put off by grace.
func graceful(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancel(context.WithoutCancel(ctx))
	detach := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(grace, cancel)
		context.AfterFunc(out, func() { timer.Stop() })
	})
	return out, func() { detach(); cancel() }
}

// broken says how the episode ends when brain or environment cannot go on: by
// the caller's wish, by the wall clock, or by a fault that is not the agent's.
func (e *episode) broken(ctx context.Context, reason cua.EndReason, doing string, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), errWall):
		return &stop{reason: cua.EndMaxWall, detail: "the wall clock ran out while " + doing}
	case ctx.Err() != nil:
		return &stop{reason: cua.EndCancelled, detail: "interrupted while " + doing}
	}
	return &stop{reason: reason, detail: fmt.Sprintf("%s: %v", doing, err)}
}
