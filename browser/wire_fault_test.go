package browser

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/chromedp"

	"github.com/cua-runner/cua-runner/cua"
)

// saboteur makes commands fail: the next one of a kind is answered with an error, or never; and those that
// spoil names an error for are answered with it.
type saboteur struct {
	chromedp.Transport

	mu     sync.Mutex
	method string
	silent bool
	struck bool
	spoil  func(*cdproto.Message) string
	forged chan *cdproto.Message
	real   chan *cdproto.Message
	err    error
}

func sabotage(tr chromedp.Transport) *saboteur {
	s := &saboteur{Transport: tr, forged: make(chan *cdproto.Message, 4), real: make(chan *cdproto.Message)}
	go func() {
		defer close(s.real)
		for {
			m := new(cdproto.Message)
			if s.err = tr.Read(context.Background(), m); s.err != nil {
				return
			}
			s.real <- m
		}
	}()
	return s
}

func (s *saboteur) Read(_ context.Context, m *cdproto.Message) error {
	select {
	case got := <-s.forged:
		*m = *got
	case got, ok := <-s.real:
		if !ok {
			return s.err
		}
		*m = *got
	}
	return nil
}

func (s *saboteur) Close() error {
	err := s.Transport.Close()
	go func() {
		for range s.real { // let its goroutine see the end
		}
	}()
	return err
}

func (s *saboteur) Write(ctx context.Context, m *cdproto.Message) error {
	s.mu.Lock()
	hit := string(m.Method) == s.method
	if hit {
		s.method, s.struck = "", true
	}
	silent, fault := s.silent, "sabotage"
	if !hit && s.spoil != nil {
		fault = s.spoil(m)
		hit, silent = fault != "", false
	}
	s.mu.Unlock()
	switch {
	case !hit:
		return s.Transport.Write(ctx, m)
	case !silent:
		s.forged <- &cdproto.Message{ID: m.ID, SessionID: m.SessionID,
			Error: &cdproto.Error{Code: -32000, Message: fault}}
	}
	return nil
}

func (s *saboteur) strike(method string, silent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.method, s.silent, s.struck = method, silent, false
}

// spoilWith makes f say which commands fail from now on, and with which error; nil makes none fail.
func (s *saboteur) spoilWith(f func(*cdproto.Message) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoil = f
}

func (s *saboteur) hit() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.struck
}

// sabotaged is a browser of its own and its saboteur.
func sabotaged(t *testing.T) (*Browser, *saboteur) {
	t.Helper()
	var bad *saboteur
	b := alone(t, Options{wrap: func(tr chromedp.Transport) chromedp.Transport {
		bad = sabotage(tr)
		return bad
	}})
	return b, bad
}

// Whichever command fails or is never answered, a step ends in time with an outcome, and the next
// one works.
func TestCommandsThatFail(t *testing.T) {
	t.Parallel()
	ts := site(t, map[string]string{"/": `<title>home</title><label>Name <input></label> <button onclick="document.title='clicked'">b</button>`})
	b, bad := sabotaged(t)
	click := cua.Action{Kind: cua.Click}
	rows := []struct {
		method string
		a      cua.Action
		on     string
		silent bool // also as one that is never answered, which takes seconds
	}{
		{"Runtime.evaluate", click, "b", true},
		{"Input.dispatchMouseEvent", click, "b", true},
		{"Page.screencastFrameAck", click, "b", true},
		{"Input.insertText", cua.Action{Kind: cua.Type, Text: "x"}, "Name", false},
		{"Input.dispatchKeyEvent", cua.Action{Kind: cua.Key, Keys: "Tab"}, "", false},
		{"Page.captureScreenshot", cua.Action{Kind: cua.Reload}, "", true},
		{"Page.reload", cua.Action{Kind: cua.Reload}, "", false},
		{"Page.navigate", cua.Action{Kind: cua.Navigate, URL: ts.URL}, "", true},
		{"Page.getNavigationHistory", cua.Action{Kind: cua.Back}, "", false},
		{"Target.createTarget", cua.Action{Kind: cua.NewTab}, "", true},
		{"Target.activateTarget", cua.Action{Kind: cua.NewTab}, "", true},
		{"Page.startScreencast", cua.Action{Kind: cua.NewTab}, "", true},
		{"Page.stopScreencast", cua.Action{Kind: cua.NewTab}, "", true},
		{"Target.closeTarget", cua.Action{Kind: cua.CloseTab}, "", false},
	}
	for _, silent := range []bool{false, true} {
		for _, r := range rows {
			name := r.method + " answered with an error"
			if silent && !r.silent {
				continue
			}
			if silent {
				name = r.method + " never answered"
			}
			t.Run(name, func(t *testing.T) {
				s, err := b.NewSession(t.Context(), SessionOptions{DocTimeout: 4 * time.Second,
					Capture: r.method == "Page.captureScreenshot"})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				e := env{s, t}
				e.reset(cua.Task{URL: ts.URL})
				if r.a.Kind == cua.CloseTab {
					e.ok(cua.Action{Kind: cua.NewTab})
				}
				a := r.a
				if r.on != "" {
					a = e.at(a, r.on)
				}
				bad.strike(r.method, silent)
				limit, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				out, err := e.Act(limit, a)
				if err != nil {
					t.Fatalf("%s: %v", a.Kind, err)
				}
				if !bad.hit() && r.method != "Page.screencastFrameAck" {
					t.Error("the command was not sent")
				}
				bad.strike("", false)
				if out.Failure != nil && out.Failure.Kind == cua.FailEnv {
					return // the runner ends the episode
				}
				if next := e.act(cua.Action{Kind: cua.Navigate, URL: ts.URL}); next.Failure != nil {
					t.Errorf("the next step: %v (after %v)", next.Failure, out.Failure)
				}
				title(t, e.click("b"), "clicked")
			})
		}
	}
}
