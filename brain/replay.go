package brain

import (
	"context"
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// Replay repeats the proposals of a journal: decision n is the proposal of step n, even if a gate
// dispatched something else, and even if the proposal could not be parsed. After the last step it says
// done with success=false.
type Replay struct {
	Steps []cua.Step
}

// Decide returns the next proposal. It returns no error except that of ctx.
func (r Replay) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	const by = "replay"
	i := index(t)
	if i >= len(r.Steps) {
		return ended(by, fmt.Sprintf("the replayed episode ended after %d steps", len(r.Steps))), ctx.Err()
	}
	s := &r.Steps[i]
	d := cua.Decision{Action: s.Proposed, Thought: s.Thought, By: by}
	if s.Proposed.Kind == "" {
		d.Action = cua.Action{}
		d.Failure = &cua.Failure{Kind: cua.FailSchema, Detail: fmt.Sprintf("step %d proposed nothing", s.N)}
		if s.Failure != nil {
			f := *s.Failure
			d.Failure = &f
		}
	}
	return d, ctx.Err()
}
