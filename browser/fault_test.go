package browser

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/cua"
)

func TestMissingBrowser(t *testing.T) {
	for name, path := range map[string]string{"no such file": "/no/such/browser",
		"no program": "/etc/hostname", "not in the path": "no-such-browser-anywhere"} {
		t.Run(name, func(t *testing.T) {
			_, err := Launch(t.Context(), Options{Path: path})
			var missing *MissingError
			if !errors.As(err, &missing) || missing.Path != path {
				t.Fatalf("error is %v, want a *MissingError about %s", err, path)
			}
			if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(),
				"apt-get install chromium") {
				t.Errorf("message is not one line that says how to install it: %q", err)
			}
		})
	}
}

func TestNoBrowserFound(t *testing.T) {
	err := &MissingError{}
	if !strings.Contains(err.Error(), "no Chromium found") || !strings.Contains(err.Error(),
		"apt-get install chromium") {
		t.Errorf("message is %q", err)
	}
}

func TestProgramThatIsNoBrowser(t *testing.T) {
	// That it is gone was noticed, and not that the time for the start was up.
	_, err := Launch(t.Context(), Options{Path: "/bin/false"})
	if err == nil || !Lost(err) || errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("error is %v, want one of a browser that is gone", err)
	}
}

// deadPort is an address of this machine where nobody listens.
func deadPort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	reachable(l.Addr().String())
	return "http://" + l.Addr().String() + "/"
}

func TestUnreachable(t *testing.T) {
	ts := site(t, map[string]string{"/": "<title>home</title><a href='" + deadPort(t) + "'>dead</a>"})
	dead := deadPort(t)
	rows := map[string]struct {
		url  string
		kind cua.FailureKind
		says string
	}{
		"refused":       {dead, cua.FailNav, "net::ERR_CONNECTION_REFUSED"},
		"unknown name":  {"http://no-such-host.invalid/", cua.FailNav, "net::ERR_"},
		"file":          {"file:///etc/passwd", cua.FailPolicy, "neither http nor https"},
		"chrome":        {"chrome://version", cua.FailPolicy, "neither http nor https"},
		"javascript":    {"javascript:alert(1)", cua.FailPolicy, "neither http nor https"},
		"data":          {"data:text/html,hi", cua.FailPolicy, "neither http nor https"},
		"view-source":   {"view-source:http://127.0.0.1/", cua.FailPolicy, "neither http nor https"},
		"no host":       {"http:///path", cua.FailPolicy, "no host"},
		"nothing":       {"", cua.FailPolicy, "neither http nor https"},
		"upper scheme":  {"FILE:///etc/passwd", cua.FailPolicy, "neither http nor https"},
		"control chars": {"http://127.0.0.1/\x00", cua.FailPolicy, "is no address"},
	}
	for name, r := range rows {
		t.Run("start/"+name, func(t *testing.T) {
			e := openBlank(t, SessionOptions{})
			_, err := e.Reset(t.Context(), cua.Task{URL: r.url})
			var f *cua.Failure
			if !errors.As(err, &f) || f.Kind != r.kind || !strings.Contains(f.Detail, r.says) {
				t.Fatalf("error is %v, want %s that says %q", err, r.kind, r.says)
			}
		})
	}
	e := open(t, SessionOptions{}, ts.URL)
	out := e.act(cua.Action{Kind: cua.Navigate, URL: dead})
	if out.Failure == nil || out.Failure.Kind != cua.FailNav ||
		out.After.NavError != "net::ERR_CONNECTION_REFUSED" || out.After.URL != dead {
		t.Errorf("failure %v, nav_error %q at %s", out.Failure, out.After.NavError, out.After.URL)
	}
	if out := e.act(cua.Action{Kind: cua.Wait, MS: 1}); out.Failure != nil || out.After.NavError == "" {
		t.Errorf("a wait on the error page: failure %v, nav_error %q", out.Failure, out.After.NavError)
	}
	title(t, e.ok(cua.Action{Kind: cua.Back}), "home")
	out = e.act(e.at(cua.Action{Kind: cua.Click}, "dead"))
	if out.Failure == nil || out.Failure.Kind != cua.FailNav || !strings.HasPrefix(out.After.NavError,
		"net::ERR_CONNECTION_REFUSED") {
		t.Errorf("a link to nowhere: failure %v, nav_error %q", out.Failure, out.After.NavError)
	}
}

