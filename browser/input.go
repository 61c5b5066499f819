package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"

	"github.com/cua-runner/cua-runner/cua"
)

const (
	// inputDeadline ends one input action that the page does not answer.
	inputDeadline = 5 * time.Second
	// releaseDeadline ends the release of a button or key that was cut off.
	releaseDeadline = 2 * time.Second
)

// errDialogOpened says that a JavaScript dialog opened while input was dispatched: the input
// arrived, and what was left of it was dropped.
var errDialogOpened = errors.New("a dialog opened")

// InputError says that the page did not take an input.
type InputError struct {
	// Op is the action: click, hover, drag, scroll, insert, type, press.
	Op string
	// Err is why; context.DeadlineExceeded is in its chain when the page did not answer.
	Err error
}

// Error satisfies error.
func (e *InputError) Error() string { return fmt.Sprintf("browser: %s: %v", e.Op, e.Err) }

// Unwrap satisfies errors.Is and errors.As.
func (e *InputError) Unwrap() error { return e.Err }

// pointer is the mouse and the keyboard of one tab. One action at a time.
type pointer struct {
	s      caller
	before func(context.Context) error // called before each action; nil is nothing
	hush   func()

	mu     sync.Mutex
	mouse  *cua.Point // nil before the first move
	dialog bool
	cut    context.CancelCauseFunc // ends the action that runs, nil when none does
	drag   chan *input.DragData    // what the browser intercepted, capacity 1
}

// newPointer listens to the session of one tab. before is called right before each action, so
// that the frame of the action is not missed.
func newPointer(s caller, before func(context.Context) error) *pointer {
	in := &pointer{s: s, before: before, drag: make(chan *input.DragData, 1)}
	in.hush = s.listen(in.hear)
	return in
}

// close stops listening.
func (in *pointer) close() { in.hush() }

// hear runs on the goroutine that reads the connection.
func (in *pointer) hear(method string, params jsonv2.Value) {
	switch method {
	case page.JavascriptDialogOpening.Method:
		in.mu.Lock()
		defer in.mu.Unlock()
		in.dialog = true
		if in.cut != nil {
			in.cut(errDialogOpened)
		}
	case page.JavascriptDialogClosed.Method:
		in.mu.Lock()
		defer in.mu.Unlock()
		in.dialog = false
	case input.DragIntercepted.Method:
		var e input.EventDragIntercepted
		if jsonv2.Unmarshal(params, &e) == nil && e.Data != nil {
			select {
			case in.drag <- e.Data:
			default:
			}
		}
	}
}

// at is where the mouse is; nil before it was first moved.
func (in *pointer) at() *cua.Point {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.mouse
}

// act runs one action. A dialog that opens in the middle ends it with errDialogOpened in the
// chain; one that is open already is errDialogOpen, and nothing is dispatched.
func (in *pointer) act(ctx context.Context, op string, do func(context.Context) error) error {
	ctx, stop := context.WithTimeout(ctx, inputDeadline)
	defer stop()
	ctx, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	in.mu.Lock()
	open := in.dialog
	in.cut = cut
	in.mu.Unlock()
	defer func() {
		in.mu.Lock()
		in.cut = nil
		in.mu.Unlock()
	}()
	if open {
		return &InputError{op, errDialogOpen}
	}
	if in.before != nil {
		if err := in.before(ctx); err != nil {
			return &InputError{op, err}
		}
	}
	err := do(ctx)
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errDialogOpened):
		return &InputError{op, errDialogOpened}
	case err == nil:
		return nil
	case errors.Is(cause, context.DeadlineExceeded):
		return &InputError{op, fmt.Errorf("the page did not answer within %v: %w", inputDeadline, context.DeadlineExceeded)}
	}
	return &InputError{op, err}
}

// send dispatches one mouse event and waits until the page has handled it. Events sent without
// waiting are answered before they are handled, and what the page then says is of the past.
func (in *pointer) send(ctx context.Context, p input.DispatchMouseEventParams) error {
	_, err := cdp.Call(ctx, in.s, input.DispatchMouseEvent, p)
	return err
}

// move moves the mouse, with the pressed buttons.
func (in *pointer) move(ctx context.Context, to cua.Point, buttons int64) error {
	p := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: to.X, Y: to.Y, Buttons: buttons}
	if buttons == 1 {
		p.Button = input.MouseButtonLeft
	}
	err := in.send(ctx, p)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.mouse = &to
	return err
}

// release sends the release of a button without waiting for it, because the page may be
// blocked by a dialog, and the context may have ended.
func (in *pointer) release(p input.DispatchMouseEventParams) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), releaseDeadline)
		defer cancel()
		_ = in.send(ctx, p) // the browser may be gone; there is nobody to tell
	}()
}

// buttonBit is the bit of a button in the buttons of an event.
func buttonBit(b input.MouseButton) int64 {
	switch b {
	case input.MouseButtonRight:
		return 2
	case input.MouseButtonMiddle:
		return 4
	}
	return 1
}

// permit says why an input may not be sent; nil is permission.
type permit func(context.Context) error

// ask asks it; nil permits.
func (p permit) ask(ctx context.Context) error {
	if p == nil {
		return nil
	}
	return p(ctx)
}

