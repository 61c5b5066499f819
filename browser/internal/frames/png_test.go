package frames

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// tagPicture is a picture with the cells of n, of which black and white are as given, and the page below.
func tagPicture(n int, black, white uint8, opaque bool) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 90, 40))
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range img.Pix {
		img.Pix[i] = uint8(r.Uint32())
		if i%4 == 3 && opaque {
			img.Pix[i] = 255
		}
	}
	img.Pix[4*200+3] = 255 // else the encoder may find it opaque, or not
	bits := []int{0, 1}
	parity := 0
	for i := tagBits - 1; i >= 0; i-- {
		bits = append(bits, n>>i&1)
		parity ^= n >> i & 1
	}
	for i, bit := range append(bits, parity, 0) {
		v := black
		if bit == 1 {
			v = white
		}
		draw.Draw(img, image.Rect(90-cua.TagCells+i, 0, 91-cua.TagCells+i, 1),
			image.NewUniform(color.NRGBA{v, v, v, 255}), image.Point{}, draw.Src)
	}
	return img
}

func TestTagsAreRead(t *testing.T) {
	damaged := tagPicture(0xabc, 0, 255, true)
	damaged.Set(90-cua.TagCells+5, 0, color.White)
	flat := image.NewNRGBA(image.Rect(0, 0, 90, 40))
	for _, tt := range []struct {
		name string
		img  image.Image
		want int
	}{
		{"one", tagPicture(1, 0, 255, true), 1},
		{"all bits", tagPicture(4095, 0, 255, true), 4095},
		{"some bits", tagPicture(0xabc, 0, 255, true), 0xabc},
		{"under a dark backdrop", tagPicture(0xabc, 0, 120, true), 0xabc},
		{"under a light backdrop", tagPicture(0xabc, 130, 255, true), 0xabc},
		{"with an alpha channel", tagPicture(0xabc, 0, 255, false), 0xabc},
		{"hardly to be seen", tagPicture(0xabc, 100, 120, true), 0},
		{"a bit is not what its parity says", damaged, 0},
		{"no tag", flat, 0},
		{"too narrow", image.NewNRGBA(image.Rect(0, 0, 9, 9)), 0},
	} {
		var b bytes.Buffer
		if err := png.Encode(&b, tt.img); err != nil {
			t.Fatal(err)
		}
		if got := ReadTag(b.Bytes()); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	for name, data := range map[string][]byte{"empty": nil, "no picture": []byte("<html>"), "cut": cut(t)} {
		if got := ReadTag(data); got != 0 {
			t.Errorf("%s: %d", name, got)
		}
		if r, err := Unpack(data, nil); err == nil {
			t.Errorf("%s: %d×%d", name, r.W, r.H)
		}
	}
}

// cut is a PNG that ends within its pixels.
func cut(t *testing.T) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, tagPicture(7, 0, 255, true)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()[:60]
}

// All filters give the pixels that the standard library reads, but for the cells, which show the row below.
func TestRastersAreThePixels(t *testing.T) {
	for _, opaque := range []bool{true, false} {
		img := tagPicture(5, 0, 255, opaque)
		for y := range 20 { // smooth rows, for which the encoder takes the filters that noise has no use for
			for x := range 90 {
				img.Set(x, 10+y, color.NRGBA{uint8(x * 2), uint8(y * 5), uint8(x + y), 255})
			}
		}
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		got, err := Unpack(b.Bytes(), nil)
		if err != nil {
			t.Fatal(err)
		}
		copy(img.Pix[4*(90-cua.TagCells):4*90], img.Pix[4*(180-cua.TagCells):4*180])
		if got.W != 90 || got.H != 40 || !bytes.Equal(got.Pix(), img.Pix) {
			t.Errorf("opaque %v: other pixels", opaque)
		}
	}
}

// Rows that are taken from the frame before give the same pixels as all rows unpacked anew. Where only the
// cells differ the raster is the same.
func TestRastersAfterOthers(t *testing.T) {
	encoded := func(img image.Image) []byte {
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	smooth := func(opaque bool) *image.NRGBA {
		img := tagPicture(5, 0, 255, opaque)
		for y := 12; y < 30; y++ {
			for x := range 90 {
				img.Set(x, y, color.NRGBA{uint8(x * 2), uint8(y / 4 * 5), uint8(x + y/4), 255})
			}
		}
		return img
	}
	for _, row := range []struct {
		name   string
		change func(img *image.NRGBA)
		same   bool
	}{
		{name: "nothing", change: func(*image.NRGBA) {}, same: true},
		{name: "the cells", same: true, change: func(img *image.NRGBA) {
			from := img.Stride - 4*cua.TagCells
			copy(img.Pix[from:img.Stride], tagPicture(1234, 0, 255, true).Pix[from:])
		}},
		{name: "the topmost row", change: func(img *image.NRGBA) { img.Pix[4] ^= 1 }},
		{name: "the row below the cells", change: func(img *image.NRGBA) { img.Pix[2*img.Stride-4] ^= 1 }},
		{name: "one pixel", change: func(img *image.NRGBA) { img.Pix[20*img.Stride+8] ^= 1 }},
		{name: "the last row", change: func(img *image.NRGBA) { img.Pix[39*img.Stride+8] ^= 128 }},
		{name: "two rows apart", change: func(img *image.NRGBA) {
			img.Pix[15*img.Stride] ^= 3
			img.Pix[25*img.Stride+1] ^= 3
		}},
		{name: "rows that swap", change: func(img *image.NRGBA) {
			r := bytes.Clone(img.Pix[14*img.Stride : 15*img.Stride])
			copy(img.Pix[14*img.Stride:15*img.Stride], img.Pix[24*img.Stride:])
			copy(img.Pix[24*img.Stride:], r)
		}},
		{name: "scrolled", change: func(img *image.NRGBA) { copy(img.Pix[5*img.Stride:], img.Pix[8*img.Stride:]) }},
		{name: "everything", change: func(img *image.NRGBA) {
			for i := range img.Pix {
				if i%4 != 3 {
					img.Pix[i] += uint8(i)
				}
			}
		}},
	} {
		for _, opaque := range []bool{true, false} {
			before, err := Unpack(encoded(smooth(opaque)), nil)
			if err != nil {
				t.Fatal(err)
			}
			was := before.Pix()
			img := smooth(opaque)
			row.change(img)
			data := encoded(img)
			fresh, err := Unpack(data, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Unpack(data, before)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Pix(), fresh.Pix()) || got.key() != fresh.key() {
				t.Errorf("%s, opaque %v: other pixels, or another key", row.name, opaque)
			}
			if same := got.Raster == before.Raster; same != row.same {
				t.Errorf("%s, opaque %v: the raster before: %v", row.name, opaque, same)
			}
			if !bytes.Equal(before.Pix(), was) {
				t.Errorf("%s, opaque %v: the frame before was changed", row.name, opaque)
			}
			again, err := Unpack(encoded(smooth(opaque)), got)
			if err != nil || !bytes.Equal(again.Pix(), was) || again.key() != before.key() {
				t.Errorf("%s, opaque %v: not back (%v)", row.name, opaque, err)
			}
		}
	}
}
