package browser

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
)

const (
	// settleCap is how long timers, fetches and animations that an action set off are waited
	// for. A document has docTimeout.
	settleCap = 1500 * time.Millisecond
	// settleSlack is how much later than its own cap the page must have answered; after that
	// it is hung.
	settleSlack = 2500 * time.Millisecond
	// popupWait is how long a window that the page asked for may take to be there.
	popupWait = 2 * time.Second
	// navigationStart is how long a navigation that the page announced may take to begin.
	navigationStart = time.Second
	// maxRounds is how many documents in a row are waited for: a page that navigates for ever is
	// taken as it is.
	maxRounds = 20
	// maxReads is how often a read that a navigation interrupts is repeated.
	maxReads = 3
)

// settling is one wait for the end of what an action set off.
type settling struct {
	s       *Session
	t       *tab
	seq     int // of t.st when the action began: what loaded before holds nothing up
	commits int // documents that t had shown then
	opened  int // windows that t had asked for then
	tabs    []*tab
	report  cua.Settle
	frame   frames.Want // what the frame must show
	acted   *cua.Point  // the action's point
	sender  *tab        // that the action was sent to; nil where none was
	sent    int         // releases of buttons and keys that the page may not have heard
	readAt  int         // movement of the tab before the step that has read the page
	broken  int         // reads of the page that a navigation interrupted
	moved   bool        // a new document is shown, or another tab
	late    bool        // the page has changed since the last look
	again   bool        // and was looked at again
	refused bool        // a window that the page asked for did not come: none is waited for any more
	until   time.Time
}

// watch notes where things stand before an action.
func (s *Session) watch(t *tab) *settling {
	w := &settling{s: s, t: t, until: time.Now().Add(s.opts.docTimeout())}
	t.look(func(st *tabState) { w.seq, w.commits, w.opened = st.seq, st.commits, st.opened })
	s.mu.Lock()
	w.tabs = s.tabs
	s.mu.Unlock()
	return w
}

// settle waits until nothing that the action set off is open: documents, windows, timers,
// fetches, finite animations. A dialog that waits for the brain ends it, a page that does
// not answer is an error.
func (w *settling) settle(ctx context.Context, budget time.Duration) error {
	began := time.Now()
	defer func() { w.report.MS += int(time.Since(began).Milliseconds()) }()
	for range maxRounds {
		if w.t.dialog() {
			w.wait("dialog")
			return nil
		}
		if err := w.follow(ctx); err != nil {
			return err
		}
		if err := w.documents(ctx); err != nil {
			return err
		}
		w.s.resumeScreencast(w.t) // a session's first
		again, err := w.scripts(ctx, budget)
		if err != nil {
			return err
		}
		if !again && !w.pending() && !w.imports(ctx, budget-time.Since(began)) {
			return nil
		}
		if time.Now().After(w.until) {
			break
		}
	}
	w.report.Capped = true
	return nil
}

// dialog says whether a JavaScript dialog is open.
func (t *tab) dialog() (open bool) {
	t.look(func(st *tabState) { open = st.dialog != nil })
	return open
}

// wait adds to what was waited for.
func (w *settling) wait(what ...string) {
	for _, s := range what {
		if !slices.Contains(w.report.For, s) {
			w.report.For = append(w.report.For, s)
		}
	}
}

// landed says what the browser answered to input that was not waited for; one that a dialog holds up is not
// waited for here either.
func (w *settling) landed(ctx context.Context) error {
	if w.sender == nil {
		return nil
	}
	limit, cancel := context.WithTimeout(ctx, inputDeadline)
	defer cancel()
	limit, done := w.sender.interruptible(limit)
	defer done()
	if w.t != w.sender { // a window that the action opened is in front, with a dialog of its own
		limit, done = w.t.interruptible(limit)
		defer done()
	}
	err := w.sender.input.landed(limit)
	if context.Cause(limit) == errDialog || errors.Is(err, wire.ErrDetached) {
		return nil // a dialog holds it up, or the tab that it was sent to closed
	}
	return err
}

// pending says whether a document or a window is on its way.
func (w *settling) pending() (p bool) {
	w.t.look(func(st *tabState) {
		p = st.busy(w.seq) || st.opened > w.opened && !w.refused || st.dialog != nil
	})
	return p || w.successor() != nil
}

// follow goes to a window that the action opened, or away from one that it closed.
func (w *settling) follow(ctx context.Context) error {
	var opened bool
	w.t.look(func(st *tabState) { opened = st.opened > w.opened; w.opened = st.opened })
	if opened && !w.refused {
		w.wait("window")
		soon, cancel := context.WithTimeout(ctx, popupWait)
		w.refused = !w.s.awaitTabs(soon, func() bool { return w.successor() != nil })
		cancel()
	}
	limit, cancel := context.WithTimeout(ctx, setupTimeout)
	defer cancel()
	next := w.successor()
	if next == nil {
		if n, _, _ := w.s.count(w.t); n > 0 {
			return w.s.activate(limit, w.t) // it may have failed before
		}
		w.s.note("the last tab was closed; a blank one was opened")
		var err error
		if next, err = w.s.newTab(ctx); err != nil {
			return err
		}
	}
	w.turn(next)
	w.seq, w.commits = 0, 0 // what a new window loads was set off by the action
	return w.s.activate(limit, next)
}

