package cua

import (
	"maps"
	"slices"
)

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

// Fresh is the index of the first step that counters read: that of the newest
// resumption that somebody chose after a pause or a halt, 0 when there was none.
func (h History) Fresh() int {
	for _, r := range slices.Backward(h.Resumed) {
		if r.Fresh {
			return min(r.At, len(h.Steps))
		}
	}
	return 0
}

// resumedAt is what a resumption showed right before step i, nil when there was none.
func (h History) resumedAt(i int) *Observation {
	for j := range h.Resumed {
		if h.Resumed[j].At == i {
			return &h.Resumed[j].Page
		}
	}
	return nil
}

// ChurnMask is what changes by itself in one document: parts and tiles with idle
// changes in two intervals (spec: loops, idle changes).
type ChurnMask struct {
	Parts map[string]bool
	Tiles map[int]bool
}

// churnIntervals is in how many intervals something must have moved by itself.
const churnIntervals = 2

// churnCount counts the intervals of one document in which something moved by itself.
type churnCount struct {
	parts map[string]int
	tiles map[int]int
}

// Churn is the mask of the newest document, a function of the history. An idle
// change right after a wait is a late effect of the last acting step and is not
// counted, unless the page itself knows that no action caused it (Ambient).
func (h History) Churn() ChurnMask {
	now := h.Now()
	if c := h.churnCounts()[now.Document]; c != nil {
		return c.mask()
	}
	return ChurnMask{Parts: map[string]bool{}, Tiles: map[int]bool{}}
}

// churnCounts counts by document; documents in which nothing moved by itself are left out.
func (h History) churnCounts() map[string]*churnCount {
	counts := map[string]*churnCount{}
	at := func(doc string) *churnCount {
		if counts[doc] == nil {
			counts[doc] = &churnCount{parts: map[string]int{}, tiles: map[int]int{}}
		}
		return counts[doc]
	}
	ambient := func(o *Observation) {
		for _, p := range o.Ambient.Parts {
			at(o.Document).parts[p]++
		}
	}
	ambient(&h.Start)
	for i := range h.Steps {
		s := &h.Steps[i]
		if idle := &s.Target.Idle; len(idle.Parts)+len(idle.Tiles) > 0 && !h.afterWait(i) {
			c := at(h.Before(i).Document)
			for _, p := range idle.Parts {
				if !slices.Contains(idle.Caused, p) {
					c.parts[p]++
				}
			}
			for _, t := range idle.Tiles {
				c.tiles[t]++
			}
		}
		if s.Dispatched() { // a step without dispatch holds the page as it was
			ambient(&s.After)
		}
	}
	return counts
}

func (c *churnCount) mask() ChurnMask {
	return ChurnMask{Parts: atLeast(c.parts, churnIntervals), Tiles: atLeast(c.tiles, churnIntervals)}
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

// churnMasks are the masks of all pages of a history, by path. What moves by
// itself in one document of a page moves in the others too: without that, the
// same page would be another node after each reload. Nil when nothing moves.
type churnMasks map[string]*ChurnMask

// noChurn explains nothing.
var noChurn = &ChurnMask{}

func (m churnMasks) of(o *Observation) *ChurnMask {
	if len(m) == 0 {
		return noChurn
	}
	if mask := m[path(o.URL)]; mask != nil {
		return mask
	}
	return noChurn
}

func (h History) masks() churnMasks {
	byDoc := map[string]ChurnMask{}
	for doc, c := range h.churnCounts() {
		if mask := c.mask(); len(mask.Parts)+len(mask.Tiles) > 0 {
			byDoc[doc] = mask
		}
	}
	if len(byDoc) == 0 {
		return nil
	}
	out := churnMasks{}
	var doc, raw string // of the observation before: most are of one page
	add := func(o *Observation) {
		mask, ok := byDoc[o.Document]
		if !ok || doc == o.Document && raw == o.URL && len(out) > 0 {
			return
		}
		doc, raw = o.Document, o.URL
		p := path(o.URL)
		if out[p] == nil {
			out[p] = &ChurnMask{Parts: map[string]bool{}, Tiles: map[int]bool{}}
		}
		maps.Copy(out[p].Parts, mask.Parts)
		maps.Copy(out[p].Tiles, mask.Tiles)
	}
	add(&h.Start)
	for i := range h.Steps {
		add(&h.Steps[i].After)
	}
	for i := range h.Resumed {
		add(&h.Resumed[i].Page)
	}
	return out
}

// afterWait says whether step i (an index) directly follows a dispatched wait.
func (h History) afterWait(i int) bool {
	return i > 0 && h.Steps[i-1].Action != nil && h.Steps[i-1].Action.Kind == Wait
}
