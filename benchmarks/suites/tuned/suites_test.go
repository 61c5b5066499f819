package tuned_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
)

// stage is one instance opened in a session of its own.
type stage struct {
	*suites.Instance
	t       *testing.T
	session *browser.Session
	now     cua.Observation
}

// patience is for how long what an action sets off is waited for: only a failure uses it up, however
// busy the machine is.
const patience = time.Minute

func enter(t *testing.T, b *browser.Browser, s *suites.Server, task suites.Task, seed int64) *stage {
	t.Helper()
	in, err := s.Open(task, seed)
	if err != nil {
		t.Fatal(err)
	}
	session, err := b.NewSession(t.Context(), browser.SessionOptions{SettleCap: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close(); in.Close() })
	o, err := session.Reset(t.Context(), in.Task)
	if err != nil {
		t.Fatal(err)
	}
	return &stage{Instance: in, t: t, session: session, now: o}
}

// play does the script's actions; what ends an episode is left to the reward.
func (s *stage) play(script []cua.Scripted) error {
	for i, line := range script {
		a, err := line.Resolve(s.now)
		if err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
		if a.Kind.Ends() {
			continue
		}
		if err := s.act(a); err != nil {
			return fmt.Errorf("line %d (%s %q): %w", i+1, a.Kind, line.On, err)
		}
	}
	return nil
}

// playOracle plays the oracle's script: it earns 1. Where the task can be solved, its last touch is needed.
func (s *stage) playOracle(task suites.Task) {
	s.t.Helper()
	script := s.Oracle
	if task.Solvable {
		before := touching(script) - 1
		if err := s.play(script[:before]); err != nil {
			s.t.Fatalf("seed %d: the oracle failed before its last touch: %v", s.Task.Seed, err)
		}
		if got := s.Reward(cua.EndDone); got >= 1 {
			s.t.Errorf("seed %d: the oracle without its last touch earns %v", s.Task.Seed, got)
		}
		script = script[before:]
	}
	if err := s.play(script); err != nil {
		s.t.Fatalf("seed %d: the oracle failed: %v", s.Task.Seed, err)
	}
	if got := s.Reward(ends(task)); got != 1 {
		s.t.Errorf("seed %d: the oracle earns %v; the server saw %+v", s.Task.Seed, got, s.State())
	}
}

func (s *stage) act(a cua.Action) error {
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	out, err := s.session.Act(ctx, a)
	if err == nil && out.Failure != nil {
		err = out.Failure
	}
	s.now = out.After
	return err
}

// touching is how many of the script's actions touch the page.
func touching(script []cua.Scripted) int {
	last := 0
	for i, line := range script {
		if !line.Kind.Ends() && line.Kind != cua.Wait {
			last = i + 1
		}
	}
	return last
}

func ends(task suites.Task) cua.EndReason {
	if task.Solvable {
		return cua.EndDone
	}
	return cua.EndDoneFailed
}

func TestSuitesInARealBrowser(t *testing.T) {
	b := browsertest.Launch(t, browser.Options{})
	s, err := suites.Serve(tuned.Pages)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() }) // after the rows, which run beside each other
	usual, err := tuned.FindSuites(tuned.DefaultSuites()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, suite := range usual { // the cases of the detectors are played by TestCases
		for _, task := range suite.Tasks {
			t.Run(task.Name, func(t *testing.T) {
				t.Parallel() // much of it is waiting
				for seed := int64(1); seed <= 2; seed++ {
					st := enter(t, b, s, task, seed)
					if got := st.Reward(cua.EndMaxSteps); got != 0 {
						t.Errorf("seed %d: doing nothing earns %v", seed, got)
					}
					st.playOracle(task)
				}
			})
		}
	}
}

// TestTrapsHold checks that each trap is one: what an agent would try first has no success.
func TestTrapsHold(t *testing.T) {
	b := browsertest.Launch(t, browser.Options{})
	s, err := suites.Serve(tuned.Pages)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	press := func(name string) cua.Scripted {
		return cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: name}
	}
	// what is in sight of the button
	edge := cua.Scripted{Action: cua.Action{Kind: cua.Click, Point: &cua.Point{X: 640, Y: 796}}}
	down := cua.Scripted{Action: cua.Action{Kind: cua.Scroll, DY: 2000}}
	for _, c := range []struct {
		task string
		// then replaces the oracle after its first so many lines.
		lines   int
		then    []cua.Scripted
		focused string // label of what has the focus at the end; "" is nothing
	}{
		{"t3-tab-only", 1, []cua.Scripted{press("Ward"), press("Ward")}, "Email"},
		{"t4-dead-submit", 2, []cua.Scripted{press("Submit"), press("Submit")}, "Email"},
		{"t5-dead-submit-blur", 2, []cua.Scripted{press("Submit"), press("Submit")}, ""},
		{"t6-dead-button", 0, []cua.Scripted{press("Save settings"), press("Save settings")}, ""},
		{"t8-overlay", 0, []cua.Scripted{press("Reserve seat"), press("Reserve seat")}, ""},
		{"t9-fold", 0, []cua.Scripted{edge, edge}, ""},
		{"t10-notices", 1, []cua.Scripted{press("Reserve seat"), press("Reserve seat")}, ""},
		{"t12-error-page", 1, []cua.Scripted{press("role=button name=Book berth"), press("role=button name=Book berth")}, ""},
		{"t14-corner-button", 0, []cua.Scripted{press("Request a quote"), press("Request a quote")}, ""},
		{"t15-dead-send", 2, []cua.Scripted{press("Send message"), press("Send message")}, ""},
		{"t17-rules", 0, []cua.Scripted{down, press("Submit"), press("Submit")}, ""},
	} {
		t.Run(c.task, func(t *testing.T) {
			task, err := tuned.FindTask(c.task)
			if err != nil {
				t.Fatal(err)
			}
			st := enter(t, b, s, task, 1)
			if err := st.play(st.Oracle[:c.lines]); err != nil {
				t.Fatal(err)
			}
			before := st.now
			if err := st.play(c.then); err != nil {
				t.Fatal(err)
			}
			if state := st.State(); len(state.Sent) > 0 || state.Presses > 0 || st.now.URL != before.URL ||
				st.now.DOMDigest != before.DOMDigest {
				t.Errorf("the press went through: %+v at %s", state, st.now.URL)
			}
			label := ""
			if st.now.Focus != nil && st.now.Focus.Editable {
				label = st.now.Focus.Label
			}
			if label != c.focused {
				t.Errorf("the focus is on %q, want %q", label, c.focused)
			}
		})
	}
}

// TestReturnWorksWhereThePressDoesNot: from the focused button too, for whoever puts the focus there.
func TestReturnWorksWhereThePressDoesNot(t *testing.T) {
	b := browsertest.Launch(t, browser.Options{})
	s, err := suites.Serve(tuned.Pages)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range []string{"t4-dead-submit", "t5-dead-submit-blur"} {
		task, err := tuned.FindTask(name)
		if err != nil {
			t.Fatal(err)
		}
		st := enter(t, b, s, task, 1)
		if err := st.play(st.Oracle[:2]); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"Tab", "Return"} { // Tab leads to the button
			if err := st.act(cua.Action{Kind: cua.Key, Keys: key}); err != nil {
				t.Fatal(err)
			}
		}
		if got := st.Reward(cua.EndDone); got != 1 {
			t.Errorf("%s: Return on the focused button earns %v", name, got)
		}
	}
}
