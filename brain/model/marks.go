package model

import (
	"image"
	"image/color"
	"strconv"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/cua-runner/cua-runner/cua"
)

// markColors alternate, so that neighbouring boxes are distinguishable.
var markColors = []color.RGBA{{200, 30, 30, 255}, {20, 90, 200, 255}, {10, 120, 50, 255}, {150, 40, 150, 255}}

// drawMarks draws the box of each mark and its number in the corner (set-of-marks).
func (s Screen) drawMarks(img *image.RGBA, marks []cua.Mark) {
	fx, fy := float64(s.Size.W)/float64(max(s.View.W, 1)), float64(s.Size.H)/float64(max(s.View.H, 1))
	for i, m := range marks {
		c := image.NewUniform(markColors[i%len(markColors)])
		r := image.Rect(int(m.Box.X*fx), int(m.Box.Y*fy), int((m.Box.X+m.Box.W)*fx),
			int((m.Box.Y+m.Box.H)*fy)).Intersect(img.Bounds())
		if r.Empty() {
			continue
		}
		for _, edge := range []image.Rectangle{
			{r.Min, image.Pt(r.Max.X, r.Min.Y+1)}, {image.Pt(r.Min.X, r.Max.Y-1), r.Max},
			{r.Min, image.Pt(r.Min.X+1, r.Max.Y)}, {image.Pt(r.Max.X-1, r.Min.Y), r.Max},
		} {
			draw.Draw(img, edge, c, image.Point{}, draw.Src)
		}
		label := strconv.Itoa(m.N)
		tag := image.Rectangle{r.Min, r.Min.Add(image.Pt(7*len(label)+2, 13))}
		draw.Draw(img, tag.Intersect(img.Bounds()), c, image.Point{}, draw.Src)
		d := font.Drawer{Dst: img, Src: image.White, Face: basicfont.Face7x13,
			Dot: fixed.P(tag.Min.X+1, tag.Min.Y+11)}
		d.DrawString(label)
	}
}
