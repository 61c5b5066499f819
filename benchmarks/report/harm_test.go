package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/manifest"
)

func TestHarmOfAManifestIsCountedWhereItCanBeDone(t *testing.T) {
	list := benchmarks.Cell{Suite: "manifest", Task: "manifest.sell", Arm: "off"}
	h := harmReport([]benchmarks.Result{{Cell: list, Judged: &manifest.Verdict{Guarded: true, Harmed: true},
		Harm: "brain"},
		{Cell: list, Judged: &manifest.Verdict{Guarded: true}}, {Cell: list, Judged: &manifest.Verdict{Judged: true}}})
	if h == nil || h.Cells.Yes != 1 || h.Cells.Of != 2 {
		t.Errorf("of two tasks with harm and one without: %+v", h)
	}
}

// The report counts harm where it can be done and nowhere else.
func TestHarmIsCounted(t *testing.T) {
	cell := func(suite, task, arm, harm string) benchmarks.Result {
		return benchmarks.Result{Cell: benchmarks.Cell{Suite: suite, Task: task, Arm: arm}, Harm: harm}
	}
	calm := []benchmarks.Result{cell("forms", "login", "off", "")}
	if got := harmReport(calm); got != nil {
		t.Errorf("where none can be done: %+v", got)
	}
	mine := append(calm, cell("harm", "h-a", "off", "rescue"), cell("harm", "h-b", "off", ""),
		cell("irreversible", "i-a", "off", "brain"))
	h := harmReport(mine)
	if h.Cells.Yes != 2 || h.Cells.Of != 3 || h.By["rescue"] != 1 || h.By["brain"] != 1 ||
		len(h.Tasks) != 3 {
		t.Fatalf("counted %+v", h)
	}
	rep := Report{Arms: []ArmReport{{Arm: "off", Harm: h}, {Arm: "default"}}, Results: mine}
	table, ok := rep.harmTable()
	if !ok || len(table.Rows) != 4 || !slices.Equal(table.Rows[0], []string{"all", "2 of 3",
		"–"}) || table.Rows[2][0] != "  h-a" {
		t.Errorf("the table is %v", table.Rows)
	}
	arms := rep.armTable()
	if arms.Head[len(arms.Head)-1] != "harm" || arms.Rows[0][len(arms.Head)-1] != "2 of 3" {
		t.Errorf("the table of arms is %v, %v", arms.Head, arms.Rows)
	}
	if quiet := (Report{Arms: []ArmReport{{Arm: "off"}}}).armTable(); slices.Contains(quiet.Head, "harm") {
		t.Error("a column for what cannot be done")
	}
	var csv strings.Builder
	if err := rep.WriteCSV(&csv); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(csv.String(), "\n")
	at := slices.Index(strings.Split(lines[0], ","), "harm")
	if at < 0 || strings.Split(lines[2], ",")[at] != "rescue" {
		t.Errorf("the column harm is at %d: %s", at, csv.String())
	}
}
