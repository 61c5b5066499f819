package runner_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

// TestPlaceboIsNudgeButForItsTiming: the arm placebo is the arm nudge with nothing but the timing changed.
func TestPlaceboIsNudgeButForItsTiming(t *testing.T) {
	arm := func(name string) runner.Config {
		c, err := runner.DefaultConfig().Arm(name)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	placebo, nudge := arm("placebo"), arm("nudge")
	if err := placebo.Validate(); err != nil {
		t.Error(err)
	}
	if got, ok := placebo.Nudged(); !ok || !reflect.DeepEqual(got, nudge) {
		t.Errorf("placebo is one of %+v", got)
	}
	for _, name := range []string{"nudge", "default", "off"} {
		if _, ok := arm(name).Nudged(); ok {
			t.Errorf("%s is a placebo", name)
		}
	}
}

func TestAsNudged(t *testing.T) {
	c, err := runner.DefaultConfig().Arm("placebo")
	if err != nil {
		t.Fatal(err)
	}
	if got := c.AsNudged(nil, 7); !reflect.DeepEqual(got, c) {
		t.Errorf("as no episode: %+v", got.Placebo)
	}
	steps := make([]cua.Step, 6)
	steps[2].Notes = []cua.Note{{From: "done_gate"}, {From: "nudge", Level: 1}}
	steps[4].Notes = []cua.Note{{From: "nudge", Level: 3}}
	p := c.AsNudged(steps, 7).Placebo
	if levels := slices.DeleteFunc(slices.Clone(p.At), func(l int) bool { return l == 0 }); len(p.At) != 6 ||
		!slices.Equal(levels, []int{1, 3}) || p.Every != 0 {
		t.Errorf("as two nudges in six steps: %+v", p)
	}
	var said []int
	for n := 1; n <= 8; n++ {
		turn := runner.Assemble(c.AsNudged(steps, 7)).Turn(cua.Task{ID: "t"},
			cua.History{Steps: make([]cua.Step, n-1)}, nil)
		for _, note := range turn.Notes {
			said = append(said, note.Level)
		}
	}
	if !slices.Equal(said, []int{1, 3}) {
		t.Errorf("said %v, want 1 and 3", said)
	}
}
