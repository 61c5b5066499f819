//go:build server

package temporal

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/report"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

var (
	seeds   = flag.Int("engine.seeds", 2, "cells of TestKills, by eights")
	killing = flag.Duration("engine.kill", 3*time.Second, "how often TestKills kills a worker")
)

// site is a machine with both programs, a server, and a folder that is shared.
type site struct {
	t      *testing.T
	server *server
	bin    string
	shared string
}

func newSite(t *testing.T) *site {
	t.Helper()
	bin, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return &site{t: t, bin: bin, shared: t.TempDir(), server: newServer(t)}
}

// built is a folder with both programs, which TestMain removes.
var built = sync.OnceValues(func() (string, error) {
	bin := filepath.Join(scratch, "bin")
	for name, from := range map[string][2]string{"cua-runner": {"../..", "./cmd/cua-runner"},
		"engine": {".", "./cmd/cua-runner-temporal"}} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(bin, name), from[1])
		cmd.Dir = from[0]
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("building %s: %w\n%s", name, err, out)
		}
	}
	// Workers that die are missed sooner than in life.
	script := "#!/bin/sh\nname=$1; shift\n[ $name = play ] && set -- --heartbeat 5s \"$@\"\nexec " +
		filepath.Join(bin, "engine") + " $name \"$@\"\n"
	return bin, os.WriteFile(filepath.Join(bin, "cua-runner-temporal"), []byte(script), 0o700)
})

// worker starts one, which is killed when the test ends.
func (s *site) worker(more ...string) *exec.Cmd {
	s.t.Helper()
	args := append([]string{"worker", "--address", s.server.address(), "--shared", s.shared, "--cells", "2"},
		more...)
	cmd := exec.Command(filepath.Join(s.bin, "engine"), args...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = dieWithUs()
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { kill(cmd) })
	return cmd
}

// bench is a command of cua-runner on four tasks, two arms if more names no others, and so many seeds.
func (s *site) bench(ctx context.Context, seeds int, more ...string) (*exec.Cmd, *bytes.Buffer) {
	args := append([]string{"bench", "--task", "login,t1-login,stepper,t4-dead-submit", "--brain", "oracle",
		"--seeds", fmt.Sprint(seeds)}, more...)
	if !slices.Contains(more, "--arms") {
		args = append(args, "--arms", "default,off")
	}
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, "cua-runner"), args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

func (s *site) byEngine(dir string) []string {
	return []string{"--engine", "temporal", "--address", s.server.address(), "--out", dir}
}

// told is the report of a study without what depends on when and where it was played.
func told(t *testing.T, dir string) string {
	t.Helper()
	s, err := benchmarks.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Results {
		s.Results[i] = study.Timeless(s.Results[i])
	}
	s.Plan.Started, s.Plan.Host, s.Plan.Browser = time.Time{}, trajectories.Host{}, trajectories.BrowserInfo{}
	rep, err := report.Of(s)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(rep, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`"beside": \{[^}]*\},`).ReplaceAll(text, nil)
	return strings.ReplaceAll(string(text), dir, "DIR")
}

// once fails the test unless the study has each cell once, and is that of one process.
func once(t *testing.T, dir, whole string) (attempts int) {
	t.Helper()
	s, err := benchmarks.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if missing, err := s.Missing(); err != nil || len(missing) > 0 {
		t.Fatalf("%d cells are missing: %v", len(missing), err)
	}
	if _, err := os.Stat(s.Path(benchmarks.CellsName)); err == nil {
		t.Error("the folder of the cells is left")
	}
	for _, r := range s.Results {
		attempts += r.AttemptsMade()
	}
	runs, err := os.ReadDir(s.Path(benchmarks.RunsName))
	if err != nil || len(runs) != attempts {
		t.Errorf("%d attempts are counted, and %d are there: %v", attempts, len(runs), err)
	}
	got, want := strings.Split(told(t, dir), "\n"), strings.Split(told(t, whole), "\n")
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("line %d of the report: got %s, want %s", i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("the report has %d lines, want %d", len(got), len(want))
	}
	return attempts
}

// Three workers, of which one is killed again and again, and a server that is killed once: each cell has one
// result, and the study is that of one process.
func TestKills(t *testing.T) {
	s := newSite(t)
	whole := filepath.Join(t.TempDir(), "whole")
	if cmd, out := s.bench(t.Context(), *seeds, "--out", whole); cmd.Run() != nil {
		t.Fatal(out)
	}
	dir := filepath.Join(s.shared, "study")
	cmd, out := s.bench(t.Context(), *seeds, s.byEngine(dir)...)
	workers := []*exec.Cmd{s.worker(), s.worker(), s.worker()}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var killer sync.WaitGroup
	kills, restarted := 0, false
	killer.Go(func() {
		tick := time.NewTicker(*killing)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if n := rand.IntN(len(workers)); played(dir) > 0 {
				kill(workers[n])
				workers[n] = s.worker()
				kills++
			}
			if !restarted && played(dir) >= 2**seeds { // of eight
				s.server.kill()
				s.server.start()
				restarted = true
			}
		}
	})
	err := cmd.Wait()
	stop()
	killer.Wait()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if kills == 0 || !restarted {
		t.Errorf("%d workers were killed, and the server was killed: %v", kills, restarted)
	}
	attempts := once(t, dir, whole)
	t.Logf("%d cells, %d attempts, %d kills of a worker, the server killed once", 8**seeds, attempts, kills)
}

