package runner

import (
	"context"
	"errors"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/perceptual"
)

// target is what the proposal is aimed at, with the idle changes since the turn. If the page has no such
// target, the proposal has failed. The error means that the environment is broken.
func (e *episode) target(ctx context.Context, w *work) (cua.Target, error) {
	target, err := e.env.Locate(ctx, w.proposal.Action)
	if failed, ok := errors.AsType[*cua.Failure](err); ok && failed.Kind.End() == "" {
		w.proposal.Failure = failed
	} else if err != nil {
		return target, err
	}
	e.idle(w, &target)
	return target, nil
}

// idle records what changed between the turn and locate while nobody acted. The effect of the action is
// measured from the page as it is now.
func (e *episode) idle(w *work, t *cua.Target) {
	page, shot := t.Idle.Page, t.Idle.Shot
	t.Idle.Page, t.Idle.Shot = nil, nil
	if page != nil {
		page.FrameSHA, page.Writes = w.before.FrameSHA, w.before.Writes
		// what moved before may go on moving
		page.Ambient.Boxes = slices.Concat(w.before.Ambient.Boxes, page.Ambient.Boxes)
		w.before = *page
	}
	if shot == nil || e.frame == nil {
		return
	}
	sha := perceptual.SHA(shot)
	if sha == w.before.FrameSHA {
		return
	}
	frame, err := perceptual.Decode(shot, e.cfg.Perceptual)
	if err != nil {
		return
	}
	t.Idle.Tiles = perceptual.Compare(e.frame, frame, perceptual.CompareOptions{}, e.cfg.Perceptual).Changed
	w.before.FrameSHA, w.frame = sha, frame
}
