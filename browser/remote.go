package browser

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"time"

	"github.com/chromedp/cdproto"
	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
)

// attachTimeout bounds one try to connect to a remote browser.
const attachTimeout = 12 * time.Second

// errUnsupported is in the chain of what cannot be done with a remote browser.
var errUnsupported = errors.New("unsupported with a remote browser")

// Endpoint is where a remote browser is found; see ParseEndpoint and RunForEndpoint.
type Endpoint struct {
	at   wire.Address
	proc *wire.Process // of the command that provides the browser; nil is none
}

// ParseEndpoint reads an address: ws:// or wss:// with the full path, or http:// (or ws:// without a path),
// which is asked at /json/version for the path. authorization is the Authorization header; "" is none. It
// needs the full WebSocket address. No error repeats the address.
func ParseEndpoint(address, authorization string) (*Endpoint, error) {
	at, err := wire.ParseAddress(address, authorization)
	if err != nil {
		return nil, fmt.Errorf("browser: %w", err)
	}
	return &Endpoint{at: at}, nil
}

// RunForEndpoint runs a command of the shell and reads the address from the first line of its output. The
// command runs until Close, which ends its process group.
func RunForEndpoint(ctx context.Context, command, authorization string) (*Endpoint, error) {
	proc, line, err := wire.FirstLine(ctx, command)
	if err != nil {
		return nil, fmt.Errorf("browser: %w", err)
	}
	at, err := wire.ParseAddress(line, authorization)
	if err != nil {
		proc.Kill()
		return nil, fmt.Errorf("browser: the first line of the command's output: %w", err)
	}
	return &Endpoint{at: at, proc: proc}, nil
}

// Close ends the command, if there is one. It may be called more than once.
func (e *Endpoint) Close() {
	if e.proc != nil {
		e.proc.Kill()
	}
}

// Secrets are the parts of the address and of the header that must not be written anywhere.
func (e *Endpoint) Secrets() []string { return e.at.Secrets() }

// String is the address without user, path and query.
func (e *Endpoint) String() string { return e.at.String() }

// Attach connects to a running browser that is not ours: Close leaves it running. It has no egress proxy, no
// memory cap and no file upload. scale is that of frames; 0 is 1. ctx bounds the connecting only.
func Attach(ctx context.Context, e *Endpoint, scale float64) (*Browser, error) {
	ctx, cancel := context.WithTimeout(ctx, attachTimeout)
	defer cancel()
	tr, err := e.at.Dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("browser: connecting to %s: %w", e, err)
	}
	b := &Browser{remote: true, scale: Options{Scale: scale}.scale(),
		opening:  make(chan struct{}, maxOpening),
		looking:  make(chan struct{}, lookingPerCore*goruntime.NumCPU()),
		sessions: map[cdp.BrowserContextID]*Session{}}
	b.conn, b.root = wire.NewConn(tr)
	go func() {
		<-b.conn.Dead
		_ = b.release()
	}()
	if err := b.greet(ctx); err != nil {
		b.Close()
		return nil, fmt.Errorf("browser: connecting to %s: expected a DevTools endpoint of a browser: %w", e,
			err)
	}
	b.info.Remote = e.String()
	return b, nil
}

// greet asks what browser it is, whether it can make contexts, and to be told of its pages.
func (b *Browser) greet(ctx context.Context) error {
	if err := b.version(ctx); err != nil {
		return err
	}
	if b.info.Name == "" || b.info.Version == "" {
		return errors.New("the answer to Browser.getVersion names none")
	}
	b.info.Shell = b.info.Name == "HeadlessChrome"
	made, err := cdp.Call(ctx, b.root, target.CreateBrowserContext, target.CreateBrowserContextParams{
		DisposeOnDetach: new(true)})
	var refused *cdproto.Error
	switch {
	case errors.As(err, &refused):
		b.info.SharedContext = true
	case err != nil:
		return err
	default:
		if _, err := cdp.Call(ctx, b.root, target.DisposeBrowserContext,
			target.DisposeBrowserContextParams(made)); err != nil {
			return err
		}
	}
	return b.hear(ctx)
}

// silent says that a remote browser does not answer. Its connection is ended then. One of ours is ended by
// other means.
func (b *Browser) silent(ctx context.Context) bool {
	return b.remote && Lost(b.unanswered(ctx, context.DeadlineExceeded))
}

// Left is what a session with a lost connection leaves in a remote browser: its context and its pages.
type Left struct {
	context cdp.BrowserContextID
	tabs    []target.ID
	active  target.ID
}

// Left is what s would leave if its connection were lost now; nil where nothing stays: the browser is ours,
// or no page is open.
func (s *Session) Left() *Left {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.b.remote || s.active == nil {
		return nil
	}
	l := &Left{context: s.id, active: s.active.id}
	for _, t := range s.tabs {
		l.tabs = append(l.tabs, t.id)
	}
	return l
}

