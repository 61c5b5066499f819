package browser

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto"

	"github.com/cua-runner/cua-runner/cua"
)

// loading is how long a document may load, stopping how long it may take to stop it and to look at
// what is there.
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
	endless := func(what, want, path, link string) faultRow {
		r := fault(5, "a load that never ends: "+what, want, visit(path, link))
		return r.after(loading).within(loading + stopping)
	}
	return []faultRow{
		endless("no answer", "timeout, partial_load, shows home", "/silent", ""),
		endless("half a body", "partial_load, shows half", "/body", ""),
		endless("an image", "partial_load, shows whole", "/image", ""),
		endless("half a body, by a link", "partial_load, shows half", "", "body"),
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
			fmt.Fprint(w, `<!doctype html><title>whole</title><img src=/silent>
				<button onclick="document.title='clicked'">b</button>`)
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
		"/": `<title>home</title><a href=/pop target=_blank>blank</a>
			<button onclick="window.open('/pop')">open</button>`,
		"/pop": `<title>pop</title><button onclick="window.close()">close</button>`,
	}
	where := func(o cua.Observation) string {
		return fmt.Sprintf("tab %d of %d, shows %s", o.Tab, o.Tabs, o.Title)
	}
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
		fault(6, "window.open", "tab 2 of 2, shows pop", popup("open")),
		fault(6, "a link with target=_blank", "tab 2 of 2, shows pop", popup("blank")),
		fault(6, "a window that closes itself", "tab 1 of 1, shows home", popup("open", "close")),
		fault(6, "ten windows at once", "tab 11 of 11, shows pop", opensWindows("10")),
		fault(6, "windows that are refused", "shows home",
			func(t *testing.T) (string, time.Duration) {
				e := open(t, SessionOptions{}, site(t, map[string]string{"/": `<title>home</title><button>b</button>
					<iframe sandbox=allow-scripts srcdoc="<script>setInterval(()=>open('/'),1)</script>">
					</iframe>`}).URL)
				return e.press("b")
			}).within(escalation),
		fault(6, "windows without end", "site_fault", opensWindows("Infinity")).within(escalation),
		fault(7, "a press that is followed by four navigations", "pressed 1×, text and frame of one document",
			func(t *testing.T) (string, time.Duration) { return race(t, 4) }),
		fault(7, "a page that navigates for ever", "pressed 1×, no fault of the infrastructure",
			func(t *testing.T) (string, time.Duration) { return race(t, 0) }),
		fault(7, "three reads that a navigation interrupts", "pressed 1×, read 4×, shows clicked",
			interrupted(3)),
		fault(7, "four reads that a navigation interrupts", "pressed 1×, read 5×, exec_error, shows clicked",
			interrupted(4)),
	}
}

// opensWindows presses a button that opens n windows.
func opensWindows(n string) func(t *testing.T) (string, time.Duration) {
	return func(t *testing.T) (string, time.Duration) {
		e := open(t, SessionOptions{}, site(t, map[string]string{"/pop": "<title>pop</title>", "/": `<title>home</title>
			<button onclick="let n = 0; const i = setInterval(() => {
				if (n++ < ` + n + `) open('/pop', '_blank', 'popup'); else clearInterval(i) }, 1)">b</button>`}).URL)
		began := time.Now()
		out := e.act(e.at(cua.Action{Kind: cua.Click}, "b"))
		if out.Failure != nil {
			return told(out), time.Since(began)
		}
		return fmt.Sprintf("tab %d of %d, %s", out.After.Tab, out.After.Tabs, told(out)), time.Since(began)
	}
}

