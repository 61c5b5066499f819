package browser

import (
	"bytes"
	"hash/maphash"

	"github.com/cua-runner/cua-runner/cua"
)

// rowSeed is that of all hashes of rows.
var rowSeed = maphash.MakeSeed()

// unpacked is a frame of four bytes a pixel. The tag is left out of it: its cells show the row below.
type unpacked struct {
	*cua.Raster
	bpp int
	// filtered and pixels are hashes of the rows, as they are in the PNG and as they are here.
	filtered, pixels []uint64
}

// rasterOf decodes a frame of Chromium's. Rows that are as in before, nil for none, are not unpacked again:
// such a row is filtered as it was there, and so are its neighbours above, up to one that was unpacked and
// found equal. A frame that shows the same as before has the raster of before.
func rasterOf(data []byte, before *unpacked) (*unpacked, error) {
	s, done, err := openRows(data)
	if err != nil {
		return nil, err
	}
	defer done()
	u := &unpacked{Raster: &cua.Raster{W: s.w, H: s.h}, bpp: s.bpp}
	u.filtered, u.pixels = make([]uint64, s.h), make([]uint64, s.h)
	if before != nil && (before.W != u.W || before.H != u.H || before.bpp != u.bpp) {
		before = nil
	}
	if before == nil {
		u.Pix = make([]byte, 4*s.w*s.h)
	}
	if err := u.readRows(s, before); err != nil {
		return nil, err
	}
	if u.Pix == nil {
		u.Raster = before.Raster
	}
	return u, nil
}

// readRows reads the rows of s. Those that are as in before are hashed alone.
func (u *unpacked) readRows(s *scanlines, before *unpacked) error {
	wide, top := make([]byte, 4*s.w), []byte(nil)
	same := false // the row above is as before; it was skipped, or wide holds it
	for y := range s.h {
		if err := s.read(); err != nil {
			return err
		}
		u.filtered[y] = maphash.Bytes(rowSeed, s.row) ^ uint64(s.kind[0])
		if same && u.filtered[y] == before.filtered[y] {
			u.pixels[y] = before.pixels[y]
			continue
		}
		if same {
			narrow(s.last, before.line(y-1), s.bpp)
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

// line is a row of pixels.
func (u *unpacked) line(y int) []byte { return u.Pix[4*u.W*y:][:4*u.W] }

// put sets a row, and says whether it is as before.
func (u *unpacked) put(y int, row []byte, before *unpacked) bool {
	if before != nil && bytes.Equal(row, before.line(y)) {
		u.pixels[y] = before.pixels[y]
		return true
	}
	if u.Pix == nil {
		u.Pix = bytes.Clone(before.Pix)
	}
	u.pixels[y] = maphash.Bytes(rowSeed, row)
	copy(u.line(y), row)
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