// takeOver makes the pages that were left those of s. The active one must still be there.
func (s *Session) takeOver(ctx context.Context, l *Left) error {
	got, err := cdp.Call(ctx, s.b.root, target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		return err
	}
	there := map[target.ID]*target.Info{}
	for _, i := range got.TargetInfos {
		there[i.TargetID] = i
	}
	if there[l.active] == nil {
		return fmt.Errorf("found %d other targets", len(there))
	}
	s.enroll(l.context)
	if err := s.denyDownloads(ctx); err != nil {
		return err
	}
	for _, id := range l.tabs {
		if there[id] == nil {
			continue
		}
		s.asking(true)
		_, err := cdp.Call(ctx, s.b.root, target.AttachToTarget, target.AttachToTargetParams{TargetID: id,
			Flatten: new(true)})
		s.asking(false)
		if err != nil {
			return err
		}
		if err := s.seed(ctx, id); err != nil {
			return err
		}
	}
	s.mu.Lock()
	i := slices.IndexFunc(s.tabs, func(t *tab) bool { return t.id == l.active })
	var t *tab
	if i >= 0 {
		t = s.tabs[i]
	}
	s.asIs = true
	s.mu.Unlock()
	if t == nil {
		return errors.New("the page closed meanwhile")
	}
	return s.activate(ctx, t)
}

// seed tells a tab what it has missed: which document it shows.
func (s *Session) seed(ctx context.Context, id target.ID) error {
	s.mu.Lock()
	i := slices.IndexFunc(s.tabs, func(t *tab) bool { return t.id == id })
	if i < 0 {
		s.mu.Unlock()
		return nil // it closed meanwhile
	}
	t := s.tabs[i]
	s.mu.Unlock()
	select {
	case <-t.ready:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.b.conn.Dead:
		return s.b.conn.Err()
	}
	tree, err := cdp.Call(ctx, t.s, page.GetFrameTree, cdp.Empty{})
	if err != nil || tree.FrameTree == nil || tree.FrameTree.Frame == nil {
		return err
	}
	f := tree.FrameTree.Frame
	t.update(func(st *tabState) {
		st.url, st.loader, st.loaders[f.ID] = f.URL+f.URLFragment, f.LoaderID, f.LoaderID
		if f.UnreachableURL != "" {
			st.url, st.navError, st.failed = f.UnreachableURL, "net::ERR_FAILED", f.UnreachableURL
		}
	})
	return nil
}

// openRemote makes a context without a proxy, or takes the only one of the browser, or what was left.
func (s *Session) openRemote(ctx context.Context) error {
	if l := s.opts.Continue; l != nil {
		s.opts.Continue = nil
		err := s.takeOver(ctx, l)
		if err != nil && !Lost(err) { // it may also close while it is taken over
			err = fmt.Errorf("expected the page with the target id %s: %w", l.active, err)
		}
		return err
	}
	var id cdp.BrowserContextID
	if !s.b.info.SharedContext {
		// The context outlives a lost connection, so its pages are found again.
		made, err := cdp.Call(ctx, s.b.root, target.CreateBrowserContext, target.CreateBrowserContextParams{})
		if err != nil {
			return err
		}
		id = made.BrowserContextID
	} else if s.b.session("") != nil {
		return errors.New("the browser has one context, and a session uses it")
	}
	s.enroll(id)
	return s.firstPage(ctx)
}

// enroll makes the context id that of s.
func (s *Session) enroll(id cdp.BrowserContextID) {
	s.mu.Lock()
	s.id, s.tabs, s.active, s.downloads, s.known = id, nil, nil, 0, map[cdp.FrameID]bool{}
	s.blamed, s.windows = nil, 0
	s.jar, s.enrolled = jar{}, true
	s.mu.Unlock()
	s.b.mu.Lock()
	s.b.sessions[id] = s
	s.b.served = true
	s.b.mu.Unlock()
}

// denyDownloads makes the context of s save nothing.
func (s *Session) denyDownloads(ctx context.Context) error {
	deny := cdpbrowser.SetDownloadBehaviorParams{Behavior: cdpbrowser.SetDownloadBehaviorBehaviorDeny,
		BrowserContextID: s.id, EventsEnabled: new(true)}
	_, err := cdp.Call(ctx, s.b.root, cdpbrowser.SetDownloadBehavior, deny)
	return err
}

// firstPage opens the tab of a new context.
func (s *Session) firstPage(ctx context.Context) error {
	if err := s.denyDownloads(ctx); err != nil {
		return err
	}
	_, err := s.newTab(ctx)
	return err
}

// owner is the session that a new page belongs to; nil is none of ours. In a context that others use too,
// ours are the pages that we ask for and those that they open.
func (b *Browser) owner(i *target.Info) *Session {
	if s := b.session(i.BrowserContextID); s != nil {
		return s
	}
	s := b.session("")
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	opened := slices.ContainsFunc(s.tabs, func(t *tab) bool { return t.id == i.OpenerID })
	if i.OpenerID == "" && s.asks || opened {
		return s
	}
	return nil
}

// closePages closes the tabs of a context that is not ours to dispose of.
func (b *Browser) closePages(ctx context.Context, tabs []*tab) error {
	var errs []error
	for _, t := range tabs {
		_, err := cdp.Call(ctx, b.root, target.CloseTarget, target.CloseTargetParams{TargetID: t.id})
		var gone *cdproto.Error
		if err != nil && !errors.As(err, &gone) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
