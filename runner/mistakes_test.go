package runner_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// told are the numbers of the steps whose turns carried the mistake tracker's note.
func told(tr *trajectories.Trajectory) (out []int) {
	for _, s := range tr.Steps {
		if slices.ContainsFunc(s.Notes, func(n cua.Note) bool { return n.From == recovery.MistakesName }) {
			out = append(out, s.N)
		}
	}
	return out
}

// An episode that ended of mistakes can be continued, and its counts are fresh then.
func TestGoingOnAfterMistakes(t *testing.T) {
	e := readEpisode(t, "testdata/six_mistakes_end_it.txtar")
	dir, result := e.run(t)
	if result.TerminationReason != cua.EndMistakes || !result.TerminationReason.CanContinue() {
		t.Fatalf("it ended as %s", result.TerminationReason)
	}
	miss, press := e.script[0], e.script[4]
	// decisions 9 to 17
	e.script = append(slices.Clone(e.script[:8]), miss, miss, press, miss, press, miss, miss, press, miss)
	r, _ := e.runner(t, dir)
	if _, err := r.Resume(context.Background()); err != nil {
		t.Fatal(err)
	}
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := told(tr); !slices.Equal(got, []int{4, 13}) {
		t.Errorf("told in the turns of steps %v, want 4, and 13 after three new ones", got)
	}
	for _, s := range tr.Steps {
		if r, ok := s.Ruled(); ok && r.Gate == recovery.MistakesName != (s.N == 8 || s.N == 18) {
			t.Errorf("step %d: %+v", s.N, r)
		}
	}
	if tr.End == nil || tr.End.Reason != cua.EndMistakes || len(tr.Ends) != 2 {
		t.Errorf("ends %+v", tr.Ends)
	}
	for _, d := range runner.Replay(tr, e.config) {
		t.Errorf("step %d, %s: recorded %q, replayed %q", d.Step, d.What, d.Recorded, d.Replayed)
	}
}

// In shadow the tracker ends nothing and threatens nothing; what it would have done is on record.
func TestMistakesInShadow(t *testing.T) {
	tr := shadowed(t, "six_mistakes_end_it", recovery.MistakesName)
	if tr.End == nil || tr.End.Reason == cua.EndMistakes {
		t.Errorf("it ended as %+v", tr.End)
	}
	if got := trajectories.Shadows(tr); len(got) != 1 || got[0].Gate != recovery.MistakesName {
		t.Errorf("on record: %+v", got)
	}
	for _, n := range tr.Steps[3].Notes {
		if n.From != recovery.MistakesName || strings.Contains(n.Text, "ended") {
			t.Errorf("step 4 was told %+v", n)
		}
	}
}

// With the tracker off nothing of it is left: failures are the nudge's to speak of, once, twice and with a
// last warning that threatens nothing, and nothing halts.
func TestWithoutTheTracker(t *testing.T) {
	e := readEpisode(t, "testdata/six_mistakes_end_it.txtar")
	e.config.Toggles.MistakeTracker = false
	e.script = nil
	for range 12 {
		e.script = append(e.script, cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: "Nowhere"})
	}
	dir, result := e.run(t)
	if result.TerminationReason != cua.EndDoneFailed {
		t.Errorf("it ended as %s", result.TerminationReason)
	}
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	top := 0
	for _, s := range tr.Steps {
		for _, n := range s.Notes {
			if n.From != recovery.NudgeName || strings.Contains(n.Text, "this episode is ended") {
				t.Errorf("step %d was told %+v", s.N, n)
			}
			top = max(top, n.Level)
		}
	}
	if top != recovery.LastWarning || len(told(tr)) > 0 {
		t.Errorf("the highest nudge was %d, the tracker spoke at %v", top, told(tr))
	}
}
