package runner

import (
	"context"

	"github.com/cua-runner/cua-runner/cua"
)

// Brain is a model or program that decides. A reply that cannot be parsed is a Decision with a Failure. An
// error means that the brain cannot answer at all, and ends the episode as brain_error. Decide must return
// soon after ctx ends.
type Brain interface {
	Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error)
}

// Extractor is a Brain that can read plan values out of a task's text. It is asked once, before the first
// step, if the task has none. The result is stored in the header, so later steps, a resume and a replay need
// no model. A value that is not in the text is dropped. After an error the text is parsed by formctl.Extract,
// as for other brains.
type Extractor interface {
	Extract(ctx context.Context, goal string) ([]cua.PlanValue, error)
}

// Keeper is a Brain that stores something next to the journal, for example the standard error of its process.
// It is given the episode's folder once that exists, before the first decision.
type Keeper interface{ KeepIn(dir string) }

// Env is a browser session. A fault of the page is an Outcome with a Failure; one of kind site_fault ends the
// episode. An error, or a failure of kind env_error, means that the environment is broken and ends the
// episode too. Each call returns within its own deadline and soon after ctx ends.
type Env interface {
	// Reset opens the task's start page in a fresh session.
	Reset(ctx context.Context, task cua.Task) (cua.Observation, error)
	// Locate reports what a is aimed at, whether that is covered, and what changed since the last
	// observation. It does not change the page.
	Locate(ctx context.Context, a cua.Action) (cua.Target, error)
	// Act dispatches a, waits until the page settles, and observes it.
	Act(ctx context.Context, a cua.Action) (cua.Outcome, error)
	// Restore returns to a checkpoint and reads the given facets back.
	Restore(ctx context.Context, c cua.Checkpoint, facets []string) (cua.Outcome, error)
	// Denials are the requests that were refused since the last call; nil is none.
	Denials() []cua.Denial
	Close() error
}

// Gate can overrule a proposal. It is pure: the same turn and proposal give the same ruling, and Review
// changes neither.
type Gate interface {
	Name() string
	Review(t *cua.Turn, p cua.Proposal) cua.Ruling
}

// Advisor adds notes to the turn before the brain decides. It is pure.
type Advisor interface {
	Advise(t *cua.Turn) []cua.Note
}
