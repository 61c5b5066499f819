package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
)

const (
	// inputDeadline ends one input action that the page does not answer.
	inputDeadline = 5 * time.Second
	// releaseDeadline ends the release of a button or key that was cut off.
	releaseDeadline = 2 * time.Second
)

// errDialogOpened says that a JavaScript dialog that waits for an answer opened in the middle of an action.
// As the error of an action it also says that all of its input was sent.
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
	s    wire.Caller
	hush func()
	// single says that one document hears all input and counts the releases (settle.js): events are then sent
	// without waiting for each other. Nil is false.
	single func() bool

	mu     sync.Mutex
	mouse  *cua.Point // nil before the first move
	dialog bool
	cut    context.CancelCauseFunc // ends the action that runs, nil when none does
	sent   int                     // releases of buttons and keys in flights since begin
	flown  []func() error          // answers to them that nobody has waited for
	drag   chan *input.DragData    // what the browser intercepted, capacity 1
}

// newPointer listens to the session of one tab.
func newPointer(s wire.Caller) *pointer {
	in := &pointer{s: s, drag: make(chan *input.DragData, 1)}
	in.hush = s.Listen(in.hear)
	return in
}

// close stops listening.
func (in *pointer) close() { in.hush() }

// hear runs on the goroutine that reads the connection.
func (in *pointer) hear(method string, params jsonv2.Value) {
	switch method {
	case page.JavascriptDialogOpening.Method:
		var e page.EventJavascriptDialogOpening
		if !unpack(params, &e) || unasked(e.Type) {
			return // the page goes on with the input once it is accepted
		}
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

// act runs one action. A dialog that waits for an answer and opens in the middle ends it with errDialogOpened
// in the chain, unless do says that the action failed. One that is open already is frames.ErrDialogOpen, and
// nothing is dispatched.
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
		return &InputError{op, frames.ErrDialogOpen}
	}
	err := do(ctx)
	var failed *cua.Failure
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errDialogOpened) && !errors.As(err, &failed):
		return &InputError{op, errDialogOpened}
	case err == nil:
		return nil
	case errors.Is(cause, context.DeadlineExceeded):
		return &InputError{op, fmt.Errorf("the page did not answer within %v: %w", inputDeadline,
			context.DeadlineExceeded)}
	}
	return &InputError{op, err}
}

// to is the move of the mouse to p, with the pressed buttons.
func (in *pointer) to(p cua.Point, buttons int64) input.DispatchMouseEventParams {
	e := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: p.X, Y: p.Y,
		Buttons: buttons}
	if buttons == 1 {
		e.Button = input.MouseButtonLeft
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.mouse = &p
	return e
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

// permit says why an input may not be sent; nil is permission. A nil permit permits.
type permit func(context.Context) error

// click moves the mouse to p and presses and releases the button count times, 1 to 3. may is asked before
// each press, when the mouse is there: the one before may have put something else in the place. Nil asks
// nothing. The next read of the page is made after the click; fling is for the end of an action.
func (in *pointer) click(ctx context.Context, p cua.Point, button input.MouseButton, count int,
	may permit) error {
	return in.clicks(ctx, p, button, count, may, in.each)
}

// fling is click without waiting for the page.
func (in *pointer) fling(ctx context.Context, p cua.Point, button input.MouseButton, count int,
	may permit) error {
	return in.clicks(ctx, p, button, count, may, in.fly)
}

// sending is each or fly.
type sending func(context.Context, ...event) error

func (in *pointer) clicks(ctx context.Context, p cua.Point, button input.MouseButton, count int,
	may permit, send sending) error {
	return in.act(ctx, "click", func(ctx context.Context) error {
		events := []event{mouseEvent(in.to(p, 0))}
		for n := 1; n <= min(max(count, 1), 3); n++ {
			down := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed,
				X: p.X, Y: p.Y, Button: button, Buttons: buttonBit(button), ClickCount: int64(n)}
			up := down
			up.Type, up.Buttons = input.DispatchMouseEventTypeMouseReleased, 0
			if may != nil { // what the mouse, or the press before, has shown decides
				if err := in.permitted(ctx, may, events); err != nil {
					return err
				}
				events = nil
			}
			events = append(events, mouseEvent(down), mouseEvent(up))
		}
		return send(ctx, events...)
	})
}

