package browser

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"github.com/cua-runner/cua-runner/cua"
)

const (
	// dragMoves is how many moves a drag makes between its ends.
	dragMoves = 10
	// dragNotice is how long the browser may take to report that the page began a drag of its
	// own; the report can come after the answer to the move.
	dragNotice = 150 * time.Millisecond
)

// dragTo presses the left button at from, moves to to, and releases it. A page with draggable elements gets
// the drag events of HTML, with the data that it put in, unless may is not nil and returns an error for it.
func (in *pointer) dragTo(ctx context.Context, from, to cua.Point, may func(*input.DragData) error) error {
	return in.act(ctx, "drag", func(ctx context.Context) error {
		if _, err := cdp.Call(ctx, in.s, input.SetInterceptDrags,
			input.SetInterceptDragsParams{Enabled: true}); err != nil {
			return unsent(ctx, err)
		}
		defer in.interceptNoMore(ctx)
		select {
		case <-in.drag: // of an earlier drag that nobody waited for
		default:
		}
		down := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed,
			X: from.X, Y: from.Y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1}
		up := down
		up.Type, up.Buttons = input.DispatchMouseEventTypeMouseReleased, 0
		err := in.together(ctx, mouseEvent(in.to(from, 0)), mouseEvent(down))
		var last []event
		if err == nil {
			last, err = in.carry(ctx, from, to, may)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil { // the button is let go where the mouse is, and the drag has not come to its end
			up.X, up.Y = in.at().X, in.at().Y
			in.letGo([]event{mouseEvent(up)})
			return unsent(ctx, err)
		}
		up.X, up.Y = to.X, to.Y
		return in.each(ctx, append(last, mouseEvent(up))...)
	})
}

// interceptNoMore gives drags back to the browser, also after the context ended.
func (in *pointer) interceptNoMore(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseDeadline)
	defer cancel()
	// A tab that is gone needs nothing given back.
	_, _ = cdp.Call(ctx, in.s, input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: false})
}

// between is the i-th of dragMoves points from a to b.
func between(a, b cua.Point, i int) cua.Point {
	share := float64(i) / dragMoves
	return cua.Point{X: a.X + (b.X-a.X)*share, Y: a.Y + (b.Y-a.Y)*share}
}

// carry moves the pressed mouse, and turns to drag events as soon as the page drags. It returns what ends the
// drag, before the release.
func (in *pointer) carry(ctx context.Context, from, to cua.Point, may func(*input.DragData) error) ([]event,
	error) {
	for i := 1; i <= dragMoves; i++ {
		if err := in.each(ctx, mouseEvent(in.to(between(from, to, i), 1))); err != nil {
			return nil, err
		}
		select {
		case d := <-in.drag:
			return in.drop(ctx, d, from, to, i, may)
		default:
		}
	}
	timer := time.NewTimer(dragNotice)
	defer timer.Stop()
	select {
	case d := <-in.drag:
		return in.drop(ctx, d, from, to, dragMoves, may)
	case <-timer.C:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// drop goes on with a drag that the page began, from its i-th move on. It returns the drop.
func (in *pointer) drop(ctx context.Context, d *input.DragData, from, to cua.Point, i int,
	may func(*input.DragData) error) ([]event, error) {
	at := func(kind input.DispatchDragEventType, p cua.Point) event {
		return event{input.CommandDispatchDragEvent,
			input.DispatchDragEventParams{Type: kind, X: p.X, Y: p.Y, Data: d}, false}
	}
	if may != nil {
		if err := may(d); err != nil {
			// that it is refused counts, whether or not the page hears of its end
			_ = in.each(ctx, at(input.DispatchDragEventTypeDragCancel, from))
			return nil, err
		}
	}
	over := []event{at(input.DispatchDragEventTypeDragEnter, between(from, to, i))}
	for ; i <= dragMoves; i++ {
		over = append(over, at(input.DispatchDragEventTypeDragOver, between(from, to, i)))
	}
	return []event{at(input.DispatchDragEventTypeDrop, to)}, in.each(ctx, over...)
}
