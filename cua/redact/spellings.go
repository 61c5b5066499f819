package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// MinLength is the least length of a value, bytes, that is looked for: a shorter one is found in ordinary
// numbers and words.
const MinLength = 4

// minEncoded is the least length of an encoded spelling, bytes. Below it chance finds one in any text.
const minEncoded = 6

// Spelling is a form in which a value may be written.
type Spelling struct {
	// Text is the form; "" is one that is too short to be looked for.
	Text string
	// How names the form, to follow "the value".
	How string
}

// Spellings are the forms in which a value is looked for. It is the one list of them: whoever looks for
// secrets looks for these. The list grows at its end alone, since a form's place in it is part of the files
// that hold checkpoint state. A value below MinLength has no forms.
func Spellings(value string) []Spelling {
	if len(value) < MinLength {
		return nil
	}
	quoted, _ := json.Marshal(value) // a string always can be
	out := []Spelling{{value, "in clear"}, {string(quoted[1 : len(quoted)-1]), "escaped"},
		{url.QueryEscape(value), "URL-encoded"}, {url.PathEscape(value), "URL-encoded"}}
	for _, core := range base64Cores(value) {
		out = append(out, Spelling{core, "as base64"})
	}
	plain := hex.EncodeToString([]byte(value))
	out = append(out, Spelling{jsonText(value), "escaped"},
		Spelling{html.EscapeString(value), "HTML-escaped"},
		Spelling{plain, "as hex"}, Spelling{strings.ToUpper(plain), "as hex"},
		Spelling{reversed(value), "reversed"},
		Spelling{cua.Digest(value), "as a digest, which can be guessed"},
		Spelling{asScript.Replace(url.QueryEscape(value)), "URL-encoded"})
	shown := shownText(value)
	return append(out, Spelling{shown, "as a page shows it"}, Spelling{reversed(shown), "reversed"})
}

// shownText is value as a page shows it, with one space for each run of white space and none at the ends; ""
// where that changes nothing or is too short.
func shownText(value string) string {
	shown := cua.Flat(value)
	if shown == value || len(shown) < MinLength {
		return ""
	}
	return shown
}

// asScript turns what Go escapes for a query into what JavaScript escapes (encodeURIComponent).
var asScript = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// base64Cores are the characters that value alone decides in base64, for each of the three places at which it
// can begin in a longer text, in both alphabets.
func base64Cores(value string) []string {
	var out []string
	for skip := range 3 {
		padded := append(make([]byte, skip), value...)
		for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			core := e.EncodeToString(padded)[(8*skip+5)/6 : 8*len(padded)/6]
			if len(core) < minEncoded {
				core = ""
			}
			out = append(out, core)
		}
	}
	return out
}

// jsonText is value as JSON has it, without escapes for web pages.
func jsonText(value string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value) // a string always can be
	text := strings.TrimSpace(b.String())
	return text[1 : len(text)-1]
}

// reversed is value backwards, "" where it reads the same or is too short for that.
func reversed(value string) string {
	if len(value) < minEncoded {
		return ""
	}
	r := []rune(value)
	slices.Reverse(r)
	return string(r)
}