// played is how many results the study in dir has.
func played(dir string) int {
	text, _ := os.ReadFile(filepath.Join(dir, benchmarks.ResultsName)) // none: it has not begun
	return bytes.Count(text, []byte("\n"))
}

// A study that is cancelled, from either side, stops, and the same command goes on with it.
func TestCancel(t *testing.T) {
	s := newSite(t)
	whole := filepath.Join(t.TempDir(), "whole")
	if cmd, out := s.bench(t.Context(), 1, "--out", whole); cmd.Run() != nil {
		t.Fatal(out)
	}
	s.worker("--cells", "1")
	c := s.server.dial()
	for _, row := range []struct {
		name   string
		cancel func(c client.Client, stop func(), id string) error
		code   int
	}{
		{"by Ctrl-C", func(_ client.Client, stop func(), _ string) error { stop(); return nil }, 130},
		{"on the server", func(c client.Client, _ func(), id string) error {
			return c.CancelWorkflow(t.Context(), id, "")
		}, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := filepath.Join(s.shared, strings.ReplaceAll(row.name, " ", "-"))
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			cmd, out := s.bench(ctx, 1, s.byEngine(dir)...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			await(t, "result", func() bool { return played(dir) > 0 })
			begun, err := benchmarks.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := row.cancel(c, stop, WorkflowID(begun)); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // its exit code is looked at
			if cmd.ProcessState.ExitCode() != row.code || !strings.Contains(out.String(), "go on with: ") {
				t.Errorf("code %d, want %d: %s", cmd.ProcessState.ExitCode(), row.code, out)
			}
			if n := played(dir); n == 8 {
				t.Error("nothing was left to be cancelled")
			}
			if cmd, out := s.bench(t.Context(), 1, s.byEngine(dir)...); cmd.Run() != nil {
				t.Fatal(out)
			}
			once(t, dir, whole)
		})
	}
}

// A worker that is sent SIGTERM ends by itself, as on a machine that is shut down: it ends the steps of its
// cells, and another worker plays them.
func TestShutdown(t *testing.T) {
	s := newSite(t)
	whole := filepath.Join(t.TempDir(), "whole")
	if cmd, out := s.bench(t.Context(), 1, "--out", whole); cmd.Run() != nil {
		t.Fatal(out)
	}
	dir := filepath.Join(s.shared, "study")
	cmd, out := s.bench(t.Context(), 1, s.byEngine(dir)...)
	worker := s.worker()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	attempts := filepath.Join(dir, benchmarks.CellsName, "open", "*", "*")
	var running []string
	await(t, "step of an episode that goes on", func() bool {
		running, _ = filepath.Glob(attempts)
		return slices.ContainsFunc(running, func(dir string) bool { return records(dir) > 3 })
	})
	if err := worker.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := worker.Wait(); err != nil {
		t.Errorf("the worker ended with %v", err)
	}
	stopped := 0
	journals, _ := filepath.Glob(filepath.Join(attempts, benchmarks.RunsName, "*", trajectories.JournalName))
	for _, path := range journals {
		if j, err := trajectories.Read(filepath.Dir(path)); err != nil || j.End == nil {
			t.Errorf("%s has no end: %v", path, err)
		} else if j.End.Reason == cua.EndCancelled {
			stopped++
		}
	}
	if n := played(dir); n == 8 {
		t.Error("nothing was left for the other worker")
	}
	s.worker()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := once(t, dir, whole); stopped == 0 || n != 8+stopped {
		t.Errorf("%d episodes were stopped, and there are %d attempts at 8 cells", stopped, n)
	}
}

// A schedule begins a study that is played as any other.
func TestSchedule(t *testing.T) {
	s := newSite(t)
	s.worker("--schedules")
	cmd := exec.Command(filepath.Join(s.bin, "engine"), "schedule", "--address", s.server.address(), "--id",
		"nightly", "--cron", "0 2 * * *", "--out", s.shared, "--", "--task", "login", "--brain", "oracle",
		"--seeds", "1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c := s.server.dial()
	h := c.ScheduleClient().GetHandle(t.Context(), "nightly")
	if err := h.Trigger(t.Context(), client.ScheduleTriggerOptions{}); err != nil {
		t.Fatal(err)
	}
	var dirs []string
	await(t, "study", func() bool {
		dirs, _ = filepath.Glob(filepath.Join(s.shared, "*", benchmarks.PlanName))
		return len(dirs) > 0
	})
	d, err := h.Describe(t.Context())
	if err != nil || len(d.Info.RecentActions) != 1 {
		t.Fatalf("%d actions: %v", len(d.Info.RecentActions), err)
	}
	begun := d.Info.RecentActions[0].StartWorkflowResult
	run := c.GetWorkflow(t.Context(), begun.WorkflowID, begun.FirstExecutionRunID)
	if err := run.Get(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if n := played(filepath.Dir(dirs[0])); n != 2 {
		t.Errorf("%d results, want 2", n)
	}
}

// A worker of another browser plays nothing, and the study says why.
func TestAnotherBrowser(t *testing.T) {
	s := newSite(t)
	s.worker("--", "--frame-rate", "unlimited")
	dir := filepath.Join(s.shared, "study")
	cmd, out := s.bench(t.Context(), 1, s.byEngine(dir)...)
	if cmd.Run() == nil || cmd.ProcessState.ExitCode() != 3 ||
		!strings.Contains(out.String(), "differs from the one on which the study began in Browser") {
		t.Errorf("%d %s", cmd.ProcessState.ExitCode(), out)
	}
	if n := played(dir); n > 0 {
		t.Errorf("%d results", n)
	}
}
