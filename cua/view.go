package cua

import (
	"math/bits"
	"slices"
	"strconv"
)

// sameViewBits is the most bits of the 256-bit perception hash by which two frames of one view may differ. A
// blinking caret or a 24-px spinner changes 2, one typed character 4, a ticked box 6.
const sameViewBits = 3

// SameView reports whether two frames show the same view, apart from carets, clocks and compression. It is
// false if that is not known.
func SameView(a, b *Fingerprint) bool {
	x, okX := a.words()
	y, okY := b.words()
	return okX && okY && a.W == b.W && a.H == b.H && near(x, y)
}

type viewWords [4]uint64

func near(x, y viewWords) bool {
	n := 0
	for i := range x {
		n += bits.OnesCount64(x[i] ^ y[i])
	}
	return n <= sameViewBits
}

// words are the bits of the 256-bit perception hash; false if there is none.
func (f *Fingerprint) words() (w viewWords, ok bool) {
	if f == nil || len(f.PHash256) != 64 {
		return w, false
	}
	for i := range w {
		v, err := strconv.ParseUint(f.PHash256[16*i:16*i+16], 16, 64)
		if err != nil {
			return w, false
		}
		w[i] = v
	}
	return w, true
}

// NodeByFrame says that frames decide the node of a page.
const NodeByFrame = "frame"

// NodeBy is the evidence that decides the node of o under a mask: NodeByFrame if there is a frame and
// structure cannot distinguish the page's states, because there is none, because a canvas moves without an
// action, or because a large part of the page cannot be read. Otherwise it is "".
func NodeBy(o *Observation, churn ChurnMask) string {
	if _, ok := o.Fingerprint.words(); !ok {
		return ""
	}
	if o.Unread || o.DOMDigest == "" && o.FormDigest == "" && len(o.Canvases) == 0 {
		return NodeByFrame
	}
	for id := range o.Canvases {
		if churn.Parts[CanvasPart(id)] {
			return NodeByFrame
		}
	}
	return ""
}

// view is a view of a page, identified by the first frame that showed it.
type view struct {
	page string
	w, h int
	bits viewWords
}

// view is the name of the view that o shows: the first one that is near its frame, else a new one.
func (r *nodeReader) view(o *Observation) string {
	x, _ := o.Fingerprint.words()
	at := slices.IndexFunc(r.views, func(v view) bool {
		return v.page == r.page && v.w == o.Fingerprint.W && v.h == o.Fingerprint.H && near(v.bits, x)
	})
	if at < 0 {
		at = len(r.views)
		r.views = append(r.views, view{r.page, o.Fingerprint.W, o.Fingerprint.H, x})
	}
	return "view " + strconv.Itoa(at)
}
