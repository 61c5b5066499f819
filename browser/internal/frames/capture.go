package frames

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
	// captures is how often a screenshot is asked for, askAgain how long the first may take; each
	// further one may take twice as long as the one before.
	captures = 4
	askAgain = 250 * time.Millisecond
	// darkDeadline ends one take of a page of which the last one had no picture. Most probably it still
	// paints none, as a document whose body never came.
	darkDeadline = time.Second
)

// errFrameTooBig is returned for a page whose frame is over the cap even as JPEG.
var errFrameTooBig = errors.New("the frame is over the cap of 8 MiB")

// Captured is the outcome of a capture.
type Captured struct {
	Shot cua.Shot
	Err  error
}

// Capture takes a screenshot: PNG, and JPEG for a page whose PNG is too big.
func (f *Stream) Capture(ctx context.Context) Captured {
	p := page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, FromSurface: new(true),
		OptimizeForSpeed: new(true)}
	data, err := f.screenshot(ctx, p)
	if err != nil || len(data) <= maxFrame {
		return Captured{cua.Shot{Data: data, Mime: "image/png"}, err}
	}
	p.Format, p.Quality = page.CaptureScreenshotFormatJpeg, new(int64(heavyQuality))
	if data, err = f.screenshot(ctx, p); err == nil && len(data) > maxFrame {
		err = errFrameTooBig
	}
	return Captured{cua.Shot{Data: data, Mime: "image/jpeg"}, err}
}

// screenshot asks, and asks again when no answer comes: a screenshot that was asked for within 5 ms of a
// click that navigates may never be answered. Any answer will do, because all were asked for after the page
// was done.
func (f *Stream) screenshot(ctx context.Context, p page.CaptureScreenshotParams) ([]byte, error) {
	answers := make(chan answer, captures)
	asked, failed, patience := 0, 0, f.limit(askAgain)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			f.ask(p, answers)
			if asked++; asked < captures {
				timer.Reset(patience)
				patience *= 2
			}
		case a := <-answers:
			if a.err == nil {
				return a.data, nil
			}
			if failed++; failed == asked {
				return nil, a.err
			}
		case <-ctx.Done():
			return nil, fmt.Errorf("no screenshot in %d tries: %w", asked, ctx.Err())
		}
	}
}

// answer is one answer to a request for a screenshot.
type answer struct {
	data []byte
	err  error
}

// ask sends one request. Its answer may come when nobody waits for it any more.
func (f *Stream) ask(p page.CaptureScreenshotParams, answers chan<- answer) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), takeDeadline)
		defer cancel()
		res, err := cdp.Call(ctx, f.s, page.CaptureScreenshot, p)
		if err == nil {
			f.light(true)
		}
		answers <- answer{res.Data, err}
	}()
}

// errDark is the cause of the end of a take in whose time no picture came.
var errDark = fmt.Errorf("no picture came: %w", context.DeadlineExceeded)

// deadline is how long a take may last.
func (f *Stream) deadline(w Want) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dark || w.Dark {
		return darkDeadline
	}
	return takeDeadline
}

// light notes whether the page gives pictures.
func (f *Stream) light(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dark = !on
}
