package cua

import (
	"maps"
	"strings"
)

// churnIntervals is in how many intervals something must have moved without an action to count as churn.
const churnIntervals = 2

// churnCount counts, for one document, the intervals in which something moved without an action.
type churnCount struct {
	parts map[string]int
	tiles map[int]int
}

// churn counts by document what moves without an action in a history that grows. It has no entry for a
// document in which nothing does.
type churn struct {
	counts map[string]*churnCount
	// paths are the pages of those documents: masks are shared by page.
	paths map[string]map[string]bool
	steps int // how many have been read; started says the same of the start
	begun bool
	// grown are the documents whose mask or pages have changed since the last call of masks.
	grown map[string]bool
	known churnMasks
	// counted are the parts and tiles already counted in this interval. One change shows in several reports:
	// in that of Locate, in that of another Locate, and in the next observation.
	counted churnSeen
	// doc and raw are those of the last observation: most are of the same page.
	doc, raw string
}

// churnSeen is what was counted in one interval of one document. The zero value is empty.
type churnSeen struct {
	doc   string
	parts map[string]bool
	tiles map[int]bool
}

// first reports whether k is new in seen, and adds it.
func first[K comparable](seen *map[K]bool, k K) bool {
	if (*seen)[k] {
		return false
	}
	if *seen == nil {
		*seen = map[K]bool{}
	}
	(*seen)[k] = true
	return true
}

// read continues to the end of h, which extends what was read before.
func (c *churn) read(h History) {
	if !c.begun {
		c.begun, c.counts, c.paths = true, map[string]*churnCount{}, map[string]map[string]bool{}
		c.see(&h.Start)
	}
	for ; c.steps < len(h.Steps); c.steps++ {
		i := c.steps
		s := &h.Steps[i]
		if page := h.resumedAt(i); page != nil {
			c.page(page)
			c.counted = churnSeen{}
		}
		if idle := &s.Target.Idle; len(idle.Parts)+len(idle.Tiles) > 0 && !h.afterWait(i) {
			c.idle(h.before(i).Document, idle)
		}
		c.drawn(h.before(i), s)
		if s.HasAction() { // a step without dispatch repeats the page of the turn
			c.see(&s.After)
		}
	}
}

// idle counts the changes of one interval.
func (c *churn) idle(doc string, idle *Idle) {
	caused := map[string]bool{}
	for _, p := range idle.Caused {
		caused[p] = true
	}
	n := c.of(doc)
	for _, p := range idle.Parts {
		if !caused[p] {
			c.count(doc, n, p)
		}
	}
	for _, t := range idle.Tiles {
		if first(&c.counted.tiles, t) {
			n.tiles[t]++
			c.grow(doc, n.tiles[t] == churnIntervals)
		}
	}
}

// drawn counts the canvases that s changed only where the frame had moved before it, by nothing that the
// document shows. A canvas that draws every 80 ms may stand still each time it is read before an action.
func (c *churn) drawn(before *Observation, s *Step) {
	idle := &s.Target.Idle
	if len(idle.Tiles) == 0 || len(idle.Parts) > 0 || s.Effect == nil || s.Effect.Tiles == nil ||
		len(s.Effect.Tiles.Progress()) > 0 || before.Document != s.After.Document {
		return
	}
	for _, p := range s.Effect.Parts {
		if strings.HasPrefix(p, CanvasPart("")) {
			c.count(before.Document, c.of(before.Document), p)
		}
	}
}

// see counts what the page itself reports as ambient, and begins a new interval.
func (c *churn) see(o *Observation) {
	for _, p := range o.Ambient.Parts {
		c.count(o.Document, c.of(o.Document), p)
	}
	c.page(o)
	c.counted = churnSeen{}
}

func (c *churn) count(doc string, n *churnCount, part string) {
	if first(&c.counted.parts, part) {
		n.parts[part]++
		c.grow(doc, n.parts[part] == churnIntervals)
	}
}

// grow marks the masks of doc as changed if so is true.
func (c *churn) grow(doc string, so bool) {
	if so && c.grown == nil {
		c.grown = map[string]bool{}
	}
	if so {
		c.grown[doc] = true
	}
}

// of is the count of doc, which becomes the current document.
func (c *churn) of(doc string) *churnCount {
	if c.counted.doc != doc {
		c.counted = churnSeen{doc: doc}
	}
	if c.counts[doc] == nil {
		c.counts[doc] = &churnCount{parts: map[string]int{}, tiles: map[int]int{}}
	}
	return c.counts[doc]
}

// page records the path of a document.
func (c *churn) page(o *Observation) {
	if c.paths[o.Document] != nil && o.Document == c.doc && o.URL == c.raw {
		return
	}
	c.doc, c.raw = o.Document, o.URL
	if c.paths[o.Document] == nil {
		c.paths[o.Document] = map[string]bool{}
	}
	if p := path(o.URL); !c.paths[o.Document][p] {
		c.paths[o.Document][p] = true
		c.grow(o.Document, c.counts[o.Document] != nil)
	}
}

// at is the mask of the document of o.
func (c *churn) at(o Observation) ChurnMask {
	if n := c.counts[o.Document]; n != nil {
		return n.mask()
	}
	return ChurnMask{Parts: map[string]bool{}, Tiles: map[int]bool{}}
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

// churnMasks are the masks of all pages of a history, by path; nil if nothing moves. A part that moves in one
// document of a page moves in its other documents too. Otherwise the page would be a new node after each
// reload.
type churnMasks map[string]*ChurnMask

// noChurn is an empty mask.
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

// masks are the masks so far. changed says that they have grown since the last call; they never shrink.
func (c *churn) masks() (m churnMasks, changed bool) {
	for doc := range c.grown {
		mask := c.counts[doc].mask()
		if len(mask.Parts)+len(mask.Tiles) == 0 {
			continue
		}
		for p := range c.paths[doc] {
			if c.known == nil {
				c.known = churnMasks{}
			}
			if c.known[p] == nil {
				c.known[p] = &ChurnMask{Parts: map[string]bool{}, Tiles: map[int]bool{}}
			}
			known := c.known[p]
			n := len(known.Parts) + len(known.Tiles)
			maps.Copy(known.Parts, mask.Parts)
			maps.Copy(known.Tiles, mask.Tiles)
			changed = changed || len(known.Parts)+len(known.Tiles) > n
		}
	}
	c.grown = nil
	return c.known, changed
}
