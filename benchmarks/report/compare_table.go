package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/table"
	"github.com/cua-runner/cua-runner/cua/redact"
)

// comparedNote says how the columns of differences are made.
const comparedNote = "A minus B on the same task, fault, seed and repeat. Points with an interval at 95 % " +
	"(D. G. Bonett and R. M. Price, 2012); p by McNemar's exact test with " +
	"Holm's correction over the rows; ~ may be chance. Better: A did it and B did not."

// Listed says which cells the tables name that one side did and the other did not; JSON and CSV have all.
type Listed struct{ Worse, Better bool }

// tables are those of the comparison.
func (c Comparison) tables(l Listed) []table.Table {
	out := []table.Table{c.pairTable()}
	for _, p := range c.Pairs {
		out = append(out, p.partTable())
	}
	out = append(out, c.measureTable(), c.wrongTable())
	for _, p := range c.Pairs {
		out = append(out, p.differingTable("worse", p.Worse, l.Worse),
			p.differingTable("better", p.Better, l.Better))
	}
	return out
}

// sides are the two studies in a line each.
func (c Comparison) sides() []string {
	line := func(name string, s Side) string {
		return fmt.Sprintf("%s: %s, %d of %d cells, brain %s, program %s, %s", name, s.Dir, s.Done, s.Total,
			s.Brain, dash(s.Build), dash(s.Browser))
	}
	return []string{line("A", c.A), line("B", c.B)}
}

func (c Comparison) pairTable() table.Table {
	t := table.Table{Title: "Success on the same cells", Note: comparedNote,
		Head: []string{"arms A : B", "cells", "A solved (strict)", "B solved (strict)", "solved, A-B",
			"better/worse", "p", "strict, A-B", "better/worse", "p"}}
	for _, p := range c.Pairs {
		t.Rows = append(t.Rows, slices.Concat([]string{p.label(), strconv.Itoa(p.Cells), p.a(), p.b()},
			p.Lenient.columns(), p.Strict.columns()))
	}
	return t
}

// label is "default : off".
func (n ArmNames) label() string { return n.A + " : " + n.B }

// a and b are what the sides solved, in brackets strictly.
func (c Contrast) a() string { return NamedRate{"", c.StrictA, c.LenientA}.both() }

func (c Contrast) b() string { return NamedRate{"", c.StrictB, c.LenientB}.both() }

func (p Paired) columns() []string { return []string{p.Words(), p.tally(), pValue(p.Adjusted)} }

