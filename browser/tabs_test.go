package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/cua-runner/cua-runner/cua"
)

func TestTabs(t *testing.T) {
	ts := site(t, map[string]string{
		"/": `<title>home</title><a href=/pop target=_blank>blank</a> <a href=/pop target=_blank rel="noopener">apart</a>
			<button onclick="window.open('/pop')">open</button> <button onclick="document.title='clicked'">b</button>
			<button onclick="window.open('/flash')">flash</button>`,
		"/pop":   `<title>pop</title><button onclick="window.close()">close</button><script>document.title += ' ' + innerWidth + 'x' + innerHeight</script>`,
		"/flash": `<title>flash</title><script>window.close()</script>`,
	})
	e := open(t, SessionOptions{}, ts.URL)
	where := func(o cua.Observation, name string, tab, tabs int) {
		t.Helper()
		title(t, o, name)
		if o.Tab != tab || o.Tabs != tabs {
			t.Errorf("tab %d of %d, want %d of %d", o.Tab, o.Tabs, tab, tabs)
		}
		if o.Shot == nil {
			t.Error("no frame")
		}
	}
	for _, name := range []string{"blank", "apart", "open"} {
		where(e.click(name), "pop 1280x800", 2, 2) // its viewport was set before its first script
		where(e.ok(cua.Action{Kind: cua.CloseTab}), "home", 1, 1)
	}
	e.click("open")
	if out := e.act(e.at(cua.Action{Kind: cua.Click}, "close")); out.Failure != nil {
		t.Errorf("a window that closes itself: %v", out.Failure)
	} else {
		where(out.After, "home", 1, 1)
	}
	where(e.click("b"), "clicked", 1, 1)
	where(e.ok(cua.Action{Kind: cua.NewTab, URL: ts.URL + "/pop"}), "pop 1280x800", 2, 2)
	where(e.ok(cua.Action{Kind: cua.NewTab}), "", 3, 3)
	where(e.ok(cua.Action{Kind: cua.SwitchTab, Tab: 1}), "clicked", 1, 3)
	where(e.ok(cua.Action{Kind: cua.CloseTab, Tab: 3}), "clicked", 1, 2)
	where(e.ok(cua.Action{Kind: cua.SwitchTab, Tab: 2}), "pop 1280x800", 2, 2)
	where(e.ok(cua.Action{Kind: cua.CloseTab}), "clicked", 1, 1)
	for name, a := range map[string]cua.Action{
		"no such tab":          {Kind: cua.SwitchTab, Tab: 7},
		"no such tab to close": {Kind: cua.CloseTab, Tab: 7},
		"the last tab":         {Kind: cua.CloseTab},
		"a forbidden address":  {Kind: cua.NewTab, URL: "file:///etc/passwd"},
	} {
		if out := e.act(a); out.Failure == nil || out.After.Tabs != 1 {
			t.Errorf("%s: failure %v, %d tabs", name, out.Failure, out.After.Tabs)
		}
	}
	if o := e.click("flash"); o.Tabs != 1 || o.Title != "clicked" {
		t.Errorf("a window that closes at once leaves %q, %d tabs", o.Title, o.Tabs)
	}
}

// Sessions do not see each other's cookies, storage, dialogs or tabs, and a reset forgets them.
func TestSessionsAreApart(t *testing.T) {
	ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
		who := "nobody"
		if c, err := r.Cookie("who"); err == nil {
			who = c.Value
		}
		if name := r.FormValue("name"); name != "" {
			http.SetCookie(w, &http.Cookie{Name: "who", Value: name})
		}
		fmt.Fprintf(w, `<!doctype html><title>%s</title><script>document.title += ' ' + localStorage.n; localStorage.n = 1</script>`, who)
	})
	const n = 3
	var sessions [n]env
	for i := range sessions {
		sessions[i] = openBlank(t, SessionOptions{})
	}
	var wg sync.WaitGroup
	for i, e := range sessions {
		wg.Go(func() {
			name := fmt.Sprint("s", i)
			for _, path := range []string{"/?name=" + name, "/"} {
				if _, err := e.Act(t.Context(), cua.Action{Kind: cua.Navigate,
					URL: ts.URL + path}); err != nil {
					t.Error(err)
				}
			}
			out, err := e.Act(t.Context(), cua.Action{Kind: cua.Reload})
			if err != nil || out.Failure != nil || out.After.Title != name+" 1" || out.After.Tabs != 1 {
				t.Errorf("session %d: %q, %d tabs, %v, %v", i, out.After.Title, out.After.Tabs, err,
					out.Failure)
			}
		})
	}
	wg.Wait()
	e := sessions[0]
	title(t, e.reset(cua.Task{URL: ts.URL}), "nobody undefined")
}

