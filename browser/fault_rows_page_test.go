package browser

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/cua"
)

// crashRows are row 1.
func crashRows() []faultRow {
	pages := map[string]string{"/": "<title>fragile</title><button>b</button>", "/eater": `<title>eater</title>
		<button onclick="const all=[]; while (true) all.push(Array(1e5).fill(1.5))">eat</button>`}
	return []faultRow{
		fault(1, "tab crash: a call that waits for it", "the call failed: the tab crashed",
			func(t *testing.T) (string, time.Duration) {
				return waitingCall(t, crashing(t, site(t, pages).URL))
			}).within(100 * time.Millisecond),
		fault(1, "tab crash: the next step", "exec_error, tab_crash, shows fragile",
			func(t *testing.T) (string, time.Duration) {
				e := crashing(t, site(t, pages).URL)
				crashTab(t, e)
				got, took := e.press("b")
				e.click("b") // it works again
				return got, took
			}),
		fault(1, "tab crash: a second one at the same URL", "site_fault, tab_crash",
			func(t *testing.T) (string, time.Duration) {
				e := crashing(t, site(t, pages).URL)
				crashTab(t, e)
				e.press("b")
				crashTab(t, e)
				return e.press("b")
			}).within(escalation),
		fault(1, "JavaScript runs out of memory", "exec_error, tab_crash, shows eater",
			func(t *testing.T) (string, time.Duration) {
				b := alone(t, Options{Flags: []string{"js-flags=--max-old-space-size=64"}})
				return on(t, b, SessionOptions{}, site(t, pages).URL+"/eater").press("eat")
			}),
	}
}

// crashing opens a page in a browser of its own. Chromium itself crashes sometimes where a tab crashes while
// a screenshot of it is under way, and on a busy machine screenshots are taken. It would take the other rows
// with it.
func crashing(t *testing.T, url string) env { return on(t, alone(t, Options{}), SessionOptions{}, url) }

// waitingCall crashes the tab under a call. The time is that from the news of the crash to
// the end of the call.
func waitingCall(t *testing.T, e env) (string, time.Duration) {
	tab, _ := e.here()
	heard := make(chan time.Time, 1)
	defer tab.s.Listen(func(method string, _ jsonv2.Value) {
		if method == inspector.TargetCrashed.Method {
			heard <- time.Now()
		}
	})()
	waiting := make(chan error, 1)
	go func() {
		never := map[string]any{"expression": "new Promise(() => {})", "awaitPromise": true}
		waiting <- tab.s.Call(t.Context(), "Runtime.evaluate", never, nil)
	}()
	if !poll(func() bool { return tab.s.Conn().Waiting() > 0 }) {
		t.Fatal("nothing waits")
	}
	_ = tab.s.Post(page.Crash.Method, cdp.Empty{}, nil)
	at := <-heard
	err := <-waiting
	took := time.Since(at)
	if errors.Is(err, wire.ErrCrashed) {
		return "the call failed: " + wire.ErrCrashed.Error(), took
	}
	return err.Error(), took
}

const hangs = `<title>fine</title><button onclick="while(true){}">spin</button>
	<button onclick="document.title='clicked'">ok</button>
	<button onclick="setTimeout(() => { while(true){} }, 20)">later</button>
	<button onclick="setInterval(() => { while(true){} }, 1)">interval</button>
	<input aria-label=field oninput="while(true){}">
	<button onclick="setTimeout(respin, 0); while(true){}">respin</button>
	<script>function respin() { setTimeout(respin, 0); setTimeout(respin, 0); while (true) {} }</script>`

// escalation is how long it may take until a hung page is dealt with.
const escalation = 10 * time.Second

