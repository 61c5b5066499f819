package browser

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/egress"
)

const (
	// launchTimeout bounds the start of a browser up to its first tab.
	launchTimeout = 30 * time.Second
	// commandTimeout bounds one command to the browser itself, which answers in
	// milliseconds when it is well.
	commandTimeout = 5 * time.Second
	// leaveTimeout is how long a browser may take to leave before its group is killed.
	leaveTimeout = 2 * time.Second
	// maxOpening is how many sessions are opened at a time: more of them at once take longer each, and
	// each has its deadline.
	maxOpening = 4
	// lookingPerCore is how many sessions take a frame at a time for each core of the machine. More than the
	// machine has time for would each be late, ask for screenshots, and ask again, until none comes in time.
	lookingPerCore = 2
)

// Browser is one running Chromium. Its sessions are isolated from each other.
type Browser struct {
	info    Info
	conn    *wire.Conn
	root    *wire.Session
	proc    *wire.Process
	profile *wire.Profile
	// blocked is where what belongs to no session is sent: it lets nothing out.
	blocked *egress.Proxy
	remote  bool    // it is not ours: there are no proc, profile and blocked
	scale   float64 // pixels of a frame to a CSS pixel

	// opening holds a place for each session that is being opened.
	opening chan struct{}
	// looking holds a place for each session that takes a frame.
	looking chan struct{}

	mu       sync.Mutex
	sessions map[cdp.BrowserContextID]*Session
	served   bool     // a session was opened
	endedFor *overuse // why a renderer was ended last; nil is none
	limit    int64    // of memory, bytes; 0 is none
	closing  sync.Once
	released sync.Once
	leftover error // see release
}

// Launch starts a browser. Profile folders that dead runners left behind are removed first. A browser
// that is not installed is a *MissingError. ctx bounds the start only.
func Launch(ctx context.Context, o Options) (*Browser, error) {
	path, err := find(o)
	if err != nil {
		return nil, err
	}
	root := o.ProfileRoot
	if root == "" {
		root = os.TempDir()
	}
	_ = wire.RemoveOrphans(root) // what cannot be removed now is left to the next launch
	uid := -1
	if os.Getuid() == 0 && !o.NoSandbox {
		uid = wire.Nobody // Chromium keeps its sandbox only for a user that is not root
	}
	prof, err := wire.NewProfile(root, uid)
	if err != nil {
		return nil, err
	}
	blocked, err := egress.Block()
	if err != nil {
		prof.Remove()
		return nil, fmt.Errorf("browser: launching %s: %w", path, err)
	}
	flags := arguments(o, prof.Dir, blocked.Address(), isShell(path))
	proc, tr, err := wire.Start(path, flags, prof.Dir, uid)
	if err != nil {
		_ = blocked.Close()
		prof.Remove()
		return nil, &MissingError{Path: path, Cause: err}
	}
	b := &Browser{proc: proc, profile: prof, blocked: blocked, scale: o.scale(), limit: int64(o.MaxMB) << 20,
		opening:  make(chan struct{}, maxOpening),
		looking:  make(chan struct{}, lookingPerCore*goruntime.NumCPU()),
		sessions: map[cdp.BrowserContextID]*Session{}}
	if o.wrap != nil {
		tr = o.wrap(tr)
	}
	b.conn, b.root = wire.NewConn(tr)
	if b.limit > 0 {
		m := &memory{b: b, limit: b.limit, renders: map[int]bool{}, ended: map[int]bool{}}
		go m.watch()
	}
	go func() {
		<-b.conn.Dead
		_ = b.release() // Close tells
	}()
	b.info = Info{Path: path, Shell: isShell(path), Headed: o.Headed, Sandbox: !o.NoSandbox,
		User: max(uid, 0), Flags: flags}
	if err := b.begin(ctx); err != nil {
		b.Close()
		return nil, fmt.Errorf("browser: launching %s: %w%s", path, err, said(proc.Output))
	}
	return b, nil
}

// said is the end of the browser's own output for an error message.
func said(t *wire.Tail) string {
	lines := strings.Split(strings.TrimSpace(t.String()), "\n")
	if len(lines) > 3 {
		lines = lines[len(lines)-3:]
	}
	if text := strings.Join(lines, " | "); text != "" {
		return "; it said: " + text
	}
	return ""
}

