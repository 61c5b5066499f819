package report

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/table"
)

// Versus compares an arm with the base on the same cells.
type Versus struct {
	Base  string `json:"base"`
	Pairs int    `json:"pairs"`
	// Paired compares the strict success, Lenient the lenient one.
	Paired
	Lenient Paired `json:"lenient"`
	// Wrong compares how many wrong interventions a cell has.
	Wrong Shift `json:"wrong_interventions"`
	// Each are numbers a cell, of Report.Arms alone: means of the arm and the base, and the difference.
	Each []Measure `json:"each,omitzero"`
	// Calm compares the strict success on controls and forms alone.
	Calm Calm `json:"controls_and_forms"`
}

// Calm counts the pairs on controls, healthy pages and forms: nothing is wrong with them, so an arm has
// nothing to win there but what a faulty brain lost.
type Calm struct {
	Pairs  int `json:"pairs"`
	Better int `json:"better"`
	Worse  int `json:"worse"`
}

// Test is a p value, and what is left of it after Holm's correction over all arms that were compared.
type Test struct {
	P        float64 `json:"p"`
	Adjusted float64 `json:"p_adjusted"`
}

// Significant reports whether the adjusted p is below 0.05.
func (t Test) Significant() bool { return t.Adjusted < benchmarks.Alpha }

