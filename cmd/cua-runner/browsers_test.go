package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"errors"
	"io"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// keeping is a keeper of a browser of its own that only notes its pauses, and they.
func keeping(t *testing.T, flags browserFlags) (k *keeper, pauses *[]time.Duration) {
	t.Helper()
	t.Setenv("TMPDIR", profiles(t))
	a := testApp(t, &bytes.Buffer{}, &bytes.Buffer{})
	b, err := a.launch(t.Context(), flags, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.closeBrowsers() })
	pauses = &[]time.Duration{}
	note := func(_ context.Context, d time.Duration) { *pauses = append(*pauses, d) }
	return &keeper{app: a, flags: flags, browser: b, pause: note}, pauses
}

// kill ends the browser of this process and waits until b knows it.
func kill(t *testing.T, b *browser.Browser) {
	t.Helper()
	pid := browserOf(t, os.Getpid())
	if pid == 0 {
		t.Fatal("no browser to kill")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-b.Gone()
}

// A browser that is killed is lost to all its sessions; whoever opens one after that gets it in one other
// browser, and the old one leaves nothing behind.
func TestSessionsOfAKilledBrowser(t *testing.T) {
	k, _ := keeping(t, browserFlags{})
	open := func() []sharedSession {
		var out []sharedSession
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				s, err := k.session(t.Context(), browser.SessionOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				out = append(out, s)
			})
		}
		wg.Wait()
		return out
	}
	first := open()
	kill(t, k.browser)
	for _, s := range first {
		if !s.Lost() {
			t.Error("a session of the killed browser is not lost")
		}
		s.Close()
	}
	for _, s := range open() {
		if s.Lost() || s.in != k.browser {
			t.Error("a new session is lost, or in a browser of its own")
		}
		s.Close()
	}
	if len(k.app.browsers) != 1 {
		t.Errorf("%d browsers are open", len(k.app.browsers))
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 1 {
		t.Errorf("profiles: %v, %v", left, err)
	}
}

// A browser that dies at its launch is launched again after a pause, each longer than the last one, and not
// for ever.
func TestABrowserThatDiesAtItsLaunch(t *testing.T) {
	sound, _ := keeping(t, browserFlags{})
	real := sound.browser.Info().Path
	sound.app.closeBrowsers()
	for _, row := range []struct {
		name   string
		dies   int // launches after the first one
		pauses []time.Duration
		says   string
	}{
		{"never", 0, nil, ""},
		{"twice", 2, []time.Duration{firstPause, 2 * firstPause}, ""},
		{"always", 100, []time.Duration{firstPause, 2 * firstPause, 4 * firstPause, 8 * firstPause, 16 * firstPause},
			"6 browsers in a row ended before a page was open"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := profiles(t)
			// The launches are counted in a file; of all but the first so many die.
			script := fmt.Sprintf("#!/bin/sh\necho x >>%[1]s/n\nn=$(wc -l <%[1]s/n)\n"+
				"[ $n -gt 1 ] && [ $n -le %[2]d ] && exit 1\nexec %[3]s \"$@\"\n", dir, row.dies+1, real)
			path := filepath.Join(dir, "chromium-headless-shell")
			if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, 0o777); err != nil { // the browser's user counts in it
				t.Fatal(err)
			}
			k, pauses := keeping(t, browserFlags{path: path})
			s, err := k.session(t.Context(), browser.SessionOptions{})
			if err != nil {
				t.Fatal(err)
			}
			kill(t, k.browser)
			s.Close()
			s, err = k.session(t.Context(), browser.SessionOptions{})
			if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Fatalf("%v, want %q", err, row.says)
			}
			if !slices.Equal(*pauses, row.pauses) {
				t.Errorf("pauses %v, want %v", *pauses, row.pauses)
			}
			if err != nil {
				return
			}
			defer s.Close()
			if k.short != 0 {
				t.Errorf("%d launches count although a session is open", k.short)
			}
		})
	}
}

// killer kills the browser before its n-th decision.
type killer struct {
	runner.Brain
	t    *testing.T
	at   int
	once *sync.Once
}

func (k killer) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	if t.Decision == k.at {
		k.once.Do(func() {
			if err := syscall.Kill(browserOf(k.t, os.Getpid()), syscall.SIGKILL); err != nil {
				k.t.Error(err)
			}
		})
	}
	return k.Brain.Decide(ctx, t)
}

