package browser

import (
	"bytes"
	"hash/maphash"

	"github.com/cua-runner/cua-runner/cua"
)

const (
	// albumFrames and albumBytes cap the frames of a tab that are known again when they come back.
	albumFrames, albumBytes = 64, 8 << 20
)

// album are the frames of a tab as they were first seen, without their pixels but for the last. A frame whose
// pixels are those of an earlier one, the cells of the tag aside, is given its bytes: pages that look the
// same have the same frame, and its hash says so.
type album struct {
	seed  maphash.Seed
	seen  map[uint64][]byte
	order []uint64 // oldest first
	held  int      // bytes of all
	last  *cua.Raster
	data  []byte // of last
}

// recognize unpacks a frame, and gives it the bytes of an earlier one with the same pixels. One that is no
// PNG of Chromium's stays as it is. One caller at a time.
func (f *frames) recognize(t *taken) {
	a := &f.album
	r, err := rasterOf(t.Data)
	if err != nil {
		a.last, a.data = nil, nil
		return
	}
	if a.last != nil && a.last.W == r.W && a.last.H == r.H && bytes.Equal(a.last.Pix, r.Pix) {
		t.Data, t.Raster, t.how = a.data, a.last, byReuse
		return
	}
	t.Raster = r
	t.Data = a.enter(r, t.Data)
	a.last, a.data = r, t.Data
}

// enter gives the bytes of the frame with these pixels: those that are known, or else data.
func (a *album) enter(r *cua.Raster, data []byte) []byte {
	if a.seen == nil {
		a.seed, a.seen = maphash.MakeSeed(), map[uint64][]byte{}
	}
	var h maphash.Hash
	h.SetSeed(a.seed)
	maphash.WriteComparable(&h, cua.Size{W: r.W, H: r.H})
	_, _ = h.Write(r.Pix) // never fails
	key := h.Sum64()
	if old, ok := a.seen[key]; ok {
		return old
	}
	a.seen[key], a.order, a.held = data, append(a.order, key), a.held+len(data)
	for len(a.order) > albumFrames || a.held > albumBytes && len(a.order) > 1 {
		a.held -= len(a.seen[a.order[0]])
		delete(a.seen, a.order[0])
		a.order = a.order[1:]
	}
	return data
}
