package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/browser"
)

const (
	// remoteTries is how often a lost connection to a remote browser is tried again. With the pauses before
	// the second and the third try and 12 s for each of them that takes 54 s at most.
	remoteTries = 3
	// remotePause is the pause before the second of them; the next one is twice as long.
	remotePause = 6 * time.Second
	// authorizationVar is the environment variable with the header that opens a remote browser.
	authorizationVar = "CUA_CDP_AUTHORIZATION"
)

// remoteFlags say which running browser is driven; the zero value is none.
type remoteFlags struct {
	url, command string
	unprotected  bool
}

// addRemote is for commands that may drive a browser that runs already.
func (f *browserFlags) addRemote(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.remote.url, "cdp-url", "",
		"drive the running browser at this DevTools `address`: ws://…, wss://… or http://HOST:PORT. It needs "+
			"--unprotected-egress. The variable CUA_CDP_AUTHORIZATION is sent as the Authorization header; then "+
			"the full WebSocket address is needed")
	fl.StringVar(&f.remote.command, "cdp-command", "",
		"run this shell `command` and take the first line that it prints as --cdp-url; it is killed at the end")
	fl.BoolVar(&f.remote.unprotected, "unprotected-egress", false,
		"accept that no egress proxy stands between a remote browser and the network: --allow holds for "+
			"documents alone, and private addresses of the browser's network are in reach by name")
	completeNothing(cmd, "cdp-url", "cdp-command")
}

// completeNothing keeps the shell from offering files for a flag.
func completeNothing(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		complete(cmd, name, func() []string { return nil })
	}
}

// on says that a remote browser is asked for.
func (f remoteFlags) on() bool { return f.url != "" || f.command != "" }

// check says what does not go together.
func (f *browserFlags) check() error {
	switch r := f.remote; {
	case !r.on() && r.unprotected:
		return usage("--unprotected-egress is for a remote browser: want --cdp-url or --cdp-command too")
	case !r.on():
		return nil
	case r.url != "" && r.command != "":
		return usage("--cdp-url and --cdp-command name two browsers: want one of them")
	case !r.unprotected:
		return usage("a remote browser is not behind the egress proxy: want --unprotected-egress with %s, "+
			"found none (SECURITY.md says what is not protected then)", f.remote.flag())
	case f.path != "" || f.headed || f.noSandbox || f.frameRate != "" && f.frameRate != frameRate60:
		return usage("--browser, --headed, --no-sandbox and --frame-rate are for a browser that is started "+
			"here, not for that of %s", r.flag())
	}
	return nil
}

// checkHAR refuses --har: what a remote browser asks for passes no proxy that could note it.
func (f *browserFlags) checkHAR(h harFlag) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.remote.on() && h.path != "" {
		return usage("--har needs the egress proxy, which a remote browser is not behind: leave one of "+
			"--har and %s out", f.remote.flag())
	}
	return nil
}

func (f remoteFlags) flag() string {
	if f.url != "" {
		return "--cdp-url"
	}
	return "--cdp-command"
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
