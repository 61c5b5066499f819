package cua

import "slices"

// TagCells is how many pixels at the right end of a frame's top row may hold a number written by package
// browser, which shows that the frame is new. Comparisons and hashes ignore these pixels.
const TagCells = 16

// Raster is a decoded frame of W×H pixels. Rows are its H rows from the top, four bytes per pixel (red,
// green, blue, opaque). Equal rows may share memory, also with the rows of other rasters, so that what did
// not change between two frames is neither stored nor compared twice. A raster must not be changed once it
// is shared.
type Raster struct {
	W, H int
	Rows [][]byte `redact:"-"`
}

// NewRaster returns the raster of pix, which holds the rows without gaps, four bytes per pixel.
func NewRaster(w, h int, pix []byte) *Raster {
	r := &Raster{W: w, H: h, Rows: make([][]byte, h)}
	for y := range r.Rows {
		r.Rows[y] = pix[4*w*y:][: 4*w : 4*w]
	}
	return r
}

// Pix returns a copy of the pixels of all rows.
func (r *Raster) Pix() []byte { return slices.Concat(r.Rows...) }

// Untag overwrites the tag with the pixels of the row below. A frame of one row, or narrower than a tag, has
// no tag. The top row must not be shared.
func (r *Raster) Untag() {
	if n := 4 * (r.W - TagCells); r.W >= TagCells && r.H > 1 {
		copy(r.Rows[0][n:], r.Rows[1][n:])
	}
}
