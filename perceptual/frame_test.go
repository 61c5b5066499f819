package perceptual

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/corona10/goimagehash"
	"github.com/disintegration/imaging"
	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

// bomb is a PNG header that promises w×h pixels.
func bomb(w, h uint32) *cua.Shot {
	b := []byte("\x89PNG\r\n\x1a\n")
	chunk := append([]byte("IHDR"), binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w),
		h)...)
	chunk = append(chunk, 8, 2, 0, 0, 0)
	b = append(binary.BigEndian.AppendUint32(b, 13), chunk...)
	return &cua.Shot{Data: binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(chunk))}
}

func TestDecode(t *testing.T) {
	ok := encode(t, screen(), "image/png")
	small := DefaultConfig()
	small.MaxBytes = 100
	rows := []struct {
		name string
		shot *cua.Shot
		c    Config
		err  string // a piece of the error; "" is none
	}{
		{"png", ok, DefaultConfig(), ""},
		{"jpeg", encode(t, screen(), "image/jpeg"), DefaultConfig(), ""},
		{"the wrong mime type", &cua.Shot{Data: ok.Data, Mime: "image/jpeg"}, DefaultConfig(), ""},
		{"nil", nil, DefaultConfig(), ErrNoFrame.Error()},
		{"empty", &cua.Shot{}, DefaultConfig(), ErrNoFrame.Error()},
		{"too many bytes", ok, small, "bytes are more than the 100 allowed"},
		{"too many pixels", bomb(60000, 60000), DefaultConfig(), "60000×60000 pixels"},
		{"pixels that overflow", bomb(1<<31-1, 1<<31-1), DefaultConfig(), "perceptual: decoding a frame"},
		{"cut", &cua.Shot{Data: ok.Data[:len(ok.Data)/2]}, DefaultConfig(), "perceptual: decoding a frame"},
		{"no image", &cua.Shot{Data: []byte("<html>")}, DefaultConfig(), "perceptual: decoding a frame"},
		{"the zero config", ok, Config{}, "allowed"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			f, err := Decode(row.shot, row.c)
			if (err == nil) != (row.err == "") || err != nil && !strings.Contains(err.Error(), row.err) {
				t.Fatalf("error %v, want one with %q", err, row.err)
			}
			if err == nil && (f.W != 1280 || f.H != 800) {
				t.Errorf("size %d×%d", f.W, f.H)
			}
		})
	}
	if _, err := Decode(nil, DefaultConfig()); !errors.Is(err, ErrNoFrame) {
		t.Errorf("nil shot: %v", err)
	}
}

// TestFromImage: whatever the kind of image, the same picture is the same frame.
func TestFromImage(t *testing.T) {
	want := fromImage(screen())
	offset := image.NewRGBA(image.Rect(-10, -10, 1300, 830))
	draw.Draw(offset, image.Rect(0, 0, 1280, 800), screen(), image.Point{}, draw.Src)
	nrgba, deep := image.NewNRGBA(screen().Rect), image.NewRGBA64(screen().Rect)
	draw.Draw(nrgba, nrgba.Rect, screen(), image.Point{}, draw.Src)
	draw.Draw(deep, deep.Rect, screen(), image.Point{}, draw.Src)
	for _, row := range []struct {
		name string
		img  image.Image
	}{{"a part of a larger image", offset.SubImage(image.Rect(0, 0, 1280, 800))}, {"not multiplied", nrgba},
		{"16 bit", deep}} {
		t.Run(row.name, func(t *testing.T) {
			got := fromImage(row.img)
			if got.W != want.W || got.H != want.H || !bytes.Equal(got.pix(), want.pix()) {
				t.Error("another frame")
			}
		})
	}
	grey := image.NewGray(image.Rect(0, 0, 40, 40))
	grey.Set(3, 3, color.White)
	if f := fromImage(grey); f.rows[3][4*3] != 255 || f.rows[3][4*3+3] != 255 || f.rows[0][0] != 0 {
		t.Error("a grey image came out wrong")
	}
}

func TestSHA(t *testing.T) {
	a, b := &cua.Shot{Data: []byte("a")}, &cua.Shot{Data: []byte("b")}
	if SHA(a) != SHA(&cua.Shot{Data: []byte("a")}) || SHA(a) == SHA(b) || len(SHA(a)) != 64 {
		t.Errorf("names %s, %s", SHA(a), SHA(b))
	}
}

func FuzzDecode(f *testing.F) {
	tiny := image.NewRGBA(image.Rect(0, 0, 3, 3))
	f.Add(encode(f, tiny, "image/png").Data)
	f.Add(encode(f, tiny, "image/jpeg").Data)
	f.Add(bomb(9, 9).Data)
	c := DefaultConfig()
	c.MaxPixels = 1 << 12
	f.Fuzz(func(t *testing.T, data []byte) {
		frame, err := Decode(&cua.Shot{Data: data}, c)
		if err != nil {
			return
		}
		if frame.W*frame.H > c.MaxPixels || len(frame.pix()) != 4*frame.W*frame.H {
			t.Fatalf("%d×%d with %d bytes", frame.W, frame.H, len(frame.pix()))
		}
		frame.Fingerprint(nil)
		Compare(frame, fromImage(tiny), CompareOptions{Point: &cua.Point{}}, c)
	})
}

