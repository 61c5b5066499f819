package report

import "github.com/cua-runner/cua-runner/benchmarks"

// measures are the numbers a cell that a comparison of two studies looks at.
func measures(ps []pair) []Measure {
	always := func(of func(benchmarks.Result) float64) func(pair) (float64, float64, bool) {
		return func(p pair) (float64, float64, bool) { return of(p.mine), of(p.base), true }
	}
	steps := func(r benchmarks.Result) float64 { return float64(r.Steps) }
	var out []Measure
	for _, m := range []struct {
		name   string
		number func(pair) (a, b float64, known bool)
	}{
		{"steps", always(steps)},
		{"steps, both solved", func(p pair) (float64, float64, bool) {
			return steps(p.mine), steps(p.base), solved(p.mine) && solved(p.base)
		}},
		{"wasted steps", always(func(r benchmarks.Result) float64 { return float64(r.Wasted) })},
		{"nudges", always(func(r benchmarks.Result) float64 { return float64(r.Nudges) })},
		{"wrong interventions", func(p pair) (float64, float64, bool) {
			return float64(p.mine.WrongCount()), float64(p.base.WrongCount()),
				p.mine.Wrong != nil && p.base.Wrong != nil
		}},
		{"seconds", always(func(r benchmarks.Result) float64 { return float64(r.DurationMS) / 1000 })},
		{"tokens", func(p pair) (float64, float64, bool) {
			return float64(p.mine.Tokens), float64(p.base.Tokens), p.mine.Tokens > 0 || p.base.Tokens > 0
		}},
		{"USD", func(p pair) (float64, float64, bool) {
			if p.mine.USD == nil || p.base.USD == nil {
				return 0, 0, false
			}
			return *p.mine.USD, *p.base.USD, true
		}},
	} {
		if x := measure(m.name, ps, m.number); x.Pairs > 0 {
			out = append(out, x)
		}
	}
	return out
}

// measure compares one number; p is not corrected yet.
func measure(name string, ps []pair, number func(pair) (a, b float64, known bool)) Measure {
	m := Measure{Name: name, Shift: shiftedBy(ps, func(p pair) (float64, bool) {
		a, b, known := number(p)
		return a - b, known
	})}
	for _, p := range ps {
		if a, b, known := number(p); known {
			m.A, m.B = m.A+a, m.B+b
		}
	}
	if m.Pairs > 0 {
		m.A, m.B = m.A/float64(m.Pairs), m.B/float64(m.Pairs)
	}
	return m
}
