package benchmarks

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func about(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.Abs(got-want) > tol {
		t.Errorf("%s = %.6f, want %.6f", what, got, want)
	}
}

func TestWilsonAgainstPublishedValues(t *testing.T) {
	for _, c := range []struct {
		name      string
		yes, n    int
		low, high float64
	}{
		// Newcombe (1998), table I, method 3.
		{"81 of 263", 81, 263, 0.2553, 0.3662},
		{"15 of 148", 15, 148, 0.0624, 0.1605},
		{"0 of 20", 0, 20, 0, 0.1611},
		{"1 of 29", 1, 29, 0.0061, 0.1718},
		{"all of 20", 20, 20, 1 - 0.1611, 1},
		{"nothing asked", 0, 0, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Wilson(c.yes, c.n)
			about(t, "low", r.Low, c.low, 5e-5)
			about(t, "high", r.High, c.high, 5e-5)
		})
	}
}

func TestWilsonHoldsItsShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 500).Draw(t, "n")
		yes := rapid.IntRange(0, n).Draw(t, "yes")
		r := Wilson(yes, n)
		if r.Low < 0 || r.High > 1 || r.Low > r.Share || r.Share > r.High || r.Low == r.High {
			t.Fatalf("bad interval %+v", r)
		}
	})
}

// The values of M. W. Fagerland, S. Lydersen and P. Laake, Statistical Analysis of Contingency Tables (2017),
// chapter 8, on the response before and after consolidation therapy (M. Cavo et al., 2012): 6 and 16 of 161
// pairs differ. They are printed by the R package contingencytables: McNemar_exact_cond_test_paired_2x2 and
// Wald_CI_BonettPrice_paired_2x2.
func TestPairedAgainstPublishedValues(t *testing.T) {
	about(t, "exact McNemar", McNemar(6, 16), 0.052479, 5e-7)
	low, high := PairedInterval(6, 16, 161)
	about(t, "low", low, -0.1195, 5e-5)
	about(t, "high", high, -0.0032, 5e-5)
}

func TestMcNemarExact(t *testing.T) {
	for _, c := range []struct {
		name          string
		better, worse int
		p             float64
	}{
		{"no pair differs", 0, 0, 1},
		{"balanced", 3, 3, 1},
		{"five to nothing is not enough", 5, 0, 0.0625},
		{"six to nothing is", 6, 0, 0.03125},
		{"one to nine", 1, 9, 0.021484375},
		{"ten to two", 10, 2, 0.03857421875},
	} {
		t.Run(c.name, func(t *testing.T) { about(t, "p", McNemar(c.better, c.worse), c.p, 1e-9) })
	}
	if McNemar(FewestPairs, 0) >= Alpha || McNemar(FewestPairs-1, 0) < Alpha {
		t.Error("fewestPairs is not the number at which the test can speak")
	}
}

func TestHolmKeepsOrderAndNeverLowers(t *testing.T) {
	// As R's p.adjust(p, "holm") has it: 4·0.005, 3·0.01, 2·0.03, and 0.04 is raised to what is before it.
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		about(t, "adjusted", got[i], want, 1e-12)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.Float64Range(0, 1)).Draw(t, "p")
		adj := Holm(slices.Clone(p))
		for i := range p {
			if adj[i] < p[i] || adj[i] > 1 {
				t.Fatalf("p %v became %v", p[i], adj[i])
			}
		}
	})
}

// The interval of a paired difference, against the formula worked out by hand and at its edges.
func TestPairedInterval(t *testing.T) {
	for _, row := range []struct {
		name             string
		better, worse, n int
		low, high        float64
	}{
		{"no cells", 0, 0, 0, -1, 1},
		{"no difference", 0, 0, 98, -0.0277, 0.0277}, // 1.96·√(0.02/100)
		{"8 to 0 of 16", 8, 0, 16, 0.1680, 0.7209},
		{"the other way", 0, 8, 16, -0.7209, -0.1680},
		{"all of many", 1000, 0, 1000, 0.9936, 1},
	} {
		low, high := PairedInterval(row.better, row.worse, row.n)
		if math.Abs(low-row.low) > 5e-4 || math.Abs(high-row.high) > 5e-4 {
			t.Errorf("%s: [%.4f, %.4f], want [%.4f, %.4f]", row.name, low, high, row.low, row.high)
		}
	}
}
