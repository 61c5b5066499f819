package brain

import (
	"context"
	"errors"
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// Directed is a brain with a director: a stronger and dearer brain that decides in the turns that ask
// for it (cua.Turn.AskDirector: the run is stuck, and the director has not been asked lately). The brain
// itself decides all others and is not asked in those.
//
// A decision of the director says so in By, and gates that substitute respect it. A director that cannot
// answer, or that declines the task, has made a failed step of kind model_error: the attempt counts, and the
// brain goes on.
type Directed struct {
	Brain    Brain
	Director Brain
	// Name is the director's, for Decision.By.
	Name string
}

// Decide asks the one whose turn it is. Its error is the brain's own, or that of ctx.
func (d Directed) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	if !t.AskDirector {
		return d.Brain.Decide(ctx, t)
	}
	out, err := d.Director.Decide(ctx, t)
	out.By = cua.DirectorPrefix + d.Name
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case err != nil:
		out.Action, out.Failure = cua.Action{}, &cua.Failure{Kind: cua.FailModel,
			Detail: fmt.Sprintf("the director could not answer: %v", err)}
	case out.Refused:
		out.Action, out.Failure = cua.Action{}, &cua.Failure{Kind: cua.FailModel,
			Detail: "the director declined the task"}
	}
	out.Refused = false
	return out, nil
}

// Extract asks the brain itself, where it can read plan values out of a text (runner.Extractor): nothing is
// stuck before the first step. It is an error where the brain cannot.
func (d Directed) Extract(ctx context.Context, goal string) ([]cua.PlanValue, error) {
	return extract(ctx, d.Brain, goal)
}

// KeepIn tells both (see KeepIn).
func (d Directed) KeepIn(dir string) {
	KeepIn(d.Brain, dir)
	KeepIn(d.Director, dir)
}

// Close closes both (see Close).
func (d Directed) Close() error { return errors.Join(Close(d.Brain), Close(d.Director)) }
