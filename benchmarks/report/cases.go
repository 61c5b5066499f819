package report

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/table"
	"github.com/cua-runner/cua-runner/runner"
)

// softDue and hardDue are the steps after which, at the latest, a soft and a hard signal must hold
// on the pages of the suite stuck (docs/detection-errors.md#the-cases).
const (
	softDue = 8
	hardDue = 12
)

// CaseReport says when signals came on one case, over the seeds of one arm.
type CaseReport struct {
	Suite string `json:"suite"`
	Task  string `json:"task"`
	Cells int    `json:"cells"`
	// Right counts the cells in which the signals were as they should be: in time on a stuck page,
	// none on a healthy one. A case that people do not agree on has no right and wrong: nil.
	Right *int `json:"right"`
	// Soft and Hard are the earliest and the latest step after which a signal of at least that level
	// first held, among the SoftCells and HardCells in which one did.
	Soft      [2]int `json:"soft"`
	SoftCells int    `json:"soft_cells"`
	Hard      [2]int `json:"hard"`
	HardCells int    `json:"hard_cells"`
}

// caseReports are those of one arm, in the order in which cells first appear; nil where the study
// has no such case.
func caseReports(mine []benchmarks.Result) []CaseReport {
	var out []CaseReport
	for _, r := range mine {
		if r.Suite != "stuck" && r.Suite != "healthy" {
			continue
		}
		i := slices.IndexFunc(out, func(c CaseReport) bool { return c.Task == r.Task })
		if i < 0 {
			i = len(out)
			out = append(out, CaseReport{Suite: r.Suite, Task: r.Task})
			if !ambiguous(r.Task) {
				out[i].Right = new(int)
			}
		}
		out[i].add(r)
	}
	return out
}

func (c *CaseReport) add(r benchmarks.Result) {
	c.Cells++
	widen(&c.Soft, &c.SoftCells, r.FirstSoft)
	widen(&c.Hard, &c.HardCells, r.FirstHard)
	right := r.FirstSoft == 0 && r.FirstHard == 0
	if r.Suite == "stuck" {
		right = r.FirstSoft > 0 && r.FirstSoft <= softDue && r.FirstHard > 0 && r.FirstHard <= hardDue
	}
	if right && c.Right != nil {
		*c.Right++
	}
}

func widen(span *[2]int, cells *int, step int) {
	if step == 0 {
		return
	}
	if *cells == 0 {
		*span = [2]int{step, step}
	}
	*cells++
	span[0], span[1] = min(span[0], step), max(span[1], step)
}

// Words is c in one cell of a table: "soft 3–4, hard 8 (5 of 5 right)".
func (c CaseReport) Words() string {
	soft, hard := spanned("soft", c.Soft, c.SoftCells, c.Cells), spanned("hard", c.Hard, c.HardCells, c.Cells)
	out := soft + ", " + hard
	if c.SoftCells == 0 {
		out = "none"
	}
	if c.Right == nil {
		return out
	}
	return fmt.Sprintf("%s (%d of %d right)", out, *c.Right, c.Cells)
}

func spanned(level string, span [2]int, with, of int) string {
	steps := fmt.Sprint(span[0])
	if span[1] > span[0] {
		steps = fmt.Sprintf("%d–%d", span[0], span[1])
	}
	switch {
	case with == 0:
		return "no " + level
	case with < of:
		return fmt.Sprintf("%s %s in %d of %d", level, steps, with, of)
	}
	return level + " " + steps
}

// caseRow is one case's line: what each arm's detectors said, in the order of the arms.
type caseRow struct {
	Task string
	Arms []string
}

// caseRows has a row a case; nil where the study has none.
func (rep Report) caseRows() []caseRow {
	var out []caseRow
	for _, r := range rep.Results {
		if (r.Suite == "stuck" || r.Suite == "healthy") && !slices.ContainsFunc(out,
			func(c caseRow) bool { return c.Task == r.Task }) {
			out = append(out, caseRow{Task: r.Task})
		}
	}
	for i := range out {
		for _, a := range rep.Arms {
			words := "–"
			if at := slices.IndexFunc(a.Cases,
				func(c CaseReport) bool { return c.Task == out[i].Task }); at >= 0 && rep.detects(a) {
				words = a.Cases[at].Words()
			}
			out[i].Arms = append(out[i].Arms, words)
		}
	}
	return out
}

// caseTable has a row a case and a column an arm; false where the study has no case.
func (rep Report) caseTable() (table.Table, bool) {
	t := table.Table{Head: []string{"case"},
		Title: fmt.Sprintf("First signals of each arm's own detectors (due in stuck: soft by step %d, hard "+
			"by step %d; in healthy: none)", softDue, hardDue)}
	for _, a := range rep.Arms {
		t.Head = append(t.Head, a.Arm)
	}
	for _, c := range rep.caseRows() {
		t.Rows = append(t.Rows, append([]string{c.Task}, c.Arms...))
	}
	return t, len(t.Rows) > 0
}

// detects reports whether the arm has detectors.
func (rep Report) detects(a ArmReport) bool {
	arm, err := rep.Plan.FindArm(a.Arm)
	return err != nil || len(runner.Assemble(arm.Config).Detectors) > 0
}
