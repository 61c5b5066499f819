package anthropic

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// refs numbers the elements that the model was told of. A reference belongs to one tab and one document, is
// that of the element's identity, and is never given again: what is drawn anew keeps its number, and what
// another document holds has another.
type refs struct {
	byKey map[refKey]*element
	all   []*element // the n-th is ref_n
}

type refKey struct{ tab, document, id string }

// element is one element that has a reference.
type element struct {
	refKey
	n          int
	role, name string
	box        cua.Box // as it was last seen
	scrolled   cua.Scrolled
}

func (e *element) ref() string { return fmt.Sprintf("ref_%d", e.n) }

// boxAt is where the element is on the page as it is now, as far as that is known: where it is seen, or where
// the scrolling since has brought it.
func (e *element) boxAt(now *cua.Observation) cua.Box {
	if b, ok := boxOf(now, e.id); ok {
		return b
	}
	b := e.box
	b.X -= now.Scroll.X - e.scrolled.X
	b.Y -= now.Scroll.Y - e.scrolled.Y
	return b
}

func boxOf(o *cua.Observation, id string) (cua.Box, bool) {
	for i := range o.Marks {
		if o.Marks[i].ID == id {
			return o.Marks[i].Box, true
		}
	}
	for i := range o.Fields {
		if o.Fields[i].ID == id {
			return o.Fields[i].Box, true
		}
	}
	return cua.Box{}, false
}

// document is what references are tied to: the document, or where that is not known the page's address.
func document(o *cua.Observation) string { return cmp.Or(o.Document, cua.PageURL(o.URL)) }

// to is the reference of an element of o, which is shown in that tab.
func (r *refs) to(o *cua.Observation, tab, id, role, name string, box cua.Box) string {
	key := refKey{tab, document(o), id}
	if r.byKey == nil {
		r.byKey = map[refKey]*element{}
	}
	e := r.byKey[key]
	if e == nil {
		e = &element{refKey: key, n: len(r.all) + 1}
		r.byKey[key], r.all = e, append(r.all, e)
	}
	e.role, e.name, e.box, e.scrolled = role, name, box, o.Scroll
	return e.ref()
}

// find is the element that ref stands for; stale is the answer where it stands for none of this page's.
func (r *refs) find(ref, tab string, now *cua.Observation) (e *element, stale string) {
	num, ok := strings.CutPrefix(ref, "ref_")
	n, err := strconv.Atoi(num)
	if !ok || err != nil || n < 1 || n > len(r.all) {
		return nil, fmt.Sprintf("no element was ever called %q; read_page or find says what there is",
			brain.Line(ref, 40))
	}
	e = r.all[n-1]
	switch {
	case e.tab != tab:
		return nil, fmt.Sprintf("%s belongs to %s, which is not the active tab; read the page again",
			ref, e.tab)
	case e.document != document(now):
		return nil, fmt.Sprintf("%s is stale: the page is another one now; read the page again", ref)
	}
	if _, ok := boxOf(now, e.id); ok {
		return e, ""
	}
	// Elements out of view are in no observation but fields are: only one that ought to be in view is known
	// to be gone.
	if _, inView := e.boxAt(now).CenterIn(now.Viewport); inView || now.Viewport == (cua.Size{}) {
		return nil,
			fmt.Sprintf("%s is stale: the page has changed and it is not there any more; read the page again",
				ref)
	}
	return e, ""
}
