package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/domstorage"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
)

// setupTimeout bounds the set-up of one tab or frame, and opening a tab.
const setupTimeout = 10 * time.Second

// tab is one page of a session: its protocol session, those of its out-of-process
// frames, and what is known of its state from events.
type tab struct {
	id     target.ID
	s      *wire.Session
	owner  *Session
	opener target.ID
	asked  bool // by us, and not opened by the page

	probe  *probe
	frames *frames.Stream
	input  *pointer

	ready chan struct{} // closed when set up, or when that failed (setupErr)
	// setupErr is why the tab cannot be used; valid after ready.
	setupErr error

	keep keeping

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced at each change of st
	st       tabState
	children map[target.SessionID]*wire.Session
	// interrupt ends the read that is under way when a dialog opens; nil when none is.
	interrupt context.CancelCauseFunc
}

// adopt makes a tab of a page target that was attached, and starts to set it up. It runs on the
// connection's reader: no event of the tab is lost.
func (s *Session) adopt(ps *wire.Session, info *target.Info) {
	if ps == nil {
		return
	}
	t := &tab{id: info.TargetID, s: ps, owner: s, opener: info.OpenerID, ready: make(chan struct{}),
		changed: make(chan struct{}), children: map[target.SessionID]*wire.Session{}}
	t.st = newTabState()
	t.build()
	ps.Listen(t.event) // after those of the parts: they know of a dialog or a document before we act on it
	if !s.add(t) {
		return
	}
	s.mu.Lock()
	n := s.windows
	s.mu.Unlock()
	if n > maxWindows {
		s.blame(faultWindows, "the page opened more than %d windows", maxWindows)
		t.setupErr = errClosed
		if f := s.guilt(); f != nil {
			t.setupErr = f
		}
		close(t.ready) // a step may be waiting for it
		return
	}
	s.spawn(func() { t.setUp() })
}

// build makes the parts that talk to the page.
func (t *tab) build() {
	o := t.owner
	t.probe = newProbe(probeOptions{Viewport: o.view, Secrets: o.opts.Secrets,
		ReadEndpoints: o.task.ReadEndpoints, Key: &o.digests, SettleCap: o.opts.settleLimit()})
	t.frames = frames.New(t.s, o.view, o.b.scale, !o.opts.Capture)
	t.frames.Slack = o.b.slack
	t.input = newPointer(t.s)
	t.probe.listen(t.s)
	t.input.single = func() bool { return len(t.sessions()) == 1 && len(t.probe.open()) == 1 }
}

// setUp prepares the tab before its first byte and lets it run.
func (t *tab) setUp() {
	ctx, cancel := context.WithTimeout(t.owner.ctx, setupTimeout)
	defer cancel()
	defer close(t.ready)
	t.s.Pause(func(err error) { t.note("set-up: " + err.Error()) })
	t.prepare(ctx, t.s, true)
	t.s.Resume()
	if err := t.s.Call(ctx, runtime.RunIfWaitingForDebugger.Method, cdp.Empty{}, nil); err != nil {
		t.setupErr = fmt.Errorf("setting up a tab: %w", err)
	}
}

// prepare sends the commands that a page, or one of its frames, needs before it runs. The
// target is paused: answers come later and are not awaited.
func (t *tab) prepare(ctx context.Context, s *wire.Session, isPage bool) {
	o := t.owner
	send := func(method string, params any) { _ = s.Call(ctx, method, params, nil) }
	send(page.Enable.Method, page.EnableParams{})
	if err := t.probe.attach(ctx, s); err != nil {
		t.note("set-up: " + err.Error())
	}
	send(runtime.Enable.Method, cdp.Empty{})
	send(network.Enable.Method, network.EnableParams{MaxTotalBufferSize: new(int64(0)),
		MaxResourceBufferSize: new(int64(0)), MaxPostDataSize: new(int64(0))})
	if !o.opts.NoState {
		send(domstorage.Enable.Method, cdp.Empty{})
	}
	send(fetch.Enable.Method, guard())
	if isPage {
		send(inspector.Enable.Method, cdp.Empty{})
		send(emulation.SetDeviceMetricsOverride.Method, emulation.SetDeviceMetricsOverrideParams{
			Width: int64(o.view.W), Height: int64(o.view.H), DeviceScaleFactor: o.b.scale})
		send(emulation.SetFocusEmulationEnabled.Method,
			emulation.SetFocusEmulationEnabledParams{Enabled: true})
		send(page.SetInterceptFileChooserDialog.Method,
			page.SetInterceptFileChooserDialogParams{Enabled: true})
	}
	send(target.SetAutoAttach.Method, target.SetAutoAttachParams{AutoAttach: true,
		WaitForDebuggerOnStart: true,
		Flatten:                new(true), Filter: target.Filter{{Type: "iframe"}, {Type: "worker"},
			{Exclude: true}}})
}

