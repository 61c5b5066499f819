package cua

// TagCells is how many pixels at the right end of the topmost row of a frame may be the browser's own: a
// number by which a frame is known to be new (package browser). Comparisons and hashes leave them out.
const TagCells = 16

// Raster is an unpacked frame: W×H pixels of four bytes (red, green, blue, opaque), row by row without
// gaps. It is never changed once it was handed on.
type Raster struct {
	W, H int
	Pix  []byte
}

// Untag puts the pixels of the row below in the place of the tag's cells. A frame of one row, or narrower
// than a tag, has none.
func (r *Raster) Untag() {
	if n, row := 4*TagCells, 4*r.W; r.W >= TagCells && r.H > 1 {
		copy(r.Pix[row-n:row], r.Pix[2*row-n:2*row])
	}
}
