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
	takeDeadline = 3 * time.Second
	// forceAfter is how long a take waits for the page's own frame. It comes 10 to 15 ms
	// after its animation frame began; without one the page has painted nothing, and a frame
	// is forced.
	forceAfter = 22 * time.Millisecond
	// calm is how long after a take the page may still deliver frames of what is over, two at most,
	// before a frame means that the page moves by itself.
	calm = 100 * time.Millisecond
	// settleIn is how long a new screencast may take to deliver its first frame.
	settleIn = time.Second
	// maxActing ends the flow of frames while an action settles: more than this is an animation.
	maxActing = 8
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
// A frame is dated by the moment at which it is shown: exactly one interval
// after the animation frame of the page that painted it began. So a frame shows
// what happened up to an animation frame if, and only if, it is dated later than
// that began. Frames that only the compositor made (a scroll, an animated
// picture) may be an exception, which is why a page that moves by itself is
// captured instead.
type frames struct {
	s    caller
	view cua.Size
	cast bool // a screencast is wanted
	hush func()

	mu       sync.Mutex
	wake     chan struct{} // closed and replaced at each change below
	round    int           // counts starts; what an older screencast sends is dropped
	running  bool
	dialog   bool
	acting   bool      // frames flow: from arm to the end of take
	since    time.Time // of acting, or of its end
	count    int       // frames since then
	restless bool      // the page moved by itself before the action
	held     int64     // the frame not yet acknowledged
	holding  bool
	newest   *frame // since arm
	last     []byte // what the last take returned
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

// receive stores a frame and decides whether the next one may come.
func (f *frames) receive(start int, params jsonv2.Value) {
	var e page.EventScreencastFrame
	if err := jsonv2.Unmarshal(params, &e, chromedp.DefaultUnmarshalOptions); err != nil || e.Metadata == nil {
		return
	}
	f.mu.Lock()
	if start != f.round || !f.running {
		f.mu.Unlock()
		return
	}
	f.count++
	more := !f.acting && f.count <= 2 && time.Since(f.since) < calm
	if f.acting {
		f.newest = &frame{png: e.Data, shown: float64(e.Metadata.Timestamp) * 1e3}
		more = f.count <= maxActing
		f.restless = !more
	}
	f.held, f.holding = e.SessionID, !more
	f.changed()
	f.mu.Unlock()
	if more {
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
	f.running, f.since = true, time.Now().Add(settleIn) // its first frames say nothing of the page
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
	f.running, f.acting, f.holding, f.restless, f.newest, f.count = false, false, false, false, nil, 0
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

// arm lets frames come from now on. It is called right before an action touches the page, so
// that no frame of the action is lost. A page that moved by itself stays unacknowledged: it
// is captured, and its screencast costs nothing meanwhile.
func (f *frames) arm(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.running || f.acting {
		return nil
	}
	f.restless = f.holding
	f.acting, f.since, f.count, f.newest = true, time.Now(), 0, nil
	return nil
}

// rest ends what arm began. One more frame may come, and tells whether the page moves by itself.
func (f *frames) rest() {
	f.mu.Lock()
	id, holding := f.held, f.holding
	f.acting, f.since, f.count, f.newest, f.holding = false, time.Now(), 0, nil, false
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
	l.capture = !f.acting || f.restless || w.Capture || w.Paint == 0
	if l.capture || f.newest == nil || f.newest.shown <= w.Paint+1 {
		return l
	}
	// A frame of the future, or of another size: the clocks or the sizes disagree, and the
	// screencast proves nothing.
	ahead := w.Paint + float64(time.Since(f.since).Milliseconds()) + slackMS
	if f.newest.shown > ahead || pngSize(f.newest.png) != f.view || len(f.newest.png) > maxFrame {
		l.capture = true
		return l
	}
	l.png, l.same = f.newest.png, bytes.Equal(f.newest.png, f.last)
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
