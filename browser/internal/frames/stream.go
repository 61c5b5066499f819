// Package frames takes the pictures of one tab and proves that they are new: from a screencast whose frames
// carry a number in their pixels, or by a screenshot. It decodes Chromium's PNGs, gives equal pictures the
// same bytes, and paints over what must not be seen.
package frames

import (
	"cmp"
	"context"
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

// How says how a frame was got; it is written to cua.Settle.Frame.
type How string

// The ways in which a frame is got.
const (
	ByScreencast How = "screencast" // a frame of the screencast that shows the number that was waited for
	byCapture    How = "capture"    // Page.captureScreenshot
	ByReuse      How = "reuse"      // pixel for pixel the frame before
)

const (
	// takeDeadline ends one take, whatever the page does.
	takeDeadline = 3500 * time.Millisecond
	// tagPatience is how long the frame with the number may take before a screenshot is asked for, and
	// stillPatience how long no frame may come: once one area has changed for a second, at least twelve times
	// a second, Chromium takes it for an animation and drops the frames that change another area
	// (media/capture/content/animated_content_sampler.cc).
	tagPatience, stillPatience = 200 * time.Millisecond, 80 * time.Millisecond
	// tagBlock is how many numbers a document has before it is given new ones; of the 12 bits there are
	// tagBlocks of them, beside the one that holds 0.
	tagBlock, tagBlocks = 256, 1<<tagBits/256 - 1
	// maxCame caps the frames that one action keeps.
	maxCame = 8
)

// ErrDialogOpen is returned instead of a frame while a JavaScript dialog is open.
var ErrDialogOpen = errors.New("a dialog is open")

// Why a screenshot is taken, as far as it is known here and not in the page (settle.js); cua.Settle.Why.
const (
	WhyAsked = "asked" // nothing was numbered: the session captures, or nobody acted
	// a document of another origin is shown in the page: the number is not of its frames
	WhyFrames  = "frames"
	WhyPicker  = "picker"     // a list of the browser's own is open, or was: it is drawn apart from the page
	WhyUnseen  = "unseen"     // the cells are covered, or stand somewhere else
	WhyLate    = "late"       // no frame came in time
	whyTooBig  = "size"       // the frame is larger than is kept, or not of the viewport's size
	whyUntaken = "screencast" // the screencast could not be opened
)

// Want says what a frame must show.
type Want struct {
	// Tag is the number that the frame must show, or a later one of its block; 0 captures.
	Tag int
	// Why says why there is none.
	Why string
	// Dark says that the body of the document never came: most probably it has no picture.
	Dark bool
}

// Taken is a frame and how it was got.
type Taken struct {
	cua.Shot
	How  How
	Why  string // why it was captured; "" where it was not
	Name string // hex SHA-256 of Data, set by Deduplicate and Cover
}

// numbered is a frame of the screencast and the number that it shows; 0 is none.
type numbered struct {
	tag int
	png []byte
}

// Stream takes the pictures of one tab. It keeps one screencast open. Each animation frame that paints what
// an action changed has a number, which the page draws with it (world.js). A frame of the screencast that
// shows the number of the last one, or a later one, is not older than that. No date could say so: a frame is
// dated by its display, and not by what is drawn in it. Where no number can be drawn or seen, a screenshot is
// requested, which makes the page paint.
//
// Two frames may be on their way before the first is acknowledged, and they are acknowledged when another one
// is waited for, or when an action begins: a page that moves while the brain thinks costs two frames and no
// more.
type Stream struct {
	s        wire.Caller
	size     cua.Size // of a frame in pixels
	cast     bool     // a screencast is wanted
	unlisten func()
	// Slack makes the time limits of a take longer where many sessions share the browser; nil does not.
	Slack func(time.Duration) time.Duration

	mu       sync.Mutex
	wake     chan struct{} // closed and replaced at each change below
	round    int           // counts starts; what an older screencast sends is dropped
	running  bool
	dialog   bool
	block    int        // counts documents, and what they have used up
	document string     // that the block belongs to
	taken    int        // number that the last take waited for; 0 is none
	came     []numbered // since arm, oldest first
	unacked  []int64
	awaiting bool // a take waits for a frame
	unseen   int  // frames without a number since it does
	blind    bool // the last number that was waited for was not seen, and none since
	dark     bool // the last take had no picture, and none came since
	album    album
	covered  paintedFrame // the frame that was painted over last
}

// New listens to the session of one tab. Frames are captured one by one when screencast is false.
func New(s wire.Caller, view cua.Size, scale float64, screencast bool) *Stream {
	pixels := func(n int) int { return int(math.Round(float64(n) * scale)) }
	f := &Stream{s: s, size: cua.Size{W: pixels(view.W), H: pixels(view.H)}, cast: screencast,
		wake: make(chan struct{})}
	f.unlisten = s.Listen(f.onEvent)
	return f
}

// Close stops listening.
func (f *Stream) Close() { f.unlisten() }

// onEvent runs on the goroutine that reads the connection.
func (f *Stream) onEvent(method string, params jsonv2.Value) {
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

func (f *Stream) setDialog(open bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dialog = open
	f.changed()
}

// changed wakes whoever waits; the lock is held.
func (f *Stream) changed() {
	close(f.wake)
	f.wake = make(chan struct{})
}

// receive keeps a frame. It stays unacknowledged until a take waits for another one, or the next action
// begins: Chromium keeps the newest one for us. The frame that a take waits for is no exception: the browser
// would encode the next one while the page is asked what has moved.
func (f *Stream) receive(round int, params jsonv2.Value) {
	var e page.EventScreencastFrame
	if err := jsonv2.Unmarshal(params, &e, chromedp.DefaultUnmarshalOptions); err != nil {
		return
	}
	tag := ReadTag(e.Data)
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
	f.dark = false
	if f.awaiting && !follows(tag, f.taken) {
		if tag == 0 {
			f.unseen++
		}
		f.ack()
	}
	f.changed()
}

// ack lets further frames come; the lock is held. A lost acknowledgement costs speed and nothing else.
func (f *Stream) ack() {
	for _, id := range f.unacked {
		_ = f.s.Post(page.ScreencastFrameAck.Method, page.ScreencastFrameAckParams{SessionID: id},
			func(error) {})
	}
	f.unacked = nil
}

// Start opens the screencast of a tab that came to the front, or opens it again after a crash. It waits for
// nothing: a page that is busy, or shows a dialog, answers later. Until frames come, screenshots are taken.
// refused is called if the tab refuses, also on another goroutine. Without a screencast Start does nothing.
func (f *Stream) Start(refused func(error)) {
	if !f.cast {
		return
	}
	f.Stop()
	f.mu.Lock()
	f.running = true
	round := f.round
	f.mu.Unlock()
	failed := func(err error) {
		f.mu.Lock()
		if round == f.round {
			f.running = false
			f.changed()
		}
		f.mu.Unlock()
		refused(fmt.Errorf("browser: opening the screencast: %w", err))
	}
	p := page.StartScreencastParams{Format: page.StartScreencastFormatPng, MaxFramesInFlight: 2,
		SendLastFrame: new(true)}
	if err := f.s.Post(page.StartScreencast.Method, p, failed); err != nil {
		failed(err)
	}
}

// Stop ends the screencast of a tab that goes to the back. It waits for nothing. That it cannot be ended is
// no error: an open screencast costs memory, and nobody looks at its frames.
func (f *Stream) Stop() {
	f.mu.Lock()
	running := f.running
	f.round++
	f.running, f.awaiting, f.blind, f.dark, f.came, f.unacked = false, false, false, false, nil, nil
	f.changed()
	f.mu.Unlock()
	if running {
		_ = f.s.Post(page.StopScreencast.Method, cdp.Empty{}, nil)
	}
}

// BeginAction is called right before an action touches the page. The document goes on numbering where it is:
// the page may paint what the action did before it is told of new numbers. It is given new ones when half of
// its block is used, or the last number is not known.
func (f *Stream) BeginAction() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.taken/tagBlock != f.base()/tagBlock || f.taken%tagBlock >= tagBlock/2 {
		f.block++
	}
	f.came, f.taken = nil, 0
	f.ack()
}

// base is the first number of the block; the lock is held.
func (f *Stream) base() int { return (f.block%tagBlocks + 1) * tagBlock }

// FirstTag is the number with which a document begins to number its animation frames; 0 is that it does not.
// A document that the action brought has a block of its own, since the one before may still be shown.
func (f *Stream) FirstTag(document string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.running {
		return 0
	}
	if document != f.document {
		f.document, f.blind, f.dark = document, false, false
		f.block++
	}
	return f.base()
}

// Take returns a frame that is not older than what w names.
func (f *Stream) Take(ctx context.Context, w Want) (Taken, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, f.limit(f.deadline(w)), errDark)
	defer cancel()
	defer f.rest()
	png, why, err := f.await(ctx, w)
	got := Taken{Shot: cua.Shot{Data: png, Mime: "image/png"}, How: ByScreencast}
	if err == nil && png == nil {
		got.How, got.Why = byCapture, why
		got.Shot, err = f.shoot(ctx)
	}
	if err != nil {
		if context.Cause(ctx) == errDark {
			f.light(false)
		}
		return Taken{}, fmt.Errorf("browser: taking a frame: %w", err)
	}
	return got, nil
}

