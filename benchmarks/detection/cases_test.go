package detection_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks/detection"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

var seeds = flag.Int("seeds", 1, "seeds of each case of the detectors")

// TestCases plays the suites stuck and healthy by their players through the whole machine, in a
// real browser and with every mechanism off but the detectors.
func TestCases(t *testing.T) {
	b := browsertest.Launch(t, browser.Options{})
	cfg := detecting(t)
	var sum scores
	t.Cleanup(func() {
		t.Log("first soft and first hard signal over the seeds, 0 is never\n" +
			sum.String())
	})
	for i, task := range cases(t) {
		first := int64(1 + i%2) // the caret blinks on pages of odd seeds only
		for seed := first; seed < first+int64(*seeds); seed++ {
			t.Run(fmt.Sprintf("%s/%d", task.Name, seed), func(t *testing.T) {
				t.Parallel()
				tr := perform(t, b, cfg, task, seed)
				sum.add(task.Name, judge(t, cfg, task, tr))
			})
		}
	}
}

// cases are the tasks of both suites.
func cases(t *testing.T) []suites.Task {
	t.Helper()
	found, err := tuned.FindSuites("stuck", "healthy")
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(found[0].Tasks, found[1].Tasks)
}

// perform plays one case to its end. What it earns is checked on the way: nothing at first, less
// than all half-way, and all at the end; in the suite stuck nothing for going on to the end.
func perform(t *testing.T, b *browser.Browser, cfg runner.Config, task suites.Task,
	seed int64) *trajectories.Trajectory {
	t.Helper()
	var clock atomic.Int64 // ms that the script waited
	server, err := suites.Serve(tuned.Pages)
	if err != nil {
		t.Fatal(err)
	}
	server.Now = func() time.Time { return time.UnixMilli(1e12 + clock.Load()) }
	t.Cleanup(func() { server.Close() })
	in, err := server.Open(task, seed)
	if err != nil {
		t.Fatal(err)
	}
	session, err := b.NewSession(t.Context(), browser.SessionOptions{SettleCap: studytest.Patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	dir := filepath.Join(t.TempDir(), "episode")
	r := runner.Runner{Brain: studytest.Overseen(t, brain.Scripted{Script: in.Player}), Env: &hurried{session,
		&clock},
		Config: cfg, Dir: dir, Header: trajectories.Header{Episode: "episode",
			Brain: trajectories.BrainInfo{Name: "player"}},
		Watch: func(s *cua.Step) {
			if s.N == len(in.Player)/2 && in.Reward(cua.EndDone) >= 1 {
				t.Errorf("half of the script earns all: the server saw %+v", in.State())
			}
		}}
	if _, err := r.Run(t.Context(), in.Task); err != nil {
		t.Fatal(err)
	}
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	played(t, in, task, tr)
	for _, d := range runner.Replay(tr, cfg) {
		t.Errorf("step %d, %s: recorded %q, replayed %q", d.Step, d.What, d.Recorded, d.Replayed)
	}
	return tr
}

// played checks that the script went as it was meant to.
func played(t *testing.T, in *suites.Instance, task suites.Task, tr *trajectories.Trajectory) {
	t.Helper()
	want, reward := cua.EndDone, 1.0
	if !task.Solvable {
		want, reward = cua.EndMaxSteps, 0
	}
	if tr.End.Reason != want || len(tr.Steps) != len(in.Player) || in.Reward(tr.End.Reason) != reward {
		t.Fatalf("the end is %s (%s) after %d steps of %d and earns %v; the server saw %+v", tr.End.Reason,
			tr.End.Detail, len(tr.Steps), len(in.Player), in.Reward(tr.End.Reason), in.State())
	}
	for i := range tr.Steps {
		if s := &tr.Steps[i]; (s.Failure != nil) != (task.Name == "s9-errors") {
			t.Errorf("step %d (%s): failure %v", s.N, s.Proposed.Kind, s.Failure)
		}
	}
}

// hurried is a session in which long waits pass twenty times as fast, and on the server's clock in full.
type hurried struct {
	*browser.Session
	clock *atomic.Int64
}

func (h *hurried) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	if a.Kind == cua.Wait {
		h.clock.Add(int64(a.MS))
		if a.MS >= 1000 {
			a.MS /= 20
		}
	}
	return h.Session.Act(ctx, a)
}

// judge asks the detectors after the fact, as they are and with windows that do not adapt, and once
// more with what is left of the run in the neutral form.
func judge(t *testing.T, cfg runner.Config, task suites.Task, tr *trajectories.Trajectory) score {
	t.Helper()
	run := formats.Run{History: tr.History(), End: tr.End.Reason}
	for n := range run.History.Steps {
		run.Index = append(run.Index, n)
	}
	if testing.Verbose() {
		t.Log("\n" + account(run.History))
	}
	fixed, err := cfg.Ablate("adaptive_windows")
	if err != nil {
		t.Fatal(err)
	}
	due(t, task, "windows that do not adapt", detected(detection.Detect(&run, runner.Assemble(fixed), nil)))
	s := detected(detection.Detect(&run, runner.Assemble(cfg), nil))
	due(t, task, "the journal", s)
	var neutral bytes.Buffer
	if err := formats.WriteNeutral(&neutral, []*trajectories.Trajectory{tr}); err != nil {
		t.Fatal(err)
	}
	if again := foreignScore(t, cfg, neutral.Bytes()); again.soft != s.soft || again.hard != s.hard {
		t.Logf("in the neutral form the first signals come after %d and %d, in the journal after %d and %d",
			again.soft, again.hard, s.soft, s.hard)
		due(t, task, "the neutral form", again)
	}
	return s
}

// account says of each step what detectors read of it.
func account(h cua.History) string {
	var b strings.Builder
	nodes := map[string]int{}
	node := func(n string) int {
		if _, ok := nodes[n]; !ok {
			nodes[n] = len(nodes)
		}
		return nodes[n]
	}
	for i, s := range h.Samples() {
		var changes any = "unknown"
		if e := s.Step.Effect; e != nil {
			changes = fmt.Sprint(e.Progress, e.Presentation, e.Parts)
			if e.Tiles != nil && e.Has(cua.ChangePixels) {
				changes = fmt.Sprint(changes, " tiles ", e.Tiles.Progress())
			}
		}
		fmt.Fprintf(&b, "%3d %-10s %-40.40s %d→%d progress=%v new=%v effect %v idle %v", i+1,
			s.Step.Proposed.Kind, s.Step.Target.ID, node(s.Before), node(s.After), s.Progress, s.New, changes,
			s.Step.Target.Idle)
		if f := s.Step.Failure; f != nil {
			fmt.Fprintf(&b, " failed: %v", f)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// scores are those of all seeds, by case.
type scores struct {
	mu     sync.Mutex
	names  []string
	byName map[string][]score
}

func (s *scores) add(name string, one score) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byName == nil {
		s.byName = map[string][]score{}
	}
	if s.byName[name] == nil {
		s.names = append(s.names, name)
	}
	s.byName[name] = append(s.byName[name], one)
}

func (s *scores) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	slices.Sort(s.names)
	for _, name := range s.names {
		var soft, hard []int
		shapes := map[string]bool{}
		for _, one := range s.byName[name] {
			soft, hard = append(soft, one.soft), append(hard, one.hard)
			for _, w := range one.shapes {
				shapes[w[:strings.IndexByte(w, ' ')]] = true
			}
		}
		fmt.Fprintf(&b, "%-22s %2d seeds  soft %d–%d  hard %d–%d  %v\n", name, len(soft), slices.Min(soft),
			slices.Max(soft), slices.Min(hard), slices.Max(hard), shapes)
	}
	return b.String()
}
