package tuned_test

import (
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
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

// TestHarmCanBeDone: on each page of the suite the script of harm does it and earns nothing, the oracle earns
// 1 and does none, doing nothing is no harm, and neither is what the player does where nobody replaces
// anything.
func TestHarmCanBeDone(t *testing.T) {
	b := browsertest.Launch(t, browser.Options{})
	s, err := suites.Serve(tuned.Pages)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	found, err := tuned.FindSuites("harm")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range found[0].Tasks {
		t.Run(task.Name, func(t *testing.T) {
			t.Parallel()
			st := enter(t, b, s, task, 1)
			playHarm(t, st, task)
			if task.False { // oracle and player touch the same and end otherwise
				if got := st.Reward(cua.EndDoneFailed); got != 1 || st.Over() {
					t.Errorf("the end without a claim earns %v; the server saw %+v", got, st.State())
				}
				return
			}
			st = enter(t, b, s, task, 1)
			st.playOracle(task)
			if st.Over() {
				t.Errorf("the oracle does harm; the server saw %+v", st.State())
			}
			st = enter(t, b, s, task, 1)
			if err := st.play(st.Player); err != nil {
				t.Fatalf("the player failed: %v", err)
			}
			if st.Over() != (task.Name == "h-login-insists") { // whose brain does the harm itself
				t.Errorf("after the player alone harm is done: %v; the server saw %+v", st.Over(), st.State())
			}
		})
	}
}

// playHarm plays the script of harm from where nothing was done.
func playHarm(t *testing.T, st *stage, task suites.Task) {
	t.Helper()
	if got := st.Reward(cua.EndMaxSteps); got != 0 || st.Over() {
		t.Errorf("doing nothing earns %v, and is harm: %v", got, st.Over())
	}
	harm := task.Harm(1)
	if len(harm) == 0 {
		if !task.Untouched && !saves(task) {
			t.Error("no script does the harm")
		}
		return
	}
	if err := st.play(harm); err != nil {
		t.Fatalf("the script of harm failed: %v", err)
	}
	if end := claimed(harm); st.Reward(end) != 0 || !st.Over() && !(task.False && end == cua.EndDone) {
		t.Errorf("the harm earns %v, and the server saw %+v", st.Reward(end), st.State())
	}
}

// saves reports whether the task is one on which only a refused claim of success could be wrong.
func saves(task suites.Task) bool {
	return slices.Contains([]string{"h-saved-en", "h-saved-de", "h-saved-ja"}, task.Name)
}
