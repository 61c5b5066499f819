package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
)

// readTimeout bounds one look at the page: a page that is well answers in milliseconds.
const readTimeout = 4 * time.Second

// observe takes one composite look and one frame, concurrently. acted is the action's point,
// nil when it had none. A page with an open dialog can be neither read nor captured: what was
// last known is reported with the dialog.
func (w *settling) observe(ctx context.Context, acted *cua.Point) (cua.Observation, error) {
	if w.t.dialog() {
		return w.frozen(), nil
	}
	for {
		moved := w.t.movement()
		document := w.t.document()
		o, err := w.look(ctx, acted)
		// The frame may show another document than the one that was read.
		left := o.Shot != nil && w.t.document() != document
		switch {
		case err == nil && w.unseen(left):
			// Something has come that the page was not known to wait for: see it as well.
			w.again = true
			if left {
				w.report.Retried++
				w.moved = true
			}
			if err := w.settle(ctx, w.s.opts.settleLimit()); err != nil {
				return cua.Observation{}, err
			}
			continue
		case err == nil:
			return o, nil
		case w.t.dialog():
			return w.frozen(), nil
		case !errors.Is(err, errNavigating) && !errors.Is(err, errNoContext):
			return cua.Observation{}, err
		}
		if w.broken++; w.broken > maxReads {
			return cua.Observation{}, fmt.Errorf("%w: %w", errEndless, err)
		}
		// A navigation came in between: wait for it, then look at the outcome.
		if err := w.retry(ctx, moved); err != nil {
			return cua.Observation{}, err
		}
		if err := w.documents(ctx); err != nil {
			return cua.Observation{}, err
		}
	}
}

// unseen says whether there is more to see than was read; left is that the document was left meanwhile.
func (w *settling) unseen(left bool) bool {
	return w.late && !w.again || left && w.report.Retried < maxReads
}

// look is one try of observe.
func (w *settling) look(ctx context.Context, acted *cua.Point) (cua.Observation, error) {
	select {
	case w.s.b.looking <- struct{}{}:
		defer func() { <-w.s.b.looking }()
	case <-ctx.Done():
		return cua.Observation{}, ctx.Err()
	case <-w.s.b.conn.Dead:
		return cua.Observation{}, w.s.b.conn.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, w.s.b.slack(readTimeout))
	defer cancel()
	ctx, done := w.t.interruptible(ctx)
	defer done()
	frame, read := make(chan taken, 1), make(chan struct{})
	w.t.look(func(st *tabState) { w.frame.Dark = st.undecoded != "" && st.undecoded == st.loader })
	go func() { frame <- w.take(ctx, read) }()
	keep := w.t.keeps()
	if w.readAt != w.t.movement() || keep > 1 {
		w.t.probe.ready = nil
	}
	o, err := w.t.probe.read(ctx, readInput{At: acted, Pointer: w.t.input.at(), Net: w.t.writes(),
		Docs: w.t.documents(), Keep: keep, Paint: w.t.probe.prints()})
	if err != nil {
		cancel()
		<-frame
		return o, err
	}
	o.State = w.s.checkpoint(ctx, w.t)
	close(read)
	f := <-frame
	if f.err == nil {
		secret, asked := w.stirred(f.changed, &o)
		f.err = w.t.cover(&f.Taken, secret, asked)
	}
	if f.err != nil {
		// The page was read, so it is alive: a step without a frame is better than none.
		w.s.note("frame: " + f.err.Error())
		w.report.Frame, w.report.Why = "none", ""
	} else {
		w.report.Frame, w.report.Why, o.Shot, o.FrameSHA = string(f.How), f.Why, &f.Shot, f.Name
	}
	w.complete(&o)
	w.s.last = o
	return o, nil
}

// taken is a frame, or why there is none.
type taken struct {
	frames.Taken
	changed func() (changes, error) // waits for what has changed since the page was read
	err     error
}

// take takes the frame of a look. Once read is closed the page has been read, and it is asked what has
// changed since.
func (w *settling) take(ctx context.Context, read <-chan struct{}) (f taken) {
	f.Taken, f.err = w.t.frames.Take(ctx, w.frame)
	select {
	case <-read:
	case <-ctx.Done():
		f.err = cmp.Or(f.err, ctx.Err())
	}
	if f.err == nil { // the page answers while the frame is unpacked
		f.changed = w.t.probe.stirred(ctx)
		w.t.frames.Deduplicate(&f.Taken)
	}
	return f
}

// stirred adds to o the places of what moved between the page's answer and the frame, and notes whether the
// page has changed otherwise. secret is where the page shows what is secret now. That the page cannot be
// asked is no fault here.
func (w *settling) stirred(answer func() (changes, error), o *cua.Observation) (secret []cua.Box,
	asked bool) {
	m, err := answer()
	if w.late = m.late; err != nil {
		return nil, false
	}
	for _, b := range m.boxes {
		if !slices.Contains(o.Ambient.Boxes, b) && len(o.Ambient.Boxes) < maxStirred {
			o.Ambient.Boxes = append(o.Ambient.Boxes, b)
		}
	}
	return m.secret, true
}

// complete adds what only the browser knows.
func (w *settling) complete(o *cua.Observation) {
	o.Viewport = w.s.view
	o.Tabs, o.Tab, o.Downloads = w.s.count(w.t)
	w.s.mu.Lock()
	w.s.windows = 0
	w.s.mu.Unlock()
	w.t.update(func(st *tabState) {
		o.Dialog, o.Alerts = st.dialog, st.alerts
		o.PartialLoad, o.NavError, o.Status = st.partial, st.navError, st.status
		if st.failed != "" {
			o.URL = st.failed
		}
		if o.Document == "" {
			o.Document = string(st.loader)
		}
		st.alerts = nil
	})
}

// lastKnown is the last observation, for a page that cannot be read now. What the step before caused is left
// out: it would be told twice.
func (s *Session) lastKnown() cua.Observation {
	o := s.last
	o.Shot, o.Writes, o.Restyled, o.Ambient, o.Answered = nil, nil, nil, cua.Ambient{}, 0
	o.Recut, o.Alerts = nil, nil
	return o
}

// frozen is the last observation with what is known of the dialog that is open.
func (w *settling) frozen() cua.Observation {
	o := w.s.lastKnown()
	o.State, o.Checkpoint = nil, "" // of a page that cannot be read
	w.report.Frame = "none"
	w.complete(&o)
	return o
}

// writes are the requests that the action caused, that may have changed the server and that the
// page's own record misses: forms that were sent, and what a document that is gone had asked for.
func (t *tab) writes() (out []cua.Write) {
	t.look(func(st *tabState) {
		for _, r := range st.requests {
			if gone := !slices.Contains(slices.Collect(maps.Values(st.loaders)),
				r.loader); r.document || gone {
				out = append(out, r.write)
			}
		}
	})
	return out
}

// document identifies the top document that is shown.
func (t *tab) document() (id cdp.LoaderID) {
	t.look(func(st *tabState) { id = st.loader })
	return id
}

// documents counts the top documents that the last action asked for, of the site of the one before, and that
// were answered well.
func (t *tab) documents() (n int) {
	t.look(func(st *tabState) { n = st.answeredWell })
	return n
}
