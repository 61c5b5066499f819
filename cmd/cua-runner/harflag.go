package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/egress"
	"github.com/cua-runner/cua-runner/trajectories"
)

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
