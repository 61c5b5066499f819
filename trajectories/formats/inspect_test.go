package formats

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cua-runner/cua-runner/cua"
)

// inspectSchema is the schema of a definition, in which a name that it does not know is an error.
func inspectSchema(t testing.TB, def string) *jsonschema.Schema {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "inspect.schema.json"))
	must(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	must(t, err)
	for _, def := range doc.(map[string]any)["$defs"].(map[string]any) {
		if m := def.(map[string]any); m["properties"] != nil && m["additionalProperties"] == nil {
			m["additionalProperties"] = false
		}
	}
	c := jsonschema.NewCompiler()
	must(t, c.AddResource("inspect.json", doc))
	s, err := c.Compile("inspect.json#/$defs/" + def)
	must(t, err)
	return s
}

// evalLog is what these tests read of a log.
type evalLog struct {
	Eval    struct{ Config struct{ Epochs int } }
	Results struct {
		Total  int `json:"total_samples"`
		Scores []struct {
			Name    string
			Metrics map[string]struct{ Value float64 }
		}
	}
	Samples []struct {
		ID          string
		Epoch       int
		Scores      map[string]struct{ Value float64 }
		Attachments map[string]string
		Messages    []struct {
			Role string
			Call string                `json:"tool_call_id"`
			Made []struct{ ID string } `json:"tool_calls"`
		}
		Events []struct{ Data map[string]any }
	}
}

func TestInspect(t *testing.T) {
	schema := inspectSchema(t, "EvalLog")
	var first, second = DatasetRun{Trajectory: goldenEpisode(t)}, DatasetRun{Trajectory: goldenEpisode(t)}
	second.Header.ID, second.End.Reward = "0dt46sua8k0000000000000001", new(0.5)
	other := DatasetRun{Trajectory: goldenEpisode(t)}
	other.Header.Arm = "off"
	ignored := DatasetRun{Trajectory: goldenEpisode(t), Scored: new(false)}
	files := exportedFiles(t, "inspect", ExportOptions{}, first, second, other, ignored)
	if len(files) != 2 {
		t.Fatalf("%d files of two arms", len(files))
	}
	for name, data := range files {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		must(t, err)
		must(t, schema.Validate(v))
		v.(map[string]any)["eval"].(map[string]any)["armed"] = true
		if schema.Validate(v) == nil {
			t.Error("the schema takes a name that is none")
		}
		var l evalLog
		must(t, json.Unmarshal(data, &l))
		checkLog(t, &l)
		if strings.Contains(name, "-off_") {
			compare(t, filepath.Join("testdata", "export.inspect.json"), data)
			continue
		}
		if !strings.HasPrefix(name, "2030-01-02T03-04-06") || len(l.Samples) != 2 ||
			l.Samples[1].Epoch != 2 ||
			l.Samples[0].ID != l.Samples[1].ID || l.Eval.Config.Epochs != 2 || l.Results.Total != 2 ||
			l.Samples[0].Scores["solved"].Value != 1 || l.Samples[1].Scores["solved"].Value != 0 ||
			l.Results.Scores[1].Metrics["mean"].Value != 0.5 {
			t.Errorf("%s: %+v", name, l)
		}
	}
	var b bytes.Buffer
	err := exporterOf(t, "inspect").Write(&b, []DatasetRun{first, other}, ExportOptions{})
	if err == nil || b.Len() > 0 {
		t.Error("two arms are in one file")
	}
	x, none := exporterOf(t, "inspect"), []DatasetRun{ignored}
	dir := filepath.Join(t.TempDir(), "none")
	if x.Write(&b, none, ExportOptions{}) == nil || x.Folder(dir, none, ExportOptions{}) == nil ||
		b.Len() > 0 {
		t.Error("runs of which none counts are a log")
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder without a log was left")
	}
}

// checkLog checks what a schema cannot say: a result belongs to a call, and recoveries are told.
func checkLog(t *testing.T, l *evalLog) {
	t.Helper()
	for _, s := range l.Samples {
		calls := map[string]bool{}
		for _, m := range s.Messages {
			for _, c := range m.Made {
				calls[c.ID] = true
			}
			if m.Role == "tool" && !calls[m.Call] {
				t.Errorf("a result of %s, which is no call before it", m.Call)
			}
		}
		if len(s.Events) != 2 || s.Events[0].Data["loop_recovery_reason"] != "type_pending_value" ||
			len(s.Attachments) != 1 {
			t.Errorf("events %+v, %d frames", s.Events, len(s.Attachments))
		}
	}
}

func TestScoresOfInspect(t *testing.T) {
	for _, row := range []struct {
		name           string
		reason         cua.EndReason
		reward         *float64
		solvable       *bool
		strict, solved float64
	}{
		{"done", cua.EndDone, new(1.0), nil, 1, 1},
		{"earned without a word", cua.EndMaxSteps, new(1.0), nil, 0, 1},
		{"half", cua.EndDone, new(0.5), nil, 0, 0},
		{"stopped where nothing could be done", cua.EndDoneFailed, new(1.0), new(false), 1, 1},
		{"the machine", cua.EndEnvError, new(1.0), nil, 0, 0},
		{"no reward", cua.EndDone, nil, nil, 1, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := DatasetRun{Trajectory: goldenEpisode(t), Solvable: row.solvable}
			r.End.Reason, r.End.Reward, r.End.Success = row.reason, row.reward, true
			if strict, solved := successes(&r); strict != row.strict || solved != row.solved {
				t.Errorf("%v %v, want %v %v", strict, solved, row.strict, row.solved)
			}
		})
	}
}