func crashTab(t *testing.T, e env) {
	t.Helper()
	tab, _ := e.here()
	_ = tab.s.Post(page.Crash.Method, cdp.Empty{}, nil)
	if !poll(func() bool { return !tab.alive() }) {
		t.Fatal("the tab did not crash")
	}
}

// A page that answers a form is brought back without sending the form again.
func TestCrashAfterAForm(t *testing.T) {
	var posts atomic.Int32
	ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.Method == http.MethodPost {
			posts.Add(1)
		}
		io.WriteString(w, `<!doctype html><title>`+r.Method+`</title><form method=post><input name=q><button>post</button></form>`)
	})
	e := open(t, SessionOptions{}, ts.URL)
	title(t, e.click("post"), "POST")
	crashTab(t, e)
	if out := e.act(cua.Action{Kind: cua.Wait, MS: 1}); out.After.Title != "GET" || posts.Load() != 1 {
		t.Errorf("brought back as %q, after %d posts (%v)", out.After.Title, posts.Load(), out.Failure)
	}
}

func TestCrash(t *testing.T) {
	ts := site(t, map[string]string{"/": "<title>fragile</title><button>b</button>",
		"/other": "<title>other</title>"})
	e := open(t, SessionOptions{}, ts.URL)
	crash := func() { crashTab(t, e) }
	crash()
	tab, _ := e.here()
	over, cancel := context.WithCancel(t.Context())
	cancel() // a call that waited for anything would end with this
	_, err := cdp.Call(over, tab.s, page.GetNavigationHistory, cdp.Empty{})
	if !errors.Is(err, wire.ErrCrashed) {
		t.Errorf("a call to a crashed tab: %v", err)
	}
	if _, err := e.Locate(t.Context(), e.at(cua.Action{Kind: cua.Click}, "b")); err != nil {
		t.Errorf("locating on a crashed tab: %v", err)
	}
	out := e.act(e.at(cua.Action{Kind: cua.Click}, "b"))
	if out.Failure == nil || out.Failure.Kind != cua.FailExec || !slices.Contains(out.Settle.Faults,
		"tab_crash") {
		t.Fatalf("first crash: failure %v, faults %v", out.Failure, out.Settle.Faults)
	}
	title(t, out.After, "fragile")
	if out.After.Shot == nil {
		t.Error("there is no frame after the reload")
	}
	e.click("b") // it works again
	e.ok(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/other"})
	crash()
	if out := e.act(cua.Action{Kind: cua.Wait, MS: 1}); out.Failure == nil ||
		out.Failure.Kind != cua.FailExec {
		t.Errorf("first crash at another URL: %v", out.Failure)
	}
	crash()
	if out := e.act(cua.Action{Kind: cua.Wait, MS: 1}); out.Failure == nil ||
		out.Failure.Kind != cua.FailSite {
		t.Errorf("second crash at one URL: %v, want %s", out.Failure, cua.FailSite)
	}
}

// A caller that sees that a tab has crashed finds its calls failed, too, and may revive it: nothing of the
// crash comes later and fails the revived tab.
func TestACrashIsSeenAsAWhole(t *testing.T) {
	e := open(t, SessionOptions{}, site(t, map[string]string{"/": oneButton}).URL)
	tab, err := e.here()
	if err != nil {
		t.Fatal(err)
	}
	for range 5000 {
		seen := make(chan error, 1)
		go func() {
			tab.until(t.Context(), func(st *tabState) bool { return st.crashed })
			_, err := tab.s.State()
			seen <- err
		}()
		tab.crash()
		if <-seen == nil {
			t.Fatal("the crash is seen, and calls do not fail yet")
		}
		tab.s.Revive()
		tab.update(func(st *tabState) { st.crashed = false })
	}
}
