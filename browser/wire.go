package browser

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
	// pipe for good (spec: browser, faults).
	maxCommand = 32 << 20
	// lastResort ends a call whose context has no nearer deadline: nothing waits for ever.
	lastResort = 30 * time.Second
)

// errGone is in the chain of every error of a call that failed because the browser
// or the connection to it is gone.
var errGone = errors.New("the browser is gone")

// errCrashed is in the chain of every error of a call to a tab that crashed.
var errCrashed = errors.New("the tab crashed")

// errDetached is in the chain of every error of a call to a closed tab or frame.
var errDetached = errors.New("the tab or frame is closed")

// events is a source of protocol events.
type events interface {
	// listen calls fn for every event in the order of arrival until stop is called. fn
	// runs on the goroutine that reads the connection: it must neither block nor call.
	listen(fn func(method string, params jsonv2.Value)) (stop func())
}

// caller is one protocol session: commands, with their answers or without, buffered and ordered events.
type caller interface {
	cdp.Session
	events
	post(method string, params any, failed func(error)) error
	// begin sends one command and returns; its result waits for the answer, and is to be called once.
	begin(ctx context.Context, method string, params, result any) (answer func() error)
}

// conn is the connection to one browser. It routes answers and events to sessions.
type conn struct {
	tr   chromedp.Transport
	out  chan *cdproto.Message
	dead chan struct{} // closed when the connection is lost
	next atomic.Int64

	mu       sync.Mutex
	cause    error
	pending  map[int64]*pendingCall
	sessions map[target.SessionID]*session
	done     sync.WaitGroup
}

// pendingCall waits for the answer to one command.
type pendingCall struct {
	session target.SessionID
	answer  chan *cdproto.Message // capacity 1; nil when nobody waits
	failed  func(error)           // for a command nobody waits for
}

// newConn starts to read and write tr. The root session is sessions[""].
func newConn(tr chromedp.Transport) (*conn, *session) {
	c := &conn{tr: tr, out: make(chan *cdproto.Message, 64), dead: make(chan struct{}),
		pending: map[int64]*pendingCall{}, sessions: map[target.SessionID]*session{}}
	root := &session{c: c, broken: make(chan struct{})}
	c.sessions[""] = root
	c.done.Add(2)
	go c.read()
	go c.write()
	return c, root
}

// close ends the connection and waits for its goroutines.
func (c *conn) close() {
	c.lose(errGone)
	c.done.Wait()
}

// lose marks the connection as lost; the first cause is kept.
func (c *conn) lose(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause != nil {
		return
	}
	c.cause = cause
	close(c.dead)
	c.tr.Close()
	for _, s := range c.sessions {
		s.shut()
	}
}

func (c *conn) lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(c.cause, errGone) {
		return c.cause
	}
	return fmt.Errorf("%w: %w", errGone, c.cause)
}

func (c *conn) write() {
	defer c.done.Done()
	for {
		select {
		case <-c.dead:
			return
		case m := <-c.out:
			if err := c.tr.Write(context.Background(), m); err != nil {
				c.lose(err)
				return
			}
		}
	}
}

func (c *conn) read() {
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
func (c *conn) deliver(m *cdproto.Message) {
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
func (c *conn) route(s *session, m *cdproto.Message) {
	switch string(m.Method) {
	case target.AttachedToTarget.Method:
		var e target.EventAttachedToTarget
		if jsonv2.Unmarshal(m.Params, &e, chromedp.DefaultUnmarshalOptions) == nil {
			c.mu.Lock()
			c.sessions[e.SessionID] = &session{c: c, id: e.SessionID, broken: make(chan struct{})}
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
				gone.fail(errDetached)
				defer gone.shut()
			}
		}
	}
	s.publish(string(m.Method), m.Params)
}

// session returns the session with that id, nil when it is gone.
func (c *conn) session(id target.SessionID) *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// send queues a command.
func (c *conn) send(ctx context.Context, s *session, method string, params any,
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
	p.session = s.id
	c.mu.Lock()
	c.pending[id] = p
	c.mu.Unlock()
	m := &cdproto.Message{ID: id, SessionID: s.id, Method: cdproto.MethodType(method), Params: raw}
	select {
	case c.out <- m:
		return id, nil
	case <-c.dead:
		c.forget(id)
		return 0, c.lost()
	case <-ctx.Done():
		c.forget(id)
		return 0, ctx.Err()
	}
}

// waiting is how many commands have no answer yet.
func (c *conn) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending)
}

func (c *conn) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}
