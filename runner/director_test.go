package runner_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// directed plays the dead button with a director that reloads, and returns the steps.
func directed(t *testing.T, change func(*runner.Config)) []cua.Step {
	t.Helper()
	e := readEpisode(t, "testdata/dead_button_halts.txtar")
	if change != nil {
		change(&e.config)
	}
	dir := filepath.Join(t.TempDir(), e.name)
	r, _ := e.runner(t, dir)
	script := make([]cua.Scripted, 30)
	for i := range script {
		script[i] = cua.Scripted{Action: cua.Action{Kind: cua.Reload}}
	}
	r.Brain = brain.Directed{Brain: r.Brain, Director: overseen(t, brain.Scripted{Script: script}),
		Name: "strong"}
	if _, err := r.Run(context.Background(), e.task); err != nil {
		t.Fatal(err)
	}
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range runner.Replay(tr, e.config) {
		t.Errorf("step %d, %s: recorded %q, replayed %q", d.Step, d.What, d.Recorded, d.Replayed)
	}
	return tr.Steps
}

// by are the steps that the director decided.
func by(steps []cua.Step) (out []int) {
	for _, s := range steps {
		if s.By == cua.DirectorPrefix+"strong" {
			out = append(out, s.N)
		}
	}
	return out
}

func TestTheDirectorDecidesWhenStuck(t *testing.T) {
	steps := directed(t, nil)
	asked := by(steps)
	if len(asked) == 0 || asked[0] != 4 {
		t.Fatalf("asked at steps %v, want the first after three clicks without effect", asked)
	}
	for i, n := range asked {
		s := steps[n-1]
		if i > 0 && n-asked[i-1] < 3 {
			t.Errorf("asked at %v: twice within three steps", asked)
		}
		if r, ok := s.Ruled(); !ok || r.Gate != "director" || r.Verdict != cua.Accept || s.Action == nil ||
			s.Action.Kind != cua.Reload || s.Substituted() {
			t.Errorf("step %d: %+v, dispatched %+v", n, r, s.Action)
		}
	}
}

func TestTheDirectorsBudget(t *testing.T) {
	steps := directed(t, func(c *runner.Config) {
		c.Recovery.Director.Budget = 1
		c.Toggles.Breaker, c.Toggles.RescueAsk = false, false
	})
	if asked := by(steps); len(asked) != 1 {
		t.Errorf("asked at %v with a budget of one", asked)
	}
}

func TestWithoutItsToggleNoDirectorIsAsked(t *testing.T) {
	if asked := by(directed(t, func(c *runner.Config) { c.Toggles.Director = false })); asked != nil {
		t.Errorf("asked at %v", asked)
	}
}
