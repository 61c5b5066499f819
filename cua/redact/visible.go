package redact

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible is text for a terminal, a page or a spreadsheet: control characters (ESC and the C1 range too),
// those that turn the direction of writing or cannot be seen, and bytes that are no text are written as
// escapes.
// Newlines and tabs stay.
func Visible(text string) string {
	if strings.IndexFunc(text, unseen) < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == utf8.RuneError || !unseen(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += size
	}
	return b.String()
}

// PlainLine is text on one line, for a terminal or a cell of a table: newlines and tabs are blanks, and other
// control characters and those that turn the direction of writing or cannot be seen are left out.
func PlainLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, text)
}

// VisibleJSON is JSON text, which says the same, with what Visible escapes as escapes of JSON: encoders of
// JSON leave the C1 range and the changes of the direction of writing as they are.
func VisibleJSON(text string) string {
	first := 0
	for first < len(text) && text[first] < 0x7f && text[first] >= ' ' { // most of it: this is quick
		first++
	}
	if strings.IndexFunc(text[first:], hidden) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if !hidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, half := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, half)
		}
	}
	return b.String()
}

// hidden is unseen of what stands in JSON text: a byte that is no text is a replacement character there.
func hidden(r rune) bool { return r != utf8.RuneError && unseen(r) }

// joiner makes one picture of several, as in the sign of a family; it turns nothing.
const joiner = '\u200d'

func unseen(r rune) bool {
	switch {
	case r == '\n', r == '\t', r == joiner:
		return false
	case r == utf8.RuneError, r == '\u2028', r == '\u2029':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}
