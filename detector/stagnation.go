package detector

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// StagnationConfig says how many turns without anything new are a loop.
type StagnationConfig struct {
	// Soft and Hard are how many turns in a row may reach nothing new.
	Soft int `json:"soft"`
	Hard int `json:"hard"`
	// MaxNodes is the largest share of different nodes among those that the turns reached, 0 to 1. Walking
	// back through known pages reaches each of them once.
	MaxNodes float64 `json:"max_nodes"`
	// Blind is how many turns in a row may repeat earlier actions without page state; half as many more are
	// hard. An action counts as repeated if it was made within the Blind turns before.
	Blind int `json:"blind"`
}

// Stagnation holds while the last turns reached no new node and no new form, whatever was done and in which
// order: scrolling up and down one page, typing the same values back and forth, wandering over known pages.
// Only the last step of each decision counts. Waits and polls neither count nor end it: they are the shape
// stall. At least half of the counted steps must act, because looking alone is stall too.
//
// Without page state it holds while all actions repeat earlier ones. Scrolls and keys that move a cursor do
// not count there, because reading looks the same.
type Stagnation struct{ Config }

// Detect is pure (Detector).
func (s Stagnation) Detect(h cua.History) []cua.Signal { return traced(s, h) }

func (s Stagnation) detect(t *trace) []cua.Signal {
	c := s.Stagnation
	if t.blind {
		run := s.again(t)
		return signal(cua.ShapeStagnation, c.Blind, c.Blind+c.Blind/2, run, "", 0)
	}
	var run []*cua.Sample
	acting := 0
	for i := len(t.counted) - 1; i >= 0; i-- {
		x := t.counted[i]
		if x.New || x.After == "" || !x.Known {
			break
		}
		if x.Action.Kind == cua.Wait || !last(t.counted, i) {
			continue
		}
		run = append(run, x)
		if x.Acting {
			acting++
		}
	}
	if 2*acting < len(run) {
		return nil
	}
	slices.Reverse(run)
	for len(run) >= c.Soft && float64(nodes(run)) > c.MaxNodes*float64(len(run)) {
		run = run[1:] // the first step may have been a walk to that page
	}
	return signal(cua.ShapeStagnation, c.Soft, c.Hard, run, "", 0)
}

// last reports whether sample i is the last of its decision.
func last(samples []*cua.Sample, i int) bool {
	d := samples[i].Step.Decision
	return d == 0 || i+1 == len(samples) || samples[i+1].Step.Decision != d
}

// again is the longest run at the end in which each action that tells something was made before, without page
// state.
func (s Stagnation) again(t *trace) []*cua.Sample {
	var counted []*cua.Sample
	for _, x := range t.acting {
		if s.Blind.window(x) > 0 {
			counted = append(counted, x)
		}
	}
	i := len(counted)
	for i > 0 && !counted[i-1].Progress && s.made(counted[:i], counted[i-1]) {
		i--
	}
	return counted[i:]
}

// made reports whether the newest of samples was made before, within the window.
func (s Stagnation) made(samples []*cua.Sample, x *cua.Sample) bool {
	n := len(samples) - 1
	for _, o := range samples[max(0, n-s.Stagnation.Blind):n] {
		if s.like(o, x) {
			return true
		}
	}
	return false
}

// nodes is how many different nodes samples reached.
func nodes(samples []*cua.Sample) int {
	seen := map[string]bool{}
	for _, x := range samples {
		seen[x.After] = true
	}
	return len(seen)
}
