package brain

import (
	"context"
	"errors"
	"io"

	"github.com/cua-runner/cua-runner/cua"
)

// Brain is what WithFaults wraps and Open opens: turn in, decision out. A reply that
// cannot be turned into an action is a Decision with a Failure and no error. The turn
// is never changed.
type Brain interface {
	Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error)
}

// errNoExtract says that a brain reads no texts; nobody sees it but the caller, who then reads the text by
// grammar.
var errNoExtract = errors.New("brain: it cannot read plan values out of a text")

// extract asks b for the plan values of goal, as a brain that wraps it does (runner.Extractor). A brain that
// cannot read texts is an error, not an empty answer: that would say that the text has none.
func extract(ctx context.Context, b Brain, goal string) ([]cua.PlanValue, error) {
	x, ok := b.(interface {
		Extract(ctx context.Context, goal string) ([]cua.PlanValue, error)
	})
	if !ok {
		return nil, errNoExtract
	}
	return x.Extract(ctx, goal)
}

// index is how many decisions came before the one that t asks for.
func index(t *cua.Turn) int { return max(t.Decision-1, 0) }

// ended is the answer of a brain whose list of decisions has run out.
func ended(by, answer string) cua.Decision {
	return cua.Decision{Action: cua.Action{Kind: cua.Done, Text: answer}, Thought: answer, By: by}
}

// KeepIn tells a brain, and those that it wraps, the folder of its episode, where it may leave what it has to
// say beside the journal; most leave nothing. It is told before the first question.
func KeepIn(b Brain, dir string) {
	if k, ok := b.(interface{ KeepIn(dir string) }); ok {
		k.KeepIn(dir)
	}
}

// Close closes what holds something until its episode has ended, as a process, and those that wrap it; most
// brains hold nothing. A brain is asked nothing after it.
func Close(b Brain) error {
	if c, ok := b.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
