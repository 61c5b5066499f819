package perceptual

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"image"
	"slices"
	"sync"

	"github.com/corona10/goimagehash"
	"github.com/corona10/goimagehash/etcs"
	"github.com/corona10/goimagehash/transforms"
	"github.com/disintegration/imaging"

	"github.com/cua-runner/cua-runner/cua"
)

// smallPx is the edge of the gray image that all hashes are computed from. The 64-bit perception hash would
// scale to this size anyway.
const smallPx = 64

// hash64 and hash256 are the edges of the blocks of frequencies in the perception hashes of 64 and 256 bits.
const hash64, hash256 = 8, 16

// Fingerprint computes the hashes of f. They say how similar frames are and never that nothing changed. Rows
// that before has computed already are reused; nil gives the same result.
func (f *Frame) Fingerprint(before *Frame) cua.Fingerprint {
	out := cua.Fingerprint{W: f.W, H: f.H}
	small := f.scale(before)
	if h, err := goimagehash.DifferenceHash(small); err == nil { // its only error is a nil image
		out.DHash64 = hexes(h.GetHash())
	}
	freq := frequencies(small)
	out.PHash64, out.PHash256 = hexes(phash(freq, hash64)...), hexes(phash(freq, hash256)...)
	return out
}

// frequencies are those of a gray image, as goimagehash.PerceptionHash computes them: its weights of a colour
// do not quite add up to 1, which decides the bits of an image whose frequencies are all the same.
func frequencies(small *image.Gray) []float64 {
	freq := make([]float64, smallPx*smallPx)
	for i, p := range small.Pix {
		v := float64(p)
		freq[i] = 0.299*v + 0.587*v + 0.114*v
	}
	transforms.DCT2DFast64(&freq)
	return freq
}

// phash is the perception hash of the edge×edge lowest frequencies. With hash64 it is that of the library,
// which computes the frequencies anew for each hash. The library's hash of 256 bits first scales the image up
// to 256×256, which takes 100 times as long and gains nothing.
func phash(freq []float64, edge int) []uint64 {
	low := make([]float64, 0, edge*edge)
	for y := range edge {
		low = append(low, freq[y*smallPx:y*smallPx+edge]...)
	}
	median := etcs.MedianOfPixels(low)
	words := make([]uint64, len(low)/64)
	for i, v := range low {
		if v > median {
			words[i/64] |= 1 << (63 - i%64)
		}
	}
	return words
}

// scratch holds the pixels that a fingerprint scales, to be used again.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// scale is f as a gray image for all hashes. The box filter averages noise out: each pixel is the mean of its
// area. Areas that are as in before are not scaled again.
func (f *Frame) scale(before *Frame) *image.Gray {
	pix := scratch.Get().(*[]byte)
	defer scratch.Put(pix)
	f.narrow(before, pix)
	f.small = image.NewGray(image.Rect(0, 0, smallPx, smallPx))
	if before != nil && before.small != nil {
		copy(f.small.Pix, before.small.Pix)
	}
	n := smallPx
	for f.H%n != 0 {
		n /= 2
	}
	// Each of the n parts has a whole number of rows before and after, so it is scaled without the others.
	high, low := f.H/n, smallPx/n
	for from := 0; from < n; from++ {
		to := from
		for to < n && !f.narrowAs(before, to*high, (to+1)*high) {
			to++
		}
		if to == from {
			continue
		}
		*pix = join(*pix, f.thin[from*high:to*high])
		colour := imaging.Resize(picture(*pix, smallPx), smallPx, (to-from)*low, imaging.Box)
		setGray(f.small.Pix[from*low*smallPx:], colour.Pix)
		from = to
	}
	return f.small
}

// setGray sets gray pixels from those of a picture: ITU-R BT.601 luma in 16-bit fixed point, as image/color
// weighs it.
func setGray(to, colour []byte) {
	for i := range len(colour) / 4 {
		p := colour[4*i : 4*i+3]
		to[i] = uint8((19595*uint32(p[0]) + 38470*uint32(p[1]) + 7471*uint32(p[2]) + 1<<15) >> 16)
	}
}

// narrowAs says whether the narrow rows from first up to end are those of before.
func (f *Frame) narrowAs(before *Frame, first, end int) bool {
	return before != nil && len(before.thin) == len(f.thin) &&
		slices.EqualFunc(f.thin[first:end], before.thin[first:end], bytes.Equal)
}

// narrow scales each row to smallPx pixels. Rows that are equal to those of before, or to the row above,
// share memory with these. It overwrites pix.
func (f *Frame) narrow(before *Frame, pix *[]byte) {
	known := before != nil && before.thin != nil && before.W == f.W && before.H == f.H
	f.thin = make([][]byte, f.H)
	var rows [][]byte // to scale
	var at []int      // where they are
	for y, row := range f.rows {
		switch {
		case known && bytes.Equal(row, before.rows[y]):
			f.thin[y] = before.thin[y]
		case y == 0 || !bytes.Equal(row, f.rows[y-1]):
			rows, at = append(rows, row), append(at, y)
		}
	}
	if len(rows) > 0 {
		const size = 4 * smallPx
		*pix = join(*pix, rows)
		thin := imaging.Resize(picture(*pix, f.W), smallPx, len(rows), imaging.Box).Pix
		for i, y := range at {
			f.thin[y] = thin[i*size:][:size:size]
		}
	}
	for y, row := range f.thin {
		if row == nil {
			f.thin[y] = f.thin[y-1]
		}
	}
}

// join writes rows one after the other into the memory of to, or into more.
func join(to []byte, rows [][]byte) []byte {
	to = slices.Grow(to[:0], len(rows)*len(rows[0]))
	for _, row := range rows {
		to = append(to, row...)
	}
	return to
}

// picture wraps pixels for the libraries, w per row.
func picture(pix []byte, w int) *image.NRGBA {
	return &image.NRGBA{Pix: pix, Stride: 4 * w, Rect: image.Rect(0, 0, w, len(pix)/(4*w))}
}

func hexes(words ...uint64) string {
	var b []byte
	for _, w := range words {
		b = binary.BigEndian.AppendUint64(b, w)
	}
	return hex.EncodeToString(b)
}
