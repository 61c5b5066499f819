package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty/ttytest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// labyrinth has a page behind which nothing leads on: a dead button on a page that a link leads to.
func labyrinth(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/wall" {
			fmt.Fprint(w, `<!doctype html><title>Wall</title><h1>Wall</h1><button>Open the door</button>`)
			return
		}
		fmt.Fprint(w, `<!doctype html><title>Start</title><h1>Start</h1><label>Word <input name=word></label> <a href=/wall>Open the door</a>`)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/"
}

// A run on a terminal pauses where it is stuck, shows the card, and does what the person types.
func TestAPersonAtTheTerminal(t *testing.T) {
	url := labyrinth(t)
	play := func(t *testing.T, args []string, lines ...string) (int, string) {
		in, keys := io.Pipe()
		defer keys.Close()
		out := ttytest.New(keys, []string{"your choice", "yes or no:", "Press Return here"}, lines...)
		a := testApp(t, &bytes.Buffer{}, out)
		a.in, a.terminal = in, func() bool { return true }
		return execute(a, args, nil), out.All()
	}
	dir := filepath.Join(t.TempDir(), "run")
	script := filepath.Join(t.TempDir(), "script.jsonl")
	if err := os.WriteFile(script, []byte(strings.Repeat(`{"kind":"click","on":"Open the door"}`+"\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", url, "--goal", "get through the door", "--brain", "scripted:" + script,
		"--ablate", "rescue_rewind", "--out", dir}
	code, said := play(t, args, "what?", "rewind 1", "stop")
	for _, part := range []string{"/rollback undoes the newest step", "stuck after step", "cost so far:",
		"continue as it is", "a sentence of two words and more", "rewind to step 1"} {
		if !strings.Contains(said, part) {
			t.Errorf("no %q in\n%s", part, said)
		}
	}
	if code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	tr := soundRun(t, dir)
	if tr.End == nil || !tr.End.Reason.CanContinue() || !slices.ContainsFunc(tr.Steps,
		func(s cua.Step) bool { return s.By == cua.Person && s.RewoundTo == 1 }) {
		t.Errorf("it ended as %+v, and nobody went back", tr.End)
	}
	n := len(tr.Steps)
	if code, said = play(t, []string{"resume", dir}, "s"); code != exitFailed {
		t.Errorf("resume: exit code %d: %s", code, said)
	}
	if tr = soundRun(t, dir); len(tr.Steps) <= n || len(tr.Ends) != 2 {
		t.Errorf("%d steps after the resume, %d before", len(tr.Steps), n)
	}
	if code, said = play(t, []string{"resume", dir}); code != exitFailed ||
		!strings.Contains(said, "your choice") {
		t.Errorf("nobody answered, and the exit code is %d: %s", code, said)
	}
}

// soundRun reads a run, which must break no invariant.
func soundRun(t *testing.T, dir string) *trajectories.Trajectory {
	t.Helper()
	if code, out, err := command(t, "check", dir); code != exitOK {
		t.Errorf("check: exit code %d: %s%s", code, out, err)
	}
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// There is one person for all who ask, and none at a pipe.
func TestTheSeatAtTheTerminal(t *testing.T) {
	a := &app{in: strings.NewReader("first\n"), out: io.Discard, err: io.Discard}
	if first := a.seat(); first != a.seat() {
		t.Error("two persons read one terminal")
	}
	if a.atTerminal() {
		t.Error("a text is a terminal")
	}
}