// arguments is the command line.
func arguments(o Options, dir, blocked string, shell bool) []string {
	view := SessionOptions{}.viewport()
	pixels := func(n int) string { return strconv.Itoa(int(math.Ceil(float64(n) * o.scale()))) }
	args := []string{
		"--remote-debugging-pipe", "--user-data-dir=" + dir,
		"--no-first-run", "--no-default-browser-check", "--enable-automation",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-gpu",
		"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
		"--disable-renderer-backgrounding", "--disable-breakpad", "--disable-crash-reporter",
		"--disable-client-side-phishing-detection", "--disable-default-apps", "--disable-domain-reliability",
		"--disable-extensions", "--disable-hang-monitor", "--disable-popup-blocking",
		"--disable-prompt-on-repost", "--disable-smooth-scrolling", "--disable-search-engine-choice-screen",
		"--metrics-recording-only", "--no-pings", "--password-store=basic", "--use-mock-keychain",
		"--force-color-profile=srgb", "--force-device-scale-factor=" +
			strconv.FormatFloat(o.scale(), 'g', -1, 64),
		// a page is drawn tile by tile: one tile of the usual size takes a third less time than twenty
		"--default-tile-width=" + pixels(view.W), "--default-tile-height=" + pixels(view.H),
		// what was selected last, wherever, would come without a paste being asked for
		"--blink-settings=middleClickPasteAllowed=false",
		"--disable-back-forward-cache", "--disable-field-trial-config", "--allow-pre-commit-input",
		"--disable-features=Translate,MediaRouter,OptimizationHints,PaintHolding,HttpsUpgrades,Prerender2," +
			"AvoidUnnecessaryBeforeUnloadCheckSync,WebUIOmniboxPopup,WebUIOmniboxAimPopup," +
			strings.Join(offInBrowser, ","),
	}
	args = append(args, aroundProxy(blocked)...)
	if !o.Headed {
		args = append(args, "--mute-audio", "--hide-scrollbars")
		if !shell {
			args = append(args, "--headless=new")
		}
	}
	if o.NoSandbox {
		args = append(args, "--no-sandbox")
	}
	if o.Unlimited {
		args = append(args, "--disable-frame-rate-limit")
	}
	if wire.SmallShm() {
		args = append(args, "--disable-dev-shm-usage")
	}
	for _, f := range o.Flags {
		args = append(args, "--"+strings.TrimLeft(f, "-"))
	}
	return append(args, "about:blank")
}

// begin connects to the started browser: version, first tab, attachment to what comes.
func (b *Browser) begin(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, launchTimeout)
	defer cancel()
	if err := b.version(ctx); err != nil {
		return err
	}
	if err := b.firstTab(ctx); err != nil {
		return err
	}
	return b.hear(ctx)
}

// version asks what browser it is.
func (b *Browser) version(ctx context.Context) error {
	v, err := cdp.Call(ctx, b.root, cdpbrowser.GetVersion, cdp.Empty{})
	b.info.Name, b.info.Version, _ = strings.Cut(v.Product, "/")
	return err
}

// hear attaches to the pages that come.
func (b *Browser) hear(ctx context.Context) error {
	b.root.Listen(b.event)
	_, err := cdp.Call(ctx, b.root, target.SetAutoAttach, target.SetAutoAttachParams{AutoAttach: true,
		WaitForDebuggerOnStart: true, Flatten: new(true), Filter: attachable()})
	return err
}

// attachable are the targets that we want to hear of; the browser's own pages and its tab
// wrappers are not among them.
func attachable() target.Filter {
	return target.Filter{{Type: "browser", Exclude: true}, {Type: "tab", Exclude: true},
		{Type: "browser_ui", Exclude: true}, {Type: "webview", Exclude: true}, {}}
}

// firstTab waits for the tab that the browser opens by itself. Before it is there a new
// browser context would take its place.
func (b *Browser) firstTab(ctx context.Context) error {
	created, stop := b.root.Subscribe(target.TargetCreated.Method)
	defer stop()
	if _, err := cdp.Call(ctx, b.root, target.SetDiscoverTargets,
		target.SetDiscoverTargetsParams{Discover: true}); err != nil {
		return err
	}
	for {
		select {
		case raw, ok := <-created:
			if !ok {
				return b.conn.Err()
			}
			var e target.EventTargetCreated
			if jsonv2.Unmarshal(raw, &e, chromedp.DefaultUnmarshalOptions) == nil &&
				e.TargetInfo.Type == "page" {
				_, err := cdp.Call(ctx, b.root, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{})
				return err
			}
		case <-ctx.Done():
			return fmt.Errorf("waiting for the first tab: %w", ctx.Err())
		}
	}
}

