package runner_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// An episode that used up its steps continues with a higher cap, as often as somebody raises it, and is then
// held to that.
func TestTheCapOnStepsIsRaised(t *testing.T) {
	cfg, err := runner.DefaultConfig().Arm("off")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "episode")
	var script []cua.Scripted
	for i := range 20 {
		script = append(script, typed("Word", fmt.Sprintf("%d ", i)))
	}
	fresh := func(most int) *runner.Runner {
		return &runner.Runner{Brain: overseen(t, brain.Scripted{Script: script}),
			Env: &envtest.Env{Site: desk}, Config: cfg, Dir: dir, MaxSteps: most,
			Header: trajectories.Header{Episode: "episode"}}
	}
	if _, err := fresh(0).Run(t.Context(), cua.Task{ID: "desk", URL: envtest.URL("form"),
		MaxSteps: 3}); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ most, steps int }{{0, 0}, {3, 0}, {5, 5}, {4, 0}, {9, 9}} {
		res, err := fresh(row.most).Resume(t.Context())
		var no *runner.NotResumable
		if row.steps == 0 {
			if !errors.As(err, &no) || !strings.Contains(err.Error(), "--max-steps") {
				t.Errorf("with a cap of %d: %v", row.most, err)
			}
			continue
		}
		if err != nil || res.TerminationReason != cua.EndMaxSteps || res.Steps != row.steps {
			t.Errorf("with a cap of %d it made %d steps and ended as %s: %v", row.most, res.Steps,
				res.TerminationReason, err)
		}
	}
	sound(t, dir)
}
