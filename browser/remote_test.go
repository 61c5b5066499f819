package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/cua-runner/cua-runner/browser/remotetest"
	"github.com/cua-runner/cua-runner/cua"
)

// attached is a connection to the browser at address.
func attached(t *testing.T, address string) *Browser {
	t.Helper()
	at, err := ParseEndpoint(address, "")
	if err != nil {
		t.Fatal(err)
	}
	b, err := Attach(t.Context(), at, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// targets are the addresses of the pages of the browser.
func targets(t *testing.T, b *Browser) (out []string) {
	t.Helper()
	got, err := cdp.Call(t.Context(), b.root, target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range got.TargetInfos {
		if i.Type == "page" {
			out = append(out, i.URL)
		}
	}
	return out
}

const remotePage = `<title>home</title><label>Name <input></label> <button onclick="document.title='clicked'">b</button>`

// opened is a session of b on the page at url.
func opened(t *testing.T, b *Browser, o SessionOptions, url string) env {
	t.Helper()
	s, err := b.NewSession(t.Context(), anyServer(o))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	e := env{s, t}
	e.reset(cua.Task{URL: url})
	return e
}

// A session ends with its own pages; the browser and the pages of others live on.
func TestRemoteBrowserLivesOn(t *testing.T) {
	ts := site(t, map[string]string{"/": remotePage})
	far := remotetest.Start(t, shared.info.Path)
	for name, address := range map[string]string{"by its port": "http://" + far.Host,
		"by its full address":                   far.URL(far.Host),
		"by a WebSocket address without a path": "ws://" + far.Host} {
		t.Run(name, func(t *testing.T) {
			b := attached(t, address)
			before := targets(t, b)
			e := opened(t, b, SessionOptions{}, ts.URL)
			title(t, e.click("b"), "clicked")
			if n := len(targets(t, b)); n != len(before)+1 {
				t.Errorf("%d pages, want one more than %d", n, len(before))
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
			if after := targets(t, attached(t, address)); len(after) != len(before) {
				t.Errorf("the pages were %q and are %q", before, after)
			}
		})
	}
}

// In a browser with one context the pages of others are left alone.
func TestRemoteBrowserWithOneContext(t *testing.T) {
	ts := site(t, map[string]string{"/": remotePage})
	far := remotetest.Start(t, shared.info.Path)
	other := attached(t, "http://"+far.Host)
	b := attached(t, "http://"+far.Host)
	b.info.SharedContext = true // as of a browser that refuses Target.createBrowserContext
	before := len(targets(t, other))
	e := opened(t, b, SessionOptions{}, ts.URL)
	if _, err := b.NewSession(t.Context(), SessionOptions{}); err == nil {
		t.Error("a second session uses the context at the same time")
	}
	if _, err := cdp.Call(t.Context(), other.root, target.CreateTarget,
		target.CreateTargetParams{URL: "about:blank"}); err != nil {
		t.Fatal(err)
	}
	if o := e.click("b"); o.Title != "clicked" || o.Tabs != 1 {
		t.Errorf("%q with %d tabs", o.Title, o.Tabs)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	limit, cancel := context.WithTimeout(t.Context(), 5*time.Second) // a page is told to close, and then does
	defer cancel()
	for n := -1; n != before+1; n = len(targets(t, other)) {
		if limit.Err() != nil {
			t.Fatalf("%d pages, want the %d of before and that of the other", n, before)
		}
	}
}

// The pages that a lost connection leaves are taken over as they are: nothing is loaded again.
func TestRemotePageIsFoundAgain(t *testing.T) {
	loads := 0
	ts := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		loads++
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html>" + remotePage))
	})
	far := remotetest.Start(t, shared.info.Path)
	for name, lose := range map[string]func(*remotetest.Network, *Browser){
		"dropped": func(n *remotetest.Network, _ *Browser) { n.Drop() },
		"cut in a frame": func(n *remotetest.Network, b *Browser) {
			n.Cut(7)
			_ = b.root.Post(cdpbrowser.GetVersion.Method, cdp.Empty{}, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			way := remotetest.NewNetwork(t, far.Host)
			b := attached(t, far.URL(way.Host))
			e := opened(t, b, SessionOptions{}, ts.URL)
			e.ok(e.at(cua.Action{Kind: cua.Type, Text: "Alice"}, "Name"))
			e.click("b")
			seen := loads
			lose(way, b)
			<-b.Gone()
			_, err := e.Act(t.Context(), cua.Action{Kind: cua.Key, Keys: "Tab"})
			if f := (*cua.Failure)(nil); !errors.As(err, &f) || f.Kind != cua.FailEnv {
				t.Fatalf("%v, want env_error", err)
			}
			left := e.Left()
			e.Close()
			again := opened(t, attached(t, far.URL(way.Host)), SessionOptions{Continue: left}, ts.URL)
			title(t, again.last, "clicked")
			if loads != seen || again.last.Fields[0].Empty {
				t.Errorf("%d loads, want %d; the field is %+v", loads, seen, again.last.Fields[0])
			}
			again.ok(again.at(cua.Action{Kind: cua.Type, Text: "Bob"}, "Name"))
			title(t, again.ok(cua.Action{Kind: cua.Reload}), "home")
			again.Close()
		})
	}
}

// A page that is gone is not replaced by another one.
func TestRemotePageIsGone(t *testing.T) {
	ts := site(t, map[string]string{"/": remotePage})
	far := remotetest.Start(t, shared.info.Path)
	way := remotetest.NewNetwork(t, far.Host)
	b, other := attached(t, far.URL(way.Host)), attached(t, far.URL(far.Host))
	e := opened(t, b, SessionOptions{}, ts.URL)
	left := e.Left()
	way.Drop()
	<-b.Gone()
	e.Close()
	if _, err := cdp.Call(t.Context(), other.root, target.CloseTarget,
		target.CloseTargetParams{TargetID: left.active}); err != nil {
		t.Fatal(err)
	}
	_, err := other.NewSession(t.Context(), anyServer(SessionOptions{Continue: left}))
	if err == nil || Lost(err) || !strings.Contains(err.Error(), "expected the page with the target id") {
		t.Errorf("%v", err)
	}
}

// A socket that carries nothing any more ends the action as env_error, within the deadlines of calls.
func TestRemoteSocketThatHangs(t *testing.T) {
	t.Parallel()
	ts := site(t, map[string]string{"/": remotePage})
	far := remotetest.Start(t, shared.info.Path)
	way := remotetest.NewNetwork(t, far.Host)
	b := attached(t, far.URL(way.Host))
	e := opened(t, b, SessionOptions{}, ts.URL)
	click := e.at(cua.Action{Kind: cua.Click}, "b")
	way.Stall(true)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := e.Act(ctx, click)
	if f := (*cua.Failure)(nil); !errors.As(err, &f) || f.Kind != cua.FailEnv {
		t.Errorf("%v, want env_error", err)
	}
	select {
	case <-b.Gone():
	default:
		t.Error("the connection is not given up")
	}
}

// The query of an address by http goes along in both requests: a provider may take its token there.
func TestTheQueryOfAnEndpointIsSent(t *testing.T) {
	var asked []string
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		if r.URL.Path != "/json/version" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		fmt.Fprintf(w, `{"webSocketDebuggerUrl":"ws://%s/devtools/browser/1"}`, r.Host)
	}))
	t.Cleanup(provider.Close)
	at, err := ParseEndpoint(provider.URL+"/?token=canaryquery", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Attach(t.Context(), at, 0)
	if err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("the error is %v", err)
	}
	want := []string{"/json/version?token=canaryquery",
		"/devtools/browser/1?token=canaryquery"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
}

// If the address is no browser, the error says what was expected and found, and nothing secret.
func TestAttachToWhatIsNoBrowser(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "no such thing as "+r.URL.String()+r.Header.Get("Authorization"), http.StatusNotFound)
	}))
	t.Cleanup(page.Close)
	host := strings.TrimPrefix(page.URL, "http://")
	far := remotetest.Start(t, shared.info.Path)
	silent := remotetest.NewNetwork(t, far.Host)
	silent.Stall(true)
	refused := remotetest.NewNetwork(t, far.Host)
	refused.Refuse(true)
	const user, path, query = "canaryuser", "/canarypath/x", "token=canaryquery"
	const header = "Bearer canaryheader"
	for _, row := range []struct{ name, address, says string }{
		{"no port", "ws://" + user + ":" + user + "@127.0.0.1:1" + path + "?" + query, "connection refused"},
		{"a page", "ws://" + user + "@" + host + path + "?" + query, "unexpected status"},
		{"a page by http", "http://" + user + "@" + host + path, "expected webSocketDebuggerUrl"},
		{"a page of the browser", "ws://" + far.Host + "/devtools/page/canarypath?" + query, "unexpected status"},
		{"a connection that is closed", "ws://" + refused.Host + path + "?" + query, "EOF|connection reset|closed idle connection"},
		{"a connection that hangs", "ws://" + silent.Host + path + "?" + query, "deadline exceeded"},
	} {
		t.Run(row.name, func(t *testing.T) {
			auth := header
			if strings.HasPrefix(row.address, "http:") {
				auth = ""
			}
			at, err := ParseEndpoint(row.address, auth)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			b, err := Attach(ctx, at, 0)
			if err == nil {
				b.Close()
				t.Fatal("attached")
			}
			named := func(cause string) bool { return strings.Contains(err.Error(), cause) }
			if !slices.ContainsFunc(strings.Split(row.says, "|"), named) ||
				strings.Contains(err.Error()+at.String(), "canary") {
				t.Errorf("%v, want %q", err, row.says)
			}
		})
	}
}

// Addresses that cannot be one are refused before anything is dialled.
func TestParseEndpoint(t *testing.T) {
	for _, row := range []struct{ name, address, auth, want, says string }{
		{"full", "wss://u:p@host.test/a/b?c=d", "Bearer x", "wss://host.test", ""},
		{"a port", "http://localhost:9222/", "", "http://localhost:9222", ""},
		{"another scheme", "https://host.test/secretpath", "", "", `found "https"`},
		{"no address", "9222 secretpath", "", "", "expected an address"},
		{"no host", "ws:///secretpath", "", "", "expected an address"},
		{"a header without a path", "http://host.test:9222", "Bearer x", "",
			"expected the full WebSocket address"},
	} {
		t.Run(row.name, func(t *testing.T) {
			at, err := ParseEndpoint(row.address, row.auth)
			switch {
			case row.says == "":
				if err != nil || at.String() != row.want {
					t.Errorf("%v, %v", at, err)
				}
			case err == nil || !strings.Contains(err.Error(), row.says) ||
				strings.Contains(err.Error(), "secret"):
				t.Errorf("%v, want %q", err, row.says)
			}
		})
	}
}
