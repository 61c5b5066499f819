package cua

// TagCells is how many pixels at the right end of a frame's top row may hold a number written by package
// browser, which shows that the frame is new. Comparisons and hashes ignore these pixels.
const TagCells = 16

// Raster is a decoded frame: W×H pixels of four bytes (red, green, blue, opaque), row by row without gaps. It
// must not be changed once it is shared.
type Raster struct {
	W, H int
	Pix  []byte
}

// Untag overwrites the tag with the pixels of the row below. A frame of one row, or narrower than a tag, has
// no tag.
func (r *Raster) Untag() {
	if n, row := 4*TagCells, 4*r.W; r.W >= TagCells && r.H > 1 {
		copy(r.Pix[row-n:row], r.Pix[2*row-n:2*row])
	}
}
