package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/trajectories"
)

// output remembers that it could not be written, whoever ignores it.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// Fd is for package tty.
func (o *output) Fd() uintptr { return tty.Fd(o.Writer) }

// writeInto writes to what is there already and is no plain file: a pipe, a device, a link in /dev.
func writeInto(path string, make func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return infra(fmt.Errorf("writing %s: %w", path, err))
	}
	if err := errors.Join(make(f), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// write hands make the output: standard output, or a file that appears only when it is whole.
func (a *app) write(path string, make func(io.Writer) error) error {
	if path == "" {
		return make(a.out)
	}
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&os.ModeSymlink != 0 && filepath.Dir(filepath.Clean(path)) != "/dev" {
		return usage("--out: %s is a link, which is not followed: name the file itself", path)
	}
	if err == nil && !info.Mode().IsRegular() {
		return writeInto(path, make)
	}
	err = trajectories.WriteFile(path, trajectories.FileOptions{Mode: 0o600}, make)
	var disk *trajectories.DiskError
	if errors.As(err, &disk) {
		return infra(fmt.Errorf("writing %s: %w", path, disk.Err))
	}
	return err
}

// printJSON writes v as one indented document.
func printJSON(a *app, v any) error {
	enc := a.json()
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(redact.Value(a.redact, v))
}

// json encodes to standard output, without what a terminal would obey.
func (a *app) json() *json.Encoder { return json.NewEncoder(redact.VisibleJSONWriter(a.out)) }

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return trajectories.Grouped(n) + " " + one + "s"
}

// waitsFor says what is read, to a person whose terminal standard input is.
func (s *app) waitsFor(what string) {
	if tty.Is(s.in) {
		fmt.Fprintf(s.err, "cua-runner: waiting for %s on standard input (Ctrl-C ends it)\n", what)
	}
}

// cleaned is a stream without the values of secrets.
type cleaned struct {
	*redact.Writer
	to io.Writer
}

// Fd is for package tty.
func (c *cleaned) Fd() uintptr { return tty.Fd(c.to) }
