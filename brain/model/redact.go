package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf16"
)

// leastSecret is how long a key must be, bytes, to be taken out of what a model says, too: what local servers
// are given in place of one (EMPTY, lm-studio) are words that an answer may hold. Every vendor's keys are
// longer. Out of errors each is taken.
const leastSecret = 16

// hidden stands where a key was.
const hidden = "[key]"

// Redact is text without the secrets, in clear and as JSON, addresses and HTML spell them. It comes before
// any clipping: half a key is not found any more. Those that are "" are not looked for.
func Redact(text string, secrets ...string) string {
	for _, s := range secrets {
		for _, spelled := range spellings(s) {
			text = strings.ReplaceAll(text, spelled, hidden)
		}
		if s != "" && strings.ContainsAny(text, `\%&`) {
			text = escaped(s).ReplaceAllLiteralString(text, hidden)
		}
	}
	return text
}

// escaped finds a secret of which a server wrote any of the characters as an escape: some write + as \u002B,
// and JSON within JSON has every backslash twice.
func escaped(s string) *regexp.Regexp {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, `(?:\\*%s`, regexp.QuoteMeta(string(r)))
		var units, bytes strings.Builder
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&units, `\\+u%04x`, u)
		}
		for _, c := range []byte(string(r)) {
			fmt.Fprintf(&bytes, `%%%02x`, c)
		}
		fmt.Fprintf(&b, `|(?i:%s|%s|&#0*%d;|&#x0*%x;)`, &units, &bytes, r, r)
		if entity := html.EscapeString(string(r)); entity != string(r) {
			b.WriteString("|" + entity)
		}
		if r == ' ' {
			b.WriteString(`|\+`)
		}
		b.WriteString(")")
	}
	return regexp.MustCompile(b.String())
}

// Reveals says whether text holds one of the secrets, in a spelling that Redact knows.
func Reveals(text string, secrets ...string) bool { return Redact(text, secrets...) != text }

// spellings are how a secret may stand in an answer.
func spellings(s string) []string {
	if s == "" {
		return nil
	}
	out := []string{s}
	var b bytes.Buffer
	plain := json.NewEncoder(&b)
	plain.SetEscapeHTML(false)
	plain.Encode(s) //nolint:errcheck // a string can be written
	safe, _ := json.Marshal(s)
	for _, quoted := range []string{strings.TrimSpace(b.String()), string(safe)} {
		inner := quoted[1 : len(quoted)-1]
		out = append(out, inner, strings.ReplaceAll(inner, "/", `\/`))
	}
	return append(out, url.QueryEscape(s), url.PathEscape(s))
}

// redacted is an answer without the key: an error without any, what a model says without one that is long
// enough to be one.
func redacted(body []byte, status int, secret string) []byte {
	if secret == "" || status < 300 && len(secret) < leastSecret {
		return body
	}
	return []byte(Redact(string(body), secret))
}
