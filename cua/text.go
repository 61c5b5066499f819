package cua

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLine bounds OneLine, characters.
const maxLine = 81

// OneLine is text that a page or a brain wrote, in one line of at most 81 characters: what does not print,
// such as control characters and marks of direction, separates words.
func OneLine(text string) string {
	parts := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
	return Clip(strings.Join(strings.FieldsFunc(text, parts), " "), maxLine)
}

// Clip is s in at most n characters, n > 0. Where s has more, "…" is the last of them.
func Clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// ClipBytes is s where it has at most n bytes, else HeadBytes and "…".
func ClipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return HeadBytes(s, n) + "…"
}

// HeadBytes are the first n bytes of s without a character that is cut. Bytes that are no UTF-8 are left out
// where s is cut. n below 0 is 0.
func HeadBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:max(n, 0)], "")
}
