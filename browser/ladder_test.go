package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp/jsonv2"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/browser/internal/cdp/cdptest"
	"github.com/cua-runner/cua-runner/cua"
)

// stuck is a session whose page answers only the commands that begin with answered, on a connection
// whose other end is the test. say sends an event of the page.
func stuck(t *testing.T, answered string) (s *Session, say func(method, params string)) {
	t.Helper()
	l := cdptest.NewLine()
	c, root := wire.NewConn(l)
	t.Cleanup(c.Close)
	go l.Answer(func(m *cdproto.Message) (string, bool) {
		return "{}", answered != "" && strings.HasPrefix(string(m.Method), answered)
	})
	attached := `{"sessionId":"page","targetInfo":{"targetId":"tab","type":"page"},"waitingForDebugger":true}`
	l.In <- &cdproto.Message{Method: "Target.attachedToTarget", Params: jsonv2.Value(attached)}
	synctest.Wait()
	ps := c.Session("page")
	// The process was never started: there is nothing to be killed.
	b := &Browser{conn: c, root: root, proc: &wire.Process{}, looking: make(chan struct{}, 1)}
	s = &Session{b: b, view: SessionOptions{}.viewport(),
		turn: make(chan struct{}, 1), moved: make(chan struct{})}
	s.ctx, s.cancel = t.Context(), func() {}
	tb := &tab{id: "tab", s: ps, owner: s, ready: make(chan struct{}), changed: make(chan struct{}),
		st: newTabState()}
	tb.build()
	ps.Listen(tb.event)
	ps.Pause(func(error) {})
	tb.prepare(t.Context(), ps, true)
	ps.Resume()
	close(tb.ready)
	s.tabs, s.active = []*tab{tb}, tb
	say = func(method, params string) {
		l.In <- &cdproto.Message{SessionID: ps.ID, Method: cdproto.MethodType(method),
			Params: jsonv2.Value(params)}
		synctest.Wait()
	}
	say("Runtime.executionContextCreated", script("1", probeWorld))
	return s, say
}

// script is the event of an execution context of the tab's document.
func script(id, world string) string {
	return fmt.Sprintf(`{"context":{"id":%s,"uniqueId":%[1]q,"name":%q,"auxData":{"frameId":"tab"}}}`, id, world)
}

// The ladder for a page that never answers again is over within 10 s, the wait that found it out
// included, and ends with the browser. The clock is virtual.
func TestLadderIsShort(t *testing.T) {
	click := cua.Action{Kind: cua.Click, Point: &cua.Point{X: 9, Y: 9}}
	for name, row := range map[string]struct {
		answered string
		a        cua.Action
	}{
		"nothing is answered": {"", click},
		"input is answered":   {"Input.", click},
		"a type":              {"", cua.Action{Kind: cua.Type, Text: "x"}},
		"a drag": {"", cua.Action{Kind: cua.Drag, Point: &cua.Point{X: 9, Y: 9},
			To: &cua.Point{X: 99, Y: 99}}},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, _ := stuck(t, row.answered)
			began := time.Now()
			out, err := s.Act(t.Context(), row.a)
			if d := time.Since(began); d < inputTimeout || d > 10*time.Second {
				t.Errorf("%s: it took %v", name, d)
			}
			if err != nil || out.Failure == nil || out.Failure.Kind != cua.FailEnv ||
				!slices.Contains(out.Settle.Faults, "hung") {
				t.Errorf("%s: failure %v, faults %v, %v", name, out.Failure, out.Settle.Faults, err)
			}
			if !slices.Contains(out.Log, "hung page: the browser was ended") {
				t.Errorf("%s: log %q", name, out.Log)
			}
		})
	}
}

// TestRetryWaitsForADocument: several events of a new document come before it can be read. A read is not
// repeated at each of them: the page would be taken for one that navigates without end.
func TestRetryWaitsForADocument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, say := stuck(t, "")
		w := s.watch(s.active)
		moved := w.t.movement()
		done := make(chan error, 1)
		go func() { done <- w.retry(t.Context(), moved) }()
		for _, e := range []struct{ method, params string }{
			{"Runtime.executionContextsCleared", `{}`},
			{"Page.frameNavigated", `{"frame":{"id":"tab","loaderId":"2","url":"http://a.test/"}}`},
			{"Runtime.executionContextCreated", script("2", "")}, // the page's own
		} {
			say(e.method, e.params)
			select {
			case err := <-done:
				t.Fatalf("it ended at %s: %v", e.method, err)
			default:
			}
		}
		began := time.Now()
		say("Runtime.executionContextCreated", script("3", probeWorld))
		if err := <-done; err != nil || time.Since(began) > 0 {
			t.Errorf("it ended %v after the document was there: %v", time.Since(began), err)
		}
	})
}
