package formats

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/taletest"
)

// one is a trajectory of one click, in the neutral form.
func one(id string) string {
	return fmt.Sprintf(`{"id":%q,"steps":[{"index":0,"action_type":"click","x":1,"y":2}]}`, id)
}

// oneUse is a history of one click, as browser-use saves it.
const oneUse = `{
  "history": [
    {
      "model_output": {"action": [{"click": {"index": 3}}]},
      "result": [{"is_done": false}],
      "state": {"url": "http://a/", "tabs": []}
    }
  ]
}
`

func packed(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	must(t, err)
	must(t, w.Close())
	return b.String()
}

// collect reads all of path: "id@line" of each run, and each error, in their order.
func collect(path string, f Format, in string) []string {
	var out []string
	for run, err := range Runs(path, f, strings.NewReader(in), nil) {
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		out = append(out, fmt.Sprintf("%s@%d", run.ID, run.Line))
	}
	return out
}

func TestRunsOfOneFile(t *testing.T) {
	journal := string(goldenJournal(t))
	for _, c := range []struct {
		name   string
		format Format
		in     string
		want   []string // how each item starts, or a part of the error
	}{
		{"two lines", Auto, one("a") + "\n" + one("b") + "\n", []string{"a@1", "b@2"}},
		{"no line end, blank lines, carriage returns", Neutral, "\n\r\n" + one("a") + "\r\n\n" + one("b"), []string{"a@3", "b@5"}},
		{"packed", Auto, packed(t, one("a")+"\n"+one("b")), []string{"a@1", "b@2"}},
		{"packed twice in one file", Auto, packed(t, one("a")+"\n") + packed(t, one("b")), []string{"a@1", "b@2"}},
		{"byte order mark", Auto, "\uFEFF" + one("a"), []string{"a@1"}},
		{"journal", Auto, journal, []string{"t1-login@default.3-1@1"}},
		{"journal by name", CUA, journal, []string{"t1-login@default.3-1@1"}},
		{"journal after a blank line", Auto, "\n" + journal, []string{"t1-login@default.3-1@2"}},
		{"journal, header torn", Auto, journal[:40], []string{"no complete header"}},
		{"journal where neutral is wanted", Neutral, journal, []string{"line 1 (byte 0): no trajectory"}},
		{"neutral where a journal is wanted", CUA, one("a"), []string{"line 1 (byte 0)"}},
		{"history over lines", Auto, oneUse, []string{"-@1"}},
		{"history on one line", BrowserUse, strings.ReplaceAll(oneUse, "\n", ""), []string{"-@1"}},
		{"history where neutral is wanted", Neutral, oneUse, []string{"no trajectory"}},
		{"neutral over lines", Auto, strings.ReplaceAll(one("a"), ",", ",\n"), []string{"a@1"}},
		{"broken document", Auto, strings.Replace(oneUse, `"tabs": []`, `"tabs": [`, 1), []string{"line 6 "}},
		{"wrong type deep in a document", Auto, strings.Replace(oneUse, `"url": "http://a/"`, `"url": 7`, 1), []string{"line 3 (byte 17): entry 0 of the history: state.url: a text belongs there, not number"}},
		{"nothing", Auto, "", []string{"trajectories: reading -: line 1 (byte 0): the file is empty"}},
		{"blank lines only", Auto, "\n \n", []string{"the file is empty"}},
		{"nothing, packed", Auto, packed(t, ""), []string{"the file is empty"}},
		{"nothing where a journal is wanted", CUA, "", []string{"the file is empty"}},
		{"packed and cut off", Auto, strings.TrimSuffix(packed(t, one("a")+"\n"+one("b")+"\n"), "\x00\x00\x00"), []string{"a@1", "b@2", "line 3 (byte 134): the packed file is cut off"}},
		{"only the mark of a packed file", Auto, "\x1f\x8b", []string{"line 1 (byte 0)"}},
		{"first line broken", Auto, one("a")[:30] + "\n" + one("b"), []string{"line 1 (byte 0): unexpected end of JSON", "b@2"}},
		{"two first lines broken", Auto, one("a")[:30] + "\n" + one("a")[:40] + "\n" + one("b") + "\n{\n" + one("c"), []string{"line 1 (byte 0): unexpected end", "line 2 (byte 31): unexpected end", "b@3", "line 4 (byte 139): unexpected end", "c@5"}},
		{"a step on each line", Auto, "\n{\"id\":\"a\",\"steps\":[\n{\"index\":0,\"action_type\":\"click\"},\n{\"index\":1,\"action_type\":\"click\"}]}\n", []string{"a@2"}},
		{"a step on each line, one broken", Auto, "{\"id\":\"a\",\"steps\":[\n{\"index\":0,\"action_type\":\"click\"},\n{\"index\":1\"action_type\":\"click\"}]}\n", []string{"line 3 (byte 55): invalid character"}},
		{"a step on each line, one wrong", Auto, "{\"id\":\"a\",\"steps\":[\n{\"index\":0,\"action_type\":\"click\"},\n{\"index\":true,\"action_type\":\"click\"}]}\n", []string{"line 3 (byte 55): step 2 of the list: index: a number"}},
		{"line in the middle broken", Auto, one("a") + "\n{\"id\":\n" + one("b"), []string{"a@1", "line 2 (byte 67): unexpected end", "b@3"}},
		{"two on one line", Auto, one("a") + one("b") + "\n" + one("c"), []string{"line 1 (byte 0): invalid character '{' after top-level value", "c@2"}},
		{"words", Auto, "steps\n" + one("a"), []string{"line 1 (byte 0): invalid character 's'", "a@2"}},
		{"a list", Auto, "[" + one("a") + "]", []string{"no trajectory"}},
		{"a list over lines", Auto, "[\n" + one("a") + "\n]", []string{"line 1 (byte 0): unexpected end", "a@2", "line 3 (byte 69): invalid character ']'"}},
		{"foreign objects are told once", Auto, one("a") + "\n{\"id\":7}\n{}\nnull\n3\n" + one("b"), []string{"a@1", "line 2 (byte 67): no trajectory: an object with steps (neutral, ATIF), with history (browser-use) or the header of a journal is wanted (and so are 3 more lines after it)", "b@6"}},
		{"foreign objects to the end", Auto, `{"no":4,"window":[0,21]}`, []string{"line 1 (byte 0): no trajectory"}},
		{"unknown format", "csv", one("a"), []string{`unknown format "csv"; known: [auto cua neutral browser-use atif]`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := collect("-", c.format, c.in)
			if len(got) != len(c.want) {
				t.Fatalf("%d items, want %d: %q", len(got), len(c.want), got)
			}
			for i := range got {
				if !strings.Contains(got[i], c.want[i]) {
					t.Errorf("item %d: %s\nwant %s", i, got[i], c.want[i])
				}
			}
		})
	}
}

func TestRunsOfAFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(dir, path)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write("b/deep/z.jsonl", one("z"))
	write("a.json", oneUse)
	write("c.jsonl.gz", packed(t, one("c")))
	write("broken.jsonl", "{")
	write("notes.md", "no trajectory")
	write(".hidden.jsonl", one("hidden"))
	taletest.CopyEpisode(t, rootData, filepath.Join(dir, "b", "run"))
	write("b/run/more.jsonl", one("part of a run folder"))
	must(t, os.Symlink(dir, filepath.Join(dir, "circle.json")))
	must(t, os.Symlink(filepath.Join(dir, "gone"), filepath.Join(dir, "gone.json")))
	for _, c := range []struct {
		name, path string
		format     Format
		want       []string
	}{
		{"in the order of names", ".", Auto, []string{"a@1", "z@1", "t1-login@default.3-1@0", "broken.jsonl: line 1 (byte 0): unexpected end of JSON", "c@1", "no such file"}},
		{"a run folder", "b/run", Auto, []string{"t1-login@default.3-1@0"}},
		{"a run folder where neutral is wanted", "b/run", Neutral, []string{"which is cua and not neutral"}},
		{"one file", "c.jsonl.gz", Auto, []string{"c@1"}},
		{"a file that is not there", "gone.jsonl", Auto, []string{"no such file"}},
		{"a folder without any", "b/run/blobs", Auto, []string{"holds no trajectory"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := collect(filepath.Join(dir, c.path), c.format, "")
			if !slices.EqualFunc(got, c.want, strings.Contains) {
				t.Errorf("%q\nwant %q", got, c.want)
			}
		})
	}
}

func TestRunsStopsWhenAsked(t *testing.T) {
	n := 0
	for range Runs("-", Auto, strings.NewReader(one("a")+"\n{}\n"+one("b")+"\n"+one("c")), nil) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Error(n)
	}
}

func TestRunsErrorsAreTyped(t *testing.T) {
	for _, err := range Runs("-", Auto, strings.NewReader("\n\n{\"id\":\"a\",\"steps\":3}"), nil) {
		var where *trajectories.SyntaxError
		if !errors.As(err, &where) || where.Path != "-" || where.Line != 3 || where.Offset != 2 {
			t.Errorf("%#v", err)
		}
	}
}

// endless is a line without an end, n bytes of it.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	if e.n <= 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.n)
	for i := range p[:n] {
		p[i] = 'x'
	}
	e.n -= n
	return n, nil
}

func TestALineTooLongIsSkipped(t *testing.T) {
	l := lineReader{in: bufio.NewReader(io.MultiReader(&endless{100}, strings.NewReader("\nnext\n"),
		&endless{20}, strings.NewReader("\n"), &endless{21})), max: 21}
	for _, want := range []string{"line of more than 21 bytes", "next", strings.Repeat("x", 20),
		strings.Repeat("x", 21), "EOF"} {
		got, err := l.next()
		if s := fmt.Sprintf("%s%v", got, err); !strings.Contains(s, want) {
			t.Errorf("line %d: %s, want %s", l.line, s, want)
		}
	}
	if l.line != 4 {
		t.Error(l.line)
	}
	if _, err := (&lineReader{in: bufio.NewReader(&endless{50}), max: 21}).rest(); err == nil {
		t.Error("a document too long was read")
	}
}

func TestTooManySteps(t *testing.T) {
	for name, step := range map[string]string{"steps": `{"index":%d,"action_type":"click"}`, "nothing": `null`, "numbers": `1`} {
		var b strings.Builder
		b.WriteString(`{"id":"a","steps":[`)
		for i := range maxSteps + 1 {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strings.ReplaceAll(step, "%d", fmt.Sprint(i)))
		}
		b.WriteString("]}\n" + one("b"))
		got := collect("-", Auto, b.String())
		if len(got) != 2 || !strings.Contains(got[0], "line 1 (byte 0): step") || got[1] != "b@2" {
			t.Errorf("%s: %.200q", name, got)
		}
	}
}
