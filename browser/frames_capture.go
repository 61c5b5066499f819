package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/cua-runner/cua-runner/cua"
)

const (
	// maxFrame caps one encoded frame in bytes.
	maxFrame = 8 << 20
	// heavyQuality is the JPEG quality of a page whose PNG is over the cap.
	heavyQuality = 80
)

// errFrameTooBig is returned for a page whose frame is over the cap even as JPEG.
var errFrameTooBig = errors.New("the frame is over the cap of 8 MiB")

// captured is the outcome of a capture.
type captured struct {
	shot cua.Shot
	err  error
}

// captureDeadlines are those of one screenshot each. One that was asked for within 5 ms of
// a click that navigates may never be answered, so it is asked again (spec: perceptual).
func captureDeadlines() []time.Duration {
	return []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, time.Second}
}

// capture takes a screenshot: PNG, and JPEG for a page whose PNG is too big.
func (f *frames) capture(ctx context.Context) captured {
	p := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, FromSurface: new(true), OptimizeForSpeed: new(true)}
	data, err := f.screenshot(ctx, p)
	if err != nil || len(data) <= maxFrame {
		return captured{cua.Shot{Data: data, Mime: "image/png"}, err}
	}
	p.Format, p.Quality = page.CaptureScreenshotFormatJpeg, new(int64(heavyQuality))
	if data, err = f.screenshot(ctx, p); err == nil && len(data) > maxFrame {
		err = errFrameTooBig
	}
	return captured{cua.Shot{Data: data, Mime: "image/jpeg"}, err}
}

// screenshot asks until it is answered or the deadlines are used up.
func (f *frames) screenshot(ctx context.Context, p page.CaptureScreenshotParams) ([]byte, error) {
	start := time.Now()
	var err error
	for _, d := range captureDeadlines() {
		once, cancel := context.WithTimeout(ctx, d)
		var res page.CaptureScreenshotResult
		res, err = cdp.Call(once, f.s, page.CaptureScreenshot, p)
		cancel()
		if err == nil {
			return res.Data, nil
		}
		if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("no screenshot in %d tries and %d ms: %w", len(captureDeadlines()), time.Since(start).Milliseconds(), err)
}
