package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// stop ends the episode. It is an error so that each stage can return it and the loop can distinguish it from
// a broken machine.
type stop struct {
	reason cua.EndReason
	detail string
	reward *float64
	code   string // the gate's reason, if the episode ends with a question
	pause  bool   // the episode is paused: it can continue from here
	by     string // cua.Person if a person paused it
	asks   bool   // the brain asks a question that a person may answer
}

func (s *stop) Error() string { return fmt.Sprintf("%s: %s", s.reason, s.detail) }

// errWall is the cause of a context that the wall-clock cap ended. A caller's own deadline has another cause.
var errWall = errors.New("the wall clock ran out")

// fatal is how a failure of the page or of the environment ends the episode; nil if it does not.
func fatal(f *cua.Failure) *stop {
	if f == nil || f.Kind.End() == "" {
		return nil
	}
	return &stop{reason: f.Kind.End(), detail: f.Detail}
}

// cannotContinue is how the episode ends when the brain, the page or the environment cannot continue:
// canceled by the caller, over the wall-clock cap, by the page's own doing, or for reason, a fault of the
// infrastructure.
func (e *episode) cannotContinue(ctx context.Context, reason cua.EndReason, doing string, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), errWall):
		return &stop{reason: cua.EndMaxWall, detail: "the wall clock ran out while " + doing}
	case ctx.Err() != nil:
		return &stop{reason: cua.EndCancelled, detail: "interrupted while " + doing}
	}
	if f, ok := errors.AsType[*cua.Failure](err); ok && f.Kind == cua.FailSite {
		reason = cua.EndSiteFault
	}
	return &stop{reason: reason, detail: fmt.Sprintf("%s: %v", doing, err)}
}
