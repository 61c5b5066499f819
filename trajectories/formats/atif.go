package formats

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// atifVersion is the version that is written. Version 1.8 only adds audio, and strict readers know this one.
const atifVersion = "ATIF-v1.7"

// atifRun is a trajectory in the Agent Trajectory Interchange Format, version 1.7.
type atifRun struct {
	Schema     string     `json:"schema_version"`
	Session    string     `json:"session_id,omitzero"`
	Trajectory string     `json:"trajectory_id,omitzero"`
	Agent      atifAgent  `json:"agent"`
	Steps      []atifStep `json:"steps"`
	Final      *atifFinal `json:"final_metrics,omitzero"`
	// Extra are the fields of a trajectory of the neutral form, and what an episode has beside them.
	Extra map[string]any `json:"extra,omitzero"`
}

type atifAgent struct {
	Name    string         `json:"name"`
	Version string         `json:"version"`
	Model   string         `json:"model_name,omitzero"`
	Tools   []tool         `json:"tool_definitions,omitzero"`
	Extra   map[string]any `json:"extra,omitzero"`
}

type atifStep struct {
	ID        int              `json:"step_id"`
	Time      string           `json:"timestamp,omitzero"`
	Source    string           `json:"source"`
	Model     string           `json:"model_name,omitzero"`
	Message   any              `json:"message"` // a text, or parts
	Reasoning string           `json:"reasoning_content,omitzero"`
	Calls     []atifCall       `json:"tool_calls,omitzero"`
	Seen      *atifObservation `json:"observation,omitzero"`
	Metrics   *atifMetrics     `json:"metrics,omitzero"`
	LLMCalls  *int             `json:"llm_call_count,omitzero"`
	Extra     map[string]any   `json:"extra,omitzero"`
}

type atifCall struct {
	ID        string         `json:"tool_call_id"`
	Name      string         `json:"function_name"`
	Arguments map[string]any `json:"arguments"`
	Extra     atifCallExtra  `json:"extra,omitzero"`
}

// atifCallExtra is the step in the neutral form, with what that has no words for.
type atifCallExtra struct {
	neutralStep
	Number     int          `json:"number"`
	Dispatched any          `json:"dispatched"` // the action; null: none was
	Rulings    []cua.Ruling `json:"rulings,omitzero"`
	Signals    []cua.Signal `json:"signals,omitzero"`
	Incident   string       `json:"incident,omitzero"`
	// Undone says that a rewind undid it.
	Undone bool `json:"undone,omitzero"`
}

type atifObservation struct {
	Results []atifResult `json:"results"`
}

type atifResult struct {
	Call    string     `json:"source_call_id,omitzero"`
	Content []atifPart `json:"content,omitzero"`
}

type atifPart struct {
	Type   string      `json:"type"`
	Text   string      `json:"text,omitzero"`
	Source *atifSource `json:"source,omitzero"`
}

type atifSource struct {
	Media string `json:"media_type"`
	Path  string `json:"path"`
}

type atifMetrics struct {
	Prompt     int      `json:"prompt_tokens,omitzero"`
	Completion int      `json:"completion_tokens,omitzero"`
	Cached     int      `json:"cached_tokens,omitzero"`
	USD        *float64 `json:"cost_usd,omitzero"`
}

type atifFinal struct {
	Prompt     int            `json:"total_prompt_tokens,omitzero"`
	Completion int            `json:"total_completion_tokens,omitzero"`
	Cached     int            `json:"total_cached_tokens,omitzero"`
	USD        *float64       `json:"total_cost_usd,omitzero"`
	Steps      int            `json:"total_steps"`
	Extra      map[string]any `json:"extra,omitzero"`
}

