package study_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// TestTrapsNeedEachMechanism: for each row of the rescue table and for each gate that has no page but a trap
// there is one on which switching off just that one changes how the episode ends or what it earns. The brain
// is the heuristic with a fault at rate 1 that heeds no nudge, but where the nudge is what is switched off.
// rescue_press_submit and force_submit have no such page: the buttons that would send the form in
// t21-deaf-return and t15-dead-send have names that nobody presses unasked.
func TestTrapsNeedEachMechanism(t *testing.T) {
	if testing.Short() {
		t.Skip("two dozen episodes in a browser")
	}
	b := browsertest.Launch(t, browser.Options{})
	s, err := suites.Serve(tuned.Pages)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		mechanism   string
		task, fault string // a fault, which strikes always: name=1, or name=1@px
		with        string // how the episode ends with all mechanisms, and what it earns
		without     string
	}{
		{"rescue_dismiss_overlay", "t10-notices", "early_done=1", "done 1", "asked 0"},
		{"rescue_scroll_into_view", "t9-fold", "early_done=1", "done 1", "asked 0"},
		{"rescue_retarget_click", "t1-login", "off_target=1", "done 1", "asked 0"},
		{"rescue_use_control", "t11-native-list", "toggler=1", "done 1", "asked 0"},
		{"rescue_reload_page", "t12-error-page", "click_fixation=1", "done 1", "done_failed 0"},
		{"rescue_rewind", "t13-wrong-turn", "click_fixation=1", "done 1", "asked 0"},
		{"rescue_ask_user", "t6-dead-button", "repeat_last=1", "asked 1", "loop 1"},
		{"breaker", "t16-circular", "toggler=1", "loop 1", "max_steps 0"},
		{"done_gate", "t19-false-toast", "early_done=1", "done 1", "done 0"},
		{"rescue_scroll_page", "t14-corner-button", "off_target=1@20", "done 1", "asked 0"},
		{"director", "t1-login", "repeat_last=1", "done 1", "asked 1"},
		{"form_controller", "twelve-fields", "click_fixation=1", "done 1", "max_steps 0"},
		{"loop_recovery", "t4-dead-submit", "click_fixation=1", "done 1", "asked 0"},
		{"recovery_ladder", "t10-notices", "early_done=1", "done 1", "loop 0"},
		{"mistake_tracker", "t1-login", "malformed=1", "mistakes 0", "max_steps 0"},
		{"nudge", "t1-login", "repeat_last=1", "done 1", "asked 1"},
	} {
		t.Run(c.mechanism, func(t *testing.T) {
			all := runner.DefaultConfig()
			less, err := all.Ablate(c.mechanism)
			if err != nil {
				t.Fatal(err)
			}
			if c.mechanism == "breaker" { // it stops what nobody is asked about
				all.Toggles.RescueAsk, less.Toggles.RescueAsk = false, false
			}
			fault, err := brain.ParseFault(c.fault)
			if err != nil {
				t.Fatal(err)
			}
			rates := []brain.FaultRate{fault}
			if c.mechanism == "nudge" {
				rates = append(rates, brain.FaultRate{Name: "nudge_obedience", Rate: 1})
			}
			faulty, err := brain.WithFaults(brain.Heuristic{}, brain.Faults{Rates: rates, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			var who runner.Brain = faulty
			if c.mechanism == "director" {
				who = brain.Directed{Brain: faulty, Director: brain.Heuristic{}, Name: "heuristic"}
			} else {
				all.Toggles.Director, less.Toggles.Director = false, false
			}
			for _, p := range []struct {
				config runner.Config
				want   string
			}{{all, c.with}, {less, c.without}} {
				if got := episode(t, b, s, c.task, who, p.config); got != p.want {
					t.Errorf("%s, want %s", got, p.want)
				}
			}
		})
	}
}

// episode plays the task once: how it ended and what it earned.
func episode(t *testing.T, b *browser.Browser, s *suites.Server, name string, who runner.Brain,
	c runner.Config) string {
	t.Helper()
	task, err := tuned.FindTask(name)
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Open(task, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	session, err := b.NewSession(t.Context(), browser.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	r := runner.Runner{Brain: studytest.Overseen(t, who), Env: session, Config: c, Dir: t.TempDir(),
		Header: trajectories.Header{Episode: name},
		Reward: func(_ context.Context, end cua.EndReason, _ string) (*float64, error) {
			earned := in.Reward(end)
			return &earned, nil
		}}
	got, err := r.Run(t.Context(), in.Task)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %g", got.TerminationReason, in.Reward(got.TerminationReason))
}
