package benchmarks

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// confidence of all intervals, and the level below which a difference counts.
const (
	confidence = 0.95
	Alpha      = 1 - confidence
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

// Percent is the share with its interval: "93 % [81, 98]".
func (r Rate) Percent() string {
	if r.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %% [%.0f, %.0f]", 100*r.Share, 100*r.Low, 100*r.High)
}

// Wilson is the rate of yes among n with its score interval (E. B. Wilson, 1927): unlike the
// textbook interval it stays inside 0 to 1 and does not shrink to nothing at 0 or n.
func Wilson(yes, n int) Rate {
	r := Rate{Yes: yes, Of: n, High: 1}
	if n <= 0 {
		return r
	}
	z := distuv.UnitNormal.Quantile(1 - Alpha/2)
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

// FewestPairs is how many discordant pairs McNemar's test needs to be below alpha at all: with
// five, even 5 to 0 gives 0.0625.
const FewestPairs = 6

// Mean is the mean of x and its standard deviation, 0 for less than two values.
func Mean(x []float64) (m, sd float64) {
	if len(x) == 0 {
		return 0, 0
	}
	if len(x) == 1 {
		return x[0], 0
	}
	return stat.MeanStdDev(x, nil)
}

// PairedInterval is the interval at 95 % of the difference of two shares of the same n cells, -1 to 1, where
// better cells were gained and worse lost (D. G. Bonett and R. M. Price, 2012: one cell is added to each). It
// treats cells as independent, as McNemar's test does; without cells nothing is known.
func PairedInterval(better, worse, n int) (low, high float64) {
	if n <= 0 {
		return -1, 1
	}
	z := distuv.UnitNormal.Quantile(1 - Alpha/2)
	m := float64(n + 2)
	up, down := float64(better+1)/m, float64(worse+1)/m
	half := z * math.Sqrt((up+down-(up-down)*(up-down))/m)
	return max(-1, up-down-half), min(1, up-down+half)
}

const (
	// resamples of the bootstrap and of the sign-flip test above exactTasks: enough for a p that survives
	// Holm's correction over forty arms.
	resamples = 10000
	// exactTasks is of how many tasks that differ all 2^n flips are counted out.
	exactTasks = 16
	// FewestTasks is how many tasks must differ for the sign-flip test to be below alpha at all: with five,
	// even five of one sign give 2 of 32 flips, 0.0625.
	FewestTasks = 6
)

// Sum is a number added up over the cells of one cluster.
type Sum struct {
	Total float64
	Cells int
}

// Bootstrap is the interval at 95 % of the mean over cells, drawn by whole clusters: the expanded percentile
// interval (T. C. Hesterberg, 2015), whose quantiles are as far out as Student's t and the n-1 in the
// variance ask for, as the plain one is too narrow for few clusters. With one cluster it has no width. Its
// chance is fixed: equal input gives equal numbers.
func Bootstrap(clusters []Sum) (low, high float64) {
	if len(clusters) == 0 {
		return math.Inf(-1), math.Inf(1)
	}
	r := rand.New(rand.NewPCG(uint64(len(clusters)), resamples))
	means := make([]float64, resamples)
	for i := range means {
		var s Sum
		for range clusters {
			c := clusters[r.IntN(len(clusters))]
			s.Total, s.Cells = s.Total+c.Total, s.Cells+c.Cells
		}
		means[i] = s.Total / float64(s.Cells)
	}
	slices.Sort(means)
	tail := expandedTail(len(clusters))
	return stat.Quantile(tail, stat.Empirical, means, nil), stat.Quantile(1-tail, stat.Empirical, means, nil)
}

// expandedTail is the share of resamples of n clusters that is left out on either side.
func expandedTail(n int) float64 {
	if n < 2 {
		return Alpha / 2
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(1 - Alpha/2)
	return distuv.UnitNormal.CDF(-math.Sqrt(float64(n)/float64(n-1)) * t)
}

// SignFlip is the two-sided p of no difference from 0 in the mean over cells (R. A. Fisher, 1935): in what
// share of all ways to give each cluster's total either sign the mean is at least as far from 0. That is what
// comes of swapping the two arms on whole tasks, which changes nothing if the arms are alike. Above
// exactTasks clusters with a total other than 0 it is the share of resamples ways that are drawn by fixed
// chance, with the one found among them.
func SignFlip(clusters []Sum) float64 {
	var totals []float64
	found, size := 0.0, 0.0
	for _, c := range clusters {
		if c.Total != 0 { // a flipped 0 is the same: it would double both counts
			totals = append(totals, c.Total)
			found, size = found+c.Total, size+math.Abs(c.Total)
		}
	}
	far := math.Abs(found) - 1e-9*size // sums in another order than found's may differ in the last digits
	if len(totals) <= exactTasks {
		return float64(flipsBeyond(totals, 0, far)) / float64(int(1)<<len(totals))
	}
	r := rand.New(rand.NewPCG(uint64(len(totals)), resamples))
	beyond := 1
	for range resamples {
		s, signs := 0.0, uint64(0)
		for i, x := range totals {
			if i%64 == 0 {
				signs = r.Uint64()
			}
			if signs>>(i%64)&1 == 1 {
				x = -x
			}
			s += x
		}
		if math.Abs(s) >= far {
			beyond++
		}
	}
	return float64(beyond) / (resamples + 1)
}

// flipsBeyond counts the ways to sign totals that, added to s, come to at least far on either side of 0.
func flipsBeyond(totals []float64, s, far float64) int {
	if len(totals) > 0 {
		return flipsBeyond(totals[1:], s+totals[0], far) + flipsBeyond(totals[1:], s-totals[0], far)
	}
	if math.Abs(s) >= far {
		return 1
	}
	return 0
}
