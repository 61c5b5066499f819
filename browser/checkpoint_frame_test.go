package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"net/http"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// untagged are the pixels of a frame below the row of its tag.
func untagged(t testing.TB, o cua.Observation) []byte {
	t.Helper()
	if o.Shot == nil {
		t.Fatal("there is no frame")
	}
	img, err := png.Decode(bytes.NewReader(o.Shot.Data))
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()-1))
	draw.Draw(out, out.Bounds(), img, image.Pt(0, 1), draw.Src)
	return out.Pix
}

// The frame of a page that was given its values back shows them: the effect of the next click is judged
// against it.
func TestARestoredFormIsInItsFrame(t *testing.T) {
	ts := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>form</title><style>body{font:16px sans-serif;margin:40px}
label{display:block}input{display:block;width:300px;font:inherit}</style>
<h1>Form</h1><form><label>Who<input></label><label>Town<input></label><button type=button>Send</button></form>`)
	})
	for name, path := range browsers(t) {
		t.Run(name, func(t *testing.T) {
			b := alone(t, Options{Path: path})
			e := openIn(t, b, SessionOptions{}, ts.URL)
			e.ok(e.at(cua.Action{Kind: cua.Type, Text: "ada"}, "Who"))
			e.ok(e.at(cua.Action{Kind: cua.Type, Text: "Lisbon"}, "Town"))
			o := e.ok(cua.Action{Kind: cua.Click, Point: &cua.Point{X: 900, Y: 700}}) // nothing has the focus
			e.Close()
			for range 3 { // each in a session of its own, as an episode is resumed
				e := openIn(t, b, SessionOptions{}, ts.URL)
				out := e.back(o.State, cua.Facets())
				facets(t, out, nil)
				if !bytes.Equal(untagged(t, out.After), untagged(t, o)) {
					t.Errorf("the frame (%s) does not show what was given back", out.Settle.Frame)
				}
				e.Close()
			}
		})
	}
}
