package browser

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/cua"
)

// how says how a frame was got; it is written to cua.Settle.Frame.
type how string

const (
	byScreencast how = "screencast" // a frame of the screencast that shows the number that was waited for
	byCapture    how = "capture"    // Page.captureScreenshot
	byReuse      how = "reuse"      // pixel for pixel the frame before
)

const (
	// takeDeadline ends one take, whatever the page does.
	takeDeadline = 3500 * time.Millisecond
	// tagPatience is how long the frame with the number may take before a screenshot is asked for.
	tagPatience = 200 * time.Millisecond
	// tagBlock is how many numbers one action, or one document of it, has; of the 12 bits there are tagBlocks
	// of them, beside the one that holds 0.
	tagBlock, tagBlocks = 256, 1<<tagBits/256 - 1
	// maxCame caps the frames that one action keeps.
	maxCame = 8
)

// errDialogOpen is returned instead of a frame while a JavaScript dialog is open.
var errDialogOpen = errors.New("a dialog is open")

// Why a screenshot is taken, as far as it is known here and not in the page (settle.js); cua.Settle.Why.
const (
	whyAsked = "asked" // nothing was numbered: the session captures, or nobody acted
	// a document of another origin is shown in the page: the number is not of its frames
	whyFrames  = "frames"
	whyPicker  = "picker"     // a list of the browser's own is open, or was: it is drawn apart from the page
	whyUnseen  = "unseen"     // the cells are covered, or stand somewhere else
	whyLate    = "late"       // no frame came in time
	whyTooBig  = "size"       // the frame is larger than is kept, or not of the viewport's size
	whyUntaken = "screencast" // the screencast could not be opened
)

// want says what a frame must show.
type want struct {
	// Tag is the number that the frame must show, or a later one of its block; 0 captures.
	Tag int
	// Why says why there is none.
	Why string
}

// taken is a frame and how it was got.
type taken struct {
	cua.Shot
	how how
	why string // why it was captured; "" where it was not
}

// numbered is a frame of the screencast and the number that it shows; 0 is none.
type numbered struct {
	tag int
	png []byte
}

// frames takes the shots of one tab. It keeps one screencast open. Each animation frame that paints what an
// action changed has a number, which the page draws with it (world.js): a frame of the screencast that shows
// the number of the last one, or a later one, is not older than that. No date could say so: a frame is dated
// by its display, and not by what is drawn in it. Where no number can be drawn or seen, a screenshot is asked
// for, which makes the page paint.
//
// Two frames may be on their way before the first is acknowledged, and they are acknowledged only while
// somebody waits: a page that moves while the brain thinks costs two frames and no more.
type frames struct {
	s    wire.Caller
	size cua.Size // of a frame in pixels
	cast bool     // a screencast is wanted
	hush func()
	// slack makes the time limits of a take longer where many sessions share the browser; nil does not.
	slack func(time.Duration) time.Duration

	mu       sync.Mutex
	wake     chan struct{} // closed and replaced at each change below
	round    int           // counts starts; what an older screencast sends is dropped
	running  bool
	dialog   bool
	block    int        // counts actions and their documents
	document string     // that the block belongs to
	came     []numbered // since arm, oldest first
	unacked  []int64
	awaiting bool // a take waits for a frame
	unseen   int  // frames without a number since it does
	blind    bool // the last number that was waited for was not seen, and none since
	album    album
	covered  paintedFrame // the frame that was painted over last
}

