package browser

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/cua-runner/cua-runner/cua"
)

// BenchmarkFrame is one click, the animation frame that paints it, and its picture, by the ways
// there are, in one run: compare them with each other only. Each click comes at a random moment of
// the browser's clock.
func BenchmarkFrame(b *testing.B) {
	for name, path := range browsers(b) {
		b.Run(name, func(b *testing.B) {
			root := bareBrowser(b, path)
			ways := []struct {
				name string
				cast bool
				want want
			}{
				{"screencast", true, want{}},
				{"capture", false, want{Capture: true}},
			}
			for _, way := range ways {
				b.Run(way.name, func(b *testing.B) {
					tab := openTab(b, root)
					tab.load(painter)
					f := newFrames(tab.s, tab.view, way.cast)
					defer f.close()
					if err := f.start(b.Context()); err != nil {
						b.Fatal(err)
					}
					in := newPointer(tab.s, f.arm)
					defer in.close()
					hows := map[how]int{}
					for b.Loop() {
						w := way.want
						if err := in.click(b.Context(), cua.Point{X: 640, Y: 400}, input.MouseButtonLeft, 1, nil); err != nil {
							b.Fatal(err)
						}
						w.Paint = paintOf(b, tab.eval("then"))
						_, by, err := f.take(b.Context(), w)
						if err != nil {
							b.Fatal(err)
						}
						hows[by]++
						b.StopTimer() // the brain
						pause(b, 60_000_000)
						b.StartTimer()
					}
					for by, n := range hows {
						b.ReportMetric(100*float64(n)/float64(b.N), "%"+string(by))
					}
				})
			}
			b.Run("chromedp as usual", func(b *testing.B) {
				tab := openTab(b, root)
				tab.load(painter)
				in := newPointer(tab.s, nil)
				defer in.close()
				for b.Loop() {
					if err := in.click(b.Context(), cua.Point{X: 640, Y: 400}, input.MouseButtonLeft, 1, nil); err != nil {
						b.Fatal(err)
					}
					if err := asUsual(b.Context(), tab); err != nil {
						b.Fatal(err)
					}
					b.StopTimer()
					pause(b, 60_000_000)
					b.StartTimer()
				}
			})
		})
	}
}

// asUsual looks at the page and takes a screenshot with the protocol's defaults.
func asUsual(ctx context.Context, tab *bare) error {
	if _, err := cdp.Call(ctx, tab.s, runtime.Evaluate, runtime.EvaluateParams{Expression: "document.title"}); err != nil {
		return err
	}
	_, err := cdp.Call(ctx, tab.s, page.CaptureScreenshot, page.CaptureScreenshotParams{})
	return err
}
