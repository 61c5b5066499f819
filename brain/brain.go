package brain

import (
	"context"
	"errors"
	"io"

	"github.com/cua-runner/cua-runner/cua"
)

// Brain decides the next action of a turn. A reply that cannot be parsed into an action is a Decision with
// a Failure, not an error. Decide must not change the turn.
type Brain interface {
	Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error)
}

// errNoExtract reports that a brain does not implement Extract. The caller then parses the goal by its
// grammar.
var errNoExtract = errors.New("brain: this brain cannot read plan values from a text")

// extract asks b for the plan values of goal (runner.Extractor). For a brain without Extract it returns
// errNoExtract and not an empty list, which would mean that the text has no values.
func extract(ctx context.Context, b Brain, goal string) ([]cua.PlanValue, error) {
	x, ok := b.(interface {
		Extract(ctx context.Context, goal string) ([]cua.PlanValue, error)
	})
	if !ok {
		return nil, errNoExtract
	}
	return x.Extract(ctx, goal)
}

// index is the number of decisions before the one that t asks for.
func index(t *cua.Turn) int { return max(t.Decision-1, 0) }

// ended is the decision of a brain whose list of decisions is exhausted.
func ended(by, answer string) cua.Decision {
	return cua.Decision{Action: cua.Action{Kind: cua.Done, Text: answer}, Thought: answer, By: by}
}

// KeepIn passes the folder of the episode to b, and to the brains that b wraps. A brain may write files
// there, such as a log; most write none. KeepIn is called before the first Decide.
func KeepIn(b Brain, dir string) {
	if k, ok := b.(interface{ KeepIn(dir string) }); ok {
		k.KeepIn(dir)
	}
}

// Close releases what b, and the brains that it wraps, hold until the end of the episode, such as a
// process. Most brains hold nothing. Decide must not be called after Close.
func Close(b Brain) error {
	if c, ok := b.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