// Paired compares how many cells two arms did, by McNemar's exact test.
type Paired struct {
	Better int `json:"better"`
	Worse  int `json:"worse"`
	// Differing are the tasks that these cells are of.
	Differing int `json:"differing_tasks"`
	// Points is the difference in percentage points; Low and High are its interval (PairedInterval).
	Points float64 `json:"points"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Test
}

// Words are the difference in points with its interval, "+50 [21, 71]"; with ~ for the difference where it
// may be chance.
func (p Paired) Words() string {
	return difference(p.Points, p.Low, p.High, p.Significant(), 0)
}

// Shift compares a number a cell, arm minus base: an interval by a bootstrap over whole tasks, p by flipping
// the sign of whole tasks. It is never significant over fewer than fewestTasks.
type Shift struct {
	// Pairs are the cells in which the number is known in both arms, Tasks those they are of.
	Pairs int `json:"pairs"`
	Tasks int `json:"tasks"`
	// Mean is the mean difference a cell; Low and High are its interval, 0 where there are no pairs.
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	Test
}

// Words are the difference a hundred cells with its interval, "-40 [-62, -21]".
func (s Shift) Words() string {
	if s.Pairs == 0 {
		return "–"
	}
	return difference(100*s.Mean, 100*s.Low, 100*s.High, s.Significant(), 0)
}

// Each are the difference a cell with its interval, "-5.6 [-9.1, -2.0]".
func (s Shift) Each() string {
	if s.Pairs == 0 {
		return "–"
	}
	return difference(s.Mean, s.Low, s.High, s.Significant(), 1)
}

// difference has so many digits after the point, and more where a significant one would be shown as 0.
func difference(by, low, high float64, significant bool, digits int) string {
	for significant && digits < 4 && by != 0 && scalar.Round(by, digits) == 0 {
		digits++
	}
	low, high = scalar.Round(low, digits)+0, scalar.Round(high, digits)+0 // adding 0 makes -0 plain
	interval := fmt.Sprintf("[%.*f, %.*f]", digits, low, digits, high)
	if !significant {
		return "~ " + interval
	}
	return fmt.Sprintf("%+.*f %s", digits, by, interval)
}

// pair is one cell in two arms.
type pair struct{ mine, base benchmarks.Result }

// pairs are the cells of mine that the arm base has too.
func pairs(mine []benchmarks.Result, base string, by map[benchmarks.Cell]benchmarks.Result) []pair {
	var out []pair
	for _, r := range mine {
		if b, ok := by[r.Cell.In(base)]; ok {
			out = append(out, pair{r, b})
		}
	}
	return out
}

// compared counts the cells in which the arms differ; p is not corrected yet.
func compared(ps []pair, is func(benchmarks.Result) bool) Paired {
	var c Paired
	differing := map[string]bool{}
	for _, p := range ps {
		mine, base := is(p.mine), is(p.base)
		if mine == base {
			continue
		}
		differing[p.mine.Suite+"/"+p.mine.Task] = true
		if mine {
			c.Better++
		} else {
			c.Worse++
		}
	}
	c.Differing = len(differing)
	if len(ps) > 0 {
		c.Points = 100 * float64(c.Better-c.Worse) / float64(len(ps))
	}
	low, high := benchmarks.PairedInterval(c.Better, c.Worse, len(ps))
	c.Low, c.High, c.P = 100*low, 100*high, benchmarks.McNemar(c.Better, c.Worse)
	return c
}

// wrongs is how many wrong interventions a cell has, false where that is not known.
func wrongs(r benchmarks.Result) (int, bool) { return r.WrongCount(), r.Wrong != nil }

// shifted is the difference in a number of cells, of which it may not be known; p is not corrected yet.
func shifted(ps []pair, number func(benchmarks.Result) (n int, known bool)) Shift {
	return shiftedBy(ps, func(p pair) (float64, bool) {
		mine, known := number(p.mine)
		base, both := number(p.base)
		return float64(mine - base), known && both
	})
}

// shiftedBy is the same of a difference that each pair has by itself.
func shiftedBy(ps []pair, difference func(pair) (by float64, known bool)) Shift {
	s := Shift{Test: Test{P: 1}}
	tasks := map[string]int{}
	var sums []benchmarks.Sum
	total := 0.0
	for _, p := range ps {
		by, known := difference(p)
		if !known {
			continue
		}
		i, ok := tasks[p.mine.Task]
		if !ok {
			i = len(sums)
			tasks[p.mine.Task] = i
			sums = append(sums, benchmarks.Sum{})
		}
		total += by
		sums[i].Total += by
		sums[i].Cells++
		s.Pairs++
	}
	if s.Pairs == 0 {
		return s
	}
	s.Tasks, s.Mean = len(sums), total/float64(s.Pairs)
	s.Low, s.High = benchmarks.Bootstrap(sums)
	s.P = benchmarks.SignFlip(sums)
	return s
}

// adjust corrects all tests of one question together.
func adjust(tests []*Test) {
	p := make([]float64, len(tests))
	for i, t := range tests {
		p[i] = t.P
	}
	for i, adjusted := range benchmarks.Holm(p) {
		tests[i].Adjusted = adjusted
	}
}

// compare sets Versus of every arm but the base.
func (rep *Report) compare(by map[benchmarks.Cell]benchmarks.Result) {
	var strict, lenient, wrong []*Test
	for i := range rep.Arms {
		a := &rep.Arms[i]
		if a.Arm == rep.Plan.Base {
			continue
		}
		ps := pairs(rep.of(a.Arm), rep.Plan.Base, by)
		v := rep.versus(ps)
		v.Each = measures(ps)
		a.Versus = v
		strict, lenient, wrong = append(strict, &v.Test), append(lenient, &v.Lenient.Test),
			append(wrong, &v.Wrong.Test)
	}
	adjust(strict)
	adjust(lenient)
	adjust(wrong)
	adjustEach(rep.Arms)
}

// versus compares the cells of ps; no p is corrected yet.
func (rep Report) versus(ps []pair) *Versus {
	easy := slices.DeleteFunc(slices.Clone(ps), func(p pair) bool { return !sound(p.mine.Cell) })
	c := compared(easy, succeeded)
	return &Versus{Base: rep.Plan.Base, Pairs: len(ps), Paired: compared(ps, succeeded),
		Lenient: compared(ps, solved), Wrong: shifted(ps, wrongs), Calm: Calm{len(easy), c.Better, c.Worse}}
}

// of are the results of one arm.
func (rep Report) of(arm string) []benchmarks.Result {
	var out []benchmarks.Result
	for _, r := range rep.Results {
		if r.Arm == arm {
			out = append(out, r)
		}
	}
	return out
}

// pairsNote says how the columns of versusTable are made.
const pairsNote = "Points with an interval at 95 %; p by McNemar's exact test with Holm's correction over " +
	"the arms; ~ may be chance. " +
	"The interval is that of one comparison (D. G. Bonett and R. M. Price, 2012): it may leave 0 out where " +
	"the corrected p does not tell the arms apart."

// versusTable has a row an arm but the base; false where there is nothing to compare.
func (rep Report) versusTable() (table.Table, bool) {
	t := table.Table{Title: fmt.Sprintf("Against %s on the same cells", rep.Plan.Base), Note: pairsNote,
		Head: []string{"arm", "cells", "strict", "better/worse", "p", "solved", "better/worse", "p"}}
	for _, a := range rep.Arms {
		if v := a.Versus; v != nil {
			t.Rows = append(t.Rows, []string{a.Arm, fmt.Sprint(v.Pairs), v.Words(), v.tally(),
				pValue(v.Adjusted),
				v.Lenient.Words(), v.Lenient.tally(), pValue(v.Lenient.Adjusted)})
		}
	}
	return t, len(t.Rows) > 0
}

func (p Paired) tally() string { return fmt.Sprintf("%d/%d", p.Better, p.Worse) }

// ControlsWords says in a sentence in how many cells of controls and forms an arm did worse than the base; ""
// where there is no such cell.
func (rep Report) ControlsWords() string {
	var worse, fine []string
	of := 0
	for _, a := range rep.Arms {
		v := a.Versus
		switch {
		case v == nil || v.Calm.Pairs == 0:
		case v.Calm.Worse > 0:
			worse = append(worse, fmt.Sprintf("%s in %d of %d", a.Arm, v.Calm.Worse, v.Calm.Pairs))
		default:
			fine, of = append(fine, a.Arm), max(of, v.Calm.Pairs)
		}
	}
	if len(fine) > 0 {
		worse = append(worse, fmt.Sprintf("%s in none of %d", strings.Join(fine, ", "), of))
	}
	if len(worse) == 0 {
		return ""
	}
	return fmt.Sprintf("Worse than %s (strict, same task, seed and fault) on controls and forms: %s cells.",
		rep.Plan.Base, strings.Join(worse, "; "))
}
