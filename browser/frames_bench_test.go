package browser

import (
	"bytes"
	"image/png"
	"testing"

	"github.com/cua-runner/cua-runner/browser/internal/frames"
)

// BenchmarkUnpack is one frame of Chromium's, whose tag alone is read, and which is unpacked.
func BenchmarkUnpack(b *testing.B) {
	e := open(b, SessionOptions{}, site(b, map[string]string{"/": benchForm}).URL)
	data := e.last.Shot.Data
	b.Run("tag", func(b *testing.B) {
		for b.Loop() {
			frames.ReadTag(data)
		}
	})
	b.Run("raster", func(b *testing.B) {
		for b.Loop() {
			if _, err := frames.Unpack(data, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	more := map[string]string{"as before": "", "one character more": "<p style='position:fixed;top:400px'>a"}
	for name, page := range more {
		b.Run("after a frame/"+name, func(b *testing.B) {
			other := open(b, SessionOptions{}, site(b, map[string]string{"/": benchForm + page}).URL)
			before, err := frames.Unpack(other.last.Shot.Data, nil)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := frames.Unpack(data, before); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("standard library", func(b *testing.B) {
		for b.Loop() {
			if _, err := png.Decode(bytes.NewReader(data)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
