package tty

import (
	"os"
	"strings"
	"testing"
)

// What a page or a brain says cannot obey the terminal, begin a line or turn the direction of writing.
func TestSafe(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"blanks around it", "  a b ", "a b"},
		{"blanks that an escape hides", "\x01 a \x01", "a"},
		{"a colour", "a\x1b[31mb", "a[31mb"},
		{"the clipboard by OSC 52", "a\x1b]52;c;aGk=\ab", "a]52;c;aGk=b"},
		{"C1", "a\u009b31mb\u0085c", "a31mbc"},
		{"DEL", "a\x7fb", "ab"},
		{"marks of direction", "a\u202eb\u2066c\u200fd\u2069", "abcd"},
		{"marks that cannot be seen", "a\u200bb\ufeffc\u00add", "abcd"},
		{"newlines and tabs", "a\nb\tc\r\nd\n", "a b c d"},
		{"back to the begin of the line", "a\rb\bc", "abc"},
		{"bytes that are no text", "a\x9bb", "a\ufffdb"},
		{"letters of another script", "Größe 大 \u05d0", "Größe 大 \u05d0"},
	} {
		if got := Safe(row.text); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

// through is a stream that writes to f.
type through struct{ f *os.File }

func (s through) Fd() uintptr { return Fd(s.f) }

// Neither a pipe, nor a stream that writes to it, nor one without a file is a terminal.
func TestStreamsThatAreNoTerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for name, row := range map[string]struct {
		stream any
		fd     uintptr
	}{"a pipe": {w, w.Fd()}, "through": {through{w}, w.Fd()}, "no file": {&strings.Builder{}, ^uintptr(0)},
		"nothing": {nil, ^uintptr(0)}} {
		if got := Fd(row.stream); got != row.fd || Is(row.stream) || Width(row.stream) != 0 {
			t.Errorf("%s: %d, terminal %v of width %d", name, got, Is(row.stream), Width(row.stream))
		}
	}
}
