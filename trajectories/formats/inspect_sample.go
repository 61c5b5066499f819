package formats

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// inspectSample is an EvalSample: one episode.
type inspectSample struct {
	ID          string                       `json:"id"`
	Epoch       int                          `json:"epoch"`
	Input       string                       `json:"input"`
	Target      string                       `json:"target"`
	Messages    []inspectMessage             `json:"messages"`
	Output      map[string]any               `json:"output"`
	Scores      map[string]inspectScoreValue `json:"scores"`
	Metadata    map[string]any               `json:"metadata"`
	Store       map[string]any               `json:"store"`
	Events      []map[string]any             `json:"events"`
	Usage       map[string]any               `json:"model_usage"`
	Roles       map[string]any               `json:"role_usage"`
	Started     string                       `json:"started_at,omitzero"`
	Ended       string                       `json:"completed_at,omitzero"`
	Seconds     float64                      `json:"total_time"`
	Error       map[string]any               `json:"error,omitzero"`
	Attachments map[string]string            `json:"attachments"`

	ended bool
}

type inspectScoreValue struct {
	Value   float64 `json:"value"`
	History []any   `json:"history"`
}

type inspectMessage struct {
	ID       string           `json:"id"`
	Role     string           `json:"role"`
	Content  any              `json:"content"` // a text, or parts
	Model    string           `json:"model,omitzero"`
	Source   string           `json:"source,omitzero"`
	Calls    []map[string]any `json:"tool_calls,omitzero"`
	Call     string           `json:"tool_call_id,omitzero"`
	Function string           `json:"function,omitzero"`
	Error    map[string]any   `json:"error,omitzero"`
	Metadata map[string]any   `json:"metadata,omitzero"`
}

// inspectBuilder makes the sample of one run.
type inspectBuilder struct {
	run    *DatasetRun
	frames Frames
	out    inspectSample
	live   map[int]bool
	usage  cua.Usage
	spent  float64 // ms before the step
}

// model is what Inspect calls the model: the brain.
func (b *inspectBuilder) model() string { return cmp.Or(b.run.Header.Brain.Name, "unknown") }

func (b *inspectBuilder) sample() (inspectSample, error) {
	h, steps := &b.run.Header, b.run.Steps
	b.live = liveSteps(steps)
	b.out = inspectSample{ID: fmt.Sprintf("%s seed %d", cmp.Or(h.Task.ID, h.Episode), h.Task.Seed),
		Input: h.Task.Goal, Store: map[string]any{}, Events: []map[string]any{}, Roles: map[string]any{},
		Attachments: map[string]string{}}
	if !h.Started.IsZero() {
		b.out.Started = inspectTime(h.Started)
	}
	content, err := b.content(h.Task.Goal, b.run.Start.FrameSHA, b.frames == AllFrames)
	if err != nil {
		return b.out, err
	}
	b.say(inspectMessage{Role: "user", Content: content, Source: "input"})
	for from, to := 0, 0; from < len(steps); from = to {
		for to = from + 1; to < len(steps) && steps[to].Decision == steps[from].Decision; {
			to++
		}
		if err := b.decision(from, to); err != nil {
			return b.out, err
		}
	}
	b.end()
	return b.out, nil
}

// say adds a message.
func (b *inspectBuilder) say(m inspectMessage) {
	m.ID = fmt.Sprintf("m%d", len(b.out.Messages)+1)
	b.out.Messages = append(b.out.Messages, m)
}

// decision is one answer of the brain with its results.
func (b *inspectBuilder) decision(from, to int) error {
	first := &b.run.Steps[from]
	var parts []any
	if first.Thought != "" {
		parts = append(parts, event{"type": "reasoning", "reasoning": first.Thought, "redacted": false})
	}
	if first.Proposed.Why != "" {
		parts = append(parts, event{"type": "text", "text": first.Proposed.Why})
	}
	m := inspectMessage{Role: "assistant", Content: parts, Model: b.model(), Source: "generate",
		Metadata: event{"by": first.By}}
	if len(parts) == 0 {
		m.Content = ""
	}
	for i := from; i < to; i++ {
		if s := &b.run.Steps[i]; s.Proposed.Kind != "" {
			m.Calls = append(m.Calls, event{"id": callID(s), "function": s.Proposed.Kind, "type": "function",
				"arguments": arguments(s.Proposed)})
		}
	}
	b.say(m)
	for i := from; i < to; i++ {
		if err := b.step(i); err != nil {
			return err
		}
	}
	return nil
}