// newFrames listens to the session of one tab. Frames are captured one by one when screencast is false.
func newFrames(s wire.Caller, view cua.Size, scale float64, screencast bool) *frames {
	pixels := func(n int) int { return int(math.Round(float64(n) * scale)) }
	f := &frames{s: s, size: cua.Size{W: pixels(view.W), H: pixels(view.H)}, cast: screencast,
		wake: make(chan struct{})}
	f.hush = s.Listen(f.hear)
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

// receive keeps a frame. It stays unacknowledged until a take waits for another one, or the next action
// begins: Chromium keeps the newest one for us.
func (f *frames) receive(round int, params jsonv2.Value) {
	var e page.EventScreencastFrame
	if err := jsonv2.Unmarshal(params, &e, chromedp.DefaultUnmarshalOptions); err != nil {
		return
	}
	tag := readTag(e.Data)
	f.mu.Lock()
	defer f.mu.Unlock()
	if round != f.round || !f.running {
		return
	}
	f.unacked = append(f.unacked, e.SessionID)
	if tag/tagBlock == f.base()/tagBlock {
		f.blind = false
	}
	if f.came = append(f.came, numbered{tag, e.Data}); len(f.came) > maxCame {
		f.came = f.came[1:]
	}
	if f.awaiting {
		if tag == 0 {
			f.unseen++
		}
		f.ack()
	}
	f.changed()
}

// ack lets further frames come; the lock is held. A lost acknowledgement costs speed and nothing else.
func (f *frames) ack() {
	for _, id := range f.unacked {
		_ = f.s.Post(page.ScreencastFrameAck.Method, page.ScreencastFrameAckParams{SessionID: id},
			func(error) {})
	}
	f.unacked = nil
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
	f.running = true
	f.mu.Unlock()
	_, err := cdp.Call(ctx, f.s, page.StartScreencast, page.StartScreencastParams{
		Format: page.StartScreencastFormatPng, MaxFramesInFlight: 2, SendLastFrame: new(true)})
	if err != nil {
		f.mu.Lock()
		f.running = false
		f.mu.Unlock()
		return fmt.Errorf("browser: opening the screencast: %w", err)
	}
	return nil
}

// stop ends the screencast of a tab that goes to the back.
func (f *frames) stop(ctx context.Context) error {
	f.mu.Lock()
	running := f.running
	f.round++
	f.running, f.awaiting, f.blind, f.came, f.unacked = false, false, false, nil, nil
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

// arm is called right before an action touches the page: it has numbers of its own.
func (f *frames) arm() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.block++
	f.came = nil
	f.ack()
}

// base is the first number of the block; the lock is held.
func (f *frames) base() int { return (f.block%tagBlocks + 1) * tagBlock }

// from is the number with which a document begins to number its animation frames; 0 is that it does not. A
// document that the action brought has a block of its own, since the one before may still be shown.
func (f *frames) from(document string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.running {
		return 0
	}
	if document != f.document {
		f.document, f.blind = document, false
		f.block++
	}
	return f.base()
}

// take returns a frame that is not older than what w names.
func (f *frames) take(ctx context.Context, w want) (taken, error) {
	ctx, cancel := context.WithTimeout(ctx, f.limit(takeDeadline))
	defer cancel()
	defer f.rest()
	png, why, err := f.await(ctx, w)
	got := taken{Shot: cua.Shot{Data: png, Mime: "image/png"}, how: byScreencast}
	if err == nil && png == nil {
		got.how, got.why = byCapture, why
		got.Shot, err = f.shoot(ctx)
	}
	if err != nil {
		return taken{}, fmt.Errorf("browser: taking a frame: %w", err)
	}
	return got, nil
}

// limit is d with the slack of the browser.
func (f *frames) limit(d time.Duration) time.Duration {
	if f.slack == nil {
		return d
	}
	return f.slack(d)
}

// rest ends a take. Two more frames may come, and wait.
func (f *frames) rest() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.awaiting, f.came = false, nil
}

// await waits for a frame that shows the number. Without a frame it says why.
func (f *frames) await(ctx context.Context, w want) (png []byte, why string, err error) {
	timer := time.NewTimer(tagPatience)
	defer timer.Stop()
	for {
		f.mu.Lock()
		if w.Tag > 0 && !f.awaiting {
			f.awaiting, f.unseen = true, 0
			f.ack()
		}
		png, why = f.find(w)
		wake, dialog := f.wake, f.dialog
		f.mu.Unlock()
		switch {
		case dialog:
			return nil, "", errDialogOpen
		case png != nil || why != "":
			return png, why, nil
		}
		select {
		case <-wake:
		case <-timer.C:
			f.mu.Lock()
			f.blind = true
			f.mu.Unlock()
			return nil, whyLate, nil
		case <-ctx.Done():
			return nil, "", ctx.Err()
		}
	}
}

// find is the first frame that shows the number or a later one of its block, or why there will be none;
// neither is that one may still come. The lock is held.
func (f *frames) find(w want) (png []byte, why string) {
	if w.Tag == 0 {
		return nil, cmp.Or(w.Why, whyAsked)
	}
	for _, c := range f.came {
		switch {
		case c.tag < w.Tag || c.tag/tagBlock != w.Tag/tagBlock:
		case pngSize(c.png) != f.size || len(c.png) > maxFrame:
			return nil, whyTooBig
		default:
			return c.png, ""
		}
	}
	switch {
	case !f.running:
		return nil, whyUntaken
	case f.blind:
		return nil, whyUnseen
	case f.unseen > 1: // the first may be one that was kept from before
		f.blind = true
		return nil, whyUnseen
	}
	return nil, ""
}

// shoot captures, unless a dialog opens.
func (f *frames) shoot(ctx context.Context) (cua.Shot, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	came := make(chan captured, 1)
	go func() { came <- f.capture(ctx) }()
	for {
		f.mu.Lock()
		wake, dialog := f.wake, f.dialog
		f.mu.Unlock()
		if dialog {
			return cua.Shot{}, errDialogOpen
		}
		select {
		case <-wake:
		case c := <-came:
			return c.shot, c.err
		}
	}
}

// pngSize is the size that the header of a PNG states; the zero Size is none.
func pngSize(data []byte) cua.Size {
	if len(data) < 24 || string(data[12:16]) != "IHDR" {
		return cua.Size{}
	}
	return cua.Size{W: int(binary.BigEndian.Uint32(data[16:])), H: int(binary.BigEndian.Uint32(data[20:]))}
}
