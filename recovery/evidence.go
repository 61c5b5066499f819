package recovery

import (
	"math"
	"net/url"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Reviewer is another gate as this package asks it: the breaker wants to know what it would rule.
type Reviewer interface {
	Review(t *cua.Turn, p cua.Proposal) cua.Ruling
}

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

// samePlace says whether p goes to the same target or place as a step of the signal. px is how far
// two places may lie apart, CSS px, where no element was identified.
func samePlace(h cua.History, s cua.Signal, p cua.Proposal, px float64) bool {
	if p.Target.Identified() && p.Target.ID == s.Target {
		return true
	}
	at := pressPoint(p.Action, p.Target)
	for _, n := range s.Evidence {
		st := step(h, n)
		if st == nil || !st.Proposed.Kind.Pointer() {
			continue
		}
		if p.Target.Identified() && p.Target.ID == st.Target.ID {
			return true
		}
		q := pressPoint(st.Proposed, st.Target)
		if at == nil || q == nil {
			continue
		}
		// Two identified targets that differ are two places, however near: buttons side by side.
		both := p.Target.Identified() && st.Target.Identified()
		if !both && (near(*at, *q, px) || st.Target.Identified() && st.Target.Box.Contains(*at)) {
			return true
		}
		if both && s.Shape == cua.ShapeDrift && near(*at, *q, px) {
			return true
		}
	}
	return false
}

// sameAgain says whether p is, by its signature, what a step of the signal asked for.
func sameAgain(h cua.History, s cua.Signal, p cua.Proposal) bool {
	signature := cua.Signature(p.Action, p.Target)
	return slices.ContainsFunc(s.Evidence, func(n int) bool {
		st := step(h, n)
		return st != nil && cua.Signature(st.Proposed, st.Target) == signature
	})
}

// near compares both axes, edges included.
func near(a, b cua.Point, px float64) bool {
	return math.Abs(a.X-b.X) <= px && math.Abs(a.Y-b.Y) <= px
}

// origin is scheme, host and port of an address; the address itself where it has none.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return u.Scheme + "://" + u.Host
}
