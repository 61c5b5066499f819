package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// A browser that is killed during a call: the result says so, and the session goes on in another browser.
func TestMCPBrowserDies(t *testing.T) {
	bothWays(t, func(t *testing.T, byHTTP bool) {
		slow, asked := slowPage(t)
		home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `<!doctype html><title>Home</title><p>Welcome home</p><a href="`+slow+`">Slow</a>`)
		}))
		t.Cleanup(home.Close)
		page := home.URL
		p := mcpClient(t, byHTTP, "--allow", strings.TrimPrefix(page, "http://"), "--allow",
			strings.TrimPrefix(slow, "http://"))
		for tool, arguments := range map[string]map[string]any{"browser_navigate": {"url": slow},
			"browser_click": {"element": "Slow"}} {
			_, got := p.call("browser_navigate", map[string]any{"url": page + "/"})
			if got.IsError {
				t.Fatal(said(got))
			}
			if tool == "browser_click" {
				_, got = p.call("browser_snapshot", nil)
				arguments["target"] = regexp.MustCompile(`link "Slow".*?\[ref=(\w+)\]`).FindStringSubmatch(said(got))[1]
			}
			killed := make(chan error, 1)
			go func() {
				<-asked
				killed <- syscall.Kill(browserOf(t, p.pid), syscall.SIGKILL)
			}()
			r, got := p.call(tool, arguments)
			if err := <-killed; err != nil {
				t.Fatal(err)
			}
			if !got.IsError || r["outcome"] != "failed" || r["effect"] != "unknown" ||
				!strings.Contains(said(got), "The browser ended during the call") {
				t.Errorf("%s: %v %s", tool, r, said(got))
			}
			if r, got := p.call("browser_snapshot", nil); got.IsError ||
				!strings.Contains(said(got), "Welcome home") {
				t.Errorf("%s, afterwards: %v %s", tool, r, said(got))
			}
		}
		if _, got := p.call("browser_close", nil); got.IsError {
			t.Error(said(got))
		}
	})
}

// A task whose browser is killed, or whose time is over, ends as that, and the server plays the next one.
func TestMCPTaskEnds(t *testing.T) {
	bothWays(t, func(t *testing.T, byHTTP bool) {
		slow, asked := slowPage(t)
		busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `<!doctype html><title>Busy</title>
				<button onclick="const t = Date.now(); while (Date.now() - t < 600);">Save</button>`)
		}))
		t.Cleanup(busy.Close)
		p := mcpClient(t, byHTTP, "--allow", strings.TrimPrefix(busy.URL, "http://"), "--allow",
			strings.TrimPrefix(slow, "http://"))
		killed := make(chan error, 1)
		go func() {
			<-asked
			killed <- syscall.Kill(browserOf(t, p.pid), syscall.SIGKILL)
		}()
		r, got := p.call("run_task", map[string]any{"goal": "Wait", "url": slow, "wait_s": 120})
		if err := <-killed; err != nil {
			t.Fatal(err)
		}
		if !got.IsError || r["state"] != "ended" || r["reason"] != "env_error" || r["why"] == nil {
			t.Errorf("its browser was killed: %v %s", r, said(got))
		}
		for reason, caps := range map[string]map[string]any{"max_wall": {"max_wall_s": 1},
			"max_steps": {"max_steps": 1}} {
			task := map[string]any{"goal": "Press Save", "url": busy.URL, "wait_s": 120}
			maps.Copy(task, caps)
			r, got = p.call("run_task", task)
			if !got.IsError || r["state"] != "ended" || r["reason"] != reason {
				t.Errorf("%v: %v %s", caps, r, said(got))
			}
		}
	})
}