// hangRows are row 2, but for slowRows.
func hangRows() []faultRow {
	pressed := func(name string) func(t *testing.T) (string, time.Duration) {
		return func(t *testing.T) (string, time.Duration) {
			e := open(t, SessionOptions{}, site(t, map[string]string{"/": hangs}).URL)
			got, took := e.press(name)
			title(t, e.click("ok"), "clicked")
			return got, took
		}
	}
	return []faultRow{
		fault(2, "a script that never ends, by a click", "timeout, hung, shows fine",
			pressed("spin")).within(escalation),
		fault(2, "a script that never ends, soon after a click", "timeout, hung, shows fine",
			pressed("later")).within(escalation),
		fault(2, "a script that never ends, by typing", "timeout, hung, shows fine",
			func(t *testing.T) (string, time.Duration) {
				e := open(t, SessionOptions{}, site(t, map[string]string{"/": hangs}).URL)
				e.click("field")
				got, took := e.timed(cua.Action{Kind: cua.Type, Text: "words"})
				title(t, e.click("ok"), "clicked")
				return got, took
			}).within(escalation),
		fault(2, "a script that spins again whenever it is ended", "timeout, hung, shows fine",
			pressed("respin")).within(escalation),
		fault(2, "setInterval with an endless loop", "timeout, hung, shows fine",
			pressed("interval")).within(escalation),
		fault(2, "a second hang at the same URL", "site_fault, hung",
			func(t *testing.T) (string, time.Duration) {
				e := open(t, SessionOptions{}, site(t, map[string]string{"/": hangs}).URL)
				e.press("spin")
				return e.press("spin")
			}).within(escalation),
		fault(2, "a document whose script never ends", "timeout, hung, shows spins",
			func(t *testing.T) (string, time.Duration) {
				ts := site(t, map[string]string{"/": oneButton,
					"/spins": "<title>spins</title><script>while(true){}</script>"})
				e := open(t, SessionOptions{}, ts.URL)
				return e.timed(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/spins"})
			}).within(escalation),
		fault(2, "a start page whose script never ends", "shows spins",
			func(t *testing.T) (string, time.Duration) {
				ts := site(t, map[string]string{"/": "<title>spins</title><script>while(true){}</script>"})
				began := time.Now()
				e := open(t, SessionOptions{}, ts.URL)
				return "shows " + e.last.Title, time.Since(began)
			}).within(escalation),
		fault(2, "another tab while one hangs", "shows clicked", besideAHang).within(escalation),
		fault(2, "a renderer that is stopped: the last rung", "env_error, hung",
			stoppedRenderer).within(escalation),
		fault(2, "a renderer that is busy, and that no command ends", "site_fault, hung",
			undying).within(escalation),
	}
}

// besideAHang works in a session while the page of another hangs.
func besideAHang(t *testing.T) (string, time.Duration) {
	ts := site(t, map[string]string{"/": hangs})
	e, other := open(t, SessionOptions{}, ts.URL), open(t, SessionOptions{}, ts.URL)
	spin := e.at(cua.Action{Kind: cua.Click}, "spin")
	var hung sync.WaitGroup
	hung.Go(func() { _, _ = e.Act(t.Context(), spin) })
	defer hung.Wait()
	if !poll(func() bool { return len(e.turn) == 1 }) {
		t.Fatal("nothing hangs")
	}
	return other.press("ok")
}

// stoppedRenderer stops all renderers as a debugger does: neither ending their scripts nor crashing them
// helps.
func stoppedRenderer(t *testing.T) (string, time.Duration) {
	ts := site(t, map[string]string{"/": hangs})
	b, err := Launch(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	e := on(t, b, SessionOptions{}, ts.URL)
	press := e.at(cua.Action{Kind: cua.Click}, "ok")
	if stop(t, b, "renderer") == 0 {
		t.Fatal("no renderer was found")
	}
	got, took := e.timed(press)
	<-b.Gone()
	return got, took
}

// undying presses a button that hangs its page, which no command of ours can end: the browser answers, and
// the renderer works.
func undying(t *testing.T) (string, time.Duration) {
	b, bad := sabotaged(t)
	e := on(t, b, SessionOptions{}, site(t, map[string]string{"/": hangs}).URL)
	spin := e.at(cua.Action{Kind: cua.Click}, "spin")
	bad.spoilWith(func(m *cdproto.Message) string {
		if string(m.Method) == runtime.TerminateExecution.Method || string(m.Method) == page.Crash.Method {
			return "not now"
		}
		return ""
	})
	got, took := e.timed(spin)
	<-b.Gone()
	return got, took
}

// stop stops the processes of b that are of a kind and says how many there were.
func stop(t *testing.T, b *Browser, kind string) (n int) {
	t.Helper()
	procs, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range procs {
		pid, _ := strconv.Atoi(filepath.Base(p))
		line, err := os.ReadFile(filepath.Join(p, "cmdline"))
		group, gerr := syscall.Getpgid(pid)
		ours := err == nil && gerr == nil && group == b.proc.PID()
		if ours && strings.Contains(string(line), "--type="+kind) {
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			n++
		}
	}
	return n
}

// dialogRows are rows 3 and 4.
func dialogRows() []faultRow {
	opened := func(name string) func(t *testing.T) (string, time.Duration) {
		return func(t *testing.T) (string, time.Duration) {
			return open(t, SessionOptions{}, site(t, map[string]string{"/": dialogPage}).URL).press(name)
		}
	}
	answered := func(a cua.Action, button, then string) func(t *testing.T) (string, time.Duration) {
		return func(t *testing.T) (string, time.Duration) {
			e := open(t, SessionOptions{}, site(t, map[string]string{"/": dialogPage}).URL)
			if then != "" {
				a = e.at(a, then)
			}
			e.click(button)
			return e.timed(a)
		}
	}
	return []faultRow{
		fault(3, "alert, twice", "alerts one two, shows alerted", opened("alerts")),
		fault(3, "confirm", "confirm open, shows home", opened("confirm")),
		fault(3, "prompt", "prompt open, shows home", opened("prompt")),
		fault(3, "confirm that the brain accepts", "shows confirm true",
			answered(cua.Action{Kind: cua.AnswerDlg, Accept: true}, "confirm", "")),
		fault(3, "prompt that the brain answers", "shows prompt Ada",
			answered(cua.Action{Kind: cua.AnswerDlg, Accept: true, Text: "Ada"}, "prompt", "")),
		fault(3, "confirm that the brain does not answer", "shows plain",
			answered(cua.Action{Kind: cua.Click}, "confirm", "plain")),
		fault(3, "confirm by a list whose option is chosen", "confirm open, shows home",
			confirmsInside(cua.Action{Kind: cua.Select, Text: "two"}, "List")).within(escalation),
		fault(3, "confirm by a date that is set", "confirm open, shows home",
			confirmsInside(cua.Action{Kind: cua.Type, Text: "2026-01-02"}, "Day")).within(escalation),
		fault(3, "confirm by a field that gets text, in a moment", "confirm open, shows home",
			confirmsInside(cua.Action{Kind: cua.Type, Text: "x"}, "Late")).within(escalation),
		fault(3, "confirm by a field that loses the focus", "exec_error, confirm open, shows home",
			confirmsInside(cua.Action{Kind: cua.Type, Text: "x"}, "Note")).within(escalation),
		fault(3, "screenshots and reads while a confirm is open", "0× screenshot, 0× evaluate",
			quietBehindADialog),
		fault(3, "twenty alerts in a row", "20 alerts, shows alerted", opensAlerts(20)),
		fault(3, "alerts without end", "site_fault", alertStorm).within(escalation),
		fault(4, "beforeunload", "shows next", leaveGuarded(nil)),
		fault(4, "beforeunload whose acceptance is lost", "shows next",
			leaveGuarded(func(bad *saboteur) {
				bad.strike(page.HandleJavaScriptDialog.Method, true)
			})).within(5 * time.Second),
	}
}

// confirmsInside does a on what has that name, where handlers that run inside our own script ask back.
func confirmsInside(a cua.Action, name string) func(t *testing.T) (string, time.Duration) {
	return func(t *testing.T) (string, time.Duration) {
		e := open(t, SessionOptions{}, site(t, map[string]string{"/": `<title>home</title>
			<label>Mail <input autofocus onblur="if(!window.n){n=1;confirm('go on?')}"></label><label>Note <input></label>
			<label>Late <input oninput="setTimeout(()=>confirm('sure?'))"></label>
			<label>List <select onchange="confirm('sure?')"><option>one<option>two</select></label>
			<label>Day <input type=date onchange="confirm('sure?')"></label>`}).URL)
		if name != "Note" {
			pageValue(t, e.Session, "n=1")
		}
		a.Into = into(name)(e.last).Into
		return e.timed(a)
	}
}

// opensAlerts presses a button that shows n alerts, one after the other.
func opensAlerts(n int) func(t *testing.T) (string, time.Duration) {
	return func(t *testing.T) (string, time.Duration) {
		page := fmt.Sprintf(`<title>home</title><button
			onclick="for (let i = 0; i < %d; i++) alert(i); document.title='alerted'">b</button>`, n)
		e := open(t, SessionOptions{}, site(t, map[string]string{"/": page}).URL)
		began := time.Now()
		o := e.click("b")
		return fmt.Sprintf("%d alerts, shows %s", len(o.Alerts), o.Title), time.Since(began)
	}
}

// alertStorm visits a page that does not stop to alert, and does what it can on it. The time is that from the
// visit to the end.
func alertStorm(t *testing.T) (string, time.Duration) {
	const storm = `<title>storm</title><button>b</button><script>setInterval(() => alert('again'), 1)</script>`
	ts := site(t, map[string]string{"/": dialogPage, "/storm": storm})
	e := open(t, SessionOptions{}, ts.URL)
	began := time.Now()
	out := e.act(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/storm"})
	for n := 0; n < 3 && (out.Failure == nil || out.Failure.Kind.End() == ""); n++ {
		out = e.act(cua.Action{Kind: cua.Wait, MS: 3000})
	}
	if f := out.Failure; f == nil || !strings.HasPrefix(f.Detail, faultAlerts+": ") {
		t.Errorf("failure %v, want one that names %s", f, faultAlerts)
	}
	return told(out), time.Since(began)
}

// slowRows are the rest of row 2.
func slowRows() []faultRow {
	return []faultRow{
		fault(2, "a document that goes on to a slow one", "shows slow", slowNext("/hop")).after(slowness),
		fault(2, "a document that is slow to end", "shows half", slowNext("/half")).after(slowness),
	}
}

// slowness is how long the server of slowNext takes: longer than a script may hold up a document.
const slowness = hangCheck + hangTimeout + time.Second

// slowNext visits a page whose server is slow and which is well.
func slowNext(path string) func(t *testing.T) (string, time.Duration) {
	return func(t *testing.T) (string, time.Duration) {
		ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<!doctype html><title>%s</title>", strings.TrimPrefix(r.URL.Path, "/"))
			switch r.URL.Path {
			case "/hop":
				fmt.Fprint(w, "<script>location='/slow'</script>")
			case "/slow", "/half":
				if r.URL.Path == "/half" {
					w.(http.Flusher).Flush()
				}
				late := time.NewTimer(slowness)
				defer late.Stop()
				select {
				case <-late.C:
				case <-r.Context().Done():
				}
			}
		})
		e := open(t, SessionOptions{}, ts.URL)
		return e.timed(cua.Action{Kind: cua.Navigate, URL: ts.URL + path})
	}
}

// quietBehindADialog looks at the page in every way that there is while a dialog is open.
func quietBehindADialog(t *testing.T) (string, time.Duration) {
	b, sent := tapped(t)
	e := on(t, b, SessionOptions{}, site(t, map[string]string{"/": dialogPage}).URL)
	plain := e.at(cua.Action{Kind: cua.Click}, "plain")
	e.click("confirm")
	sent.count(page.CaptureScreenshot.Method)
	sent.count("Runtime.evaluate")
	sent.count("Runtime.callFunctionOn")
	began := time.Now()
	e.ok(cua.Action{Kind: cua.Observe})
	for _, a := range []cua.Action{{Kind: cua.Find, Text: "plain"}, {Kind: cua.Extract, Text: "the title"},
		{Kind: cua.Zoom, Point: plain.Point}} {
		if got := told(e.act(a)); got != "exec_error, confirm open, shows home" {
			t.Errorf("%s: %s", a.Kind, got)
		}
	}
	if _, err := e.Locate(t.Context(), plain); err != nil {
		t.Error(err)
	}
	reads := sent.count("Runtime.evaluate") + sent.count("Runtime.callFunctionOn")
	shots := sent.count(page.CaptureScreenshot.Method)
	return fmt.Sprintf("%d× screenshot, %d× evaluate", shots, reads), time.Since(began)
}

// leaveGuarded navigates away from a page that asks whether it may be left.
func leaveGuarded(spoil func(*saboteur)) func(t *testing.T) (string, time.Duration) {
	return func(t *testing.T) (string, time.Duration) {
		ts := site(t, map[string]string{"/": dialogPage, "/next": "<title>next</title>"})
		b, bad := sabotaged(t)
		e := on(t, b, SessionOptions{DocTimeout: 4 * time.Second}, ts.URL)
		e.click("guard")
		if spoil != nil {
			spoil(bad)
		}
		return e.timed(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/next"})
	}
}
