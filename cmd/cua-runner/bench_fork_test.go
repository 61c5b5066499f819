package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/runner"
)

// The study says what is forked: other tasks, a folder that is none, and a study without an
// intervention are refused before anything is begun.
func TestForkUsage(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	_, err := study.Create(none, benchmarks.Plan{Suites: []string{"controls"}, Tasks: []string{"stepper"},
		Seeds: benchmarks.SeedsUpTo(1), Base: "default",
		Arms: []benchmarks.Arm{{Name: "default", Config: runner.DefaultConfig()}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, says string
		args       []string
	}{
		{"other tasks", "--suite cannot change them", []string{"--suite", "forms"}},
		{"another brain", "--brain cannot change them", []string{"--brain", "oracle"}},
		{"a configuration of no arm", "--ablate cannot change them", []string{"--ablate", "nudge"}},
		{"a study that is gone on with", "--fork cannot change", []string{"--resume", none}},
		{"a base that is no arm", `base arm "classic" is not one of`, []string{"--base", "classic"}},
		{"no intervention", "no episode of", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, _, stderr := command(t, append([]string{"bench", "--fork", none}, row.args...)...)
			if code != exitUsage || !strings.Contains(stderr, row.says) {
				t.Errorf("%d %s, want %q", code, stderr, row.says)
			}
		})
	}
	if code, _, stderr := command(t, "bench", "--fork", none+"/runs"); code != exitUsage ||
		!strings.Contains(stderr, "--fork: ") {
		t.Errorf("a folder that is no study: %d %s", code, stderr)
	}
}
