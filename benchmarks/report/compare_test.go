package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/cua"
)

// twoStudies are wrongStudy's arms default and classic in a study each; B lacks the last seed. Which program
// began them is not the same.
func twoStudies(t *testing.T) (a, b *benchmarks.Study) {
	t.Helper()
	keep := func(s *benchmarks.Study, arm string, seeds int64) *benchmarks.Study {
		s.Plan.Arms = slices.DeleteFunc(s.Plan.Arms, func(x benchmarks.Arm) bool { return x.Name != arm })
		s.Plan.Base = arm
		s.Results = slices.DeleteFunc(s.Results, func(r benchmarks.Result) bool {
			return r.Arm != arm ||
				r.Seed > seeds
		})
		return s
	}
	a, b = keep(wrongStudy(t, 3), "default", 3), keep(wrongStudy(t, 3), "classic", 2)
	a.Plan.Build.Revision, b.Plan.Build.Revision = "aaa", "bbb"
	return a, b
}

func codes(c Comparison) []string {
	var out []string
	for _, w := range c.Warnings {
		out = append(out, w.Code)
	}
	return out
}

// wrongStudy's classic fails four traps and one control under the fault a=1: ten cells of two seeds.
func TestCompareTwoStudies(t *testing.T) {
	a, b := twoStudies(t)
	b.Results[0].Interrupted = 1
	c, err := Compare(a, b, ArmNames{"default", "classic"})
	if err != nil {
		t.Fatal(err)
	}
	p := c.Pairs[0]
	if p.Cells != 28 || p.OnlyA != 14 || p.OnlyB != 0 || p.Retried != 1 {
		t.Errorf("%d cells, %d and %d alone, %d retried", p.Cells, p.OnlyA, p.OnlyB, p.Retried)
	}
	if p.Lenient.Better != 10 || p.Lenient.Worse != 0 || p.LenientA.Yes != 28 || p.LenientB.Yes != 18 {
		t.Errorf("solved %+v", p.Contrast)
	}
	studytest.Near(t, "p", p.Lenient.P, 2*math.Pow(0.5, 10), 1e-12) // ten of ten one way: 2/2^10
	for _, row := range []struct {
		fault, where string
		cells, b     int // all cells, those that B solved
	}{
		{"a=1", "traps", 8, 0}, {"a=1", "controls", 4, 2}, {"a=1", "forms", 2, 2}, {"a=1", "controls+forms", 6, 4}, {"a=1", "all", 14, 4},
		{"none", "traps", 8, 8}, {"none", "controls+forms", 6, 6}, {"", "traps", 16, 8}, {"", "controls+forms", 12, 10}, {"", "all", 28, 18},
	} {
		i := slices.IndexFunc(p.Parts, func(x Part) bool {
			return x.Fault == row.fault &&
				x.Where == row.where
		})
		if i < 0 {
			t.Errorf("no part %q %q", row.fault, row.where)
			continue
		}
		if x := p.Parts[i]; x.Cells != row.cells || x.LenientB.Yes != row.b || x.LenientA.Yes != row.cells {
			t.Errorf("%s %s: %d of %d against %d", row.fault, row.where, x.LenientA.Yes, x.Cells,
				x.LenientB.Yes)
		}
	}
	steps := p.Each[slices.IndexFunc(p.Each, func(m Measure) bool { return m.Name == "steps" })]
	studytest.Near(t, "steps", steps.Mean, -20*10.0/28, 1e-9)
	if p.WrongA.Total != 0 || p.WrongB.Total != 3*14 || len(p.Worse) != 0 || len(p.Better) != 10 ||
		!slices.ContainsFunc(p.Better, func(d Differing) bool { return d.Task == "slow-save" && d.Sound }) {
		t.Errorf("wrong %d and %d, worse %d, better %d", p.WrongA.Total, p.WrongB.Total, len(p.Worse),
			len(p.Better))
	}
	for _, want := range []string{"different_builds", "unequal_sets", "retried", "unfinished",
		"mechanisms_only", "clustered"} {
		if !slices.Contains(codes(c), want) {
			t.Errorf("no warning %s among %v", want, codes(c))
		}
	}
	if len(c.Worse()) > 0 {
		t.Error("A is said to be worse")
	}
	back, err := Compare(b, a, ArmNames{"classic", "default"})
	if err != nil || len(back.Worse()) == 0 || back.Pairs[0].Lenient.Points != -p.Lenient.Points ||
		len(back.Pairs[0].Worse) != 10 {
		t.Errorf("the other way round: %v, %+v", err, back.Pairs)
	}
}

func TestCompareForms(t *testing.T) {
	a, b := twoStudies(t)
	c, err := Compare(b, a, ArmNames{"classic", "default"})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		listed Listed
		says   bool
	}{{Listed{Worse: true}, true}, {Listed{Better: true}, false}} {
		var text, md bytes.Buffer
		if err := c.WriteText(&text, row.listed); err != nil {
			t.Fatal(err)
		}
		if err := c.WriteMarkdown(&md, row.listed); err != nil {
			t.Fatal(err)
		}
		for _, out := range []string{text.String(), md.String()} {
			if !strings.Contains(out,
				"worse in 10 of 28 cells (10 solved, 0 strictly alone; 2 where nothing is wrong with "+
					"the page)") || !strings.Contains(out, "note: ") {
				t.Errorf("it does not say where A is worse:\n%s", out)
			}
			if strings.Contains(out, "max_steps 2") != row.says { // the row of a task's two seeds
				t.Errorf("%+v: cells named: %v", row.listed, !row.says)
			}
		}
	}
	var sheet, doc bytes.Buffer
	if err := c.WriteCSV(&sheet); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&sheet).ReadAll()
	if err != nil || len(rows) != 29 || len(rows[0]) != 31 {
		t.Errorf("%d rows of CSV (%v)", len(rows), err)
	}
	if err := c.WriteJSON(&doc); err != nil {
		t.Fatal(err)
	}
	var back Comparison
	if err := json.Unmarshal(doc.Bytes(), &back); err != nil ||
		back.Pairs[0].Worse[0].EpisodeA != c.Pairs[0].Worse[0].EpisodeA {
		t.Errorf("JSON: %v", err)
	}
}

