package runner_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

// Each difference from an arm is in its name, and the name gives the config.
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
	for _, name := range []string{"", "none", "default-none", "default+none", "classic{detector.none=1}",
		"default-", "{detector.soft=5}"} {
		if _, err := runner.DefaultConfig().Arm(name); err == nil {
			t.Errorf("%q is an arm", name)
		}
	}
}

// configs are arms with changes of every kind, hostile texts among them.
func configs(t *rapid.T) (c runner.Config, base string) {
	var bases []string
	for _, a := range runner.Arms() {
		bases = append(bases, a.Name)
	}
	base = rapid.SampledFrom(bases).Draw(t, "base")
	c, err := runner.DefaultConfig().Arm(base)
	if err != nil {
		t.Fatal(err)
	}
	var mechanisms []string
	for _, m := range cua.Mechanisms() {
		mechanisms = append(mechanisms, m.Name)
	}
	for _, m := range rapid.SliceOfNDistinct(rapid.SampledFrom(mechanisms), 0, 4, rapid.ID).Draw(t,
		"toggled") {
		if err := c.Toggles.Set(m, rapid.Bool().Draw(t, "on")); err != nil {
			t.Fatal(err)
		}
	}
	text := rapid.SampledFrom([]string{"rescue", "done", "a,b", "host:80", `say "x"`, `back\slash\`, "{", "]", "-nudge", "ü", ""})
	change := []func(){
		func() { c.Shadow = rapid.SliceOfN(text, 0, 3).Draw(t, "shadow") },
		func() { c.Recovery.Policy.Allow = rapid.SliceOfN(text, 0, 3).Draw(t, "allow") },
		func() { c.Detector.Soft = rapid.IntRange(2, 9).Draw(t, "soft") },
		func() { c.Recovery.Limits.MaxTokens = rapid.IntRange(0, 9000).Draw(t, "tokens") },
		func() { c.Recovery.Limits.MaxCostUSD = rapid.Float64Range(0, 5).Draw(t, "usd") },
		func() { c.Recovery.OnSpiral = "halt" },
		func() { c.Checkpoints.State = false },
		func() { c.Placebo.Every = rapid.IntRange(0, 6).Draw(t, "every") },
		func() { c.Recovery.Rescue.Classic = rapid.Bool().Draw(t, "classic") },
	}
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(change)-1), 0, 4, rapid.ID).Draw(t,
		"changes") {
		change[i]()
	}
	return c, base
}

// The name of any config is that config again, and a list of names is those names, whatever is in them.
func TestArmNamesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var names []string
		for range rapid.IntRange(1, 4).Draw(t, "arms") {
			c, base := configs(t)
			name := runner.ArmName(c, base)
			again, err := runner.DefaultConfig().Arm(name)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			a, _ := json.Marshal(c)     //nolint:errcheck // a config
			b, _ := json.Marshal(again) //nolint:errcheck // a config
			if string(a) != string(b) || runner.ArmName(again, base) != name {
				t.Fatalf("%s is\n%s\nand not\n%s", name, b, a)
			}
			names = append(names, name)
		}
		for _, sep := range []string{",", ":"} {
			if got := runner.SplitArms(strings.Join(names, sep), rune(sep[0])); !slices.Equal(got, names) {
				t.Fatalf("%q came back as %q", names, got)
			}
		}
	})
}
