package perceptual

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// screen is a frame as a page might look: stripes of text on a light ground, some colour.
func screen() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, 1280, 800))
	draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{250, 250, 252, 255}), image.Point{}, draw.Src)
	fill(img, 0, 0, 1280, 56, color.RGBA{30, 60, 120, 255})
	for y := 90; y < 780; y += 24 {
		for x := 60; x < 900; x += 14 {
			fill(img, x, y, 5+(x*y)%8, 11, color.RGBA{40, 40, 45, 255})
		}
	}
	return img
}

func fill(img draw.Image, x, y, w, h int, c color.Color) {
	draw.Draw(img, image.Rect(x, y, x+w, y+h), image.NewUniform(c), image.Point{}, draw.Src)
}

// with is a copy of screen with something drawn on it.
func with(paint func(*image.RGBA)) *Frame {
	img := screen()
	paint(img)
	return fromImage(img)
}

func encode(t testing.TB, img image.Image, mime string) *cua.Shot {
	t.Helper()
	var b bytes.Buffer
	var err error
	if mime == "image/jpeg" {
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 80})
	} else {
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &cua.Shot{Data: b.Bytes(), Mime: mime}
}

var ink = color.RGBA{20, 20, 20, 255}
