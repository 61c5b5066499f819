package redact

import (
	"strings"
	"testing"
)

// BenchmarkText is what a page's text of 100 KB takes: with two ordinary secrets, and with eight that begin
// with what the page is full of.
func BenchmarkText(b *testing.B) {
	ordinary := New(map[string]string{"X": "hunter2-and-more", "Y": "alice@shop.test"})
	for _, row := range []struct{ name, begins, text string }{
		{"prose", "", strings.Repeat("the quick brown fox jumps over the lazy dog, and so on; ", 1800)},
		{"addresses", "", strings.Repeat("http://shop.test/a?b=%20c&d=%2Fe\\n ", 2800)},
		{"backslashes", "", strings.Repeat(`\`, 100_000)},
		{"backslashes in secrets", `\`, strings.Repeat(`\`, 100_000)},
		{"escaped backslashes in secrets", `\`, strings.Repeat("%5C", 33_000)},
		{"percent signs in secrets", "%", strings.Repeat("%25", 33_000)},
		{"ampersands in secrets", "&", "&" + strings.Repeat("amp;", 25_000)},
	} {
		set := ordinary
		if row.begins != "" {
			secrets := map[string]string{}
			for n := range 8 {
				name := string(rune('A' + n))
				secrets[name] = strings.Repeat(row.begins, 8+n) + name + "bcd"
			}
			set = New(secrets)
		}
		b.Run(row.name, func(b *testing.B) {
			b.SetBytes(int64(len(row.text)))
			for b.Loop() {
				set.Text(row.text)
			}
		})
	}
}

// A value in clear never survives, and a writer passes on the same text byte by byte.
func FuzzText(f *testing.F) {
	f.Add("hunter2", `x hunter2 \u0068unter2 %68unter2 &#104;unter2 aHVudGVyMg==`)
	f.Add(planted, quoted(planted))
	f.Add(strings.Repeat(`\`, 40), strings.Repeat(`\`, 400))
	f.Add("%%%%%%%%x", strings.Repeat("%25", 100))
	f.Add("&&&&&&&&x", "&"+strings.Repeat("amp;", 100))
	f.Add(`\\\\`, `\\\\\\\\\\\\`)
	f.Add("\xff\xff\xff\x7f", "\xff\xff\xff\x7f")
	f.Add("\xe2\x82key", "the \xe2\x82key")
	f.Fuzz(func(t *testing.T, value, text string) {
		set := New(map[string]string{"X": value})
		got := set.Text(text)
		if len(value) >= MinLength && strings.Contains(text, value) && !strings.Contains(got, "<secret:X>") {
			t.Errorf("%q survives in %q: %q", value, text, got)
		}
		var out strings.Builder
		w := NewWriter(&out, set)
		for i := range len(text) {
			w.Write([]byte(text[i : i+1])) //nolint:errcheck // a builder takes all
		}
		w.Flush() //nolint:errcheck // a builder takes all
		if out.String() != got {
			t.Errorf("%q by bytes: %q, want %q", text, out.String(), got)
		}
		if seen := Visible(text); strings.ContainsAny(seen, "\x1b\u009b\u202e") {
			t.Errorf("%q", seen)
		}
	})
}