// A run whose browser is killed continues in another one, in the same journal, and so does a resumed one.
func TestARunOutlivesItsBrowser(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	t.Setenv("TMPDIR", profiles(t))
	url := loginPage(t)
	play := func(at int, args ...string) (int, string, string) {
		var o, e bytes.Buffer
		a := testApp(t, &o, &e)
		oversee, once := a.overseen, &sync.Once{}
		a.overseen = func(b runner.Brain) runner.Brain { return killer{oversee(b), t, at, once} }
		return execute(a, args, nil), o.String(), e.String()
	}
	ends := func() []cua.EndReason {
		tr, err := trajectories.Read(out)
		if err != nil {
			t.Fatal(err)
		}
		var all []cua.EndReason
		for _, e := range tr.Ends {
			all = append(all, e.Reason)
		}
		return all
	}
	code, _, stderr := play(2, loginArgs(url, out, "--max-steps", "2")...)
	if code != exitFailed || !strings.Contains(stderr, "continues in another one") {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if got := ends(); !slices.Equal(got, []cua.EndReason{cua.EndEnvError, cua.EndMaxSteps}) {
		t.Errorf("ends %v", got)
	}
	out = filepath.Join(t.TempDir(), "run")
	var stdout string
	code, stdout, stderr = play(3, loginArgs(url, out, "--json")...)
	var r trajectories.RunResult
	if err := json.Unmarshal([]byte(stdout), &r); code != exitOK || err != nil || !r.Success {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	if got := ends(); !slices.Equal(got, []cua.EndReason{cua.EndEnvError, cua.EndDone}) {
		t.Errorf("ends %v", got)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Two processes and one study: whoever comes second is told who plays it and changes nothing.
func TestASecondProcessLeavesALiveStudyAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a study in real browsers")
	}
	k := &killed{t: t, dir: filepath.Join(t.TempDir(), "study")}
	t.Setenv("TMPDIR", profiles(t))
	k.play()
	t.Cleanup(func() { k.cmd.Process.Kill() })
	k.await("the first cell", func() bool { return k.lines() >= 1 })
	who := fmt.Sprintf("is being played by process %d on host ", k.cmd.Process.Pid)
	for _, args := range [][]string{
		{"--suite", "forms", "--task", "login", "--arms", "off", "--seeds", "1", "--out", k.dir, "--overwrite"},
		{"--suite", "forms", "--task", "login", "--arms", "off", "--seeds", "1", "--out", k.dir},
		{"--resume", k.dir},
		{"--resume", k.dir, "--retry-errors"},
	} {
		code, out, errs := command(t, append([]string{"bench"}, args...)...)
		if code != exitUsage || !strings.Contains(errs, who) || strings.Contains(errs, "--overwrite") ||
			out != "" {
			t.Errorf("%v: exit code %d: %s%s", args, code, out, errs)
		}
	}
	if err := <-k.ended; err != nil {
		t.Fatalf("%v\n%s", err, k.stderr.String())
	}
	checkAttempts(t, k.dir, 12)
	code, _, errs := command(t, "bench", "--suite", "forms", "--task", "login", "--arms", "off",
		"--seeds", "1", "--brain", "oracle", "--out", k.dir, "--overwrite")
	if code != exitOK {
		t.Fatalf("once nobody plays it: exit code %d: %s", code, errs)
	}
	s, err := benchmarks.Open(k.dir)
	if err != nil || len(s.Results) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// The first browser of a process may die at its launch too. That none starts is said after a few.
func TestTheFirstBrowserThatDiesAtItsLaunch(t *testing.T) {
	sound, _ := keeping(t, browserFlags{})
	real := sound.browser.Info().Path
	sound.app.closeBrowsers()
	for _, row := range []struct {
		name string
		dies int
		says string
	}{
		{"never", 0, ""},
		{"once", 1, ""},
		{"always", 100, "3 browsers in a row ended before a page was open"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := profiles(t)
			script := fmt.Sprintf(
				"#!/bin/sh\necho x >>%[1]s/n\n[ $(wc -l <%[1]s/n) -le %[2]d ] && exit 1\nexec %[3]s \"$@\"\n",
				dir, row.dies, real)
			path := filepath.Join(dir, "chromium-headless-shell")
			if err := errors.Join(os.WriteFile(path, []byte(script), 0o755),
				os.Chmod(dir, 0o777)); err != nil {
				t.Fatal(err)
			}
			a := &app{in: strings.NewReader(""), out: io.Discard, err: io.Discard}
			k := &keeper{app: a, flags: browserFlags{path: path},
				pause: func(context.Context, time.Duration) {}}
			defer a.closeBrowsers()
			b, err := k.alive(t.Context())
			if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Fatalf("%v, want %q", err, row.says)
			}
			if err == nil && b.Info().Path != path {
				t.Errorf("the browser is %s", b.Info().Path)
			}
		})
	}
}
