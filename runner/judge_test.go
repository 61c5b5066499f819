package runner_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// What Judge says before each step of a golden episode is what the episode recorded, and a second call says
// it again.
func TestJudgeSaysWhatTheEpisodeRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	judged, ruled := 0, 0
	for _, path := range files {
		e := readEpisode(t, path)
		dir, _ := e.run(t)
		tr, err := trajectories.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		a := runner.Assemble(e.config)
		for i := range tr.Steps {
			s := &tr.Steps[i]
			if s.Failure != nil || len(s.Rulings) == 0 {
				continue // what the proposal was is not recorded in full
			}
			var own []cua.Note
			for _, n := range s.Notes {
				if n.From == "runner" {
					own = append(own, n)
				}
			}
			p := cua.Proposal{Action: s.Proposed, Target: s.Target, By: s.By, Thought: s.Thought}
			h := tr.HistoryAt(i)
			j := a.Judge(tr.Header.Task, h, own, p)
			again := runner.Assemble(e.config).Judge(tr.Header.Task, h, own, p)
			last := s.Rulings[len(s.Rulings)-1]
			if len(j.Rulings) != len(s.Rulings) || j.Decided.Verdict != last.Verdict ||
				j.Decided.Reason != last.Reason || len(j.Turn.Notes) != len(s.Notes) ||
				len(j.Turn.Signals) != len(s.Signals) {
				t.Errorf("%s: step %d: %+v, recorded %+v", path, s.N, j.Decided, last)
			}
			if !reflect.DeepEqual(j.Rulings, again.Rulings) ||
				!reflect.DeepEqual(j.Turn.Notes, again.Turn.Notes) {
				t.Errorf("%s: step %d: a second call says something else", path, s.N)
			}
			judged++
			if last.Verdict != cua.Pass {
				ruled++
			}
		}
	}
	if judged < 20 || ruled < 5 {
		t.Errorf("only %d steps were judged, %d of them ruled", judged, ruled)
	}
}
