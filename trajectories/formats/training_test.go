package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

func TestGoldenTrainingData(t *testing.T) {
	run := DatasetRun{Trajectory: goldenEpisode(t)}
	o := anyBrain
	for _, row := range []struct {
		format, layout, file, golden, schema string
	}{
		{"sft", LayoutOpenAI, "cua_sft.jsonl", "export.sft.jsonl", "sft.schema.json"},
		{"dpo", LayoutOpenAI, "cua_dpo.jsonl", "export.dpo.jsonl", "dpo.schema.json"},
		{"sft", LayoutLLaMAFactory, "cua_sft.json", "export.sft.json", "sft_factory.schema.json"},
		{"dpo", LayoutLLaMAFactory, "cua_dpo.json", "export.dpo.json", "dpo_factory.schema.json"},
	} {
		t.Run(row.format+" "+row.layout, func(t *testing.T) {
			o.Training.Layout = row.layout
			files := exportedFiles(t, row.format, o, run)
			data := files[row.file]
			compare(t, filepath.Join("testdata", row.golden), data)
			if len(data) < 10 {
				t.Fatal("no samples")
			}
			if row.layout == LayoutOpenAI {
				for line := range bytes.Lines(data) {
					must(t, checkSchema(t, row.schema, line))
				}
				return
			}
			must(t, checkSchema(t, row.schema, data))
			must(t, imagesFit(data, files))
			var info map[string]struct {
				File string `json:"file_name"`
			}
			must(t, json.Unmarshal(files["dataset_info.json"], &info))
			if info["cua_"+row.format].File != row.file {
				t.Errorf("dataset_info.json names %+v", info)
			}
			if imagesFit(bytes.ReplaceAll(data, []byte(imageMark), nil), files) == nil ||
				imagesFit(data, nil) == nil {
				t.Error("missing marks or images were not seen")
			}
		})
	}
}

// imagesFit checks that the images of each entry are there, and are as many as its marks.
func imagesFit(data []byte, files map[string][]byte) error {
	var list []struct {
		Messages []struct{ Content string }
		Images   []string
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for i, e := range list {
		marks := 0
		for _, m := range e.Messages {
			marks += strings.Count(m.Content, imageMark)
		}
		if marks != len(e.Images) {
			return fmt.Errorf("entry %d: %d marks and %d images", i, marks, len(e.Images))
		}
		for _, name := range e.Images {
			if files[name] == nil {
				return fmt.Errorf("entry %d: no file %s", i, name)
			}
		}
	}
	return nil
}

// steps are the steps that become samples.
func sampleSteps(tr *trajectories.Trajectory, o TrainingOptions, format string) []int {
	pick := supervised
	if format == "dpo" {
		pick = preferred
	}
	out := []int{}
	all := ExportOptions{Training: o, Frames: NoFrames}
	for _, s := range samplesOf([]DatasetRun{{Trajectory: tr}}, all, pick) {
		out = append(out, s.step.N)
	}
	return out
}

// In the golden episode steps 4 and 7 were replaced, 5 is a refused done, and 4 to 7 are an incident that
// recovered.
func TestWhatBecomesASample(t *testing.T) {
	for _, row := range []struct {
		name, format string
		o            TrainingOptions
		change       func(tr *trajectories.Trajectory)
		want         string
	}{
		{"a heuristic brain teaches nothing", "sft", TrainingOptions{}, nil, "[]"},
		{"unless it is asked for", "sft", TrainingOptions{AnyBrain: true}, nil, "[1 2 3 6 8]"},
		{"what was dispatched", "sft", TrainingOptions{AnyBrain: true, Replaced: replacedDispatched}, nil, "[1 2 3 4 6 7 8]"},
		{"what was dispatched is the policy's own", "sft", TrainingOptions{Replaced: replacedDispatched}, nil, "[4 7]"},
		{"what was proposed", "sft", TrainingOptions{AnyBrain: true, Replaced: replacedProposed}, nil, "[1 2 3 4 6 7 8]"},
		{"an incident that did not recover", "sft", TrainingOptions{AnyBrain: true},
			func(tr *trajectories.Trajectory) { tr.Incidents[0].Outcome = cua.OutcomeHalted }, "[1 2 3 8]"},
		{"an episode that was not solved", "sft", TrainingOptions{AnyBrain: true},
			func(tr *trajectories.Trajectory) { tr.End.Reward = new(0.0) }, "[]"},
		{"unless all are asked for", "sft", TrainingOptions{AnyBrain: true, All: true},
			func(tr *trajectories.Trajectory) { tr.End.Reward = new(0.0) }, "[1 2 3 6 8]"},
		{"a model", "sft", TrainingOptions{}, asModel, "[1 2 3 6 8]"},
		{"a model with faults", "sft", TrainingOptions{}, func(tr *trajectories.Trajectory) {
			asModel(tr)
			tr.Header.Brain.Settings = json.RawMessage(`{"rates":[{"name":"jitter","rate":0.3}],"seed":1}`)
		}, "[]"},
		{"steps that a rewind undid", "sft", TrainingOptions{AnyBrain: true},
			func(tr *trajectories.Trajectory) { tr.Steps[5].RewoundTo = 2 }, "[1 6 8]"},
		{"a pair", "dpo", TrainingOptions{}, nil, "[4]"},
		{"a proposal that had worked is no worse", "dpo", TrainingOptions{}, func(tr *trajectories.Trajectory) {
			tr.Steps[1].Effect, tr.Steps[2].Effect = &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}}, nil
		}, "[]"},
		{"a replacement without effect is no better", "dpo", TrainingOptions{}, func(tr *trajectories.Trajectory) {
			tr.Steps[3].Effect = &cua.Effect{}
		}, "[]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			tr := goldenEpisode(t)
			if row.change != nil {
				row.change(tr)
			}
			if got := fmt.Sprint(sampleSteps(tr, row.o, row.format)); got != row.want {
				t.Errorf("samples of the steps %s, want %s", got, row.want)
			}
		})
	}
}

func asModel(tr *trajectories.Trajectory) {
	tr.Header.Brain = trajectories.BrainInfo{Name: "anthropic:large", Model: "large"}
	for i := range tr.Steps {
		tr.Steps[i].By = "anthropic:large"
	}
}
