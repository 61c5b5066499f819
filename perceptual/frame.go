package perceptual

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"

	"github.com/cua-runner/cua-runner/cua"
)

// Frame is one decoded screenshot. Its pixels never change. It is not for concurrent use.
type Frame struct {
	// W and H are its size in device pixels.
	W, H int
	// rows have four bytes per pixel. Equal rows may share memory, also with the rows of other frames.
	rows [][]byte
	// thin are the rows scaled to smallPx pixels each, which may share memory as rows do; nil before the
	// first Fingerprint.
	thin [][]byte
	// small is the frame in gray, scaled to smallPx×smallPx pixels; nil before the first Fingerprint.
	small *image.Gray
}

// ErrNoFrame says that there is nothing to decode.
var ErrNoFrame = errors.New("perceptual: no frame")

// SHA is the name of an encoded frame: the hex SHA-256 of its bytes. Equal names mean equal frames, so
// nothing visible happened. Different names mean nothing.
func SHA(shot *cua.Shot) string {
	sum := sha256.Sum256(shot.Data)
	return hex.EncodeToString(sum[:])
}

// Decode decodes a PNG or JPEG, which it recognizes by the first bytes and not by the MIME type. A shot with
// a Raster is not decoded again. The pixels of the tag (cua.TagCells) are overwritten. The error says which
// limit the frame exceeds or why it cannot be decoded.
func Decode(shot *cua.Shot, c Config) (*Frame, error) {
	if shot == nil || len(shot.Data) == 0 {
		return nil, ErrNoFrame
	}
	if len(shot.Data) > c.MaxBytes {
		return nil, fmt.Errorf("perceptual: decoding a frame: %d bytes are more than the %d allowed",
			len(shot.Data), c.MaxBytes)
	}
	if r := shot.Raster; r != nil && r.W*r.H <= c.MaxPixels {
		return &Frame{W: r.W, H: r.H, rows: r.Rows}, nil
	}
	readConfig, read := png.DecodeConfig, png.Decode
	if bytes.HasPrefix(shot.Data, []byte{0xff, 0xd8}) {
		readConfig, read = jpeg.DecodeConfig, jpeg.Decode
	}
	size, err := readConfig(bytes.NewReader(shot.Data))
	if err != nil {
		return nil, fmt.Errorf("perceptual: decoding a frame: %w", err)
	}
	// Compared as int64: in PNG both factors are 32 bits wide.
	if size.Width <= 0 || size.Height <= 0 || int64(size.Width)*int64(size.Height) > int64(c.MaxPixels) {
		return nil, fmt.Errorf("perceptual: decoding a frame: %d×%d pixels are not within the %d allowed",
			size.Width, size.Height, c.MaxPixels)
	}
	img, err := read(bytes.NewReader(shot.Data))
	if err != nil {
		return nil, fmt.Errorf("perceptual: decoding a frame: %w", err)
	}
	f := fromImage(img)
	(&cua.Raster{W: f.W, H: f.H, Rows: f.rows}).Untag()
	return f, nil
}

// fromImage is the frame with the pixels of img. If img has four bytes per pixel, the frame shares its
// memory, and img must not be changed afterwards.
func fromImage(img image.Image) *Frame {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	var pix []byte
	switch i := img.(type) {
	case *image.RGBA:
		pix = packed(i.Pix, i.Stride, w, h)
	case *image.NRGBA:
		// A page's frame is opaque, so both types have the same bytes.
		pix = packed(i.Pix, i.Stride, w, h)
	}
	if pix == nil {
		dst := image.NewRGBA(image.Rect(0, 0, w, h))
		draw.Draw(dst, dst.Rect, img, b.Min, draw.Src)
		pix = dst.Pix
	}
	return &Frame{W: w, H: h, rows: cua.NewRaster(w, h, pix).Rows}
}

// packed is pix if its rows have no gaps, else nil.
func packed(pix []byte, stride, w, h int) []byte {
	if stride != 4*w || len(pix) < 4*w*h {
		return nil
	}
	return pix[:4*w*h]
}
