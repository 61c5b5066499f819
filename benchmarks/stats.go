package benchmarks

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// confidence of all intervals, and the level below which a difference counts.
const (
	confidence = 0.95
	alpha      = 1 - confidence
)

// Rate is a share of cells with its Wilson score interval at 95 %.
type Rate struct {
	Yes int `json:"yes"`
	Of  int `json:"of"`
	// Share is Yes/Of, 0 to 1; 0 when Of is 0, and then Low is 0 and High 1: nothing is known.
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Wilson is the rate of yes among n with its score interval (E. B. Wilson, 1927): unlike the
// textbook interval it stays inside 0 to 1 and does not shrink to nothing at 0 or n.
func Wilson(yes, n int) Rate {
	r := Rate{Yes: yes, Of: n, High: 1}
	if n <= 0 {
		return r
	}
	z := distuv.UnitNormal.Quantile(1 - alpha/2)
	p, nn := float64(yes)/float64(n), float64(n)
	mid := (p + z*z/(2*nn)) / (1 + z*z/nn)
	half := z / (1 + z*z/nn) * math.Sqrt(p*(1-p)/nn+z*z/(4*nn*nn))
	r.Share, r.Low, r.High = p, max(0, mid-half), min(1, mid+half)
	if yes == 0 {
		r.Low = 0
	}
	if yes == n {
		r.High = 1
	}
	return r
}

// McNemar is the exact two-sided p of better against worse discordant pairs: how often a
// fair coin would be at least as uneven. 1 when there are none.
func McNemar(better, worse int) float64 {
	n := better + worse
	if n == 0 {
		return 1
	}
	fair := distuv.Binomial{N: float64(n), P: 0.5}
	return min(1, 2*fair.CDF(float64(min(better, worse))))
}

// Holm adjusts p values for having asked several questions at once (S. Holm, 1979); order is kept.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	worst := 0.0
	for rank, i := range order {
		worst = max(worst, min(1, p[i]*float64(len(p)-rank)))
		out[i] = worst
	}
	return out
}

// fewestPairs is how many discordant pairs McNemar's test needs to be below alpha at all: with
// five, even 5 to 0 gives 0.0625.
const fewestPairs = 6

// mean is the mean of x and its standard deviation, 0 for less than two values.
func mean(x []float64) (m, sd float64) {
	if len(x) == 0 {
		return 0, 0
	}
	if len(x) == 1 {
		return x[0], 0
	}
	return stat.MeanStdDev(x, nil)
}
