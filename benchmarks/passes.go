package benchmarks

import (
	"fmt"

	"gonum.org/v1/gonum/stat/combin"
)

// Pass says what k tries at the same task under the same seed come to: at least one success (pass@k: M. Chen et al., 2021)
// and nothing but successes (pass^k: S. Yao et al., 2024). Both are estimated without bias from all repeats.
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

// Estimate is a mean over groups, 0 to 1, with its interval at 95 % by a bootstrap over whole tasks.
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
func passAt(n, c, k int) float64 {
	if n-c < k {
		return 1
	}
	return 1 - float64(combin.Binomial(n-c, k))/float64(combin.Binomial(n, k))
}

// passAll is the chance that all of them did.
func passAll(n, c, k int) float64 {
	if c < k {
		return 0
	}
	return float64(combin.Binomial(c, k)) / float64(combin.Binomial(n, k))
}

// maxRepeats bounds how often a cell is played: a binomial coefficient of more does not go into an int.
const maxRepeats = 60

// tries are the repeats of one task under one seed and fault.
type tries struct{ n, strict, lenient int }

// passes are those of one arm for k from 1 to repeats; nil where cells are played once.
func passes(mine []Result, repeats int) []Pass {
	if repeats < 2 {
		return nil
	}
	by := map[Cell]*tries{}
	var order []Cell
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
	var out []Pass
	for k := 1; k <= repeats; k++ {
		p := Pass{K: k}
		mean := func(of func(*tries) float64) Estimate {
			tasks := map[string]int{}
			var sums []sum
			total := sum{}
			for _, c := range order {
				t := by[c]
				if t.n < k {
					continue
				}
				i, ok := tasks[c.Task]
				if !ok {
					i = len(sums)
					tasks[c.Task] = i
					sums = append(sums, sum{})
				}
				x := of(t)
				sums[i].total, sums[i].cells = sums[i].total+x, sums[i].cells+1
				total.total, total.cells = total.total+x, total.cells+1
			}
			p.Groups = total.cells
			if total.cells == 0 {
				return Estimate{High: 1}
			}
			low, high, _ := bootstrap(sums)
			return Estimate{total.total / float64(total.cells), low, high}
		}
		p.Any = mean(func(t *tries) float64 { return passAt(t.n, t.strict, k) })
		p.All = mean(func(t *tries) float64 { return passAll(t.n, t.strict, k) })
		p.LenientAny = mean(func(t *tries) float64 { return passAt(t.n, t.lenient, k) })
		p.LenientAll = mean(func(t *tries) float64 { return passAll(t.n, t.lenient, k) })
		if p.Groups > 0 {
			out = append(out, p)
		}
	}
	return out
}

// passTable has a row an arm and k; false where cells are played once.
func (rep Report) passTable() (table, bool) {
	t := table{title: "k tries at the same task under the same seed", head: []string{"arm", "k", "tasks × seeds", "strict: pass@k", "pass^k", "solved: pass@k", "pass^k"},
		note: "pass@k: at least one of k succeeds; pass^k: all do. Unbiased over all repeats; intervals at 95 % by a bootstrap over whole tasks."}
	for _, a := range rep.Arms {
		name := a.Arm
		for _, p := range a.Passes {
			t.rows = append(t.rows, []string{name, fmt.Sprint(p.K), fmt.Sprint(p.Groups), p.Any.Percent(), p.All.Percent(), p.LenientAny.Percent(), p.LenientAll.Percent()})
			name = ""
		}
	}
	return t, len(t.rows) > 0
}
