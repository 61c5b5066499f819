package cdp

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp/jsonv2"

	"github.com/cua-runner/cua-runner/browser/internal/cdp/cdptest"
)

func TestCall(t *testing.T) {
	l := cdptest.NewLine()
	c, root := NewConn(l)
	defer c.Close()
	go func() {
		for {
			var m *cdproto.Message
			select {
			case m = <-l.Out:
			case <-l.Done:
				return
			}
			answer := &cdproto.Message{ID: m.ID}
			switch m.Method {
			case "good":
				answer.Result = jsonv2.Value(`{"x":7}`)
			case "bad":
				answer.Error = &cdproto.Error{Code: -1, Message: "no such thing"}
			case "odd":
				answer.Result = jsonv2.Value(`[]`)
			default:
				continue // never answered
			}
			l.In <- answer
		}
	}()
	var got struct {
		X int `json:"x"`
	}
	if err := root.Call(t.Context(), "good", nil, &got); err != nil || got.X != 7 {
		t.Errorf("good: %v, %v", got, err)
	}
	var answer *cdproto.Error
	if err := root.Call(t.Context(), "bad", nil, &got); !errors.As(err, &answer) ||
		!strings.HasPrefix(err.Error(), "bad: ") {
		t.Errorf("bad: %v", err)
	}
	if err := root.Call(t.Context(), "odd", nil, &got); err == nil {
		t.Error("an odd answer was taken")
	}
	if err := root.Call(t.Context(), "big", strings.Repeat("x", maxCommand), nil); err == nil ||
		!strings.Contains(err.Error(), "cap") {
		t.Errorf("big: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := root.Call(ctx, "silent", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("silent: %v", err)
	}
	c.mu.Lock()
	if n := len(c.pending); n > 0 {
		t.Errorf("%d calls are kept", n)
	}
	c.mu.Unlock()
}

// A call that waits ends at once when its session or the connection does: on the virtual clock no
// time passes at all.
func TestCallEnds(t *testing.T) {
	for name, row := range map[string]struct {
		end  func(c *Conn, s *Session)
		want error
	}{
		"connection lost": {func(c *Conn, _ *Session) { c.tr.Close() }, ErrGone},
		"session fails":   {func(_ *Conn, s *Session) { s.Fail(ErrCrashed) }, ErrCrashed},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, root := NewConn(cdptest.NewLine())
			defer c.Close()
			events, stop := root.Subscribe("e")
			defer stop()
			done := make(chan error, 1)
			go func() { done <- root.Call(t.Context(), "silent", nil, nil) }()
			synctest.Wait()
			if c.Waiting() == 0 {
				t.Fatalf("%s: nothing waits", name)
			}
			began := time.Now()
			row.end(c, root)
			if err := <-done; !errors.Is(err, row.want) || time.Since(began) > 0 {
				t.Errorf("%s: the call ended with %v, %v after the end", name, err, time.Since(began))
			}
			if err := root.Call(t.Context(), "silent", nil, nil); !errors.Is(err, row.want) {
				t.Errorf("%s: the next call: %v", name, err)
			}
			if row.want == ErrGone {
				if _, open := <-events; open {
					t.Errorf("%s: the subscription is still open", name)
				}
			}
		})
	}
}

func TestEventsKeepTheirOrder(t *testing.T) {
	l := cdptest.NewLine()
	c, root := NewConn(l)
	defer c.Close()
	events, stop := root.Subscribe("e")
	var heard []string
	all := make(chan struct{})
	defer root.Listen(func(method string, params jsonv2.Value) {
		if heard = append(heard, method+string(params)); len(heard) == 4 {
			close(all)
		}
	})()
	for _, m := range []*cdproto.Message{{Method: "e", Params: jsonv2.Value("1")},
		{Method: "f", Params: jsonv2.Value("2")},
		{Method: "e", Params: jsonv2.Value("3")}, {Method: "e", SessionID: "unknown", Params: jsonv2.Value("0")}, {Method: "e", Params: jsonv2.Value("4")}} {
		l.In <- m
	}
	<-all
	if got := strings.Join(heard, " "); got != "e1 f2 e3 e4" {
		t.Errorf("heard %s", got)
	}
	for _, want := range []string{"1", "3", "4"} {
		if got := string(<-events); got != want {
			t.Errorf("event %s, want %s", got, want)
		}
	}
	stop()
	if _, open := <-events; open {
		t.Error("a cancelled subscription is open")
	}
}