// hiddenWindow is the size of a window of the headless shell, which nobody sees. The page has the size of the
// viewport by emulation and is drawn for its picture. To draw it once more, into a window of its size, is a
// third of the drawing. Pages are told a window of the viewport's size (cause.js). A full browser shows the
// list of a select element only where the window has room for it.
var hiddenWindow = cua.Size{W: 16, H: 16}

// newTab opens a blank tab, waits until it is set up and makes it the active one. If a site fault has ended
// the episode, it returns that fault: no tab is added any more. That it takes longer than setupTimeout is no
// timeout of a page.
func (s *Session) newTab(ctx context.Context) (*tab, error) {
	limit, cancel := context.WithTimeout(ctx, setupTimeout)
	defer cancel()
	t, err := s.openBlank(limit)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		if err = s.b.unanswered(ctx, err); Lost(err) {
			return nil, err
		}
		return nil, fmt.Errorf("opening a tab takes more than %v", setupTimeout)
	}
	return t, err
}

// openBlank is newTab without its limit.
func (s *Session) openBlank(ctx context.Context) (*tab, error) {
	s.asking(true)
	defer s.asking(false)
	window := s.view
	if s.b.info.Shell {
		window = hiddenWindow
	}
	made, err := cdp.Call(ctx, s.b.root, target.CreateTarget, target.CreateTargetParams{URL: "about:blank",
		BrowserContextID: s.id, NewWindow: new(true), Width: int64(window.W), Height: int64(window.H)})
	if err != nil {
		return nil, err
	}
	for {
		s.mu.Lock()
		moved := s.moved
		i := slices.IndexFunc(s.tabs, func(t *tab) bool { return t.id == made.TargetID })
		var t *tab
		if i >= 0 {
			t = s.tabs[i]
		}
		blamed := s.blamed
		s.mu.Unlock()
		switch {
		case t != nil:
			return t, s.activate(ctx, t)
		case blamed != nil: // no tab comes any more
			return nil, blamed
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for a new tab: %w", ctx.Err())
		case <-s.b.conn.Dead:
			return nil, s.b.conn.Err()
		}
	}
}

// asking notes that we ask for a tab ourselves: the next one is no window of the page's.
func (s *Session) asking(yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks = yes
}

