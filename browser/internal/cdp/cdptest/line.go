// Package cdptest is a connection for tests of what speaks the DevTools protocol. Only tests import it.
package cdptest

import (
	"context"
	"io"
	"sync"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// Line is a connection (chromedp.Transport) whose other end is the test.
type Line struct {
	In   chan *cdproto.Message // to the connection
	Out  chan *cdproto.Message // from it
	Done chan struct{}         // closed by Close
	once sync.Once
}

// NewLine returns an open line.
func NewLine() *Line {
	return &Line{In: make(chan *cdproto.Message, 16), Out: make(chan *cdproto.Message, 16),
		Done: make(chan struct{})}
}

// Read returns the next message that the test sends.
func (l *Line) Read(_ context.Context, m *cdproto.Message) error {
	select {
	case got := <-l.In:
		*m = *got
		return nil
	case <-l.Done:
		return io.EOF
	}
}

// Write hands a message to the test.
func (l *Line) Write(_ context.Context, m *cdproto.Message) error {
	select {
	case l.Out <- m:
		return nil
	case <-l.Done:
		return io.ErrClosedPipe
	}
}

// Close ends the line. It may be called more than once.
func (l *Line) Close() error {
	l.once.Do(func() { close(l.Done) })
	return nil
}

// Answer answers each command with the result of with, until the line is closed; false leaves it unanswered.
func (l *Line) Answer(with func(*cdproto.Message) (result string, ok bool)) {
	for {
		select {
		case m := <-l.Out:
			if result, ok := with(m); ok {
				l.In <- &cdproto.Message{ID: m.ID, SessionID: m.SessionID, Result: jsonv2.Value(result)}
			}
		case <-l.Done:
			return
		}
	}
}
