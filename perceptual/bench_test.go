package perceptual

import (
	"bytes"
	"image"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func BenchmarkCompare(b *testing.B) {
	before := fromImage(screen())
	for _, row := range []struct {
		name  string
		after *Frame
	}{
		{"equal", fromImage(screen())},
		{"one character", with(func(i *image.RGBA) { fill(i, 1000, 300, 7, 11, ink) })},
		{"scrolled", with(func(i *image.RGBA) { copy(i.Pix, i.Pix[100*i.Stride:]) })},
		{"jitter everywhere", with(func(i *image.RGBA) {
			for p := range i.Pix {
				i.Pix[p] ^= 1
			}
		})},
	} {
		b.Run(row.name, func(b *testing.B) {
			o := CompareOptions{Point: &cua.Point{X: 1000, Y: 300}}
			b.ReportAllocs()
			for b.Loop() {
				Compare(before, row.after, o, DefaultConfig())
			}
		})
	}
}

// BenchmarkEqualEncoded is how "nothing changed" is proven without decoding.
func BenchmarkEqualEncoded(b *testing.B) {
	x := encode(b, screen(), "image/png")
	y := &cua.Shot{Data: bytes.Clone(x.Data)}
	b.Run("bytes", func(b *testing.B) {
		for b.Loop() {
			if !bytes.Equal(x.Data, y.Data) {
				b.Fatal("different")
			}
		}
	})
	b.Run("sha256", func(b *testing.B) {
		for b.Loop() {
			SHA(x)
		}
	})
}

func BenchmarkFingerprint(b *testing.B) {
	before := fromImage(screen())
	before.Fingerprint(nil)
	typed := with(func(i *image.RGBA) { fill(i, 1000, 300, 7, 11, ink) })
	for name, known := range map[string]*Frame{"whole": nil, "one character": before} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				typed.Fingerprint(known)
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, mime := range []string{"image/png", "image/jpeg"} {
		shot := encode(b, screen(), mime)
		b.Run(mime, func(b *testing.B) {
			for b.Loop() {
				if _, err := Decode(shot, DefaultConfig()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFrameToEvidence is all that one changed frame costs.
func BenchmarkFrameToEvidence(b *testing.B) {
	before := fromImage(screen())
	before.Fingerprint(nil)
	img := screen()
	fill(img, 1000, 300, 7, 11, ink)
	shot := encode(b, img, "image/png")
	for b.Loop() {
		f, err := Decode(shot, DefaultConfig())
		if err != nil {
			b.Fatal(err)
		}
		Compare(before, f, CompareOptions{}, DefaultConfig())
		f.Fingerprint(before)
	}
}
