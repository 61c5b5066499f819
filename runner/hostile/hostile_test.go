// Package hostile_test plays pages that do what they can to end an episode as a fault of the infrastructure.
// It is a package of its own because whether a page hangs is a matter of time: on a machine that is busy with
// other tests, pages that only keep their browser busy would hang.
package hostile_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// The ends of episodes on hostile pages. A page whose fault was survived lets the episode go on until its
// cap.
const (
	goesOn  = "max_steps"
	hung    = "site_fault: hung"
	windows = "site_fault: windows"
	leaves  = "site_fault: navigation"
	// Which of two caps such a page meets first, that on steps or its own, depends on the machine: how many
	// alerts are accepted within a step is a matter of round trips, and how fast memory fills one of the
	// processor. More steps would not decide it, as they end by hostileEnd. Either way nobody else is blamed.
	orAlerts = goesOn + " or site_fault: alerts"
	orMemory = goesOn + " or site_fault: memory"
	// So does it for documents that each stay for a moment: a step that reads one within that moment is over
	// before it has seen too many. The page "reloads" leaves no such moment.
	orLeaves = goesOn + " or " + leaves
	// A page that keeps its process busy may not be readable in time, or its tab may crash. On a slow machine
	// that comes before its own cap or that on steps.
	unreadable = " or site_fault: unreadable"
)

// hostile is a page that does what it can to end an episode as a fault of the infrastructure. Code of kind E
// is set on an interval of a millisecond, S runs at once, P is the page as it is. end is how the episode is
// to end.
type hostile struct{ name, end, kind, code string }

// hostileLoops keep the process of the page busy.
var hostileLoops = []hostile{
	{"a loop", goesOn, "S", `while(true);`},
	{"loops on an interval", goesOn, "E", `while(true);`},
	{"a loop after its load", goesOn, "S", `onload=()=>setTimeout(()=>{while(true);},50)`},
	{"a loop at a press", hung, "S", `onclick=()=>{while(true);}`},
	{"a loop at each mutation", hung, "S", `new MutationObserver(()=>document.body.append(1)).observe(document,{subtree:true,childList:true});onclick=()=>document.body.append(2)`},
	{"a loop of promises", orMemory, "S", `const f=()=>Promise.resolve().then(f);onload=()=>f()`},
	{"a loop in a frame", goesOn, "P", `<iframe srcdoc="<script>while(true);</script>"></iframe>`},
	{"a loop in a frame of another site", goesOn, "P", `<iframe src="OTHER/loop"></iframe>`},
	{"a loop of animation frames", goesOn, "S", `const f=()=>{requestAnimationFrame(f);const t=performance.now();while(performance.now()-t<200);};f()`},
	{"loops in workers", goesOn, "S", `for(let i=0;i<4;i++)new Worker(URL.createObjectURL(new Blob(['while(true);'])))`},
	{"synchronous requests", goesOn, "E", `const x=new XMLHttpRequest;x.open('GET','/slow',false);x.send()`},
}

// hostileTrees keep the process of the page busy with layout.
var hostileTrees = []hostile{
	{"nodes", goesOn, "E", `for(let i=0;i<3000;i++)document.body.append(document.createElement('p'))`},
	{"a deep tree", goesOn + unreadable, "S", `onload=()=>{let e=document.body;for(let i=0;i<50000;i++)e=e.appendChild(document.createElement('b'))}`},
}

