package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/egress"
)

// errClosed is the error of every call to a closed session.
var errClosed = errors.New("browser: the session is closed")

// Session is one isolated browser context with its own window: cookies, storage and tabs
// that no other session sees. Its methods may be called from several goroutines; they take
// turns. It satisfies runner.Env.
type Session struct {
	b    *Browser
	opts SessionOptions
	view cua.Size

	// ctx ends when the session is closed, and with it everything under way.
	ctx        context.Context
	cancel     context.CancelFunc
	background sync.WaitGroup // see spawn

	turn chan struct{} // held during a call; see enter
	task cua.Task
	used bool // since the context was opened
	last cua.Observation
	jar  jar

	mu        sync.Mutex
	id        cdp.BrowserContextID
	tabs      []*tab
	active    *tab
	known     map[cdp.FrameID]bool // top frames of all tabs ever, for downloads
	downloads int
	log       []string
	closed    bool
	asks      bool // we ask for a tab ourselves
	digests   digestKey
	moved     chan struct{} // closed and replaced when tabs come, go or change turns
	allow     cua.AllowList
	auth      cua.Task      // whose secrets answer HTTP authentication
	proxy     *egress.Proxy // nil while there is no context
	denials   []cua.Denial  // of proxies that were closed
	pageFaults
	enrolled bool // there is a context: ours, or the one that is shared
	// asIs says that the page is one that a lost connection left: it is observed, and not loaded again.
	asIs bool

	// suspended says that the screencast was closed after the last action, or that there was none yet. It is
	// for the holder of turn.
	suspended bool
}

// NewSession opens a session with one blank tab. Several may be open at once.
func (b *Browser) NewSession(ctx context.Context, o SessionOptions) (*Session, error) {
	s := &Session{b: b, opts: o, view: o.viewport(), turn: make(chan struct{}, 1), moved: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if err := b.retire(); err != nil {
		return nil, err
	}
	for _, entry := range o.Allow {
		if _, err := egress.ParseEntry(entry); err != nil {
			return nil, fmt.Errorf("browser: opening a session: %w", err)
		}
	}
	s.allow = s.allowance(cua.Task{})
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("browser: opening a session: %w", err)
	}
	return s, nil
}

// open makes the browser context and its first tab, when it is its turn.
func (s *Session) open(ctx context.Context) error {
	select {
	case s.b.opening <- struct{}{}:
		defer func() { <-s.b.opening }()
	case <-ctx.Done():
		return ctx.Err()
	case <-s.b.conn.Dead:
		return s.b.conn.Err()
	}
	limit, cancel := context.WithTimeout(ctx, setupTimeout)
	defer cancel()
	return s.b.unanswered(ctx, s.openContext(limit))
}

// openContext is open when it is our turn.
func (s *Session) openContext(ctx context.Context) error {
	if s.b.remote {
		return s.openRemote(ctx)
	}
	proxy, err := egress.Listen(egress.Options{Resolve: s.opts.Resolve, Record: s.opts.Record,
		Faults: s.opts.Faults})
	if err != nil {
		return err
	}
	made, err := cdp.Call(ctx, s.b.root, target.CreateBrowserContext, s.opts.contextThrough(proxy))
	if err != nil {
		_ = proxy.Close()
		return err
	}
	s.mu.Lock()
	s.proxy = proxy
	proxy.Permit(egress.Policy{Allow: s.allow}) // of the session, until a task says more
	s.mu.Unlock()
	s.enroll(made.BrowserContextID)
	return s.firstPage(ctx)
}

// add enters a tab. A tab that the page opened becomes the active one.
func (s *Session) add(t *tab) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.blamed != nil {
		return false // it waits for the debugger, and is closed with the context
	}
	t.asked = s.asks
	if !t.asked {
		s.windows++
	}
	s.tabs = append(s.tabs, t)
	s.known[t.top()] = true
	s.signal()
	return true
}

// spawn runs f, such as the set-up of a tab, beside the calls. A session that is closed waits for those that
// run, and begins no other.
func (s *Session) spawn(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.background.Go(f)
	}
}

