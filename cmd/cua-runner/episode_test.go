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
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// loginPage signs in whoever sends both fields.
func loginPage(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>Login</title><h1>Login</h1><form method=post action=/in>
<p><label>User name <input name=user></label><p><label>Password <input name=pass type=password></label>
<p><button>Sign in</button></form>`)
	})
	mux.HandleFunc("POST /in", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("user") == "alice" && r.FormValue("pass") == "opensesame" {
			fmt.Fprint(w, `<!doctype html><title>Home</title><h1>Welcome, alice</h1><p>You are signed in.`)
			return
		}
		fmt.Fprint(w, `<!doctype html><title>Login</title><h1>Login</h1><p>Wrong user name or password.`)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func loginArgs(url, out string, more ...string) []string {
	return append([]string{"run", url + "/", "--goal", "Sign in", "--field", "User name=alice", "--field",
		"Password=opensesame", "--out", out}, more...)
}

func TestRunOnAPage(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	code, stdout, stderr := command(t, loginArgs(loginPage(t), out, "--json")...)
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var r trajectories.RunResult
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || !r.Success ||
		r.TerminationReason != cua.EndDone {
		t.Errorf("result %s (%v)", stdout, err)
	}
	for _, args := range [][]string{
		{"show", out}, {"show", out, "--step", "1"}, {"show", out, "--json"}, {"replay", out},
		{"export", out}, {"export", out, "--format", "csv"}, {"export", out, "--format", "jsonl"}, {"export", out, "--format", "html"},
	} {
		if code, stdout, stderr := command(t, args...); code != exitOK || stdout == "" || stderr != "" {
			t.Errorf("%v: exit code %d, %d bytes, %q", args, code, len(stdout), stderr)
		}
	}
	if code, _, stderr := command(t, "resume", out); code != exitUsage ||
		!strings.Contains(stderr, "has ended (done)") {
		t.Errorf("resuming a finished run: exit code %d, %q", code, stderr)
	}
	if code, _, stderr := command(t, loginArgs("http://127.0.0.1:1", out)...); code != exitUsage ||
		!strings.Contains(stderr, out) {
		t.Errorf("a second run into the same folder: exit code %d, %q", code, stderr)
	}
}

// With every help ablated a brain that clicks instead of typing gets nowhere: the agent failed.
func TestRunThatFails(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	code, stdout, stderr := command(t, loginArgs(loginPage(t), out, "--arm", "off", "--fault",
		"click_fixation=1", "--max-steps", "6")...)
	if code != exitFailed || !strings.HasPrefix(stdout, "max_steps after") {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
	// The cost of being stuck is printed at once, and each reader of the journal says the same.
	_, line, _ := strings.Cut(stdout, "  stuck: ")
	line, _, _ = strings.Cut(line, "\n")
	if !strings.HasPrefix(line, "1 incident, 3 of 6 steps, ") || !strings.HasSuffix(line, " s (1 ended)") {
		t.Errorf("run says %q", line)
	}
	if _, shown, _ := command(t, "show", out); !strings.Contains(shown, "\n"+line+"\n") ||
		!strings.Contains(shown, "\ni4  ") {
		t.Errorf("run says %q, show\n%s", line, shown)
	}
	if _, page, _ := command(t, "export", out, "--format", "html"); !strings.Contains(page,
		strings.TrimSuffix(line, " (1 ended)")) {
		t.Errorf("run says %q, the page does not", line)
	}
	var r trajectories.RunResult
	if _, shown, _ := command(t, "show", out, "--json"); json.Unmarshal([]byte(shown), &r) != nil ||
		len(r.Incidents) != 1 || r.Incidents[0].ID != "i4" || r.Stuck.Steps != 3 {
		t.Errorf("show --json says %+v", r.Incidents)
	}
}

// afterWarning is what a command says after the one warning that a literal password is visible.
func afterWarning(t *testing.T, stderr string) string {
	t.Helper()
	first, rest, _ := strings.Cut(stderr, "\n")
	if !strings.Contains(first, "warning: the value of \"Password\" is visible") ||
		strings.Contains(rest, "warning:") {
		t.Errorf("want one warning, and first: %q", stderr)
	}
	return rest
}

func TestUnreachablePage(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	code, _, stderr := command(t, loginArgs("http://127.0.0.1:1", out)...)
	stderr = afterWarning(t, stderr)
	if code != exitInfra || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr,
		"http://127.0.0.1:1/") || !strings.Contains(stderr, "ERR_") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	tr, err := trajectories.Read(out)
	if err != nil || tr.End == nil || tr.End.Reason != cua.EndEnvError {
		t.Errorf("the journal ends with %+v (%v)", tr.End, err)
	}
}

func TestMissingBrowser(t *testing.T) {
	code, _, stderr := command(t, loginArgs("http://127.0.0.1:1", filepath.Join(t.TempDir(), "run"),
		"--browser", "/nowhere/chromium")...)
	stderr = afterWarning(t, stderr)
	if code != exitInfra || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr,
		"/nowhere/chromium") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

// profiles is an empty folder that the browser's unprivileged user can reach, as t.TempDir is not.
func profiles(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "cua-command-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// lineWatch calls once when a line with text was written.
type lineWatch struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	text string
	once func()
}

func (w *lineWatch) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf.Write(p)
	if w.once != nil && strings.Contains(w.buf.String(), w.text) {
		w.once()
		w.once = nil
	}
	return len(p), nil
}

// Ctrl-C seals the journal and leaves neither browser nor profile behind; resume continues.
func TestInterrupt(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	tmp := profiles(t)
	t.Setenv("TMPDIR", tmp)
	signals := make(chan os.Signal, 1)
	stderr := &lineWatch{text: "  2  ", once: func() { signals <- os.Interrupt }}
	a := testApp(t, &bytes.Buffer{}, stderr)
	args := loginArgs(loginPage(t), out, "--arm", "off", "--fault", "click_fixation=1",
		"--max-steps", "100000")
	if code := execute(a, args, signals); code != exitInt {
		t.Errorf("exit code %d, want %d: %s", code, exitInt, stderr.buf.String())
	}
	tr, err := trajectories.Read(out)
	if err != nil || tr.End == nil || tr.End.Reason != cua.EndCancelled || len(tr.Steps) < 2 {
		t.Fatalf("the journal is not sealed: %+v (%v)", tr, err)
	}
	left, err := os.ReadDir(tmp)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		t.Errorf("%s was left behind", f.Name())
	}
	if n := len(a.browsers); n != 0 {
		t.Errorf("%d browsers are still open", n)
	}
	steps := len(tr.Steps)
	signals = make(chan os.Signal, 1)
	again := &lineWatch{text: fmt.Sprintf("%3d  ", steps+3), once: func() { signals <- os.Interrupt }}
	a = testApp(t, &bytes.Buffer{}, again)
	if code, _, stderr := command(t, "resume", out); code != exitUsage ||
		!strings.Contains(stderr, "CUA_SECRET_PASSWORD") {
		t.Errorf("resume without the password: exit code %d, %q", code, stderr)
	}
	if code := execute(a, []string{"resume", out, "--field", "Password=opensesame"},
		signals); code != exitInt {
		t.Errorf("resume: exit code %d: %s", code, again.buf.String())
	}
	if tr, err = trajectories.Read(out); err != nil || len(tr.Steps) < steps+3 {
		t.Errorf("resume went from %d to %d steps (%v)", steps, len(tr.Steps), err)
	}
}

// A small study runs in real Chromium, is cut by Ctrl-C, and is finished by --resume.
func TestStudyIsResumed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "study")
	signals := make(chan os.Signal, 1)
	stderr := &lineWatch{text: "1/4", once: func() { signals <- os.Interrupt }}
	a := testApp(t, &bytes.Buffer{}, stderr)
	args := []string{"bench", "--suite", "traps", "--task", "t1-login,t6-dead-button", "--fault",
		"click_fixation=1", "--seeds", "1", "--arms", "default,off", "--workers", "1", "--out", dir}
	if code := execute(a, args, signals); code != exitInt {
		t.Fatalf("exit code %d: %s", code, stderr.buf.String())
	}
	if !strings.Contains(stderr.buf.String(), "--resume "+dir) {
		t.Errorf("nobody said how to go on: %s", stderr.buf.String())
	}
	code, stdout, errs := command(t, "bench", "--resume", dir)
	if code != exitOK || !strings.Contains(stdout, "4 of 4 cells") {
		t.Fatalf("exit code %d: %s %s", code, stdout, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "report.html")); err != nil {
		t.Error(err)
	}
	if code, out, errs := command(t, "report", dir, "--format", "csv"); code != exitOK ||
		strings.Count(out, "\n") != 5 {
		t.Errorf("report --format csv: exit code %d, %q, %q", code, out, errs)
	}
	runs, err := filepath.Glob(filepath.Join(dir, "runs", "*-1"))
	if err != nil || len(runs) == 0 {
		t.Fatal(err)
	}
	if code, _, errs := command(t, append([]string{"replay"}, runs...)...); code != exitOK {
		t.Errorf("replay: exit code %d, %q", code, errs)
	}
	if code, _, errs := command(t, args...); code != exitUsage || !strings.Contains(errs, "--overwrite") {
		t.Errorf("the same study again: exit code %d, %q", code, errs)
	}
	private(t, dir)
}
