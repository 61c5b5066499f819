package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// troubled is study's, in which one cell of default needed a second attempt and another one came to nothing
// but faults, and one of off was interrupted.
func troubled(t *testing.T) *benchmarks.Study {
	t.Helper()
	s := graded(t, 2, always, onControls)
	usd := 0.25
	n := map[string]int{}
	for i := range s.Results {
		r := &s.Results[i]
		r.Reward, r.Tokens, r.USD, r.DurationMS = 1, 1000, &usd, 2000
		if r.Arm == "off" {
			r.Steps, r.Tokens = 20, 3000
		}
		switch at := n[r.Arm]; {
		case r.Arm == "default" && at == 0:
			r.Faulted = 1
		case r.Arm == "default" && at == 1:
			r.Faulted, r.End, r.Success, r.Lenient = 2, cua.EndEnvError, false, false
			r.Episode, r.Detail = "stepper@default.2-2", "the page\ndid not answer."
		case r.Arm == "off" && at == 0:
			r.Interrupted = 1
			r.DoneRejections = map[cua.DoneCode]int{cua.DoneCodes()[0]: 2}
		}
		n[r.Arm]++
	}
	return s
}

func TestAttemptsAreApartFromFailures(t *testing.T) {
	rep := reported(t, troubled(t))
	for i, want := range []Attempts{{Made: 10, Faulted: 3, Retried: 2, Errors: 1},
		{Made: 9, Interrupted: 1, Retried: 1}} {
		if got := rep.Arms[i].Attempts; got != want {
			t.Errorf("%s: %+v, want %+v", rep.Arms[i].Arm, got, want)
		}
	}
	if s := rep.Arms[0].Success; s.Yes != 7 || s.Of != 8 {
		t.Errorf("the cell in error is not in the denominator: %+v", s)
	}
	codes := map[string]int{}
	for _, w := range rep.Warnings {
		codes[w.Code]++
	}
	if codes["retried"] != 2 || codes["faults"] != 1 {
		t.Errorf("warnings %v", rep.Warnings)
	}
	var text strings.Builder
	if err := rep.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"count as failures: 1. The first, stepper@default.2-2: the page did not " +
		"answer. ", "default 8 10 3 0 0 2 1", "off 8 9 0 1 0 1 0", "2.0 8,000 2.00", "2.0 24,000 2.00"} {
		if !strings.Contains(strings.Join(strings.Fields(text.String()), " "), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

// A sheet of cells has what a mean over them needs: an error earns 0 whatever its page said.
func TestSheetOfCells(t *testing.T) {
	rep := reported(t, troubled(t))
	var out strings.Builder
	if err := rep.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	sum := map[string]int{}
	for _, row := range rows[1:] {
		for _, name := range []string{"reward", "cost_usd", "attempts", "done_rejections"} {
			value := row[slices.Index(rows[0], name)]
			sum[name+" "+value]++
		}
	}
	for what, want := range map[string]int{"reward 0": 1, "reward 1": 15, "cost_usd 0.25": 16,
		"attempts 2": 3, "attempts 1": 13, "done_rejections 2": 1} {
		if sum[what] != want {
			t.Errorf("%s: %d times, want %d", what, sum[what], want)
		}
	}
}

// The numbers a cell are arm minus base, over the cells that both have.
func TestNumbersACellAgainstTheBase(t *testing.T) {
	rep := reported(t, troubled(t))
	v := rep.Arms[0].Versus
	for name, want := range map[string]float64{"steps": -10, "tokens": -2000, "seconds": 0, "USD": 0} {
		if m := v.measured(name); m == nil || m.Pairs != 8 || math.Abs(m.Mean-want) > 1e-9 {
			t.Errorf("%s: %+v", name, m)
		}
	}
	// of four controls that off solves, default has one in error
	if m := v.measured("steps, both solved"); m == nil || m.Pairs != 3 {
		t.Errorf("both solved: %+v", m)
	}
	tab, ok := rep.cellTable()
	// Four tasks are too few to tell anything from chance.
	if !ok || !slices.Equal(tab.Head, []string{"arm", "steps", "steps, both solved", "wasted steps",
		"seconds", "tokens", "USD"}) || tab.Rows[0][1] != "~ [-10.0, -10.0]" {
		t.Errorf("%+v", tab)
	}
	if _, ok := (Report{Arms: rep.Arms[1:]}).cellTable(); ok {
		t.Error("the base alone has a table")
	}
}

// Holm's correction is over the arms, each number by itself.
func TestNumbersACellAreCorrectedOverTheArms(t *testing.T) {
	arm := func(p float64) ArmReport {
		return ArmReport{Versus: &Versus{Each: []Measure{{Name: "steps", Shift: Shift{Test: Test{P: p}}},
			{Name: "seconds", Shift: Shift{Test: Test{P: 0.5}}}}}}
	}
	arms := []ArmReport{arm(0.02), {}, arm(0.04)}
	adjustEach(arms)
	for i, want := range map[int]float64{0: 0.04, 2: 0.04} {
		studytest.Near(t, "steps", arms[i].Versus.Each[0].Adjusted, want, 1e-12)
		studytest.Near(t, "seconds", arms[i].Versus.Each[1].Adjusted, 1, 1e-12)
	}
}

// What is compared has to be had by both arms, and differ in enough cells; else that is said.
func TestWarningsOfTooLittle(t *testing.T) {
	codes := func(rep Report) map[string]string {
		out := map[string]string{}
		for _, w := range rep.Warnings {
			out[w.Code] = w.Text
		}
		return out
	}
	s := graded(t, 2, always, always)
	s.Results = s.Results[:5]
	got := codes(reported(t, s))
	for _, want := range []string{"unfinished", "unequal_sets", "few_tasks"} {
		if got[want] == "" {
			t.Errorf("an unfinished study: no warning %s in %v", want, got)
		}
	}
	for _, row := range []struct {
		name            string
		strict, lenient int // cells that default alone did
		want            string
	}{
		{"no cell", 0, 0, ""},
		{"few", 5, 5, "in 5 cells"},
		{"few strictly", 5, 6, "in 5 (strict) cells"},
		{"few solved", 6, 5, "in 5 (solved) cells"},
		{"few of both", 4, 5, "in 4 (strict) and 5 (solved) cells"},
		{"enough", 6, 6, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := graded(t, 4, always, always)
			n := 0
			for i := range s.Results {
				r := &s.Results[i]
				if r.Arm == "off" {
					r.Success, r.Lenient = n >= row.strict, n >= row.lenient
					n++
				}
			}
			if got := codes(reported(t, s))["few_pairs"]; !strings.Contains(got, row.want) ||
				row.want == "" && got != "" {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

// The report's sums are over results; what attempts used beside them has columns of its own, where there is
// any.
func TestReportNamesWhatAttemptsUsedBeside(t *testing.T) {
	s := begun(t)
	if err := study.Play(t.Context(), s, study.Options{Factory: &studytest.Pressings{T: t,
		Broken: map[string]int{}}}); err != nil {
		t.Fatal(err)
	}
	whole := reported(t, s)
	if tab := whole.attemptsTable(); len(tab.Head) != 8 || strings.Contains(tab.Note, "beside") {
		t.Errorf("nothing was used beside, and it is shown: %v", tab)
	}
	lost := s.Results[len(s.Results)-1]
	s.Results = s.Results[:len(s.Results)-1]
	rep := reported(t, s)
	for i, a := range rep.Arms {
		before := whole.Arms[i]
		if a.Arm != lost.Arm {
			if (a.Beside != cua.Usage{}) || a.Tokens != before.Tokens {
				t.Errorf("%s: %+v", a.Arm, a)
			}
			continue
		}
		if a.Beside.Tokens() != lost.Tokens || lost.Tokens == 0 ||
			a.Tokens+a.Beside.Tokens() != before.Tokens || *a.USD+*a.Beside.USD != *before.USD {
			t.Errorf("beside %+v, before %d tokens, %v USD", a.Beside, before.Tokens, *before.USD)
		}
	}
	text, js, _ := formats(t, rep)
	for _, want := range []string{"tokens beside USD beside", "are over results and without them."} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(js, `"beside": {`); n != 1 {
		t.Errorf("JSON has what was used beside %d times", n)
	}
	// An attempt of unknown cost makes the sum unknown, as it does for results.
	dir := s.EpisodeDir(lost.Episode)
	journal := filepath.Join(dir, trajectories.JournalName)
	raw, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journal, bytes.Replace(raw, []byte(`,"cost_usd":0.0625`), nil, 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if a := reported(t, s).Arms[slices.IndexFunc(rep.Arms,
		func(a ArmReport) bool { return a.Arm == lost.Arm })]; a.Beside.USD != nil ||
		a.Beside.Tokens() != lost.Tokens {
		t.Errorf("of unknown cost: %+v", a.Beside)
	}
}
