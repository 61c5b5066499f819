package runner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Every ruling of every golden journal is what the same config rules again from the record.
func TestReplayReproducesEveryRuling(t *testing.T) {
	for _, e := range episodes(t) {
		t.Run(e.name, func(t *testing.T) {
			dir, _ := e.run(t)
			tr, err := trajectories.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range runner.Replay(tr, e.config) {
				t.Errorf("step %d, %s: recorded %q, replayed %q", d.Step, d.What, d.Recorded, d.Replayed)
			}
		})
	}
}

func TestReplayWithAnotherConfigSaysWhereItDiffers(t *testing.T) {
	e := readEpisode(t, "testdata/login_click_fixation.txtar")
	dir, _ := e.run(t)
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	without, err := e.config.Ablate("form_controller")
	if err != nil {
		t.Fatal(err)
	}
	diffs := runner.Replay(tr, without)
	if len(diffs) == 0 || diffs[0].What != "rulings" || !strings.Contains(diffs[0].Recorded, "force_fill") {
		t.Errorf("without the form controller: %+v, want a ruling of force_fill missing", diffs)
	}
}

// A journal cut after any of its records is resumed to an end, keeps what it had byte for byte,
// and does no step twice.
func TestResumeAfterEveryRecord(t *testing.T) {
	t.Parallel() // most of it is waiting
	for _, e := range episodes(t) {
		t.Run(e.name, func(t *testing.T) {
			dir, _ := e.run(t)
			whole, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			lines := slices.Collect(bytes.Lines(whole))
			for cut := 1; cut < len(lines); cut++ {
				kept := bytes.Join(lines[:cut], nil)
				resumeCut(t, e, dir, kept, cut)
			}
		})
	}
}

func resumeCut(t *testing.T, e episode, whole string, kept []byte, cut int) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), e.name)
	if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(dir, "journal.jsonl")
	if err := os.WriteFile(journal, kept, 0o644); err != nil {
		t.Fatal(err)
	}
	r, _ := e.runner(t, dir)
	if _, err := r.Resume(context.Background()); err != nil {
		t.Fatalf("cut after record %d: %v", cut, err)
	}
	got, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(got, kept) {
		t.Errorf("cut after record %d: resuming changed what was there", cut)
	}
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatalf("cut after record %d: %v", cut, err)
	}
	if tr.End == nil {
		t.Errorf("cut after record %d: the episode has no end", cut)
	}
	for i, s := range tr.Steps {
		if s.N != i+1 {
			t.Errorf("cut after record %d: step %d has number %d", cut, i+1, s.N)
		}
	}
	var last struct{ Type string }
	lines := slices.Collect(bytes.Lines(kept))
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil {
		t.Fatal(err)
	}
	if last.Type == "intent" && !warned(tr) {
		t.Errorf("cut after record %d: nobody told the brain of the interrupted action", cut)
	}
	for _, d := range runner.Replay(tr, e.config) {
		t.Errorf("cut after record %d: step %d, %s: recorded %q, replayed %q", cut, d.Step, d.What,
			d.Recorded, d.Replayed)
	}
}

// warned reports whether an interrupted intent is on record and the step after it was told.
func warned(tr *trajectories.Trajectory) bool {
	for _, ev := range tr.Events {
		if ev.Kind != trajectories.InterruptedEvent || ev.Step >= len(tr.Steps) {
			continue
		}
		return slices.ContainsFunc(tr.Steps[ev.Step].Notes,
			func(n cua.Note) bool { return n.From == "runner" })
	}
	return false
}

func TestAnEndedEpisodeIsNotResumed(t *testing.T) {
	e := readEpisode(t, "testdata/pager_is_left_alone.txtar")
	dir, _ := e.run(t)
	r, _ := e.runner(t, dir)
	_, err := r.Resume(context.Background())
	var no *runner.NotResumable
	if !errors.As(err, &no) || no.Reason != cua.EndDone {
		t.Errorf("resuming a finished episode: %v", err)
	}
}

// A toggle that changes nothing in what is assembled is dead.
func TestNoDeadToggle(t *testing.T) {
	whole := assembled(runner.DefaultConfig())
	for _, m := range cua.Mechanisms() {
		c, err := runner.DefaultConfig().Ablate(m.Name)
		if err != nil {
			t.Fatal(err)
		}
		if reflect.DeepEqual(assembled(c), whole) {
			t.Errorf("toggle %s changes nothing", m.Name)
		}
	}
}

