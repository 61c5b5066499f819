package report

import (
	"fmt"
	"strconv"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/benchmarks/table"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/invariants"
)

// WrongReport counts the wrong interventions of one arm.
type WrongReport struct {
	// Kinds counts each kind, also one that did not come up.
	Kinds map[benchmarks.WrongKind]int `json:"kinds"`
	Total int                          `json:"total"`
	// Cells are those with any, among those in which they were counted.
	Cells benchmarks.Rate `json:"cells"`
}

func wrongReport(mine []benchmarks.Result) WrongReport {
	w := WrongReport{Kinds: map[benchmarks.WrongKind]int{}}
	for _, k := range benchmarks.WrongKinds() {
		w.Kinds[k] = 0
	}
	yes, of := 0, 0
	for _, r := range mine {
		if r.Wrong == nil {
			continue
		}
		of++
		if r.WrongCount() > 0 {
			yes++
		}
		for k, n := range r.Wrong {
			w.Kinds[k] += n
			w.Total += n
		}
	}
	w.Cells = benchmarks.Wilson(yes, of)
	return w
}

// wrongWords are the kinds as columns are headed.
var wrongWords = map[benchmarks.WrongKind]string{
	benchmarks.WrongInField: "wrong field", benchmarks.WrongTwice: "typed twice",
	benchmarks.WrongReturn: "needless Return", benchmarks.WrongStop: "stopped healthy",
}

func wrongColumns() []string {
	var out []string
	for _, k := range benchmarks.WrongKinds() {
		out = append(out, wrongWords[k])
	}
	return append(out, "all")
}

// counts are those of the kinds in their order, and of all; a dash where none was counted.
func (w WrongReport) counts() []string {
	var out []string
	for _, k := range benchmarks.WrongKinds() {
		out = append(out, strconv.Itoa(w.Kinds[k]))
	}
	out = append(out, strconv.Itoa(w.Total))
	for i := range out {
		if w.Cells.Of == 0 {
			out[i] = "–"
		}
	}
	return out
}

// wrongNote says what counts as wrong.
const wrongNote = "Judged by the journal in hindsight, by one rule for every arm: a planned value in " +
	"another one's field; a value typed where it was already; " +
	"Return without need; a stop while something new was still being reached. The difference is a hundred " +
	"cells, with an interval at 95 % by a bootstrap " +
	"over whole tasks; ~ may be chance, by a sign-flip test over them with Holm's correction over the arms."

// wrongTable has a row an arm.
func (rep Report) wrongTable() table.Table {
	t := table.Table{Title: "Wrong interventions", Note: wrongNote, Head: append([]string{"arm"},
		wrongColumns()...)}
	t.Head = append(t.Head, "cells with any", "vs "+rep.Plan.Base)
	for _, a := range rep.Arms {
		row := append([]string{a.Arm}, a.Wrong.counts()...)
		versus := "base"
		if a.Versus != nil {
			versus = a.Versus.Wrong.Words()
		}
		t.Rows = append(t.Rows, append(row, fmt.Sprintf("%d of %d", a.Wrong.Cells.Yes,
			a.Wrong.Cells.Of), versus))
	}
	return t
}

// wrongHead names the columns of the CSV that count wrong interventions and broken invariants; wrongRow are
// its cells, empty where the cell was scored before they were counted.
func wrongHead() []string {
	head := []string{"wrong_interventions"}
	for _, k := range benchmarks.WrongKinds() {
		head = append(head, string(k))
	}
	return append(head, "broken_invariants")
}

func wrongRow(r benchmarks.Result) []string {
	row := make([]string, len(wrongHead()))
	if r.Wrong != nil {
		row[0] = strconv.Itoa(r.WrongCount())
		for i, k := range benchmarks.WrongKinds() {
			row[1+i] = strconv.Itoa(r.Wrong[k])
		}
	}
	if r.Checked > 0 {
		row[len(row)-1] = strconv.Itoa(len(r.Broken))
	}
	return row
}

