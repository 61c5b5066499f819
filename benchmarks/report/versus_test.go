package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories/invariants"
)

// wrongStudy is a finished study of seven tasks in three arms and two brains. Under the fault "a=1" the arm
// classic does a wrong intervention of two kinds in each cell and fails the traps, which off solves without
// saying so.
func wrongStudy(t *testing.T, seeds int) *benchmarks.Study {
	t.Helper()
	p := studytest.Plan(seeds)
	p.Suites = []string{"traps", "controls", "forms"}
	p.Tasks = []string{"stepper", "slow-save", "login", "t1-login", "t4-dead-submit", "t6-dead-button",
		"t8-overlay"}
	p.Arms = append(p.Arms, benchmarks.Arm{Name: "classic", Config: p.Arms[0].Config})
	p.EachFault = []string{"a=1", benchmarks.NoFault}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	cells, err := p.Cells()
	if err != nil {
		t.Fatal(err)
	}
	s := &benchmarks.Study{Dir: t.TempDir(), Plan: p}
	for _, c := range cells {
		r := benchmarks.Result{Cell: c, Episode: c.Episode(1), Solvable: c.Task != "t6-dead-button",
			Success: true,
			Lenient: true, End: cua.EndDone, Steps: 10, Wrong: map[benchmarks.WrongKind]int{}, Checked: 14}
		bad := c.Arm == "classic" && c.Fault == "a=1"
		if bad {
			r.Wrong[benchmarks.WrongTwice], r.Wrong[benchmarks.WrongReturn] = 1, 2
		}
		if bad && (c.Suite == "traps" || c.Task == "slow-save") {
			r.Success, r.Lenient, r.End, r.Steps = false, false, cua.EndMaxSteps, 30
		}
		if c.Arm == "off" && c.Suite == "traps" {
			r.Success = false
		}
		s.Results = append(s.Results, r)
	}
	return s
}

// Strict and solved are compared each by itself, and any arm may be the base.
func TestStrictAndSolvedAreComparedWithAnyBase(t *testing.T) {
	s := wrongStudy(t, 2)
	for _, row := range []struct {
		base, arm              string
		strict, solved         [2]int // better, worse
		wrong                  float64
		strictSure, solvedSure bool // significant
	}{
		{"off", "default", [2]int{16, 0}, [2]int{0, 0}, 0, true, false},
		{"off", "classic", [2]int{8, 2}, [2]int{0, 10}, 1.5, false, true},
		{"classic", "default", [2]int{10, 0}, [2]int{10, 0}, -1.5, true, true},
		{"classic", "off", [2]int{2, 8}, [2]int{10, 0}, -1.5, false, true},
	} {
		t.Run(row.arm+" against "+row.base, func(t *testing.T) {
			if err := s.Against(row.base); err != nil {
				t.Fatal(err)
			}
			rep, err := Of(s)
			if err != nil {
				t.Fatal(err)
			}
			v := rep.Arms[slices.IndexFunc(rep.Arms,
				func(a ArmReport) bool { return a.Arm == row.arm })].Versus
			if got := [2]int{v.Better, v.Worse}; v.Pairs != 28 || got != row.strict {
				t.Errorf("strict %v of %d pairs, want %v", got, v.Pairs, row.strict)
			}
			if got := [2]int{v.Lenient.Better, v.Lenient.Worse}; got != row.solved {
				t.Errorf("solved %v, want %v", got, row.solved)
			}
			if v.Wrong.Mean != row.wrong || v.Wrong.Tasks != 7 || v.Wrong.Low > v.Wrong.Mean ||
				v.Wrong.High < v.Wrong.Mean {
				t.Errorf("wrong interventions %+v, want a mean of %v", v.Wrong, row.wrong)
			}
			if v.Significant() != row.strictSure || v.Lenient.Significant() != row.solvedSure ||
				strings.HasPrefix(v.Lenient.Words(), "~") == row.solvedSure {
				t.Errorf("significant: strict %s, solved %s", v.Words(), v.Lenient.Words())
			}
		})
	}
	if err := s.Against("naive"); err == nil || !strings.Contains(err.Error(), `"naive"`) || s.Plan.Base != "classic" {
		t.Errorf("an arm that is not there: %v, base %s", err, s.Plan.Base)
	}
}

