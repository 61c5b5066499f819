package report

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
)

// Both are counted out: of the 252 ways to draw 5 of 10 tries, 21 leave all of 3 successes out; of the 45
// ways to draw 2 of them, 3 are of successes alone.
func TestPassEstimators(t *testing.T) {
	for _, c := range []struct {
		name     string
		n, c, k  int
		any, all float64
	}{
		{"3 of 10, five tries", 10, 3, 5, 1 - 21.0/252, 0},
		{"3 of 10, two tries", 10, 3, 2, 1 - 21.0/45, 3.0 / 45},
		{"one try is the share", 10, 3, 1, 0.3, 0.3},
		{"never", 4, 0, 3, 0, 0},
		{"always", 4, 4, 3, 1, 1},
		{"all tries with one failure", 5, 4, 5, 1, 0},
		{"as many as can be", benchmarks.MaxRepeats, benchmarks.MaxRepeats / 2, benchmarks.MaxRepeats / 2, 1 - 1/118264581564861424.0, 1 / 118264581564861424.0}, // C(60, 30)
	} {
		t.Run(c.name, func(t *testing.T) {
			studytest.Near(t, "pass@k", passAt(c.n, c.c, c.k), c.any, 1e-12)
			studytest.Near(t, "pass^k", passAll(c.n, c.c, c.k), c.all, 1e-12)
		})
	}
}

// The estimators against the product form of M. Chen et al. (2021), figure 3, and against the coefficients
// themselves.
func TestPassEstimatorsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// a benchmark's own list may have a seed as often as it likes
		n := rapid.IntRange(1, 5*benchmarks.MaxRepeats).Draw(t, "n")
		c := rapid.IntRange(0, n).Draw(t, "c")
		k := rapid.IntRange(1, n).Draw(t, "k")
		want := 1.0
		if n-c >= k {
			miss := 1.0
			for i := n - c + 1; i <= n; i++ {
				miss *= 1 - float64(k)/float64(i)
			}
			want = 1 - miss
		}
		if got := passAt(n, c, k); math.Abs(got-want) > 1e-9 {
			t.Fatalf("pass@%d of %d in %d = %v, want %v", k, c, n, got, want)
		}
		all, _ := new(big.Rat).SetFrac(new(big.Int).Binomial(int64(c), int64(k)),
			new(big.Int).Binomial(int64(n), int64(k))).Float64()
		if got, want := passAll(n, c, k), all; math.Abs(got-want) > 1e-9 {
			t.Fatalf("pass^%d of %d in %d = %v, want %v", k, c, n, got, want)
		}
	})
}

// Default does the stepper in two of three repeats, and all else always; off never does anything.
func TestReportOfRepeats(t *testing.T) {
	p := studytest.Plan(2)
	p.Repeats = 3
	cells, err := p.Cells()
	if err != nil {
		t.Fatal(err)
	}
	s := &benchmarks.Study{Plan: p}
	for _, c := range cells {
		did := c.Arm == "default" && (c.Task != "stepper" || c.Repeat > 0)
		s.Results = append(s.Results, benchmarks.Result{Cell: c, Solvable: true, Success: did, Lenient: did})
	}
	rep, err := Of(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range rep.Arms {
		if len(a.Passes) != 3 {
			t.Fatalf("%s: %d", a.Arm, len(a.Passes))
		}
		for i, pass := range a.Passes {
			any, all := 0.0, 0.0
			if a.Arm == "default" { // of three tasks one has two of three
				any, all = []float64{8.0 / 9, 1, 1}[i], []float64{8.0 / 9, 7.0 / 9, 2.0 / 3}[i]
			}
			if pass.K != i+1 || pass.Groups != 6 || math.Abs(pass.Any.Share-any) > 1e-9 ||
				math.Abs(pass.All.Share-all) > 1e-9 || pass.All.Low > all || pass.All.High < all ||
				pass.All.Low == pass.All.High || pass.Any.Low == pass.Any.High {
				t.Errorf("%s: %+v", a.Arm, pass)
			}
		}
	}
	// Off never does anything: that is nothing in three tasks, not in all tasks there are.
	if got, want := rep.Arms[1].Passes[0].Any, benchmarks.Wilson(0, 3); got.Low != 0 ||
		got.High != want.High {
		t.Errorf("never: %+v, want %+v", got, want)
	}
	var out strings.Builder
	if err := rep.WriteText(&out); err != nil || !strings.Contains(out.String(), "pass^k") {
		t.Errorf("%v:\n%s", err, out.String())
	}
	p.Repeats = 0
	if once := passes(slices.Clone(rep.Results), p.Repeats); once != nil {
		t.Errorf("without repeats: %+v", once)
	}
}
