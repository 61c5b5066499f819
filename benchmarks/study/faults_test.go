package study

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/invariants"
)

// Two brains play each cell, side by side; their episodes have folders of their own, and the
// header says which brain it was.
func TestEachFaultIsPlayedAndResumed(t *testing.T) {
	p := studytest.Plan(2)
	p.EachFault = []string{benchmarks.NoFault, "off_target=1@20"}
	s, err := Create(filepath.Join(t.TempDir(), "study"), p)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := p.Cells()
	if err != nil || len(cells) != 24 || cells[0].Fault != benchmarks.NoFault ||
		cells[2].Fault != "off_target=1@20" ||
		cells[2].Task != cells[0].Task {
		t.Fatalf("cells %+v, %v", cells, err)
	}
	f := &studytest.Pressings{T: t, Broken: map[string]int{}}
	if err := Play(t.Context(), s, Options{Factory: f, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	tr, err := trajectories.Read(s.EpisodeDir("stepper.off_target-1-20@off.2-1"))
	if err != nil || tr.Header.Brain.Name != "oracle off_target=1@20" || tr.Header.Task.ID != "stepper" {
		t.Fatalf("header %+v, %v", tr, err)
	}
	if s, err = benchmarks.Open(s.Dir); err != nil || len(s.Results) != 24 {
		t.Fatalf("%v", err)
	}
	missing, err := s.Missing()
	if err != nil || len(missing) != 0 {
		t.Errorf("%d cells are missing, %v", len(missing), err)
	}
	for _, r := range s.Results {
		if r.Checked != len(invariants.All()) || len(r.Broken) != 0 || r.Wrong == nil {
			t.Errorf("%s: %d invariants, broken %v, wrong %v", r.Episode, r.Checked, r.Broken, r.Wrong)
		}
	}
	line, err := json.Marshal(benchmarks.Result{Cell: benchmarks.Cell{Suite: "controls", Task: "stepper",
		Seed: 1, Arm: "off"}})
	if err != nil || strings.Contains(string(line), "fault\"") {
		t.Errorf("a study of one brain names a fault: %s (%v)", line, err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, benchmarks.ResultsName), append(line, '\n'),
		0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := benchmarks.Open(s.Dir); err == nil || !strings.Contains(err.Error(), "no cell of the plan") {
		t.Errorf("a cell without a fault in a study of faults: %v", err)
	}
}
