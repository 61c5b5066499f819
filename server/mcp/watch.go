package mcp

import (
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/guard"
)

// watch tells an effect from content that moves by itself. It sees the page right before and right after each
// call. A part that changes in two gaps between calls, while the client thinks, is churn and is masked. A
// change in one gap only is a late effect of the call before it.
type watch struct {
	page guard.Page      // right before the newest call
	last guard.Page      // right after the newest call
	gaps map[string]int  // in how many gaps a part has changed
	mask map[string]bool // the parts that are churn
	// seen are the calls on this page whose effect is to be judged again when the mask grows, oldest first.
	seen []call
}

// call is a step and the page before it.
type call struct {
	index  int
	page   guard.Page
	effect *bool // nil is unknown
}

// maxSeen bounds seen.
const maxSeen = 64

// before takes in the page right before the next call. It returns what is now known of the effects of the
// calls before, as lines for the guard.
func (w *watch) before(page guard.Page) []any {
	w.page = page
	// Refs of another page mean nothing here.
	if w.gaps == nil || cua.PageURL(page.URL) != cua.PageURL(w.last.URL) {
		out := w.effects()
		w.gaps, w.mask, w.seen = map[string]int{}, map[string]bool{}, nil
		return out
	}
	if page.Parts != nil && w.last.Parts != nil {
		for _, part := range w.last.Changed(&page) {
			if w.gaps[part]++; w.gaps[part] >= 2 {
				w.mask[part] = true
			}
		}
	}
	return w.effects()
}

// effects judges the calls in seen under the present mask.
func (w *watch) effects() []any {
	var out []any
	for i := range w.seen {
		c, next := &w.seen[i], &w.page
		if i+1 < len(w.seen) {
			next = &w.seen[i+1].page
		}
		same, known := c.page.Same(next, w.mask)
		if !known || c.effect != nil && *c.effect == !same {
			continue
		}
		c.effect = new(!same)
		out = append(out, map[string]any{"type": "amend", "index": c.index, "effect": !same})
	}
	return out
}

// acted says that step index is made on the page of before.
func (w *watch) acted(index int) {
	w.seen = append(w.seen, call{index: index, page: w.page})
	if n := len(w.seen) - maxSeen; n > 0 {
		w.seen = w.seen[n:]
	}
}

// after takes in the page right after the call.
func (w *watch) after(page guard.Page) { w.last = page }
