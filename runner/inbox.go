package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// RewindRequest is a person's request to go back.
type RewindRequest struct {
	// Step is the step to undo: the page is restored to what it was before it. 0 is the newest live step that
	// did something.
	Step int
	// Facets are what to restore (cua.Facets); nil is all but the cookies.
	Facets []string
	// Consent says that the person knows that the server keeps what was sent since, and wants to go back
	// nevertheless. Without it such a rewind is refused as irreversible_fence, which names the step.
	Consent bool
}

// Rewind makes a rewind the next step of the running episode. A pending call of the brain is cancelled, and a
// paused episode continues. Rewind returns once the step is on record. A rewind that is not possible, or not
// without consent, is answered without a step. While another one is pending the answer is busy. The error is
// ErrOver if no episode is running, or that of ctx; after the latter the rewind may still be made.
func (r *Runner) Rewind(ctx context.Context, q RewindRequest) (cua.Restored, error) {
	return r.inbox.rewind(ctx, q)
}

// Tell passes a sentence of a person to the brain, as a note in the next turn. The journal records the note,
// so a text with the value of a secret is refused. The error is ErrOver if no episode is running.
func (r *Runner) Tell(text string) error {
	text, err := OneSentence(text)
	if err != nil {
		return fmt.Errorf("not told: %w", err)
	}
	return r.inbox.addNote(text, r.Secrets)
}

// ErrOver says that no episode is running: it has not begun, or it has ended.
var ErrOver = errors.New("runner: no episode is under way")

// MaxSaid bounds what a person may say or answer at once, bytes. A prompt shows a note of that size whole.
const MaxSaid = 900

// OneSentence is text as a note carries it: on one line. The error says that it is longer than MaxSaid.
func OneSentence(text string) (string, error) {
	text = cua.Flat(text)
	if len(text) > MaxSaid {
		return "", fmt.Errorf("it has %d bytes, and %d is the most", len(text), MaxSaid)
	}
	return text, nil
}

// inbox holds what a person asks for until the loop gets to it.
type inbox struct {
	mu      sync.Mutex
	running bool
	over    bool                    // the episode has ended
	pause   *pendingPause           // nil is none
	asking  bool                    // the person who attends is being asked
	leave   bool                    // the episode is to be left as it is
	pending *pendingRewind          // nil is none
	notes   []cua.Note              // for the next turn
	cancel  context.CancelCauseFunc // ends the pending call of the brain; nil is none
}

// pendingRewind is one request and the channel of its answer.
type pendingRewind struct {
	RewindRequest
	done chan cua.Restored // closed without an answer if the episode ends first
}

// errRewindAsked is the cause that cancels a call of the brain.
var errRewindAsked = errors.New("a person wants to go back")

// open starts to accept requests.
func (b *inbox) open() { b.mu.Lock(); b.running = true; b.mu.Unlock() }

// close ends that. A pending request gets ErrOver.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running, b.over = false, true
	b.replyPause(ErrOver)
	if b.pending != nil {
		close(b.pending.done)
		b.pending = nil
	}
}

// learn runs f, which adds to the secrets, while no note is compared with them.
func (b *inbox) learn(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

func (b *inbox) addNote(text string, secrets map[string]string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.running {
		return ErrOver
	}
	if err := trajectories.HoldsSecret(text, secrets); err != nil {
		return fmt.Errorf("not told: %w", err)
	}
	if text != "" {
		b.notes = append(b.notes, cua.Note{From: cua.Person, Text: cua.PersonSays + text})
	}
	return nil
}

// takeNotes removes and returns the notes that no turn has carried yet.
func (b *inbox) takeNotes() []cua.Note {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.notes
	b.notes = nil
	return out
}

// rewind adds a request and waits for its answer.
func (b *inbox) rewind(ctx context.Context, q RewindRequest) (cua.Restored, error) {
	b.mu.Lock()
	switch {
	case !b.running:
		b.mu.Unlock()
		return cua.Restored{}, ErrOver
	case b.pending != nil:
		b.mu.Unlock()
		return cua.Restored{OK: cua.RestoredNone, Error: cua.RewindBusy}, nil
	}
	p := &pendingRewind{q, make(chan cua.Restored, 1)}
	b.pending = p
	if b.cancel != nil {
		b.cancel(errRewindAsked)
	}
	b.mu.Unlock()
	select {
	case r, ok := <-p.done:
		if !ok {
			return cua.Restored{}, ErrOver
		}
		return r, nil
	case <-ctx.Done():
		return cua.Restored{}, ctx.Err()
	}
}

// addRewind adds a request whose answer nobody waits for. One that is pending already has precedence.
func (b *inbox) addRewind(q RewindRequest) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pending == nil {
		b.pending = &pendingRewind{q, make(chan cua.Restored, 1)}
	}
}

// rewindAsked is the pending request; false if there is none.
func (b *inbox) rewindAsked() (RewindRequest, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pending == nil {
		return RewindRequest{}, false
	}
	return b.pending.RewindRequest, true
}

// cancellable is a context that a request cancels. The function that it returns must be called once the call
// that uses the context has returned.
func (b *inbox) cancellable(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.pending != nil:
		cancel(errRewindAsked)
	case b.leave && b.asking:
		cancel(errLeave)
	}
	b.cancel = cancel
	return ctx, func() {
		b.mu.Lock()
		b.cancel = nil
		b.mu.Unlock()
		cancel(nil)
	}
}

// refuse answers the pending request without a step.
func (b *inbox) refuse(r cua.Restored) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pending != nil {
		b.pending.done <- r
		b.pending = nil
	}
}

// reply answers the pending request with the result of s, if s is the step that it asked for.
func (b *inbox) reply(s *cua.Step) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pending == nil || s.By != cua.Person {
		return
	}
	r := cua.Restored{OK: cua.RestoredNone, Error: cua.NoSnapshot} // a gate stopped it
	if s.Restored != nil {
		r = *s.Restored
	}
	b.pending.done <- r
	b.pending = nil
}

// personDecision is the decision of the pending request; false if there is none. A request for a rewind that
// is not possible is refused here: it is neither a step nor a mistake of the brain.
func (e *episode) personDecision() (cua.Decision, bool) {
	q, ok := e.inbox.rewindAsked()
	if !ok {
		return cua.Decision{}, false
	}
	if q.Step == 0 {
		q.Step = e.newest()
	}
	if no := e.refusal(q); no != nil {
		e.inbox.refuse(no.Restored)
		return cua.Decision{}, false
	}
	return cua.Decision{By: cua.Person, Action: cua.Action{Kind: cua.Rewind, Step: q.Step, Facets: q.Facets,
		Accept: q.Consent}}, true
}
