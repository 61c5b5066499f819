package benchmarks

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// clustersOf are clusters of ten cells each.
func clustersOf(totals ...float64) (out []Sum) {
	for _, x := range totals {
		out = append(out, Sum{x, 10})
	}
	return out
}

// The bootstrap against all resamples of five clusters, 5⁵ = 3125, counted out one by one: their quantiles
// are what it estimates, and no cell is drawn without its cluster.
func TestBootstrapAgainstAllResamples(t *testing.T) {
	clusters := []Sum{{-3, 4}, {5, 2}, {0, 6}, {8, 4}, {-1, 1}}
	var all []float64
	for draw := range 3125 {
		var s Sum
		for _, digit := range [...]int{draw, draw / 5, draw / 25, draw / 125, draw / 625} {
			c := clusters[digit%5]
			s.Total, s.Cells = s.Total+c.Total, s.Cells+c.Cells
		}
		all = append(all, s.Total/float64(s.Cells))
	}
	slices.Sort(all)
	low, high := Bootstrap(clusters)
	about(t, "low", low, all[2], 0.15) // 0.095 % of 3125 are 3
	about(t, "high", high, all[3122], 0.15)
}

// What is left out on either side in place of 0.025, as ExpandProbs of T. C. Hesterberg's R package resample
// has it: pnorm(qt(0.025, n-1) * sqrt(n / (n-1))).
func TestExpandedTailAgainstPublishedValues(t *testing.T) {
	for n, want := range map[int]float64{5: 0.0010, 10: 0.0086, 20: 0.0159, 40: 0.0203, 100: 0.0231} {
		about(t, "tail", expandedTail(n), want, 1e-4)
	}
}

func TestBootstrapOverClusters(t *testing.T) {
	for _, row := range []struct {
		name      string
		of        []Sum
		low, high float64
	}{
		{"nothing", nil, math.Inf(-1), math.Inf(1)},
		{"one task has no width", clustersOf(-5), -0.5, -0.5},
		{"no difference anywhere", clustersOf(0, 0, 0, 0, 0, 0), 0, 0},
		{"the same in each", clustersOf(-5, -5, -5, -5, -5, -5), -0.5, -0.5},
		{"in one of eight", clustersOf(-40, 0, 0, 0, 0, 0, 0, 0), -2, 0}, // four draws of it in eight
		{"both ways", clustersOf(-5, 5, -5, 5, -5, 5), -0.5, 0.5},
	} {
		low, high := Bootstrap(row.of)
		if low != row.low && math.Abs(low-row.low) > 1e-9 || high != row.high &&
			math.Abs(high-row.high) > 1e-9 {
			t.Errorf("%s: [%.2f, %.2f]", row.name, low, high)
		}
		if l, h := Bootstrap(row.of); l != low || h != high {
			t.Errorf("%s: another time other numbers", row.name)
		}
	}
}

// All 2⁵ flips of 1, 2, 3, 4 and -5, counted out by hand: the sum found is 5. Of totals 1 to 5 with any signs
// the sum is 15 less twice what is negative, so it is 5 or more where the negative ones come to 5 at most
// (the sets {}, 1, 2, 3, 4, 5, 12, 13, 14, 23: ten), and -5 or less in as many.
func TestSignFlipCountedOut(t *testing.T) {
	for _, row := range []struct {
		name string
		of   []Sum
		p    float64
	}{
		{"nothing", nil, 1},
		{"no difference anywhere", clustersOf(0, 0, 0, 0, 0, 0), 1},
		{"counted by hand", clustersOf(1, 2, 3, 4, -5), 20. / 32},
		{"the other way", clustersOf(-1, -2, -3, -4, 5), 20. / 32},
		{"uneven clusters count by their cells", []Sum{{1, 1}, {2, 5}, {3, 2}, {4, 1}, {-5, 9}}, 20. / 32},
		{"a task without a difference tells nothing", clustersOf(1, 2, 0, 3, 4, 0, -5), 20. / 32},
		{"sums in tenths, which no float has", clustersOf(.1, .2, .3, .4, -.5), 20. / 32},
		{"five of one sign are not enough", clustersOf(-5, -5, -5, -5, -5), 2. / 32},
		{"five of one sign, uneven", clustersOf(1, 100, 3, 20, 7), 2. / 32},
		{"six are", clustersOf(1, 100, 3, 20, 7, 2), 2. / 64},
		{"both ways", clustersOf(-5, 5, -5, 5, -5, 5), 1},
		{"in one of eight", clustersOf(-40, 0, 0, 0, 0, 0, 0, 0), 1},
		{"sixteen of one sign", clustersOf(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), 2. / 65536},
	} {
		about(t, row.name, SignFlip(row.of), row.p, 1e-12)
	}
	for n := range 2 * FewestTasks {
		same := clustersOf(slices.Repeat([]float64{3}, n)...)
		if p := SignFlip(same); (p < Alpha) != (n >= FewestTasks) {
			t.Errorf("%d tasks of one sign: p %v, but fewestTasks is %d", n, p, FewestTasks)
		}
	}
}

// Above exactTasks the flips are drawn. Tasks that differ by one each are a coin's throws, of which the
// binomial is known: 14 of 20, and 20 of 20, which no draw comes to.
func TestSignFlipDrawn(t *testing.T) {
	many := func(up, down int) []Sum {
		return clustersOf(append(slices.Repeat([]float64{2}, up), slices.Repeat([]float64{-2}, down)...)...)
	}
	about(t, "14 to 6", SignFlip(many(14, 6)), McNemar(14, 6), 0.015)
	about(t, "20 to 0", SignFlip(many(20, 0)), 1./(resamples+1), 1e-4)
	about(t, "50 to 50", SignFlip(many(50, 50)), 1, 0)
	about(t, "60 to 40 of more than a word has bits", SignFlip(many(60, 40)), McNemar(60, 40), 0.015)
	if a := SignFlip(many(60, 40)); a != SignFlip(many(60, 40)) {
		t.Error("another time another number")
	}
}

// Where the arms are alike, one study in twenty may be significant and no more, however few tasks it has, and
// the interval leaves 0 out about as seldom. (The plain percentile interval and its p do so three times as
// often at five.)
func TestFewTasksRaiseNoFalseAlarms(t *testing.T) {
	const studies, drawn = 1000, 250
	for _, n := range []int{5, 6, 8, 10} {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		alarms, out := 0, 0
		for i := range studies {
			clusters := make([]Sum, n)
			for k := range clusters {
				cells := 1 + r.IntN(6)
				clusters[k] = Sum{r.NormFloat64() * float64(cells), cells}
			}
			if SignFlip(clusters) < Alpha {
				alarms++
			}
			if i >= drawn { // the bootstrap takes long
				continue
			}
			if low, high := Bootstrap(clusters); low > 0 || high < 0 {
				out++
			}
		}
		if n < FewestTasks && alarms > 0 || alarms > studies*7/100 || out > drawn*11/100 {
			t.Errorf("%d tasks: false alarms %d of %d, intervals without 0 %d of %d", n, alarms, studies,
				out, drawn)
		}
	}
}
