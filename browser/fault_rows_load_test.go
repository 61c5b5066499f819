package browser

import (
	"cmp"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/faulttable"
)

// loading is how long a document may load, stopping how long it may take to stop it and to look at what is there.
const (
	loading  = 20 * time.Second
	stopping = 5 * time.Second
)

// endlessRows are row 5, with the time that is allowed where nothing else is said.
func endlessRows() []faultRow {
	visit := func(path, link string) func(t *testing.T) (string, time.Duration) {
		return func(t *testing.T) (string, time.Duration) {
			ts := endlessSite(t)
			e := open(t, SessionOptions{}, ts.URL)
			if link != "" {
				return e.press(link)
			}
			got, took := e.timed(cua.Action{Kind: cua.Navigate, URL: ts.URL + path})
			if path == "/image" {
				title(t, e.click("b"), "clicked")
			}
			return got, took
		}
	}
	row := func(fault, want string) faulttable.Row {
		return faulttable.Row{N: 5, Fault: "a load that never ends: " + fault, Want: want, After: loading, Within: loading + stopping}
	}
	return []faultRow{
		{row("no answer", "timeout, partial_load, shows home"), visit("/silent", "")},
		{row("half a body", "partial_load, shows half"), visit("/body", "")},
		{row("an image", "partial_load, shows whole"), visit("/image", "")},
		{row("half a body, by a link", "partial_load, shows half"), visit("", "body")},
	}
}

// endlessSite sends answers that do not end.
func endlessSite(t *testing.T) *httptest.Server {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
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
}

// loadRows are rows 6 and 7.
func loadRows() []faultRow {
	pages := map[string]string{
		"/":    `<title>home</title><a href=/pop target=_blank>blank</a> <button onclick="window.open('/pop')">open</button>`,
		"/pop": `<title>pop</title><button onclick="window.close()">close</button>`,
	}
	where := func(o cua.Observation) string { return fmt.Sprintf("tab %d of %d, shows %s", o.Tab, o.Tabs, o.Title) }
	popup := func(name string, more ...string) func(t *testing.T) (string, time.Duration) {
		return func(t *testing.T) (string, time.Duration) {
			e := open(t, SessionOptions{}, site(t, pages).URL)
			began := time.Now()
			o := e.click(name)
			for _, then := range more {
				began = time.Now()
				o = e.click(then)
			}
			return where(o), time.Since(began)
		}
	}
	return []faultRow{
		{faulttable.Row{N: 6, Fault: "window.open", Want: "tab 2 of 2, shows pop"}, popup("open")},
		{faulttable.Row{N: 6, Fault: "a link with target=_blank", Want: "tab 2 of 2, shows pop"}, popup("blank")},
		{faulttable.Row{N: 6, Fault: "a window that closes itself", Want: "tab 1 of 1, shows home"}, popup("open", "close")},
		{faulttable.Row{N: 7, Fault: "a press that is followed by four navigations", Want: "pressed 1×, shows r4"},
			func(t *testing.T) (string, time.Duration) { return race(t, 4) }},
		{faulttable.Row{N: 7, Fault: "a page that navigates for ever", Want: "pressed 1×, shows r", Within: escalation},
			func(t *testing.T) (string, time.Duration) { return race(t, 0) }},
		{faulttable.Row{N: 7, Fault: "three reads that a navigation interrupts", Want: "pressed 1×, read 4×, shows clicked"}, interrupted(3)},
		{faulttable.Row{N: 7, Fault: "four reads that a navigation interrupts", Want: "pressed 1×, read 5×, exec_error, shows clicked"}, interrupted(4)},
	}
}

