package runner_test

import (
	"encoding/json"
	"testing"

	"github.com/cua-runner/cua-runner/runner"
)

// What differs from an arm is in its name, and the name is the config.
func TestArmNames(t *testing.T) {
	for _, row := range []struct{ name, base, want string }{
		{"default", "default", "default"}, {"off", "off", "off"}, {"-nudge", "-nudge", "-nudge"}, {"-nudge", "default", "default-nudge"},
		{"classic-loop_recovery", "classic", "classic-loop_recovery"},
		{"off+nudge+shape_repeat", "off", "off+shape_repeat+nudge"},
		{"classic-loop_recovery+repeat_guard", "classic", "classic-loop_recovery+repeat_guard"},
		{"default{detector.soft=5}", "default", "default{detector.soft=5}"},
		{"default-nudge{detector.soft=5,recovery.on_spiral=halt}", "default", "default-nudge{detector.soft=5,recovery.on_spiral=halt}"},
		{`default{shadow=["rescue","done"]}`, "default", `default{shadow=["rescue","done"]}`},
		{`off{detector.soft=5,shadow=["rescue","done"]}`, "off", `off{detector.soft=5,shadow=["rescue","done"]}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := runner.DefaultConfig().Arm(row.name)
			if err != nil {
				t.Fatal(err)
			}
			got := runner.ArmName(c, row.base)
			if got != row.want {
				t.Errorf("it is called %s, want %s", got, row.want)
			}
			again, err := runner.DefaultConfig().Arm(got)
			if err != nil {
				t.Fatal(err)
			}
			a, _ := json.Marshal(c)     //nolint:errcheck // a config
			b, _ := json.Marshal(again) //nolint:errcheck // a config
			if string(a) != string(b) {
				t.Errorf("%s is\n%s\nand not\n%s", got, b, a)
			}
		})
	}
	for _, name := range []string{"", "none", "default-none", "default+none", "classic{detector.none=1}", "default-", "{detector.soft=5}"} {
		if _, err := runner.DefaultConfig().Arm(name); err == nil {
			t.Errorf("%q is an arm", name)
		}
	}
}
