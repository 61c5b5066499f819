package runner

import (
	"context"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
	"github.com/cua-runner/cua-runner/formctl"
	"github.com/cua-runner/cua-runner/perceptual"
)

// work is one step in progress.
type work struct {
	turn     *cua.Turn
	proposal cua.Proposal
	step     cua.Step
	outcome  *cua.Outcome      // of the dispatch; nil if there was none
	before   cua.Observation   // the page that the effect is measured from; locate replaces it by a newer one
	frame    *perceptual.Frame // the decoded frame of before; nil if there is none
	warning  string            // the verifier's, for the feedback
	sent     string            // what the brain was sent
	end      *stop             // set if the episode ends once this step is recorded
}

// step makes one step. Its eight stages are the whole machine:
//
//	history ─► turn ─► decide ─► locate ─► review ─► intent ─► act ─► verify ─► record ─► history
//
// The error is a *stop if the episode has ended. A cap, a brain that cannot answer and a lost browser end it
// without a step; other ends are set in w.end, which record returns. Any other error is the runner's fault.
func (e *episode) step(ctx context.Context) error {
	w := &work{}
	for i, stage := range []func(context.Context, *work) error{
		e.buildTurn, e.decide, e.locate, e.review, e.writeIntent, e.act, e.verify, e.record,
	} {
		e.enter(Stages()[i])
		if err := stage(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// buildTurn computes what the brain, the advisors and the gates are shown. It asks the limits too: a cap that
// has been reached ends the episode before the brain is paid for another answer.
func (e *episode) buildTurn(_ context.Context, w *work) error {
	defer e.timed(&w.step.Timing.Turn)()
	t := e.asm.Turn(e.task, e.history, append(e.notes, e.inbox.takeNotes()...))
	t.Frames, t.Lessons, e.notes = e.shots, e.asm.Lessons(e.header.Lessons, t), nil
	w.turn, w.before, w.frame = t, t.Now, e.frame
	w.step.N, w.step.Decision, w.step.Signals, w.step.Notes = t.Number, t.Decision, t.Signals, t.Notes
	if t.Incident != nil {
		w.step.Incident = t.Incident.ID
	}
	if r := e.asm.limits.Review(t, cua.Proposal{}); r.Verdict == cua.Halt {
		return &stop{reason: r.End, detail: r.Detail}
	}
	return nil
}

// decide asks the brain. An answer that is not a valid action makes a failed step. If the brain declines the
// task, w.end is set.
func (e *episode) decide(ctx context.Context, w *work) error {
	defer e.timed(&w.step.Timing.Decide)()
	d, err := e.decision(ctx, w.turn)
	if err != nil {
		return e.cannotContinue(ctx, cua.EndBrainError, "asking the brain", err)
	}
	e.propose(w, validated(d, w.turn.Now.Viewport))
	return nil
}

// locate asks the page what the proposal is aimed at and what changed since the turn. A password that the
// brain typed becomes a reference to a secret before anything is recorded. A person's note waits
// meanwhile, so that it is compared with that secret too.
func (e *episode) locate(ctx context.Context, w *work) error {
	if w.proposal.Failure != nil || w.end != nil {
		return nil
	}
	defer e.timed(&w.step.Timing.Locate)()
	target, err := e.target(ctx, w)
	if err != nil {
		return e.cannotContinue(ctx, cua.EndEnvError, "locating the target", err)
	}
	w.proposal.Target, w.step.Target = target, target
	e.inbox.learn(func() { w.proposal = formctl.RedactTyped(w.turn, w.proposal, e.secrets) })
	e.redact.Learn(e.secrets)
	w.step.Proposed, w.step.Thought = w.proposal.Action, w.proposal.Thought
	return nil
}

// review asks the gates. applyRuling sets step.Action: the proposal, its replacement, or nothing. A halt or a
// pause sets w.end.
func (e *episode) review(_ context.Context, w *work) error {
	defer e.timed(&w.step.Timing.Review)()
	w.step.Failure = w.proposal.Failure
	if w.end == nil {
		var ruled cua.Ruling
		w.step.Rulings, ruled = e.asm.Review(w.turn, w.proposal)
		w.applyRuling(ruled)
	}
	return nil
}

// writeIntent records what is about to be dispatched before anything touches the page. An intent without a
// step therefore means that the run broke off in between: the action may have been carried out.
func (e *episode) writeIntent(_ context.Context, w *work) error {
	if w.step.Action == nil || w.step.Action.Kind.Ends() {
		return nil
	}
	defer e.timed(&w.step.Timing.Intent)()
	in := cua.IntentOf(&w.turn.History, &w.step)
	if err := e.journal.Intent(in); err != nil {
		return err
	}
	e.intent = &in
	return nil
}

// act dispatches the action, waits until the page settles, observes it, and stores the frame. An interrupt
// does not cut it short: the action is finished and recorded, within actGrace.
func (e *episode) act(ctx context.Context, w *work) error {
	w.step.After = unchanged(w.turn.Now)
	switch a := w.step.Action; {
	case a == nil:
		return nil
	case a.Kind.Ends():
		w.end = e.ending(*a)
		return nil
	}
	defer e.timed(&w.step.Timing.Act)()
	actCtx, cancel := delayCancel(ctx, actGrace)
	defer cancel()
	out, err := e.dispatch(actCtx, w)
	if err != nil {
		return e.cannotContinue(ctx, cua.EndEnvError, "acting", err)
	}
	w.applyOutcome(out)
	if r := w.step.Restored; r != nil && r.Error != "" {
		return nil // the rewind was refused before anybody looked at the page
	}
	return e.keepObservation(&w.step.After)
}

// verify computes the effect of the action, by which loops are judged, and writes the feedback for the next
// turn. Churn is what the page changes by itself, tiles are the parts of the picture that differ. The
// verifier (check) is a second opinion on risky actions.
func (e *episode) verify(_ context.Context, w *work) error {
	defer e.timed(&w.step.Timing.Verify)()
	s := &w.step
	if w.outcome != nil {
		churn := e.churn(w)
		tiles := e.compare(w, churn)
		s.Effect = detector.Effect(detector.EffectInput{Before: w.before, After: s.After, Action: *s.Action,
			Target: s.Target, Churn: churn, Tiles: tiles})
		s.After.NodeBy = cua.NodeBy(&s.After, churn)
		e.check(w, tiles)
		s.After = stored(s.After)
		s.Repetition = e.asm.repeated(extended(e.history, *s))
	}
	s.Feedback = feedback(w)
	return nil
}

// record appends the step to the journal and to the history.
func (e *episode) record(_ context.Context, w *work) error {
	if err := e.write(w); err != nil {
		return err
	}
	w.step.After = w.step.After.Sharing(&w.turn.Now) // what did not change is kept in memory once
	e.history.Steps = append(e.history.Steps, w.step)
	if err := e.announce(&e.history.Steps[len(e.history.Steps)-1]); err != nil {
		return err
	}
	if w.end != nil {
		return w.end
	}
	return nil
}
