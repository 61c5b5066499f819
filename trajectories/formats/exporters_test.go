package formats

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cua-runner/cua-runner/cua"
)

// exportedFiles are the files that an exporter writes for runs, by name. A zip is opened.
func exportedFiles(t testing.TB, name string, o ExportOptions, runs ...DatasetRun) map[string][]byte {
	t.Helper()
	x := exporterOf(t, name)
	if o.Frames == "" {
		o.Frames = x.Frames
	}
	out := map[string][]byte{}
	if x.Folder == nil {
		var b bytes.Buffer
		must(t, x.Write(&b, runs, o))
		out[name+x.Ext] = b.Bytes()
		return out
	}
	dir := filepath.Join(t.TempDir(), "out")
	must(t, x.Folder(dir, runs, o))
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = data
		return err
	}))
	return out
}

func exporterOf(t testing.TB, name string) Exporter {
	t.Helper()
	for _, x := range Exporters() {
		if x.Name == name {
			return x
		}
	}
	t.Fatalf("no exporter %s", name)
	return Exporter{}
}

// unzipped are the files of a zip.
func unzipped(t testing.TB, data []byte) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	must(t, err)
	out := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		out[f.Name], err = io.ReadAll(r)
		must(t, err)
	}
	return out
}

var anyBrain = ExportOptions{Training: TrainingOptions{AnyBrain: true}}

func TestExportsAreTheSameBytesTwice(t *testing.T) {
	tr := goldenEpisode(t)
	for _, x := range Exporters() {
		t.Run(x.Name, func(t *testing.T) {
			first := exportedFiles(t, x.Name, anyBrain, DatasetRun{Trajectory: tr})
			second := exportedFiles(t, x.Name, anyBrain, DatasetRun{Trajectory: tr})
			if !reflect.DeepEqual(first, second) || len(first) == 0 {
				t.Errorf("%d and %d files, which differ", len(first), len(second))
			}
			if x.Write == nil || x.Folder == nil {
				return
			}
			var b bytes.Buffer
			must(t, x.Write(&b, []DatasetRun{{Trajectory: tr}}, ExportOptions{Frames: x.Frames}))
			if b.Len() == 0 && x.Name != "sft" && x.Name != "dpo" {
				t.Error("one file: nothing was written")
			}
		})
	}
}

func TestAFolderIsWrittenAllOrNothing(t *testing.T) {
	tr := goldenEpisode(t)
	tr.Dir = t.TempDir() // no frames
	for _, x := range Exporters() {
		if x.Folder == nil || x.Frames != AllFrames {
			continue
		}
		t.Run(x.Name, func(t *testing.T) {
			parent := t.TempDir()
			o := ExportOptions{Frames: AllFrames, Training: TrainingOptions{AnyBrain: true, All: true}}
			err := x.Folder(filepath.Join(parent, "out"), []DatasetRun{{Trajectory: tr}}, o)
			if err == nil && x.Name != "dpo" {
				t.Error("missing frames were passed over")
			}
			entries, err := os.ReadDir(parent)
			must(t, err)
			if len(entries) > 0 && x.Name != "dpo" {
				t.Errorf("%v was left", entries)
			}
			must(t, os.WriteFile(filepath.Join(parent, "kept"), nil, 0o644))
			o.Frames = NoFrames
			if x.Folder(parent, []DatasetRun{{Trajectory: tr}}, o) == nil {
				t.Error("a folder that was not empty was written to")
			}
		})
	}
}

// Runs whose names are one name of a file have a file each: none overwrites another's.
func TestEachRunHasItsFile(t *testing.T) {
	for _, format := range []string{"atif", "trace", "playwright"} {
		var runs []DatasetRun
		for _, name := range []string{"a b", "a-b", "a/b", "A-B", "a-b-2", "a-b", "../a-b", ".a-b", "...",
			""} {
			tr := goldenEpisode(t)
			tr.Header.Episode = name
			runs = append(runs, DatasetRun{Trajectory: tr})
		}
		got := map[string]bool{}
		for name := range exportedFiles(t, format, ExportOptions{Frames: NoFrames}, runs...) {
			got[strings.ToLower(name)] = true
		}
		if len(got) != len(runs) {
			t.Errorf("%s: %d runs, these files: %v", format, len(runs), got)
		}
	}
}

