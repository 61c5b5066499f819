package browser

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
)

// oddHead is a page whose button says how often it was pressed and colours the page.
const oddHead = `<body style="margin:0;background:#eef"><button id=b style="position:absolute;left:500px;top:300px;width:90px;height:40px">press</button>
	<script>let n = 0; b.addEventListener('click', () => { n++; b.style.background = 'rgb(' + n * 40 + ',0,0)'; document.title = n })</script>`

// A page on which no number can be drawn or seen is captured, and the step says why; what is shown is right
// on all of them.
func TestFramesOfOddPages(t *testing.T) {
	t.Parallel()
	press := cua.Action{Kind: cua.Click, Point: &cua.Point{X: 545, Y: 320}}
	rows := []struct {
		name  string
		html  string
		steps []cua.Action
		// of the last step: any of these; "" is a frame of the screencast. A busy machine may also be late.
		why []string
	}{
		{"plain", oddHead, []cua.Action{press, press}, []string{""}},
		{"under a translucent backdrop", oddHead + `<dialog id=d>hello</dialog><style>dialog::backdrop{background:rgba(0,0,0,.3)}</style>
			<script>b.addEventListener('click', () => { if (!d.open) d.showModal() })</script>`, []cua.Action{press}, []string{""}},
		{"covered by a popover", oddHead + `<div id=p popover=manual style="inset:0 0 auto auto;width:300px;height:90px;margin:0;border:0;background:#bfb">over</div>
			<script>p.showPopover()</script>`, []cua.Action{press, press}, []string{frames.WhyUnseen}},
		{"covered by a press", oddHead + `<div id=p popover=manual style="inset:0 0 auto auto;width:300px;height:90px;margin:0;border:0;background:#bfb">over</div>
			<script>b.addEventListener('click', () => p.showPopover())</script>`, []cua.Action{press}, []string{frames.WhyUnseen}},
		{"html::after in use", oddHead + `<style>html::after{content:"after";position:fixed;right:0;top:0;font:30px serif}</style>`, []cua.Action{press, press}, []string{"after"}},
		{"html::after that comes later", oddHead + `<script>b.addEventListener('click', () => document.head.insertAdjacentHTML('beforeend',
			'<style>html::after{content:"later";position:fixed;right:0;top:0;font:30px serif}</style>'))</script>`, []cua.Action{press, press}, []string{"after"}},
		{"html::after that comes while nobody acts", oddHead + `<script>b.addEventListener('click', () => setTimeout(() => document.head.insertAdjacentHTML('beforeend',
			'<style>html::after{content:"later";position:fixed;right:0;top:0;font:30px serif}</style>'), 1700))</script>`, []cua.Action{press, {Kind: cua.Wait, MS: 1900}}, []string{"after"}},
		{"html::after that goes", oddHead + `<style>html.x::after{content:"after";position:fixed;right:0;top:0;font:30px serif}</style>
			<script>document.documentElement.className = 'x'; b.addEventListener('click', () => document.documentElement.className = '')</script>`,
			[]cua.Action{press}, []string{""}},
		{"rules for all pseudo-elements", oddHead + `<style>*,*::before,*::after{box-sizing:border-box;margin:0;padding:3px;border:1px solid red!important;position:relative;opacity:.5}</style>`,
			[]cua.Action{press}, []string{""}},
		{"transformed root", oddHead + `<style>html{transform:translate(-40px,30px)}</style>`, []cua.Action{{Kind: cua.Click, Point: &cua.Point{X: 505, Y: 350}}}, []string{frames.WhyUnseen}},
		{"picture", `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="600"><rect id="r" width="900" height="600" fill="#080"/></svg>`, []cua.Action{press}, []string{"", "document"}},
		{"native select", oddHead + `<select style="position:absolute;left:100px;top:100px"><option>one<option>two</select>`,
			[]cua.Action{{Kind: cua.Click, Point: &cua.Point{X: 120, Y: 110}}}, []string{frames.WhyPicker}},
		{"disabled button", oddHead + `<button disabled style="position:absolute;left:100px;top:100px;width:90px;height:40px">no</button>`,
			[]cua.Action{{Kind: cua.Click, Point: &cua.Point{X: 140, Y: 120}}}, []string{""}},
	}
	for name, path := range browsers(t) {
		for _, scale := range []float64{1, 1.5} {
			b := alone(t, Options{Path: path, Scale: scale})
			for _, r := range rows {
				t.Run(name+", "+r.name, func(t *testing.T) {
					e := openIn(t, b, SessionOptions{}, site(t, map[string]string{"/": r.html}).URL)
					var out cua.Outcome
					for _, a := range r.steps {
						if out = e.act(a); out.Failure != nil {
							t.Fatal(out.Failure)
						}
					}
					late := out.Settle.Why == frames.WhyLate || out.Settle.Why == "unpainted"
					if !late && !slices.Contains(r.why, out.Settle.Why) {
						t.Errorf("scale %v: the frame came by %s %q, want one of %q", scale, out.Settle.Frame,
							out.Settle.Why, r.why)
					}
					e.sameAsCapture(out)
					t.Attr("odd", oddRow(t, fmt.Sprintf("%s, scale %v", r.name, scale), name, out))
				})
			}
		}
	}
}

// oddRow is a row of the table of make fresh: the page, the browser, how the last frame was got and whether
// it is right.
func oddRow(t *testing.T, page, browser string, out cua.Outcome) string {
	right := "yes"
	if t.Failed() {
		right = "NO"
	}
	return strings.Join([]string{page, browser, strings.TrimSpace(out.Settle.Frame + " " + out.Settle.Why),
		right}, "|")
}

// openIn is open in another browser.
func openIn(t testing.TB, b *Browser, o SessionOptions, url string) env {
	t.Helper()
	s, err := b.NewSession(t.Context(), anyServer(o))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	e := env{s, t}
	e.reset(cua.Task{URL: url})
	return e
}

// sameAsCapture checks that the frame of out is what a screenshot shows now, the cells aside.
func (e env) sameAsCapture(out cua.Outcome) {
	e.t.Helper()
	at, err := e.here()
	if err != nil {
		e.t.Fatal(err)
	}
	now := at.frames.Capture(e.t.Context())
	if now.Err != nil || out.After.Shot == nil {
		e.t.Fatalf("%v, %v", now.Err, out.Log)
	}
	want, err := frames.Unpack(now.Shot.Data, nil)
	if err != nil {
		e.t.Fatal(err)
	}
	got, err := frames.Unpack(out.After.Shot.Data, nil)
	if err != nil {
		e.t.Fatal(err)
	}
	a, b := got.Pix(), want.Pix()
	if got.W != want.W || got.H != want.H || !bytes.Equal(a, b) {
		n := 0
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				n++
			}
		}
		e.t.Errorf("the frame (%s %q) of %d×%d is not the screenshot of %d×%d: %d values differ",
			out.Settle.Frame, out.Settle.Why, got.W, got.H, want.W, want.H, n)
	}
	if raster := out.After.Shot.Raster; raster != nil && !bytes.Equal(raster.Pix(), a) {
		e.t.Error("the pixels that travel with the frame are not its own")
	}
}
