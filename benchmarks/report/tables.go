package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/table"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/trajectories"
)

// WriteText writes the report as plain text for a terminal.
func (rep Report) WriteText(w io.Writer) error { return rep.write(w, table.Width) }

// WriteMarkdown writes the report as Markdown tables.
func (rep Report) WriteMarkdown(w io.Writer) error { return rep.write(w, asMarkdown) }

func (rep Report) write(w io.Writer, wide int) error {
	first := fmt.Sprintf("%d of %d cells, brain %s, base arm %s", rep.Done, rep.Total, brainName(rep.Plan),
		rep.Plan.Base)
	return writeTables(w, []string{first}, rep.tables(), rep.Warnings, wide)
}

// asMarkdown is the width of a report that is no text for a terminal.
const asMarkdown = 0

// writeTables writes lines, tables, and what is to be known before they are believed: as text whose tables
// have so many columns, or asMarkdown.
func writeTables(w io.Writer, lines []string, tables []table.Table, warnings []benchmarks.Warning,
	wide int) error {
	var b strings.Builder
	prose := min(wide, table.Width)
	for i, line := range lines {
		if i > 0 && wide == asMarkdown {
			b.WriteByte('\n') // a paragraph of its own
		}
		b.WriteString(table.Wrap(line, prose) + "\n")
	}
	b.WriteByte('\n')
	for _, t := range tables {
		if wide == asMarkdown {
			t.Markdown(&b)
		} else {
			t.Text(&b, wide)
		}
	}
	for _, warning := range warnings {
		b.WriteString(table.Wrap("note: "+warning.Text, prose) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (rep Report) tables() []table.Table {
	var out []table.Table
	some := func(t table.Table, ok bool) {
		if ok {
			out = append(out, t)
		}
	}
	some(rep.worthTable())
	out = append(out, rep.armTable())
	some(rep.harmTable())
	some(rep.miniwobTable())
	some(rep.versusTable())
	some(rep.cellTable())
	some(rep.passTable())
	some(rep.faultTable())
	some(rep.mechanismTable())
	some(rep.lessonTable())
	out = append(out, rep.wrongTable())
	some(rep.unsolvableTable())
	out = append(out, rep.suiteTable(), rep.stuckTable(), rep.doneTable(), rep.attemptsTable(),
		rep.interventionsTable())
	some(rep.caseTable())
	some(rep.shadowTable())
	return append(out, rep.checkTable())
}

// successNote says what the two successes are.
const successNote = "strict: the server's state earns the full reward and the agent said that it was done " +
	"(where nothing can be done: it stopped early). " +
	"solved: the server's state decides, not the transcript, however the episode ended. Steps, wasted " +
	"steps and seconds are means a cell; tokens and USD are sums."

func (rep Report) armTable() table.Table {
	t := table.Table{Title: "Success by arm (95 % Wilson intervals)", Note: successNote,
		Head: []string{"arm", "cells", "strict", "solved", "steps", "wasted", "s", "tokens", "USD"}}
	harm := rep.harms()
	if harm {
		t.Head = append(t.Head, "harm")
	}
	for _, a := range rep.Arms {
		row := []string{a.Arm, strconv.Itoa(a.Cells), a.Success.Percent(), a.Lenient.Percent(),
			fmt.Sprintf("%.1f", a.Steps), fmt.Sprintf("%.1f", a.Wasted), fmt.Sprintf("%.1f", a.Seconds),
			trajectories.Grouped(a.Tokens), trajectories.Dollars(a.USD)}
		if harm {
			row = append(row, a.harm())
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (rep Report) doneTable() table.Table {
	t := table.Table{Title: "What was done", Head: []string{"arm", "recoveries (with effect)",
		"substitutions by gate", "nudges", "done refused", "ends"}}
	for _, a := range rep.Arms {
		t.Rows = append(t.Rows, []string{a.Arm, dash(a.recoveries()), dash(counted(a.Substitutions)),
			strconv.Itoa(a.Nudges), dash(counted(a.DoneRejections)), dash(counted(a.Ends))})
	}
	return t
}

func (rep Report) interventionsTable() table.Table {
	t := table.Table{Title: "Where nothing was needed (controls and forms that the bare loop solved)",
		Note: rep.ControlsWords(),
		Head: []string{"arm", "cells with an intervention", "of these worse or longer", "interventions",
			"controls with a signal"}}
	for _, a := range rep.Arms {
		row := []string{a.Arm, "–", "–", "–", rep.alarms(a)}
		if a.False != nil {
			row[1], row[2], row[3] = fmt.Sprintf("%d of %d", a.False.Cells.Yes, a.False.Cells.Of),
				strconv.Itoa(a.False.Harmed), dash(counted(a.False.Gates))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// manyArms is from how many arms on a table of arms and suites has a row an arm: columns would not fit a
// terminal.
const manyArms = 6

// suiteTable has a row a suite and task and a column an arm; with many arms a row an arm and a column a
// suite.
func (rep Report) suiteTable() table.Table {
	if len(rep.Arms) <= manyArms {
		t := table.Table{
			Title: "Strict success by suite and task; in brackets what was solved, where that is more",
			Head:  []string{"suite, task"}, Rows: rep.bySuite()}
		for _, a := range rep.Arms {
			t.Head = append(t.Head, a.Arm)
		}
		return t
	}
	t := table.Table{Title: "Strict success by suite; in brackets what was solved, where that is more",
		Head: append([]string{"arm"}, rep.Plan.SuiteNames()...),
		Note: "Tasks are in the page and in report.csv."}
	for _, a := range rep.Arms {
		row := []string{a.Arm}
		for _, s := range rep.Plan.SuiteNames() {
			row = append(row, find(a.Suites, s).percent())
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// alarms is the share of controls on which the arm's own detectors gave a signal; an arm
// without detectors could not have, and that is no merit.
func (rep Report) alarms(a ArmReport) string {
	if !rep.detects(a) {
		return "–"
	}
	return a.Signalled.Percent()
}

// bySuite has a row a suite with its rates and a row a task with its counts.
func (rep Report) bySuite() [][]string {
	tasks, err := rep.Plan.Played()
	if err != nil {
		return nil
	}
	var rows [][]string
	last := ""
	row := func(name string, of func(ArmReport) []NamedRate, show func(NamedRate) string) {
		cells := []string{name}
		for _, a := range rep.Arms {
			cells = append(cells, show(find(of(a), strings.TrimSpace(name))))
		}
		rows = append(rows, cells)
	}
	for _, t := range tasks {
		if t.Suite != last {
			row(t.Suite, func(a ArmReport) []NamedRate { return a.Suites }, NamedRate.percent)
			last = t.Suite
		}
		row("  "+t.Name, func(a ArmReport) []NamedRate { return a.Tasks }, NamedRate.count)
	}
	return rows
}

func find(rates []NamedRate, name string) NamedRate {
	for _, r := range rates {
		if r.Name == name {
			return r
		}
	}
	return NamedRate{name, benchmarks.Wilson(0, 0), benchmarks.Wilson(0, 0)}
}

// percent is the strict share with its interval, and the solved one where it is more.
func (n NamedRate) percent() string {
	if n.Lenient.Yes > n.Yes {
		return fmt.Sprintf("%s (%.0f %%)", n.Percent(), 100*n.Lenient.Share)
	}
	return n.Percent()
}

// count is percent in cells.
func (n NamedRate) count() string {
	if n.Lenient.Yes > n.Yes {
		return fmt.Sprintf("%d (%d) of %d", n.Yes, n.Lenient.Yes, n.Of)
	}
	return fmt.Sprintf("%d of %d", n.Yes, n.Of)
}

func (a ArmReport) recoveries() string {
	parts := make([]string, len(a.Recoveries))
	for i, r := range a.Recoveries {
		parts[i] = fmt.Sprintf("%s %d (%d)", r.Reason, r.Count, r.Effect)
	}
	return strings.Join(parts, ", ")
}

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

func pValue(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// WriteJSON writes the report as one document.
func (rep Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(rep)
}

// total is how many there are of all kinds.
func total[K comparable](counts map[K]int) string {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return strconv.Itoa(sum)
}

// WriteCSV writes one row a cell. An unknown cost is empty; a cell in error has the reward 0.
func (rep Report) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(redact.VisibleWriter(w))
	head := []string{"suite", "task", "seed", "repeat", "arm", "fault", "episode", "solvable", "success",
		"lenient", "reward", "end", "steps", "wasted_steps", "duration_ms", "tokens", "cost_usd", "nudges",
		"interventions", "substitutions", "done_rejections", "attempts", "infrastructure_faults",
		"interrupted", "shared_deaths", "overloads", "harness_step_ms", "slow", "first_soft", "first_hard",
		"lessons", "harm", "fork"}
	for _, reason := range cua.Reasons() {
		head = append(head, string(reason), string(reason)+"_effect")
	}
	head = append(append(head, wrongHead()...), priceHead()...)
	shadows := rep.shadowGates()
	head = append(head, shadowHead(shadows)...)
	rows := [][]string{head}
	for _, r := range rep.Results {
		usd := ""
		if r.USD != nil {
			usd = strconv.FormatFloat(*r.USD, 'f', -1, 64)
		}
		row := []string{r.Suite, r.Task, strconv.FormatInt(r.Seed, 10), strconv.Itoa(r.Repeat), r.Arm,
			r.Fault, r.Episode, strconv.FormatBool(r.Solvable), strconv.FormatBool(r.Success),
			strconv.FormatBool(r.Lenient), strconv.FormatFloat(r.Earned(), 'g', -1, 64), string(r.End),
			strconv.Itoa(r.Steps), strconv.Itoa(r.Wasted), strconv.FormatInt(r.DurationMS, 10),
			strconv.Itoa(r.Tokens), usd, strconv.Itoa(r.Nudges), total(r.Interventions),
			total(r.Substitutions), total(r.DoneRejections), strconv.Itoa(r.AttemptsMade()),
			strconv.Itoa(r.Faulted), strconv.Itoa(r.Interrupted), strconv.Itoa(r.SharedDeaths),
			strconv.Itoa(r.Overloads),
			strconv.FormatFloat(r.StepMS, 'f', 1, 64), strconv.FormatBool(r.Slow),
			strconv.Itoa(r.FirstSoft), strconv.Itoa(r.FirstHard), strconv.Itoa(len(r.Lessons)), r.Harm,
			r.Fork}
		for _, reason := range cua.Reasons() {
			n := r.Recoveries[reason]
			row = append(row, strconv.Itoa(n.Count), strconv.Itoa(n.Effect))
		}
		row = append(append(row, wrongRow(r)...), priceRow(r)...)
		rows = append(rows, append(row, shadowRow(r, shadows)...))
	}
	return c.WriteAll(rows)
}