// On controls and forms no arm should be worse than the base; where one is, it is said in how many cells.
func TestReportSaysWhereAnArmIsWorseOnEasyPages(t *testing.T) {
	rep, err := Of(wrongStudy(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	if c := rep.Arms[2].Versus.Calm; c != (Calm{Pairs: 12, Worse: 2}) {
		t.Errorf("classic on controls and forms: %+v", c)
	}
	want := "Worse than off (strict, same task, seed and fault) on controls and forms: classic in 2 of 12; " +
		"default in none of 12 cells."
	if got := rep.ControlsWords(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestReportCountsWrongInterventions(t *testing.T) {
	s := wrongStudy(t, 2)
	rep, err := Of(s)
	if err != nil {
		t.Fatal(err)
	}
	w := rep.Arms[2].Wrong
	if w.Total != 42 || w.Kinds[benchmarks.WrongTwice] != 14 || w.Kinds[benchmarks.WrongReturn] != 28 ||
		w.Cells.Yes != 14 ||
		w.Cells.Of != 28 {
		t.Errorf("classic %+v", w)
	}
	text, js, rows := formats(t, rep)
	if !strings.Contains(text,
		"classic  0            14           28               0                42   14 of 28        +150 "+
			"[150, 150]") {
		t.Errorf("no row of classic in\n%s", text)
	}
	var back Report
	if err := json.Unmarshal([]byte(js), &back); err != nil || back.Arms[2].Wrong.Total != 42 ||
		back.Arms[2].Versus.Wrong.Mean != 1.5 {
		t.Errorf("JSON comes back as %+v (%v)", back.Arms[2].Wrong, err)
	}
	if got := column(t, rows, "arm", "needless_return"); got["classic 2"] != 14 || got["default 0"] != 28 {
		t.Errorf("CSV %v", got)
	}

	for i := range s.Results { // from before they were counted
		s.Results[i].Wrong, s.Results[i].Checked = nil, 0
	}
	if rep, err = Of(s); err != nil {
		t.Fatal(err)
	}
	text, _, rows = formats(t, rep)
	if !strings.Contains(text,
		"classic  –            –            –                –                –    0 of 0          –") ||
		column(t, rows, "arm", "needless_return")["classic "] != 28 {
		t.Errorf("what was not counted shows as counted:\n%s", text)
	}
	if !slices.ContainsFunc(rep.Warnings, func(w benchmarks.Warning) bool {
		return w.Code == "unchecked" &&
			strings.HasPrefix(w.Text, "84 cells")
	}) {
		t.Errorf("nobody said so: %+v", rep.Warnings)
	}
}

// With few tasks even the clearest difference is not significant.
func TestFewTasksPrintATilde(t *testing.T) {
	for _, row := range []struct {
		tasks int
		p     float64 // of all 2^n flips the one found and its opposite
		words string
		few   bool
	}{
		{2, 2. / 4, "~ [150, 150]", true},
		{5, 2. / 32, "~ [150, 150]", true},
		{6, 2. / 64, "~ [150, 150]", false}, // of two arms: Holm doubles it
		{7, 2. / 128, "+150 [150, 150]", false},
	} {
		s := wrongStudy(t, 4)
		kept := map[string]bool{}
		s.Results = slices.DeleteFunc(s.Results, func(r benchmarks.Result) bool {
			kept[r.Task] = kept[r.Task] || len(kept) < row.tasks
			return !kept[r.Task]
		})
		rep, err := Of(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := rep.Arms[2].Versus.Wrong; got.Tasks != row.tasks || got.P != row.p ||
			got.Words() != row.words {
			t.Errorf("%d tasks show as %s: %+v", row.tasks, got.Words(), got)
		}
		if few := slices.ContainsFunc(rep.Warnings,
			func(w benchmarks.Warning) bool { return w.Code == "few_tasks" }); few != row.few {
			t.Errorf("%d tasks are said to be few: %v", row.tasks, few)
		}
	}
}

func TestReportNamesBrokenInvariants(t *testing.T) {
	s := wrongStudy(t, 1)
	rep, err := Of(s)
	if err != nil {
		t.Fatal(err)
	}
	if got := rep.Checks.Words(); got != "42 journals checked against 14 invariants each: none broken" {
		t.Errorf("%s", got)
	}
	s.Results[4].Broken = []invariants.Violation{{Invariant: "return_once", Step: 7,
		Detail: "Return | again"}}
	s.Results[5].Checked = 0
	if rep, err = Of(s); err != nil {
		t.Fatal(err)
	}
	text, js, rows := formats(t, rep)
	for _, want := range []string{
		"Invariants: 41 journals checked against 14 invariants each: 1 violations in 1 journals\n",
		s.Results[4].Episode + "  7     return_once  Return | again\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var back Report
	if err := json.Unmarshal([]byte(js), &back); err != nil || len(back.Checks.Violations) != 1 ||
		back.Checks.Violations[0].Step != 7 || back.Checks.Violations[0].Cell != s.Results[4].Cell {
		t.Errorf("JSON comes back as %+v (%v)", back.Checks, err)
	}
	if got := column(t, rows, "episode", "broken_invariants"); got[s.Results[4].Episode+" 1"] != 1 ||
		got[s.Results[5].Episode+" "] != 1 {
		t.Errorf("CSV %v", got)
	}
	var page strings.Builder
	if err := WritePage(&page, s, PageOptions{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), "<td>Return | again</td>") ||
		!strings.Contains(page.String(), "runs/"+s.Results[4].Episode+"/journal.jsonl") {
		t.Error("the page does not name the violation")
	}
}

func TestReportSaysHowUnsolvableTasksEnded(t *testing.T) {
	rep, err := Of(wrongStudy(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	const early = "ended early in 2 of 4 cells (mean steps 20.0 of cap 30)"
	if got := rep.Arms[2].Unsolvable.Words(); got != early {
		t.Errorf("classic %s", got)
	}
	s := graded(t, 1, always, always)
	s.Results = slices.DeleteFunc(s.Results, func(r benchmarks.Result) bool { return !r.Solvable })
	if rep, err = Of(s); err != nil || rep.Arms[0].Unsolvable != nil {
		t.Errorf("a study without such a task: %+v, %v", rep.Arms[0].Unsolvable, err)
	}
}

// An interval that begins just below nothing begins at nothing.
func TestDifferenceWords(t *testing.T) {
	for _, row := range []struct {
		by, low, high float64
		told          bool
		digits        int
		want          string
	}{
		{5, -0.3, 9.6, false, 0, "~ [0, 10]"},
		{-0.5, -0.96, -0.04, true, 1, "-0.5 [-1.0, 0.0]"},
		{12.4, 3.1, 20, true, 0, "+12 [3, 20]"},
		{-0.014, -0.026, -0.002, true, 1, "-0.01 [-0.03, 0.00]"}, // never -0.0, as if there were none
		{0.2, 0.1, 0.4, true, 0, "+0.2 [0.1, 0.4]"},
		{0, 0, 0, true, 1, "+0.0 [0.0, 0.0]"},
	} {
		if got := difference(row.by, row.low, row.high, row.told, row.digits); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}
