package report

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/table"
)

// Pass says what k tries at the same task under the same seed come to: at least one success (pass@k: M. Chen
// et al., 2021) and nothing but successes (pass^k: S. Yao et al., 2024). Both are estimated without bias from
// all repeats.
type Pass struct {
	K int `json:"k"`
	// Groups are the tasks under one seed and fault with at least k repeats.
	Groups int `json:"groups"`
	// Any is pass@k, All is pass^k.
	Any Estimate `json:"pass_at_k"`
	All Estimate `json:"pass_hat_k"`
	// LenientAny and LenientAll are the same of what was solved.
	LenientAny Estimate `json:"lenient_pass_at_k"`
	LenientAll Estimate `json:"lenient_pass_hat_k"`
}

// Estimate is a mean over groups, 0 to 1, with its interval at 95 % by a bootstrap over whole tasks; where
// all groups came to 0 or all to 1, Wilson's over as many cells as there are tasks.
type Estimate struct {
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Percent is the share with its interval: "93 % [81, 98]".
func (e Estimate) Percent() string {
	return fmt.Sprintf("%.0f %% [%.0f, %.0f]", 100*e.Share, 100*e.Low, 100*e.High)
}

// passAt is the chance that of k tries drawn from n, of which c succeeded, at least one did; k is 1 to n.
func passAt(n, c, k int) float64 { return 1 - passAll(n, n-c, k) }

// passAll is the chance that all of them did: c over k by n over k, one try after the other, as the
// coefficients themselves soon go beyond any number.
func passAll(n, c, k int) float64 {
	p := 1.0
	for i := range k {
		p *= float64(max(c-i, 0)) / float64(n-i)
	}
	return p
}

// tries are the repeats of one task under one seed and fault.
type tries struct{ n, strict, lenient int }

// triesOf are the tries of one arm by task, seed and fault, in the order of the results.
func triesOf(mine []benchmarks.Result) (order []benchmarks.Cell, by map[benchmarks.Cell]*tries) {
	by = map[benchmarks.Cell]*tries{}
	for _, r := range mine {
		c := r.Cell
		c.Repeat = 0
		t := by[c]
		if t == nil {
			t = &tries{}
			by[c] = t
			order = append(order, c)
		}
		t.n++
		if r.Success {
			t.strict++
		}
		if r.Lenient {
			t.lenient++
		}
	}
	return order, by
}

// passes are those of one arm for k from 1 to repeats; nil where cells are played once.
func passes(mine []benchmarks.Result, repeats int) []Pass {
	if repeats < 2 {
		return nil
	}
	order, by := triesOf(mine)
	var out []Pass
	for k := 1; k <= repeats; k++ {
		drawn := slices.DeleteFunc(slices.Clone(order), func(c benchmarks.Cell) bool { return by[c].n < k })
		if len(drawn) == 0 {
			continue
		}
		mean := func(of func(*tries) float64) Estimate {
			return meanByTask(drawn, func(c benchmarks.Cell) float64 { return of(by[c]) })
		}
		out = append(out, Pass{
			K: k, Groups: len(drawn),
			Any:        mean(func(t *tries) float64 { return passAt(t.n, t.strict, k) }),
			All:        mean(func(t *tries) float64 { return passAll(t.n, t.strict, k) }),
			LenientAny: mean(func(t *tries) float64 { return passAt(t.n, t.lenient, k) }),
			LenientAll: mean(func(t *tries) float64 { return passAll(t.n, t.lenient, k) }),
		})
	}
	return out
}

// meanByTask is the mean of cells, of which there is one at least, with the interval over their tasks.
func meanByTask(cells []benchmarks.Cell, of func(benchmarks.Cell) float64) Estimate {
	tasks := map[string]int{}
	var sums []benchmarks.Sum
	total := 0.0
	for _, c := range cells {
		i, ok := tasks[c.Task]
		if !ok {
			i = len(sums)
			tasks[c.Task] = i
			sums = append(sums, benchmarks.Sum{})
		}
		x := of(c)
		sums[i].Total, sums[i].Cells = sums[i].Total+x, sums[i].Cells+1
		total += x
	}
	share := total / float64(len(cells))
	if share == 0 || share == 1 { // every resample is the same, and shows nothing of what did not come up
		all := benchmarks.Wilson(int(share)*len(sums), len(sums))
		return Estimate{share, all.Low, all.High}
	}
	low, high := benchmarks.Bootstrap(sums)
	return Estimate{share, low, high}
}

// tried says what the groups of Pass are.
func (rep Report) tried() string {
	if len(rep.Plan.EachFault) > 0 {
		return "tasks × seeds × faults"
	}
	return "tasks × seeds"
}

// passTable has a row an arm and k; false where cells are played once.
func (rep Report) passTable() (table.Table, bool) {
	t := table.Table{Title: "k tries at the same task under the same seed",
		Head: []string{"arm", "k", rep.tried(), "strict: pass@k", "pass^k", "solved: pass@k", "pass^k"},
		Note: "pass@k: at least one of k succeeds; pass^k: all do. Unbiased over all repeats; intervals at " +
			"95 % by a bootstrap over whole tasks, where all came to the same Wilson's over tasks."}
	for _, a := range rep.Arms {
		name := a.Arm
		for _, p := range a.Passes {
			t.Rows = append(t.Rows, []string{name, fmt.Sprint(p.K), fmt.Sprint(p.Groups), p.Any.Percent(),
				p.All.Percent(), p.LenientAny.Percent(), p.LenientAll.Percent()})
			name = ""
		}
	}
	return t, len(t.Rows) > 0
}