// UnsolvableReport says how the cells of one arm ended whose task cannot be solved.
type UnsolvableReport struct {
	// Early are the cells that ended by asking, by a halt with a code of its own or by the agent's giving up,
	// not by a cap.
	Early benchmarks.Rate `json:"early"`
	// Steps is the mean over all of these cells, Cap that of what their tasks allow.
	Steps float64 `json:"steps_mean"`
	Cap   float64 `json:"cap_mean"`
	// Ends counts the end reasons.
	Ends map[cua.EndReason]int `json:"ends"`
}

// unsolvableReport is that of one arm; nil where it has no such cell.
func unsolvableReport(mine []benchmarks.Result) *UnsolvableReport {
	u := UnsolvableReport{Ends: map[cua.EndReason]int{}}
	early, of := 0, 0
	for _, r := range mine {
		if r.Solvable {
			continue
		}
		of++
		u.Ends[r.End]++
		u.Steps += float64(r.Steps)
		if r.Lenient { // what its reward is for
			early++
		}
		if t, err := tuned.FindTask(r.Task); err == nil {
			u.Cap += float64(t.MaxSteps)
		}
	}
	if of == 0 {
		return nil
	}
	u.Early, u.Steps, u.Cap = benchmarks.Wilson(early, of), u.Steps/float64(of), u.Cap/float64(of)
	return &u
}

// Words are u in one line: "ended early in 3 of 4 cells (mean steps 9.2 of cap 30)".
func (u UnsolvableReport) Words() string {
	return fmt.Sprintf("ended early in %d of %d cells (mean steps %.1f of cap %.0f)", u.Early.Yes, u.Early.Of,
		u.Steps, u.Cap)
}

// unsolvableTable has a row an arm; false where every task can be solved.
func (rep Report) unsolvableTable() (table.Table, bool) {
	t := table.Table{Title: "Unsolvable tasks: the right end is to ask, to give up or to stop with a code, " +
		"before the cap", Head: []string{"arm", "unsolvable tasks", "ends"}}
	for _, a := range rep.Arms {
		if a.Unsolvable == nil {
			continue
		}
		ends := map[string]int{}
		for end, n := range a.Unsolvable.Ends {
			ends[string(end)] = n
		}
		t.Rows = append(t.Rows, []string{a.Arm, a.Unsolvable.Words(), counted(ends)})
	}
	return t, len(t.Rows) > 0
}

// CheckReport reports whether the journals keep the invariants that hold for every run.
type CheckReport struct {
	// Journals were checked against so many Invariants each; where programs of two versions scored the cells,
	// the fewest.
	Journals   int `json:"journals"`
	Invariants int `json:"invariants"`
	// BrokenJournals counts the journals with a violation.
	BrokenJournals int             `json:"broken_journals"`
	Violations     []CellViolation `json:"violations"`
}

// CellViolation is one step at which a cell's journal breaks an invariant.
type CellViolation struct {
	benchmarks.Cell
	Episode string `json:"episode"`
	invariants.Violation
}

func checkReport(all []benchmarks.Result) CheckReport {
	c := CheckReport{Violations: []CellViolation{}}
	for _, r := range all {
		if r.Checked == 0 {
			continue
		}
		if c.Journals == 0 || r.Checked < c.Invariants {
			c.Invariants = r.Checked
		}
		c.Journals++
		if len(r.Broken) > 0 {
			c.BrokenJournals++
		}
		for _, v := range r.Broken {
			c.Violations = append(c.Violations, CellViolation{r.Cell, r.Episode, v})
		}
	}
	return c
}

// Words are c in one line.
func (c CheckReport) Words() string {
	if c.Journals == 0 {
		return "no journal was checked"
	}
	broken := "none broken"
	if n := len(c.Violations); n > 0 {
		broken = fmt.Sprintf("%d violations in %d journals", n, c.BrokenJournals)
	}
	return fmt.Sprintf("%s journals checked against %d invariants each: %s", trajectories.Grouped(c.Journals),
		c.Invariants, broken)
}

// checkTable has a row a violation.
func (rep Report) checkTable() table.Table {
	t := table.Table{Title: "Invariants: " + rep.Checks.Words()}
	for _, v := range rep.Checks.Violations {
		t.Head = []string{"episode", "step", "invariant", "detail"}
		t.Rows = append(t.Rows, []string{v.Episode, strconv.Itoa(v.Step), v.Invariant, v.Detail})
	}
	return t
}
