package formats

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// inspectVersion is the version of inspect_ai whose log format is written. The format is no frozen
// specification.
const inspectVersion = "0.3.260"

func inspectExporter() Exporter {
	return Exporter{Name: "inspect", About: "logs of Inspect AI " + inspectVersion + ", one for each arm",
		MediaType: "application/json", Ext: ".json", Frames: LastFrame,
		Write: func(w io.Writer, runs []DatasetRun, o ExportOptions) error {
			arms := byArm(runs)
			if len(arms) == 0 {
				return errNoneCounts
			}
			if len(arms) != 1 {
				return fmt.Errorf("trajectories: exporting inspect: a file holds the runs of one arm, found "+
					"%d arms: name a folder", len(arms))
			}
			return writeInspect(w, arms[0], o)
		},
		Folder: func(dir string, runs []DatasetRun, o ExportOptions) error {
			arms := byArm(runs)
			if len(arms) == 0 {
				return errNoneCounts
			}
			return writeFolder(dir, func(f *outFolder) error {
				for _, arm := range arms {
					l := inspectLogOf(arm)
					err := f.file(f.own(l.fileName(), inspectExt(o.LogFormat)), func(w io.Writer) error {
						return writeInspect(w, arm, o)
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		}}
}

// errNoneCounts is the error where each run is an attempt of a study that does not count.
var errNoneCounts = errors.New("trajectories: exporting inspect: no run counts for its cell: the study has " +
	"no result of it")

// byArm are the runs of each arm, in the order of the arms' first runs. An attempt that does not count for
// its cell of a study is left out.
func byArm(runs []DatasetRun) [][]DatasetRun {
	at := map[string]int{}
	var out [][]DatasetRun
	for _, r := range runs {
		if r.Scored != nil && !*r.Scored {
			continue
		}
		i, ok := at[r.Header.Arm]
		if !ok {
			i = len(out)
			at[r.Header.Arm] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return out
}

// inspectLog is an EvalLog, log version 2.
type inspectLog struct {
	Version     int             `json:"version"`
	Status      string          `json:"status"`
	Eval        inspectEval     `json:"eval"`
	Plan        map[string]any  `json:"plan"`
	Results     inspectResults  `json:"results"`
	Stats       map[string]any  `json:"stats"`
	Invalidated bool            `json:"invalidated"`
	Tags        []string        `json:"tags"`
	Metadata    map[string]any  `json:"metadata"`
	Samples     []inspectSample `json:"samples,omitzero"` // nil where each is a file
}

type inspectEval struct {
	ID        string            `json:"eval_id"`
	Run       string            `json:"run_id"`
	Created   string            `json:"created"`
	Task      string            `json:"task"`
	TaskID    string            `json:"task_id"`
	Version   int               `json:"task_version"`
	Attribs   map[string]any    `json:"task_attribs"`
	Args      map[string]any    `json:"task_args"`
	Passed    map[string]any    `json:"task_args_passed"`
	Dataset   map[string]any    `json:"dataset"`
	Model     string            `json:"model"`
	Generate  map[string]any    `json:"model_generate_config"`
	ModelArgs map[string]any    `json:"model_args"`
	Config    map[string]any    `json:"config"`
	Packages  map[string]string `json:"packages"`
	Metadata  map[string]any    `json:"metadata"`
}

type inspectResults struct {
	Total     int            `json:"total_samples"`
	Completed int            `json:"completed_samples"`
	Scores    []inspectScore `json:"scores"`
}

type inspectScore struct {
	Name    string                    `json:"name"`
	Scorer  string                    `json:"scorer"`
	Params  map[string]any            `json:"params"`
	Metrics map[string]map[string]any `json:"metrics"`
}

// writeInspect writes the log of the runs of one arm.
func writeInspect(w io.Writer, runs []DatasetRun, o ExportOptions) error {
	l, err := wholeInspectLog(runs, o.Frames)
	switch {
	case err != nil:
	case inspectExt(o.LogFormat) == ".eval":
		err = l.writeZip(w)
	default:
		enc := encoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		err = enc.Encode(l)
	}
	if err != nil {
		return fmt.Errorf("trajectories: exporting inspect: %w", err)
	}
	return nil
}

// wholeInspectLog is the log of the runs of one arm with its samples.
func wholeInspectLog(runs []DatasetRun, frames Frames) (*inspectLog, error) {
	l := inspectLogOf(runs)
	epochs := map[string]int{}
	var scores [3]float64
	usage := map[string]cua.Usage{}
	var last time.Time
	for i := range runs {
		b := inspectBuilder{run: &runs[i], frames: frames}
		s, err := b.sample()
		if err != nil {
			return nil, err
		}
		epochs[s.ID]++
		s.Epoch = epochs[s.ID]
		l.Samples = append(l.Samples, s)
		for k, name := range inspectScores {
			scores[k] += s.Scores[name].Value
		}
		usage[b.model()] = usage[b.model()].Plus(b.usage)
		if end := runs[i].End; end == nil {
			l.Status = "cancelled" // the log has episodes that have not ended
		} else {
			l.Results.Completed++
			if end.At.After(last) {
				last = end.At
			}
		}
	}
	l.finish(epochs, scores, usage, last)
	return l, nil
}

// inspectScores are the names of the scores: the reward was earned and the agent said so, the reward was
// earned, and the steps inside incidents that did not recover.
var inspectScores = []string{"strict", "solved", "wasted_steps"}

// inspectLogOf is the log of the runs of one arm, without its samples.
func inspectLogOf(runs []DatasetRun) *inspectLog {
	h := &runs[0].Header
	ids := sha256.New()
	var first time.Time
	for _, r := range runs {
		fmt.Fprintf(ids, "%s\x00", cmp.Or(r.Header.ID, r.Header.Episode))
		if at := r.Header.Started; !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	id := hex.EncodeToString(ids.Sum(nil))
	none := map[string]any{}
	packages := map[string]string{}
	if v := h.Build.String(); v != "" {
		packages["cua-runner"] = v
	}
	b := inspectBuilder{run: &runs[0]}
	return &inspectLog{Version: 2, Status: "success", Tags: []string{}, Samples: []inspectSample{},
		Metadata: map[string]any{"inspect_ai_version": inspectVersion},
		Plan:     map[string]any{"name": "plan", "steps": []any{}, "config": none},
		Eval: inspectEval{ID: id[:22], Run: id[:22], TaskID: id[22:44], Created: inspectTime(first),
			Task: "cua-runner", Attribs: none, Args: map[string]any{"arm": h.Arm}, Passed: none,
			Model: b.model(), Generate: none, ModelArgs: none, Packages: packages,
			Metadata: map[string]any{"arm": h.Arm, "toggles": h.Toggles}}}
}

// finish fills in what the samples come to.
func (l *inspectLog) finish(epochs map[string]int, sums [3]float64, usage map[string]cua.Usage,
	last time.Time) {
	most := 1
	ids := []string{}
	for id, n := range epochs {
		ids, most = append(ids, id), max(most, n)
	}
	slices.Sort(ids)
	l.Eval.Dataset = map[string]any{"name": "cua-runner", "samples": len(ids), "sample_ids": ids,
		"shuffled": false}
	l.Eval.Config = map[string]any{"epochs": most}
	l.Results.Total = len(l.Samples)
	for k, name := range inspectScores {
		mean := sums[k] / float64(max(len(l.Samples), 1))
		l.Results.Scores = append(l.Results.Scores, inspectScore{name, name, map[string]any{},
			map[string]map[string]any{"mean": {"name": "mean", "value": mean, "params": map[string]any{}}}})
	}
	ended := ""
	if !last.IsZero() {
		ended = inspectTime(last)
	}
	l.Stats = map[string]any{"started_at": l.Eval.Created, "completed_at": ended,
		"model_usage": inspectUsage(usage), "role_usage": map[string]any{}, "connection_limit_history": []any{}}
}

// fileName is a name that Inspect takes for a log: time, task and id.
func (l *inspectLog) fileName() string {
	at := strings.NewReplacer(":", "-", "+", "-").Replace(l.Eval.Created)
	r := DatasetRun{Run: fmt.Sprintf("%s_cua-runner-%s_%s", at, l.Eval.Args["arm"], l.Eval.ID)}
	return r.fileName()
}

func inspectTime(t time.Time) string {
	if t.IsZero() {
		t = time.UnixMilli(0)
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000+00:00")
}

// inspectUsage counts tokens as Inspect does: input tokens are those that no cache served or took.
func inspectUsage(usage map[string]cua.Usage) map[string]any {
	out := map[string]any{}
	for model, u := range usage {
		if u.Tokens() == 0 {
			continue
		}
		one := map[string]any{"input_tokens": u.InputTokens - u.CachedTokens - u.CacheWriteTokens,
			"output_tokens": u.OutputTokens, "total_tokens": u.Tokens()}
		for name, n := range map[string]int{"input_tokens_cache_read": u.CachedTokens,
			"input_tokens_cache_write": u.CacheWriteTokens, "reasoning_tokens": u.ReasoningTokens} {
			if n > 0 {
				one[name] = n
			}
		}
		if u.USD != nil {
			one["total_cost"] = *u.USD
		}
		out[model] = one
	}
	return out
}
