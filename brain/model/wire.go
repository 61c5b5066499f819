package model

import (
	"context"
	"errors"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// Wire is a vendor's protocol with the conversation that it keeps. One value serves one episode.
type Wire interface {
	// Ask sends what say holds and reads the reply. With say.Fresh what was said before is forgotten first.
	// What the model answers wrongly is in the reply; an error says that it does not answer at all, and ends
	// the episode. ErrTooLong, wrapped or not, makes the conversation start anew, once.
	Ask(ctx context.Context, say Say) (Reply, error)
}

// ErrTooLong says that the conversation, or a request, is longer than the model takes.
var ErrTooLong = errors.New("model: the conversation is too long")

// Say is what a model is to be told in one request.
type Say struct {
	// Fresh says that the conversation begins here: Text is then the whole prompt.
	Fresh bool
	// Outcomes are what came of the calls of the last reply, one for each, in order. Each must be told.
	Outcomes []Outcome
	// Text is the rest: the whole prompt, or what is new, or what was wrong with the last reply.
	Text string
	// Shots are the newest frames, oldest first, the page as it is now last. Empty where none is needed (the
	// last reply could not be played and the page is as it was) and where there is none.
	Shots []cua.Shot
	// Turn is what Text was made of: for the page's address, tabs and marks. It must not be changed.
	Turn *cua.Turn
}

// Reply is what a model answered.
type Reply struct {
	// Calls are what it asks for, in order.
	Calls []Call
	// Thought is its reasoning or its words, as far as it shows them.
	Thought string
	// Final is a done or an ask that it said in words (see Final); nil where it called something. Calls come
	// first.
	Final *cua.Action
	// Failure says that the reply as a whole cannot be played: cut short, no call and no verdict, malformed.
	// The model is asked once more, then it is a failed step. Failure.Raw is the reply as it came.
	Failure *cua.Failure
	// Refused says that the model declines the task; Thought is why. The episode ends.
	Refused bool
	// Usage is what the request cost. Without USD it is priced by the brain's options; Attempts are filled
	// in.
	Usage cua.Usage
}

// Call is one thing that a reply asks for.
type Call struct {
	// ID and Name are the vendor's: what the answer refers to.
	ID   string
	Name string
	// Actions are what is done for it, a step each. They are in CSS pixels.
	Actions []cua.Action
	// Answer answers it without a step, where Local is set: the place of the pointer, the list of tabs.
	Answer string
	Local  bool
	// Failure says why it cannot be played: an unknown action or key, a bad argument, a point outside.
	Failure *cua.Failure
	// Thought is what the model says of this call; "" is what it says of the reply.
	Thought string
	// Checks are what a person has to agree to before it is played.
	Checks []brain.SafetyCheck
	// Data is the vendor's own, handed back in the outcome.
	Data any
}

// Fate is what became of a call.
type Fate string

// What becomes of calls.
const (
	// Executed: it was done as asked; the page may or may not have changed.
	Executed Fate = "executed"
	// Substituted: something else was done in its place.
	Substituted Fate = "substituted"
	// Refused: a rule, a person or a policy forbade it.
	Refused Fate = "refused"
	// Failed: it could not be done, or could not be read.
	Failed Fate = "failed"
	// NotExecuted: it was not tried, since the batch ended before it.
	NotExecuted Fate = "not_executed"
	// Answered: it was answered without a step.
	Answered Fate = "answered"
)

// Outcome is what became of one call.
type Outcome struct {
	Call Call
	Fate Fate
	// Steps are those made for it, the last of which decided. After of the last is the page.
	Steps []cua.Step
	// Text says it in a sentence that stays the same, with what page and runner reported. Vendors with words
	// of their own for NotExecuted use those.
	Text string
	// Acknowledged says that all its checks were agreed to.
	Acknowledged bool
}

// OK says whether what the model asked for was done or answered.
func (o Outcome) OK() bool { return o.Fate == Executed || o.Fate == Answered }
