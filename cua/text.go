package cua

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLine bounds OneLine, characters.
const maxLine = 81

// OneLine is untrusted text as one line of at most 81 characters. Non-printable characters, such as control
// characters and direction marks, separate words.
func OneLine(text string) string {
	parts := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
	return Clip(strings.Join(strings.FieldsFunc(text, parts), " "), maxLine)
}

// Flat is text with one space for each run of white space, and none at the ends.
func Flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// Quoted is OneLine of untrusted text in double quotes, with quotes inside escaped; "" if nothing is left.
func Quoted(text string) string {
	if text = OneLine(text); text == "" {
		return ""
	}
	return strconv.Quote(text)
}

// Clip is s cut to at most n characters, n > 0. If it is cut, "…" is the last of them.
func Clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// ClipBytes is s if it has at most n bytes, else HeadBytes and "…".
func ClipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return HeadBytes(s, n) + "…"
}

// HeadBytes are at most the first n bytes of s, without a partial character. If s is cut, invalid UTF-8 is
// left out. A negative n is 0.
func HeadBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:max(n, 0)], "")
}
