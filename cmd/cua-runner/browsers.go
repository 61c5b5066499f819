package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

const (
	// maxLaunches is how many browsers in a row may end before a session is open in one of them.
	maxLaunches = 6
	// firstLaunches is the same for the first browser of a process: somebody may have to be told that none
	// starts here.
	firstLaunches = 3
	// firstPause is the pause before the second of them; each pause after that is twice as long.
	firstPause = 500 * time.Millisecond
	// maxBrowsers is how many browsers one episode may use up.
	maxBrowsers = 5
	// endGrace is how long a browser may take to show that it has ended once an episode failed by it.
	endGrace = 300 * time.Millisecond
	// remoteTries is how often a lost connection to a remote browser is tried again. With the pauses before
	// the second and the third try and 12 s for each of them that takes 54 s at most.
	remoteTries = 3
	// remotePause is the pause before the second of them; the next one is twice as long.
	remotePause = 6 * time.Second
)

// keeper keeps a browser for many sessions: it launches another one when the old one has ended.
type keeper struct {
	app   *app
	flags browserFlags
	pause func(context.Context, time.Duration) // nil waits

	mu      sync.Mutex
	browser *browser.Browser
	short   int // browsers in a row that were launched here and had no session yet
}

// sharedSession is a session that knows whether its browser has ended.
type sharedSession struct {
	*browser.Session
	in *browser.Browser
}

// Lost reports whether the browser has ended.
func (s sharedSession) Lost() bool {
	select {
	case <-s.in.Gone():
		return true
	case <-time.After(endGrace):
		return false
	}
}

// session opens one, in another browser where the old one has ended.
func (k *keeper) session(ctx context.Context, o browser.SessionOptions) (sharedSession, error) {
	for {
		b, err := k.alive(ctx)
		if err != nil {
			return sharedSession{}, err
		}
		s, err := b.NewSession(ctx, o)
		if err == nil {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.short = 0
			return sharedSession{s, b}, nil
		}
		if !browser.Lost(err) || ctx.Err() != nil {
			return sharedSession{}, err
		}
	}
}