// activate waits until t is set up, brings it to the front and lets its frames flow. Those of a session's
// first tab flow once it shows a document. If it fails, the active tab is as before. ctx bounds it.
func (s *Session) activate(ctx context.Context, t *tab) error {
	select {
	case <-t.ready:
	case <-ctx.Done():
		return fmt.Errorf("setting up a tab: %w", ctx.Err())
	case <-s.b.conn.Dead:
		return s.b.conn.Err()
	}
	if t.setupErr != nil {
		return t.setupErr
	}
	s.mu.Lock()
	before := s.active
	s.mu.Unlock()
	if before == t {
		return nil
	}
	_, err := cdp.Call(ctx, s.b.root, target.ActivateTarget, target.ActivateTargetParams{TargetID: t.id})
	var answer *cdproto.Error
	if errors.As(err, &answer) {
		return fmt.Errorf("%w: %w", wire.ErrDetached, err) // it closed in the meantime
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.active = t
	s.mu.Unlock()
	if before == nil {
		s.suspended = true // nobody looks at the blank page
		return nil
	}
	before.frames.Stop()
	t.startScreencast()
	return nil
}

// attachFrame sets up an out-of-process frame. It runs on the connection's reader.
func (t *tab) attachFrame(from *wire.Session, e target.EventAttachedToTarget) {
	child := t.s.Conn().Session(e.SessionID)
	if child == nil {
		return
	}
	if e.TargetInfo.Type != "iframe" { // a worker: one that is left out waits for a debugger all the same
		release(from, child, e.WaitingForDebugger)
		return
	}
	t.mu.Lock()
	t.children[child.ID] = child
	t.mu.Unlock()
	t.probe.listen(child)
	child.Listen(func(method string, params jsonv2.Value) { t.frameEvent(child, method, params) })
	t.owner.spawn(func() {
		ctx, cancel := context.WithTimeout(t.owner.ctx, setupTimeout)
		defer cancel()
		child.Pause(func(error) {})
		t.prepare(ctx, child, false)
		child.Resume()
		// A frame that is gone by now is no loss.
		_ = child.Call(ctx, runtime.RunIfWaitingForDebugger.Method, cdp.Empty{}, nil)
	})
}

// detachFrame forgets an out-of-process frame.
func (t *tab) detachFrame(id target.SessionID) {
	t.mu.Lock()
	child := t.children[id]
	delete(t.children, id)
	t.mu.Unlock()
	if child != nil {
		t.probe.detach(child)
	}
}

// crash notes that the renderer is gone and fails everything that waits for it, in one go: who sees the crash
// may revive the tab at once, and what came later would fail the revived one.
func (t *tab) crash() {
	t.owner.b.accuse(t.owner)
	t.update(func(st *tabState) {
		st.crashed, st.dialog, st.answering = true, nil, 0
		st.breaks[st.url]++
		clear(st.loading)
		t.failAll(fmt.Errorf("%w at %s", wire.ErrCrashed, st.url))
	})
}

// fail makes all calls of the tab and of its frames return why at once.
func (t *tab) fail(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failAll(why)
}

// failAll is fail; the lock is held.
func (t *tab) failAll(why error) {
	t.s.Fail(why)
	for _, c := range t.children {
		c.Fail(why)
	}
}

// update changes the state under the lock and wakes those who wait for it.
func (t *tab) update(f func(st *tabState)) {
	t.mu.Lock()
	f(&t.st)
	close(t.changed)
	t.changed = make(chan struct{})
	t.mu.Unlock()
}

// look reads the state under the lock.
func (t *tab) look(f func(st *tabState)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.st)
}

// until waits until cond holds of the state. It is false when ctx ended first, the tab broke
// or the browser is gone.
func (t *tab) until(ctx context.Context, cond func(st *tabState) bool) bool {
	for {
		broken, err := t.s.State()
		t.mu.Lock()
		ok, changed := cond(&t.st), t.changed
		t.mu.Unlock()
		if ok {
			return true
		}
		if err != nil {
			return false
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		case <-broken:
		case <-t.s.Conn().Dead:
			return false
		}
	}
}

// interruptible is ctx that also ends, with errDialog as its cause, when a dialog opens that
// waits for the brain: the page answers nothing while one is open.
func (t *tab) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	t.mu.Lock()
	t.interrupt = cancel
	open := t.st.dialog != nil
	t.mu.Unlock()
	if open {
		cancel(errDialog)
	}
	return ctx, func() {
		t.mu.Lock()
		t.interrupt = nil
		t.mu.Unlock()
		cancel(nil)
	}
}

// errDialog is the cause of a read that a dialog interrupted.
var errDialog = errors.New("a dialog is open")

// note adds a line to the short log of the step.
func (t *tab) note(line string) { t.owner.note(line) }

// unpack reads the parameters of an event; false leaves the event aside.
func unpack(params jsonv2.Value, into any) bool {
	return jsonv2.Unmarshal(params, into, chromedp.DefaultUnmarshalOptions) == nil
}
