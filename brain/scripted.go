package brain

import (
	"context"
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// Scripted takes its decisions from a list: decision n of the episode is entry n. If the element of an
// entry is not on the page, the decision fails with element_not_found, and the script continues with the
// next entry. After the last entry it says done with success=false.
type Scripted struct {
	Script []cua.Scripted
}

// Decide returns the next entry. It returns no error except that of ctx.
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