// step is the result of step i, and the substitution of what was proposed.
func (b *inspectBuilder) step(i int) error {
	s := &b.run.Steps[i]
	b.usage = b.usage.Plus(s.Usage)
	shown := b.frames == AllFrames || b.frames == LastFrame && i == len(b.run.Steps)-1
	content, err := b.content(outcomeWords(s), s.After.FrameSHA, shown)
	if err != nil {
		return err
	}
	m := inspectMessage{Role: "tool", Content: content, Call: callID(s), Function: string(s.Proposed.Kind),
		Metadata: event{"step": s.N, "dispatched": s.Action, "undone": !b.live[s.N]}}
	if s.Proposed.Kind == "" { // a reply that could not be read calls nothing
		m = inspectMessage{Role: "user", Content: content, Source: "generate", Metadata: m.Metadata}
	} else if s.Failure != nil {
		m.Error = event{"type": "unknown", "message": string(s.Failure.Kind) + ": " + s.Failure.Detail}
	}
	b.say(m)
	if s.RecoveryReason != "" && s.Substituted() {
		b.substituted(s)
	}
	b.spent += s.Timing.Total()
	return nil
}

// substituted adds the event of a recovery that was dispatched.
func (b *inspectBuilder) substituted(s *cua.Step) {
	data := event{"step": s.N, "loop_recovery_reason": s.RecoveryReason, "proposed": s.Proposed,
		"dispatched": *s.Action}
	if in := b.run.IncidentAt(s.N); in != nil {
		data["incident"], data["outcome"] = in.ID, in.Outcome
	}
	at := b.run.Header.Started.Add(millis(b.spent))
	if s.AtMS > 0 {
		at = time.UnixMilli(s.AtMS)
	}
	b.out.Events = append(b.out.Events, event{"event": "info", "source": "cua-runner", "data": data,
		"timestamp": inspectTime(at), "working_start": b.spent / 1000})
}

// content is a text, with a frame where one is shown. A frame is in the attachments once.
func (b *inspectBuilder) content(text, sha string, shown bool) (any, error) {
	if !shown || sha == "" {
		return text, nil
	}
	if _, ok := b.out.Attachments[sha]; !ok {
		data, err := b.run.Blob(sha)
		if err != nil {
			return nil, err
		}
		b.out.Attachments[sha] = "data:" + mimeOf(sha+imageExt(data)) + ";base64," +
			base64.StdEncoding.EncodeToString(data)
	}
	parts := []any{}
	if text != "" {
		parts = append(parts, event{"type": "text", "text": text})
	}
	return append(parts, event{"type": "image", "image": "attachment://" + sha, "detail": "auto"}), nil
}

// end fills in the scores, the output and why the episode ended.
func (b *inspectBuilder) end() {
	r := trajectories.Summarize(b.run.Trajectory, b.run.Incidents)
	strict, solved := successes(b.run)
	score := func(v float64) inspectScoreValue { return inspectScoreValue{v, []any{}} }
	b.out.Scores = map[string]inspectScoreValue{"strict": score(strict), "solved": score(solved),
		"wasted_steps": score(float64(r.WastedSteps))}
	h := &b.run.Header
	b.out.Metadata = map[string]any{"episode": h.Episode, "id": r.ID, "arm": h.Arm, "seed": h.Task.Seed,
		"attempt": h.Attempt, "termination_reason": r.TerminationReason,
		"loop_recoveries_by_reason": r.LoopRecoveries, "steps": r.Steps}
	if r.Reward != nil {
		b.out.Metadata["reward"] = *r.Reward
	}
	b.out.Seconds = float64(r.DurationMS) / 1000
	b.out.Usage = inspectUsage(map[string]cua.Usage{b.model(): b.usage})
	b.out.Output = map[string]any{"model": b.model(), "choices": []any{}, "completion": r.Answer}
	if b.run.End == nil {
		return
	}
	b.out.ended = true
	if !b.run.End.At.IsZero() {
		b.out.Ended = inspectTime(b.run.End.At)
	}
	if b.run.End.Reason.Infrastructure() {
		b.out.Error = event{"message": string(r.TerminationReason) + ": " + r.Detail, "traceback": "",
			"traceback_ansi": ""}
	}
}

// successes are 1 or 0, as a study counts them: the reward was earned and the agent said that it was done,
// and the reward was earned. Without a reward both are what the episode claimed.
func successes(r *DatasetRun) (strict, solved float64) {
	end := r.End
	if end == nil || end.Reason.Infrastructure() {
		return 0, 0
	}
	if end.Reward == nil {
		if end.Success {
			return 1, 1
		}
		return 0, 0
	}
	if *end.Reward < 1 {
		return 0, 0
	}
	if end.Reason == cua.EndDone || end.Reason == cua.EndEnvEnded || r.Solvable != nil && !*r.Solvable {
		strict = 1
	}
	return strict, 1
}
