package main

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/runner"
)

// The two flags of rewinds reach the config, and with it the header and the session; without them nothing
// changes.
func TestRewindFlagsReachTheConfig(t *testing.T) {
	for _, row := range []struct {
		name            string
		args            []string
		state, crossing bool
	}{
		{"none", nil, true, false},
		{"no state", []string{"--no-checkpoint-state"}, false, false},
		{"consent", []string{"--allow-crossing"}, true, true},
		{"by --set", []string{"--set", "checkpoints.state=false", "--set", "recovery.policy.allow_crossing=true"}, false, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			var f configFlags
			cmd := &cobra.Command{}
			f.addArm(cmd, "default")
			if err := cmd.ParseFlags(row.args); err != nil {
				t.Fatal(err)
			}
			c, err := f.over(runner.DefaultConfig())
			if err != nil {
				t.Fatal(err)
			}
			if c.Checkpoints.State != row.state || c.Recovery.Policy.AllowCrossing != row.crossing {
				t.Errorf("state %v, crossing %v", c.Checkpoints.State, c.Recovery.Policy.AllowCrossing)
			}
			if o := sessionOptions(c, "", nil); o.NoState == row.state {
				t.Errorf("the session keeps state: %v", !o.NoState)
			}
			if f.changed(cmd.Flags()) != (len(row.args) > 0) {
				t.Error("a flag that was given is not seen as given")
			}
		})
	}
}
