package formats

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

func TestOTel(t *testing.T) {
	tr := goldenEpisode(t)
	asModel(tr)
	for _, row := range []struct {
		golden  string
		content bool
	}{{"export.otel.jsonl", false}, {"export.otel-content.jsonl", true}} {
		files := exportedFiles(t, "otel", ExportOptions{Content: row.content}, DatasetRun{Trajectory: tr})
		compare(t, filepath.Join("testdata", row.golden), files["otel.jsonl"])
		for _, text := range []string{"Sign in as ada", "The field is focused", "<secret:PASSWORD>"} {
			if bytes.Contains(files["otel.jsonl"], []byte(text)) != row.content {
				t.Errorf("content %v: %q", row.content, text)
			}
		}
		var data otelData
		must(t, json.Unmarshal(files["otel.jsonl"], &data))
		spans := data.Resources[0].Scopes[0].Spans
		checkSpans(t, spans)
		if n := len(spans); n != 1+7+len(tr.Steps) && n != 1+2*len(tr.Steps) {
			t.Errorf("%d spans of %d steps", n, len(tr.Steps))
		}
	}
}

// checkSpans checks ids, the tree, times, and that each name is known.
func checkSpans(t *testing.T, spans []otelSpan) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "otel.names.txt"))
	must(t, err)
	known := append(strings.Split(string(raw), "\n"), "error.type", "cua.loop_recovery.reason",
		"cua.incident.id", "cua.effect")
	ids := map[string]bool{}
	for i, s := range spans {
		if len(s.Trace) != 32 || s.Trace != spans[0].Trace || len(s.ID) != 16 || ids[s.ID] ||
			(s.Parent == "") != (i == 0) || i > 0 && s.Parent != spans[0].ID {
			t.Errorf("ids of %+v", s)
		}
		ids[s.ID] = true
		if len(s.Start) != len(s.End) || s.Start > s.End || s.Start < spans[0].Start || s.End > spans[0].End {
			t.Errorf("%s lasts from %s to %s", s.Name, s.Start, s.End)
		}
		for _, a := range s.Attributes {
			if !slices.Contains(known, a.Key) || (a.Value.Text == nil) == (a.Value.Int == nil) {
				t.Errorf("%s: attribute %+v", s.Name, a)
			}
		}
	}
}

// A span is a failure where a step is one, a reply that could not be read calls no tool, and what no model
// decided is no chat.
func TestSpansOfSteps(t *testing.T) {
	click := cua.Action{Kind: cua.Click}
	tokens := cua.Usage{InputTokens: 5, Attempts: 1}
	for _, row := range []struct {
		name string
		step cua.Step
		want string
	}{
		{"a step of a model", cua.Step{Proposed: click, Action: &click, Usage: tokens}, "chat m, execute_tool click"},
		{"a step of a person", cua.Step{Proposed: click, Action: &click, By: cua.Person}, "execute_tool click"},
		{"an unreadable reply", cua.Step{Usage: tokens, Failure: &cua.Failure{Kind: cua.FailTimeout}}, "chat m failed"},
		{"a failed step", cua.Step{Proposed: click, Failure: &cua.Failure{Kind: cua.FailTimeout}}, "execute_tool click failed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.step.N = 1
			tr := &trajectories.Trajectory{Steps: []cua.Step{row.step}}
			tr.Header.Brain.Model = "m"
			data, err := otelSpans(tr, false)
			must(t, err)
			var got []string
			for _, s := range data.Resources[0].Scopes[0].Spans[1:] {
				name := s.Name
				if s.Status.Code == otelError {
					name += " failed"
				}
				got = append(got, name)
			}
			if strings.Join(got, ", ") != row.want {
				t.Errorf("%v, want %s", got, row.want)
			}
		})
	}
}
