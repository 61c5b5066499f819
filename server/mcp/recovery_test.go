package mcp_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/server/mcp"
)

// A dead button that is pressed again and again: notes and another call by advise, that call made by act,
// nothing by off. A button that works is left alone by all.
func TestRecovery(t *testing.T) {
	for _, row := range []struct {
		recovery    mcp.Recovery
		notes, next bool
		substituted bool
		pauses      bool
	}{
		{recovery: mcp.Advise, notes: true, next: true, pauses: true},
		{recovery: mcp.Act, notes: true, substituted: true},
		{recovery: mcp.Off},
	} {
		t.Run(string(row.recovery), func(t *testing.T) {
			s := serve(t, row.recovery)
			c := inProcess(t, s)
			host := pages(t)
			r, _ := c.must("browser_navigate", args{"url": host + "/dead"})
			save := ref(t, r.Snapshot, `button "Save"`)
			c.cost()
			var notes, next, substituted, paused int
			for i := range 12 {
				r, text := c.call("browser_click", args{"target": save, "element": "Save"})
				if i < 2 && (len(r.Notes) > 0 || r.Outcome != mcp.Done || r.Effect != "none") {
					t.Errorf("press %d: %s", i+1, text)
				}
				notes, next = notes+len(r.Notes), next+len(r.Next)
				switch r.Outcome {
				case mcp.Substituted:
					if substituted++; substituted == 1 && !strings.HasPrefix(text,
						"### Result\nDid NOT click button \"Save\". Pressed Return instead (press_return_") {
						t.Errorf("press %d: %s", i+1, text)
					}
				case mcp.Paused:
					paused++
				}
				if r.Outcome == mcp.Paused || r.Outcome == mcp.Substituted {
					t.Logf("press %d:\n%s", i+1, text)
					break
				}
				if len(r.Notes) > 0 {
					t.Logf("press %d:\n%s", i+1, text)
				}
			}
			_, cost := c.cost()
			t.Logf("a dead button, --recovery %s: %s", row.recovery, cost)
			if (notes > 0) != row.notes || (next > 0) != row.next && !row.substituted ||
				(substituted > 0) != row.substituted || (paused > 0) != row.pauses {
				t.Errorf("notes %d, next %d, substituted %d, paused %d: want %+v", notes, next, substituted,
					paused, row)
			}
			if paused > 0 { // only going back or closing goes on
				if r, _ := c.call("browser_click", args{"target": save}); r.Outcome != mcp.Paused {
					t.Errorf("after the pause: %+v", r)
				}
			}
			c.must("browser_close", nil)

			r, _ = c.must("browser_navigate", args{"url": host + "/counter"})
			more := ref(t, r.Snapshot, `button "More"`)
			for range 12 {
				if r, text := c.must("browser_click", args{"target": more}); len(r.Notes)+len(r.Next) > 0 ||
					!strings.Contains(r.Effect, "dom") {
					t.Errorf("a button that works: %s", text)
				}
			}
			c.must("browser_close", nil)
			s.sound(t)
		})
	}
}

// A person is asked where the client can do that, in both protocols, and decides.
func TestPausesAreQuestions(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		for _, row := range []struct {
			name, action, choice string
			outcome              string
			says                 string
		}{
			{"continue", "accept", "continue", mcp.NotExecuted, "The person chose to continue"},
			{"stop", "accept", "stop", mcp.Done, "Closed the browser"},
			{"no answer", "decline", "", mcp.Paused, "Paused after 9 steps"},
		} {
			t.Run(version+" "+row.name, func(t *testing.T) {
				s, asked := serve(t, mcp.Advise), ""
				person := func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
					asked = r.Params.Message
					out := &sdk.ElicitResult{Action: row.action}
					if row.choice != "" {
						out.Content = args{"choice": row.choice}
					}
					return out, nil
				}
				c := inProcessWith(t, s, version, &sdk.ClientOptions{ElicitationHandler: person})
				r, _ := c.must("browser_navigate", args{"url": pages(t) + "/dead"})
				save := ref(t, r.Snapshot, `button "Save"`)
				var text string
				for i := 0; i < 12 && asked == ""; i++ {
					r, text = c.call("browser_click", args{"target": save})
				}
				if r.Outcome != row.outcome || !strings.Contains(text, row.says) ||
					!strings.Contains(asked, "Paused after 9 steps") {
					t.Errorf("outcome %q, asked %q: %s", r.Outcome, asked, text)
				}
				if row.choice == "continue" {
					c.must("browser_click", args{"target": save})
				}
				if row.choice != "stop" {
					c.must("browser_close", nil)
				}
				s.sound(t)
			})
		}
	}
}