// signal wakes those who wait for tabs. s.mu is held.
func (s *Session) signal() {
	close(s.moved)
	s.moved = make(chan struct{})
}

// dropped forgets the tab whose session was detached, if it is one of ours.
func (s *Session) dropped(id target.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.tabs, func(t *tab) bool { return t.s.ID == id })
	if i < 0 {
		return
	}
	s.tabs[i].close()
	s.tabs = slices.Delete(slices.Clone(s.tabs), i, i+1)
	s.signal()
}

// downloading counts a download that one of our frames began. It was denied.
func (s *Session) downloading(e cdpbrowser.EventDownloadWillBegin) {
	s.mu.Lock()
	ours := s.known[e.FrameID]
	tabs := s.tabs
	s.mu.Unlock()
	var useless *tab
	for _, t := range tabs {
		t.look(func(st *tabState) {
			_, loading := st.loading[e.FrameID]
			ours = ours || loading
			if t.top() == e.FrameID && st.commits == 0 && !t.asked {
				useless = t
			}
		})
	}
	if !ours {
		return
	}
	s.mu.Lock()
	s.downloads++
	s.mu.Unlock()
	for _, t := range tabs {
		t.update(func(st *tabState) { st.seq++; delete(st.loading, e.FrameID) })
	}
	if useless != nil { // a window that was opened for the download and shows nothing
		_ = s.b.root.Post(target.CloseTarget.Method, target.CloseTargetParams{TargetID: useless.id}, nil)
		s.dropped(useless.s.ID)
	}
}

// close forgets a tab that is gone: what waits for it fails at once.
func (t *tab) close() {
	t.fail(wire.ErrDetached)
	t.probe.detach(t.s)
	t.frames.Close()
	t.input.close()
}

// alive says whether t can answer at all.
func (t *tab) alive() bool {
	_, err := t.s.State()
	return err == nil
}

// enter waits for the turn and gives a context that ends with ctx or with the session.
func (s *Session) enter(ctx context.Context) (context.Context, func(), error) {
	if err := ctx.Err(); err != nil { // nothing is begun that nobody waits for
		return nil, nil, err
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	case <-s.ctx.Done():
		return nil, nil, errClosed
	}
	if s.ctx.Err() != nil {
		<-s.turn
		return nil, nil, errClosed
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.ctx, cancel)
	return ctx, func() { stop(); cancel(); <-s.turn }, nil
}

// note adds a line to the short log of the step.
func (s *Session) note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.log) < maxLog {
		s.log = append(s.log, line)
	}
}

// maxLog caps the lines of a step's log.
const maxLog = 50

// takeLog empties the log.
func (s *Session) takeLog() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.log
	s.log = nil
	return out
}

// count is how many tabs there are and the 1-based number of t among them, 0 when it is gone.
func (s *Session) count(t *tab) (n, at, downloads int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tabs), slices.Index(s.tabs, t) + 1, s.downloads
}

// dispose ends the browser context with all its tabs.
func (s *Session) dispose(ctx context.Context) error {
	s.mu.Lock()
	id, tabs, enrolled := s.id, s.tabs, s.enrolled
	s.id, s.tabs, s.active, s.enrolled = "", nil, nil, false
	s.mu.Unlock()
	defer s.closeWay()
	if !enrolled {
		return nil
	}
	s.b.mu.Lock()
	delete(s.b.sessions, id)
	s.b.mu.Unlock()
	for _, t := range tabs {
		t.close()
	}
	if id == "" { // others use it too
		return s.b.closePages(ctx, tabs)
	}
	_, err := cdp.Call(ctx, s.b.root, target.DisposeBrowserContext,
		target.DisposeBrowserContextParams{BrowserContextID: id})
	return err
}

// abandon ends everything under way without a word to the browser, which is about to end.
func (s *Session) abandon() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.background.Wait()
	s.closeWay()
}

// Close ends the session and all its tabs. Calls under way fail at once. It may be called
// more than once.
func (s *Session) Close() error {
	s.abandon()
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	if err := s.dispose(ctx); err != nil && !Lost(err) {
		return fmt.Errorf("browser: closing a session: %w", err)
	}
	return nil
}
