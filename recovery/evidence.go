package recovery

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Review is what a gate is asked. The breaker takes other gates' reviews as values.
type Review func(t *cua.Turn, p cua.Proposal) cua.Ruling

func pass(gate string) cua.Ruling { return cua.Ruling{Gate: gate, Verdict: cua.Pass} }

// fresh are the steps since the newest resumption that started with fresh counters.
func fresh(h cua.History) []cua.Step { return h.Steps[h.Fresh():] }

// pressPoint is where s pressed or would have pressed; nil for an action without a place.
func pressPoint(a cua.Action, t cua.Target) *cua.Point {
	if t.Point != nil {
		return t.Point
	}
	return a.Point
}

// step is the step with number n; nil when there is none.
func step(h cua.History, n int) *cua.Step {
	i, ok := slices.BinarySearchFunc(h.Steps, n, func(s cua.Step, n int) int { return s.N - n })
	if !ok {
		return nil
	}
	return &h.Steps[i]
}

// acting are the samples of the acting steps since the counters were fresh.
func acting(h cua.History) []cua.Sample {
	samples := h.Samples()[h.Fresh():]
	return slices.DeleteFunc(samples, func(s cua.Sample) bool { return !s.Acting })
}

// idle says whether the last n of samples are known to have had no effect.
func idle(samples []cua.Sample, n int) bool {
	if len(samples) < n {
		return false
	}
	return !slices.ContainsFunc(samples[len(samples)-n:], func(s cua.Sample) bool { return !s.Idle() })
}

// numbers are the step numbers of the last n of samples.
func numbers(samples []cua.Sample, n int) []int {
	var out []int
	for _, s := range samples[max(0, len(samples)-n):] {
		out = append(out, s.Step.N)
	}
	return out
}
