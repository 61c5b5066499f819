package frames

import (
	"bytes"
	"hash/maphash"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// rowSeed is that of all hashes of rows.
var rowSeed = maphash.MakeSeed()

// Unpacked is a frame of four bytes a pixel. The tag is left out of it: its cells show the row below.
type Unpacked struct {
	*cua.Raster
	bpp int
	// filtered and pixels are hashes of the rows, as they are in the PNG and as they are here.
	filtered, pixels []uint64
}

// Unpack decodes a frame of Chromium's. Rows that are as in before, nil for none, are not unpacked again:
// such a row is filtered as it was there, and so are its neighbours above, up to one that was unpacked and
// found equal. A frame that shows the same as before has the raster of before.
func Unpack(data []byte, before *Unpacked) (*Unpacked, error) {
	s, done, err := openRows(data)
	if err != nil {
		return nil, err
	}
	defer done()
	u := &Unpacked{Raster: &cua.Raster{W: s.w, H: s.h}, bpp: s.bpp}
	u.filtered, u.pixels = make([]uint64, s.h), make([]uint64, s.h)
	if before != nil && (before.W != u.W || before.H != u.H || before.bpp != u.bpp) {
		before = nil
	}
	if before == nil {
		u.Rows = make([][]byte, s.h)
	}
	if err := u.readRows(s, before); err != nil {
		return nil, err
	}
	if u.Rows == nil {
		u.Raster = before.Raster
	}
	return u, nil
}

// readRows reads the rows of s. Those that are as in before are hashed alone.
func (u *Unpacked) readRows(s *scanlines, before *Unpacked) error {
	wide, top := make([]byte, 4*s.w), []byte(nil)
	same := false    // the row above is as before; it was skipped, or wide holds it
	skipped := false // it was skipped, so s.last is filtered
	for y := range s.h {
		kind := s.kind
		if err := s.read(); err != nil {
			return err
		}
		if skipped && kind == s.kind && bytes.Equal(s.row, s.last) {
			u.filtered[y] = u.filtered[y-1] // which takes less time than to hash it
		} else {
			u.filtered[y] = maphash.Bytes(rowSeed, s.row) ^ uint64(s.kind[0])
		}
		if skipped = same && u.filtered[y] == before.filtered[y]; skipped {
			u.pixels[y] = before.pixels[y]
			continue
		}
		if same {
			narrow(s.last, before.Rows[y-1], s.bpp)
		}
		if err := s.unfilter(); err != nil {
			return err
		}
		widen(wide, s.row, s.bpp)
		if y == 0 { // its last cells are known with the row below
			top, wide = wide, make([]byte, 4*s.w)
			continue
		}
		same = u.put(y, wide, before)
		if y == 1 && s.w >= cua.TagCells {
			n := 4 * (s.w - cua.TagCells)
			copy(top[n:], wide[n:])
		}
	}
	u.put(0, top, before)
	return nil
}

// put sets a row, and says whether it is as before. One that is like the row above shares its memory.
func (u *Unpacked) put(y int, row []byte, before *Unpacked) bool {
	if before != nil && bytes.Equal(row, before.Rows[y]) {
		u.pixels[y] = before.pixels[y]
		return true
	}
	if u.Rows == nil {
		u.Rows = slices.Clone(before.Rows)
	}
	u.pixels[y] = maphash.Bytes(rowSeed, row)
	if y > 1 && bytes.Equal(row, u.Rows[y-1]) { // the topmost one is put last
		u.Rows[y] = u.Rows[y-1]
	} else {
		u.Rows[y] = bytes.Clone(row)
	}
	return false
}

// widen gives each pixel of three bytes a fourth, opaque one.
func widen(to, row []byte, bpp int) {
	if bpp == 4 {
		copy(to, row)
		return
	}
	for i, j := 0, 0; i+3 <= len(row); i, j = i+3, j+4 {
		p, q := row[i:i+3:i+3], to[j:j+4:j+4]
		q[0], q[1], q[2], q[3] = p[0], p[1], p[2], 0xff
	}
}

// narrow undoes widen.
func narrow(to, row []byte, bpp int) {
	if bpp == 4 {
		copy(to, row)
		return
	}
	for i, j := 0, 0; i+3 <= len(to); i, j = i+3, j+4 {
		p, q := to[i:i+3:i+3], row[j:j+4:j+4]
		p[0], p[1], p[2] = q[0], q[1], q[2]
	}
}
