package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cua-runner/cua-runner/egress"
)

// The requests of an episode are in the file, without secrets and for their owner alone.
func TestHAROfARun(t *testing.T) {
	var asked atomic.Int32
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Set-Cookie", "seen="+r.URL.Query().Get("p"))
		fmt.Fprint(w, `<!doctype html><title>Sign in</title><link rel=icon href=data:,><form action=/in>
<label>Password <input type=password name=p></label><button>Sign in</button></form>`)
	}))
	t.Cleanup(ts.Close)
	dir := t.TempDir()
	file := filepath.Join(dir, "run.har")
	if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CUA_SECRET_PASSWORD", "open+sesame%1")
	_, stdout, stderr := command(t, "run", ts.URL+"/", "--goal", "sign in", "--field",
		"Password=<secret:PASSWORD>", "--max-steps", "3", "--har", file, "--out", filepath.Join(dir, "run"))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: %s %s", err, stdout, stderr)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	for _, args := range [][]string{{"--format", "html", "--out", filepath.Join(dir, "page.html")},
		{"--format", "csv", "--out", filepath.Join(dir, "steps.csv")}} {
		args = append([]string{"export", filepath.Join(dir, "run")}, args...)
		if code, _, errs := command(t, args...); code != exitOK {
			t.Errorf("%v: exit code %d, %s", args, code, errs)
		}
	}
	private(t, dir)
	var har egress.HAR
	if err := json.Unmarshal(text, &har); err != nil {
		t.Fatal(err)
	}
	sent := false
	for _, e := range har.Log.Entries {
		sent = sent || strings.Contains(e.Request.URL, "/in?p=<secret:PASSWORD>")
	}
	if !sent || len(har.Log.Entries) != int(asked.Load()) {
		t.Errorf("the form is there: %v; %d entries, the server saw %d: %s", sent, len(har.Log.Entries),
			asked.Load(), text)
	}
	if strings.Contains(string(text), "sesame") {
		t.Errorf("the password is in it: %s", text)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// Ctrl-C loses no request: neither of a run, nor of one that continues. Each command writes its own.
func TestHAROfAnInterruptedRun(t *testing.T) {
	var asked atomic.Int32
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>Page</title><link rel=icon href=data:,><button>Go</button><script>
for (let i = 0; i < 5; i++) { const x = new XMLHttpRequest; x.open('GET', '/part' + i, false); x.send() }</script>`)
	}))
	t.Cleanup(ts.Close)
	dir := t.TempDir()
	out := filepath.Join(dir, "run")
	for _, row := range []struct {
		name, when string
		args       []string
	}{
		{"run", "  2  ", []string{"run", ts.URL + "/", "--goal", "press Go", "--arm", "off", "--fault",
			"click_fixation=1", "--max-steps", "100000", "--out", out}},
		{"resume", "  6  ", []string{"resume", out}},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := asked.Load()
			file := filepath.Join(dir, row.name+".har")
			signals := make(chan os.Signal, 1)
			stderr := &lineWatch{text: row.when, once: func() { signals <- os.Interrupt }}
			a := testApp(t, &bytes.Buffer{}, stderr)
			if code := execute(a, append(row.args, "--har", file), signals); code != exitInt {
				t.Fatalf("exit code %d, want %d: %s", code, exitInt, stderr.buf.String())
			}
			var har egress.HAR
			if text, err := os.ReadFile(file); err != nil || json.Unmarshal(text, &har) != nil {
				t.Fatalf("%v: %s", err, text)
			}
			if n := int(asked.Load() - before); n < 6 || len(har.Log.Entries) != n {
				t.Errorf("%d entries, the server saw %d", len(har.Log.Entries), n)
			}
		})
	}
}

// A study has no one file of requests, and says who has.
func TestHAROfABenchIsRefused(t *testing.T) {
	code, _, stderr := command(t, "bench", "--har", "x.har")
	want := "unknown flag: --har of bench; it is one of resume and run"
	if code != exitUsage || !strings.Contains(stderr, want) {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// A file that cannot be written, or that is none, is known before the browser starts.
func TestHARThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link.har")
	if err := os.WriteFile(link+".txt", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), link); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ name, path, want string }{
		{"a link", link, "is not a regular file"},
		{"a folder", dir, "is not a regular file"},
		{"below a file", filepath.Join(link+".txt", "run.har"), "not a directory"},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, _, stderr := command(t, "run", "http://127.0.0.1:1/", "--goal", "x", "--har", row.path,
				"--out", filepath.Join(dir, "run"))
			if code != exitUsage || !strings.Contains(stderr, row.want) {
				t.Errorf("exit code %d: %s", code, stderr)
			}
		})
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
}
