package model

import (
	"context"
	"errors"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// Wire implements the protocol of a vendor and keeps the conversation. A value serves one episode.
type Wire interface {
	// Ask sends the content of say and parses the reply. With say.Fresh it first discards the
	// conversation. Errors of the model are part of the reply. An error means that the model does not
	// answer, and ends the episode. ErrTooLong, wrapped or not, restarts the conversation, once.
	Ask(ctx context.Context, say Say) (Reply, error)
}

// ErrTooLong reports that the conversation, or a request, is longer than the model accepts.
var ErrTooLong = errors.New("model: the conversation is too long")

// Say is the content of one request.
type Say struct {
	// Fresh says that the conversation begins here: Text is then the whole prompt.
	Fresh bool
	// Outcomes are the outcomes of the calls of the last reply, one for each, in order. Each must be
	// reported to the model.
	Outcomes []Outcome
	// Text is the rest: the whole prompt, or what is new, or what was wrong with the last reply.
	Text string
	// Shots are the newest frames, oldest first; the last one is the present page. It is empty if no frame
	// is needed (the last reply could not be executed and the page is unchanged), and if there is none.
	Shots []cua.Shot
	// Turn is the turn that Text describes. Wires read the page's address, tabs and marks from it. They
	// must not change it.
	Turn *cua.Turn
}

// Reply is the answer of a model.
type Reply struct {
	// Calls are the requested calls, in order.
	Calls []Call
	// Thought is its reasoning or its text, if the model shows them.
	Thought string
	// Final is a done or an ask that it expressed in text (see Final); nil if it made a call. Calls take
	// precedence.
	Final *cua.Action
	// Failure says that the reply as a whole cannot be executed: truncated, neither call nor verdict,
	// malformed. The model is asked once more; the second time it is a failed step. Failure.Raw is the
	// original reply.
	Failure *cua.Failure
	// Refused says that the model refuses the task; Thought is the reason. The episode ends.
	Refused bool
	// Usage is the usage of the request. If USD is missing, it is computed with the prices of the brain's
	// options. Attempts is filled in by Brain.
	Usage cua.Usage
}

// Call is one call of a reply.
type Call struct {
	// ID and Name are the vendor's identifiers, to which the answer refers.
	ID   string
	Name string
	// Actions are the actions of the call, one step each, in CSS pixels.
	Actions []cua.Action
	// Answer is the answer to a call that needs no step (Local is set): the position of the pointer, the
	// list of tabs.
	Answer string
	Local  bool
	// Failure is the reason why the call cannot be executed: an unknown action or key, a bad argument, a
	// point outside.
	Failure *cua.Failure
	// Thought is the model's text about this call; "" means Reply.Thought.
	Thought string
	// Checks are the safety checks that need consent before the call is executed.
	Checks []brain.SafetyCheck
	// Data is private data of the wire. It is returned in the outcome.
	Data any
}

// Fate is what happened to a call.
type Fate string

// The fates of calls.
const (
	// Executed: it was done as asked, with or without an effect on the page.
	Executed Fate = "executed"
	// Substituted: another action was done instead.
	Substituted Fate = "substituted"
	// Refused: a rule, a person or a policy forbade it.
	Refused Fate = "refused"
	// Failed: it could not be done, or could not be parsed.
	Failed Fate = "failed"
	// NotExecuted: it was not tried, because the batch ended before it.
	NotExecuted Fate = "not_executed"
	// Answered: it was answered without a step.
	Answered Fate = "answered"
)

// Outcome is the outcome of one call.
type Outcome struct {
	Call Call
	Fate Fate
	// Steps are the steps of the call; the last one decided its fate. After of the last step is the
	// resulting page.
	Steps []cua.Step
	// Text describes the fate in a sentence that never changes, with the reports of the page and the
	// runner. Vendors with their own words for NotExecuted use those.
	Text string
	// Acknowledged says that there is consent to all its checks.
	Acknowledged bool
}

// OK reports whether the request of the model was executed or answered.
func (o Outcome) OK() bool { return o.Fate == Executed || o.Fate == Answered }
