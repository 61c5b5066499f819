package cua

import "maps"

// churnIntervals is in how many intervals something must have moved by itself.
const churnIntervals = 2

// churnCount counts the intervals of one document in which something moved by itself.
type churnCount struct {
	parts map[string]int
	tiles map[int]int
}

// churn counts, document by document, what moved by itself in a history that grows.
// Documents in which nothing did are left out.
type churn struct {
	counts map[string]*churnCount
	// paths are the pages of those documents, for masks are shared by page.
	paths map[string]map[string]bool
	steps int // how many have been read, and below whether the start has
	begun bool
	// grown are the documents whose mask or pages changed since masks was asked last.
	grown map[string]bool
	known churnMasks
	// told are the parts and tiles that have been counted since the last observation: what Locate found
	// the next observation shows too, and another Locate that comes before it, and that is one interval.
	told churnTold
	// doc and raw are of the observation before: most are of one page.
	doc, raw string
}

// churnTold is what was counted in one interval of one document. The zero value is empty.
type churnTold struct {
	doc   string
	parts map[string]bool
	tiles map[int]bool
}

// first says whether k has not been there, and puts it in.
func first[K comparable](told *map[K]bool, k K) bool {
	if (*told)[k] {
		return false
	}
	if *told == nil {
		*told = map[K]bool{}
	}
	(*told)[k] = true
	return true
}

// read goes on to the end of h, which extends what was read before.
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
			c.told = churnTold{}
		}
		if idle := &s.Target.Idle; len(idle.Parts)+len(idle.Tiles) > 0 && !h.afterWait(i) {
			c.idle(h.before(i).Document, idle)
		}
		if s.Dispatched() { // a step without dispatch holds the page as it was
			c.see(&s.After)
		}
	}
}

// idle counts one interval.
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
		if first(&c.told.tiles, t) {
			n.tiles[t]++
			c.grow(doc, n.tiles[t] == churnIntervals)
		}
	}
}

// see counts what a page itself calls ambient. With it a new interval begins.
func (c *churn) see(o *Observation) {
	for _, p := range o.Ambient.Parts {
		c.count(o.Document, c.of(o.Document), p)
	}
	c.page(o)
	c.told = churnTold{}
}

func (c *churn) count(doc string, n *churnCount, part string) {
	if first(&c.told.parts, part) {
		n.parts[part]++
		c.grow(doc, n.parts[part] == churnIntervals)
	}
}

// grow notes that the masks of the pages of doc are to be looked at again, where it is so.
func (c *churn) grow(doc string, so bool) {
	if so && c.grown == nil {
		c.grown = map[string]bool{}
	}
	if so {
		c.grown[doc] = true
	}
}

// of is the count of a document, which is what is counted next.
func (c *churn) of(doc string) *churnCount {
	if c.told.doc != doc {
		c.told = churnTold{doc: doc}
	}
	if c.counts[doc] == nil {
		c.counts[doc] = &churnCount{parts: map[string]int{}, tiles: map[int]int{}}
	}
	return c.counts[doc]
}

// page keeps under which path a document was seen.
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

// masks are what is known by now, and whether that is more than when it was asked last: nothing is ever taken
// back.
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
