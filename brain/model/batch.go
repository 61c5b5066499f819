package model

import (
	"cmp"
	"fmt"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// batch executes the calls of one reply, one action at a time. It is a value without effects: the caller
// asks for the next action and reports its outcome.
type batch struct {
	outs []Outcome
	at   int  // index of the current call
	sub  int  // index of its next action
	done bool // no further action will be executed
}

func newBatch(calls []Call) batch {
	b := batch{}
	for _, c := range calls {
		if len(c.Checks) > 0 && len(c.Actions) == 0 && c.Failure == nil {
			// The call needs no action, but it needs consent: the consent is asked for an observation of
			// the page.
			c.Actions, c.Local = []cua.Action{{Kind: cua.Observe}}, false
		}
		b.outs = append(b.outs, Outcome{Call: c, Fate: NotExecuted})
	}
	return b
}

// current is the current call, after answering those that need no step. It is nil if no call is left or
// the batch has ended.
func (b *batch) current() *Outcome {
	for ; !b.done && b.at < len(b.outs); b.at, b.sub = b.at+1, 0 {
		o := &b.outs[b.at]
		if o.Call.Failure != nil || !o.Call.Local && b.sub < len(o.Call.Actions) {
			return o
		}
		switch {
		case o.Call.Local:
			o.Fate, o.Text = Answered, o.Call.Answer
		case len(o.Call.Actions) == 0: // a call without actions is done
			o.Fate, o.Text = Executed, doneText
		}
	}
	return nil
}

// reject ends the batch at its current call, which was not executed.
func (b *batch) reject(fate Fate, text string) {
	if o := b.current(); o != nil {
		o.Fate, o.Text = fate, text
	}
	b.done = true
}

// fail ends the batch at its current call because of a failure of the call itself.
func (b *batch) fail(f *cua.Failure) { b.reject(Failed, failureText(f)) }

// settle records the step of the current action, in turn t. It ends the batch if the rest may no longer be
// what the model intended.
func (b *batch) settle(t *cua.Turn, s cua.Step) {
	o := b.current()
	if o == nil {
		return
	}
	o.Steps = append(o.Steps, s)
	o.Fate, o.Text = fateOf(&s), outcomeText(o.Steps)
	b.sub++
	if o.Fate != Executed || stops(t, &s) {
		if b.sub < len(o.Call.Actions) && o.Fate == Executed {
			o.Text += " " + cutShort
		}
		b.done = true
	}
}

// stops reports whether the last step of t ends a batch: a note is pending for the model, a dialog waits
// for an answer or was answered, or the step had no effect while a signal holds.
func stops(t *cua.Turn, s *cua.Step) bool {
	return len(t.Notes) > 0 || t.Now.Dialog != nil || s.Proposed.Kind == cua.AnswerDlg || t.Soft() &&
		s.Acting() && !s.Effect.Any()
}

// outcomes are the outcomes of all calls, including those that were not executed.
func (b *batch) outcomes() []Outcome {
	b.current() // answers calls that need no step
	b.done = true
	for i := range b.outs {
		if b.outs[i].Fate == NotExecuted {
			b.outs[i].Text = cmp.Or(b.outs[i].Text, haltText)
		}
	}
	return b.outs
}

// fateOf is the fate of an action, derived from its step.
func fateOf(s *cua.Step) Fate {
	ruled, _ := s.Ruled()
	switch {
	case s.Substituted():
		return Substituted
	case ruled.Verdict == cua.Refuse || s.Failure != nil && (s.Failure.Kind == cua.FailPolicy ||
		s.Failure.Kind == cua.FailDoneRefused):
		return Refused
	case s.Failure != nil:
		return Failed
	case s.Action == nil:
		return Refused
	}
	return Executed
}

// The sentences about the fate of a call. They must not change: models and tests rely on them.
const (
	doneText    = "Done."
	nothingText = "Done. Nothing on the page changed."
	swapText    = "Not done as asked. The runner did something else instead:"
	refuseText  = "Not done. It was refused:"
	failText    = "Failed:"
	haltText    = "Not executed: an earlier action in this turn did not go as asked, or the page needs a " +
		"new look."
	cutShort = "The rest of this call was not done: look at the page first."
)

// maxFeedback and maxRead limit what a step reports, bytes: feedback of the page and the runner (one line
// of a tool result), and the text that a reading action returned (about 4,000 tokens).
const (
	maxFeedback = 800
	maxRead     = 16 << 10
)

// outcomeText describes the fate of the steps of a call. Reports of the page and the runner are quoted,
// because they are data.
func outcomeText(steps []cua.Step) string {
	s := &steps[len(steps)-1]
	limit := maxFeedback
	if s.Action != nil && s.Action.Kind.ReadOnly() {
		limit = maxRead
	}
	text := doneText
	switch fateOf(s) {
	case Substituted:
		text = swapText
	case Refused:
		text = refuseText
	case Failed:
		text = failText
	default:
		if s.Acting() && s.Effect != nil && !s.Effect.Any() {
			text = nothingText
		}
	}
	if s.Feedback != "" {
		text += " " + brain.Quoted(s.Feedback, limit)
	}
	return text
}

func failureText(f *cua.Failure) string {
	return fmt.Sprintf("%s %s: %s", failText, f.Kind, brain.Quoted(f.Detail, maxFeedback))
}