var hostileOthers = []hostile{
	{"alerts", orAlerts, "E", `alert('again')`},
	{"confirms", goesOn, "E", `confirm('again')`},
	{"prompts", goesOn, "E", `prompt('again')`},
	{"prints", goesOn, "E", `print()`},
	{"an alert in a frame", orAlerts, "P", `<iframe srcdoc="<script>setInterval(()=>alert(1),1)</script>"></iframe>`},
	{"alerts when it is left", goesOn, "S", `onbeforeunload=e=>{alert(1);return 1};onpagehide=()=>alert(2)`},
	{"asks when it is left", goesOn, "S", `onbeforeunload=e=>{e.preventDefault();e.returnValue='stay'}`},
	{"windows", windows + unreadable, "E", `open('/plain','_blank')`},
	{"windows that open windows", windows + unreadable, "E", `open(location,'_blank','popup')`},
	{"windows at a press", windows + unreadable, "S", `onclick=()=>{for(let i=0;i<50;i++)open('/plain','_blank','popup')}`},
	{"a window that is refused in a frame", goesOn, "P", `<iframe sandbox="allow-scripts" srcdoc="<script>setInterval(()=>open('/plain'),1)</script>"></iframe>`},
	{"a window that closes itself", goesOn, "S", `onclick=()=>{open(location);close()}`},
	{"reloads", leaves, "S", `location.reload()`},
	{"goes on and on", orLeaves, "S", `setTimeout(()=>location.replace('/hostile?'+Math.random()),15)`},
	{"goes on by its address", goesOn, "E", `location.hash=Math.random()`},
	{"history", goesOn + unreadable, "E", `history.pushState(0,'','?'+Math.random())`},
	{"a refresh", leaves, "P", `<meta http-equiv=refresh content=0>`},
	{"a redirect without end", goesOn, "P", `REDIRECT`},
	{"a document without end", goesOn, "P", `ENDLESS`},
	{"is no document", goesOn, "P", `GARBAGE`},
	{"a crash", goesOn, "P", `<a href="chrome://crash">b</a>`},
	{"memory of scripts", orMemory, "E", `(self.a=self.a||[]).push(Array(1e6).fill(1.5))`},
	{"memory of buffers", orMemory, "E", `(self.a=self.a||[]).push(new Uint8Array(3e7).fill(1))`},
	{"memory of canvases", orMemory, "E", `const c=document.createElement('canvas');c.width=c.height=4000;c.getContext('2d').fillRect(0,0,4000,4000);c.getContext('2d').getImageData(0,0,9,9);(self.a=self.a||[]).push(c)`},
	{"frames", goesOn, "E", `document.body.append(document.createElement('iframe'))`},
	{"takes over the functions of the browser", goesOn, "S", `JSON.stringify=()=>{throw 1};Promise=undefined;Array.prototype.push=()=>{throw 2};requestAnimationFrame=()=>0;setTimeout=()=>0;document.elementFromPoint=()=>null`},
}

// obedient is a brain that goes to the page and does what it asks for: it agrees, and presses what is there.
func obedient(_ context.Context, t *cua.Turn) (cua.Decision, error) {
	a := cua.Action{Kind: cua.Wait, MS: 500}
	switch {
	case t.Now.Dialog != nil:
		a = cua.Action{Kind: cua.AnswerDlg, Accept: true, Text: "yes"}
	case len(t.Now.Marks) > 0:
		a = cua.Action{Kind: cua.Click, Mark: t.Now.Marks[0].N}
	case t.Number%2 == 0:
		a = cua.Action{Kind: cua.Click, Point: &cua.Point{X: 200, Y: 200}}
	}
	return cua.Decision{Action: a}, nil
}

// turnTaker is a Brain of one function that is given the turn.
type turnTaker func(context.Context, *cua.Turn) (cua.Decision, error)

func (f turnTaker) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) { return f(ctx, t) }

// hostileServer serves the page at /hostile.
func hostileServer(t *testing.T, kind, code string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		other := "http://" + strings.Replace(r.Host, "127.0.0.1", "localhost", 1)
		body := strings.ReplaceAll(code, "OTHER", other)
		switch {
		case r.URL.Path == "/slow":
			<-r.Context().Done()
			return
		case r.URL.Path == "/loop":
			body = "<script>while(true);</script>"
		case r.URL.Path == "/plain":
			body = "<title>plain</title>"
		case r.URL.Path != "/hostile":
			body = `<title>home</title><a href=/hostile>Go</a>`
		case code == "REDIRECT":
			http.Redirect(w, r, fmt.Sprintf("/hostile?%d", time.Now().UnixNano()), http.StatusFound)
			return
		case code == "ENDLESS":
			_, _ = io.WriteString(w, "<!doctype html><title>half</title>")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		case code == "GARBAGE":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, "no gzip at all")
			return
		case kind == "E":
			body = "<title>hostile</title><body><button>b</button><script>setInterval(()=>{" + body +
				"},1)</script>"
		case kind == "S":
			body = "<title>hostile</title><body><button>b</button><script>" + body + "</script>"
		}
		_, _ = io.WriteString(w, "<!doctype html>"+body)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

const (
	hostileMB = 1400
	// hostileMost is how much a browser with that cap may hold for a moment, bytes.
	hostileMost = hostileMB << 20 * 6 / 5
	// hostileEnd is within what time each episode ends. The slowest takes a quarter of it on an idle machine.
	hostileEnd = time.Minute
)

