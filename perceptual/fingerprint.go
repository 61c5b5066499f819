package perceptual

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"image"

	"github.com/corona10/goimagehash"
	"github.com/corona10/goimagehash/etcs"
	"github.com/corona10/goimagehash/transforms"
	"github.com/disintegration/imaging"

	"github.com/cua-runner/cua-runner/cua"
)

// smallPx is the edge of the gray image that all hashes are computed from. The 64-bit perception hash would
// scale to this size anyway.
const smallPx = 64

// hash256 is the edge of the block of frequencies in the 256-bit perception hash.
const hash256 = 16

// Fingerprint computes the hashes of f. They say how similar frames are and never that nothing changed. Rows
// that before has computed already are reused; nil gives the same result.
func (f *Frame) Fingerprint(before *Frame) cua.Fingerprint {
	out := cua.Fingerprint{W: f.W, H: f.H}
	small := f.small(before)
	// The library's only errors are a nil image and a size that is no power of two.
	if h, err := goimagehash.DifferenceHash(small); err == nil {
		out.DHash64 = hexes(h.GetHash())
	}
	if h, err := goimagehash.PerceptionHash(small); err == nil {
		out.PHash64 = hexes(h.GetHash())
	}
	out.PHash256 = hexes(phash256(small)...)
	return out
}

// phash256 is the perception hash of the 16×16 lowest frequencies. That of the library first scales the image
// up to 256×256, which takes 100 times as long and gains nothing.
func phash256(small *image.Gray) []uint64 {
	freq := make([]float64, smallPx*smallPx)
	for i, p := range small.Pix {
		freq[i] = float64(p)
	}
	transforms.DCT2DFast64(&freq)
	low := make([]float64, 0, hash256*hash256)
	for y := range hash256 {
		low = append(low, freq[y*smallPx:y*smallPx+hash256]...)
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

// small is f as a gray image for all hashes. The box filter averages noise out: each pixel is the mean of its
// area.
func (f *Frame) small(before *Frame) *image.Gray {
	f.narrow(before)
	colour := imaging.Resize(picture(f.thin, smallPx), smallPx, smallPx, imaging.Box)
	grey := image.NewGray(colour.Rect)
	for i := range grey.Pix {
		p := colour.Pix[4*i : 4*i+3]
		// ITU-R BT.601 luma in 16-bit fixed point, as image/color weighs it.
		grey.Pix[i] = uint8((19595*uint32(p[0]) + 38470*uint32(p[1]) + 7471*uint32(p[2]) + 1<<15) >> 16)
	}
	return grey
}

// narrow scales each row to smallPx pixels. It copies rows that are equal to those of before or to the row
// above.
func (f *Frame) narrow(before *Frame) {
	const size = 4 * smallPx
	known := before != nil && before.thin != nil && before.W == f.W && before.H == f.H
	f.thin = make([]byte, size*f.H)
	var read []byte
	var from, like []int // rows to compute, and rows equal to the row above
	for y, row := range f.rows {
		switch {
		case known && bytes.Equal(row, before.rows[y]):
			copy(f.thin[y*size:][:size], before.thin[y*size:])
		case y > 0 && bytes.Equal(row, f.rows[y-1]):
			like = append(like, y)
		default:
			read, from = append(read, row...), append(from, y)
		}
	}
	if len(from) > 0 {
		thin := imaging.Resize(picture(read, f.W), smallPx, len(from), imaging.Box).Pix
		for i, y := range from {
			copy(f.thin[y*size:][:size], thin[i*size:])
		}
	}
	for _, y := range like {
		copy(f.thin[y*size:][:size], f.thin[(y-1)*size:])
	}
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