// A client that says nothing for too long has left: the browser is closed, and the next page opens another.
func TestIdle(t *testing.T) {
	s := serve(t, mcp.Advise, func(o *mcp.Options) { o.Idle = time.Nanosecond })
	c := inProcess(t, s)
	host := pages(t)
	for range 2 {
		_, _ = c.call("browser_navigate", args{"url": host + "/form"}) // it may be closed before the answer
		<-s.over
		r, text := c.call("browser_status", nil)
		if r.Outcome != "" || !strings.Contains(text, "browser_navigate") {
			t.Errorf("%s", text)
		}
	}
	for _, j := range s.sound(t) {
		if j.End == nil || len(j.Steps) != 0 {
			t.Errorf("%d steps, end %+v", len(j.Steps), j.End)
		}
	}
}

// A pause offers to go back, once: a client that follows each offer does not go back for ever.
func TestGoingBackIsOfferedOnce(t *testing.T) {
	s := serve(t, mcp.Advise)
	c := inProcess(t, s)
	host := pages(t)
	c.must("browser_navigate", args{"url": host + "/other"})
	paused := func() mcp.Result {
		r, _ := c.must("browser_navigate", args{"url": host + "/dead"})
		save := ref(t, r.Snapshot, `button "Save"`)
		for range 20 {
			r, _ := c.call("browser_click", args{"target": save})
			if r.Outcome == mcp.Paused {
				return r
			}
		}
		t.Fatal("20 presses of a dead button did not pause")
		return mcp.Result{}
	}
	back := func(r mcp.Result) int {
		return slices.IndexFunc(r.Next, func(n mcp.Call) bool { return n.Tool == "browser_rollback" })
	}
	first := paused()
	if back(first) != 0 {
		t.Fatalf("the first pause offers %+v", first.Next)
	}
	c.must("browser_rollback", first.Next[0].Arguments)
	if next := paused().Next; len(next) != 1 || next[0].Tool != "browser_close" {
		t.Errorf("after going back a pause offers %+v", next)
	}
	c.must("browser_close", nil)
	s.sound(t)
}

// Where nothing is left to try, the episode pauses for the same reason in both modes. The browser stays open
// for a client that can ask nobody, and its end says that it was a loop.
func TestNothingLeft(t *testing.T) {
	for _, mode := range []mcp.Recovery{mcp.Advise, mcp.Act} {
		t.Run(string(mode), func(t *testing.T) {
			s := serve(t, mode)
			c := inProcess(t, s)
			host := pages(t)
			c.must("browser_navigate", args{"url": host + "/other"})
			r, _ := c.must("browser_navigate", args{"url": host + "/dead"})
			save, text := ref(t, r.Snapshot, `button "Save"`), ""
			for i := 0; i < 20 && r.Outcome != mcp.Paused; i++ {
				r, text = c.call("browser_click", args{"target": save})
			}
			if r.Outcome != mcp.Paused || r.Code != string(cua.EndLoop) || len(r.Next) != 2 {
				t.Fatalf("%s", text)
			}
			back, text := c.must("browser_rollback", r.Next[0].Arguments)
			if !strings.HasSuffix(back.Page.URL, "/other") {
				t.Errorf("going back: %s", text)
			}
			c.must("browser_navigate", args{"url": host + "/dead"})
			r, _ = c.must("browser_snapshot", nil)
			save = ref(t, r.Snapshot, `button "Save"`)
			for i := 0; i < 20 && r.Outcome != mcp.Paused; i++ {
				r, _ = c.call("browser_click", args{"target": save})
			}
			if r, text := c.must("browser_close", nil); r.Ended != string(cua.EndLoop) {
				t.Errorf("closed at a pause: %s", text)
			}
			s.sound(t)
		})
	}
}
