package server

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Live is a runner.Env whose page a person can be given. TakeOver passes the inputs on and shows the page
// until ctx ends or inputs are closed.
type Live interface {
	TakeOver(ctx context.Context, inputs <-chan cua.Input, show func(cua.LiveView)) error
}

const (
	// ticketLife is how long a ticket can be used.
	ticketLife = 30 * time.Second
	// keepControl is how long who had the browser keeps it after the socket is lost.
	keepControl = 60 * time.Second
)

// control is a takeover: who has the browser of a paused episode. episode.mu guards it.
type control struct {
	holder  string    // what its holder proves to be it with
	ticket  string    // for the next socket; "" is used up
	expires time.Time // of the ticket
	lapse   *time.Timer
	socket  *socket // that is open; nil is none
	used    bool    // a socket was open
}

// socket is an open connection of a person who has the browser.
type socket struct {
	cancel context.CancelFunc
	done   chan struct{} // closed once the page is let go
}

func (e *episode) controlled() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.control != nil
}

// takeoverInput is POST takeover.
type takeoverInput struct {
	ChangeInput
	Body *struct {
		Holder string   `json:"holder,omitempty" maxLength:"100" doc:"Of the takeover that continues after its socket was lost."`
		_      struct{} `json:"-" additionalProperties:"false"`
	} `required:"false"`
}

// Ticket lets a person open the socket of a takeover.
type Ticket struct {
	Socket  string `json:"socket" doc:"The path of the WebSocket, with the ticket: valid once, for 30 seconds."`
	Holder  string `json:"holder" doc:"Who has the browser: for POST handback, and for the next ticket after a lost socket."`
	Expires int    `json:"expires_s"`
}

type takeoverOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         Ticket
}

// atWork is beside for a pause, which a runner takes before it starts. A browser that is being opened is
// waited for.
func (s *Server) atWork(ctx context.Context, in ChangeInput,
	verb string) (*episode, *runner.Runner, error) {
	e, r, err := s.beside(ctx, in, verb)
	if err != nil || r != nil {
		return e, r, err
	}
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		changed := e.wait()
		e.mu.Lock()
		r, opening := e.runner, e.state == Running && e.runner == nil
		e.mu.Unlock()
		switch {
		case r != nil:
			return e, r, nil
		case !opening:
			return e, nil, s.over(ctx, e)
		}
		select {
		case <-changed:
		case <-wait.Done():
			return e, nil, s.over(ctx, e)
		case <-s.closing:
			return e, nil, s.drains(ctx)
		}
	}
}

// takeOver pauses the episode and gives its browser to the caller.
func (s *Server) takeOver(ctx context.Context, in *takeoverInput) (*takeoverOutput, error) {
	e, r, err := s.atWork(ctx, in.ChangeInput, "takeover")
	if err != nil {
		return nil, err
	}
	if _, ok := r.Env.(Live); !ok {
		return nil, problem(ctx, NotYoursToDo, "the browser of this episode cannot be taken over")
	}
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := r.Pause(wait); errors.Is(err, runner.ErrOver) {
		return nil, s.over(ctx, e)
	}
	s.awaitState(wait, e, Paused)
	holder := ""
	if in.Body != nil {
		holder = in.Body.Holder
	}
	t, ok := s.grant(e, holder)
	if !ok {
		return nil, s.over(ctx, e)
	}
	return &takeoverOutput{"no-store", t}, nil
}

// grant makes a ticket; false says that the episode is not paused, or that another holder has the browser.
func (s *Server) grant(e *episode, holder string) (Ticket, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.control
	switch {
	case e.choice == nil:
		return Ticket{}, false
	case c == nil:
		c = &control{holder: rand.Text()}
		c.lapse = time.AfterFunc(s.keep, func() { s.lapsed(e, c) })
		e.control = c
		e.wake()
	case !same(c.holder, holder):
		return Ticket{}, false
	case c.socket == nil:
		c.lapse.Reset(s.keep)
	}
	c.ticket, c.expires = rand.Text(), s.o.Now().Add(ticketLife)
	return Ticket{"/v1/cua/" + e.record.ID + "/live?ticket=" + c.ticket, c.holder,
		int(ticketLife / time.Second)}, true
}

