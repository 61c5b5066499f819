package cua

import "slices"

// Live are the steps that no rewind undid, in order. Form control and the prompt
// use these; caps and counts use all steps.
func Live(steps []Step) []Step {
	rewound := slices.ContainsFunc(steps, func(s Step) bool { return s.RewoundTo > 0 })
	if !rewound {
		return steps
	}
	var out []Step
	for _, s := range steps {
		if s.RewoundTo > 0 {
			out = slices.DeleteFunc(out, func(o Step) bool { return o.N >= s.RewoundTo })
		}
		out = append(out, s)
	}
	return out
}

// ChurnMask is what changes by itself in the current document: parts and tiles
// with idle changes in two intervals (spec: loops, idle changes).
type ChurnMask struct {
	Parts map[string]bool
	Tiles map[int]bool
}

// churnIntervals is in how many intervals something must have moved by itself.
const churnIntervals = 2

// Churn is the mask of the newest document, a function of the history. An idle
// change right after a wait is a late effect of the last acting step and is not
// counted, unless the page itself knows that no action caused it (Ambient).
func (h History) Churn() ChurnMask {
	parts, tiles := map[string]int{}, map[int]int{}
	doc := h.Now().Document
	ambient := func(o Observation) {
		if o.Document == doc {
			for _, p := range o.Ambient.Parts {
				parts[p]++
			}
		}
	}
	ambient(h.Start)
	for i := range h.Steps {
		s := &h.Steps[i]
		if h.Before(i).Document == doc && !h.afterWait(i) {
			for _, p := range s.Target.Idle.Parts {
				if !slices.Contains(s.Target.Idle.Caused, p) {
					parts[p]++
				}
			}
			for _, t := range s.Target.Idle.Tiles {
				tiles[t]++
			}
		}
		ambient(s.After)
	}
	return ChurnMask{Parts: atLeast(parts, churnIntervals), Tiles: atLeast(tiles, churnIntervals)}
}

func atLeast[K comparable](count map[K]int, n int) map[K]bool {
	out := map[K]bool{}
	for k, c := range count {
		if c >= n {
			out[k] = true
		}
	}
	return out
}

// afterWait says whether step i (an index) directly follows a dispatched wait.
func (h History) afterWait(i int) bool {
	return i > 0 && h.Steps[i-1].Action != nil && h.Steps[i-1].Action.Kind == Wait
}
