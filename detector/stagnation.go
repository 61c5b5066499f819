package detector

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// StagnationConfig says when nothing new is a loop.
type StagnationConfig struct {
	// Soft and Hard are how many turns in a row may reach nothing new.
	Soft int `json:"soft"`
	Hard int `json:"hard"`
	// MaxNodes is the largest share of different nodes among those that the turns reached, 0 to 1: who walks
	// back through known pages sees each of them once.
	MaxNodes float64 `json:"max_nodes"`
	// Blind is how many turns in a row may repeat earlier actions where a run has no page state; half as many
	// more are hard. An action is repeated that was made within the Blind turns before.
	Blind int `json:"blind"`
}

// Stagnation holds while the last turns reached no new node and no new form, whatever was done and in which
// order: scrolling up and down one page, typing the same values to and fro, wandering over known pages. Of
// the steps of one decision the last counts. Waits and polls neither count nor end it: they are the matter of
// stall. At least half of what counts must act, so that looking alone is the matter of stall too.
//
// Where a run has no page state it holds while nothing is done but what was done before. Scrolls and keys
// that move a cursor count for nothing there: reading looks just so.
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
		run = run[1:] // the way there may have been a walk
	}
	return signal(cua.ShapeStagnation, c.Soft, c.Hard, run, "", 0)
}

// last says whether sample i is the last of its decision.
func last(samples []*cua.Sample, i int) bool {
	d := samples[i].Step.Decision
	return d == 0 || i+1 == len(samples) || samples[i+1].Step.Decision != d
}

// again is the longest end of the run in which each action that tells something was made before, without page
// state.
func (s Stagnation) again(t *trace) []*cua.Sample {
	var told []*cua.Sample
	for _, x := range t.acting {
		if s.Blind.window(x) > 0 {
			told = append(told, x)
		}
	}
	i := len(told)
	for i > 0 && !told[i-1].Progress && s.made(told[:i], told[i-1]) {
		i--
	}
	return told[i:]
}

// made says whether the newest of samples was made before, within the window.
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
