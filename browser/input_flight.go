package browser

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/chromedp/cdproto/input"

	"github.com/cua-runner/cua-runner/cua"
)

// event is one input event of a flight.
type event struct {
	method string
	params any
	ends   bool // it releases a button or a key
}

// starts says whether e presses a button or a key, which a later event releases.
func (e event) starts() bool {
	switch p := e.params.(type) {
	case input.DispatchMouseEventParams:
		return p.Type == input.DispatchMouseEventTypeMousePressed
	case input.DispatchKeyEventParams:
		return !e.ends
	}
	return false
}

func mouseEvent(p input.DispatchMouseEventParams) event {
	return event{input.CommandDispatchMouseEvent, p, p.Type == input.DispatchMouseEventTypeMouseReleased}
}

// each sends events one after the other, each when the page has handled the one before: what is read of the
// page next is of after them. What is held down when it ends early is released.
func (in *pointer) each(ctx context.Context, events ...event) error {
	for i, e := range events {
		err := ctx.Err()
		if err == nil {
			err = in.s.Call(ctx, e.method, e.params, nil)
			i++
		}
		if err != nil {
			left := events[i:]
			in.letGo(left)
			if slices.ContainsFunc(left, func(e event) bool { return !e.ends }) {
				err = unsent(ctx, err)
			}
			return err
		}
	}
	return nil
}

// together sends events in one go and waits until the page has handled them all.
func (in *pointer) together(ctx context.Context, events ...event) error {
	if err := ctx.Err(); err != nil {
		return unsent(ctx, err)
	}
	answers := make([]func() error, len(events))
	for i, e := range events {
		answers[i] = in.s.Begin(ctx, e.method, e.params, nil)
	}
	var first error
	for _, answer := range answers {
		first = cmp.Or(first, answer())
	}
	return first
}

// fly sends the last events of an action in one go, so that the page handles them in one go: a move alone
// would be handled with the next animation frame, which then paints the page before the press. They are not
// waited for: the page counts the releases, and settling waits for them. Where it cannot count them each
// event is waited for.
func (in *pointer) fly(ctx context.Context, events ...event) error {
	if in.single == nil || !in.single() {
		return in.each(ctx, events...)
	}
	if err := ctx.Err(); err != nil {
		return unsent(ctx, err)
	}
	ctx = context.WithoutCancel(ctx) // the answers come while the page is settling
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, e := range events {
		in.flown = append(in.flown, in.s.Begin(ctx, e.method, e.params, nil))
		if e.ends {
			in.sent++
		}
	}
	return nil
}

// permitted sends events and asks may what the page has shown since. More is to be sent after it.
func (in *pointer) permitted(ctx context.Context, may permit, events []event) error {
	err := in.each(ctx, events...)
	if err == nil {
		err = may(ctx)
	}
	return unsent(ctx, err)
}

// unsent is err of an action of which not all input was sent. If a dialog is the cause, the action has
// failed. An error that is a failure stays, and so does nil.
func unsent(ctx context.Context, err error) error {
	var failed *cua.Failure
	if err != nil && !errors.As(err, &failed) && errors.Is(context.Cause(ctx), errDialogOpened) {
		return cutShort(errDialogOpened, "not all of the input was sent")
	}
	return err
}

// cutShort is the error of a part of an action. If a dialog opened in it, the action has failed: missing is
// what was still to come.
func cutShort(err error, missing string) error {
	if errors.Is(err, errDialogOpened) {
		return failing(cua.FailExec, "a dialog opened; %s", missing)
	}
	return err
}

// landed waits for the answers to what was sent in flights. Its error is the first of theirs.
func (in *pointer) landed(ctx context.Context) error {
	in.mu.Lock()
	flown := in.flown
	in.flown = nil
	in.mu.Unlock()
	all := make(chan error, 1)
	go func() {
		var first error
		for _, answer := range flown {
			if err := answer(); err != nil && first == nil {
				first = err
			}
		}
		all <- first
	}()
	select {
	case err := <-all:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// letGo sends the releases of what is held down when events are not sent any more: those whose press is not
// among events. Nobody waits for them: the page may be blocked by a dialog, and the context may have ended.
func (in *pointer) letGo(events []event) {
	pressed := 0 // among events, and not released yet
	for _, e := range events {
		switch {
		case e.starts():
			pressed++
		case e.ends && pressed > 0:
			pressed--
		case e.ends:
			// the browser may be gone; there is nobody to tell
			_ = in.s.Post(e.method, e.params, func(error) {})
		}
	}
}

// begin forgets the flights of the action before.
func (in *pointer) begin() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.sent, in.flown = 0, nil
}

// releases is how many releases were sent in flights since begin; the page may not have heard all of them.
func (in *pointer) releases() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.sent
}