// The list of detectors for other programs is that of the default arm.
func TestShapesAreThoseOfTheDefaultArm(t *testing.T) {
	c := runner.DefaultConfig()
	got, want := detector.Shapes(c.Detector), runner.Assemble(c).Detectors
	types := func(all detector.LoopDetector) (out []string) {
		for _, d := range all {
			out = append(out, fmt.Sprintf("%T", d))
		}
		return out
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("detector.Shapes has %v, the default %v, or configs differ", types(got), types(want))
	}
}

// assembled is what can be told apart of an assembly: its parts with what they hold, whether it verifies,
// guards repeats, learns and keeps a ledger.
func assembled(c runner.Config) []any {
	a := runner.Assemble(c)
	return []any{fmt.Sprintf("%#v %#v %#v", a.Detectors, a.Advisors, a.Gates), a.Switched()}
}

// The order of the chain is part of what it does.
func TestTheChain(t *testing.T) {
	for arm, want := range map[string][]string{
		"default": {"limits", "mistakes", "policy", "done", "force_fill", "force_submit", "director", "rescue", "breaker"},
		"classic": {"limits", "policy", "done", "force_fill", "force_submit", "rescue", "breaker"},
		"nudge":   {"limits", "policy"},
		"off":     {"limits", "policy"},
	} {
		c, err := runner.DefaultConfig().Arm(arm)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, gates := runner.Assemble(c).Names(); !slices.Equal(gates, want) {
			t.Errorf("in arm %s gates are asked in the order %v, want %v", arm, gates, want)
		}
	}
}

// Every gate and advisor answers the same twice and leaves the turn as it was.
func TestGatesArePure(t *testing.T) {
	for _, e := range episodes(t) {
		dir, _ := e.run(t)
		tr, err := trajectories.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		a := runner.Assemble(e.config)
		for i := range tr.Steps {
			turn := a.Turn(e.task, tr.HistoryAt(i), nil)
			p := cua.Proposal{Action: tr.Steps[i].Proposed, Target: tr.Steps[i].Target, By: tr.Steps[i].By}
			for _, g := range a.Gates {
				if fault := impure(g, turn, p); fault != "" {
					t.Errorf("%s, step %d: gate %s %s", e.name, i+1, g.Name(), fault)
				}
			}
		}
	}
}

// impure says how a gate breaks its promise; "" when it keeps it.
func impure(g runner.Gate, turn *cua.Turn, p cua.Proposal) string {
	before, err := json.Marshal(turn)
	if err != nil {
		return err.Error()
	}
	first := g.Review(turn, p)
	second := g.Review(turn, p)
	after, err := json.Marshal(turn)
	switch {
	case err != nil:
		return err.Error()
	case !reflect.DeepEqual(first, second):
		return "answers twice differently"
	case !bytes.Equal(before, after):
		return "changes the turn"
	}
	return ""
}

// counting is a gate that remembers, as none may.
type counting struct{ asked int }

func (c *counting) Name() string { return "counting" }

func (c *counting) Review(*cua.Turn, cua.Proposal) cua.Ruling {
	c.asked++
	return cua.Ruling{Gate: "counting", Verdict: cua.Pass, Evidence: []int{c.asked}}
}

// scribbling is a gate that writes into the turn.
type scribbling struct{}

func (scribbling) Name() string { return "scribbling" }

func (scribbling) Review(t *cua.Turn, _ cua.Proposal) cua.Ruling {
	t.Notes = append(t.Notes, cua.Note{Text: "here"})
	return cua.Ruling{Verdict: cua.Pass}
}

func TestThePurityCheckCatchesImpureGates(t *testing.T) {
	for _, g := range []runner.Gate{&counting{}, scribbling{}} {
		if impure(g, &cua.Turn{}, cua.Proposal{}) == "" {
			t.Errorf("gate %s was taken for pure", g.Name())
		}
	}
}

// Two episodes with different configs in one process do not touch each other.
func TestTwoArmsSideBySide(t *testing.T) {
	on := readEpisode(t, "testdata/login_click_fixation.txtar")
	off := on
	var err error
	if off.config, err = on.config.Arm("off"); err != nil {
		t.Fatal(err)
	}
	results := make(chan trajectories.RunResult, 2)
	for name, e := range map[string]episode{"on": on, "off": off} {
		dir := filepath.Join(t.TempDir(), name)
		go func() {
			r, _ := e.runner(t, dir)
			res, err := r.Run(context.Background(), e.task)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			results <- res
		}()
	}
	total := 0
	for range 2 {
		r := <-results
		total += r.Substitutions["force_fill"]
	}
	if total != 2 {
		t.Errorf("%d fields were filled by the gate, want 2 in one arm and none in the other", total)
	}
}
