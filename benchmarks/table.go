package benchmarks

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
)

// Percent is the share with its interval: "93 % [81, 98]".
func (r Rate) Percent() string {
	if r.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %% [%.0f, %.0f]", 100*r.Share, 100*r.Low, 100*r.High)
}

// table is rows of cells under headings.
type table struct {
	title string
	head  []string
	rows  [][]string
	// note is said below the rows, in a line; "" is nothing.
	note string
}

// text writes t in aligned columns.
func (t table) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s\n", t.title)
	width := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, c := range row {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	line := func(row []string) {
		for i, c := range row {
			if i == len(row)-1 {
				fmt.Fprintf(b, "%s\n", c)
				break
			}
			fmt.Fprintf(b, "%s%s  ", c, strings.Repeat(" ", width[i]-utf8.RuneCountInString(c)))
		}
	}
	line(t.head)
	for _, row := range t.rows {
		line(row)
	}
	if t.note != "" {
		fmt.Fprintf(b, "%s\n", t.note)
	}
	b.WriteByte('\n')
}

// WriteText writes the report as plain text for a terminal.
func (rep Report) WriteText(w io.Writer) error {
	return rep.write(w, func(b *strings.Builder, t table) { t.text(b) })
}

// WriteMarkdown writes the report as Markdown tables.
func (rep Report) WriteMarkdown(w io.Writer) error {
	return rep.write(w, func(b *strings.Builder, t table) {
		line := func(row []string) {
			for i := range row {
				row[i] = strings.ReplaceAll(row[i], "|", `\|`)
			}
			fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
		}
		fmt.Fprintf(b, "**%s**\n\n", t.title)
		line(t.head)
		b.WriteString(strings.Repeat("|---", len(t.head)) + "|\n")
		for _, row := range t.rows {
			line(row)
		}
		if t.note != "" {
			fmt.Fprintf(b, "\n%s\n", t.note)
		}
		b.WriteByte('\n')
	})
}

func (rep Report) write(w io.Writer, one func(*strings.Builder, table)) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d cells, brain %s, base arm %s\n\n", rep.Done, rep.Total, brainName(rep.Plan), rep.Plan.Base)
	for _, t := range rep.tables() {
		one(&b, t)
	}
	for _, warning := range rep.Warnings {
		fmt.Fprintf(&b, "note: %s\n", warning.Text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (rep Report) tables() []table {
	arms := table{title: "Success by arm (95 % Wilson intervals)", head: []string{"arm", "success", "cells", "vs " + rep.Plan.Base, "better/worse", "p", "steps", "wasted", "s"}}
	acts := table{title: "What was done", head: []string{"arm", "recoveries (with effect)", "substitutions by gate", "nudges", "done refused", "ends"}}
	calm := table{title: "Where nothing was needed (controls and forms that the bare loop solved)", head: []string{"arm", "cells with an intervention", "of these worse or longer", "interventions", "controls with a signal", "faults"}}
	suites := table{title: "Success by suite and task", head: []string{"suite, task"}}
	for _, a := range rep.Arms {
		diff, pairs, p := "base", "", ""
		if v := a.Versus; v != nil {
			diff, pairs, p = v.Difference(), fmt.Sprintf("%d/%d of %d", v.Better, v.Worse, v.Pairs), pValue(v.Adjusted)
		}
		arms.rows = append(arms.rows, []string{a.Arm, a.Success.Percent(), strconv.Itoa(a.Cells), diff, pairs, p,
			fmt.Sprintf("%.1f", a.Steps), fmt.Sprintf("%.1f", a.Wasted), fmt.Sprintf("%.1f", a.Seconds)})
		acts.rows = append(acts.rows, []string{a.Arm, dash(a.recoveries()), dash(counted(a.Substitutions)), strconv.Itoa(a.Nudges), dash(counted(a.DoneRejections)), dash(counted(a.Ends))})
		row := []string{a.Arm, "–", "–", "–", rep.alarms(a), strconv.Itoa(a.Faulted)}
		if a.False != nil {
			row[1], row[2], row[3] = fmt.Sprintf("%d of %d", a.False.Cells.Yes, a.False.Cells.Of), strconv.Itoa(a.False.Harmed), dash(counted(a.False.Gates))
		}
		calm.rows = append(calm.rows, row)
		suites.head = append(suites.head, a.Arm)
	}
	suites.rows = rep.bySuite()
	out := []table{arms, suites, rep.stuckTable(), acts, calm}
	if cases, ok := rep.caseTable(); ok {
		out = append(out, cases)
	}
	if shadows, ok := rep.shadowTable(); ok {
		out = append(out, shadows)
	}
	return out
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
	tasks, err := rep.Plan.tasks()
	if err != nil {
		return nil
	}
	var rows [][]string
	last := ""
	row := func(name string, of func(ArmReport) []NamedRate, show func(Rate) string) {
		cells := []string{name}
		for _, a := range rep.Arms {
			cells = append(cells, show(find(of(a), strings.TrimSpace(name))))
		}
		rows = append(rows, cells)
	}
	for _, t := range tasks {
		if t.Suite != last {
			row(t.Suite, func(a ArmReport) []NamedRate { return a.Suites }, Rate.Percent)
			last = t.Suite
		}
		row("  "+t.Name, func(a ArmReport) []NamedRate { return a.Tasks }, func(r Rate) string { return fmt.Sprintf("%d of %d", r.Yes, r.Of) })
	}
	return rows
}

func find(rates []NamedRate, name string) Rate {
	for _, r := range rates {
		if r.Name == name {
			return r.Rate
		}
	}
	return Wilson(0, 0)
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

// WriteCSV writes one row a cell.
func (rep Report) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	head := []string{"suite", "task", "seed", "arm", "episode", "solvable", "success", "lenient", "reward", "end", "steps", "wasted_steps",
		"duration_ms", "tokens", "nudges", "interventions", "infrastructure_faults", "interrupted", "first_soft", "first_hard"}
	for _, reason := range cua.Reasons() {
		head = append(head, string(reason), string(reason)+"_effect")
	}
	head = append(head, priceHead()...)
	shadows := rep.shadowGates()
	head = append(head, shadowHead(shadows)...)
	rows := [][]string{head}
	for _, r := range rep.Results {
		hits := 0
		for _, n := range r.Interventions {
			hits += n
		}
		row := []string{r.Suite, r.Task, strconv.FormatInt(r.Seed, 10), r.Arm, r.Episode, strconv.FormatBool(r.Solvable),
			strconv.FormatBool(r.Success), strconv.FormatBool(r.Lenient), strconv.FormatFloat(r.Reward, 'g', -1, 64), string(r.End),
			strconv.Itoa(r.Steps), strconv.Itoa(r.Wasted), strconv.FormatInt(r.DurationMS, 10), strconv.Itoa(r.Tokens),
			strconv.Itoa(r.Nudges), strconv.Itoa(hits), strconv.Itoa(r.Faulted), strconv.Itoa(r.Interrupted), strconv.Itoa(r.FirstSoft), strconv.Itoa(r.FirstHard)}
		for _, reason := range cua.Reasons() {
			n := r.Recoveries[reason]
			row = append(row, strconv.Itoa(n.Count), strconv.Itoa(n.Effect))
		}
		row = append(row, priceRow(r)...)
		rows = append(rows, append(row, shadowRow(r, shadows)...))
	}
	return c.WriteAll(rows)
}