func TestFramesOfExports(t *testing.T) {
	tr := goldenEpisode(t)
	for _, row := range []struct {
		format string
		frames Frames
		want   int
	}{
		{"atif", NoFrames, 0}, {"atif", LastFrame, 1}, {"atif", AllFrames, 4},
		{"trace", NoFrames, 0}, {"trace", LastFrame, 1}, {"trace", AllFrames, 4},
	} {
		t.Run(fmt.Sprint(row.format, " ", row.frames), func(t *testing.T) {
			files := exportedFiles(t, row.format, ExportOptions{Frames: row.frames},
				DatasetRun{Trajectory: tr})
			n := 0
			for name, data := range files {
				if strings.HasSuffix(name, ".zip") {
					files = unzipped(t, data)
				}
			}
			for name := range files {
				if strings.HasSuffix(name, ".png") {
					n++
				}
			}
			if n != row.want {
				t.Errorf("%d frames, want %d", n, row.want)
			}
		})
	}
}

// checkSchema checks a document against one of the schemas in testdata.
func checkSchema(t testing.TB, schema string, doc []byte) error {
	t.Helper()
	c := jsonschema.NewCompiler()
	s, err := c.Compile(filepath.Join("testdata", schema))
	must(t, err)
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	must(t, err)
	return s.Validate(v)
}

func TestATIF(t *testing.T) {
	tr := goldenEpisode(t)
	files := exportedFiles(t, "atif", ExportOptions{}, DatasetRun{Trajectory: tr})
	doc := files[tr.Header.Episode+".json"]
	compare(t, filepath.Join("testdata", "export.atif.json"), doc)
	must(t, checkSchema(t, "atif.schema.json", doc))
	must(t, atifOrder(doc, files))
	for name, spoil := range map[string]func(doc map[string]any, steps []any){
		"a gap in the steps":       func(_ map[string]any, s []any) { s[2].(map[string]any)["step_id"] = 9 },
		"a result without a call":  func(_ map[string]any, s []any) { delete(s[1].(map[string]any), "tool_calls") },
		"another version":          func(d map[string]any, _ []any) { d["schema_version"] = "ATIF-v2.0" },
		"a name of no field":       func(_ map[string]any, s []any) { s[1].(map[string]any)["thought"] = "x" },
		"a user with tool calls":   func(_ map[string]any, s []any) { s[0].(map[string]any)["tool_calls"] = []any{} },
		"an image that is nowhere": func(_ map[string]any, s []any) { files = map[string][]byte{} },
	} {
		var v map[string]any
		must(t, json.Unmarshal(doc, &v))
		kept := files
		spoil(v, v["steps"].([]any))
		raw, err := json.Marshal(v)
		must(t, err)
		if checkSchema(t, "atif.schema.json", raw) == nil && atifOrder(raw, files) == nil {
			t.Errorf("%s was not seen", name)
		}
		files = kept
	}
}

// atifOrder checks what a schema cannot say: steps count from 1 without a gap, a result belongs to a call of
// its step, what no model made has neither metrics nor reasoning, and images are there.
func atifOrder(doc []byte, files map[string][]byte) error {
	var run atifRun
	if err := json.Unmarshal(doc, &run); err != nil {
		return err
	}
	for i, s := range run.Steps {
		if s.ID != i+1 {
			return fmt.Errorf("step %d has the id %d", i+1, s.ID)
		}
		if s.LLMCalls != nil && *s.LLMCalls == 0 && (s.Metrics != nil || s.Reasoning != "") {
			return fmt.Errorf("step %d: no model made it, and it has metrics or reasoning", s.ID)
		}
		calls := map[string]bool{}
		for _, c := range s.Calls {
			calls[c.ID] = true
		}
		if s.Seen == nil {
			continue
		}
		for _, r := range s.Seen.Results {
			if r.Call != "" && !calls[r.Call] {
				return fmt.Errorf("step %d: a result of %s, which is no call of it", s.ID, r.Call)
			}
			for _, p := range r.Content {
				if p.Source != nil && files[p.Source.Path] == nil {
					return fmt.Errorf("step %d: no file %s", s.ID, p.Source.Path)
				}
			}
		}
	}
	return nil
}

