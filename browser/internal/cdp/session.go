package cdp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Session is one protocol session: the browser's own (id ""), a tab's or a frame's.
// It satisfies caller.
type Session struct {
	// ID is the browser's name for the session; "" is that of the browser itself.
	ID target.SessionID

	c *Conn

	mu        sync.Mutex
	broken    chan struct{} // closed while the session cannot answer
	why       error         // of broken, nil while the session is well
	listeners []*listener
	closed    bool
	onShut    []func()
	paused    bool        // see Pause
	refused   func(error) // hears of commands that failed while paused
}

// noSession is the code of the browser's answer for a session that has ended.
const noSession = -32001

type listener struct {
	fn func(method string, params jsonv2.Value)
}

// Pause makes calls return at once without their answers: a target that waits for the
// debugger answers only after it was let run. refused hears of commands that failed.
func (s *Session) Pause(refused func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paused, s.refused = true, refused
}

// Resume makes calls wait for their answers again.
func (s *Session) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paused = false
}

// Conn is the connection that s belongs to.
func (s *Session) Conn() *Conn { return s.c }

// Call sends one command and waits for its answer, for the end of ctx, for the end of the
// connection, or until the session is declared broken, whichever comes first.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	return s.Begin(ctx, method, params, result)()
}

// Begin satisfies caller.
func (s *Session) Begin(ctx context.Context, method string, params, result any) (answer func() error) {
	s.mu.Lock()
	paused, refused := s.paused, s.refused
	s.mu.Unlock()
	if paused {
		err := s.Post(method, params, refused)
		return func() error { return err }
	}
	ctx, cancel := context.WithTimeout(ctx, lastResort)
	broken, err := s.State()
	p := &pendingCall{answer: make(chan *cdproto.Message, 1)}
	var id int64
	if err == nil {
		id, err = s.c.send(ctx, s, method, params, p)
	}
	if err != nil {
		cancel()
		return func() error { return fmt.Errorf("%s: %w", method, err) }
	}
	return func() error {
		defer cancel()
		defer s.c.forget(id)
		m, err := s.await(ctx, p, broken)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", method, err)
		case m.Error != nil && m.Error.Code == noSession:
			return fmt.Errorf("%s: %w: %w", method, ErrDetached, m.Error)
		case m.Error != nil:
			return fmt.Errorf("%s: %w", method, m.Error)
		case result == nil:
			return nil
		}
		if err := jsonv2.Unmarshal(m.Result, result, chromedp.DefaultUnmarshalOptions); err != nil {
			return fmt.Errorf("%s: decoding the answer: %w", method, err)
		}
		return nil
	}
}

// await waits for the answer of a command.
func (s *Session) await(ctx context.Context, p *pendingCall, broken <-chan struct{}) (m *cdproto.Message,
	err error) {
	select {
	case m = <-p.answer:
		return m, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-broken:
		_, err = s.State()
		if err == nil {
			err = ErrCrashed // revived in the meantime: this call is lost all the same
		}
	case <-s.c.Dead:
		err = s.c.Err()
	}
	select {
	case m = <-p.answer: // came together with the bad news
		return m, nil
	default:
		return nil, err
	}
}

// Post sends one command and waits for nothing: for set-up of a paused target, whose
// answers come only after it was resumed, and for answers from a listener.
func (s *Session) Post(method string, params any, failed func(error)) error {
	_, err := s.State()
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), lastResort)
		defer cancel()
		_, err = s.c.send(ctx, s, method, params, &pendingCall{failed: failed})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// State is the channel that closes when the session breaks, and why it is broken now.
func (s *Session) State() (<-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken, s.why
}

// Fail makes all waiting and all further calls return why at once.
func (s *Session) Fail(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why == nil {
		s.why = why
		close(s.broken)
	}
}

// Revive undoes Fail, for a tab that was reloaded after a crash.
func (s *Session) Revive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why != nil && !errors.Is(s.why, ErrDetached) {
		s.why, s.broken = nil, make(chan struct{})
	}
}

// Listen satisfies events.
func (s *Session) Listen(fn func(method string, params jsonv2.Value)) (stop func()) {
	l := &listener{fn}
	s.mu.Lock()
	s.listeners = append(slices.Clip(s.listeners), l)
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.listeners = slices.DeleteFunc(slices.Clone(s.listeners), func(x *listener) bool { return x == l })
	}
}

func (s *Session) publish(method string, params jsonv2.Value) {
	s.mu.Lock()
	list := s.listeners
	s.mu.Unlock()
	for _, l := range list {
		l.fn(method, params)
	}
}

// shut ends all subscriptions: no further event will come.
func (s *Session) shut() {
	s.mu.Lock()
	list := s.onShut
	s.closed, s.onShut = true, nil
	s.mu.Unlock()
	for _, f := range list {
		f()
	}
}

// Subscribe buffers the events of one method from now on. The channel closes when the
// subscription is cancelled or the session ends.
func (s *Session) Subscribe(method string) (<-chan jsonv2.Value, func()) {
	q := &queue{wake: make(chan struct{}, 1), done: make(chan struct{}), out: make(chan jsonv2.Value)}
	stop := s.Listen(func(m string, params jsonv2.Value) {
		if m == method {
			q.push(params)
		}
	})
	end := sync.OnceFunc(func() { close(q.done) })
	s.mu.Lock()
	if s.closed {
		end()
	} else {
		s.onShut = append(s.onShut, end)
	}
	s.mu.Unlock()
	go q.pump()
	return q.out, func() { stop(); end() }
}

// queue is an unbounded buffer between the reader of the connection, which may not
// wait, and one subscriber.
type queue struct {
	mu   sync.Mutex
	buf  []jsonv2.Value
	wake chan struct{}
	done chan struct{}
	out  chan jsonv2.Value
}

func (q *queue) push(v jsonv2.Value) {
	q.mu.Lock()
	q.buf = append(q.buf, v)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) pump() {
	defer close(q.out)
	for {
		q.mu.Lock()
		batch := q.buf
		q.buf = nil
		q.mu.Unlock()
		for _, v := range batch {
			select {
			case q.out <- v:
			case <-q.done:
				return
			}
		}
		if len(batch) > 0 {
			continue
		}
		select {
		case <-q.wake:
		case <-q.done:
			return
		}
	}
}
