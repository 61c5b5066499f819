// Package tty is the terminal of a command: what may be written to it, and the person who sits at it.
package tty

import (
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// OneLine makes text safe for a terminal: one line, no control characters, and no blanks around it.
func OneLine(text string) string {
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

// wrapper is a stream that writes to another one.
type wrapper interface{ Behind() io.Writer }

// behind is the stream that w writes to in the end.
func behind(w any) any {
	for {
		next, ok := w.(wrapper)
		if !ok {
			return w
		}
		w = next.Behind()
	}
}

// Is reports whether w is a terminal, or a stream with a method Behind that writes to one in the end.
func Is(w any) bool {
	f, ok := behind(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Width is that of the terminal w in columns, where Is finds one; 0 is no terminal, and then nothing is to be
// cut.
func Width(w any) int {
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