// Studies that were started otherwise are compared, and it is said in what they differ.
func TestCompareSaysInWhatStudiesDiffer(t *testing.T) {
	for _, row := range []struct {
		name, code string
		change     func(*benchmarks.Study)
	}{
		{"nothing", "", func(*benchmarks.Study) {}},
		{"revision", "different_builds", func(s *benchmarks.Study) { s.Plan.Build.Revision = "other" }},
		{"browser", "different_browsers", func(s *benchmarks.Study) { s.Plan.Browser.Version = "9" }},
		{"suites", "different_suites", func(s *benchmarks.Study) { s.Plan.Suites = append(s.Plan.Suites, "irreversible") }},
		{"tasks", "different_tasks", func(s *benchmarks.Study) { s.Plan.Tasks = s.Plan.Tasks[1:] }},
		{"brain", "different_brains", func(s *benchmarks.Study) { s.Plan.Brain.Name = "scripted" }},
		{"model", "different_brains", func(s *benchmarks.Study) { s.Plan.Brain.Model = "m-1" }},
		{"faults", "different_faults", func(s *benchmarks.Study) { s.Plan.Faults = []string{"toggler=1"} }},
		{"seeds", "different_seeds", func(s *benchmarks.Study) { s.Plan.Seeds = s.Plan.Seeds[:2] }},
		{"machine", "different_machines", func(s *benchmarks.Study) { s.Plan.Host.CPUs = 64 }},
		{"configuration of an arm", "different_arms", func(s *benchmarks.Study) { s.Plan.Arms[0].Config.Detector.Soft = 4 }},
		{"a cell that a fault ended", "faults", func(s *benchmarks.Study) { s.Results[0].End = cua.EndEnvError }},
		{"wrong interventions not counted", "wrong_unknown", func(s *benchmarks.Study) { s.Results[0].Wrong = nil }},
		{"one cell", "few_pairs", func(s *benchmarks.Study) { s.Results[0].Lenient = false }},
		{"three tasks", "few_tasks", func(s *benchmarks.Study) { s.Results = s.Results[:12] }},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, b := wrongStudy(t, 3), wrongStudy(t, 3)
			a.Plan.Build.Revision, b.Plan.Build.Revision = "same", "same"
			row.change(b)
			c, err := Compare(a, b, ArmNames{a.Plan.Arms[0].Name, a.Plan.Arms[0].Name})
			if err != nil {
				t.Fatal(err)
			}
			got := slices.DeleteFunc(codes(c), func(code string) bool {
				return code == "mechanisms_only" || code == "clustered" || code == "unfinished" ||
					code == "unequal_sets" && row.code != ""
			})
			switch {
			case row.code == "" && len(got) > 0, row.code != "" && !slices.Contains(got, row.code):
				t.Errorf("warnings %v, want %q", got, row.code)
			}
		})
	}
}

func TestCompareNothing(t *testing.T) {
	for _, row := range []struct {
		name  string
		names []ArmNames
		empty bool // B has no results
		says  string
	}{
		{"no arm in common", nil, false, "no arm in common (default; classic)"},
		{"an arm that A has not", []ArmNames{{"off", "classic"}}, false, `no arm "off"`},
		{"an arm that B has not", []ArmNames{{"default", "off"}}, false, `no arm "off"`},
		{"no cell in common", []ArmNames{{"default", "classic"}}, true, "no cell"},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, b := twoStudies(t)
			if row.empty {
				b.Results = nil
			}
			if _, err := Compare(a, b, row.names...); err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("error %v, want %q", err, row.says)
			}
		})
	}
}

func TestParseArmNames(t *testing.T) {
	for _, row := range []struct {
		text string
		want ArmNames
		ok   bool
	}{
		{"default", ArmNames{"default", "default"}, true}, {" default:off", ArmNames{"default", "off"}, true}, {"-nudge:default", ArmNames{"-nudge", "default"}, true},
		{`default{recovery.policy.allow=["a.test:80","b.test"]}:off`, ArmNames{`default{recovery.policy.allow=["a.test:80","b.test"]}`, "off"}, true},
		{"", ArmNames{}, false}, {":off", ArmNames{}, false}, {"off:", ArmNames{}, false}, {"a:b:c", ArmNames{}, false},
	} {
		got, err := ParseArmNames(row.text)
		if got != row.want || (err == nil) != row.ok {
			t.Errorf("%q: %v, %v", row.text, got, err)
		}
		if again, err := ParseArmNames(fmt.Sprint(got)); row.ok && (err != nil || again != got) {
			t.Errorf("%q reads back as %v, %v", got, again, err)
		}
	}
}
