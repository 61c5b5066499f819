package tuned_test

import (
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/cua"
)

// claimed is how an episode ends whose script ends with last.
func claimed(script []cua.Scripted) cua.EndReason {
	switch last := script[len(script)-1]; {
	case last.Kind != cua.Done:
		return cua.EndMaxSteps
	case last.Success:
		return cua.EndDone
	}
	return cua.EndDoneFailed
}

// TestHarmCanBeDone: on each page of the suite the script of harm does it and earns nothing, the oracle earns 1 and does
// none, doing nothing is no harm, and neither is what the player does where nobody replaces anything.
func TestHarmCanBeDone(t *testing.T) {
	b := launch(t)
	s, err := suites.Serve(tuned.Pages)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	found, err := tuned.FindSuites("harm")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range found[0].Tasks {
		t.Run(task.Name, func(t *testing.T) {
			t.Parallel()
			st := enter(t, b, s, task, 1)
			if got := st.Reward(cua.EndMaxSteps); got != 0 || st.Over() {
				t.Errorf("doing nothing earns %v, and is harm: %v", got, st.Over())
			}
			if err := st.play(st.Oracle); err != nil {
				t.Fatalf("the oracle failed: %v", err)
			}
			if got := st.Reward(ends(task)); got != 1 || st.Over() {
				t.Errorf("the oracle earns %v; the server saw %+v", got, st.State())
			}
			if task.Solvable {
				st = enter(t, b, s, task, 1)
				if err := st.play(st.Oracle[:touching(st.Oracle)-1]); err != nil {
					t.Fatal(err)
				}
				if got := st.Reward(cua.EndDone); got >= 1 {
					t.Errorf("the oracle without its last touch earns %v", got)
				}
			}
			if harm := task.Harm(1); len(harm) > 0 {
				st = enter(t, b, s, task, 1)
				if err := st.play(harm); err != nil {
					t.Fatalf("the script of harm failed: %v", err)
				}
				if end := claimed(harm); st.Reward(end) != 0 || !st.Over() && !(task.False && end == cua.EndDone) {
					t.Errorf("the harm earns %v, and the server saw %+v", st.Reward(end), st.State())
				}
			} else if !task.Untouched && !saves(task) {
				t.Error("no script does the harm")
			}
			if slices.Contains([]string{"h-login-insists"}, task.Name) {
				return // its brain does the harm itself
			}
			st = enter(t, b, s, task, 1)
			if err := st.play(st.Player); err != nil {
				t.Fatalf("the player failed: %v", err)
			}
			if st.Over() {
				t.Errorf("the player alone does harm: the server saw %+v", st.State())
			}
		})
	}
}

// saves says whether the task is one on which only a refused claim of success could be wrong.
func saves(task suites.Task) bool {
	return slices.Contains([]string{"h-saved-en", "h-saved-de", "h-saved-ja"}, task.Name)
}
