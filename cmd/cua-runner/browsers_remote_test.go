package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/browser/remotetest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// remoteBrowser is one that somebody else started.
func remoteBrowser(t *testing.T) *remotetest.Browser {
	t.Helper()
	k, _ := keeping(t, browserFlags{})
	path := k.browser.Info().Path
	k.app.closeBrowsers()
	return remotetest.Start(t, path)
}

// before does something once, before the n-th decision.
type before struct {
	runner.Brain
	at   int
	once *sync.Once
	do   func()
}

func (b before) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	if t.Decision == b.at {
		b.once.Do(b.do)
	}
	return b.Brain.Decide(ctx, t)
}

// remoteRun signs in with the browser at address, and does something before the second decision.
func remoteRun(t *testing.T, out string, do func(), args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var o, e bytes.Buffer
	a := testApp(t, &o, &e)
	oversee, once := a.overseen, &sync.Once{}
	a.overseen = func(b runner.Brain) runner.Brain { return before{oversee(b), 2, once, do} }
	code = execute(a, loginArgs(loginPage(t), out, append(args, "--unprotected-egress")...), nil)
	return code, o.String(), e.String()
}

// canaries fails where a file below dir, or text, holds a part of the address that is secret.
func canaries(t *testing.T, dir string, text ...string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		text = append(text, string(raw))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range text {
		if i := strings.Index(s, "canary"); i >= 0 {
			t.Errorf("a secret of the address: %.200q", s[max(0, i-100):])
		}
	}
}

