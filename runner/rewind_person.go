package runner

import (
	"context"
	"errors"
	"sync"

	"github.com/cua-runner/cua-runner/cua"
)

// RewindRequest is a person's wish to go back.
type RewindRequest struct {
	// Step is the one before which the page is to be as it was.
	Step int
	// Facets are what to restore (cua.Facets); nil is all but the cookies.
	Facets []string
	// Consent says that the person knows that the server keeps what was sent since, and wants to go back all the
	// same. Without it such a rewind is refused as irreversible_fence, which names the step.
	Consent bool
}

// Rewind makes a rewind the next step of the episode that r runs, whatever its brain is about to say: a call of the
// brain that is under way is cancelled first. It returns once the step is on record. One at a time: while another
// is under way the answer is busy. The error is ErrOver when no episode is there to be rewound, or that of ctx;
// the rewind may then still be made.
func (r *Runner) Rewind(ctx context.Context, q RewindRequest) (cua.Restored, error) {
	return r.desk.ask(ctx, q)
}

// ErrOver says that there is no episode to rewind: it has not begun, or it has ended.
var ErrOver = errors.New("runner: no episode is under way")

// desk is where a person's wishes wait for the loop.
type desk struct {
	mu     sync.Mutex
	open   bool
	wish   *wish
	cancel context.CancelCauseFunc // of the brain's call that is under way
}

// wish is one request and where its answer goes.
type wish struct {
	RewindRequest
	done chan cua.Restored // closed without an answer when the episode ends before
}

// errWish is why a brain's call ended that a person's wish cancelled.
var errWish = errors.New("a person wants to go back")

func (d *desk) ask(ctx context.Context, q RewindRequest) (cua.Restored, error) {
	d.mu.Lock()
	switch {
	case !d.open:
		d.mu.Unlock()
		return cua.Restored{}, ErrOver
	case d.wish != nil:
		d.mu.Unlock()
		return cua.Restored{OK: cua.RestoredNone, Error: cua.RewindBusy}, nil
	}
	w := &wish{q, make(chan cua.Restored, 1)}
	d.wish = w
	if d.cancel != nil {
		d.cancel(errWish)
	}
	d.mu.Unlock()
	select {
	case r, ok := <-w.done:
		if !ok {
			return cua.Restored{}, ErrOver
		}
		return r, nil
	case <-ctx.Done():
		return cua.Restored{}, ctx.Err()
	}
}

// begin opens the desk, close ends it: whoever waits is told.
func (d *desk) begin() { d.mu.Lock(); d.open = true; d.mu.Unlock() }

func (d *desk) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = false
	if d.wish != nil {
		close(d.wish.done)
		d.wish = nil
	}
}

// asking is the context of a call of the brain. A wish ends it.
func (d *desk) asking(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.wish != nil {
		cancel(errWish)
	}
	d.cancel = cancel
	return ctx, func() {
		d.mu.Lock()
		d.cancel = nil
		d.mu.Unlock()
		cancel(nil)
	}
}

// wanted is the decision of the person who waits; false when nobody does.
func (d *desk) wanted() (cua.Decision, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.wish == nil {
		return cua.Decision{}, false
	}
	return cua.Decision{By: cua.Person, Action: cua.Action{Kind: cua.Rewind, Step: d.wish.Step, Facets: d.wish.Facets, Accept: d.wish.Consent}}, true
}

// answer tells who waits what came of the wish, once the step that s is is on record.
func (d *desk) answer(s *cua.Step) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.wish == nil || s.By != cua.Person {
		return
	}
	r := cua.Restored{OK: cua.RestoredNone, Error: cua.NoSnapshot} // a step that is none, or a cap: nothing was gone back to
	if s.Restored != nil {
		r = *s.Restored
	}
	d.wish.done <- r
	d.wish = nil
}

// decision is the brain's, or that of a person who wants to go back.
func (e *episode) decision(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	if d, ok := e.desk.wanted(); ok {
		return d, nil
	}
	asking, over := e.desk.asking(ctx)
	defer over()
	d, err := e.ask(asking, t)
	if p, ok := e.desk.wanted(); ok && ctx.Err() == nil {
		return p, nil
	}
	return d, err
}
