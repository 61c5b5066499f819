package runner_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// deadEnd is a site on which nothing comes of anything.
var deadEnd = envtest.Site{Start: "wall", Pages: map[string]envtest.Page{
	"wall": {Title: "Wall", Controls: []envtest.Control{{Name: "Open", Type: "button", Dead: true}}},
}}

// stubborn presses the dead button forever.
func stubborn() runner.Brain {
	var script []cua.Scripted
	for range 60 {
		script = append(script, click("Open"))
	}
	return brain.Scripted{Script: script}
}

// sound holds a journal against all invariants and against its own replay.
func sound(t *testing.T, dir string) *trajectories.Trajectory {
	t.Helper()
	j, err := trajectories.ReadJournal(dir)
	if err != nil {
		t.Fatal(err)
	}
	tr := j.Trajectory
	cfg, err := runner.Recorded(tr.Header)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range runner.Replay(tr, cfg) {
		t.Errorf("step %d, %s: recorded %q, replayed %q", d.Step, d.What, d.Recorded, d.Replayed)
	}
	tr.Incidents = runner.Incidents(tr, runner.DefaultConfig())
	for _, in := range trajectories.Invariants() {
		broken, _ := in.Check(j)
		for _, v := range broken {
			t.Errorf("%s, step %d: %s", v.Invariant, v.Step, v.Detail)
		}
	}
	return tr
}

// An unattended run that is stuck for good ends, or goes on with fresh counters until a cap ends it, as its policy says.
func TestThePolicyForUnattendedRuns(t *testing.T) {
	for _, row := range []struct {
		policy recovery.OnSpiral
		end    cua.EndReason
		steps  int
		pauses bool
	}{
		{recovery.SpiralHalt, cua.EndAsked, 0, false},
		{recovery.SpiralRewind, cua.EndAsked, 0, false}, // nothing has changed that a rewind could undo
		{recovery.SpiralContinue, cua.EndMaxSteps, 40, true},
	} {
		t.Run(string(row.policy), func(t *testing.T) {
			cfg := runner.DefaultConfig()
			cfg.Recovery.OnSpiral, cfg.Recovery.Limits.MaxSteps = row.policy, 40
			dir := filepath.Join(t.TempDir(), "episode")
			r := &runner.Runner{Brain: stubborn(), Env: &envtest.Env{Site: deadEnd}, Config: cfg, Dir: dir, Now: clock(), Header: trajectories.Header{Episode: "episode"}}
			result, err := r.Run(context.Background(), cua.Task{ID: "wall", URL: envtest.URL("wall")})
			if err != nil {
				t.Fatal(err)
			}
			tr := sound(t, dir)
			if result.TerminationReason != row.end || row.steps > 0 && result.Steps != row.steps || row.steps == 0 && result.Steps > 20 {
				t.Errorf("it ended as %s after %d steps, want %s", result.TerminationReason, result.Steps, row.end)
			}
			var pauses, goesOn []trajectories.Event
			for _, e := range tr.Events {
				switch e.Kind {
				case trajectories.PauseEvent:
					pauses = append(pauses, e)
				case trajectories.ContinueEvent:
					goesOn = append(goesOn, e)
				}
			}
			if len(pauses) != len(goesOn) || row.pauses != (len(pauses) > 1) {
				t.Fatalf("%d pauses, %d times it went on", len(pauses), len(goesOn))
			}
			warned := 0
			for i, e := range goesOn {
				if e.Reason != cua.EndAsked || e.Incident == "" || e.Incident != tr.Steps[e.Step-1].Incident {
					t.Errorf("it went on after %q, incident %q: %+v", e.Reason, e.Incident, e)
				}
				if s := tr.Steps[e.Step-1]; s.Action != nil {
					t.Errorf("step %d was dispatched although it paused", s.N)
				}
				if s := tr.Steps[e.Step]; len(s.Signals)+len(s.Notes) > 0 {
					t.Errorf("step %d has not begun with fresh counters: %+v %+v", s.N, s.Signals, s.Notes)
				}
				if i > 0 && e.Incident == goesOn[i-1].Incident {
					t.Errorf("two incidents are one: %s", e.Incident)
				}
			}
			for _, s := range tr.Steps {
				for _, n := range s.Notes {
					if n.Level == recovery.LastWarning {
						warned++
					}
				}
			}
			if warned == 0 {
				t.Error("it was never warned")
			}
			counted := 0
			for _, s := range result.Sentinels {
				if s.Kind == trajectories.SpiralPause {
					counted++
				}
			}
			if want := max(1, len(pauses)); counted != want {
				t.Errorf("%d sentinels of pauses, want %d", counted, want)
			}
		})
	}
}
