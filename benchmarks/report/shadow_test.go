package report

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// shadowStudy is a study in which, in the arm default, loop recovery and breaker ruled in shadow on each
// trap.
func shadowStudy(t *testing.T) *benchmarks.Study {
	t.Helper()
	s := graded(t, 2, always, onControls)
	for i, r := range s.Results {
		if r.Suite != "traps" || r.Arm != "default" {
			continue
		}
		s.Results[i].Shadow = []trajectories.Shadowed{
			{Gate: "breaker", Verdict: cua.Halt, Reason: "hard_loop", Rulings: 1, Open: 1},
			{Gate: "loop_recovery", Verdict: cua.Replace, Reason: "tab_to_next_field", Rulings: 2, Wrong: 1, Open: 1},
			{Gate: "loop_recovery", Verdict: cua.Replace, Reason: "type_pending_value", Rulings: 3, Right: 3},
		}
	}
	return s
}

func TestReportSaysHowGoodShadowsWouldHaveBeen(t *testing.T) {
	rep, err := Of(shadowStudy(t))
	if err != nil {
		t.Fatal(err)
	}
	var text, md, js, rows strings.Builder
	for _, err := range []error{rep.WriteText(&text), rep.WriteMarkdown(&md), rep.WriteJSON(&js),
		rep.WriteCSV(&rows)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, in, want string }{
		{"text, a gate that none of its rulings judges", text.String(), "default  breaker        4        0       0      –              hard_loop 0 of 0 (4 open)\n"},
		{"text, a gate with two reasons", text.String(), "default  loop_recovery  20       16      12     75 % [51, 90]  tab_to_next_field 0 of 4 (4 open),\n" + strings.Repeat(" ", 63) + "type_pending_value 12 of 12\n"},
		{"text, the definition", strings.Join(strings.Fields(text.String()), " "), trajectories.ShadowDefinition},
		{"markdown", md.String(), "| default | loop_recovery | 20 | 16 | 12 | 75 % [51, 90] | tab_to_next_field 0 of 4 (4 open), type_pending_value 12 of 12 |"},
		{"markdown, the definition", md.String(), "\n\n" + trajectories.ShadowDefinition},
	} {
		if !strings.Contains(c.in, c.want) {
			t.Errorf("%s: no %q in\n%s", c.name, c.want, c.in)
		}
	}
	var back Report
	if err := json.Unmarshal([]byte(js.String()), &back); err != nil {
		t.Fatal(err)
	}
	if got := back.Arms[0].Shadow; len(got) != 2 || got[1].Rulings != 20 || got[1].Judged != 16 ||
		got[1].Right != 12 || got[1].Precision != benchmarks.Wilson(12, 16) || len(got[1].Reasons) != 2 ||
		back.Arms[1].Shadow != nil {
		t.Errorf("JSON comes back as %+v", got)
	}
	table, err := csv.NewReader(strings.NewReader(rows.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	n := len(table[0])
	if got := strings.Join(table[0][n-6:],
		" "); got != "shadow_breaker_rulings shadow_breaker_judged shadow_breaker_right "+
		"shadow_loop_recovery_rulings shadow_loop_recovery_judged shadow_loop_recovery_right" {
		t.Errorf("columns %s", got)
	}
	cells := map[string]int{}
	for _, row := range table[1:] {
		cells[row[0]+" "+row[4]+" "+strings.Join(row[n-6:], ",")]++
	}
	for want, n := range map[string]int{"traps default 1,0,0,5,4,3": 4, "traps off 0,0,0,0,0,0": 4,
		"controls default 0,0,0,0,0,0": 4} {
		if cells[want] != n {
			t.Errorf("%d rows %q, want %d: %v", cells[want], want, n, cells)
		}
	}
}

func TestReportPageSaysHowGoodShadowsWouldHaveBeen(t *testing.T) {
	for name, c := range map[string]struct {
		study *benchmarks.Study
		shown bool
	}{"with rulings": {shadowStudy(t), true}, "without": {graded(t, 2, always, onControls), false}} {
		var page, text, rows strings.Builder
		rep, err := Of(c.study)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{WritePage(&page, c.study, PageOptions{}), rep.WriteText(&text),
			rep.WriteCSV(&rows)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []string{"Gates in shadow mode", ">75 % [51, 90]<",
			"type_pending_value 12 of 12", "nothing new", "are too narrow.</p>"} {
			if strings.Contains(page.String(), want) != c.shown {
				t.Errorf("%s: the page has %q: %v", name, want, !c.shown)
			}
		}
		if strings.Contains(text.String(), "shadow") != c.shown ||
			strings.Contains(rows.String(), "shadow") != c.shown {
			t.Errorf("%s: the tables speak of shadows: %v", name, !c.shown)
		}
		if strings.Contains(page.String(), "ZgotmplZ") {
			t.Errorf("%s: the template dropped a value", name)
		}
	}
}

// The report's figures about shadows come from results.jsonl alone: a study that is opened again without
// its episodes says the same.
func TestShadowsAreInTheResults(t *testing.T) {
	s := shadowStudy(t)
	var lines strings.Builder
	for _, r := range s.Results {
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	plan, err := json.Marshal(s.Plan)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"study.json": string(plan), "results.jsonl": lines.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	again, err := benchmarks.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	one, err1 := Of(s)
	two, err2 := Of(again)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	same := func(a, b ShadowReport) bool {
		return a.Gate == b.Gate && a.Precision == b.Precision && slices.Equal(a.Reasons, b.Reasons)
	}
	if got := two.Arms[0].Shadow; len(got) != 2 || !slices.EqualFunc(got, one.Arms[0].Shadow, same) {
		t.Errorf("%+v", got)
	}
}

// A step on which a gate ruled in shadow has a card in a long episode.
func TestShadowsHaveCards(t *testing.T) {
	tr := &trajectories.Trajectory{Header: trajectories.Header{Config: json.RawMessage(`{"shadow":["loop_recovery"]}`)}, Steps: make([]cua.Step, 40),
		End: &trajectories.End{Reason: cua.EndMaxSteps}}
	for i := range tr.Steps {
		tr.Steps[i].N = i + 1
	}
	tr.Steps[19].Rulings = []cua.Ruling{{Gate: "loop_recovery", Verdict: cua.Replace,
		Reason: "tab_to_next_field", Shadow: true}}
	only, quiet, _ := telling(tr, mostSteps)
	if !only(&tr.Steps[19]) || only(&tr.Steps[20]) || quiet != 40-firstSteps-lastSteps-1 {
		t.Errorf("%d steps without a card", quiet)
	}
}
