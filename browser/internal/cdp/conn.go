// Package cdp starts a Chromium process in a profile folder of its own and speaks the DevTools protocol with
// it over a pipe: commands, their answers, and events in the order of arrival, for each protocol session. It
// knows nothing of pages.
package cdp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

const (
	// maxCommand caps one outgoing command: above 100 MiB Chromium stops reading the
	// pipe for good.
	maxCommand = 32 << 20
	// lastResort ends a call whose context has no nearer deadline: nothing waits for ever.
	lastResort = 30 * time.Second
)

// ErrGone is in the chain of every error of a call that failed because the browser
// or the connection to it is gone.
var ErrGone = errors.New("the browser is gone")

// ErrCrashed is in the chain of every error of a call to a tab that crashed.
var ErrCrashed = errors.New("the tab crashed")

// ErrDetached is in the chain of every error of a call to a closed tab or frame.
var ErrDetached = errors.New("the tab or frame is closed")

// events is a source of protocol events.
type events interface {
	// Listen calls fn for every event in the order of arrival until stop is called. fn
	// runs on the goroutine that reads the connection: it must neither block nor call.
	Listen(fn func(method string, params jsonv2.Value)) (stop func())
}

// Caller is one protocol session: commands, with their answers or without, buffered and ordered events.
type Caller interface {
	cdp.Session
	events
	Post(method string, params any, failed func(error)) error
	// Begin sends one command and returns; its result waits for the answer, and is to be called once.
	Begin(ctx context.Context, method string, params, result any) (answer func() error)
}

// Conn is the connection to one browser. It routes answers and events to sessions.
type Conn struct {
	// Dead is closed when the connection is lost.
	Dead chan struct{}

	tr   chromedp.Transport
	out  chan *cdproto.Message
	next atomic.Int64

	mu       sync.Mutex
	cause    error
	pending  map[int64]*pendingCall
	sessions map[target.SessionID]*Session
	done     sync.WaitGroup
}

// pendingCall waits for the answer to one command.
type pendingCall struct {
	session target.SessionID
	answer  chan *cdproto.Message // capacity 1; nil when nobody waits
	failed  func(error)           // for a command nobody waits for
}

// NewConn starts to read and write tr. The root session is sessions[""].
func NewConn(tr chromedp.Transport) (*Conn, *Session) {
	c := &Conn{tr: tr, out: make(chan *cdproto.Message, 64), Dead: make(chan struct{}),
		pending: map[int64]*pendingCall{}, sessions: map[target.SessionID]*Session{}}
	root := &Session{c: c, broken: make(chan struct{})}
	c.sessions[""] = root
	c.done.Add(2)
	go c.read()
	go c.write()
	return c, root
}

// Close ends the connection and waits for its goroutines.
func (c *Conn) Close() {
	c.lose(ErrGone)
	c.done.Wait()
}

// lose marks the connection as lost; the first cause is kept.
func (c *Conn) lose(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause != nil {
		return
	}
	c.cause = cause
	close(c.Dead)
	c.tr.Close()
	for _, s := range c.sessions {
		s.shut()
	}
}

// Err says why the connection was lost; ErrGone is in its chain. It is valid once Dead is closed.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(c.cause, ErrGone) {
		return c.cause
	}
	return fmt.Errorf("%w: %w", ErrGone, c.cause)
}

func (c *Conn) write() {
	defer c.done.Done()
	for {
		select {
		case <-c.Dead:
			return
		case m := <-c.out:
			if err := c.tr.Write(context.Background(), m); err != nil {
				c.lose(err)
				return
			}
		}
	}
}

func (c *Conn) read() {
	defer c.done.Done()
	for {
		m := new(cdproto.Message)
		if err := c.tr.Read(context.Background(), m); err != nil {
			c.lose(err)
			return
		}
		if m.ID != 0 {
			c.deliver(m)
			continue
		}
		c.mu.Lock()
		s := c.sessions[m.SessionID]
		c.mu.Unlock()
		if s != nil {
			c.route(s, m)
		}
	}
}

// deliver hands an answer to the call that waits for it.
func (c *Conn) deliver(m *cdproto.Message) {
	c.mu.Lock()
	p := c.pending[m.ID]
	delete(c.pending, m.ID)
	c.mu.Unlock()
	switch {
	case p == nil:
	case p.answer != nil:
		p.answer <- m
	case p.failed != nil && m.Error != nil:
		p.failed(m.Error)
	}
}

// route hands an event to its session. Sessions appear and vanish here, before the
// listeners hear of it, so that no event of a new session is lost.
func (c *Conn) route(s *Session, m *cdproto.Message) {
	switch string(m.Method) {
	case target.AttachedToTarget.Method:
		var e target.EventAttachedToTarget
		if jsonv2.Unmarshal(m.Params, &e, chromedp.DefaultUnmarshalOptions) == nil {
			c.mu.Lock()
			c.sessions[e.SessionID] = &Session{c: c, ID: e.SessionID, broken: make(chan struct{})}
			c.mu.Unlock()
		}
	case target.DetachedFromTarget.Method:
		var e target.EventDetachedFromTarget
		if jsonv2.Unmarshal(m.Params, &e, chromedp.DefaultUnmarshalOptions) == nil {
			c.mu.Lock()
			gone := c.sessions[e.SessionID]
			delete(c.sessions, e.SessionID)
			c.mu.Unlock()
			if gone != nil {
				gone.Fail(ErrDetached)
				defer gone.shut()
			}
		}
	}
	s.publish(string(m.Method), m.Params)
}

// Session returns the session with that id, nil when it is gone.
func (c *Conn) Session(id target.SessionID) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// send queues a command.
func (c *Conn) send(ctx context.Context, s *Session, method string, params any,
	p *pendingCall) (int64, error) {
	var raw []byte
	if params != nil {
		var err error
		if raw, err = jsonv2.Marshal(params, chromedp.DefaultMarshalOptions); err != nil {
			return 0, fmt.Errorf("encoding: %w", err)
		}
	}
	if len(raw) > maxCommand {
		return 0, fmt.Errorf("command of %d bytes is over the cap of %d", len(raw), maxCommand)
	}
	id := c.next.Add(1)
	p.session = s.ID
	c.mu.Lock()
	c.pending[id] = p
	c.mu.Unlock()
	m := &cdproto.Message{ID: id, SessionID: s.ID, Method: cdproto.MethodType(method), Params: raw}
	select {
	case c.out <- m:
		return id, nil
	case <-c.Dead:
		c.forget(id)
		return 0, c.Err()
	case <-ctx.Done():
		c.forget(id)
		return 0, ctx.Err()
	}
}

// Waiting is how many commands have no answer yet.
func (c *Conn) Waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending)
}

func (c *Conn) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}
