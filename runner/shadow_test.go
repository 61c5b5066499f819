package runner_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// shadowed plays the golden episode of that name with gates in shadow.
func shadowed(t *testing.T, name string, gates ...string) *trajectories.Trajectory {
	t.Helper()
	e := readEpisode(t, "testdata/"+name+".txtar")
	e.config.Shadow = gates
	dir, _ := e.run(t)
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range runner.Replay(tr, e.config) {
		t.Errorf("step %d, %s: recorded %q, replayed %q", d.Step, d.What, d.Recorded, d.Replayed)
	}
	return tr
}

func TestAGateInShadowChangesNothing(t *testing.T) {
	tr := shadowed(t, "login_click_fixation", "force_fill")
	would := 0
	for _, s := range tr.Steps {
		for _, r := range s.Rulings {
			if r.Gate != "force_fill" || r.Verdict == cua.Pass {
				continue
			}
			if would++; !r.Shadow || s.Substituted() && s.Action.Kind == cua.Type && s.RecoveryReason == "" {
				t.Errorf("step %d: %+v, dispatched %+v", s.N, r, s.Action)
			}
		}
	}
	got := trajectories.Shadows(tr)
	if would == 0 || len(got) != 1 || got[0].Gate != "force_fill" || got[0].Rulings != would {
		t.Errorf("%d rulings, counted as %+v", would, got)
	}
}

// A rescue table in shadow leaves the stop to the breaker, and a breaker in shadow stops nobody.
func TestShadowAndTheBreaker(t *testing.T) {
	tr := shadowed(t, "dead_button_halts", "rescue")
	if tr.End == nil || tr.End.Reason != cua.EndLoop {
		t.Errorf("the episode ended as %+v", tr.End)
	}
	gates := map[string]bool{}
	for _, s := range trajectories.Shadows(tr) {
		gates[s.Gate] = true
	}
	if !gates["rescue"] {
		t.Errorf("nothing is on record of the rescue table: %v", gates)
	}
	tr = shadowed(t, "dead_button_halts", "breaker", "ask_user")
	if tr.End == nil || tr.End.Reason == cua.EndLoop || tr.End.Reason == cua.EndAsked {
		t.Errorf("the episode ended as %+v", tr.End)
	}
	for _, s := range tr.Steps {
		for _, n := range s.Notes {
			if strings.Contains(n.Text, "this episode is ended") {
				t.Fatalf("step %d threatens what will not happen: %q", s.N, n.Text)
			}
		}
	}
}

func TestWhichGatesMayBeInShadow(t *testing.T) {
	_, _, gates := runner.Assemble(runner.DefaultConfig()).Names()
	for _, name := range append(gates, "sideways") {
		c := runner.DefaultConfig()
		c.Shadow = []string{name}
		err := c.Validate()
		if bad := slices.Contains([]string{"limits", "policy", "director", "sideways"},
			name); bad != (err != nil) || bad && !strings.Contains(err.Error(),
			"known: mistakes, done, force_fill, force_submit, rescue, breaker, type_pending_value") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
