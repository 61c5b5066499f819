package model

import (
	"cmp"
	"fmt"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// batch plays the calls of one reply, one action at a time. It is a value without effects: who holds it asks
// for the next action, and tells what came of it.
type batch struct {
	outs []Outcome
	at   int  // the call that is played
	sub  int  // its next action
	done bool // nothing more will be played
}

func newBatch(calls []Call) batch {
	b := batch{}
	for _, c := range calls {
		if len(c.Checks) > 0 && len(c.Actions) == 0 && c.Failure == nil {
			// There is nothing to do, and all the same something to be agreed to: it is asked about a look at
			// the page.
			c.Actions, c.Local = []cua.Action{{Kind: cua.Observe}}, false
		}
		b.outs = append(b.outs, Outcome{Call: c, Fate: NotExecuted})
	}
	return b
}

// current is the call whose turn it is, after those that need no step have been answered; nil when none is
// left or the batch has ended.
func (b *batch) current() *Outcome {
	for ; !b.done && b.at < len(b.outs); b.at, b.sub = b.at+1, 0 {
		o := &b.outs[b.at]
		if o.Call.Failure != nil || !o.Call.Local && b.sub < len(o.Call.Actions) {
			return o
		}
		switch {
		case o.Call.Local:
			o.Fate, o.Text = Answered, o.Call.Answer
		case len(o.Call.Actions) == 0: // nothing to be done is done
			o.Fate, o.Text = Executed, doneText
		}
	}
	return nil
}

// reject ends the batch at its current call, which was not tried.
func (b *batch) reject(fate Fate, text string) {
	if o := b.current(); o != nil {
		o.Fate, o.Text = fate, text
	}
	b.done = true
}

// fail ends the batch at its current call for a failure of the call itself.
func (b *batch) fail(f *cua.Failure) { b.reject(Failed, failureText(f)) }

// settle takes in the step that was made of the current action, in turn t, and ends the batch where what
// follows would not be what the model meant.
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

// stops says whether what the last step of t met ends a batch: something is said to the model, a dialog waits
// for an answer or was answered, or the step had no effect while a signal holds.
func stops(t *cua.Turn, s *cua.Step) bool {
	return len(t.Notes) > 0 || t.Now.Dialog != nil || s.Proposed.Kind == cua.AnswerDlg || t.Soft() &&
		s.Acting() && !s.Effect.Any()
}

// outcomes is what became of every call. What was not played says so.
func (b *batch) outcomes() []Outcome {
	b.current() // answers what needs no step
	b.done = true
	for i := range b.outs {
		if b.outs[i].Fate == NotExecuted {
			b.outs[i].Text = cmp.Or(b.outs[i].Text, haltText)
		}
	}
	return b.outs
}

// fateOf is what became of an action, from its step.
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

// The sentences that a model is told what became of a call in. They stay as they are: models and tests know
// them.
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

// maxFeedback and maxRead bound what a step reports of page and runner, bytes: a line of a tool's result, and
// what an action that reads the page brought back (about 4,000 tokens).
const (
	maxFeedback = 800
	maxRead     = 16 << 10
)

// outcomeText says what became of the steps of a call. What page and runner reported is quoted: it is data.
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
