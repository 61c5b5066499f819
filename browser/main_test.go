package browser

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// patience bounds every wait of a test; only a failure uses it up.
const patience = time.Minute

// shared is the one browser that most tests open sessions of.
var shared *Browser

// TestMain launches it. Without a browser the tests fail: they do not skip.
func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if root := os.Getenv(victim); root != "" {
		return waitForDeath(root)
	}
	if root := os.Getenv(remover); root != "" {
		return removeSlowly(root)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	if shared, err = Launch(ctx, Options{Path: os.Getenv("CUA_BROWSER")}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir := shared.profile.Dir
	code := m.Run()
	if err := shared.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if left := leftovers(dir); left != "" {
		fmt.Fprintln(os.Stderr, "left behind:", left)
		code = 1
	}
	if code == 0 && !poll(func() bool { return len(ours()) == 0 }) {
		fmt.Fprintln(os.Stderr, "goroutines left behind:\n"+strings.Join(ours(), "\n\n"))
		code = 1
	}
	return code
}

// leftovers are the profile folder and the processes of a closed browser that are still there.
func leftovers(dir string) (left string) {
	poll(func() bool {
		left = ""
		if _, err := os.Stat(dir); err == nil {
			left = dir
		}
		left += strings.Join(using(dir), " ")
		return left == ""
	})
	return left
}

// using are the processes that have dir in their command line.
func using(dir string) (pids []string) {
	cmds, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, c := range cmds {
		if line, err := os.ReadFile(c); err == nil && bytes.Contains(line, []byte(dir)) {
			pids = append(pids, filepath.Base(filepath.Dir(c)))
		}
	}
	return pids
}

// ours are the stacks of goroutines that this package started and that run now.
func ours() (left []string) {
	var all strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&all, 2)
	for stack := range strings.SplitSeq(all.String(), "\n\n") {
		if strings.Contains(stack, "cua-runner/browser.") && !strings.Contains(stack, "browser.TestMain") &&
			!strings.Contains(stack, "testing.tRunner") {
			left = append(left, stack)
		}
	}
	return left
}

// poll asks until cond holds or patience ends, and says whether it held.
func poll(cond func() bool) bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if cond() {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
}

// site serves pages by path; what is no page is 404.
func site(t testing.TB, pages map[string]string) *httptest.Server {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>"+body)
	})
}

// served are the addresses of all test servers so far.
var served struct {
	mu    sync.Mutex
	hosts []string
}

// reachable lets sessions that are opened from now on visit a loopback address, also as localhost.
func reachable(addr string) {
	_, port, _ := strings.Cut(addr, ":")
	served.mu.Lock()
	defer served.mu.Unlock()
	served.hosts = append(served.hosts, addr, "localhost:"+port)
}

// anyServer is o with all test servers so far.
func anyServer(o SessionOptions) SessionOptions {
	served.mu.Lock()
	defer served.mu.Unlock()
	o.Allow, o.Open = slices.Clone(served.hosts), true
	return o
}

// serve serves with h. Requests that hang are cut at the end of the test.
func serve(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	reachable(s.Listener.Addr().String())
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// farSite serves html at an address of another site than that of the pages, and says where.
func farSite(t testing.TB, html string) string {
	t.Helper()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html>", html)
	})
	return strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
}

// env is a session under test.
type env struct {
	*Session
	t testing.TB
}

// open opens a session of the shared browser on the page at url.
func open(t testing.TB, o SessionOptions, url string) env {
	t.Helper()
	e := openBlank(t, o)
	e.reset(cua.Task{URL: url})
	return e
}

// openBlank opens a session that may visit all test servers so far, unless o lists hosts of its
// own; an empty list that is not nil is such a list.
func openBlank(t testing.TB, o SessionOptions) env {
	t.Helper()
	if o.Allow == nil {
		o = anyServer(o)
	}
	s, err := shared.NewSession(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return env{s, t}
}

func (e env) reset(task cua.Task) cua.Observation {
	e.t.Helper()
	o, err := e.Reset(e.t.Context(), task)
	if err != nil {
		e.t.Fatal(err)
	}
	return o
}

// act does a and fails the test on an error; the step may fail.
func (e env) act(a cua.Action) cua.Outcome {
	e.t.Helper()
	out, err := e.Act(e.t.Context(), a)
	if err != nil {
		e.t.Fatalf("%s: %v", a.Kind, err)
	}
	return out
}

// ok does a and fails the test when the step failed.
func (e env) ok(a cua.Action) cua.Observation {
	e.t.Helper()
	out := e.act(a)
	if out.Failure != nil {
		e.t.Fatalf("%s: %v (log %q)", a.Kind, out.Failure, out.Log)
	}
	return out.After
}

// at is an action on the element with that name on the page as it was last observed.
func (e env) at(a cua.Action, name string) cua.Action {
	e.t.Helper()
	got, err := cua.Scripted{Action: a, On: name}.Resolve(e.last)
	if err != nil {
		e.t.Fatalf("%s: %v", a.Kind, err)
	}
	return got
}

func (e env) click(name string) cua.Observation {
	e.t.Helper()
	return e.ok(e.at(cua.Action{Kind: cua.Click}, name))
}

// title checks the title of the page.
func title(t testing.TB, o cua.Observation, want string) {
	t.Helper()
	if o.Title != want {
		t.Errorf("title is %q, want %q", o.Title, want)
	}
}
