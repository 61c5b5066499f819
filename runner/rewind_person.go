package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// RewindRequest is a person's wish to go back.
type RewindRequest struct {
	// Step is the one before which the page is to be as it was; 0 is the newest one that did something and
	// was not undone yet.
	Step int
	// Facets are what to restore (cua.Facets); nil is all but the cookies.
	Facets []string
	// Consent says that the person knows that the server keeps what was sent since, and wants to go back all
	// the same. Without it such a rewind is refused as irreversible_fence, which names the step.
	Consent bool
}

// Rewind makes a rewind the next step of the episode that r runs, whatever its brain is about to say: a call
// of the brain that is under way is cancelled first. It returns once the step is on record. What cannot be
// gone back to, or not without consent, is answered without a step. One at a time: while another is under way
// the answer is busy. An episode that is paused goes on with it. The error is ErrOver when no episode is
// there to be rewound, or that of ctx; the rewind may then still be made.
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
	told   []cua.Note              // what a person said, for the next turn
	cancel context.CancelCauseFunc // of the brain's call that is under way
}

// Tell gives the brain a sentence of a person's: a note in the next turn that is made. It is kept in the
// journal with that turn, so one that holds the value of a secret is refused. The error is ErrOver when no
// episode is under way.
func (r *Runner) Tell(text string) error {
	if err := trajectories.HoldsSecret(text, r.Secrets); err != nil {
		return fmt.Errorf("not told: %w", err)
	}
	if text = strings.Join(strings.Fields(text), " "); len(text) > maxTold {
		return fmt.Errorf("not told: it has %d bytes, and %d is the most", len(text), maxTold)
	}
	r.desk.mu.Lock()
	defer r.desk.mu.Unlock()
	if !r.desk.open {
		return ErrOver
	}
	if text != "" {
		r.desk.told = append(r.desk.told, cua.Note{From: cua.Person, Text: cua.PersonSays + text})
	}
	return nil
}

// maxTold bounds what a person may say in one sentence, bytes: what a prompt shows whole of a note.
const maxTold = 900

// heard are the sentences that no turn has carried yet.
func (d *desk) heard() []cua.Note {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := d.told
	d.told = nil
	return out
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

// put is ask for a wish whose answer nobody waits for. One that waits already comes first.
func (d *desk) put(q RewindRequest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.wish == nil {
		d.wish = &wish{q, make(chan cua.Restored, 1)}
	}
}

// wanted is what the person who waits wishes for; false when nobody does.
func (d *desk) wanted() (RewindRequest, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.wish == nil {
		return RewindRequest{}, false
	}
	return d.wish.RewindRequest, true
}

// refuse tells who waits that nothing is gone back to.
func (d *desk) refuse(r cua.Restored) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.wish != nil {
		d.wish.done <- r
		d.wish = nil
	}
}

// answer tells who waits what came of the wish, once the step that s is is on record.
func (d *desk) answer(s *cua.Step) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.wish == nil || s.By != cua.Person {
		return
	}
	// a step that is none, or a cap: nothing was gone back to
	r := cua.Restored{OK: cua.RestoredNone, Error: cua.NoSnapshot}
	if s.Restored != nil {
		r = *s.Restored
	}
	d.wish.done <- r
	d.wish = nil
}

// decision is the brain's, or that of a person who wants to go back.
func (e *episode) decision(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	for {
		if d, ok := e.wished(); ok {
			return d, nil
		}
		asking, over := e.desk.asking(ctx)
		d, err := e.ask(asking, t)
		over()
		if _, ok := e.desk.wanted(); !ok || ctx.Err() != nil {
			return d, err
		}
		if p, ok := e.wished(); ok {
			return p, nil
		}
		if err == nil { // it was there already when the wish came, which came to nothing
			return d, nil
		}
	}
}

// wished is the decision of the person who waits; false when nobody does any more. Who wishes for what cannot
// be gone back to is told so: it is no step, and no mistake of the brain's.
func (e *episode) wished() (cua.Decision, bool) {
	q, ok := e.desk.wanted()
	if !ok {
		return cua.Decision{}, false
	}
	if q.Step == 0 {
		q.Step = e.newest()
	}
	if no := e.refusal(q); no != nil {
		e.desk.refuse(no.Restored)
		return cua.Decision{}, false
	}
	return cua.Decision{By: cua.Person, Action: cua.Action{Kind: cua.Rewind, Step: q.Step, Facets: q.Facets,
		Accept: q.Consent}}, true
}

// refusal is why q is not done; nil when it can be tried.
func (e *episode) refusal(q RewindRequest) *refusal {
	if _, no := e.snapshot(q.Step); no != nil {
		return no
	}
	if sent := e.history.Sent(q.Step); len(sent) > 0 && !q.Consent && !e.cfg.Recovery.Policy.AllowCrossing {
		return &refusal{cua.Restored{OK: cua.RestoredNone, Error: cua.IrreversibleFence, Step: sent[0]},
			"rewind: a step since sent something that the server keeps"}
	}
	return nil
}

// newest is the number of the newest live step that did something to the page; 0 when there is none.
func (e *episode) newest() int {
	for _, s := range slices.Backward(cua.Live(e.history.Steps)) {
		if s.Acting() && s.Action.Kind != cua.Rewind {
			return s.N
		}
	}
	return 0
}