// click moves the mouse to p and presses and releases the button count times, 1 to 3. may is asked before each
// press, when the mouse is there: the one before may have put something else in the place. Nil asks nothing.
func (in *pointer) click(ctx context.Context, p cua.Point, button input.MouseButton, count int, may permit) error {
	return in.act(ctx, "click", func(ctx context.Context) error {
		if err := in.move(ctx, p, 0); err != nil {
			return err
		}
		for n := 1; n <= min(max(count, 1), 3); n++ {
			if err := may.ask(ctx); err != nil {
				return err
			}
			down := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed, X: p.X, Y: p.Y,
				Button: button, Buttons: buttonBit(button), ClickCount: int64(n)}
			up := down
			up.Type, up.Buttons = input.DispatchMouseEventTypeMouseReleased, 0
			if err := in.send(ctx, down); err != nil {
				in.release(up)
				return err
			}
			if err := in.send(ctx, up); err != nil {
				return err
			}
		}
		return nil
	})
}

// hover moves the mouse to p.
func (in *pointer) hover(ctx context.Context, p cua.Point) error {
	return in.act(ctx, "hover", func(ctx context.Context) error { return in.move(ctx, p, 0) })
}

// scroll turns the wheel with the mouse at p: dx to the right, dy down, in CSS pixels.
func (in *pointer) scroll(ctx context.Context, p cua.Point, dx, dy float64) error {
	return in.act(ctx, "scroll", func(ctx context.Context) error {
		if err := in.move(ctx, p, 0); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, in.s, cdp.Command[wheel, cdp.Empty]{Method: input.CommandDispatchMouseEvent},
			wheel{Type: input.DispatchMouseEventTypeMouseWheel, X: p.X, Y: p.Y, DeltaX: dx, DeltaY: dy})
		return err
	})
}

// wheel is input.DispatchMouseEventParams for a wheel, of which Chromium wants both deltas, zero or not.
type wheel struct {
	Type   input.DispatchMouseEventType `json:"type"`
	X      float64                      `json:"x"`
	Y      float64                      `json:"y"`
	DeltaX float64                      `json:"deltaX"`
	DeltaY float64                      `json:"deltaY"`
}

// insert puts text at the caret in one go, as an input method does: the page sees input events
// and no key events.
func (in *pointer) insert(ctx context.Context, text string) error {
	return in.act(ctx, "insert", func(ctx context.Context) error { return in.insertText(ctx, text) })
}

func (in *pointer) insertText(ctx context.Context, text string) error {
	_, err := cdp.Call(ctx, in.s, input.InsertText, input.InsertTextParams{Text: text})
	return err
}

// press presses the chords that keys describes. What is not in the key table is a *KeyError, and
// nothing is dispatched.
func (in *pointer) press(ctx context.Context, keys string) error {
	chords, err := parseKeys(keys)
	if err != nil {
		return err
	}
	return in.pressAll(ctx, chords)
}

// pressAll presses chords.
func (in *pointer) pressAll(ctx context.Context, chords []chord) error {
	return in.act(ctx, "press", func(ctx context.Context) error {
		for _, c := range chords {
			if err := in.chord(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// chord presses and releases one chord. Whatever happens, no modifier stays down.
func (in *pointer) chord(ctx context.Context, c chord) error {
	events := make([]input.DispatchKeyEventParams, 0, 2*len(c.held)+2)
	var bits int64
	for _, k := range c.held {
		bits |= k.bit
		events = append(events, k.event(true, bits))
	}
	down := c.main.event(true, bits|c.main.bit)
	down.Commands = c.commands()
	events = append(events, down, c.main.event(false, bits))
	for i := len(c.held) - 1; i >= 0; i-- {
		bits &^= c.held[i].bit
		events = append(events, c.held[i].event(false, bits))
	}
	for i, e := range events {
		if _, err := cdp.Call(ctx, in.s, input.DispatchKeyEvent, e); err != nil {
			in.releaseKeys(events[i:])
			return err
		}
	}
	return nil
}

// releaseKeys sends the key releases among events without anybody waiting for them.
func (in *pointer) releaseKeys(events []input.DispatchKeyEventParams) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), releaseDeadline)
		defer cancel()
		for _, e := range events {
			if e.Type == input.DispatchKeyEventTypeKeyUp {
				_, _ = cdp.Call(ctx, in.s, input.DispatchKeyEvent, e) // as release
			}
		}
	}()
}

// typeText types text key by key, for pages that need key events. A line end is Return, a tab is
// Tab, unless plain; a character that no key types is inserted. may is asked before each character: a page may move
// the focus at any of them. Nil asks nothing.
func (in *pointer) typeText(ctx context.Context, text string, plain bool, may permit) error {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return in.act(ctx, "type", func(ctx context.Context) error {
		for _, r := range text {
			if err := may.ask(ctx); err != nil {
				return err
			}
			var c chord
			switch {
			case !plain && (r == '\n' || r == '\r'):
				c.main = specials()["return"]
			case !plain && r == '\t':
				c.main = specials()["tab"]
			default:
				k, ok := rowKey(r)
				if !ok {
					if err := in.insertText(ctx, string(r)); err != nil {
						return err
					}
					continue
				}
				c.main = k
				c.shifted()
			}
			if err := in.chord(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
}