// A session is opened when it is its turn, and not before.
func TestOpeningWaitsItsTurn(t *testing.T) {
	b, sent := tapped(t)
	for range maxOpening {
		b.opening <- struct{}{}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.NewSession(ctx, SessionOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("opened out of turn: %v", err)
	}
	if n := sent.count(target.CreateBrowserContext.Method); n != 0 {
		t.Errorf("%d contexts were made", n)
	}
	<-b.opening
	s, err := b.NewSession(t.Context(), SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil || len(b.opening) != maxOpening-1 {
		t.Errorf("%d are being opened, %v", len(b.opening), err)
	}
}

func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	ts := site(t, map[string]string{"/": "<title>t</title>"})
	s, err := shared.NewSession(t.Context(), SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	env{s, t}.reset(cua.Task{URL: ts.URL})
	done := make(chan error, 1)
	go func() {
		_, err := s.Act(t.Context(), cua.Action{Kind: cua.Wait, MS: 60_000})
		done <- err
	}()
	if !poll(func() bool { return len(s.turn) == 1 }) {
		t.Fatal("the wait did not begin")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, errClosed) { // one that ran to its end has none
		t.Errorf("the wait ended with %v", err)
	}
	if _, err := s.Reset(t.Context(), cua.Task{URL: ts.URL}); err != errClosed {
		t.Errorf("a closed session: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error("closed twice:", err)
	}
}

// The goroutines of a session end with it.
func TestSessionLeavesNoGoroutines(t *testing.T) {
	ts := site(t, map[string]string{"/": `<title>t</title><a href=/ target=_blank>open</a>`})
	before := len(ours())
	s, err := shared.NewSession(t.Context(), SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e := env{s, t}
	e.reset(cua.Task{URL: ts.URL})
	e.click("open")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if !poll(func() bool { return len(ours()) <= before }) {
		t.Errorf("left behind:\n%s", strings.Join(ours(), "\n\n"))
	}
}

// A page that has opened too many windows ends the episode. A step that is on its way to one of those windows
// ends with it, and so does one that asks for a tab of its own.
func TestNobodyWaitsForAWindowTooMany(t *testing.T) {
	e := open(t, SessionOptions{}, site(t, map[string]string{"/": `<title>home</title>`}).URL)
	s := e.Session
	s.mu.Lock()
	s.windows = maxWindows
	s.mu.Unlock()
	limit, cancel := context.WithTimeout(t.Context(), setupTimeout)
	defer cancel()
	press := runtime.EvaluateParams{Expression: "void open('')", UserGesture: new(true)}
	_ = s.tabs[0].s.Post(runtime.Evaluate.Method, press, nil)
	var last *tab
	if !s.awaitTabs(limit, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		last = s.tabs[len(s.tabs)-1]
		return len(s.tabs) == 2 && s.blamed != nil
	}) {
		t.Fatal("the window did not come, or nobody is to blame for it")
	}
	if err := s.activate(limit, last); err == nil || limit.Err() != nil {
		t.Errorf("going to the window: %v", err)
	}
	if _, err := s.newTab(limit); !errors.Is(err, s.guilt()) {
		t.Errorf("asking for a tab: %v", err)
	}
	if f := e.act(cua.Action{Kind: cua.Wait, MS: 1}).Failure; f == nil || f.Kind != cua.FailSite {
		t.Errorf("the step after it: %v", f)
	}
	s.mu.Lock()
	s.tabs = s.tabs[1:] // the tab it was opened by is gone: the next call goes to the window
	s.mu.Unlock()
	back, err := s.Restore(t.Context(), cua.Checkpoint{}, nil)
	if f := back.Failure; err != nil || f == nil || f.Kind != cua.FailSite {
		t.Errorf("returning to a checkpoint after it: %v, %v", f, err)
	}
}
