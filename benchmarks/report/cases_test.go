package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/runner"
)

func TestCaseReportsCountWhatIsInTime(t *testing.T) {
	rows := []struct {
		name, suite, task string
		soft, hard        []int // one a seed
		right             int
		words             string
	}{
		{"in time", "stuck", "s1-dead-button", []int{3, 8}, []int{8, 12}, 2, "soft 3–8, hard 8–12 (2 of 2 right)"},
		{"a hard signal too late", "stuck", "s1-dead-button", []int{3, 3}, []int{8, 13}, 1, "soft 3, hard 8–13 (1 of 2 right)"},
		{"a soft signal too late", "stuck", "s1-dead-button", []int{9}, []int{12}, 0, "soft 9, hard 12 (0 of 1 right)"},
		{"no hard signal", "stuck", "s1-dead-button", []int{3, 4}, []int{0, 0}, 0, "soft 3–4, no hard (0 of 2 right)"},
		{"silence", "healthy", "h1-next", []int{0, 0}, []int{0, 0}, 2, "none (2 of 2 right)"},
		{"a false alarm", "healthy", "h1-next", []int{0, 7}, []int{0, 0}, 1, "soft 7 in 1 of 2, no hard (1 of 2 right)"},
		{"nobody knows", "healthy", "h6-refresh", []int{3}, []int{8}, -1, "soft 3, hard 8"},
		{"another suite", "controls", "stepper", []int{3}, []int{8}, -1, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var mine []benchmarks.Result
			for i := range row.soft {
				mine = append(mine, benchmarks.Result{Cell: benchmarks.Cell{Suite: row.suite, Task: row.task,
					Seed: int64(i + 1)},
					FirstSoft: row.soft[i], FirstHard: row.hard[i]})
			}
			got := caseReports(mine)
			if row.words == "" {
				if got != nil {
					t.Errorf("%+v, want nothing", got)
				}
				return
			}
			if len(got) != 1 || got[0].Words() != row.words {
				t.Fatalf("%+v, want %q", got, row.words)
			}
			if r := got[0].Right; (r == nil) != (row.right < 0) || r != nil && *r != row.right {
				t.Errorf("right is %v, want %d", r, row.right)
			}
		})
	}
}

// An unfinished study has cells in one arm that the other has not yet; an arm without detectors
// has nothing to say.
func TestCaseTableKeepsItsRows(t *testing.T) {
	detectors, err := runner.DefaultConfig().Arm("detectors")
	if err != nil {
		t.Fatal(err)
	}
	off, err := runner.DefaultConfig().Arm("off")
	if err != nil {
		t.Fatal(err)
	}
	s := &benchmarks.Study{Plan: benchmarks.Plan{Version: benchmarks.PlanVersion, Suites: []string{"stuck"},
		Tasks: []string{"s1-dead-button", "s2-jitter"}, Seeds: benchmarks.SeedsUpTo(1),
		Arms: []benchmarks.Arm{{Name: "detectors", Config: detectors}, {Name: "late", Config: detectors},
			{Name: "off", Config: off}}, Base: "off"}}
	cell := func(task, arm string, soft int) {
		s.Results = append(s.Results, benchmarks.Result{Cell: benchmarks.Cell{Suite: "stuck", Task: task,
			Seed: 1, Arm: arm},
			FirstSoft: soft, FirstHard: 9})
	}
	cell("s1-dead-button", "detectors", 3)
	cell("s2-jitter", "detectors", 4)
	cell("s2-jitter", "late", 5)
	cell("s1-dead-button", "off", 0)
	rep, err := Of(s)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := rep.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"s1-dead-button  soft 3, hard 9 (1 of 1 right)  –                              –\n",
		"s2-jitter       soft 4, hard 9 (1 of 1 right)  soft 5, hard 9 (1 of 1 right)  –\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, b.String())
		}
	}
}
