package brain

import (
	"context"
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// Replay decides as a journal's steps did: each decision is what the step of that
// place proposed, also where a gate then dispatched something else, and also where the
// proposal could not be read. After the last step it says done with success=false.
type Replay struct {
	Steps []cua.Step
}

// Decide answers with the proposal whose turn it is. It never returns an error other than ctx's.
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