// An episode survives a lost connection on the page that it was on, and the browser survives the episode.
func TestRemoteRunSurvivesALostConnection(t *testing.T) {
	far := remoteBrowser(t)
	way := remotetest.NewNetwork(t, far.Host)
	out := filepath.Join(t.TempDir(), "run")
	t.Setenv(authorizationVar, "Bearer canaryheader")
	at := strings.Replace(far.URL(way.Host), "ws://", "ws://canaryuser:canarypassword@", 1) +
		"?token=canaryquery"
	code, stdout, stderr := remoteRun(t, out, way.Drop, "--json", "--cdp-url", at)
	if code != exitOK || !strings.Contains(stderr, "the run continues on its page") ||
		!strings.Contains(stderr, "unsupported: file upload, the egress proxy") {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	tr, err := trajectories.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	var ends []cua.EndReason
	for _, e := range tr.Ends {
		ends = append(ends, e.Reason)
	}
	if !slices.Equal(ends, []cua.EndReason{cua.EndEnvError, cua.EndDone}) {
		t.Errorf("ends %v", ends)
	}
	var restored bool
	for _, e := range tr.Events {
		restored = restored || e.Restored != nil && e.Restored.OK == cua.RestoredAll
	}
	if !restored {
		t.Error("the page is not as it was")
	}
	if b := tr.Header.Browser; b.Remote != "ws://"+way.Host || b.SharedContext || len(b.Flags) > 0 {
		t.Errorf("the header says %+v", b)
	}
	header, err := json.Marshal(tr.Header)
	if err != nil {
		t.Fatal(err)
	}
	canaries(t, out, stdout, stderr, strings.ReplaceAll(string(header), far.Path, "canary"))
	code, stdout, stderr = remoteRun(t, out+"-2", func() {}, "--json", "--cdp-url", "http://"+far.Host)
	if code == exitOK || !strings.Contains(stderr, "expected the full WebSocket address") {
		t.Errorf("a header without a path: exit code %d: %s%s", code, stdout, stderr)
	}
	t.Setenv(authorizationVar, "")
	code, stdout, stderr = remoteRun(t, out+"-3", func() {}, "--cdp-url", "http://"+far.Host)
	if code != exitOK {
		t.Errorf("a second run in the same browser: exit code %d: %s%s", code, stdout, stderr)
	}
}

// An action during which the connection is lost is recorded as interrupted, and is not done again: the page
// is observed first.
func TestRemoteActionIsNotRepeated(t *testing.T) {
	far := remoteBrowser(t)
	way := remotetest.NewNetwork(t, far.Host)
	var sent atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>Order</title><form method=post action=/in>
<label>Name <input name=n></label><button>Send</button></form>`)
	})
	mux.HandleFunc("POST /in", func(w http.ResponseWriter, _ *http.Request) {
		sent.Add(1)
		way.Drop()
		fmt.Fprint(w, `<!doctype html><title>Thanks</title><h1>Thank you, we have your order.</h1>`)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	out := filepath.Join(t.TempDir(), "run")
	code, stdout, stderr := command(t, "run", site.URL+"/", "--goal", "Send the order", "--field",
		"Name=Alice", "--out", out, "--cdp-url", far.URL(way.Host), "--unprotected-egress", "--max-steps", "3")
	tr, err := trajectories.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(tr.Events, func(e trajectories.Event) bool { return e.After != nil })
	if i < 0 || sent.Load() != 1 || len(failedIn(tr)) > 0 {
		t.Fatalf("exit code %d: sent %d times, events %+v\n%s%s", code, sent.Load(), tr.Events, stdout,
			stderr)
	}
	if tr.Events[i].Step != 1 || tr.Events[i].After.Title != "Thanks" {
		t.Errorf("the page is not observed after step 1: %+v", tr.Events[i])
	}
	cut := slices.IndexFunc(tr.Events, func(e trajectories.Event) bool {
		return e.Kind == trajectories.InterruptedEvent && e.Intent.Number == 2
	})
	if cut < 0 || cut > i || len(tr.Steps) < 2 || tr.Steps[1].Action == nil || len(tr.Steps[1].Notes) == 0 {
		t.Errorf("the action is not interrupted, or the brain is not told: %+v", tr.Events)
	}
}

// Where the browser does not come back the episode ends as it was recorded, after three tries.
func TestRemoteRunWithoutItsBrowser(t *testing.T) {
	far := remoteBrowser(t)
	way := remotetest.NewNetwork(t, far.Host)
	k := &keeper{app: testApp(t, &bytes.Buffer{}, &bytes.Buffer{}), flags: browserFlags{remote: remoteFlags{
		url: far.URL(way.Host), unprotected: true}}}
	defer k.app.closeBrowsers()
	var pauses []float64
	k.pause = func(_ context.Context, d time.Duration) { pauses = append(pauses, d.Seconds()) }
	b, err := k.alive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	k.short = 0 // a session was open
	way.Refuse(true)
	way.Drop()
	<-b.Gone()
	dials := way.Dials()
	if _, err = k.alive(t.Context()); err == nil || !strings.Contains(err.Error(), "3 tries: ") {
		t.Errorf("%v", err)
	}
	if n := way.Dials() - dials; n != remoteTries || !slices.Equal(pauses, []float64{6, 12}) {
		t.Errorf("%d tries, pauses %v", n, pauses)
	}
}

// A command provides the browser, and ends with the run.
func TestRemoteCommand(t *testing.T) {
	far := remoteBrowser(t)
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	out := filepath.Join(dir, "run")
	provide := "echo $$ >" + pid + "; echo " + far.URL(far.Host) + "; echo more; sleep 1000 & wait"
	code, stdout, stderr := remoteRun(t, out, func() {}, "--cdp-command", provide)
	if code != exitOK {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	raw, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/" + strings.TrimSpace(string(raw))); err == nil {
		t.Error("the command still runs")
	}
	for provide, says := range map[string]string{
		"exit 3":               "expected an address on the first line of the command's output, found none (exit status 3)",
		"echo canary is ready": "the first line of the command's output: expected an address",
	} {
		code, _, stderr := remoteRun(t, out+"-2", func() {}, "--cdp-command", provide)
		if code != exitInfra || !strings.Contains(stderr, says) || strings.Contains(stderr, "canary") {
			t.Errorf("%s: exit code %d: %s", provide, code, stderr)
		}
	}
}

// Flags that contradict each other are refused before anything is begun.
func TestRemoteFlags(t *testing.T) {
	for name, row := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no consent":      {[]string{"--cdp-url", "http://127.0.0.1:1"}, exitUsage, "want --unprotected-egress with --cdp-url, found none"},
		"only consent":    {[]string{"--unprotected-egress"}, exitUsage, "want --cdp-url or --cdp-command too"},
		"two browsers":    {[]string{"--cdp-url", "x", "--cdp-command", "y", "--unprotected-egress"}, exitUsage, "want one of them"},
		"a window":        {[]string{"--cdp-url", "x", "--headed", "--unprotected-egress"}, exitUsage, "are for a browser that is started here"},
		"requests":        {[]string{"--cdp-url", "x", "--har", "x.har", "--unprotected-egress"}, exitUsage, "--har needs the egress proxy"},
		"no address":      {[]string{"--cdp-url", "canary", "--unprotected-egress"}, exitUsage, "--cdp-url: expected an address"},
		"nobody is there": {[]string{"--cdp-url", "ws://127.0.0.1:1/canary", "--unprotected-egress"}, exitInfra, "connecting to ws://127.0.0.1:1: "},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "run")
			code, stdout, stderr := command(t, loginArgs("http://127.0.0.1:1", out, row.args...)...)
			if code != row.code || !strings.Contains(stderr, row.says) || stdout != "" {
				t.Errorf("exit code %d: %s%s", code, stdout, stderr)
			}
			if strings.Contains(stderr, "canary") {
				t.Errorf("a secret of the address: %s", stderr)
			}
		})
	}
	if code, _, stderr := command(t, "bench", "--cdp-url", "http://127.0.0.1:1", "--unprotected-egress",
		"--fault", "net_503=1"); code != exitUsage || !strings.Contains(stderr, "leave net_503=1 out") {
		t.Errorf("faults of the network: exit code %d: %s", code, stderr)
	}
}

// A study runs in a remote browser, and its header says so.
func TestRemoteBench(t *testing.T) {
	far := remoteBrowser(t)
	dir := filepath.Join(t.TempDir(), "study")
	code, _, stderr := command(t, "bench", "--suite", "forms", "--task", "login", "--arms", "off",
		"--seeds", "1",
		"--brain", "oracle", "--out", dir, "--cdp-url", (&url.URL{Scheme: "http", Host: far.Host}).String(),
		"--unprotected-egress")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	s, err := benchmarks.Open(dir)
	if err != nil || s.Plan.Browser.Remote != "http://"+far.Host || len(s.Results) != 1 ||
		!s.Results[0].Success {
		t.Errorf("%+v, %v", s, err)
	}
}