// same compares in the same time whatever the texts are; "" is the same as nothing.
func same(a, b string) bool {
	return a != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

// ticketOf is the tenant whose ticket the request carries; nil is none. It is not used up by that.
func (s *Server) ticketOf(r *http.Request) *tenant {
	id := strings.TrimPrefix(r.URL.Path, "/v1/cua/")
	id, ok := strings.CutSuffix(id, "/live")
	if !ok || r.Method != http.MethodGet {
		return nil
	}
	for _, t := range s.tenants {
		if e := t.find(id); e != nil && e.admits(r.URL.Query().Get("ticket"), s.o.Now()) {
			return t
		}
	}
	return nil
}

// admits says whether ticket is the one of the episode's takeover and valid.
func (e *episode) admits(ticket string, now time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.valid(ticket, now)
}

// valid is admits. The lock is held.
func (e *episode) valid(ticket string, now time.Time) bool {
	return e.asking != nil && e.control != nil && same(e.control.ticket, ticket) &&
		now.Before(e.control.expires)
}

// take uses a ticket up. It returns the new socket, its context, which ends with the socket and with the
// pause, and the socket before; all are nil if the ticket is not valid.
func (e *episode) take(ticket string, at time.Time) (now *socket, ctx context.Context, before *socket) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.valid(ticket, at) {
		return nil, nil, nil
	}
	c := e.control
	ctx, cancel := context.WithCancel(e.asking)
	now, before = &socket{cancel, make(chan struct{})}, c.socket
	c.ticket, c.socket, c.used = "", now, true
	c.lapse.Stop()
	return now, ctx, before
}

// redeem uses a ticket up. The socket before is closed. The context ends with the socket and with the pause;
// nil says that the ticket is not valid any more.
func (s *Server) redeem(e *episode, ticket string) (*socket, context.Context) {
	now, ctx, before := e.take(ticket, s.o.Now())
	if before != nil {
		before.cancel()
		<-before.done
	}
	return now, ctx
}

// closed says that the page is let go and the socket is closed.
func (s *Server) closed(e *episode, was *socket) {
	was.cancel()
	close(was.done)
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := e.control; c != nil && c.socket == was {
		c.socket = nil
		c.lapse.Reset(s.keep)
	}
}

// lapsed ends a takeover whose holder has not come back. The episode stays paused; what was done to the page
// is recorded.
func (s *Server) lapsed(e *episode, c *control) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.control != c || c.socket != nil:
	case !c.used:
		e.control = nil
		e.wake()
	case e.choice != nil:
		select {
		case e.choice <- trajectories.PauseChoice{Kind: trajectories.ChooseTakeover, Stay: true}:
		default: // the pause ends anyway
		}
	}
}

// release ends a takeover with the pause that it is in, and returns once the page is let go.
func (e *episode) release() {
	e.mu.Lock()
	c := e.control
	e.control = nil
	var open *socket
	if c != nil {
		c.lapse.Stop()
		open = c.socket
	}
	e.mu.Unlock()
	if open != nil {
		open.cancel()
		<-open.done
	}
}

// handbackInput is POST handback.
type handbackInput struct {
	ChangeInput
	Body struct {
		Holder string   `json:"holder" minLength:"1" maxLength:"100" doc:"As POST takeover gave it."`
		_      struct{} `json:"-" additionalProperties:"false"`
	}
}

// handBack gives the browser back: the runner looks at the page, tells the brain and continues.
func (s *Server) handBack(ctx context.Context, in *handbackInput) (*answer, error) {
	e, _, err := s.beside(ctx, in.ChangeInput, "handback")
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	c := e.control
	e.mu.Unlock()
	if c == nil || !same(c.holder, in.Body.Holder) {
		return nil, problem(ctx, NotYoursToDo, "somebody else has the browser")
	}
	err = s.choose(ctx, e, trajectories.PauseChoice{Kind: trajectories.ChooseTakeover})
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, e, http.StatusOK)
}
