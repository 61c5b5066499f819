package frames

import (
	"crypto/sha256"
	"encoding/hex"
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
	seen  map[uint64]picture
	order []uint64 // oldest first
	held  int      // bytes of all
	last  *Unpacked
	// lastPicture is that of last.
	lastPicture picture
}

// picture is an encoded frame and its name, the hex SHA-256 of its bytes.
type picture struct {
	data []byte
	name string
}

func newPicture(data []byte) picture {
	sum := sha256.Sum256(data)
	return picture{data, hex.EncodeToString(sum[:])}
}

// Deduplicate unpacks a frame, and gives it the bytes of an earlier one with the same pixels. One that is no
// PNG of Chromium's stays as it is. One caller at a time.
func (f *Stream) Deduplicate(t *Taken) {
	a := &f.album
	u, err := Unpack(t.Data, a.last)
	if err != nil {
		a.last, a.lastPicture = nil, picture{}
		t.Name = newPicture(t.Data).name
		return
	}
	if a.last != nil && a.last.Raster == u.Raster {
		t.How = ByReuse
	} else {
		a.lastPicture = a.enter(u.key(), t.Data)
	}
	t.Raster, a.last, t.Data, t.Name = u.Raster, u, a.lastPicture.data, a.lastPicture.name
}

// key is a hash of size and pixels.
func (u *Unpacked) key() uint64 {
	var h maphash.Hash
	h.SetSeed(rowSeed)
	maphash.WriteComparable(&h, cua.Size{W: u.W, H: u.H})
	for _, row := range u.pixels {
		maphash.WriteComparable(&h, row)
	}
	return h.Sum64()
}

// enter gives the picture of the frame with that key: the one that is known, or else data.
func (a *album) enter(key uint64, data []byte) picture {
	if a.seen == nil {
		a.seen = map[uint64]picture{}
	}
	if old, ok := a.seen[key]; ok {
		return old
	}
	p := newPicture(data)
	a.seen[key], a.order, a.held = p, append(a.order, key), a.held+len(data)
	for len(a.order) > albumFrames || a.held > albumBytes && len(a.order) > 1 {
		a.held -= len(a.seen[a.order[0]].data)
		delete(a.seen, a.order[0])
		a.order = a.order[1:]
	}
	return p
}
