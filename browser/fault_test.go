package browser

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"

	"github.com/cua-runner/cua-runner/cua"
)

func TestMissingBrowser(t *testing.T) {
	for name, path := range map[string]string{"no such file": "/no/such/browser", "no program": "/etc/hostname", "not in the path": "no-such-browser-anywhere"} {
		t.Run(name, func(t *testing.T) {
			_, err := Launch(t.Context(), Options{Path: path})
			var missing *MissingError
			if !errors.As(err, &missing) || missing.Path != path {
				t.Fatalf("error is %v, want a *MissingError about %s", err, path)
			}
			if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "apt-get install chromium") {
				t.Errorf("message is not one line that says how to install it: %q", err)
			}
		})
	}
}

func TestNoBrowserFound(t *testing.T) {
	err := &MissingError{}
	if !strings.Contains(err.Error(), "no Chromium found") || !strings.Contains(err.Error(), "apt-get install chromium") {
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
	if out.Failure == nil || out.Failure.Kind != cua.FailNav || out.After.NavError != "net::ERR_CONNECTION_REFUSED" || out.After.URL != dead {
		t.Errorf("failure %v, nav_error %q at %s", out.Failure, out.After.NavError, out.After.URL)
	}
	if out := e.act(cua.Action{Kind: cua.Wait, MS: 1}); out.Failure != nil || out.After.NavError == "" {
		t.Errorf("a wait on the error page: failure %v, nav_error %q", out.Failure, out.After.NavError)
	}
	title(t, e.ok(cua.Action{Kind: cua.Back}), "home")
	out = e.act(e.at(cua.Action{Kind: cua.Click}, "dead"))
	if out.Failure == nil || out.Failure.Kind != cua.FailNav || !strings.HasPrefix(out.After.NavError, "net::ERR_CONNECTION_REFUSED") {
		t.Errorf("a link to nowhere: failure %v, nav_error %q", out.Failure, out.After.NavError)
	}
}

func TestCrash(t *testing.T) {
	ts := site(t, map[string]string{"/": "<title>fragile</title><button>b</button>", "/other": "<title>other</title>"})
	e := open(t, SessionOptions{}, ts.URL)
	crash := func() {
		tab, _ := e.here()
		_ = tab.s.post(page.Crash.Method, cdp.Empty{}, nil)
		if !poll(func() bool { return !tab.alive() }) {
			t.Fatal("the tab did not crash")
		}
	}
	crash()
	tab, _ := e.here()
	over, cancel := context.WithCancel(t.Context())
	cancel() // a call that waited for anything would end with this
	if _, err := cdp.Call(over, tab.s, page.GetNavigationHistory, cdp.Empty{}); !errors.Is(err, errCrashed) {
		t.Errorf("a call to a crashed tab: %v", err)
	}
	if _, err := e.Locate(t.Context(), e.at(cua.Action{Kind: cua.Click}, "b")); err != nil {
		t.Errorf("locating on a crashed tab: %v", err)
	}
	out := e.act(e.at(cua.Action{Kind: cua.Click}, "b"))
	if out.Failure == nil || out.Failure.Kind != cua.FailExec || !slices.Contains(out.Settle.Faults, "tab_crash") {
		t.Fatalf("first crash: failure %v, faults %v", out.Failure, out.Settle.Faults)
	}
	title(t, out.After, "fragile")
	if out.After.Shot == nil {
		t.Error("there is no frame after the reload")
	}
	e.click("b") // it works again
	e.ok(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/other"})
	crash()
	if out := e.act(cua.Action{Kind: cua.Wait, MS: 1}); out.Failure == nil || out.Failure.Kind != cua.FailExec {
		t.Errorf("first crash at another URL: %v", out.Failure)
	}
	crash()
	if out := e.act(cua.Action{Kind: cua.Wait, MS: 1}); out.Failure == nil || out.Failure.Kind != cua.FailEnv {
		t.Errorf("second crash at one URL: %v, want %s", out.Failure, cua.FailEnv)
	}
}

// A call that waits for a tab when it crashes fails with it: the session is broken as soon as the
// event is read, and a waiting call then ends at once (TestCallEnds).
func TestCrashFailsWaitingCalls(t *testing.T) {
	ts := site(t, map[string]string{"/": "<title>t</title>"})
	e := open(t, SessionOptions{}, ts.URL)
	tab, _ := e.here()
	heard := make(chan error, 1)
	defer tab.s.listen(func(method string, _ jsonv2.Value) {
		if method == "Inspector.targetCrashed" {
			_, err := tab.s.state()
			heard <- err
		}
	})()
	waiting := make(chan error, 1)
	go func() {
		waiting <- tab.s.Call(t.Context(), "Runtime.evaluate", map[string]any{"expression": "new Promise(() => {})", "awaitPromise": true}, nil)
	}()
	if !poll(func() bool { tab.s.c.mu.Lock(); defer tab.s.c.mu.Unlock(); return len(tab.s.c.pending) > 0 }) {
		t.Fatal("nothing waits")
	}
	_ = tab.s.post(page.Crash.Method, cdp.Empty{}, nil)
	if err := <-heard; !errors.Is(err, errCrashed) {
		t.Errorf("when the crash is heard of the session is in the state %v", err)
	}
	if err := <-waiting; !errors.Is(err, errCrashed) {
		t.Errorf("the call failed with %v", err)
	}
}

func TestHung(t *testing.T) {
	ts := site(t, map[string]string{
		"/": `<title>fine</title><button onclick="while(true){}">spin</button><button onclick="document.title='clicked'">ok</button>
			<button onclick="setTimeout(() => { while(true){} }, 20)">later</button>`,
	})
	for _, name := range []string{"spin", "later"} {
		t.Run(name, func(t *testing.T) {
			e := open(t, SessionOptions{}, ts.URL)
			other := open(t, SessionOptions{}, ts.URL)
			out := e.act(e.at(cua.Action{Kind: cua.Click}, name)) // how long it may take: TestLadderIsShort
			if out.Failure == nil || out.Failure.Kind != cua.FailTimeout || !slices.Contains(out.Settle.Faults, "hung") {
				t.Fatalf("failure %v, faults %v", out.Failure, out.Settle.Faults)
			}
			title(t, e.click("ok"), "clicked")
			title(t, other.click("ok"), "clicked")
		})
	}
}

// A page that hangs again whenever its script is ended has to be left.
func TestHungForGood(t *testing.T) {
	ts := site(t, map[string]string{"/": `<title>worse</title><script>
		function spin() { setTimeout(spin, 0); setTimeout(spin, 0); while (true) {} }
		</script><button onclick="setTimeout(spin, 0); while(true){}">spin</button>`})
	e := open(t, SessionOptions{}, ts.URL)
	out := e.act(e.at(cua.Action{Kind: cua.Click}, "spin"))
	if out.Failure == nil || !slices.Contains(out.Settle.Faults, "hung") {
		t.Fatalf("failure %v, faults %v", out.Failure, out.Settle.Faults)
	}
	t.Logf("%v; %s", out.Failure, out.Log)
	title(t, e.ok(cua.Action{Kind: cua.Navigate, URL: ts.URL}), "worse")
}

func TestLoadThatNeverEnds(t *testing.T) {
	ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/silent": // no answer at all
		case "/body":
			fmt.Fprint(w, "<!doctype html><title>half</title><p>there is a start")
			w.(http.Flusher).Flush()
		case "/image":
			fmt.Fprint(w, "<!doctype html><title>whole</title><button onclick=\"document.title='clicked'\">b</button><img src=/silent>")
			return
		default:
			fmt.Fprint(w, "<!doctype html><title>home</title><a href=/body>body</a>")
			return
		}
		<-r.Context().Done()
	})
	// What there is of a document has come long before the time for the rest is up.
	const rest = 4 * time.Second
	t.Run("no answer", func(t *testing.T) {
		t.Parallel()
		e := open(t, SessionOptions{DocTimeout: rest}, ts.URL)
		out := e.act(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/silent"})
		if out.Failure == nil || out.Failure.Kind != cua.FailTimeout {
			t.Errorf("no answer: %v", out.Failure)
		}
	})
	for _, path := range []string{"/body", "/image"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			e := open(t, SessionOptions{DocTimeout: rest}, ts.URL)
			o := e.ok(cua.Action{Kind: cua.Navigate, URL: ts.URL + path})
			if !o.PartialLoad || o.Shot == nil {
				t.Errorf("partial load %v, frame %v", o.PartialLoad, o.Shot != nil)
			}
			if path == "/image" {
				title(t, e.click("b"), "clicked")
			}
		})
	}
	t.Run("by a link", func(t *testing.T) {
		t.Parallel()
		e := open(t, SessionOptions{DocTimeout: rest}, ts.URL)
		if o := e.click("body"); !o.PartialLoad || o.Title != "half" {
			t.Errorf("partial load %v, title %q", o.PartialLoad, o.Title)
		}
	})
}