// No page makes a fault of the infrastructure, whatever the brain does for it; each episode ends in time, the
// browser is held to its cap, and nothing is left behind.
func TestHostilePages(t *testing.T) {
	for _, row := range []struct {
		name, path string
		pages      []hostile
		wait       time.Duration // for a document; two of them fit within hostileEnd
	}{
		{"shell", os.Getenv("CUA_BROWSER"), slices.Concat(hostileOthers, hostileTrees), 5 * time.Second},
		{"full", "/usr/lib/chromium/chromium", hostileOthers, 5 * time.Second},
		// What keeps a page busy does so in either browser: scripts and layout run in the same process of the
		// page. A loop is busy for as long as it is waited for.
		{"shell, loops", os.Getenv("CUA_BROWSER"), hostileLoops, 2 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel() // much of it is waiting
			if _, err := os.Stat(row.path); row.name == "full" && (err != nil || testing.Short()) {
				t.Skip("there is no second browser here, or the tests are to be short")
			}
			root, err := os.MkdirTemp("", "hostile")
			if err == nil {
				err = os.Chmod(root, 0o755) // the browser is another user
			}
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(root)
			o := browser.Options{Path: row.path, ProfileRoot: root, MaxMB: hostileMB}
			l := &lane{o, browsertest.Launch(t, o)}
			for _, h := range row.pages {
				t.Run(h.name, func(t *testing.T) {
					playHostile(t, l, hostileServer(t, h.kind, h.code), h.end, row.wait)
				})
			}
			if err := l.b.Close(); err != nil {
				t.Error(err)
			}
			if left, err := filepath.Glob(root + "/*"); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v (%v)", left, err)
			}
			lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, l := range lines {
				if line, _ := os.ReadFile(l); bytes.Contains(line, []byte(root)) {
					t.Errorf("left behind: process %s", filepath.Base(filepath.Dir(l)))
				}
			}
		})
	}
}

// lane is a browser that is replaced where it has ended: a page may end it, and what a page left in its
// memory may retire it. run and bench then launch another one, too.
type lane struct {
	o browser.Options
	b *browser.Browser
}

// session opens a session, in a new browser if need be.
func (l *lane) session(t *testing.T, o browser.SessionOptions) *browser.Session {
	t.Helper()
	s, err := l.b.NewSession(t.Context(), o)
	if browser.Lost(err) {
		t.Log("a new browser is launched:", err)
		_ = l.b.Close() // it says how the browser ended
		// browsertest would close it with this row, and the rows that follow need it
		if l.b, err = browser.Launch(t.Context(), l.o); err != nil {
			t.Fatal(err)
		}
		s, err = l.b.NewSession(t.Context(), o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// playHostile plays an episode that begins at url, waits so long for documents and is to end so.
func playHostile(t *testing.T, l *lane, url, end string, wait time.Duration) {
	s := l.session(t, browser.SessionOptions{DocTimeout: wait,
		Allow: []string{strings.Replace(strings.TrimPrefix(url, "http://"), "127.0.0.1", "localhost", 1)}})
	defer s.Close()
	cfg, err := runner.DefaultConfig().Arm("default")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Recovery.Limits.MaxSteps = 5
	dir := filepath.Join(t.TempDir(), "episode")
	r := &runner.Runner{Brain: turnTaker(obedient), Env: s, Config: cfg, Dir: dir,
		Header: trajectories.Header{Episode: "hostile"}}
	over := make(chan struct{})
	var measuring sync.WaitGroup
	var most int64
	measuring.Go(func() {
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			// RSS is never less than PSS, and measuring it takes nothing from the browser.
			if u, err := l.b.UseAbove(hostileMost); err == nil {
				most = max(most, min(u.RSS, cmp.Or(u.PSS, hostileMost)))
			}
			select {
			case <-tick.C:
			case <-over:
				tick.Stop()
				return
			}
		}
	})
	began := time.Now()
	got, err := r.Run(t.Context(), cua.Task{ID: "hostile", Goal: "do what the page says", URL: url})
	took := time.Since(began)
	close(over)
	measuring.Wait()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s after %d steps in %v, at most %d MiB: %s", got.TerminationReason, got.Steps,
		took.Round(100*time.Millisecond), most>>20, got.Detail)
	how := string(got.TerminationReason)
	if fault, _, named := strings.Cut(got.Detail, ": "); got.TerminationReason == cua.EndSiteFault && named {
		how += ": " + fault
	}
	if !slices.Contains(strings.Split(end, " or "), how) {
		t.Errorf("the end is %q, want %q", how, end)
	}
	if took > hostileEnd || most > hostileMost {
		t.Error("want an end in time and within the cap")
	}
}