// alive is the browser, or another one where there is none yet or it has ended. A browser that ends before a
// session is open in it is followed by the next after a pause.
func (k *keeper) alive(ctx context.Context) (*browser.Browser, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.browser != nil {
		select {
		case <-k.browser.Gone():
		default:
			return k.browser, nil
		}
		k.app.discard(k.browser)
	}
	pause, most := k.patience()
	for {
		if k.short > 0 {
			k.wait(ctx, pause<<(k.short-1))
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		k.short++
		b, err := k.app.launch(ctx, k.flags, os.Getenv)
		var missing *browser.MissingError
		switch {
		case err == nil:
			k.browser = b
			return b, nil
		case errors.As(err, &missing), most == 1:
			return nil, err
		case k.short >= most && k.flags.remote.on():
			return nil, fmt.Errorf("%d tries: %w", k.short, err)
		case k.short >= most:
			return nil, fmt.Errorf("%d browsers in a row ended before a page was open; the last: %w",
				k.short, err)
		}
	}
}

// patience is the pause before a second launch, and how many launches in a row may fail. An address at which
// no browser was found yet is not tried again.
func (k *keeper) patience() (pause time.Duration, most int) {
	switch remote := k.flags.remote.on(); {
	case remote && k.browser == nil:
		return remotePause, 1
	case remote:
		return remotePause, remoteTries
	case k.browser == nil:
		return firstPause, firstLaunches
	}
	return firstPause, maxLaunches
}

func (k *keeper) wait(ctx context.Context, d time.Duration) {
	if k.pause != nil {
		k.pause(ctx, d)
		return
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// discard closes a browser that has ended.
func (a *app) discard(b *browser.Browser) {
	a.mu.Lock()
	for i, open := range a.browsers {
		if open == b {
			a.browsers = append(a.browsers[:i:i], a.browsers[i+1:]...)
			break
		}
	}
	a.mu.Unlock()
	_ = b.Close() // what it left behind the next launch removes
}

// start is Runner.Resume, or Runner.Run of a task.
type start func(*runner.Runner, context.Context) (trajectories.RunResult, error)

// play plays an episode in a session with these options: begin makes its runner, first starts it. Where the
// browser ends meanwhile the episode is resumed in another one, from its newest checkpoint. Where the
// connection to a remote browser is lost it is resumed on the page that is still there; without that page it
// ends as it was recorded: env_error.
func (k *keeper) play(ctx context.Context, o browser.SessionOptions, begin func(runner.Env) *runner.Runner,
	first start) (trajectories.RunResult, error) {
	play := first
	var result trajectories.RunResult
	for n := 1; ; n++ {
		s, err := k.session(ctx, o)
		if err != nil && n > 1 && k.flags.remote.on() {
			fmt.Fprintf(k.app.err, "cua-runner: the page is not found again: %v\n", tty.Safe(err.Error()))
			return result, nil
		}
		if err != nil {
			return trajectories.RunResult{}, infra(err)
		}
		r := begin(s)
		result, err = play(r, ctx)
		broken := err == nil && result.TerminationReason == cua.EndEnvError && ctx.Err() == nil
		again := broken && n < maxBrowsers && s.Lost()
		o.Continue = s.Left()
		s.Close()
		if !again {
			return result, err
		}
		says := "the browser ended; the run continues in another one"
		if k.flags.remote.on() {
			says = "the connection to the browser was lost; the run continues on its page"
		}
		fmt.Fprintln(k.app.err, "cua-runner: "+says)
		play = (*runner.Runner).Resume
	}
}

// launch starts the browser. It is closed when the command ends, also by a signal.
func (a *app) launch(ctx context.Context, f browserFlags, env func(string) string) (*browser.Browser, error) {
	path := f.path
	if path == "" {
		path = env("CUA_BROWSER")
	}
	if f.noSandbox {
		fmt.Fprintln(a.err, "cua-runner: warning: Chromium's sandbox is off")
	}
	if f.frameRate != "" && f.frameRate != frameRate60 && f.frameRate != frameRateUnlimited {
		return nil, usage("--frame-rate is 60 or unlimited, not %q", f.frameRate)
	}
	o := browser.Options{Path: path, Headed: f.headed, NoSandbox: f.noSandbox, Scale: f.scale,
		MaxMB: int(min(f.maxMB, 1<<30)), Unlimited: f.frameRate == frameRateUnlimited}
	if f.language != "" {
		o.Flags = []string{"lang=" + f.language}
	}
	b, err := a.started(ctx, f, o, env)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.browsers = append(a.browsers, b)
	return b, nil
}

// started is a browser of ours, or a remote one.
func (a *app) started(ctx context.Context, f browserFlags, o browser.Options,
	env func(string) string) (*browser.Browser, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if f.remote.on() {
		return a.attach(ctx, f, env)
	}
	b, err := browser.Launch(ctx, o)
	return b, infra(err)
}

// attach connects to the remote browser. Its address is found once: the command runs until the end.
func (a *app) attach(ctx context.Context, f browserFlags, env func(string) string) (*browser.Browser, error) {
	a.mu.Lock()
	at := a.endpoint
	a.mu.Unlock()
	first := at == nil
	if first {
		var err error
		if at, err = a.findEndpoint(ctx, f.remote, env(authorizationVar)); err != nil {
			return nil, err
		}
	}
	b, err := browser.Attach(ctx, at, f.scale)
	if err != nil && first { // nobody comes back to it
		at.Close()
	}
	if err != nil {
		return nil, infra(err)
	}
	if first {
		fmt.Fprintf(a.err, "cua-runner: remote browser at %s: unsupported: file upload, the egress "+
			"proxy, the memory cap\n", at)
		if b.Info().SharedContext {
			fmt.Fprintln(a.err,
				"cua-runner: it cannot create contexts: its only one is used, with what it holds")
		}
	}
	return b, nil
}

// findEndpoint is where the flags say that the browser is. From then on no secret part of the address is
// printed.
func (a *app) findEndpoint(ctx context.Context, f remoteFlags,
	authorization string) (*browser.Endpoint, error) {
	var at *browser.Endpoint
	var err error
	if f.url != "" {
		if at, err = browser.ParseEndpoint(f.url, authorization); err != nil {
			return nil, usage("--cdp-url: %w", err)
		}
	} else if at, err = browser.RunForEndpoint(ctx, f.command, authorization); err != nil {
		return nil, infra(fmt.Errorf("--cdp-command: %w", err))
	}
	secrets := map[string]string{}
	for i, s := range at.Secrets() {
		secrets[fmt.Sprintf("CDP_%d", i+1)] = s
	}
	if a.redact != nil {
		a.redact.Learn(secrets)
	}
	a.mu.Lock()
	a.endpoint = at
	a.mu.Unlock()
	return at, nil
}

// closeBrowsers ends every browser that is open and removes its profile.
func (a *app) closeBrowsers() error {
	a.closing.Lock() // who comes second finds the browsers gone, and not on their way
	defer a.closing.Unlock()
	a.mu.Lock()
	open := a.browsers
	a.browsers = nil
	at := a.endpoint
	a.mu.Unlock()
	if at != nil {
		defer at.Close()
	}
	var wg sync.WaitGroup
	errs := make([]error, len(open))
	for i, b := range open {
		wg.Go(func() { errs[i] = b.Close() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// sessionOptions hold pages to the hosts that the policy gate admits; the task's own list is added
// by the session. The values of secrets are typed by their names and recorded nowhere.
func sessionOptions(c runner.Config, fixtures string, secrets map[string]string) browser.SessionOptions {
	p := c.Recovery.Policy
	return browser.SessionOptions{Viewport: c.Viewport, Allow: p.Allow, Open: p.Open, Fixtures: fixtures,
		Secrets: secrets, NoState: !c.Checkpoints.State}
}

// browserInfo is what headers say of the browser.
func browserInfo(b *browser.Browser) trajectories.BrowserInfo {
	i := b.Info()
	return trajectories.BrowserInfo{Name: i.Name, Version: i.Version, Flags: i.Flags, Headed: i.Headed,
		Remote: i.Remote, SharedContext: i.SharedContext}
}
