package report

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
)

// formats are the report as text, JSON and CSV.
func formats(t *testing.T, rep Report) (text, js, rows string) {
	t.Helper()
	var a, b, c strings.Builder
	for _, err := range []error{rep.WriteText(&a), rep.WriteJSON(&b), rep.WriteCSV(&c)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return a.String(), b.String(), c.String()
}

// column counts the pairs of values that two columns of a CSV hold.
func column(t *testing.T, text, one, other string) map[string]int {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	i, k := slices.Index(rows[0], one), slices.Index(rows[0], other)
	if i < 0 || k < 0 {
		t.Fatalf("no column %s or %s in %v", one, other, rows[0])
	}
	out := map[string]int{}
	for _, row := range rows[1:] {
		out[row[i]+" "+row[k]]++
	}
	return out
}

func TestReportByFault(t *testing.T) {
	rep, err := Of(wrongStudy(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Faults) != 2 || rep.Faults[0].Fault != "a=1" || len(rep.Faults[0].Arms) != 3 {
		t.Fatalf("faults %+v", rep.Faults)
	}
	a := rep.Faults[0].Arms[2]
	if a.Cells != 14 || a.Success.Yes != 4 || a.Wrong.Total != 42 || a.Versus.Lenient.Worse != 10 ||
		a.Versus.Pairs != 14 {
		t.Errorf("classic under a=1: %+v, versus %+v", a, a.Versus)
	}
	if b := rep.Faults[1].Arms[2]; b.Success.Yes != 14 || b.Wrong.Total != 0 || b.Versus.Better != 8 {
		t.Errorf("classic under none: %+v", b)
	}
	// Four comparisons of one question: Holm multiplies the smallest p by four.
	if v := a.Versus.Lenient; v.Adjusted != 4*v.P {
		t.Errorf("p %v adjusted to %v", v.P, v.Adjusted)
	}
	text, js, rows := formats(t, rep)
	for _, want := range []string{"with one fault at a time: a=1, none, which is no model",
		"a=1    default  8 (8) of 8", "classic  0 (0) of 8", "none   default  8 (8) of 8"} {
		if !strings.Contains(strings.ReplaceAll(text, "\n", " "), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var back Report
	if err := json.Unmarshal([]byte(js), &back); err != nil || len(back.Faults) != 2 ||
		back.Results[0].Fault != "a=1" {
		t.Errorf("JSON comes back with %+v (%v)", back.Faults, err)
	}
	if got := column(t, rows, "arm", "fault"); got["off a=1"] != 14 || got["off none"] != 14 {
		t.Errorf("CSV %v", got)
	}
}

// TestTablesNameTheWords: the words of all brains of a study stand beside each fault; a study without words
// names none.
func TestTablesNameTheWords(t *testing.T) {
	for _, row := range []struct {
		name   string
		faults []string
		want   string
	}{
		{"no faults beside", nil, "a=1"},
		{"another one", []string{"nudge_obedience=0"}, "a=1"},
		{"words", []string{"nudge_obedience=0", " words = none"}, "a=1, words=none"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := wrongStudy(t, 1)
			s.Plan.Faults = row.faults
			rep, err := Of(s)
			if err != nil {
				t.Fatal(err)
			}
			if by, ok := rep.faultTable(); !ok || by.Rows[0][0] != row.want {
				t.Errorf("the first row is %q, want it under %q", by.Rows[0], row.want)
			}
			var page strings.Builder
			if err := WritePage(&page, s, PageOptions{}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(page.String(), `">`+row.want+"</th>") {
				t.Errorf("the page has no row %q", row.want)
			}
		})
	}
}

// TestFaultsAreNoOtherBrain: a comparison names rates, words and seed as faults, and not as another brain.
func TestFaultsAreNoOtherBrain(t *testing.T) {
	var plain, faulty benchmarks.Plan
	plain.Brain.Name, faulty.Brain.Name = "heuristic", "heuristic"
	faulty.Brain.Settings = json.RawMessage(`{"rates":[{"name":"jitter","rate":1}],"words":"none","seed":3}`)
	if a, b := brainID(plain), brainID(faulty); a != b {
		t.Errorf("%q is not %q", a, b)
	}
}

// mechanismStudy has the arm default, one that lacks what every trap needs and one that lacks nothing.
func mechanismStudy(t *testing.T) *benchmarks.Study {
	t.Helper()
	s := wrongStudy(t, 2)
	s.Plan.EachFault = nil
	for i, name := range []string{"default", "-breaker", "-shape_streak"} {
		s.Plan.Arms[i].Name = name
	}
	s.Plan.Base = "default"
	cells, err := s.Plan.Cells()
	if err != nil {
		t.Fatal(err)
	}
	s.Results = nil
	for _, c := range cells {
		r := benchmarks.Result{Cell: c, Episode: c.Episode(1), Solvable: true, Success: true, Lenient: true,
			End: cua.EndDone, Steps: 10, Wrong: map[benchmarks.WrongKind]int{}, Checked: 14}
		if c.Arm == "-breaker" {
			switch {
			case c.Task == "t1-login":
				r.Success, r.Lenient, r.End, r.Steps = false, false, cua.EndMaxSteps, 30
			case c.Task == "t8-overlay":
				r.Success, r.End, r.Steps = false, cua.EndMaxSteps, 30
			case c.Task == "stepper" && c.Seed == 1:
				r.Steps, r.Wrong[benchmarks.WrongStop] = 9, 1
			}
		}
		s.Results = append(s.Results, r)
	}
	return s
}

func TestReportSaysWhatEachMechanismChanges(t *testing.T) {
	s := mechanismStudy(t)
	rep, err := Of(s)
	if err != nil {
		t.Fatal(err)
	}
	m := rep.Mechanisms[0]
	if len(rep.Mechanisms) != 2 || m.Mechanism != "breaker" || m.Pairs != 14 || m.Differ != 5 ||
		m.Ends != 4 || m.Steps != 5 || rep.Mechanisms[1].Differ != 0 {
		t.Errorf("mechanisms %+v", rep.Mechanisms)
	}
	if m.Strict.Better != 4 || m.Strict.Worse != 0 || m.Lenient.Better != 2 || m.Lenient.Worse != 0 ||
		m.More.Mean != -79.0/14 || m.Wrong.Mean != -1.0/14 {
		t.Errorf("worth %+v", m)
	}
	// Two questions of one kind: Holm doubles the smaller p.
	if m.Strict.Adjusted != 2*m.Strict.P || m.Strict.Adjusted == 0 {
		t.Errorf("p %v adjusted to %v", m.Strict.P, m.Strict.Adjusted)
	}
	text, js, _ := formats(t, rep)
	for _, want := range []string{"breaker 5 of 14 ~ [-2, 52] 4/0 ~ [-11, 36] 2/0 ~ [-14.3, 0.2] ~ [-29, 0]",
		"No cell is another one without: shape_streak."} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var back Report
	if err := json.Unmarshal([]byte(js), &back); err != nil || len(back.Mechanisms) != 2 ||
		back.Mechanisms[0] != m {
		t.Errorf("JSON comes back with %+v (%v)", back.Mechanisms, err)
	}
	var page strings.Builder
	if err := WritePage(&page, s, PageOptions{}); err != nil || !strings.Contains(page.String(),
		"<h2>What each mechanism is worth</h2>") {
		t.Errorf("the page does not say it (%v)", err)
	}
	s.Plan.Arms[0].Name, s.Plan.Base = "classic", "classic"
	if rep, err = Of(s); err != nil || rep.Mechanisms != nil {
		t.Errorf("without the arm default: %+v, %v", rep.Mechanisms, err)
	}
}
