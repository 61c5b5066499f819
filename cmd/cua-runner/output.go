package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/term"

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

// oneLine makes text safe for a terminal: no control characters, one line.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		// Cf turns the direction of writing
		case r < ' ' || r >= 0x7f && r < 0xa0 || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.TrimSpace(text))
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return trajectories.Grouped(n) + " " + one + "s"
}

// terminal reports whether w is one.
func terminal(w any) bool {
	f, ok := behind(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// waitsFor says what is read, to a person whose terminal standard input is.
func (s *app) waitsFor(what string) {
	if terminal(s.in) {
		fmt.Fprintf(s.err, "cua-runner: waiting for %s on standard input (Ctrl-C ends it)\n", what)
	}
}

// width is that of the terminal w in columns; 0 where w is none, and then nothing is cut.
func width(w any) int {
	f, ok := behind(w).(*os.File)
	if !ok {
		return 0
	}
	cols, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return cols
}

// cleaned is a stream without the values of secrets.
type cleaned struct {
	*redact.Writer
	behind io.Writer
}

// behind is the stream that w writes to in the end.
func behind(w any) any {
	switch w := w.(type) {
	case *output:
		return behind(w.Writer)
	case *cleaned:
		return behind(w.behind)
	}
	return w
}
