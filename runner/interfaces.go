package runner

import (
	"context"

	"github.com/cua-runner/cua-runner/cua"
)

// Brain is the model side: turn in, decision out. A reply that cannot be read is
// a Decision with a Failure; an error means that the brain cannot answer at all and
// ends the episode as brain_error. Decide must return soon after ctx ends.
type Brain interface {
	Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error)
}

// Extractor is a Brain that can read plan values out of a task's text. It is asked once, before the
// first step, for a task that has no values; what it finds is stored in the header, so that later
// steps, a resume and a replay need no model. A value that does not stand in the text counts for
// nothing. After an error the text is read by the grammar of formctl.Extract, as for any other brain.
type Extractor interface {
	Extract(ctx context.Context, goal string) ([]cua.PlanValue, error)
}

// Keeper is a Brain that leaves something beside the journal, as what its process wrote to standard error. It
// is told the episode's folder once that is there, before the first decision.
type Keeper interface{ KeepIn(dir string) }

// Env is a browser session. A fault of the page is an Outcome with a Failure, which ends the episode where it
// is of kind site_fault. An error, or a failure of kind env_error, means that the environment is broken and
// ends the episode. Every call returns within its own deadline and soon after ctx ends.
type Env interface {
	// Reset opens the task's start page in a fresh session.
	Reset(ctx context.Context, task cua.Task) (cua.Observation, error)
	// Locate asks what a is aimed at, whether it is covered, and what changed since the
	// last observation. It touches nothing.
	Locate(ctx context.Context, a cua.Action) (cua.Target, error)
	// Act dispatches, settles and observes.
	Act(ctx context.Context, a cua.Action) (cua.Outcome, error)
	// Restore returns to a checkpoint and reads the named facets back.
	Restore(ctx context.Context, c cua.Checkpoint, facets []string) (cua.Outcome, error)
	// Denials are what the environment did not let out since the last call; nil is nothing.
	Denials() []cua.Denial
	Close() error
}

// Gate may overrule a proposal. It is pure: the same turn and proposal give the
// same ruling, and neither is changed.
type Gate interface {
	Name() string
	Review(t *cua.Turn, p cua.Proposal) cua.Ruling
}

// Advisor puts notes into the turn before the brain decides. It is pure.
type Advisor interface {
	Advise(t *cua.Turn) []cua.Note
}
