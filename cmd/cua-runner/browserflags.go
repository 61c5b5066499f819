package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/egress"
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
	// maxMB is the cap on a browser's memory, MiB; 0 is none.
	maxMB uint
	auth  []string // see addAuth
	// frameRate is frameRate60, which is also what "" means, or frameRateUnlimited.
	frameRate string
	remote    remoteFlags
}

// Values of --frame-rate.
const (
	frameRate60        = "60"
	frameRateUnlimited = "unlimited"
)

// add is for commands that may drive a remote browser, addOwn for those that start one.
func (f *browserFlags) add(cmd *cobra.Command) {
	f.addOwn(cmd)
	f.addRemote(cmd)
}

func (f *browserFlags) addOwn(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.path, "browser", "",
		"Chromium `executable` (default: CUA_BROWSER, then the usual names; the headless shell first)")
	fl.UintVar(&f.maxMB, "max-browser-mb", maxBrowserMB,
		"memory that the browser may hold, `MiB`; over it the page that holds the most is ended, and its episode "+
			"ends as site_fault (0: no cap)")
	fl.BoolVar(&f.headed, "headed", false, "open a window")
	fl.StringVar(&f.frameRate, "frame-rate", frameRate60,
		"frames a second: `60` or unlimited; without a limit steps take less time, and a page with an endless "+
			"animation takes more than one core")
	fl.BoolVar(&f.noSandbox, "no-sandbox", false, "switch Chromium's sandbox off (recorded in every header)")
}

// maxBrowserMB is the cap on the memory of a browser, MiB, where none is asked for: several times what a page
// needs. Each further worker of a study adds episodeMB to it.
const maxBrowserMB = 4096

// authorizationVar is the environment variable with the header that opens a remote browser.
const authorizationVar = "CUA_CDP_AUTHORIZATION"

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

// addAuth is for commands that are given secrets.
func (f *browserFlags) addAuth(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.auth, "http-auth", nil,
		"answer HTTP authentication with the secret of this `NAME` (repeatable): its value is user:password, and "+
			"it is sent to its own origin alone (--secret NAME=env:VARIABLE@ORIGIN --http-auth NAME)")
}

// credentials are the names of --http-auth. Each is that of a secret that is bound to an origin.
func (f *browserFlags) credentials(secrets, origins map[string]string) ([]string, error) {
	for _, name := range f.auth {
		switch value, known := secrets[name]; {
		case !known:
			return nil, usage("--http-auth: there is no --secret of that name: %q", name)
		case origins[name] == "":
			return nil, usage("--http-auth: the secret %s has no origin: want NAME=env:VARIABLE@ORIGIN", name)
		case !strings.Contains(value, ":"):
			return nil, usage("--http-auth: the value of %s is not user:password", name)
		}
	}
	return f.auth, nil
}

// harFlag is the file of --har, and what is written there; the zero value is none.
type harFlag struct {
	path     string
	requests *egress.Recorder
}

func (f *harFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.path, "har", "",
		"write the requests of this command to `file` as HTTP Archive 1.2, also when it is interrupted. What "+
			"is inside TLS is not read: a connection by https is one CONNECT entry with host, bytes and "+
			"times. Bodies are not kept, and values of secrets, cookies and Authorization are redacted")
}

// begin checks that the file can be written, and has the requests of a session with the options o kept. A
// file that is there is replaced, but only a regular one.
func (f *harFlag) begin(o *browser.SessionOptions) error {
	if f.path == "" {
		return nil
	}
	if info, err := os.Lstat(f.path); err == nil && !info.Mode().IsRegular() {
		return usage("--har: %s is not a regular file", f.path)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return usage("--har: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil { // it may be the run's own folder
		return usage("--har: %w", err)
	}
	probe, err := os.CreateTemp(filepath.Dir(f.path), ".har-*")
	if err != nil {
		return usage("--har: %w", err)
	}
	if err := cmp.Or(probe.Close(), os.Remove(probe.Name())); err != nil {
		return usage("--har: %w", err)
	}
	f.requests = new(egress.Recorder)
	o.Record = f.requests
	return nil
}

// end writes the file of a command that ended with ended: that it cannot be written is an error of its own.
func (f *harFlag) end(secrets *redact.Set, ended error) error {
	if err := f.write(secrets); err != nil {
		return infra(err)
	}
	return ended
}

// write writes the file without the values of secrets.
func (f *harFlag) write(secrets *redact.Set) error {
	if f.requests == nil {
		return nil
	}
	har := redact.Value(secrets,
		f.requests.HAR(egress.HARCreator{Name: "cua-runner", Version: build().Version}))
	return trajectories.WriteFile(f.path, trajectories.FileOptions{Mode: 0o600, Sync: true},
		func(w io.Writer) error {
			enc := json.NewEncoder(redact.VisibleJSONWriter(w))
			enc.SetIndent("", " ")
			enc.SetEscapeHTML(false)
			return enc.Encode(har)
		})
}
