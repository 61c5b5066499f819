package report

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// stuckStudy is a study in which each trap cost an incident: a short one that recovered in the arm
// default, a long one at an unknown price in the bare loop.
func stuckStudy(t *testing.T) *benchmarks.Study {
	t.Helper()
	s := graded(t, 2, always, onControls)
	for i, r := range s.Results {
		switch {
		case r.Suite != "traps":
		case r.Arm == "default":
			s.Results[i].Tokens, s.Results[i].Incidents = 9000, []cua.Incident{{ID: "i4",
				Shapes: []cua.Shape{cua.ShapeRepeat}, First: 4, Last: 5,
				Tried: []cua.Attempt{{Step: 5, Reason: cua.PressReturnForSubmit, Effect: true}}, Tokens: 1500,
				USD: new(0.01), Seconds: 2.5, Outcome: cua.OutcomeRecovered}}
		default:
			s.Results[i].Wasted = 7
			s.Results[i].Incidents = []cua.Incident{{ID: "i4", Shapes: []cua.Shape{cua.ShapeFrozen}, First: 4,
				Last: 10, Tokens: 7000, Seconds: 20, Outcome: cua.OutcomeEnded}}
		}
	}
	return s
}

func TestReportSaysWhatBeingStuckCost(t *testing.T) {
	rep, err := Of(stuckStudy(t))
	if err != nil {
		t.Fatal(err)
	}
	a, off := rep.Arms[0].Stuck, rep.Arms[1].Stuck
	if a.Incidents != 4 || a.Steps != 8 || a.Cells != 4 || a.Wasted != 0 || a.Of != 80 || a.Tokens != 6000 ||
		a.USD == nil || *a.USD != 0.04 || a.Seconds != 10 || a.Outcomes[cua.OutcomeRecovered] != 4 {
		t.Errorf("default %+v", a)
	}
	if off.Incidents != 4 || off.Steps != 28 || off.Wasted != 28 || off.Tokens != 28000 || off.USD != nil ||
		off.Outcomes[cua.OutcomeEnded] != 4 {
		t.Errorf("off %+v", off)
	}
	var text, md, js, rows strings.Builder
	for _, err := range []error{rep.WriteText(&text), rep.WriteMarkdown(&md), rep.WriteJSON(&js),
		rep.WriteCSV(&rows)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{
		"default  4          4 of 8    8 of 80 (10 %)   0       6,000   0.04  10  4 recovered\n",
		"off      4          4 of 8    28 of 80 (35 %)  28      28,000  –     80  4 ended\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if !strings.Contains(md.String(),
		"| off | 4 | 4 of 8 | 28 of 80 (35 %) | 28 | 28,000 | – | 80 | 4 ended |") {
		t.Errorf("markdown\n%s", md.String())
	}
	var back Report
	if err := json.Unmarshal([]byte(js.String()), &back); err != nil || back.Arms[0].Stuck.Tokens != 6000 ||
		back.Arms[1].Stuck.USD != nil ||
		!slices.ContainsFunc(back.Results, func(r benchmarks.Result) bool {
			return len(r.Incidents) == 1 &&
				r.Incidents[0].Last == 10
		}) {
		t.Errorf("JSON does not come back: %v", err)
	}
	table, err := csv.NewReader(strings.NewReader(rows.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range table[0] {
		at[name] = i
	}
	sums := map[string]int{}
	for _, row := range table[1:] {
		key := []string{row[at["arm"]], row[at["incident_cost_usd"]], row[at["incidents_ended"]],
			row[at["incident_tokens"]]}
		sums[strings.Join(key, " ")]++
	}
	for want, n := range map[string]int{"default 0.01 0 1500": 4, "off  1 7000": 4, "default  0 0": 4,
		"off  0 0": 4} {
		if sums[want] != n {
			t.Errorf("%d rows of %q, want %d: %v", sums[want], want, n, sums)
		}
	}
	if empty := (Stuck{}); empty.Share() != "–" || empty.InsideShare() != 0 || empty.WastedShare() != 0 {
		t.Error("an arm without a step has shares")
	}
}

// Results from before incidents were kept say so instead of counting none.
func TestReportOfResultsWithoutIncidents(t *testing.T) {
	s := stuckStudy(t)
	for i := range s.Results {
		s.Results[i].Incidents = nil
	}
	rep, err := Of(s)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(rep.Warnings, func(w benchmarks.Warning) bool {
		return w.Code == "incidents_unknown" &&
			strings.HasPrefix(w.Text, "4 cells")
	}) {
		t.Errorf("warnings %+v", rep.Warnings)
	}
}

func TestReportPageSaysWhatBeingStuckCost(t *testing.T) {
	var page strings.Builder
	if err := WritePage(&page, stuckStudy(t), PageOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"What being stuck cost", "28 of 80 (35 %)", ">28,000<", ">4 ended<",
		">0.04<"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// The cards of a long episode hold the steps with which incidents began and ended, where the
// links of the page lead.
func TestIncidentsHaveCards(t *testing.T) {
	tr := &trajectories.Trajectory{Steps: make([]cua.Step, 40), Incidents: []cua.Incident{{First: 14,
		Last: 20}}}
	for i := range tr.Steps {
		tr.Steps[i].N = i + 1
	}
	only, quiet, _ := telling(tr, mostSteps)
	if !only(&tr.Steps[13]) || !only(&tr.Steps[19]) || only(&tr.Steps[15]) ||
		quiet != 40-firstSteps-lastSteps-2 {
		t.Errorf("%d steps without a card", quiet)
	}
}
