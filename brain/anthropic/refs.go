package anthropic

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// refs numbers the elements that the model was told of. A reference belongs to one tab, one document and
// one element identity, and is never reused. An element that is rendered again keeps its number; an
// element of another document gets another one.
type refs struct {
	byKey map[refKey]*element
	all   []*element // the n-th is ref_n
}

type refKey struct{ tab, document, id string }

// element is one element with a reference.
type element struct {
	refKey
	n          int
	role, name string
	box        cua.Box // when last seen
	scrolled   cua.Scrolled
}

func (e *element) ref() string { return fmt.Sprintf("ref_%d", e.n) }

// boxAt is the present box of the element as far as it is known: where it is visible, or where it is after
// the scrolling since.
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

// document identifies the document of references: the document id, or the address of the page if there is
// none.
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

// find is the element of ref. If ref does not belong to the present page, stale is the answer.
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
	// An observation has no elements out of view except fields. So only an element that should be in view
	// is known to be removed.
	if _, inView := e.boxAt(now).CenterIn(now.Viewport); inView || now.Viewport == (cua.Size{}) {
		return nil,
			fmt.Sprintf("%s is stale: the page has changed and it is not there any more; read the page again",
				ref)
	}
	return e, ""
}
