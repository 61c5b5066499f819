package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/miniwob"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/cua"
)

// miniwobStudy is a study of two tasks, one of which has a seed twice, in the arms default and off.
func miniwobStudy(t *testing.T, profile string, limit int,
	came func(benchmarks.Cell) benchmarks.Result) *benchmarks.Study {
	t.Helper()
	p, err := miniwob.FindProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	plan := studytest.Plan(1)
	plan.Suites, plan.Tasks = []string{benchmarks.MiniWoBSuite}, nil
	plan.MiniWoB = &benchmarks.MiniWoB{Dir: "nowhere", Profile: p, Cap: limit,
		Episodes: miniwob.EpisodesPerTask,
		Groups: []miniwob.Group{{Name: "forms", Tasks: []string{"enter-text"}},
			{Name: "controls", Tasks: []string{repeating(t)}}}}
	cells, err := plan.Cells()
	if err != nil {
		t.Fatal(err)
	}
	s := &benchmarks.Study{Plan: plan}
	for _, c := range cells {
		r := came(c)
		r.Cell, r.Solvable = c, true
		s.Results = append(s.Results, r)
	}
	return s
}

func reported(t *testing.T, s *benchmarks.Study) Report {
	t.Helper()
	rep, err := Of(s)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// repeating is a control that has a seed twice.
func repeating(t *testing.T) string {
	t.Helper()
	for _, g := range miniwob.Subsets() {
		if i := slices.IndexFunc(g.Tasks, func(task string) bool {
			return len(slices.Compact(slices.Sorted(slices.Values(miniwob.Seeds(
				task))))) < miniwob.EpisodesPerTask
		}); g.Name == "controls" && i >= 0 {
			return g.Tasks[i]
		}
	}
	t.Fatal("no control has a seed twice")
	return ""
}

func TestReportOfMiniWoB(t *testing.T) {
	// The form takes 12 steps in the arm off and 4 in default, which loses a control that off solves.
	s := miniwobStudy(t, miniwob.BrowserGym, 20, func(c benchmarks.Cell) benchmarks.Result {
		r := benchmarks.Result{Success: true, Lenient: true, End: cua.EndEnvEnded, Steps: 4, HarnessMS: 300,
			Workers: 2,
			MiniWoB: &miniwob.Verdict{Ended: true, Raw: 0.5, Timed: 0.25, Any: true}}
		switch {
		case c.Suite == "miniwob-forms" && c.Arm == "off":
			r.Steps = 12
			r.MiniWoB.LateMS = 500
		case c.Suite == "miniwob-controls" && c.Arm == "default" && c.Repeat > 0:
			r.Success, r.Lenient, r.MiniWoB = false, false, &miniwob.Verdict{}
		}
		return r
	})
	rep := reported(t, s)
	m := rep.MiniWoB
	if m == nil || m.Episodes != 10 || m.Distinct >= 10 || m.Distinct < 8 ||
		!slices.Equal(m.Caps, []int{10, 20}) || m.HarnessMS != 300 || m.SharedMS != 150 ||
		m.Waited != 5 || m.LateMS != 2500 {
		t.Fatalf("%+v", m)
	}
	again := 10 - m.Distinct
	for _, want := range []MiniWoBRow{
		{Suite: "miniwob-forms", Arm: "default", Success: []benchmarks.Rate{benchmarks.Wilson(5, 5), benchmarks.Wilson(5, 5)}, Full: benchmarks.Wilson(0, 5), Raw: 0.5, Timed: 0.25, Versus: &Paired{}},
		{Suite: "miniwob-forms", Arm: "off", Success: []benchmarks.Rate{benchmarks.Wilson(0, 5), benchmarks.Wilson(5, 5)}, Full: benchmarks.Wilson(0, 5), Raw: 0.5, Timed: 0.25},
		{Suite: "miniwob-controls", Arm: "default", Success: []benchmarks.Rate{benchmarks.Wilson(5-again, 5), benchmarks.Wilson(5-again, 5)}, Full: benchmarks.Wilson(0, 5),
			Raw: 0.1 * float64(5-again), Timed: 0.05 * float64(5-again), Versus: &Paired{Worse: again}},
		{Suite: "miniwob-controls", Arm: "off", Success: []benchmarks.Rate{benchmarks.Wilson(5, 5), benchmarks.Wilson(5, 5)}, Full: benchmarks.Wilson(0, 5), Raw: 0.5, Timed: 0.25},
	} {
		i := slices.IndexFunc(m.Rows, func(r MiniWoBRow) bool {
			return r.Suite == want.Suite &&
				r.Arm == want.Arm
		})
		if i < 0 {
			t.Fatalf("no row %s %s", want.Suite, want.Arm)
		}
		got := m.Rows[i]
		if !slices.Equal(got.Success, want.Success) || got.Full != want.Full ||
			(got.Versus == nil) != (want.Versus == nil) || got.Raw-want.Raw > 1e-9 ||
			want.Raw-got.Raw > 1e-9 ||
			got.Timed-want.Timed > 1e-9 || want.Timed-got.Timed > 1e-9 {
			t.Errorf("%s %s: %+v, want %+v", want.Suite, want.Arm, got, want)
		}
		if v := want.Versus; v != nil && (got.Versus.Better != v.Better || got.Versus.Worse != v.Worse ||
			got.Versus.Adjusted != 1) {
			t.Errorf("%s %s: %+v", want.Suite, want.Arm, *got.Versus)
		}
	}
	var b strings.Builder
	if err := rep.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"MiniWoB++, profile browsergym", "in 10 steps", "in 20 steps",
		"~ [-62, 33] 0/1", "a raw reward above 0", "submit at once 8.6 %",
		"0.30 s an episode, 0.15 s of the study's time"} {
		if text := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, b.String())
		}
	}
	var page strings.Builder
	if err := WritePage(&page, s, PageOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"MiniWoB++, profile browsergym", "in 10 steps", "in 20 steps", `<th scope="rowgroup" rowspan="2">forms</th>`, "100 % [57, 100]<small>5 of 5</small>",
		"~ [-62, 33] 0/1", "a raw reward above 0", "submit at once 8.6 %", "0.30 s an episode, 0.15 s of the study&#39;s time", "miniwob-controls"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func TestAnErrorIsAnEpisodeThatEarnsNothing(t *testing.T) {
	rep := reported(t, miniwobStudy(t, miniwob.FaramaBinary, 10, func(c benchmarks.Cell) benchmarks.Result {
		if c.Suite == "miniwob-forms" {
			return benchmarks.Result{End: cua.EndEnvError, MiniWoB: &miniwob.Verdict{Raw: 1, Full: true}}
		}
		return benchmarks.Result{Success: true, Lenient: true, End: cua.EndEnvEnded, Steps: 1,
			MiniWoB: &miniwob.Verdict{Raw: 1, Full: true}}
	}))
	for _, r := range rep.MiniWoB.Rows {
		want := benchmarks.Wilson(5, 5)
		if r.Suite == "miniwob-forms" {
			want = benchmarks.Wilson(0, 5)
		}
		if r.Full != want || !slices.Equal(r.Success, []benchmarks.Rate{want}) || r.Raw != want.Share {
			t.Errorf("%+v", r)
		}
	}
	if other, err := Of(begun(t)); err != nil || other.MiniWoB != nil {
		t.Errorf("a study of other suites: %+v, %v", other.MiniWoB, err)
	}
}
