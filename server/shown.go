package server

import (
	"context"
	"fmt"
	"time"

	"github.com/cua-runner/cua-runner/runner"
)

// Shown is an episode that another part of the program plays, in a run folder of its own.
type Shown struct {
	// ID is the episode's in the API: that of its header, 26 characters.
	ID string
	// Dir is its run folder. The server reads it and never writes there.
	Dir string
	// Request says what was asked for. It holds no value of a secret.
	Request Request
	// Created is when it was begun; zero is now.
	Created time.Time
	// Cancel ends the episode as cancelled. nil: it can be watched alone, also while it runs.
	Cancel context.CancelCauseFunc
}

// Showing is a Shown that the server knows.
type Showing struct{ e *episode }

// Show makes an episode known to the first tenant; it is running until End. An episode that has ended, or has
// no Cancel, can only be watched. The error says that the id is not one, or is known already.
func (s *Server) Show(x Shown) (*Showing, error) {
	t := s.tenants[0]
	if !episodeID.MatchString(x.ID) || t.find(x.ID) != nil {
		return nil, fmt.Errorf(
			"server: showing %s: a new id of 26 small letters and digits is wanted, not %q", x.Dir, x.ID)
	}
	if x.Created.IsZero() {
		x.Created = s.o.Now()
	}
	e := t.add(record{ID: x.ID, Created: utc(x.Created), Request: x.Request}, x.Dir)
	e.set(func() { e.state, e.cancel, e.shown, e.watched = Running, x.Cancel, true, x.Cancel == nil })
	return &Showing{e}, nil
}

// Begin puts the server beside a runner of the episode that is about to start. Unless the episode can only be
// watched, Runner.Attend is then a person at the viewer.
func (w *Showing) Begin(r *runner.Runner) {
	attend := r.Attend
	w.e.begin(r)
	if w.e.watched {
		r.Attend = attend
	}
}

// End says that nobody plays the episode any more.
func (w *Showing) End() {
	state := Interrupted
	if sum, err := w.e.summary(); err == nil && sum.ended != nil {
		state = Ended
	}
	w.e.set(func() { w.e.state, w.e.stage, w.e.runner, w.e.cancel = state, "", nil, nil })
}

// readOnly reports whether the episode can only be watched. The lock is held.
func (e *episode) readOnly() bool {
	return e.shown && (e.watched || e.state == Ended || e.state == Interrupted)
}

// Streams is how many event streams are open.
func (s *Server) Streams() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams
}
