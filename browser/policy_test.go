package browser

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

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
		{"the start page alone, open to public hosts", SessionOptions{Allow: []string{}, Open: true}, cua.Task{URL: ts.URL}},
		{"by the task", SessionOptions{Allow: []string{}, Open: true}, cua.Task{URL: ts.URL, Allow: []string{"other.test"}}},
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
			if out.Failure != nil || out.After.Title != "framed" ||
				!slices.ContainsFunc(out.Log, func(s string) bool {
					return strings.Contains(s,
						"allow-list")
				}) {
				t.Errorf("a frame from elsewhere: %v, title %q, log %q", out.Failure,
					out.After.Title, out.Log)
			}
			if out := e.act(cua.Action{Kind: cua.Navigate, URL: evil.URL}); out.Failure == nil ||
				out.Failure.Kind != cua.FailPolicy {
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
