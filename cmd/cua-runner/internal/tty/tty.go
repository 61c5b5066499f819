// Package tty is the terminal of a command: what may be written to it, and the person who sits at it.
package tty

import (
	"strings"

	"golang.org/x/term"

	"github.com/cua-runner/cua-runner/cua/redact"
)

// Safe is redact.PlainLine for a terminal, with no blanks around it.
func Safe(text string) string { return strings.TrimSpace(redact.PlainLine(text)) }

// Fd is the file descriptor of a stream that has one, ^uintptr(0) of another. A stream that writes to another
// one has the method Fd with what Fd says of that.
func Fd(stream any) uintptr {
	if f, ok := stream.(interface{ Fd() uintptr }); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

// Is reports whether a stream is a terminal, or writes to one in the end.
func Is(stream any) bool { return term.IsTerminal(int(Fd(stream))) }

// Width is that of the terminal in columns, where Is finds one; 0 is no terminal, and then nothing is to be
// cut.
func Width(stream any) int {
	cols, _, err := term.GetSize(int(Fd(stream)))
	if err != nil {
		return 0
	}
	return cols
}
