package formats

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var evalFormat = ExportOptions{LogFormat: "eval", Frames: LastFrame}

// An .eval file has what the .json file has, a sample a file, and the rows of the viewer's list.
func TestInspectEval(t *testing.T) {
	runs := []DatasetRun{{Trajectory: goldenEpisode(t)}, {Trajectory: goldenEpisode(t)}}
	runs[1].End = nil
	files := exportedFiles(t, "inspect", evalFormat, runs...)
	again := exportedFiles(t, "inspect", evalFormat, runs...)
	if len(files) != 1 || !reflect.DeepEqual(files, again) {
		t.Fatalf("%d files, or other bytes the second time", len(files))
	}
	for name, data := range files {
		if !strings.HasSuffix(name, "_"+logID(t, runs)+".eval") {
			t.Error(name)
		}
		checkEval(t, data, runs)
	}
}

// logID is the eval_id of the log of runs.
func logID(t *testing.T, runs []DatasetRun) string {
	t.Helper()
	return inspectLogOf(runs).Eval.ID
}

func checkEval(t *testing.T, data []byte, runs []DatasetRun) {
	t.Helper()
	parts := unzipped(t, data)
	want := []string{"_journal/start.json", "header.json", "samples/t1-login seed 3_epoch_1.json",
		"samples/t1-login seed 3_epoch_2.json", "summaries.json"}
	if got := slices.Sorted(maps.Keys(parts)); !slices.Equal(got, want) {
		t.Fatalf("files %q, want %q", got, want)
	}
	for name, def := range map[string]string{want[1]: "EvalLog", want[2]: "EvalSample",
		want[3]: "EvalSample"} {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(parts[name]))
		must(t, err)
		must(t, inspectSchema(t, def).Validate(v))
	}
	var rows []json.RawMessage
	must(t, json.Unmarshal(parts["summaries.json"], &rows))
	var completed []bool
	for _, row := range rows {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(row))
		must(t, err)
		must(t, inspectSchema(t, "EvalSampleSummary").Validate(v))
		completed = append(completed, v.(map[string]any)["completed"].(bool))
	}
	if !slices.Equal(completed, []bool{true, false}) {
		t.Errorf("completed: %v", completed)
	}
	var whole bytes.Buffer // put together, the parts are the .json file
	must(t, exporterOf(t, "inspect").Write(&whole, runs, ExportOptions{Frames: LastFrame}))
	var log, header map[string]any
	must(t, json.Unmarshal(whole.Bytes(), &log))
	must(t, json.Unmarshal(parts["header.json"], &header))
	var samples []any
	for _, name := range want[2:4] {
		var s any
		must(t, json.Unmarshal(parts[name], &s))
		samples = append(samples, s)
	}
	header["samples"] = samples
	if !reflect.DeepEqual(header, log) {
		t.Error("the parts are not the .json file")
	}
}

// Inspect's viewer reads sizes in the header before a file's data, where a zip that is streamed has zero.
func TestInspectEvalHasSizesBeforeTheData(t *testing.T) {
	var b bytes.Buffer
	runs := []DatasetRun{{Trajectory: goldenEpisode(t)}}
	must(t, exporterOf(t, "inspect").Write(&b, runs, evalFormat))
	head := b.Bytes()
	flags, packed := binary.LittleEndian.Uint16(head[6:]), binary.LittleEndian.Uint32(head[18:])
	if plain := binary.LittleEndian.Uint32(head[22:]); flags&8 != 0 || packed == 0 || plain <= packed {
		t.Errorf("flags %#x, %d bytes packed, %d plain", flags, packed, plain)
	}
}

// The id of a task is a part of a path in the zip.
func TestInspectEvalOfTasksThatAreNoPaths(t *testing.T) {
	for id, ok := range map[string]bool{"shop/cart": true, "../../x": false, "/etc/x": false, `a\b`: false} {
		run := DatasetRun{Trajectory: goldenEpisode(t)}
		run.Header.Task.ID = id
		var b bytes.Buffer
		err := exporterOf(t, "inspect").Write(&b, []DatasetRun{run}, evalFormat)
		if ok != (err == nil) || !ok && b.Len() > 0 {
			t.Errorf("%q: %d bytes, %v", id, b.Len(), err)
		}
	}
}
