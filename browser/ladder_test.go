package browser

import (
	"encoding/json"
	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/browser/internal/cdp/cdptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp/jsonv2"

	"github.com/cua-runner/cua-runner/cua"
)

// stuck is a session whose page answers only the commands that begin with answered, on a connection
// whose other end is the test.
func stuck(t *testing.T, answered string) *Session {
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
	s := &Session{b: b, view: SessionOptions{}.viewport(),
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
	document, err := json.Marshal(map[string]any{"context": map[string]any{"id": 1, "name": probeWorld,
		"uniqueId": "1", "auxData": map[string]any{"frameId": "tab"}}})
	if err != nil {
		t.Fatal(err)
	}
	l.In <- &cdproto.Message{SessionID: ps.ID, Method: "Runtime.executionContextCreated", Params: document}
	synctest.Wait()
	return s
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
			s := stuck(t, row.answered)
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
