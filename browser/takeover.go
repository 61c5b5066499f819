package browser

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"

	"github.com/cua-runner/cua-runner/cua"
)

const (
	// liveGap is the least time between two frames of a takeover: at most 15 a second.
	liveGap = time.Second / 15
	// liveStill is how long a page may send no frame before it is captured: what is shown stays live.
	liveStill = 500 * time.Millisecond
	// liveQuality is that of the JPEGs, percent.
	liveQuality = 70
)

// TakeOver gives the page to a person until ctx ends or inputs are closed: inputs are dispatched in their
// order, and show gets the page about whenever it changes, else twice a second. show must return soon. The
// session makes no other call meanwhile. Windows that the page opens are followed. Nothing is recorded; the
// next call of Act observes what the person left. The error is that of a browser that is gone, of a tab that
// cannot be shown, or the site fault that has ended the episode.
func (s *Session) TakeOver(ctx context.Context, inputs <-chan cua.Input, show func(cua.LiveView)) error {
	ctx, leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	s.used = true
	ctx, cancel := context.WithCancel(ctx)
	l := &live{s: s, show: show, came: make(chan page.EventScreencastFrame, 4)}
	defer l.stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer cancel() // the inputs are closed, or ctx has ended
		l.dispatch(ctx, inputs)
	}()
	err = l.run(ctx)
	cancel()
	<-done
	if ctx.Err() != nil && !Lost(err) {
		return nil
	}
	return err
}

// live is a takeover under way.
type live struct {
	s      *Session
	show   func(cua.LiveView)
	came   chan page.EventScreencastFrame
	t      *tab   // whose frames come
	seen   []*tab // that were there when the tab was chosen last
	unhear func()
}

// run shows the page until ctx ends.
func (l *live) run(ctx context.Context) error {
	still := time.NewTimer(liveStill)
	defer still.Stop()
	var told *cua.Dialog
	for {
		l.s.mu.Lock()
		moved := l.s.moved
		l.s.mu.Unlock()
		if err := l.follow(ctx); err != nil {
			return err
		}
		l.t.mu.Lock()
		changed, dialog := l.t.changed, l.t.st.dialog
		l.t.mu.Unlock()
		if dialog != told {
			l.tell(nil, dialog)
			told = dialog
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.s.b.conn.Dead:
			return l.s.b.conn.Err()
		case <-moved:
		case <-changed:
		case e := <-l.came:
			l.tell(e.Data, dialog)
			l.pace(ctx, e.SessionID)
			still.Reset(liveStill)
		case <-still.C:
			if dialog == nil { // a page with a dialog paints nothing
				l.tell(l.capture(ctx), nil)
			}
			still.Reset(liveStill)
		}
	}
}

// tell shows a frame, or without one that something is new.
func (l *live) tell(jpeg []byte, dialog *cua.Dialog) {
	out := cua.LiveView{JPEG: jpeg, AtMS: time.Now().UnixMilli(), View: l.s.view, Dialog: dialog}
	out.Tabs, out.Tab, _ = l.s.count(l.t)
	l.show(out)
}

// pace lets the next frame come after a pause.
func (l *live) pace(ctx context.Context, id int64) {
	t := l.t
	time.AfterFunc(liveGap, func() {
		if ctx.Err() == nil {
			_ = t.s.Post(page.ScreencastFrameAck.Method, page.ScreencastFrameAckParams{SessionID: id},
				func(error) {})
		}
	})
}

// capture is the page as it is now; nil where it does not answer in time.
func (l *live) capture(ctx context.Context) []byte {
	ctx, cancel := context.WithTimeout(ctx, 2*liveStill)
	defer cancel()
	r, err := cdp.Call(ctx, l.t.s, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatJpeg, Quality: new(int64(liveQuality)), FromSurface: new(true)})
	if err != nil {
		return nil
	}
	return r.Data
}

// follow goes to the newest window that the page has opened, or to another where ours is gone, and opens its
// screencast.
func (l *live) follow(ctx context.Context) error {
	s := l.s
	s.mu.Lock()
	tabs, next := s.tabs, s.active
	s.mu.Unlock()
	if l.t != nil {
		for _, t := range tabs {
			if !slices.Contains(l.seen, t) {
				next = t
			}
		}
	}
	l.seen = tabs
	switch {
	case len(tabs) == 0:
		s.note("the last tab was closed; a blank one was opened")
		t, err := s.newTab(ctx)
		if err != nil {
			return err
		}
		next = t
	case next == nil || !slices.Contains(tabs, next):
		next = tabs[len(tabs)-1]
	}
	if next == l.t {
		return nil
	}
	l.stop()
	if err := s.activate(ctx, next); err != nil {
		return err
	}
	return l.cast(next)
}

// cast opens a screencast of t in place of the session's own. It waits for nothing: a page that shows a
// dialog does not answer.
func (l *live) cast(t *tab) error {
	t.frames.Stop()
	l.t = t
	l.unhear = t.s.Listen(func(method string, params jsonv2.Value) {
		var e page.EventScreencastFrame
		if method != page.ScreencastFrame.Method || !unpack(params, &e) {
			return
		}
		if !bytes.HasPrefix(e.Data, jpegStart) {
			return // a frame of the session's own is a PNG, and may still be on its way
		}
		select {
		case l.came <- e:
		default: // never: two at most are on their way
		}
	})
	return t.s.Post(page.StartScreencast.Method, page.StartScreencastParams{
		Format: page.StartScreencastFormatJpeg, Quality: new(int64(liveQuality)), MaxFramesInFlight: 1,
		SendLastFrame: new(true)}, func(err error) { t.note("takeover: " + err.Error()) })
}

// jpegStart is how a JPEG begins.
var jpegStart = []byte{0xff, 0xd8}

// stop closes the screencast. The session's own is opened again for the next action.
func (l *live) stop() {
	if l.t == nil {
		return
	}
	l.unhear()
	_ = l.t.s.Post(page.StopScreencast.Method, cdp.Empty{}, nil) // it dies with its tab otherwise
	l.s.suspended = true
	l.t = nil
}
