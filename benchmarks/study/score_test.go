package study

import (
	"encoding/json"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/invariants"
)

// Counting a ruling in shadow needs no ruling with force.
func TestShadowsAreScored(t *testing.T) {
	tr := &trajectories.Trajectory{Header: trajectories.Header{Config: json.RawMessage(`{"shadow":["loop_recovery"]}`)}, Steps: make([]cua.Step, 40),
		End: &trajectories.End{Reason: cua.EndMaxSteps}}
	for i := range tr.Steps {
		tr.Steps[i].N = i + 1
	}
	tr.Steps[19].Rulings = []cua.Ruling{{Gate: "loop_recovery", Verdict: cua.Replace,
		Reason: "tab_to_next_field", Shadow: true}}
	r := score(benchmarks.Cell{Suite: "traps", Task: "t1-login"}, suites.Task{Name: "t1-login",
		Solvable: true},
		&invariants.Journal{Trajectory: tr}, verdicts{})
	if len(r.Shadow) != 1 || r.Shadow[0].Rulings != 1 || r.Shadow[0].Right != 1 || len(r.Interventions) != 0 {
		t.Errorf("%+v, interventions %v", r.Shadow, r.Interventions)
	}
}
