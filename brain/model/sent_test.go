package model

import (
	"encoding/json"
	"strings"
	"testing"
)

// For each request the text is kept that the one before did not have: instructions and tools once, of a
// conversation what was added, and no picture.
func TestSentNews(t *testing.T) {
	picture := `{"type":"image","data":"` + strings.Repeat("iVBORw0KGgo+/", 30) + `"}`
	first := `{"model":"m","system":"Be\nbrief.","messages":[{"role":"user","content":[{"text":"Task: sign in","cache_control":{"type":"x"}},` + picture + `]}]}`
	for _, row := range []struct {
		name string
		sent []string
		want string // of the last
	}{
		{"the first is whole", []string{first},
			"messages[0].content[0].text: Task: sign in\nmessages[0].content[1].data: [390 characters, not kept]\nmessages[0].content[1].type: image\n" +
				"messages[0].role: user\nmodel: m\nsystem:\nBe\nbrief.\n"},
		{"the same again", []string{first, first}, ""},
		{"a conversation continues, the mark of the cache has moved", []string{first,
			`{"model":"m","system":"Be\nbrief.","messages":[{"role":"user","content":[{"text":"Task: sign in"},` + picture + `]},{"role":"assistant","content":"click"},{"role":"user","content":"Done."}]}`},
			"messages[1].content: click\nmessages[1].role: assistant\nmessages[2].content: Done.\nmessages[2].role: user\n"},
		{"it begins anew", []string{first, `{"model":"m","system":"Be\nbrief.","messages":[{"role":"user","content":"Task: sign in. Step 4."}]}`},
			"messages[0].content: Task: sign in. Step 4.\nmessages[0].role: user\n"},
		{"the server keeps what was said", []string{`{"input":["a"]}`, `{"input":["b"],"previous":"r1"}`}, "input[0]: b\nprevious: r1\n"},
		{"a page within parameters", []string{`{"params":{"step":1,"page":{"url":"u","marks":[{"n":1},{"n":2}]}}}`, `{"params":{"step":2,"page":{"url":"u","marks":[{"n":1},{"n":3}]}}}`},
			"params.page.marks[1].n: 3\nparams.step: 2\n"},
		{"a long text with spaces is no picture", []string{`{"text":"` + strings.Repeat("word ", 100) + `"}`}, "text: " + strings.Repeat("word ", 100) + "\n"},
		{"a picture as an address", []string{`{"url":"data:image/png;base64,` + strings.Repeat("AAAA", 80) + `"}`}, "url: [342 characters, not kept]\n"},
		{"what is no object", []string{`[1]`}, ""},
	} {
		var s sent
		var got string
		for _, body := range row.sent {
			got = s.news([]byte(body))
		}
		if got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
	long, _ := json.Marshal(map[string]string{"text": strings.Repeat("ä ", maxSent)})
	if got := new(sent).news(long); len(got) > maxSent+60 || !strings.Contains(got, "bytes more were sent") {
		t.Errorf("%d bytes of a long text", len(got))
	}
}
