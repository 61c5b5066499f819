package report

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks/table"
)

// cellNote says how the columns of cellTable are made.
const cellNote = "Means of arm minus base a cell, with intervals at 95 % by a bootstrap over whole tasks; " +
	"~ may be chance, by a sign-flip test over them with Holm's correction over the arms. " + mayLeaveOut

// mayLeaveOut says why the interval of a number a cell and its ~ may not agree.
const mayLeaveOut = "The interval is that of one comparison, and rougher than the test where tasks are " +
	"few: it may leave 0 out beside a ~."

// cellColumns are the numbers of cellTable, by the name of their Measure, with so many digits. Wrong
// interventions have a table of their own, and of nudges the base has mostly none.
var cellColumns = []struct {
	name   string
	digits int
}{{"steps", 1}, {"steps, both solved", 1}, {"wasted steps", 1}, {"seconds", 1}, {"tokens", 0}, {"USD", 3}}

// adjustEach corrects the numbers a cell over all arms, each number by itself.
func adjustEach(arms []ArmReport) {
	tests := map[string][]*Test{}
	for _, a := range arms {
		if a.Versus == nil {
			continue
		}
		for i := range a.Versus.Each {
			m := &a.Versus.Each[i]
			tests[m.Name] = append(tests[m.Name], &m.Test)
		}
	}
	for _, of := range tests {
		adjust(of)
	}
}

// cellTable has a row an arm but the base, and a column a number that is known of any; false where there is
// nothing to compare.
func (rep Report) cellTable() (table.Table, bool) {
	t := table.Table{Title: fmt.Sprintf("Numbers a cell, against %s on the same cells", rep.Plan.Base),
		Note: cellNote, Head: []string{"arm"}}
	for _, c := range cellColumns {
		known := func(a ArmReport) bool { return a.Versus != nil && a.Versus.measured(c.name) != nil }
		if slices.ContainsFunc(rep.Arms, known) {
			t.Head = append(t.Head, c.name)
		}
	}
	for _, a := range rep.Arms {
		if a.Versus == nil {
			continue
		}
		row := []string{a.Arm}
		for _, c := range cellColumns {
			m := a.Versus.measured(c.name)
			switch {
			case !slices.Contains(t.Head, c.name):
			case m == nil:
				row = append(row, "–")
			default:
				row = append(row, difference(m.Mean, m.Low, m.High, m.Significant(), c.digits))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t, len(t.Rows) > 0
}

// measured is the number of that name; nil where it is not known.
func (v *Versus) measured(name string) *Measure {
	i := slices.IndexFunc(v.Each, func(m Measure) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return &v.Each[i]
}

// plainTable is a table as the page takes it.
type plainTable struct {
	Head []string
	Rows [][]string
	Note string
}

func forPage(t table.Table) plainTable { return plainTable{t.Head, t.Rows, t.Note} }
