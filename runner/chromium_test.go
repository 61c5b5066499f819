package runner_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// chromium is the one real browser of this test binary.
var chromium browsertest.Shared

// patience is for how long what an action sets off is waited for: only a failure uses it up, however
// busy the machine is.
const patience = time.Minute

// smallView is the viewport of a session that names none: small frames take less of the processor.
var smallView = cua.Size{W: 800, H: 500}

// session is a session of the real browser that is closed with the test.
func session(t testing.TB) *browser.Session {
	t.Helper()
	return sessionWith(t, browser.SessionOptions{SettleCap: patience})
}

func sessionWith(t testing.TB, o browser.SessionOptions) *browser.Session {
	t.Helper()
	if o.Viewport == (cua.Size{}) {
		o.Viewport = smallView
	}
	s, err := chromium.Get(t).NewSession(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// pages serves HTML by path; what is no page is 404.
func pages(t testing.TB, html map[string]string) *httptest.Server {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, ok := html[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>", body)
	})
}

func serve(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// on is a script line: do a to the element with that name.
func on(name string, a cua.Action) cua.Scripted { return cua.Scripted{Action: a, On: name} }

func click(name string) cua.Scripted { return on(name, cua.Action{Kind: cua.Click}) }

func typed(name, text string) cua.Scripted {
	return on(name, cua.Action{Kind: cua.Type, Text: text})
}

func key(keys string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Key, Keys: keys}}
}

func wait(ms int) cua.Scripted { return cua.Scripted{Action: cua.Action{Kind: cua.Wait, MS: ms}} }

// play runs a script through the whole machine in the real browser. What was recorded must be sound.
func play(t testing.TB, arm string, task cua.Task, script ...cua.Scripted) *trajectories.Trajectory {
	t.Helper()
	return playWith(t, arm, task, brain.Scripted{Script: script})
}

func playWith(t testing.TB, arm string, task cua.Task, b runner.Brain) *trajectories.Trajectory {
	t.Helper()
	return playSession(t, session(t), arm, task, b)
}

// playLate is playWith where an action is over after the usual time: for what comes later.
func playLate(t testing.TB, arm string, task cua.Task, b runner.Brain) *trajectories.Trajectory {
	t.Helper()
	return playSession(t, sessionWith(t, browser.SessionOptions{}), arm, task, b)
}

// playSession is play in the session env, with the brain b.
func playSession(t testing.TB, env runner.Env, arm string, task cua.Task,
	b runner.Brain) *trajectories.Trajectory {
	t.Helper()
	cfg := configOf(t, arm, nil)
	cfg.Viewport = smallView
	dir := filepath.Join(t.TempDir(), "episode")
	r := &runner.Runner{Brain: overseen(t, b), Env: env, Config: cfg, Dir: dir,
		Header: trajectories.Header{Episode: "episode", Arm: arm,
			Brain: trajectories.BrainInfo{Name: "scripted"}}}
	if _, err := r.Run(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	return sound(t, dir)
}

// succeeded checks that the first n steps of tr did what was asked.
func succeeded(t testing.TB, tr *trajectories.Trajectory, n int) {
	t.Helper()
	if len(tr.Steps) < n {
		t.Fatalf("%d steps are on record, want at least %d; the end is %+v", len(tr.Steps), n, tr.End)
	}
	for i := range n {
		if f := tr.Steps[i].Failure; f != nil {
			t.Fatalf("step %d: %v", i+1, f)
		}
	}
}
