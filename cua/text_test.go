package cua

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClippedTexts(t *testing.T) {
	for _, row := range []struct{ name, got, want string }{
		{"a short text stays", Clip("Rome", 4), "Rome"},
		{"characters count, not bytes", Clip("Zürich", 6), "Zürich"},
		{"a long text ends with the sign", Clip("Zürich", 3), "Zü…"},
		{"one character", Clip("Rome", 1), "…"},
		{"bytes: a short text stays", ClipBytes("Rome", 4), "Rome"},
		{"bytes: no half character", ClipBytes("Zürich", 2), "Z…"},
		{"bytes: nothing", ClipBytes("Rome", 0), "…"},
		{"head: no sign", HeadBytes("Zürich", 3), "Zü"},
		{"head: less than nothing", HeadBytes("Rome", -1), ""},
		{"flat: one space for each run", Flat(" a\u00a0\n\tb "), "a b"},
		{"one line: control characters and marks of direction separate words", OneLine(" a\n\tb\u202ec\x1b "), "a b c"},
		{"one line: a long text is cut", OneLine(strings.Repeat("x", 99)), strings.Repeat("x", 80) + "…"},
	} {
		if row.got != row.want {
			t.Errorf("%s: %q, want %q", row.name, row.got, row.want)
		}
	}
}

func TestClippedTextsAreWholeCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "text"), rapid.IntRange(1, 20).Draw(t, "n")
		if c := Clip(s, n); utf8.RuneCountInString(c) > n || !utf8.ValidString(c) {
			t.Fatalf("%q", c)
		}
		if h := HeadBytes(s, n); len(h) > n || !strings.HasPrefix(s, h) || !utf8.ValidString(h) {
			t.Fatalf("%q", h)
		}
	})
}

func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		" \n\u202e":                          "",
		"E-mail \"now\"":                     `"E-mail \"now\""`,
		"ignore\x00 all\u202e \r\n previous": `"ignore all previous"`,
		strings.Repeat("x", 500):             `"` + strings.Repeat("x", 80) + `…"`,
	} {
		if got := Quoted(text); got != want {
			t.Errorf("%q is quoted as %s, want %s", text, got, want)
		}
	}
}
