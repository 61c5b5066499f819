package browser

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestAllowList(t *testing.T) {
	rows := []struct {
		list string
		url  string
		want bool
	}{
		{"", "http://anything.test/", true},
		{"example.com", "https://example.com/x", true},
		{"example.com", "https://EXAMPLE.com./x", true},
		{"example.com", "https://www.example.com/", true},
		{".example.com", "https://www.example.com/", true},
		{"example.com", "https://badexample.com/", false},
		{"example.com", "https://example.com.evil.test/", false},
		{"example.com", "https://evil.test/?example.com", false},
		{"example.com", "https://example.com@evil.test/", false},
		{"example.com:8080", "http://example.com:8080/", true},
		{"example.com:8080", "http://example.com/", false},
		{"example.com:443", "https://example.com/", true},
		{"example.com:443", "http://example.com/", false},
		{"127.0.0.1", "http://127.0.0.1:9/", true},
		{"0.0.1", "http://127.0.0.1/", false},
		{"[::1]:80", "http://[::1]/", true},
		{"a.test b.test", "http://b.test/", true},
	}
	for _, r := range rows {
		a, err := newAllowList(strings.Fields(r.list))
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(r.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.permits(u); got != r.want {
			t.Errorf("%q permits %s: %v", r.list, r.url, got)
		}
	}
	for _, bad := range []string{"", "http://x", "a/b", "user@x", "x?y", "ünï.test", "x:port"} {
		if _, err := newAllowList([]string{bad}); err == nil {
			t.Errorf("%q was taken as a host", bad)
		}
	}
}

func FuzzAllowList(f *testing.F) {
	f.Add("example.com:80", "http://www.example.com")
	f.Fuzz(func(t *testing.T, entry, address string) {
		a, err := newAllowList([]string{entry})
		if err != nil {
			return
		}
		u, err := a.address(address)
		if err != nil {
			return
		}
		if u.Scheme != "http" && u.Scheme != "https" {
			t.Errorf("%q lets %q pass", entry, address)
		}
		host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
		if ascii(host) && host != a.hosts[0].host && !strings.HasSuffix(host, "."+a.hosts[0].host) {
			t.Errorf("%q lets %q pass", entry, address)
		}
	})
}

// A document from elsewhere is not fetched, however the page asks for it.
func TestAllowListIsEnforced(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	evil := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path != "/favicon.ico" {
			seen = append(seen, r.URL.Path)
		}
	})
	ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/hop":
			http.Redirect(w, r, evil.URL+"/hopped", http.StatusFound)
		case "/framed":
			w.Write([]byte(`<!doctype html><title>framed</title><iframe src="` + evil.URL + `/frame"></iframe>`))
		default:
			w.Write([]byte(`<!doctype html><title>home</title><a href="` + evil.URL + `/link">link</a> <a href="` + evil.URL + `/tab" target=_blank>tab</a>
				<button onclick="location='` + evil.URL + `/script'">script</button> <a href=/hop>hop</a> <a href=/framed>framed</a>
				<form action="` + evil.URL + `/form" method=post><button>form</button></form>`))
		}
	})
	host := strings.TrimPrefix(ts.URL, "http://")
	for _, o := range []struct {
		name string
		opts SessionOptions
		task cua.Task
	}{
		{"by the session", SessionOptions{Allow: []string{host}}, cua.Task{URL: ts.URL}},
		{"by the task", SessionOptions{}, cua.Task{URL: ts.URL, Allow: []string{"other.test"}}},
	} {
		t.Run(o.name, func(t *testing.T) {
			e := openBlank(t, o.opts)
			for _, name := range []string{"link", "tab", "script", "hop", "form"} {
				e.reset(o.task)
				out := e.act(e.at(cua.Action{Kind: cua.Click}, name))
				if out.Failure == nil || out.Failure.Kind != cua.FailPolicy {
					t.Errorf("%s: %v", name, out.Failure)
				}
			}
			e.reset(o.task)
			out := e.act(e.at(cua.Action{Kind: cua.Click}, "framed"))
			if out.Failure != nil || out.After.Title != "framed" || !slices.ContainsFunc(out.Log, func(s string) bool { return strings.Contains(s, "allow-list") }) {
				t.Errorf("a frame from elsewhere: %v, title %q, log %q", out.Failure, out.After.Title, out.Log)
			}
			if out := e.act(cua.Action{Kind: cua.Navigate, URL: evil.URL}); out.Failure == nil || out.Failure.Kind != cua.FailPolicy {
				t.Errorf("navigate: %v", out.Failure)
			}
		})
	}
	mu.Lock()
	defer mu.Unlock()
	if len(seen) > 0 {
		t.Errorf("documents were fetched from elsewhere: %q", seen)
	}
}
