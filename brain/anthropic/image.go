package anthropic

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	_ "image/jpeg" // frames may be JPEG
	"image/png"
	"slices"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"golang.org/x/image/draw"

	"github.com/cua-runner/cua-runner/cua"
)

// image is a frame in the form in which it is sent. It is recorded as the last one sent. It is nil if the
// frame cannot be decoded; the page is then described in text only. The frame of t's own page gets its
// marks if the option asks for them.
func (w *wire) image(shot *cua.Shot, t *cua.Turn) *sdk.ImageBlockParam {
	var marks []cua.Mark
	if n := len(t.Frames); w.marks && n > 0 && bytes.Equal(t.Frames[n-1].Data, shot.Data) {
		marks = w.numbered(t)
	}
	p, err := w.screen.Picture(*shot, marks)
	if err != nil {
		return nil
	}
	w.talk.last = digest(shot.Data)
	return imageOf(p.Mime, p.Data)
}

// numbered are the marks of a page with the numbers by which the model can name them: those of their
// references with the browser toolset, otherwise their own, which the list of elements also has.
func (w *wire) numbered(t *cua.Turn) []cua.Mark {
	marks := slices.Clone(t.Now.Marks)
	if !w.kind.browser {
		return marks
	}
	s := w.scene(t)
	s.lines() // assigns the references
	for i := range marks {
		marks[i].N = w.refs.byKey[refKey{s.tabs.current(), document(s.now), marks[i].ID}].n
	}
	return marks
}

// zoomed is a part of a frame, enlarged to the size of the whole picture as far as its proportions permit;
// nil if the region is empty.
func (w *wire) zoomed(shot *cua.Shot, region cua.Box) *sdk.ImageBlockParam {
	whole, err := w.screen.Picture(*shot, nil) // this also limits the decoded size
	if err != nil {
		return nil
	}
	img, _, err := image.Decode(bytes.NewReader(whole.Data))
	if err != nil || w.screen.View.W < 1 || w.screen.View.H < 1 {
		return nil
	}
	b := img.Bounds()
	sx, sy := float64(b.Dx())/float64(w.screen.View.W), float64(b.Dy())/float64(w.screen.View.H)
	from := image.Rect(int(region.X*sx), int(region.Y*sy), int((region.X+region.W)*sx),
		int((region.Y+region.H)*sy)).Intersect(b)
	if from.Empty() {
		return nil
	}
	scale := min(float64(b.Dx())/float64(from.Dx()), float64(b.Dy())/float64(from.Dy()))
	to := image.NewRGBA(image.Rect(0, 0, max(1, int(float64(from.Dx())*scale)),
		max(1, int(float64(from.Dy())*scale))))
	draw.CatmullRom.Scale(to, to.Bounds(), img, from, draw.Src, nil)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, to); err != nil {
		return nil
	}
	return imageOf("image/png", out.Bytes())
}

// digest is the digest by which records identify a frame.
func digest(frame []byte) string {
	sum := sha256.Sum256(frame)
	return hex.EncodeToString(sum[:])
}