func TestConfigValidate(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Config){
		"max_bytes": func(c *Config) { c.MaxBytes = 0 }, "max_pixels": func(c *Config) { c.MaxPixels = -1 },
		"tol_pixel": func(c *Config) { c.TolPixel = 255 }, "region_px": func(c *Config) { c.RegionPx = 0 },
		"ring_px": func(c *Config) { c.RingPx = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			c := DefaultConfig()
			change(&c)
			if err := c.Validate(); err == nil || !strings.Contains(err.Error(), "perceptual: "+name) {
				t.Errorf("error %v, want one that names %s", err, name)
			}
		})
	}
}

func TestFingerprint(t *testing.T) {
	a := fromImage(screen()).Fingerprint(nil)
	if a != fromImage(screen()).Fingerprint(nil) || a.W != 1280 || a.H != 800 {
		t.Fatalf("not the same twice: %+v", a)
	}
	if len(a.DHash64) != 16 || len(a.PHash64) != 16 || len(a.PHash256) != 64 {
		t.Fatalf("lengths of %+v", a)
	}
	typed := with(func(i *image.RGBA) { fill(i, 950, 300, 7, 11, ink) }).Fingerprint(nil)
	modal := with(func(i *image.RGBA) {
		for p := range i.Pix {
			if p%4 != 3 {
				i.Pix[p] /= 2
			}
		}
		fill(i, 320, 200, 640, 400, color.White)
	}).Fingerprint(nil)
	near, ok := distance(a.PHash64, typed.PHash64)
	far, ok2 := distance(a.PHash64, modal.PHash64)
	if !ok || !ok2 || near > 2 || far < 8 {
		t.Errorf("a character is %d bits away, a modal %d: want at most 2 and at least 8", near, far)
	}
}

// The perception hash of 64 bits is the library's, also where the frequencies are alike but for rounding.
func TestPerceptionHashIsTheLibrarys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shades := rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "shades")
		block := rapid.SampledFrom([]int{1, 4, 16, 64}).Draw(t, "edge of a block")
		small := image.NewGray(image.Rect(0, 0, smallPx, smallPx))
		for i := range small.Pix {
			small.Pix[i] = shades[(i%smallPx/block+7*(i/smallPx/block))%len(shades)]
		}
		want, err := goimagehash.PerceptionHash(small)
		if err != nil {
			t.Fatal(err)
		}
		if got := phash(frequencies(small), hash64); len(got) != 1 || got[0] != want.GetHash() {
			t.Errorf("%x, want %x", got, want.GetHash())
		}
	})
}

// What is made row by row, after another frame, is what the library makes of the whole picture.
func TestFingerprintAfter(t *testing.T) {
	noise := func(seed, w, h, rows int) *Frame { // its rows repeat in groups
		img := image.NewNRGBA(image.Rect(0, 0, w, h))
		for i := range img.Pix {
			y := i / img.Stride / rows * rows
			img.Pix[i] = uint8((i%img.Stride + 7*y + seed) * 2654435761 >> 13)
			if i%4 == 3 {
				img.Pix[i] = 255
			}
		}
		return fromImage(img)
	}
	for _, row := range []struct {
		name          string
		before, after *Frame
	}{
		{"no frame before", nil, noise(1, 130, 90, 1)},
		{"a character more", fromImage(screen()), with(func(i *image.RGBA) { fill(i, 950, 300, 7, 11, ink) })},
		{"scrolled", fromImage(screen()), with(func(i *image.RGBA) { copy(i.Pix, i.Pix[100*i.Stride:]) })},
		{"the topmost row", fromImage(screen()), with(func(i *image.RGBA) { fill(i, 0, 0, 1280, 1, ink) })},
		{"the same", fromImage(screen()), fromImage(screen())},
		{"nothing alike", noise(1, 130, 90, 1), noise(2, 130, 90, 1)},
		{"rows like those above", noise(1, 130, 90, 4), noise(2, 130, 90, 3)},
		{"another size", noise(1, 90, 130, 4), noise(1, 130, 90, 4)},
		{"another width", noise(1, 131, 90, 4), noise(1, 130, 90, 4)},
		{"as wide as is wanted", noise(1, 64, 90, 4), noise(2, 64, 90, 3)},
		{"as high as is wanted", noise(1, 90, 64, 4), noise(2, 90, 64, 3)},
		{"smaller than is wanted", noise(1, 9, 5, 2), noise(2, 9, 5, 2)},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.before != nil {
				row.before.Fingerprint(nil)
			}
			fresh := &Frame{W: row.after.W, H: row.after.H, rows: row.after.rows}
			if got, want := row.after.Fingerprint(row.before), fresh.Fingerprint(nil); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
			whole := imaging.Resize(picture(row.after.pix(), row.after.W), smallPx, smallPx, imaging.Box)
			thin := picture(slices.Concat(row.after.thin...), smallPx)
			got := imaging.Resize(thin, smallPx, smallPx, imaging.Box)
			if !bytes.Equal(got.Pix, whole.Pix) {
				t.Error("not what the library makes of the whole picture")
			}
		})
	}
}

// pix are the pixels of all rows.
func (f *Frame) pix() []byte { return slices.Concat(f.rows...) }

// distance is the number of bits by which two hashes of one kind differ. It is false if one is missing or
// malformed, or if their lengths differ.
func distance(a, b string) (int, bool) {
	x, errA := hex.DecodeString(a)
	y, errB := hex.DecodeString(b)
	if errA != nil || errB != nil || len(x) != len(y) || len(x) == 0 {
		return 0, false
	}
	n := 0
	for i := range x {
		n += bits.OnesCount8(x[i] ^ y[i])
	}
	return n, true
}