// An ATIF file of ours says to detectors what the neutral form says.
func TestATIFReadsAsTheNeutralForm(t *testing.T) {
	for name, tr := range journals(t) {
		t.Run(name, func(t *testing.T) {
			want := exported(t, tr)
			var b bytes.Buffer
			must(t, writeATIF(&b, tr, nil, NoFrames))
			got := readAuto(t, b.String())
			if got.Format != ATIF || got.ID != want.ID || got.End != want.End || got.Task != want.Task ||
				!reflect.DeepEqual(got.Success, want.Success) {
				t.Errorf("got %s %q %q, want %q %q", got.Format, got.ID, got.End, want.ID, want.End)
			}
			if diff := same(got.History.Samples(), want.History.Samples()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// readAuto is the one trajectory of text, whose form is not said.
func readAuto(t testing.TB, text string) *Run {
	t.Helper()
	var out *Run
	for run, err := range Runs("-", Auto, strings.NewReader(text), nil) {
		must(t, err)
		out = run
	}
	if out == nil {
		t.Fatal("no run")
	}
	return out
}

// othersATIF is what an agent with tools of browser-use, of an MCP server and of computer use might write.
const othersATIF = `{"schema_version":"ATIF-v1.6","session_id":"s1","agent":{"name":"other","version":"1"},"steps":[
 {"step_id":1,"source":"system","message":"You are an agent."},
 {"step_id":2,"source":"user","message":[{"type":"text","text":"Buy a lamp."}]},
 {"step_id":3,"source":"agent","message":"","reasoning_content":"I look.","tool_calls":[{"tool_call_id":"a","function_name":"mcp__playwright__browser_click","arguments":{"element":"Next","ref":"e4"}}],"metrics":{"prompt_tokens":10,"completion_tokens":2,"cost_usd":0.5}},
 {"step_id":4,"source":"agent","message":"","tool_calls":[{"tool_call_id":"b","function_name":"computer","arguments":{"action":"left_click","coordinate":[10,20]}},{"tool_call_id":"c","function_name":"browser_press_key","arguments":{"key":"Enter"}}]},
 {"step_id":5,"source":"agent","message":"","tool_calls":[{"tool_call_id":"d","function_name":"click","arguments":{"index":7},"extra":{"url":"http://shop/a","dom_hash":"a0"}}]},
 {"step_id":6,"source":"agent","message":"","tool_calls":[{"tool_call_id":"e","function_name":"click","arguments":{"index":7},"extra":{"url":"http://shop/a","dom_hash":"a0"}}]},
 {"step_id":7,"source":"agent","message":"It is 3 euros."}],"extra":{"final_dom_hash":"a0","final_url":"http://shop/a"}}`

func TestATIFOfOthers(t *testing.T) {
	run := readAuto(t, othersATIF)
	if run.Format != ATIF || run.ID != "s1" || run.Source != "other" || run.Task != "Buy a lamp." ||
		!reflect.DeepEqual(run.Index, []int{3, 4, 4, 5, 6, 7}) || run.End != "" {
		t.Errorf("%+v", run)
	}
	for i, want := range []struct {
		kind   cua.Kind
		target string
		effect string
	}{
		{cua.Click, "e4", "?"}, {cua.Click, "", "?"}, {cua.Key, "", "?"}, {cua.Click, "[7]", "none"},
		// What the page was at the last words is not told.
		{cua.Click, "[7]", "?"}, {cua.Observe, "", "?"},
	} {
		s := run.History.Steps[i]
		if s.Action.Kind != want.kind || s.Target.ID != want.target || progress(s.Effect) != want.effect {
			t.Errorf("step %d: %s at %q, effect %s", i, s.Action.Kind, s.Target.ID, progress(s.Effect))
		}
	}
	steps := run.History.Steps
	if p := steps[1].Action.Point; p == nil || *p != (cua.Point{X: 10, Y: 20}) ||
		steps[2].Action.Keys != "Return" || steps[0].Thought != "I look." || steps[0].Usage.Tokens() != 12 {
		t.Errorf("%+v", steps[:3])
	}
}

func TestTrace(t *testing.T) {
	tr := goldenEpisode(t)
	files := unzipped(t, exportedFiles(t, "trace", ExportOptions{},
		DatasetRun{Trajectory: tr})[tr.Header.Episode+".zip"])
	compare(t, filepath.Join("testdata", "export.trace.jsonl"), files["trace.trace"])
	compare(t, filepath.Join("testdata", "export.network.jsonl"), files["trace.network"])
	var order []string
	for line := range bytes.Lines(files["trace.trace"]) {
		must(t, checkSchema(t, "trace.schema.json", line))
		var e struct{ Type, Message string }
		must(t, json.Unmarshal(line, &e))
		order = append(order, e.Type)
	}
	want := []string{"before", "frame-snapshot", "input", "frame-snapshot", "log", "after", "frame-snapshot",
		"screencast-frame"}
	order = slices.Compact(order[2:]) // without the context and the first frame
	if got := slices.Repeat(want, 8); len(order) < len(want) || !inOrder(order, got) {
		t.Errorf("the lines of a step come as %v", order)
	}
	for line := range bytes.Lines(files["trace.network"]) {
		must(t, checkSchema(t, "trace.schema.json", line))
	}
	if checkSchema(t, "trace.schema.json", []byte(`{"type":"before","callId":"x"}`)) == nil {
		t.Error("the schema takes an action without a start")
	}
}

// inOrder says whether list is full without some of its log lines.
func inOrder(list, full []string) bool {
	without := func(l []string) []string {
		return slices.DeleteFunc(slices.Clone(l), func(s string) bool { return s == "log" })
	}
	return reflect.DeepEqual(without(list), without(full))
}

func TestParquetHasTheRowsOfTheDataset(t *testing.T) {
	run := DatasetRun{Trajectory: goldenEpisode(t)}
	files := exportedFiles(t, "parquet", ExportOptions{}, run)
	tables := dataTables([]DatasetRun{run})
	if len(files) != len(tables) {
		t.Fatalf("%d files of %d tables", len(files), len(tables))
	}
	for _, table := range tables {
		data := files[table.name+".parquet"]
		f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		must(t, err)
		if f.NumRows() != int64(len(table.rows)) || len(f.Schema().Columns()) != len(table.columns) {
			t.Errorf("%s: %d rows, %d columns", table.name, f.NumRows(), len(f.Schema().Columns()))
		}
		rows := make([]parquet.Row, f.NumRows())
		for _, g := range f.RowGroups() {
			r := g.Rows()
			n, err := r.ReadRows(rows)
			if n != len(rows) {
				t.Fatal(n, err)
			}
			for i := range rows {
				rows[i] = rows[i].Clone()
			}
			must(t, r.Close())
		}
		for i, path := range f.Schema().Columns() {
			at := slices.IndexFunc(table.columns, func(c dataColumn) bool { return c.name == path[0] })
			for n, row := range rows {
				want, err := parquetValue(table.columns[at].kind, table.rows[n][at])
				must(t, err)
				if !parquet.DeepEqual(row[i], want) && row[i].String() != want.String() {
					t.Errorf("%s row %d %s: %v, want %v", table.name, n, path[0], row[i], want)
				}
			}
		}
	}
	if _, err := parquetValue(kindInteger, "1.5"); err == nil {
		t.Error("a broken number was written")
	}
}
