package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

const planted = `pk/planted+<0123>"&=ü`

func quoted(s string) string { b, _ := json.Marshal(s); return string(b) }

// Each spelling is found wherever it stands, also where it is escaped once more.
func TestText(t *testing.T) {
	set := New(map[string]string{"KEY": planted, "CARD": "4111 1111 1111 1111", "PIN": "123",
		"FACE": "😀face", "PATH": `c:\dir`})
	inner := strings.Trim(quoted(planted), `"`)
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "no key is here", "no key is here"},
		{"in clear", "no " + planted + ".", "no <secret:KEY>."},
		{"twice", planted + planted, "<secret:KEY><secret:KEY>"},
		{"in letters of another case", strings.ToUpper(planted), "<secret:KEY>"},
		{"as JSON", "no " + quoted(planted), `no "<secret:KEY>"`},
		{"as JSON without escapes of web pages", jsonText(planted), "<secret:KEY>"},
		{"as JSON of others", `"pk\/planted+<0123>\"&=ü"`, `"<secret:KEY>"`},
		{"as JSON within JSON", `pk\\\/planted+<0123>\\\"&=\\u00fc`, "<secret:KEY>"},
		{"as JSON within JSON within JSON", quoted(quoted(inner)), `"\"<secret:KEY>\""`},
		{"each character escaped", `"no ` + "\\u0070\\u006B\\u002Fplanted\\u002B\\u003c0123\\u003E\\u0022\\u0026=\\u00FC" + `."`, `"no <secret:KEY>."`},
		{"as JavaScript", `pk\x2fplanted\x2b<0123>"&=\xfc`, "<secret:KEY>"},
		{"in an address", "?q=" + url.QueryEscape(planted) + "&x", "?q=<secret:KEY>&x"},
		{"in an address in lower case", "?q=" + strings.ToLower(url.QueryEscape(planted)), "?q=<secret:KEY>"},
		{"in an address in an address", url.QueryEscape("?q=" + url.QueryEscape(planted)), "%3Fq%3D<secret:KEY>"},
		{"in a path", "/" + url.PathEscape(planted), "/<secret:KEY>"},
		{"some of an address", "pk/planted%2B<0123>%22&=%C3%BC", "<secret:KEY>"},
		{"in HTML", html.EscapeString(planted), "<secret:KEY>"},
		{"in HTML with other entities", "pk/planted+&lt;0123&gt;&#034;&amp;=&#xFC;", "<secret:KEY>"},
		{"in HTML in HTML", html.EscapeString(html.EscapeString(planted)), "<secret:KEY>"},
		{"in HTML without semicolons", "pk/planted+&lt0123&gt&#34&amp=&#xfc.", "<secret:KEY>."},
		{"in HTML with many zeros", "pk/planted+&#x000000003c;0123>&#0000000034;&=ü", "<secret:KEY>"},
		{"with octal escapes", `pk\57planted\53\0740123\76\42\046=\303\274`, "<secret:KEY>"},
		{"with octal escapes of a character", `pk\057planted\053<0123>\042&=\374`, "<secret:KEY>"},
		{"with bytes escaped", `pk/planted+<0123>"&=\xc3\xbc`, "<secret:KEY>"},
		{"with escapes in braces", `\u{70}k\u{2F}planted\u{00002b}<0123>\u{22}&=\u{fc}`, "<secret:KEY>"},
		{"both halves escaped", `a \ud83d\uDE00face, a \\ud83d\ude00face`, "a <secret:FACE>, a <secret:FACE>"},
		{"both halves escaped in an address", "%5Cud83d%5Cude00face", "<secret:FACE>"},
		{"HTML in an address", url.QueryEscape(html.EscapeString(planted)), "<secret:KEY>"},
		{"an address in HTML", "pk&#37;2Fplanted&#37;2B&#x25;3C0123>&#37;22&#37;26=&#37;C3&#37;BC",
			"<secret:KEY>"},
		{"an address in JSON", `pk\u00252Fplanted\u00252B<0123>\u002522&=\u0025C3\u0025BC`, "<secret:KEY>"},
		{"HTML in JSON", `pk/planted+\u0026lt;0123\u0026gt;\u0026#34;\u0026amp;=\u0026#252;`, "<secret:KEY>"},
		{"JSON in HTML", `pk&#92;u002fplanted&#x5c;x2b<0123>&#92;&quot;&amp;=ü`, "<secret:KEY>"},
		{"JSON in an address", `pk%5Cu002fplanted%5C%2B<0123>%5C%22&=%255Cxfc`, "<secret:KEY>"},
		{"nine backslashes for one", `c:` + strings.Repeat(`\`, 9) + `dir`, "<secret:PATH>"},
		{"as base64", base64.StdEncoding.EncodeToString([]byte(planted)), ""},
		{"as base64 in a longer text", base64.URLEncoding.EncodeToString([]byte("ab" + planted + "cd")), ""},
		{"as base64 in an address", url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(planted))), ""},
		{"as hex", hex.EncodeToString([]byte(planted)), "<secret:KEY>"},
		{"as hex in capitals", strings.ToUpper(hex.EncodeToString([]byte(planted))), "<secret:KEY>"},
		{"reversed", "no " + reversed(planted), "no <secret:KEY>"},
		{"with plus signs for spaces", "4111+1111+1111+1111", "<secret:CARD>"},
		{"a value too short to be looked for", "123", "123"},
		{"a mark", "type <secret:KEY>", "type <secret:KEY>"},
		{"another with escapes", `pk\u002Fplanted+<9999>`, `pk\u002Fplanted+<9999>`},
		{"the beginning", planted[:len(planted)-4], planted[:len(planted)-4]},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := set.Text(row.text)
			if row.want != "" && got != row.want || row.want == "" && !strings.Contains(got, "<secret:KEY>") {
				t.Errorf("got %q, want %q", got, row.want)
			}
			if set.Holds(row.text) != (got != row.text) || set.Holds(got) {
				t.Errorf("whether it holds one is another matter: %q", got)
			}
		})
	}
}

// What contains another goes first, and what is learned later counts from then on.
func TestSets(t *testing.T) {
	set := New(map[string]string{"SHORT": "tiger", "LONG": "tiger-lily"})
	if got := set.Text("tiger tiger-lily TIGER"); got != "<secret:SHORT> <secret:LONG> <secret:SHORT>" {
		t.Error(got)
	}
	const text = "the password is hunter2"
	if got := set.Text(text); got != text {
		t.Error(got)
	}
	set.Learn(map[string]string{"PASSWORD": "hunter2"})
	if got := set.Text(text); got != "the password is <secret:PASSWORD>" {
		t.Error(got)
	}
	set.Learn(map[string]string{"PASSWORD": "secret"})
	if got := set.Text("<secret:PASSWORD> is secret"); got != "<secret:PASSWORD> is <secret:PASSWORD>" {
		t.Error(got)
	}
	if got := set.Text("secret, before it hunter2"); got != "<secret:PASSWORD>, before it <secret:PASSWORD>" {
		t.Errorf("the value before is found no more: %q", got)
	}
	set.Learn(map[string]string{"PASSWORD": "hunter2"}) // again
	if got := set.Text("secret or hunter2"); got != "<secret:PASSWORD> or <secret:PASSWORD>" {
		t.Error(got)
	}
	if got := Keys("[key]", "", "abc", "abcd-efgh").Text("abc abcd-efgh"); got != "abc [key]" {
		t.Error(got)
	}
	var none *Set
	if none.Text(text) != text || none.Holds(text) || New(nil).Text(text) != text ||
		Value(none, text) != text {
		t.Error("a set without values changes a text")
	}
	none.Learn(map[string]string{"A": "hunter2"})
}

// Whatever the value, none of its spellings survives, wherever it stands.
func TestNoSpellingSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[a-zA-Z0-9 \\"'&<>%+/=.ü€😀-]{4,40}`).Draw(t, "value")
		set := New(map[string]string{"X": value})
		before := rapid.StringMatching(`[a-z .]{0,9}`).Draw(t, "before")
		after := rapid.StringMatching(`[a-z .]{0,9}`).Draw(t, "after")
		for _, s := range Spellings(value) {
			if s.Text == "" {
				continue
			}
			got := set.Text(before + s.Text + after)
			if !strings.Contains(got, "<secret:X>") {
				t.Fatalf("%q %s: %q", value, s.How, got)
			}
			again := []string{quoted(s.Text), url.QueryEscape(s.Text), html.EscapeString(s.Text)}
			for _, again := range again {
				if got := set.Text(before + again + after); !strings.Contains(got, "<secret:X>") {
					t.Fatalf("%q %s, escaped once more: %q", value, s.How, got)
				}
			}
		}
		whole := base64.StdEncoding.EncodeToString([]byte(before + value + after))
		if got := set.Text(whole); len(value) >= 8 && got == whole {
			t.Fatalf("%q in a longer base64: %q", value, got)
		}
	})
}

