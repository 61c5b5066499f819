package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// scrollCap bounds the wait for a scroll that is due: the compositor does it after the wheel was
// acknowledged, at a time of its own.
const scrollCap = 500 * time.Millisecond

// scrollPlace tells where everything under a point is scrolled to, and whether a wheel there
// has anything left to scroll. Frames are not looked into: they may scroll.
const scrollPlace = `(x, y, dx, dy) => {
	let at = '', can = false;
	const see = (e, l, t, w, h, free) => {
		at += l + ',' + t + ';';
		if (free && (dy > 0 && t + h < e.scrollHeight - 1 || dy < 0 && t > 0 || dx > 0 && l + w < e.scrollWidth - 1 || dx < 0 && l > 0)) can = true;
	};
	let e = document.elementFromPoint(x, y);
	for (; e && e.shadowRoot;) { const d = e.shadowRoot.elementFromPoint(x, y); if (!d || d === e) break; e = d; }
	if (e && /^i?frame$/i.test(e.tagName)) can = true;
	const root = document.scrollingElement || document.documentElement;
	for (; e; e = e.assignedSlot || e.parentElement || e.getRootNode().host) {
		if (e === root) continue;
		const s = getComputedStyle(e);
		see(e, e.scrollLeft, e.scrollTop, e.clientWidth, e.clientHeight, /auto|scroll/.test(s.overflowX + s.overflowY));
	}
	see(root, scrollX, scrollY, innerWidth, innerHeight, !/hidden|clip/.test(getComputedStyle(root).overflowY));
	return { at, can };
}`

// scrollExpr asks where things are; scrolledExpr waits until they are elsewhere and rest.
func scrollExpr(args string) string {
	return "JSON.stringify((" + scrollPlace + ")(" + args + "))"
}

func scrolledExpr(args, was string) string {
	quoted, _ := json.Marshal(was) // a string always encodes
	return fmt.Sprintf(`new Promise((done) => {
		const place = %s, end = performance.now() + %d;
		let last = %s, still = false;
		const check = () => {
			const now = place(%s).at;
			if (performance.now() > end || still && now === last) return done('null');
			if (now !== last) { last = now; still = true; }
			requestAnimationFrame(check);
		};
		check();
	})`, scrollPlace, scrollCap.Milliseconds(), quoted, args)
}

// wheel scrolls at a's place, or in the middle of the viewport, and waits until the page has
// scrolled if it can.
func (t *tab) wheel(ctx context.Context, view cua.Size, a cua.Action) error {
	p := cua.Point{X: float64(view.W) / 2, Y: float64(view.H) / 2}
	if a.Point != nil || a.Mark > 0 || a.Into != "" {
		var err error
		if p, err = t.place(ctx, a); err != nil {
			return err
		}
	}
	args := fmt.Sprintf("%g,%g,%g,%g", p.X, p.Y, a.DX, a.DY)
	type place struct {
		At  string `json:"at"`
		Can bool   `json:"can"`
	}
	before, err := ask[place](ctx, t, scrollExpr(args))
	if err != nil {
		return err
	}
	if err := t.input.scroll(ctx, p, a.DX, a.DY); err != nil || !before.Can {
		return err
	}
	_, err = ask[any](ctx, t, scrolledExpr(args, before.At))
	return err
}

// ask evaluates expr in the top document. A document that is not there has no answer, and a dialog
// cuts it short.
func ask[T any](ctx context.Context, t *tab, expr string) (T, error) {
	var none T
	documents := t.probe.open()
	if len(documents) == 0 {
		return none, nil
	}
	ctx, done := t.interruptible(ctx)
	defer done()
	v, err := eval[T](ctx, documents[0], expr)
	if errors.Is(err, errNoContext) || context.Cause(ctx) == errDialog {
		return none, nil
	}
	return v, err
}
