package browser

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/cua-runner/cua-runner/cua"
)

// how says how a frame was got; it is written to cua.Settle.Frame.
type how string

const (
	byScreencast how = "screencast" // the page painted it and the screencast delivered it
	byCapture    how = "capture"    // Page.captureScreenshot
	byReuse      how = "reuse"      // taken anew on demand, and equal to the frame before
)

const (
	// takeDeadline ends one take, whatever the page does.
	takeDeadline = 3500 * time.Millisecond
	// forceAfter is how long a take waits for the page's own frame. It comes 10 to 15 ms
	// after its animation frame began; without one the page has painted nothing, and a frame
	// is forced.
	forceAfter = 22 * time.Millisecond
	// intervalMS is the shortest time between two animation frames of a page.
	intervalMS = 1000.0 / 60
	// wary is for how many takes a page is captured after it was seen to move by itself.
	wary = 32
	// ackDeadline ends one acknowledgement.
	ackDeadline = 2 * time.Second
	// slackMS is by how much a frame may be dated ahead of our own clock: two 60-Hz frames and
	// some rounding. Frames are dated by the moment at which they will be shown.
	slackMS = 50
)

// errDialogOpen is returned instead of a frame while a JavaScript dialog is open.
var errDialogOpen = errors.New("a dialog is open")

// want says what a frame must show.
type want struct {
	// Paint is when the animation frame began that paints what must be seen: the page's
	// performance.timeOrigin plus the argument of the requestAnimationFrame callback, ms since
	// the epoch. 0 is unknown: the frame is captured.
	Paint float64
	// Still says that nothing at all changed, so that no frame is to be expected.
	Still bool
	// Capture asks for a screenshot: after a navigation, on a tab that came to the front, while
	// something is animated, with out-of-process frames.
	Capture bool

	forced bool // a screenshot was asked for to see the page paint
}

// frame is one frame of the screencast.
type frame struct {
	png   []byte
	shown float64 // when it is shown, ms since the epoch
}

// frames takes the shots of one tab. It keeps one screencast open, of which
// Chromium sends one frame and then waits for our acknowledgement, so that a
// page that moves while the brain thinks costs one frame and no more.
//
// A frame is dated by the moment at which it is shown, one interval after the
// page's animation frame began that it is painted with, or later when painting
// takes longer. So the first frame after an action shows what happened up to
// an animation frame if it is dated later than that began and if nothing else
// was on its way to be painted: no earlier animation frame of the same action,
// nothing that the page does by itself. Where that is not known, and where no
// frame comes, a screenshot is asked for, which makes the page paint.
type frames struct {
	s    caller
	view cua.Size
	cast bool // a screencast is wanted
	hush func()

	mu      sync.Mutex
	wake    chan struct{} // closed and replaced at each change below
	round   int           // counts starts; what an older screencast sends is dropped
	running bool
	dialog  bool
	opening bool // the first frame of the screencast has not come
	acting  bool // from arm to the end of take
	since   time.Time
	moving  int     // takes for which the page counts as moving by itself
	asking  int     // screenshots that were asked for and not yet answered
	painted float64 // what screenshots made the page paint is dated before, ms since the epoch
	held    int64   // the frame not yet acknowledged
	holding bool
	first   *frame // first one since arm
	last    []byte // what the last take returned
}

// newFrames listens to the session of one tab. Frames are captured one by one when
// screencast is false.
func newFrames(s caller, view cua.Size, screencast bool) *frames {
	f := &frames{s: s, view: view, cast: screencast, wake: make(chan struct{})}
	f.hush = s.listen(f.hear)
	return f
}

// close stops listening.
func (f *frames) close() { f.hush() }

// hear runs on the goroutine that reads the connection.
func (f *frames) hear(method string, params jsonv2.Value) {
	switch method {
	case page.ScreencastFrame.Method:
		f.mu.Lock()
		n := f.round
		f.mu.Unlock()
		go f.receive(n, params)
	case page.JavascriptDialogOpening.Method:
		f.setDialog(true)
	case page.JavascriptDialogClosed.Method:
		f.setDialog(false)
	}
}

func (f *frames) setDialog(open bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dialog = open
	f.changed()
}

// changed wakes whoever waits; the lock is held.
func (f *frames) changed() {
	close(f.wake)
	f.wake = make(chan struct{})
}

// receive stores a frame. It stays unacknowledged until the next action is over, but for the
// first of a screencast and those that screenshots caused: they say nothing of the page.
func (f *frames) receive(round int, params jsonv2.Value) {
	var e page.EventScreencastFrame
	if err := jsonv2.Unmarshal(params, &e, chromedp.DefaultUnmarshalOptions); err != nil || e.Metadata == nil {
		return
	}
	f.mu.Lock()
	if round != f.round || !f.running {
		f.mu.Unlock()
		return
	}
	shown := float64(e.Metadata.Timestamp) * 1e3
	known := !f.acting && (f.opening || shown <= f.painted)
	f.opening = false
	if f.acting {
		f.first = &frame{e.Data, shown}
	}
	f.held, f.holding = e.SessionID, !known
	f.changed()
	f.mu.Unlock()
	if known {
		f.ack(context.Background(), e.SessionID)
	}
}

// ack lets the next frame come. A lost acknowledgement costs speed and nothing else.
func (f *frames) ack(ctx context.Context, id int64) {
	ctx, cancel := context.WithTimeout(ctx, ackDeadline)
	defer cancel()
	_, _ = cdp.Call(ctx, f.s, page.ScreencastFrameAck, page.ScreencastFrameAckParams{SessionID: id})
}

