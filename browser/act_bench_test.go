package browser

import (
	"testing"

	"github.com/chromedp/cdproto/input"

	"github.com/cua-runner/cua-runner/cua"
)

const benchForm = `<title>form</title><form><label>Name <input></label><label>Mail <input type=email></label>
	<label>Size <select><option>Small<option>Large</select></label><button type=button onclick="this.textContent=++n">0</button></form>
	<script>n=0</script>`

// A whole step on a static form page: input, settling, evidence, frame.
func BenchmarkStep(b *testing.B) {
	e := open(b, SessionOptions{}, site(b, map[string]string{"/": benchForm}).URL)
	click := e.at(cua.Action{Kind: cua.Click}, "0")
	for b.Loop() {
		if out := e.act(click); out.Failure != nil {
			b.Fatal(out.Failure)
		}
	}
}

// The bare parts by the same way: input, one trip to the page, a frame. To be compared with
// BenchmarkStep of the same run.
func BenchmarkBare(b *testing.B) {
	e := open(b, SessionOptions{}, site(b, map[string]string{"/": benchForm}).URL)
	p := *e.at(cua.Action{Kind: cua.Click}, "0").Point
	t, err := e.here()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := t.input.click(b.Context(), p, input.MouseButtonLeft, 1); err != nil {
			b.Fatal(err)
		}
		s, err := t.probe.settle(b.Context(), settleCap)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := t.frames.take(b.Context(), want{Paint: s.Paint}); err != nil {
			b.Fatal(err)
		}
	}
}
