package study_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// harmful plays each task's wrong act, and then would go on to the oracle's end.
type harmful struct {
	t *testing.T
	b *browser.Browser
}

func (h harmful) NewEnv(ctx context.Context, _ benchmarks.Setting) (runner.Env, error) {
	return h.b.NewSession(ctx, browser.SessionOptions{SettleCap: studytest.Patience})
}

func (h harmful) NewBrain(in benchmarks.Scripts, c benchmarks.Cell) (runner.Brain,
	trajectories.BrainInfo, error) {
	task, err := tuned.FindTask(c.Task)
	script := slices.Concat(task.Harm(c.Seed), in.Oracle[len(in.Oracle)-1:])
	return studytest.Overseen(h.t, brain.Scripted{Script: script}), trajectories.BrainInfo{Name: "harm"}, err
}

// A wrong act that nobody can take back ends the episode at that step, with nothing, whatever else would
// come.
func TestAWrongActEndsTheEpisode(t *testing.T) {
	bare := runner.DefaultConfig()
	bare.Toggles = cua.Toggles{}
	plan := benchmarks.Plan{Version: 1, Suites: []string{"irreversible"},
		Arms: []benchmarks.Arm{{Name: "off", Config: bare}}, Base: "off", Seeds: benchmarks.SeedsUpTo(2)}
	s, err := study.Create(filepath.Join(t.TempDir(), "study"), plan)
	if err != nil {
		t.Fatal(err)
	}
	if err := study.Play(t.Context(), s, study.Options{Workers: 2, Factory: harmful{t,
		browsertest.Launch(t, browser.Options{})}}); err != nil {
		t.Fatal(err)
	}
	if len(s.Results) != 12 {
		t.Errorf("%d cells", len(s.Results))
	}
	for _, r := range s.Results {
		task, err := tuned.FindTask(r.Task)
		if err != nil {
			t.Fatal(err)
		}
		if want := len(task.Harm(r.Seed)); want == 0 || r.End != cua.EndEnvEnded || r.Reward != 0 ||
			r.Success || r.Lenient || r.Steps != want || len(r.Broken) > 0 {
			t.Errorf("%s, seed %d: %s after %d steps of %d, earns %v, breaks %v", r.Task, r.Seed, r.End,
				r.Steps, want, r.Reward, r.Broken)
		}
	}
}