// start opens the screencast of a tab that came to the front, or opens it anew after a
// crash. Without one it does nothing.
func (f *frames) start(ctx context.Context) error {
	if !f.cast {
		return nil
	}
	if err := f.stop(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	f.running, f.opening = true, true
	f.mu.Unlock()
	_, err := cdp.Call(ctx, f.s, page.StartScreencast, page.StartScreencastParams{
		Format: page.StartScreencastFormatPng, MaxFramesInFlight: 1, SendLastFrame: new(false)})
	if err != nil {
		return fmt.Errorf("browser: opening the screencast: %w", err)
	}
	return nil
}

// stop ends the screencast of a tab that goes to the back.
func (f *frames) stop(ctx context.Context) error {
	f.mu.Lock()
	running := f.running
	f.round++
	f.running, f.acting, f.holding, f.first, f.moving = false, false, false, nil, 0
	f.changed()
	f.mu.Unlock()
	if !running {
		return nil
	}
	if _, err := cdp.Call(ctx, f.s, page.StopScreencast, cdp.Empty{}); err != nil {
		return fmt.Errorf("browser: ending the screencast: %w", err)
	}
	return nil
}

// arm is called right before an action touches the page: frames from now on are of the action.
// A page that has sent a frame meanwhile moves by itself; it stays unacknowledged and costs nothing.
func (f *frames) arm(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.acting && f.holding {
		f.moving = wary
	}
	if !f.holding {
		f.since = time.Now()
	}
	f.acting = true
	return nil
}

// rest ends what arm began. One more frame may come, and tells whether the page moves by itself.
func (f *frames) rest() {
	f.mu.Lock()
	id, holding := f.held, f.holding
	f.acting, f.first, f.holding = false, nil, false
	f.moving = max(0, f.moving-1)
	f.mu.Unlock()
	if holding {
		go f.ack(context.Background(), id)
	}
}

// take returns a frame that shows the page at or after w.Paint.
func (f *frames) take(ctx context.Context, w want) (cua.Shot, how, error) {
	ctx, cancel := context.WithTimeout(ctx, takeDeadline)
	defer cancel()
	defer f.rest()
	shot, by, err := f.wait(ctx, w)
	if err != nil {
		return cua.Shot{}, "", fmt.Errorf("browser: taking a frame: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = shot.Data
	return shot, by, nil
}

// wait is take without the bookkeeping around it.
func (f *frames) wait(ctx context.Context, w want) (cua.Shot, how, error) {
	delay := forceAfter
	if w.Still {
		delay = 0
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var forced chan captured
	force := func() {
		if forced == nil {
			w.forced = true
			forced = make(chan captured, 1)
			go func() { forced <- f.capture(ctx) }()
		}
	}
	for {
		l := f.look(w)
		switch {
		case l.dialog:
			return cua.Shot{}, "", errDialogOpen
		case l.png != nil:
			by := byScreencast
			if forced != nil && l.same {
				by = byReuse
			}
			return cua.Shot{Data: l.png, Mime: "image/png"}, by, nil
		case l.capture:
			w.Capture = true // once in doubt, no frame of this take is trusted
			force()
		}
		select {
		case <-l.wake:
		case <-timer.C:
			force()
		case c := <-forced:
			if c.err == nil && f.equal(c.shot.Data) {
				return c.shot, byReuse, nil
			}
			return c.shot, byCapture, c.err
		case <-ctx.Done():
			return cua.Shot{}, "", ctx.Err()
		}
	}
}

// looked is what look saw.
type looked struct {
	dialog  bool
	png     []byte // a good frame, nil when there is none yet
	same    bool   // it equals the last one
	capture bool   // the screencast cannot give one
	wake    <-chan struct{}
}

// look says what there is now.
func (f *frames) look(w want) looked {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := looked{dialog: f.dialog, wake: f.wake}
	// More than one animation frame may have begun since arm, and a late one may be shown
	// in the place of the one that is wanted.
	// One that began before arm need not show the action at all.
	since := float64(f.since.UnixMicro()) / 1e3
	several := w.Paint > since+intervalMS || w.Paint < since
	forced := f.asking > 0 && !w.forced || w.Paint+1 < f.painted // an earlier take's frames may still come
	if !f.acting || f.moving > 0 || several || forced || w.Capture || w.Paint == 0 {
		l.capture = true
		return l
	}
	if f.first == nil {
		return l
	}
	// A frame of the past, of the future or of another size: something else was painted, the
	// clocks disagree, or the sizes do.
	ahead := w.Paint + float64(time.Since(f.since).Milliseconds()) + slackMS
	if f.first.shown <= w.Paint+1 || f.first.shown > ahead || pngSize(f.first.png) != f.view || len(f.first.png) > maxFrame {
		l.capture = true
		return l
	}
	l.png, l.same = f.first.png, bytes.Equal(f.first.png, f.last)
	return l
}

// equal says whether data is what the last take returned. Screencast and screenshot encode equal
// pixels as equal bytes.
func (f *frames) equal(data []byte) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return bytes.Equal(data, f.last)
}

// pngSize is the size that the header of a PNG states; the zero Size is none.
func pngSize(data []byte) cua.Size {
	if len(data) < 24 || string(data[12:16]) != "IHDR" {
		return cua.Size{}
	}
	return cua.Size{W: int(binary.BigEndian.Uint32(data[16:])), H: int(binary.BigEndian.Uint32(data[20:]))}
}
