package brain

import (
	"context"
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// Scripted decides from a list: the n-th decision of the episode is the n-th entry.
// An entry whose element is not on the page is a decision that failed with
// element_not_found, and the script goes on with the next entry. After the last entry
// it says done with success=false.
type Scripted struct {
	Script []cua.Scripted
}

// Decide answers with the entry whose turn it is. It never returns an error other than ctx's.
func (s Scripted) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	const by = "scripted"
	i := index(t)
	if i >= len(s.Script) {
		return ended(by, fmt.Sprintf("the script ended after %d actions and the task is not known to be done",
			len(s.Script))), ctx.Err()
	}
	e := s.Script[i]
	d := cua.Decision{Thought: e.Thought, By: by}
	a, err := e.Resolve(t.Now)
	if err != nil {
		d.Failure = &cua.Failure{Kind: cua.FailNotFound, Detail: fmt.Sprintf("script entry %d: %v", i+1, err)}
		return d, ctx.Err()
	}
	d.Action = a
	return d, ctx.Err()
}