// Of a spelling that a clip cut, wherever it did so, fewer than MinLength characters are left.
func TestWhatAClipCut(t *testing.T) {
	set := New(map[string]string{"KEY": planted, "WORD": "tiger"})
	for _, s := range Spellings(planted) {
		for _, again := range []string{s.Text, strings.ToUpper(s.Text), strings.Trim(quoted(s.Text), `"`),
			url.QueryEscape(s.Text), html.EscapeString(s.Text)} {
			for n := 1; n <= len(again); n++ {
				cut := cua.ClipBytes(again+"0", n)
				got, _, _ := strings.Cut(set.Text("no "+cut+" more…"), "…")
				full, _ := strings.CutSuffix(cut, "…")
				missed := n >= 40 && !strings.Contains(got, "<secret:KEY>")
				if missed || strings.Contains(got, full) && read(full) >= MinLength {
					t.Errorf("%s, cut to %d of %q: %q", s.How, n, again, got)
				}
			}
		}
	}
	for _, row := range []struct{ name, text, want string }{
		{"at the end", "a tige…", "a <secret:WORD>…"},
		{"several", "tige…, TIGE… and tige\u2026", "<secret:WORD>…, <secret:WORD>… and <secret:WORD>\u2026"},
		{"within a percent sign", "pk/planted%2…", "<secret:KEY>…"},
		{"within an entity", "pk/planted+&l…", "<secret:KEY>…"},
		{"within an entity of a rare name", "pk/planted&plu…", "<secret:KEY>…"},
		{"within an escape", `pk/planted\u00…`, "<secret:KEY>…"},
		{"behind a backslash", `pk/planted\…`, "<secret:KEY>…"},
		{"a sign in JSON", `pk/planted\u2026, \\u2026`, `<secret:KEY>\u2026, \\u2026`},
		{"a sign in an address", "q=tige%E2%80%A6&x", "q=<secret:WORD>%E2%80%A6&x"},
		{"a sign in HTML", "tige&hellip; tige&#8230;", "<secret:WORD>&hellip; <secret:WORD>&#8230;"},
		{"fewer characters", "a tig…, pk/…", "a tig…, pk/…"},
		{"a word that goes on otherwise", "tiges…, pk/plans%2…", "tiges…, pk/plans%2…"},
		{"no sign of a clip", "a tige", "a tige"},
		{"something between", "a tige …, tige.…, pk/p&x …", "a tige …, tige.…, pk/p&x …"},
		{"a mark that was cut", "<secret:WO…", "<secret:WO…"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := set.Text(row.text)
			if got != row.want || set.Text(got) != got {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

// read is how many characters text is to a reader that knows no escape but those of one letter.
func read(text string) int {
	for _, escape := range []string{`\`, "%", "&"} {
		text, _, _ = strings.Cut(text, escape)
	}
	return len([]rune(text))
}

// A writer finds what is split over writes, and passes on the same text however it is split.
func TestWriter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[a-zA-Z0-9 \\"&%ü]{4,20}`).Draw(t, "value")
		set := New(map[string]string{"X": value})
		var text string
		for range rapid.IntRange(1, 5).Draw(t, "pieces") {
			form := rapid.SampledFrom(Spellings(value)).Draw(t, "form").Text
			text += rapid.StringMatching(`[a-z \\%&<\n…]{0,9}`).Draw(t, "between") +
				form[:rapid.IntRange(0, len(form)).Draw(t, "cut")]
		}
		var out strings.Builder
		w := NewWriter(&out, set)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			if m, err := w.Write([]byte(rest[:n])); m != n || err != nil {
				t.Fatal(m, err)
			}
			rest = rest[n:]
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if got, want := out.String(), set.Text(text); got != want {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
	})
}

// What cannot be the beginning of a secret is passed on at once: a question waits for its answer.
func TestWriterHoldsNothingElseBack(t *testing.T) {
	var out strings.Builder
	w := NewWriter(&out, New(map[string]string{"X": "hunter2"}))
	for _, row := range []struct{ write, out string }{
		{"Go on? ", "Go on? "}, {"the hunt", "Go on? the "}, {"ed\n", "Go on? the hunted\n"},
		{"hunter", "Go on? the hunted\n"}, {"2", "Go on? the hunted\n"}, // backwards it begins so too
		{".", "Go on? the hunted\n<secret:X>."},
	} {
		fmt.Fprint(w, row.write)
		if out.String() != row.out {
			t.Errorf("after %q: %q, want %q", row.write, out.String(), row.out)
		}
	}
}

func TestVisible(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"text", "a bü\t€\n👩\u200d👧", "a bü\t€\n👩\u200d👧"},
		{"a colour", "\x1b[31mred", `\x1b[31mred`},
		{"the clipboard by OSC 52", "\x1b]52;c;aGk=\a", `\x1b]52;c;aGk=\x07`},
		{"C1", "\u009b31m \u0085", `\x9b31m \x85`},
		{"bytes of C1", "\x9b31m", `\x9b31m`},
		{"another direction", "user\u202eexe.txt\u2066", `user\u202eexe.txt\u2066`},
		{"a mark of a tag", "\U000e0041", `\U000e0041`},
		{"lines of others", "a\u2028b", `a\u2028b`},
		{"a return", "a\rb", `a\x0db`},
		{"a replacement character", "\ufffd", "\ufffd"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := Visible(row.text); got != row.want || Visible(got) != got {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

// A text becomes one line, which keeps its blanks and says nothing that a terminal obeys.
func TestPlainLine(t *testing.T) {
	for text, want := range map[string]string{"": "", "  a  b ": "  a  b ", "a\nb\tc\rd": "a b cd",
		"\x1b[31mred": "[31mred", "\u009b31m": "31m", "user\u202eexe\u2066\u200d": "userexe", "\x9b": "\ufffd"} {
		if got := PlainLine(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// JSON says the same, and nothing in it is unseen.
func TestVisibleJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		control := rapid.SampledFrom(strings.Split("|\x1b[31m|\u009b|\u202e|\U000e0041|\ufffd|\u2028", "|"))
		want := map[string]any{rapid.String().Draw(t, "name"): rapid.String().Draw(t, "text") +
			control.Draw(t, "control")}
		text, err := json.MarshalIndent(want, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		clean := VisibleJSON(string(text))
		var got map[string]any
		if err := json.Unmarshal([]byte(clean), &got); err != nil || !maps.Equal(got, want) {
			t.Fatalf("%q is %q (%v), want %q", clean, got, err, want)
		}
		if i := strings.IndexFunc(clean, hidden); i >= 0 {
			t.Fatalf("%q has a character that nobody sees at %d", clean, i)
		}
	})
}

// The list grows at its end alone: places in it are written in files.
func TestThePlacesOfSpellings(t *testing.T) {
	got := Spellings(planted)
	if got[0].Text != planted || got[2].Text != url.QueryEscape(planted) || got[4].How != "as base64" ||
		got[9].How != "as base64" || got[13].How != "as hex" || got[14].Text != reversed(planted) {
		t.Errorf("%v", got)
	}
	if n := len(Spellings("1234")); n != len(got) || Spellings("123") != nil {
		t.Errorf("%d forms", n)
	}
	// the last two are those of a value with several spaces in a row
	if i := slices.IndexFunc(got, func(s Spelling) bool { return s.Text == "" }); i != len(got)-2 {
		t.Errorf("form %d is empty", i)
	}
}

// Pieces of a character are put together again.
func TestVisibleWriter(t *testing.T) {
	const text = "a bü€😀\x1b[31m\u202e\ufffd\n"
	var out strings.Builder
	w := VisibleWriter(&out)
	for i := range len(text) {
		if n, err := w.Write([]byte(text[i : i+1])); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if out.String() != Visible(text) {
		t.Errorf("got %q, want %q", out.String(), Visible(text))
	}
}
