package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/report"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
)

// What decides what a cell comes to, and is not in its name, stays as it was when the study began.
func TestAStudyIsPlayedToItsEndAsItBegan(t *testing.T) {
	for _, row := range []struct {
		name     string
		old, new string
		changed  bool
	}{
		{"as it was", "", "", false},
		{"a mechanism in an arm", `"nudge": false`, `"nudge": true`, true},
		{"an arm's name", `"name": "off"`, `"name": "bare"`, true},
		{"another brain", `"brain": {`, `"brain": {"model": "m",`, true},
		{"a fault", `"brain": {`, `"faults": ["toggler=1"], "brain": {`, true},
		{"more seeds", `"seeds": [`, `"seeds": [9,`, false},
		{"another layout", "\n  ", "\n\t", false},
		{"of an older program", `"seal": "`, `"was": "`, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := create(t, 1)
			path := filepath.Join(s.Dir, benchmarks.PlanName)
			text, err := os.ReadFile(path)
			if err != nil || !bytes.Contains(text, []byte(row.old)) {
				t.Fatalf("no %q in the plan (%v)", row.old, err)
			}
			text = bytes.Replace(text, []byte(row.old), []byte(row.new), -1)
			text = bytes.Replace(text, []byte(`"base": "off"`), []byte(`"base": "`+baseIn(t, text)+`"`), 1)
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
			if s, err = benchmarks.Open(s.Dir); err != nil {
				t.Fatal(err)
			}
			if err := s.Unchanged(); errors.Is(err, benchmarks.ErrChanged) != row.changed {
				t.Errorf("changed: %v, want %v", err, row.changed)
			}
			if err := Play(t.Context(), s, Options{Factory: &studytest.Pressings{T: t,
				Broken: map[string]int{}}}); errors.Is(err, benchmarks.ErrChanged) != row.changed {
				t.Errorf("playing it: %v", err)
			}
			rep, err := report.Of(s)
			if err != nil || slices.ContainsFunc(rep.Warnings,
				func(w benchmarks.Warning) bool { return w.Code == "changed_plan" }) != row.changed {
				t.Errorf("warnings %v (%v)", rep.Warnings, err)
			}
		})
	}
}

// baseIn is an arm that the plan has.
func baseIn(t *testing.T, text []byte) string {
	t.Helper()
	var p benchmarks.Plan
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	return benchmarks.BaseOf(p.Arms)
}
