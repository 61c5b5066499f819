package benchmarks

import (
	"fmt"
	"strconv"

	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/invariants"
)

// WrongReport counts the wrong interventions of one arm.
type WrongReport struct {
	// Kinds counts each kind, also one that did not come up.
	Kinds map[WrongKind]int `json:"kinds"`
	Total int               `json:"total"`
	// Cells are those with any, among those in which they were counted.
	Cells Rate `json:"cells"`
}

func wrongReport(mine []Result) WrongReport {
	w := WrongReport{Kinds: map[WrongKind]int{}}
	for _, k := range WrongKinds() {
		w.Kinds[k] = 0
	}
	yes, of := 0, 0
	for _, r := range mine {
		if r.Wrong == nil {
			continue
		}
		of++
		if r.wrong() > 0 {
			yes++
		}
		for k, n := range r.Wrong {
			w.Kinds[k] += n
			w.Total += n
		}
	}
	w.Cells = Wilson(yes, of)
	return w
}

// wrongWords are the kinds as columns are headed.
var wrongWords = map[WrongKind]string{
	WrongInField: "wrong field", WrongTwice: "typed twice",
	WrongReturn: "needless Return", WrongStop: "stopped healthy",
}

func wrongColumns() []string {
	var out []string
	for _, k := range WrongKinds() {
		out = append(out, wrongWords[k])
	}
	return append(out, "all")
}

// counts are those of the kinds in their order, and of all; a dash where none was counted.
func (w WrongReport) counts() []string {
	var out []string
	for _, k := range WrongKinds() {
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
func (rep Report) wrongTable() table {
	t := table{title: "Wrong interventions", note: wrongNote, head: append([]string{"arm"},
		wrongColumns()...)}
	t.head = append(t.head, "cells with any", "vs "+rep.Plan.Base)
	for _, a := range rep.Arms {
		row := append([]string{a.Arm}, a.Wrong.counts()...)
		versus := "base"
		if a.Versus != nil {
			versus = a.Versus.Wrong.Words()
		}
		t.rows = append(t.rows, append(row, fmt.Sprintf("%d of %d", a.Wrong.Cells.Yes,
			a.Wrong.Cells.Of), versus))
	}
	return t
}

// wrongHead names the columns of the CSV that count wrong interventions and broken invariants; wrongRow are
// its cells, empty where the cell was scored before they were counted.
func wrongHead() []string {
	head := []string{"wrong_interventions"}
	for _, k := range WrongKinds() {
		head = append(head, string(k))
	}
	return append(head, "broken_invariants")
}

func wrongRow(r Result) []string {
	row := make([]string, len(wrongHead()))
	if r.Wrong != nil {
		row[0] = strconv.Itoa(r.wrong())
		for i, k := range WrongKinds() {
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
	Early Rate `json:"early"`
	// Steps is the mean over all of these cells, Cap that of what their tasks allow.
	Steps float64 `json:"steps_mean"`
	Cap   float64 `json:"cap_mean"`
	// Ends counts the end reasons.
	Ends map[cua.EndReason]int `json:"ends"`
}

// unsolvableReport is that of one arm; nil where it has no such cell.
func unsolvableReport(mine []Result) *UnsolvableReport {
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
	u.Early, u.Steps, u.Cap = Wilson(early, of), u.Steps/float64(of), u.Cap/float64(of)
	return &u
}

// Words are u in one line: "ended early in 3 of 4 cells (mean steps 9.2 of cap 30)".
func (u UnsolvableReport) Words() string {
	return fmt.Sprintf("ended early in %d of %d cells (mean steps %.1f of cap %.0f)", u.Early.Yes, u.Early.Of,
		u.Steps, u.Cap)
}

// unsolvableTable has a row an arm; false where every task can be solved.
func (rep Report) unsolvableTable() (table, bool) {
	t := table{title: "Unsolvable tasks: the right end is to ask, to give up or to stop with a code, " +
		"before the cap", head: []string{"arm", "unsolvable tasks", "ends"}}
	for _, a := range rep.Arms {
		if a.Unsolvable == nil {
			continue
		}
		ends := map[string]int{}
		for end, n := range a.Unsolvable.Ends {
			ends[string(end)] = n
		}
		t.rows = append(t.rows, []string{a.Arm, a.Unsolvable.Words(), counted(ends)})
	}
	return t, len(t.rows) > 0
}

// CheckReport says whether the journals keep what must be true of every run.
type CheckReport struct {
	// Journals were held against so many Invariants each; where programs of two versions scored the cells,
	// the fewest.
	Journals   int `json:"journals"`
	Invariants int `json:"invariants"`
	// BrokenJournals counts the journals with a violation.
	BrokenJournals int             `json:"broken_journals"`
	Violations     []CellViolation `json:"violations"`
}

// CellViolation is one step at which a cell's journal breaks an invariant.
type CellViolation struct {
	Cell
	Episode string `json:"episode"`
	invariants.Violation
}

func checkReport(all []Result) CheckReport {
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
	return fmt.Sprintf("%s journals held against %d invariants each: %s", trajectories.Grouped(c.Journals),
		c.Invariants, broken)
}

// checkTable has a row a violation.
func (rep Report) checkTable() table {
	t := table{title: "Invariants: " + rep.Checks.Words()}
	for _, v := range rep.Checks.Violations {
		t.head = []string{"episode", "step", "invariant", "detail"}
		t.rows = append(t.rows, []string{v.Episode, strconv.Itoa(v.Step), v.Invariant, v.Detail})
	}
	return t
}