func atifExporter() Exporter {
	return Exporter{Name: "atif", About: "Agent Trajectory Interchange Format 1.7",
		MediaType: "application/json", Ext: ".json", Frames: AllFrames, One: true,
		Write: func(w io.Writer, runs []DatasetRun, o ExportOptions) error {
			t, err := only(runs, "atif")
			if err != nil {
				return err
			}
			return writeATIF(w, t, nil, NoFrames)
		},
		Folder: func(dir string, runs []DatasetRun, o ExportOptions) error {
			nameRuns(runs)
			return writeFolder(dir, func(f *outFolder) error {
				for i := range runs {
					err := f.file(f.own(runs[i].fileName(), ".json"), func(w io.Writer) error {
						return writeATIF(w, runs[i].Trajectory, f, o.Frames)
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		}}
}

func writeATIF(w io.Writer, t *trajectories.Trajectory, f *outFolder, frames Frames) error {
	b := atifBuilder{t: t, folder: f, frames: frames, live: liveSteps(t.Steps), neutral: neutral(t)}
	doc, err := b.run()
	if err != nil {
		return err
	}
	enc := encoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("trajectories: exporting atif: %w", err)
	}
	return nil
}

// atifBuilder makes the document of one trajectory.
type atifBuilder struct {
	t       *trajectories.Trajectory
	folder  *outFolder
	frames  Frames
	live    map[int]bool
	neutral neutralLine
	result  trajectories.RunResult
}

func (b *atifBuilder) run() (*atifRun, error) {
	h := &b.t.Header
	b.result = trajectories.Summarize(b.t, b.t.Incidents)
	version := h.Build.String()
	if version == "" {
		version = "unknown"
	}
	out := &atifRun{Schema: atifVersion, Session: b.result.ID, Trajectory: b.result.ID,
		Agent: atifAgent{Name: "cua-runner", Version: version, Model: h.Brain.Model, Tools: tools(),
			Extra: map[string]any{"brain": h.Brain.Name, "arm": h.Arm}}}
	first, err := b.goal()
	if err != nil {
		return nil, err
	}
	out.Steps = append(out.Steps, first)
	for from, to := 0, 0; from < len(b.t.Steps); from = to {
		for to = from + 1; to < len(b.t.Steps) && b.t.Steps[to].Decision == b.t.Steps[from].Decision; {
			to++
		}
		s, err := b.decision(from, to)
		if err != nil {
			return nil, err
		}
		s.ID = len(out.Steps) + 1
		out.Steps = append(out.Steps, s)
	}
	r := &b.result
	out.Final = &atifFinal{Prompt: r.InputTokens, Completion: r.OutputTokens, Cached: r.CachedTokens,
		USD: r.USD, Steps: len(out.Steps), Extra: map[string]any{
			"loop_recoveries_by_reason": r.LoopRecoveries, "endings": r.Endings,
			"done_rejections_by_reason": r.DoneRejections, "wasted_steps": r.WastedSteps,
			"termination_reason": r.TerminationReason}}
	if out.Extra, err = asMap(b.neutral.neutralHead); err != nil {
		return nil, err
	}
	if r.Reward != nil {
		out.Extra["reward"] = *r.Reward
	}
	return out, nil
}

// goal is the first step: the task, on the page that the episode starts with.
func (b *atifBuilder) goal() (atifStep, error) {
	h := &b.t.Header
	s := atifStep{ID: 1, Source: "user", Message: h.Task.Goal,
		Extra: map[string]any{"url": cua.PublicURL(h.Task.URL)}}
	if !h.Started.IsZero() {
		s.Time = h.Started.UTC().Format(time.RFC3339Nano)
	}
	if b.frames == AllFrames && b.t.Start.FrameSHA != "" {
		part, err := b.picture(b.t.Start.FrameSHA)
		if err != nil {
			return s, err
		}
		s.Message = []atifPart{{Type: "text", Text: h.Task.Goal}, part}
	}
	return s, nil
}

// decision is one answer of the brain: the steps from (from) to the one before (to).
func (b *atifBuilder) decision(from, to int) (atifStep, error) {
	first := &b.t.Steps[from]
	var usage cua.Usage
	out := atifStep{Source: "agent", Message: first.Proposed.Why, Seen: &atifObservation{},
		Extra: map[string]any{"by": first.By}}
	if first.AtMS > 0 {
		out.Time = time.UnixMilli(first.AtMS).UTC().Format(time.RFC3339Nano)
	}
	for i := from; i < to; i++ {
		s := &b.t.Steps[i]
		usage = usage.Plus(s.Usage)
		result, err := b.outcome(i)
		if err != nil {
			return out, err
		}
		out.Seen.Results = append(out.Seen.Results, result)
		if s.Proposed.Kind == "" { // a reply that could not be read calls nothing
			out.Seen.Results[len(out.Seen.Results)-1].Call = ""
			out.Extra["unparsed"] = b.neutral.Steps[i]
			continue
		}
		out.Calls = append(out.Calls, b.call(i))
	}
	if len(first.Notes) > 0 {
		out.Extra["notes"] = first.Notes
	}
	if seen := b.sentinels(from, to); len(seen) > 0 {
		out.Extra["sentinels"] = seen
	}
	if !modelMade(first, usage) {
		out.LLMCalls = new(0)
		if first.Thought != "" {
			out.Extra["thought"] = first.Thought
		}
		return out, nil
	}
	out.Model, out.Reasoning = b.t.Header.Brain.Model, first.Thought
	if usage.Attempts > 0 {
		out.LLMCalls = new(usage.Attempts)
	}
	if usage.Tokens() > 0 || usage.USD != nil {
		out.Metrics = &atifMetrics{usage.InputTokens, usage.OutputTokens, usage.CachedTokens, usage.USD}
	}
	return out, nil
}

func (b *atifBuilder) call(i int) atifCall {
	s := &b.t.Steps[i]
	c := atifCall{ID: callID(s), Name: string(s.Proposed.Kind), Arguments: arguments(s.Proposed),
		Extra: atifCallExtra{neutralStep: b.neutral.Steps[i], Number: s.N, Rulings: s.Rulings,
			Signals: s.Signals, Undone: !b.live[s.N]}}
	c.Extra.Thought, c.Extra.USD, c.Extra.Tokens = "", nil, nil // the step has them
	if s.Action != nil {
		c.Extra.Dispatched = *s.Action
	}
	if in := b.t.IncidentAt(s.N); in != nil {
		c.Extra.Incident = in.ID
	}
	return c
}

// outcome is the outcome of step i, with the frame after it where frames are wanted.
func (b *atifBuilder) outcome(i int) (atifResult, error) {
	s := &b.t.Steps[i]
	out := atifResult{Call: callID(s)}
	if text := outcomeWords(s); text != "" {
		out.Content = append(out.Content, atifPart{Type: "text", Text: text})
	}
	last := i == len(b.t.Steps)-1
	if s.After.FrameSHA == "" || b.frames != AllFrames && (b.frames != LastFrame || !last) {
		return out, nil
	}
	part, err := b.picture(s.After.FrameSHA)
	out.Content = append(out.Content, part)
	return out, err
}

func (b *atifBuilder) picture(sha string) (atifPart, error) {
	path, mime, err := b.folder.image(b.t, sha)
	return atifPart{Type: "image", Source: &atifSource{mime, path}}, err
}

// sentinels are those of the steps from (from) to the one before (to).
func (b *atifBuilder) sentinels(from, to int) (out []trajectories.Sentinel) {
	for _, s := range b.result.Sentinels {
		if s.Step >= b.t.Steps[from].N && s.Step <= b.t.Steps[to-1].N {
			out = append(out, s)
		}
	}
	return out
}

// callID names the call of a step within its episode.
func callID(s *cua.Step) string { return fmt.Sprintf("s%d", s.N) }

func asMap(v any) (map[string]any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(raw, &out)
}