func (p ArmPair) partTable() table.Table {
	byFault := slices.ContainsFunc(p.Parts, func(x Part) bool { return x.Fault != "" })
	t := table.Table{Title: p.label() + ", by suite", Head: []string{"where", "A solved (strict)",
		"B solved (strict)", "solved, A-B", "better/worse", "p", "strict, A-B", "better/worse", "p"}}
	if byFault {
		t.Title = p.label() + ", by fault and suite"
		t.Head = append([]string{"fault"}, t.Head...)
	}
	last := "-"
	for _, x := range p.Parts {
		row := slices.Concat([]string{x.Where, x.a(), x.b()}, x.Lenient.columns(), x.Strict.columns())
		if byFault {
			name := x.Fault
			if name == "" {
				name = "all faults"
			}
			if name == last {
				name = "" // said once
			} else {
				last = name
			}
			row = append([]string{name}, row...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (c Comparison) measureTable() table.Table {
	t := table.Table{Title: "A cell", Head: []string{"arms A : B", "", "cells", "A", "B", "A-B", "p"},
		Note: "Means; the difference with an interval at 95 % by a bootstrap over whole tasks, p by a " +
			"sign-flip test over them with Holm's correction over the arms; ~ may be chance. " + mayLeaveOut}
	for _, p := range c.Pairs {
		name := p.label()
		for _, m := range p.Each {
			t.Rows = append(t.Rows, []string{name, m.Name, strconv.Itoa(m.Pairs), fmt.Sprintf("%.2f", m.A),
				fmt.Sprintf("%.2f", m.B),
				difference(m.Mean, m.Low, m.High, m.Significant(), 2), pValue(m.Adjusted)})
			name = ""
		}
	}
	return t
}

func (c Comparison) wrongTable() table.Table {
	t := table.Table{Title: "Wrong interventions in these cells", Head: append([]string{"arm"},
		wrongColumns()...)}
	t.Head = append(t.Head, "cells with any")
	for _, p := range c.Pairs {
		for _, x := range []struct {
			name string
			of   WrongReport
		}{{"A " + p.A, p.WrongA}, {"B " + p.B, p.WrongB}} {
			row := append([]string{x.name}, x.of.counts()...)
			t.Rows = append(t.Rows, append(row, fmt.Sprintf("%d of %d", x.of.Cells.Yes, x.of.Cells.Of)))
		}
	}
	return t
}

// differingTable counts cells and, where they are listed, names them, those of one task and fault in a row.
func (p ArmPair) differingTable(word string, cells []Differing, listed bool) table.Table {
	sound, solvedIn := 0, 0
	for _, d := range cells {
		if d.Sound {
			sound++
		}
		if d.Solved {
			solvedIn++
		}
	}
	t := table.Table{
		Title: fmt.Sprintf("%s: A is %s in %d of %d cells (%d solved, %d strictly alone; %d where "+
			"nothing is wrong with the page)",
			p.label(), word, len(cells), p.Cells, solvedIn, len(cells)-solvedIn, sound)}
	if !listed {
		return t
	}
	sorted := slices.Clone(cells)
	slices.SortStableFunc(sorted, Differing.order)
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n].order(sorted[0]) == 0 {
			n++
		}
		t.Head = []string{"suite", "task", "fault", "cells", "seeds", "ends in A", "ends in B"}
		t.Rows = append(t.Rows, differingRow(sorted[:n]))
		sorted = sorted[n:]
	}
	return t
}

// differingRow is that of cells of one task and fault.
func differingRow(cells []Differing) []string {
	a, b := map[string]int{}, map[string]int{}
	var seeds []string
	strictly := 0
	for _, d := range cells {
		a[d.EndA]++
		b[d.EndB]++
		seed := strconv.FormatInt(d.Seed, 10)
		if d.Repeat > 0 {
			seed += fmt.Sprintf("/%d", d.Repeat)
		}
		seeds = append(seeds, seed)
		if !d.Solved {
			strictly++
		}
	}
	count := strconv.Itoa(len(cells))
	if strictly > 0 {
		count += fmt.Sprintf(" (%d strictly)", strictly)
	}
	return []string{cells[0].Suite, cells[0].Task, dash(cells[0].Fault), count, strings.Join(seeds, ", "),
		counted(a), counted(b)}
}

// WriteText writes the comparison as plain text for a terminal.
func (c Comparison) WriteText(w io.Writer, l Listed) error {
	return writeTables(w, c.sides(), c.tables(l), c.Warnings, compareWidth)
}

// compareWidth is how wide its tables may be, columns: two successes with their tests do not go into less.
const compareWidth = 150

// WriteMarkdown writes the comparison as Markdown tables.
func (c Comparison) WriteMarkdown(w io.Writer, l Listed) error {
	return writeTables(w, c.sides(), c.tables(l), c.Warnings, asMarkdown)
}

// WriteJSON writes the comparison as one document.
func (c Comparison) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(c)
}

// WriteCSV writes one row a cell that both have.
func (c Comparison) WriteCSV(w io.Writer) error {
	head := []string{"arm_a", "arm_b", "suite", "task", "fault", "seed", "repeat"}
	for _, side := range []string{"a", "b"} {
		for _, name := range []string{"success", "lenient", "end", "steps", "wasted_steps", "duration_ms",
			"tokens", "cost_usd", "nudges", "wrong_interventions", "attempts", "episode"} {
			head = append(head, name+"_"+side)
		}
	}
	rows := [][]string{head}
	for _, p := range c.Pairs {
		for _, x := range p.cells {
			cell := x.mine.Cell
			row := []string{p.A, p.B, cell.Suite, cell.Task, cell.Fault, strconv.FormatInt(cell.Seed, 10),
				strconv.Itoa(cell.Repeat)}
			rows = append(rows, slices.Concat(row, columns(x.mine), columns(x.base)))
		}
	}
	return csv.NewWriter(redact.VisibleWriter(w)).WriteAll(rows)
}

// columns are those of one side of a pair in its CSV; wrong interventions are empty where they were not
// counted, as is an unknown cost.
func columns(r benchmarks.Result) []string {
	wrong := ""
	if r.Wrong != nil {
		wrong = strconv.Itoa(r.WrongCount())
	}
	usd := ""
	if r.USD != nil {
		usd = strconv.FormatFloat(*r.USD, 'f', -1, 64)
	}
	return []string{strconv.FormatBool(r.Success), strconv.FormatBool(r.Lenient), string(r.End),
		strconv.Itoa(r.Steps), strconv.Itoa(r.Wasted), strconv.FormatInt(r.DurationMS, 10),
		strconv.Itoa(r.Tokens), usd, strconv.Itoa(r.Nudges), wrong, strconv.Itoa(r.AttemptsMade()), r.Episode}
}
