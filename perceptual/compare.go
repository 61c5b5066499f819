package perceptual

import (
	"bytes"

	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// CompareOptions is what the page tells about two frames.
type CompareOptions struct {
	// Point is where the action went, CSS px; nil is none, and TileDiff.Region is then false.
	Point *cua.Point
	// Viewport is the size of the frames in CSS px; zero means that a CSS px is a pixel.
	Viewport cua.Size
	// Churn is the mask of the history. Its tiles are masked.
	Churn cua.ChurnMask
	// Ambient are the boxes of what moves without an action, CSS px. Their tiles are masked.
	Ambient []cua.Box
	// Presentation are the boxes of elements that gained or lost focus or hover, CSS px
	// (PresentationBoxes).
	Presentation []cua.Box
	// Restyled are the boxes of elements whose style the action itself changed, CSS px (cua.Observation).
	// Their tiles do not count as presentation.
	Restyled []cua.Box
}

// Compare is the difference of two frames by tiles. Frames of different sizes differ everywhere, and no mask
// applies. Comparing a frame with itself is free.
func Compare(before, after *Frame, o CompareOptions, c Config) cua.TileDiff {
	d := cua.TileDiff{Cols: tiles(after.W), Rows: tiles(after.H)}
	if before == after {
		return d
	}
	s := scale(after, o.Viewport)
	if before.W != after.W || before.H != after.H {
		d.Changed = slices.Collect(count(d.Cols * d.Rows))
		d.Box = cua.Box{W: float64(after.W) / s, H: float64(after.H) / s}
		d.Share, d.Region = 1, o.Point != nil
		return d
	}
	grid := make([]bool, d.Cols*d.Rows)
	changed := compareTiles(before, after, c.TolPixel, grid)
	if changed == 0 {
		return d
	}
	d.Changed = make(cua.TileSet, 0, changed)
	for t, ch := range grid {
		if ch {
			d.Changed = append(d.Changed, t)
		}
	}
	mark(&d, o, c, s)
	d.Region = o.Point != nil && regionChanged(before, after, &d, region(*o.Point, c, s), c.TolPixel)
	return d
}

func count(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func tiles(px int) int { return (px + cua.TileSize - 1) / cua.TileSize }

// scale is the number of pixels of f per CSS px.
func scale(f *Frame, viewport cua.Size) float64 {
	if viewport.W <= 0 {
		return 1
	}
	return float64(f.W) / float64(viewport.W)
}

// compareTiles sets grid for each tile that differs and returns how many do. It skips equal rows of pixels,
// which costs nothing if they share memory, and then a tile's part of a row.
func compareTiles(before, after *Frame, tol int, grid []bool) int {
	const tileBytes = 4 * cua.TileSize
	stride, cols, changed := 4*after.W, tiles(after.W), 0
	for r := range tiles(after.H) {
		row, left := grid[r*cols:(r+1)*cols], cols
		for y := r * cua.TileSize; y < min((r+1)*cua.TileSize, after.H) && left > 0; y++ {
			a, b := before.rows[y], after.rows[y]
			if bytes.Equal(a, b) {
				continue
			}
			for t := range row {
				from, to := t*tileBytes, min((t+1)*tileBytes, stride)
				if !row[t] && differs(a[from:to], b[from:to], tol) {
					row[t] = true
					left--
					changed++
				}
			}
		}
	}
	return changed
}

// differs reports whether any channel differs by more than tol.
func differs(a, b []byte, tol int) bool {
	if bytes.Equal(a, b) {
		return false
	}
	b = b[:len(a)]
	for i, v := range a {
		d := int(v) - int(b[i])
		if d > tol || d < -tol {
			return true
		}
	}
	return false
}
