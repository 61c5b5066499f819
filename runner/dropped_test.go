package runner_test

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

// Policy is asked about what a gate would put in the place of a proposal, also where the gate has no force;
// what it refuses is dropped, and the record of either says so.
func TestASubstitutionThatPolicyRefusesIsDropped(t *testing.T) {
	field := func(origin string) cua.Field {
		f := cua.Field{ID: `textbox "Password" @0`, Role: "textbox", Label: "Password", Name: "Password", Tag: "input", Type: "password", Frame: "0", Origin: origin,
			Editable: true, Empty: true, Box: cua.Box{X: 10, Y: 10, W: 100, H: 20}}
		return f
	}
	task := cua.Task{ID: "t", URL: "https://shop.example/in", Fields: []cua.PlanValue{{Label: "Password",
		Value: "<secret:PW>"}}}
	for _, tt := range []struct {
		name            string
		origin          string
		shadow          []string
		dropped, forced bool
	}{
		{"at home", "", nil, false, true},
		{"abroad", "https://evil.test", nil, true, false},
		{"at home, in shadow", "", []string{"force_fill"}, false, false},
		{"abroad, in shadow", "https://evil.test", []string{"force_fill"}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := runner.DefaultConfig()
			cfg.Shadow = tt.shadow
			f := field(tt.origin)
			a := runner.Assemble(cfg)
			turn := a.Turn(task, cua.History{Start: cua.Observation{URL: task.URL,
				Viewport: cua.Size{W: 800, H: 600}, DOMDigest: "d", Fields: []cua.Field{f}}}, nil)
			p := cua.Proposal{Action: cua.Action{Kind: cua.Click, Point: &cua.Point{X: 20, Y: 20}},
				Target: cua.Target{ID: f.ID, Field: f.ID, Role: "textbox", Name: "Password", Editable: true,
					Box: f.Box, Frame: "0"}}
			all, decided := a.Review(turn, p)
			found := false
			for _, r := range all {
				if r.Gate != "force_fill" {
					continue
				}
				found = true
				if r.Verdict != cua.Replace || r.Dropped != tt.dropped || r.Shadow == tt.forced ||
					strings.HasPrefix(r.Detail, "dropped: ") != tt.dropped {
					t.Errorf("%+v", r)
				}
			}
			if !found || (decided.Verdict == cua.Replace) != tt.forced {
				t.Errorf("decided %+v of %+v", decided, all)
			}
			if passed := decided.Verdict == cua.Pass; passed == tt.forced {
				t.Errorf("the proposal stands: %t", passed)
			}
		})
	}
}