func TestBrowserKilled(t *testing.T) {
	ts := site(t, map[string]string{"/": "<title>t</title>"})
	b, err := Launch(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := b.profile.dir
	s, err := b.NewSession(t.Context(), SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e := env{s, t}
	e.reset(cua.Task{URL: ts.URL})
	type result struct {
		out cua.Outcome
		err error
	}
	done := make(chan result, 1)
	go func() {
		out, err := s.Act(context.Background(), cua.Action{Kind: cua.Wait, MS: 60_000})
		done <- result{out, err}
	}()
	if !poll(func() bool { return len(s.turn) == 1 }) {
		t.Fatal("the wait did not begin")
	}
	syscall.Kill(b.proc.cmd.Process.Pid, syscall.SIGKILL)
	r := <-done // a wait that ran to its end has no failure
	if r.err != nil || r.out.Failure == nil || r.out.Failure.Kind != cua.FailEnv {
		t.Errorf("outcome %v, error %v, want %s", r.out.Failure, r.err, cua.FailEnv)
	}
	select {
	case <-b.Gone():
	default:
		t.Error("the browser does not know that it is gone")
	}
	if _, err := b.NewSession(t.Context(), SessionOptions{}); !Lost(err) {
		t.Errorf("a new session: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if left := leftovers(dir); left != "" {
		t.Error("left behind:", left)
	}
}