// hover moves the mouse to p.
func (in *pointer) hover(ctx context.Context, p cua.Point) error {
	return in.act(ctx, "hover", func(ctx context.Context) error {
		return in.each(ctx, mouseEvent(in.to(p, 0)))
	})
}

// scroll turns the wheel with the mouse at p: dx to the right, dy down, in CSS pixels.
func (in *pointer) scroll(ctx context.Context, p cua.Point, dx, dy float64) error {
	turn := wheel{Type: input.DispatchMouseEventTypeMouseWheel, X: p.X, Y: p.Y, DeltaX: dx, DeltaY: dy}
	return in.act(ctx, "scroll", func(ctx context.Context) error {
		return in.together(ctx, mouseEvent(in.to(p, 0)), event{input.CommandDispatchMouseEvent, turn, false})
	})
}

// raw dispatches events as they are.
func (in *pointer) raw(ctx context.Context, events ...event) error {
	return in.act(ctx, "input", func(ctx context.Context) error { return in.each(ctx, events...) })
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
	return in.act(ctx, "insert", func(ctx context.Context) error {
		return in.together(ctx, inserting(text))
	})
}

// press presses the chords that keys describes. A key that is not in the table is a *KeyError, and nothing is
// dispatched.
func (in *pointer) press(ctx context.Context, keys string) error {
	chords, err := parseKeys(keys)
	if err != nil {
		return err
	}
	return in.pressAll(ctx, chords, in.each)
}

// pressAll presses chords, and sends their events by each or fly.
func (in *pointer) pressAll(ctx context.Context, chords []chord, send sending) error {
	return in.act(ctx, "press", func(ctx context.Context) error {
		var events []event
		for _, c := range chords {
			events = append(events, c.events()...)
		}
		return send(ctx, events...)
	})
}

// events press and release c. Whatever happens, no modifier stays down.
func (c chord) events() []event {
	var out []event
	add := func(p input.DispatchKeyEventParams) {
		out = append(out, event{input.CommandDispatchKeyEvent, p, p.Type == input.DispatchKeyEventTypeKeyUp})
	}
	var bits int64
	for _, k := range c.held {
		bits |= k.bit
		add(k.event(true, bits))
	}
	down := c.main.event(true, bits|c.main.bit)
	down.Commands = c.commands()
	add(down)
	add(c.main.event(false, bits))
	for _, k := range slices.Backward(c.held) {
		bits &^= k.bit
		add(k.event(false, bits))
	}
	return out
}

// typeText types text key by key, for pages that need key events. A line end is Return, a tab is Tab, unless
// plain; a character that no key types is inserted. may is asked before each character: a page may move the
// focus at any of them. Nil asks nothing.
func (in *pointer) typeText(ctx context.Context, text string, plain bool, may permit) error {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return in.act(ctx, "type", func(ctx context.Context) error {
		var events []event
		for _, r := range text {
			if may != nil {
				if err := in.permitted(ctx, may, events); err != nil {
					return err
				}
				events = nil
			}
			events = append(events, typing(r, plain)...)
		}
		return in.fly(ctx, events...)
	})
}

func inserting(text string) event {
	return event{input.CommandInsertText, input.InsertTextParams{Text: text}, false}
}

// typing are the events that type r.
func typing(r rune, plain bool) []event {
	var c chord
	switch {
	case !plain && (r == '\n' || r == '\r'):
		c.main = specials()["return"]
	case !plain && r == '\t':
		c.main = specials()["tab"]
	default:
		k, ok := rowKey(r)
		if !ok {
			return []event{inserting(string(r))}
		}
		c.main = k
		c.shifted()
	}
	return c.events()
}
