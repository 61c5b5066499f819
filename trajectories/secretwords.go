package trajectories

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// MinSecret is the least length, bytes, at which a value is looked for: a shorter one is found in
// ordinary numbers.
const MinSecret = 4

var secretNamed = regexp.MustCompile(`<secret:([A-Za-z0-9_.-]+)>`)

// SecretNames are the names of the secrets that the task of t knows, sorted.
func SecretNames(t *Trajectory) []string {
	text := t.Header.Task.Goal
	for _, v := range t.Header.Task.Fields {
		text += "\n" + v.Value
	}
	var out []string
	for _, m := range secretNamed.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// WithoutSecretNames is text with each <secret:NAME> cut out.
func WithoutSecretNames(text string) string { return secretNamed.ReplaceAllString(text, "") }

// SecretSpelling is a form in which the value of a secret may be written, and how that is called.
type SecretSpelling struct{ Text, How string }

// SecretSpellings are the forms in which value is looked for: as it is, escaped, URL-encoded, as base64 and
// as a digest.
func SecretSpellings(value string) []SecretSpelling {
	out := []SecretSpelling{{value, "in clear"}}
	plain, _ := json.Marshal(value) // a string always can be
	out = append(out, SecretSpelling{string(plain[1 : len(plain)-1]), "escaped"})
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value)
	escaped := strings.TrimSpace(b.String())
	out = append(out, SecretSpelling{escaped[1 : len(escaped)-1], "escaped"},
		SecretSpelling{url.QueryEscape(value), "URL-encoded"}, SecretSpelling{url.PathEscape(value),
			"URL-encoded"}, SecretSpelling{cua.Digest(value), "as a digest, which can be guessed"})
	// In a longer text base64 begins at one of three places, and its first and last characters hold bits of
	// what stands beside the value.
	for skip := range 3 {
		padded := append(make([]byte, skip), value...)
		for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			core := e.EncodeToString(padded)[(8*skip+5)/6 : 8*len(padded)/6]
			if len(core) >= 6 {
				out = append(out, SecretSpelling{core, "as base64"})
			}
		}
	}
	return out
}

// Redact is text with <secret:NAME> in place of each value of secrets, in all forms of SecretSpellings. A
// value below MinSecret is left: it is found in ordinary numbers.
func Redact(text string, secrets map[string]string) string {
	names := slices.SortedFunc(maps.Keys(secrets), func(a, b string) int { // one value may hold another
		return cmp.Or(len(secrets[b])-len(secrets[a]), strings.Compare(a, b))
	})
	for _, name := range names {
		if len(secrets[name]) < MinSecret {
			continue
		}
		for _, s := range SecretSpellings(secrets[name]) {
			text = strings.ReplaceAll(text, s.Text, "<secret:"+name+">")
		}
	}
	return text
}

// HoldsSecret says by an error which of the secrets, by name, a text holds in any spelling: in clear,
// escaped, encoded. Values of fewer than four bytes are not looked for: they stand in ordinary words.
func HoldsSecret(text string, secrets map[string]string) error {
	folded := strings.ToLower(text)
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		value := secrets[name]
		if len(value) < MinSecret {
			continue
		}
		for _, s := range SecretSpellings(value) {
			if strings.Contains(text, s.Text) || strings.Contains(folded, strings.ToLower(s.Text)) {
				return fmt.Errorf("it holds the value of <secret:%s> %s; say <secret:%s> (secret_value)",
					name, s.How, name)
			}
		}
	}
	return nil
}