// event routes what the browser itself reports to the session it concerns. It runs on the
// connection's reader.
func (b *Browser) event(method string, params jsonv2.Value) {
	switch method {
	case target.AttachedToTarget.Method:
		var e target.EventAttachedToTarget
		if jsonv2.Unmarshal(params, &e, chromedp.DefaultUnmarshalOptions) != nil {
			return
		}
		ps := b.conn.Session(e.SessionID)
		s := b.owner(e.TargetInfo)
		if s != nil && e.TargetInfo.Type == "page" && e.TargetInfo.Subtype == "" {
			s.adopt(ps, e.TargetInfo)
			return
		}
		release(b.root, ps, e.WaitingForDebugger)
	case target.DetachedFromTarget.Method:
		var e target.EventDetachedFromTarget
		if jsonv2.Unmarshal(params, &e, chromedp.DefaultUnmarshalOptions) == nil {
			for _, s := range b.all() {
				s.dropped(e.SessionID)
			}
		}
	case cdpbrowser.DownloadWillBegin.Method:
		var e cdpbrowser.EventDownloadWillBegin
		if jsonv2.Unmarshal(params, &e, chromedp.DefaultUnmarshalOptions) == nil {
			for _, s := range b.all() {
				s.downloading(e)
			}
		}
	}
}

// release lets a target go that is none of our tabs: a worker, the first tab, a prerender. from is
// the session that it was attached to. It runs on the connection's reader.
func release(from, ps *wire.Session, paused bool) {
	if ps == nil {
		return
	}
	go func() {
		if paused { // one that is detached before it runs never does
			ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
			defer cancel()
			_ = ps.Call(ctx, runtime.RunIfWaitingForDebugger.Method, cdp.Empty{}, nil)
		}
		_ = from.Post(target.DetachFromTarget.Method, target.DetachFromTargetParams{SessionID: ps.ID},
			func(error) {})
	}()
}

func (b *Browser) session(id cdp.BrowserContextID) *Session {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sessions[id]
}

// slack is d for each so many sessions that share the browser as may keep their screencasts open, and d at
// least: where they are many, what one asks for waits for what the others did.
func (b *Browser) slack(d time.Duration) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return d * time.Duration(max(1, len(b.sessions)/maxCasting))
}

func (b *Browser) all() []*Session {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []*Session
	for _, s := range b.sessions {
		out = append(out, s)
	}
	return out
}

// Info says which browser runs and how it was started.
func (b *Browser) Info() Info { return b.info }

// Gone is closed when the browser has ended or the connection to it is lost.
func (b *Browser) Gone() <-chan struct{} { return b.conn.Dead }

// Close ends the sessions and the browser with all its processes and removes its profile
// folder. It may be called more than once.
func (b *Browser) Close() error {
	b.closing.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
		defer cancel()
		for _, s := range b.all() {
			s.abandon()
		}
		if b.remote {
			b.conn.Close()
			return
		}
		_ = b.root.Call(ctx, cdpbrowser.CommandClose, cdp.Empty{}, nil) // it may leave before it answers
		if ctx.Err() != nil {
			b.proc.Kill() // it does not listen any more
		}
	})
	return b.release()
}

// release waits until the browser has left, ends what is left of it, and removes its profile
// folder. It is called when the browser is gone too: one that was replaced and is not closed
// holds no process, no descriptor and no folder.
func (b *Browser) release() error {
	b.released.Do(func() {
		if !b.remote {
			b.proc.WaitOrKill(leaveTimeout)
			_ = b.blocked.Close()
		}
		b.conn.Close()
		for _, s := range b.all() { // those that nobody has closed
			s.closeWay()
		}
		if b.remote {
			return
		}
		if err := b.profile.Remove(); err != nil {
			b.leftover = fmt.Errorf("browser: removing the profile folder: %w", err)
		}
	})
	return b.leftover
}

// Lost says whether err means that the browser is gone, so that a new one must be launched.
func Lost(err error) bool { return errors.Is(err, wire.ErrGone) }
