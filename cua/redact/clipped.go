package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// clipMark is what ends a text that was clipped.
	clipMark = "…"
	// leastClip is the least number of bytes to which a text without clipMark may have been clipped: shorter
	// ones end in whole words.
	leastClip = 40
)

// clipped puts marks in place of spellings that are cut: what is before a clipMark, or at the end of a long
// text, and is the first half of a spelling or more.
func (f *finder) clipped(text string) string {
	if len(text) < leastClip && !strings.Contains(text, clipMark) {
		return text
	}
	parts := strings.Split(text, clipMark)
	for i, part := range parts {
		if i < len(parts)-1 || len(text) >= leastClip {
			parts[i] = f.cut(part)
		}
	}
	return strings.Join(parts, clipMark)
}

// cut is text with a mark in place of the beginning of a spelling at its end.
func (f *finder) cut(text string) string {
	for _, w := range f.words {
		for n := len(w.runes) - 1; n >= max(MinLength, (len(w.runes)+1)/2); n-- {
			if at, ok := endsWith(text, w.runes[:n]); ok {
				return text[:at] + w.mark
			}
		}
	}
	return text
}

// endsWith reports whether text ends with want in any case, and where that begins.
func endsWith(text string, want []rune) (at int, ok bool) {
	at = len(text)
	for i := len(want) - 1; i >= 0; i-- {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		if size == 0 || unicode.ToLower(r) != want[i] {
			return 0, false
		}
		at -= size
	}
	return at, true
}