// successor is the tab to go to: the newest one that was not there before, or, when ours is
// gone, its opener or the last one. Nil stays.
func (w *settling) successor() *tab {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	for _, t := range slices.Backward(w.s.tabs) {
		if !slices.Contains(w.tabs, t) {
			return t
		}
	}
	if slices.Contains(w.s.tabs, w.t) || len(w.s.tabs) == 0 {
		return nil
	}
	for _, t := range w.s.tabs {
		if t.id == w.t.opener {
			return t
		}
	}
	return w.s.tabs[len(w.s.tabs)-1]
}

// awaitTabs waits until cond holds; it is asked again whenever tabs come or go.
func (s *Session) awaitTabs(ctx context.Context, cond func() bool) bool {
	for {
		s.mu.Lock()
		moved := s.moved
		s.mu.Unlock()
		if cond() {
			return true
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return false
		case <-s.b.conn.Dead:
			return false
		}
	}
}

// documents waits for documents that began to load. One that takes too long is stopped.
func (w *settling) documents(ctx context.Context) error {
	var busy bool
	w.t.look(func(st *tabState) { busy = st.busy(w.seq) || st.answering > 0 })
	if !busy {
		return nil
	}
	w.wait("load")
	limit, cancel := context.WithDeadline(ctx, w.until)
	defer cancel()
	limit, stop := w.t.answering(limit)
	defer stop()
	if w.t.until(limit, func(st *tabState) bool {
		return !st.busy(w.seq) && st.answering == 0 ||
			st.dialog != nil
	}) {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := w.t.s.State(); err != nil {
		return err
	}
	if context.Cause(limit) == errHung {
		return errHung
	}
	return w.stop(ctx)
}

// imports waits for scripts that the action made the document import, and says whether one came:
// what it does is followed as well.
func (w *settling) imports(ctx context.Context, budget time.Duration) bool {
	var n int
	w.t.look(func(st *tabState) { n = len(st.scripts) })
	if n == 0 || budget <= 0 {
		return false
	}
	w.wait("script")
	limit, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	return w.t.until(limit, func(st *tabState) bool { return len(st.scripts) < n || st.dialog != nil })
}

// stop ends a load that never ends; what is there is shown.
func (w *settling) stop(ctx context.Context) error {
	w.report.Capped = true
	w.report.Faults = append(w.report.Faults, "partial_load")
	limit, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	_, err := cdp.Call(limit, w.t.s, page.StopLoading, cdp.Empty{})
	w.t.update(func(st *tabState) { st.partial = true; clear(st.loading) })
	w.until = time.Now().Add(w.s.opts.docTimeout()) // for what the stopped document may still set off
	return err
}

// scripts asks the page itself what the action set off, and waits for the end of it. It is
// true when a new document is coming.
func (w *settling) scripts(ctx context.Context, budget time.Duration) (again bool, err error) {
	limit, cancel := context.WithTimeout(ctx, budget+settleSlack)
	defer cancel()
	read, done := w.t.interruptible(limit)
	defer done()
	moved := w.t.movement()
	in := stepInput{from: w.t.frames.FirstTag, releases: w.sent, read: readInput{At: w.acted,
		Pointer: w.t.input.at(), Keep: w.t.keeps(), Paint: w.t.probe.prints()}}
	got, err := w.t.probe.step(read, budget, in)
	w.sent, w.readAt, w.frame = 0, moved, frames.Want{Tag: got.Tag, Why: got.Why}
	// also if another step reads the page once more
	w.t.keep.told(keptBy(w.t.probe.ready), newSealer(w.s.opts.Secrets))
	switch {
	case context.Cause(read) == errDialog:
		return true, nil
	case err != nil && !errors.Is(err, errNavigating) && !errors.Is(err, errNoContext):
		return false, err
	}
	if err == nil && got.Unheard {
		return true, w.landed(ctx)
	}
	if err == nil {
		w.wait(got.For...)
		w.report.Capped = w.report.Capped || got.Capped
		if !got.Navigating {
			return false, nil
		}
	}
	w.wait("navigation")
	if err != nil {
		w.broken++
	}
	err = w.retry(ctx, moved)
	return w.report.Retried < maxReads && w.broken < maxReads, err
}

// movement is a mark of the tab's navigations so far; retry waits until it was passed.
func (t *tab) movement() (m int) {
	t.look(func(st *tabState) { m = st.seq + st.documents })
	return m
}

// retry waits, after a read that a navigation interrupted, until something came of it and a document is there
// to be read: several events of a new document come before its script runs. The error is that of a tab that
// is broken.
func (w *settling) retry(ctx context.Context, moved int) error {
	w.report.Retried++
	w.moved, w.frame, w.t.probe.ready = true, frames.Want{}, nil
	limit, cancel := context.WithTimeout(ctx, navigationStart)
	defer cancel()
	w.t.until(limit, func(st *tabState) bool {
		return st.dialog != nil || st.seq+st.documents != moved && len(w.t.probe.open()) > 0
	})
	if _, err := w.t.s.State(); err != nil {
		return err
	}
	return ctx.Err()
}