// race presses a button whose page navigates n times, 0 is for ever, each document on to the next by
// a script.
func race(t *testing.T, n int64) (string, time.Duration) {
	var pressed, documents atomic.Int64
	ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<!doctype html><title>home</title><script>function go() {
				fetch('/pressed', {method: 'POST', keepalive: true}); location = '/r' }
				</script><button onclick="go()">go</button>`)
		case "/pressed":
			pressed.Add(1)
		default:
			name, next := "0", `<script>setTimeout(() => location.replace('/r?' + Math.random()), 15)</script>`
			if i := documents.Add(1); n > 0 {
				name = fmt.Sprint(i)
				if i >= n {
					next = ""
				}
			}
			fmt.Fprintf(w, "<!doctype html><title>%s</title><body style='background:rgb(0,%s0,0)'>%s", name,
				name, next)
		}
	})
	e := open(t, SessionOptions{}, ts.URL)
	press := e.at(cua.Action{Kind: cua.Click}, "go")
	began := time.Now()
	out := e.act(press)
	took := time.Since(began)
	t.Logf("%d documents, %d reads interrupted", documents.Load(), out.Settle.Retried)
	return fmt.Sprintf("pressed %d×, %s", pressed.Load(), raced(t, out, n == 0)), took
}

// raced says what a step of race shows. Its documents have their number as title and ten times that as green.
func raced(t *testing.T, out cua.Outcome, endless bool) string {
	switch shot := out.After.Shot; {
	case endless && (out.Failure == nil || out.Failure.Kind != cua.FailEnv):
		return "no fault of the infrastructure"
	case out.Failure != nil:
		return told(out)
	case shot == nil:
		return "no frame of document " + out.After.Title
	default:
		frame, _, err := image.Decode(bytes.NewReader(shot.Data))
		if err != nil {
			t.Fatal(err)
		}
		_, green, _, _ := frame.At(600, 600).RGBA()
		if shown := fmt.Sprint(green >> 8 / 10); shown != out.After.Title {
			return "text of document " + out.After.Title + ", frame of document " + shown
		}
		return "text and frame of one document"
	}
}

const oneButton = `<title>home</title><button onclick="document.title='clicked'">b</button>`

// interrupted presses a button, and n reads of the page afterwards fail as if the document had gone.
func interrupted(n int) func(t *testing.T) (string, time.Duration) {
	return func(t *testing.T) (string, time.Duration) {
		ts := site(t, map[string]string{"/": oneButton})
		b, bad := sabotaged(t)
		e := on(t, b, SessionOptions{DocTimeout: 4 * time.Second}, ts.URL)
		press := e.at(cua.Action{Kind: cua.Click}, "b")
		var presses, reads int
		bad.spoilWith(func(m *cdproto.Message) string {
			switch params := string(m.Params); {
			case strings.Contains(params, `"mousePressed"`):
				presses++
			case strings.Contains(params, "__cua.probe("), strings.Contains(params, "__cua.step("):
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
		fault(8, "a name that does not exist", "nav_error, net::ERR_NAME_NOT_RESOLVED",
			visit(func(*testing.T) string {
				reachable("no-such-host.invalid:80")
				return "http://no-such-host.invalid:80/"
			})),
		fault(8, "a connection that is refused", "nav_error, net::ERR_CONNECTION_REFUSED", visit(deadPort)),
		fault(8, "a certificate that nobody signed", "nav_error, net::ERR_CERT_AUTHORITY_INVALID",
			visit(unsignedSite)),
		fault(8, "a redirect without end", "nav_error, net::ERR_TOO_MANY_REDIRECTS", visit(redirecting)),
		fault(8, "a redirect without end, at the start", "site_fault", startsOn(redirecting)),
		fault(8, "a connection that is refused, at the start", "nav_error", startsOn(deadPort)),
		fault(8, "HTTP authentication", "nav_error", visit(lockedSite)),
		fault(8, "HTTP authentication, with credentials of that origin", "shows inside",
			authorized(func(url string) string { return url })),
		fault(8, "HTTP authentication, with credentials of another origin", "nav_error, nothing sent",
			authorized(func(string) string { return "https://elsewhere.test" })),
		fault(8, "HTTP authentication, with credentials that are wrong", "nav_error",
			authorized(nil)),
		fault(9, "a download", "nav_error, 1 denied, 0 files", download),
		fault(9, "a file chooser", "shows clicked", then("choose")),
		fault(9, "an upload of a file that is none of the task's", "exec_error", foreignUpload),
		fault(9, "print", "shows clicked", then("print")),
		fault(9, "permissions that the page asks for", "granted: none", permissions),
	}
}

// unsignedSite is a server with a certificate of its own.
func unsignedSite(t *testing.T) string {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // that the browser hangs up is what is wanted
	s.StartTLS()
	t.Cleanup(s.Close)
	reachable(s.Listener.Addr().String())
	return s.URL
}

const asking = `<title>home</title><input type=file aria-label=choose>
	<button onclick="print()">print</button>
	<button onclick="document.title='clicked'">ok</button>
	<button onclick="ask()">ask</button><script>async function ask() {
		navigator.geolocation.getCurrentPosition(() => {}, () => {});
		const soon = p => Promise.race([p, new Promise(r => setTimeout(r, 500))]).catch(() => {});
		await soon(Notification.requestPermission());
		await soon(navigator.mediaDevices?.getUserMedia({audio: true, video: true}));
		const got = [];
		for (const name of ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi',
			'persistent-storage']) {
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
	_ = filepath.WalkDir(b.profile.Dir, func(path string, d fs.DirEntry, err error) error {
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