// limit is d with the slack of the browser.
func (f *Stream) limit(d time.Duration) time.Duration {
	if f.Slack == nil {
		return d
	}
	return f.Slack(d)
}

// rest ends a take. At most one more frame comes, and waits.
func (f *Stream) rest() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.awaiting, f.came = false, nil
}

// await waits for a frame that shows the number. Without a frame it says why.
func (f *Stream) await(ctx context.Context, w Want) (png []byte, why string, err error) {
	late, still := time.NewTimer(tagPatience), time.NewTimer(f.limit(stillPatience))
	defer late.Stop()
	defer still.Stop()
	for {
		f.mu.Lock()
		if f.taken = w.Tag; w.Tag > 0 && !f.awaiting {
			f.awaiting, f.unseen = true, 0
		}
		if png, why = f.find(w); f.awaiting && png == nil && why == "" {
			f.ack()
		}
		wake, dialog := f.wake, f.dialog
		f.mu.Unlock()
		switch {
		case dialog:
			return nil, "", ErrDialogOpen
		case png != nil || why != "":
			return png, why, nil
		}
		select {
		case <-wake:
			still.Reset(f.limit(stillPatience))
			continue
		case <-late.C:
		case <-still.C:
		case <-ctx.Done():
			return nil, "", ctx.Err()
		}
		f.mu.Lock()
		f.blind = true
		f.mu.Unlock()
		return nil, WhyLate, nil
	}
}

// follows says whether a frame that shows the number tag is not older than the one that is to show want.
func follows(tag, want int) bool { return tag >= want && tag/tagBlock == want/tagBlock }

// find is the first frame that shows the number or a later one of its block, or why there will be none;
// neither is that one may still come. The lock is held.
func (f *Stream) find(w Want) (png []byte, why string) {
	if w.Tag == 0 {
		return nil, cmp.Or(w.Why, WhyAsked)
	}
	for _, c := range f.came {
		switch {
		case !follows(c.tag, w.Tag):
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
		return nil, WhyUnseen
	case f.unseen > 1: // the first may be one that was kept from before
		f.blind = true
		return nil, WhyUnseen
	}
	return nil, ""
}

// shoot captures, unless a dialog opens.
func (f *Stream) shoot(ctx context.Context) (cua.Shot, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	came := make(chan Captured, 1)
	go func() { came <- f.Capture(ctx) }()
	for {
		f.mu.Lock()
		wake, dialog := f.wake, f.dialog
		f.mu.Unlock()
		if dialog {
			return cua.Shot{}, ErrDialogOpen
		}
		select {
		case <-wake:
		case c := <-came:
			return c.Shot, c.Err
		}
	}
}
