package remote_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain/model/wiretest"
)

var update = flag.Bool("update", false, "write the request of docs/brain-protocol.md anew")

const protocolPage = "../../docs/brain-protocol.md"

// shownRequest is the block of the page that holds a whole request.
var shownRequest = regexp.MustCompile("(?s)(<!-- a whole request -->\n```json\n)(.*?)(```\n)")

// TestThePageShowsAWholeRequest: the request on the page is the second one of a run in the real browser. What
// differs from run to run stands in it as a word; places may differ from browser to browser, and are not
// compared.
func TestThePageShowsAWholeRequest(t *testing.T) {
	f := newServer(t)
	var shown []byte
	f.mind = func(a asked) string {
		if len(a.Params.LastResults) > 0 && shown == nil {
			shown = bytes.Clone(f.bodies[len(f.bodies)-1])
		}
		return a.mind(true)
	}
	wiretest.Play(t, wiretest.Episode{Task: "login", Seed: 4, Arm: "off", Open: opens(t, "http:"+f.URL, nil)})
	if shown == nil {
		t.Fatal("no request told of an answer before it")
	}
	want := spread(t, shown)
	page, err := os.ReadFile(protocolPage)
	if err != nil {
		t.Fatal(err)
	}
	m := shownRequest.FindSubmatch(page)
	if m == nil {
		t.Fatal("the page has no whole request")
	}
	if *update {
		page = shownRequest.ReplaceAll(page, []byte("${1}"+strings.ReplaceAll(want, "$", "$$")+"${3}"))
		if err := os.WriteFile(protocolPage, page, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := string(m[2]); anywhere(got) != anywhere(want) {
		t.Errorf("the page shows\n%s\nand a run has\n%s\n(go test ./brain/remote -run WholeRequest -update)",
			got, want)
	}
}

var coordinates = regexp.MustCompile(`"(x|y|max_scroll_y)": ?[0-9.]+|\([0-9]+, ?[0-9]+\)`)

// anywhere is text without places.
func anywhere(text string) string { return coordinates.ReplaceAllString(text, "@") }

// spread is a request as a person reads it: one member a line, and in lists one element a line. Values that
// differ from run to run are replaced.
func spread(t *testing.T, raw []byte) string {
	t.Helper()
	for _, r := range []struct{ what, by string }{
		{`"run_id":"[^"]*"`, `"run_id":"4RM…"`},
		{`"base64":"[^"]*"`, `"base64":"iVBORw0KGgo…"`},
		{`http://127\.0\.0\.1:\d+/[A-Za-z0-9/]*`, `http://library.test/login`},
	} {
		raw = regexp.MustCompile(r.what).ReplaceAll(raw, []byte(r.by))
	}
	var out strings.Builder
	lay(t, &out, raw, "", 3)
	return out.String() + "\n"
}

// lay writes a value, its members on lines of their own down to a depth; what is deeper stays on one line.
func lay(t *testing.T, out *strings.Builder, raw json.RawMessage, indent string, depth int) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	open, err := dec.Token()
	if err != nil {
		t.Fatal(err)
	}
	bracket, nested := open.(json.Delim)
	if !nested || depth == 0 || !dec.More() {
		out.Write(raw)
		return
	}
	out.WriteString(bracket.String())
	for n := 0; dec.More(); n++ {
		if n > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n" + indent + "  ")
		below := depth - 1
		if bracket == '{' {
			name, err := dec.Token()
			if err != nil {
				t.Fatal(err)
			}
			out.WriteString(`"` + name.(string) + `": `)
		} else {
			below = 0 // an element is a line
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		if v[0] == '[' && below == 0 && bracket == '{' {
			below = 1
		}
		lay(t, out, v, indent+"  ", below)
	}
	out.WriteString("\n" + indent + map[json.Delim]string{'{': "}", '[': "]"}[bracket])
}
