package model

import (
	"encoding/json"
	"net/url"
	"testing"
)

func TestRedact(t *testing.T) {
	const key = `pk/planted+<0123>"&=ü`
	quoted, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "no key is here", "no key is here"},
		{"in clear", "no " + key + ".", "no [key]."},
		{"twice", key + key, "[key][key]"},
		{"as JSON", "no " + string(quoted), `no "[key]"`},
		{"as JSON without escapes of web pages", "no " + JSON(key), `no "[key]"`},
		{"as JSON of others", `"pk\/planted+<0123>\"&=ü"`, `"[key]"`},
		{"in an address", "?q=" + url.QueryEscape(key), "?q=[key]"},
		{"each character escaped", `"no ` + "\\u0070\\u006B\\u002Fplanted\\u002B\\u003c0123\\u003E\\u0022\\u0026=\\u00FC" + `."`, `"no [key]."`},
		{"as JSON within JSON", `pk\\\/planted+<0123>\\\"&=\\u00fc`, "[key]"},
		{"in HTML", "pk/planted+&lt;0123&gt;&#34;&amp;=&#xFC;", "[key]"},
		{"some of an address", "pk/planted%2B<0123>%22&=%C3%BC", "[key]"},
		{"another with escapes", `pk\u002Fplanted+<9999>`, `pk\u002Fplanted+<9999>`},
		{"in a path", "/" + url.PathEscape(key), "/[key]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := Redact(row.text, "", key); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
			if Reveals(row.text, key) != (row.text != row.want) {
				t.Error("it is not seen")
			}
		})
	}
}

// TestWhatIsTakenOutOfAnswers: a key out of all of them, and what servers are given in place of one out of
// errors alone.
func TestWhatIsTakenOutOfAnswers(t *testing.T) {
	for _, row := range []struct {
		name, key string
		status    int
		want      string
	}{
		{"a key in an answer", "sk-planted-0123456789", 200, "type [key]"},
		{"a key in an error", "sk-planted-0123456789", 401, "type [key]"},
		{"a word in an answer", "ollama", 200, "type ollama"},
		{"a word in an error", "ollama", 401, "type [key]"},
		{"no key", "", 401, "type "},
	} {
		if got := string(redacted([]byte("type "+row.key), row.status, row.key)); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}
