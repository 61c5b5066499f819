package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// browserFlags say which browser is driven and how.
type browserFlags struct {
	path      string
	headed    bool
	noSandbox bool
	// language is that of pages; "" is the browser's own. scale is that of frames; 0 is 1.
	language string
	scale    float64
}

func (f *browserFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.path, "browser", "",
		"Chromium `executable` (default: CUA_BROWSER, then the usual names; the headless shell first)")
	fl.BoolVar(&f.headed, "headed", false, "open a window")
	fl.BoolVar(&f.noSandbox, "no-sandbox", false, "switch Chromium's sandbox off (recorded in every header)")
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
	o := browser.Options{Path: path, Headed: f.headed, NoSandbox: f.noSandbox, Scale: f.scale}
	if f.language != "" {
		o.Flags = []string{"lang=" + f.language}
	}
	b, err := browser.Launch(ctx, o)
	if err != nil {
		return nil, infra(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.browsers = append(a.browsers, b)
	return b, nil
}

// closeBrowsers ends every browser that is open and removes its profile.
func (a *app) closeBrowsers() error {
	a.closing.Lock() // who comes second finds the browsers gone, and not on their way
	defer a.closing.Unlock()
	a.mu.Lock()
	open := a.browsers
	a.browsers = nil
	a.mu.Unlock()
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
	return trajectories.BrowserInfo{Name: i.Name, Version: i.Version, Flags: i.Flags, Headed: i.Headed}
}