// race presses a button whose page navigates n times, 0 is for ever, each document on to the next by a script.
func race(t *testing.T, n int64) (string, time.Duration) {
	var pressed, documents atomic.Int64
	ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<!doctype html><title>home</title><button onclick="fetch('/pressed', {method: 'POST', keepalive: true}); location = '/r'">go</button>`)
		case "/pressed":
			pressed.Add(1)
		default:
			name, next := "r", `<script>setTimeout(() => location.replace('/r?' + Math.random()), 15)</script>`
			if i := documents.Add(1); n > 0 {
				name = fmt.Sprint("r", i)
				if i >= n {
					next = ""
				}
			}
			fmt.Fprintf(w, "<!doctype html><title>%s</title>%s", name, next)
		}
	})
	e := open(t, SessionOptions{}, ts.URL)
	press := e.at(cua.Action{Kind: cua.Click}, "go")
	began := time.Now()
	out := e.act(press)
	took := time.Since(began)
	t.Logf("%d documents, %d reads interrupted", documents.Load(), out.Settle.Retried)
	return fmt.Sprintf("pressed %d×, %s", pressed.Load(), told(out)), took
}

// interrupted presses a button, and n reads of the page afterwards fail as if the document had gone.
func interrupted(n int) func(t *testing.T) (string, time.Duration) {
	return func(t *testing.T) (string, time.Duration) {
		ts := site(t, map[string]string{"/": `<title>home</title><button onclick="document.title='clicked'">b</button>`})
		b, bad := sabotaged(t)
		e := on(t, b, SessionOptions{DocTimeout: 4 * time.Second}, ts.URL)
		press := e.at(cua.Action{Kind: cua.Click}, "b")
		var presses, reads int
		bad.spoilWith(func(m *cdproto.Message) string {
			switch params := string(m.Params); {
			case strings.Contains(params, `"mousePressed"`):
				presses++
			case strings.Contains(params, "__cua.probe("):
				if reads++; reads <= n {
					return "Execution context was destroyed."
				}
			}
			return ""
		})
		began := time.Now()
		out := e.act(press)
		took := time.Since(began)
		bad.spoilWith(nil)
		return fmt.Sprintf("pressed %d×, read %d×, %s", presses, reads, told(out)), took
	}
}

// siteRows are rows 8 and 9.
func siteRows() []faultRow {
	visit := func(url func(t *testing.T) string) func(t *testing.T) (string, time.Duration) {
		return func(t *testing.T) (string, time.Duration) {
			ts := site(t, map[string]string{"/": "<title>home</title>"})
			to := url(t)
			e := open(t, SessionOptions{}, ts.URL)
			got, took := e.timed(cua.Action{Kind: cua.Navigate, URL: to})
			title(t, e.ok(cua.Action{Kind: cua.Navigate, URL: ts.URL}), "home") // the next step works
			got, _, _ = strings.Cut(got, ", shows ")
			return got, took
		}
	}
	return []faultRow{
		{faulttable.Row{N: 8, Fault: "a name that does not exist", Want: "nav_error, net::ERR_NAME_NOT_RESOLVED"},
			visit(func(*testing.T) string {
				reachable("no-such-host.invalid:80")
				return "http://no-such-host.invalid:80/"
			})},
		{faulttable.Row{N: 8, Fault: "a connection that is refused", Want: "nav_error, net::ERR_CONNECTION_REFUSED"}, visit(deadPort)},
		{faulttable.Row{N: 8, Fault: "a certificate that nobody signed", Want: "nav_error, net::ERR_CERT_AUTHORITY_INVALID"}, visit(unsignedSite)},
		{faulttable.Row{N: 8, Fault: "HTTP authentication", Want: "nav_error"}, visit(lockedSite)},
		{faulttable.Row{N: 8, Fault: "HTTP authentication, with credentials of that origin", Want: "shows inside",
			Open: "there is no way to give credentials"}, visit(lockedSite)},
		{faulttable.Row{N: 9, Fault: "a download", Want: "nav_error, 1 denied, 0 files"}, download},
		{faulttable.Row{N: 9, Fault: "a file chooser", Want: "shows clicked"}, then("choose")},
		{faulttable.Row{N: 9, Fault: "an upload of a file that is none of the task's", Want: "exec_error"}, foreignUpload},
		{faulttable.Row{N: 9, Fault: "print", Want: "shows clicked"}, then("print")},
		{faulttable.Row{N: 9, Fault: "permissions that the page asks for", Want: "granted: none"}, permissions},
	}
}

// unsignedSite is a server with a certificate of its own.
func unsignedSite(t *testing.T) string {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	s.Config.ErrorLog = nil
	t.Cleanup(s.Close)
	reachable(s.Listener.Addr().String())
	return s.URL
}

// lockedSite is a server that asks for a password.
func lockedSite(t *testing.T) string {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); ok {
			fmt.Fprint(w, "<!doctype html><title>inside</title>")
			return
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="inside"`)
		http.Error(w, "", http.StatusUnauthorized)
	}).URL
}

const asking = `<title>home</title><input type=file aria-label=choose> <button onclick="print()">print</button>
	<button onclick="document.title='clicked'">ok</button>
	<button onclick="ask()">ask</button><script>async function ask() {
		navigator.geolocation.getCurrentPosition(() => {}, () => {});
		const soon = p => Promise.race([p, new Promise(r => setTimeout(r, 500))]).catch(() => {});
		await soon(Notification.requestPermission());
		await soon(navigator.mediaDevices?.getUserMedia({audio: true, video: true}));
		const got = [];
		for (const name of ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi', 'persistent-storage']) {
			try { if ((await navigator.permissions.query({name})).state === 'granted') got.push(name) } catch (e) {}
		}
		document.title = 'granted: ' + (got.join(' ') || 'none');
	}</script>`

// then presses a button that opens something of the browser's, and then another one.
func then(name string) func(t *testing.T) (string, time.Duration) {
	return func(t *testing.T) (string, time.Duration) {
		e := open(t, SessionOptions{}, site(t, map[string]string{"/": asking}).URL)
		began := time.Now()
		e.click(name)
		got, _ := e.press("ok")
		return got, time.Since(began)
	}
}

func permissions(t *testing.T) (string, time.Duration) {
	e := open(t, SessionOptions{SettleCap: patience}, site(t, map[string]string{"/": asking}).URL)
	began := time.Now()
	o := e.click("ask")
	return o.Title, time.Since(began)
}

func foreignUpload(t *testing.T) (string, time.Duration) {
	e := open(t, SessionOptions{Fixtures: t.TempDir()}, site(t, map[string]string{"/": asking}).URL)
	began := time.Now()
	out := e.act(e.at(cua.Action{Kind: cua.Upload, Files: []string{"../../etc/hostname"}}, "choose"))
	if out.Failure == nil {
		return told(out), time.Since(began)
	}
	return string(out.Failure.Kind), time.Since(began)
}

func download(t *testing.T) (string, time.Duration) {
	ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/get" {
			w.Header().Set("Content-Disposition", "attachment; filename=loot.bin")
			_, _ = w.Write(make([]byte, 1<<16))
			return
		}
		fmt.Fprint(w, "<!doctype html><title>home</title>")
	})
	b := alone(t, Options{})
	e := on(t, b, SessionOptions{}, ts.URL)
	began := time.Now()
	out := e.act(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/get"})
	took := time.Since(began)
	files := 0
	_ = filepath.WalkDir(b.profile.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && (strings.Contains(path, "loot") || strings.HasSuffix(path, ".crdownload")) {
			files++
		}
		return nil
	})
	kind := cua.FailureKind("no failure")
	if out.Failure != nil {
		kind = out.Failure.Kind
	}
	return fmt.Sprintf("%s, %d denied, %d files", cmp.Or(kind, "?"), out.After.Downloads, files), took
}
