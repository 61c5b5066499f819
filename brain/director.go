package brain

import (
	"context"
	"errors"
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// Directed is a brain with a director: a stronger and more expensive brain that decides the turns that ask
// for it (cua.Turn.AskDirector: the run is stuck, and the director was not asked recently). Brain decides
// all other turns.
//
// A decision of the director has the director's name in By, and gates that substitute respect it. If the
// director cannot answer, or refuses the task, the result is a failed step of kind model_error: the
// attempt counts, and Brain continues.
type Directed struct {
	Brain    Brain
	Director Brain
	// Name is the name of the director, for Decision.By.
	Name string
}

// Decide asks the director or the brain, depending on the turn. It returns the error of the brain, or that
// of ctx.
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

// Extract asks Brain for plan values (runner.Extractor), because no run is stuck before the first step. It
// returns an error if Brain has no Extract.
func (d Directed) Extract(ctx context.Context, goal string) ([]cua.PlanValue, error) {
	return extract(ctx, d.Brain, goal)
}

// KeepIn passes dir to both brains (see KeepIn).
func (d Directed) KeepIn(dir string) {
	KeepIn(d.Brain, dir)
	KeepIn(d.Director, dir)
}

// Close closes both brains (see Close).
func (d Directed) Close() error { return errors.Join(Close(d.Brain), Close(d.Director)) }
