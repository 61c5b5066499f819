package brain

import (
	"context"

	"github.com/cua-runner/cua-runner/cua"
)

// Brain is what WithFaults wraps and Open opens: turn in, decision out. A reply that
// cannot be turned into an action is a Decision with a Failure and no error. The turn
// is never changed.
type Brain interface {
	Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error)
}

// index is how many decisions came before the one that t asks for.
func index(t *cua.Turn) int { return max(t.Decision-1, 0) }

// ended is the answer of a brain whose list of decisions has run out.
func ended(by, answer string) cua.Decision {
	return cua.Decision{Action: cua.Action{Kind: cua.Done, Text: answer}, Thought: answer, By: by}
}
