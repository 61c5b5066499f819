package frames

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
	"slices"
	"sync"

	"github.com/cua-runner/cua-runner/cua"
)

// coverColour is that of what is painted over.
var coverColour = image.NewUniform(color.RGBA{R: 0x80, G: 0x80, B: 0x80, A: 0xff})

// paintedFrame is a frame that was painted over: what it was made of and the outcome.
type paintedFrame struct {
	from  *cua.Raster
	boxes []cua.Box
	to    *cua.Raster
	picture
}

// Cover paints over boxes, CSS pixels of the viewport, in a frame that was recognized. The picture is then
// the one that is sent, stored and compared: there is no other. A picture that cannot be unpacked is an
// error.
func (f *Stream) Cover(t *Taken, boxes []cua.Box, scale float64) error {
	if c := &f.covered; c.from != nil && c.from == t.Raster && slices.Equal(c.boxes, boxes) {
		t.Data, t.Name, t.Raster = c.data, c.name, c.to
		return nil
	}
	if t.Raster == nil {
		return coverForeign(t, boxes, scale)
	}
	w, h := t.Raster.W, t.Raster.H
	img := &image.RGBA{Pix: t.Raster.Pix(), Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
	for _, b := range boxes {
		draw.Draw(img, pixels(b, scale), coverColour, image.Point{}, draw.Src)
	}
	to := f.covered.shared(cua.NewRaster(w, h, img.Pix), t.Raster)
	var out bytes.Buffer
	if err := painter.Encode(&out, img); err != nil {
		return fmt.Errorf("browser: painting over a frame: %w", err)
	}
	if t.How == ByReuse {
		t.How = ByScreencast // the places are other ones than in the frame before
	}
	f.covered = paintedFrame{from: t.Raster, boxes: slices.Clone(boxes), to: to,
		picture: newPicture(out.Bytes())}
	t.Data, t.Name, t.Mime, t.Raster = f.covered.data, f.covered.name, "image/png", to
	return nil
}

// shared is to with the rows of from, or of the frame that was painted over before, where they are equal.
func (c *paintedFrame) shared(to, from *cua.Raster) *cua.Raster {
	for y, row := range to.Rows {
		switch {
		case bytes.Equal(row, from.Rows[y]):
			to.Rows[y] = from.Rows[y]
		case c.to != nil && c.to.W == to.W && c.to.H == to.H && bytes.Equal(row, c.to.Rows[y]):
			to.Rows[y] = c.to.Rows[y]
		}
	}
	return to
}

// coverForeign is cover for a frame in another encoding than Chromium's PNG: a heavy one is a JPEG.
func coverForeign(t *Taken, boxes []cua.Box, scale float64) error {
	from, kind, err := image.Decode(bytes.NewReader(t.Data))
	if err != nil {
		return fmt.Errorf("browser: painting over a frame: %w", err)
	}
	img := image.NewRGBA(from.Bounds())
	draw.Draw(img, img.Rect, from, img.Rect.Min, draw.Src)
	for _, b := range boxes {
		draw.Draw(img, pixels(b, scale), coverColour, image.Point{}, draw.Src)
	}
	var out bytes.Buffer
	if kind == "jpeg" {
		err = jpeg.Encode(&out, img, &jpeg.Options{Quality: heavyQuality})
	} else {
		err = painter.Encode(&out, img)
	}
	if err != nil {
		return fmt.Errorf("browser: painting over a frame: %w", err)
	}
	p := newPicture(out.Bytes())
	t.Data, t.Name, t.Mime = p.data, p.name, "image/"+kind
	return nil
}

// pixels are those that a box touches.
func pixels(b cua.Box, scale float64) image.Rectangle {
	floor := func(v float64) int { return int(math.Floor(v * scale)) }
	ceil := func(v float64) int { return int(math.Ceil(v * scale)) }
	return image.Rect(floor(b.X), floor(b.Y), ceil(b.X+b.W), ceil(b.Y+b.H))
}

// painter encodes what was painted over: one image has one encoding.
var painter = png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &buffers{}}

// buffers are those of the encoder, to be used again.
type buffers struct{ pool sync.Pool }

// Get is a buffer; nil makes the encoder make one.
func (b *buffers) Get() *png.EncoderBuffer {
	e, _ := b.pool.Get().(*png.EncoderBuffer)
	return e
}

// Put gives one back.
func (b *buffers) Put(e *png.EncoderBuffer) { b.pool.Put(e) }
