package formats

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// otelConventions is the commit of open-telemetry/semantic-conventions-genai whose names are written. All of
// them are in development there.
const otelConventions = "002c8a6ea1c8a42b14a4527db83b3cabcded610a"

func otelExporter() Exporter {
	return Exporter{Name: "otel", About: "OpenTelemetry spans, as lines of OTLP JSON",
		MediaType: "application/jsonl", Ext: ".jsonl",
		Write: func(w io.Writer, runs []DatasetRun, o ExportOptions) error {
			enc := encoder(w)
			enc.SetEscapeHTML(false)
			for i := range runs {
				spans, err := otelSpans(runs[i].Trajectory, o.Content)
				if err == nil {
					err = enc.Encode(spans)
				}
				if err != nil {
					return fmt.Errorf("trajectories: exporting otel: %w", err)
				}
			}
			return nil
		}}
}

// The kinds of spans and the status of a failed one, as OTLP numbers them.
const (
	otelInternal = 1
	otelClient   = 3
	otelError    = 2
)

// otelData is one line: the spans of one episode.
type otelData struct {
	Resources []otelResource `json:"resourceSpans"`
}

type otelResource struct {
	Resource struct {
		Attributes []otelAttribute `json:"attributes"`
	} `json:"resource"`
	Scopes []otelScope `json:"scopeSpans"`
}

type otelScope struct {
	Scope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitzero"`
	} `json:"scope"`
	Spans []otelSpan `json:"spans"`
}

type otelSpan struct {
	Trace      string          `json:"traceId"` // hex, 16 bytes
	ID         string          `json:"spanId"`  // hex, 8 bytes
	Parent     string          `json:"parentSpanId,omitzero"`
	Name       string          `json:"name"`
	Kind       int             `json:"kind"`
	Start      string          `json:"startTimeUnixNano"`
	End        string          `json:"endTimeUnixNano"`
	Attributes []otelAttribute `json:"attributes"`
	Events     []otelEvent     `json:"events,omitzero"`
	Status     otelStatus      `json:"status"`
}

type otelStatus struct {
	Code int `json:"code,omitzero"`
}

type otelEvent struct {
	Time       string          `json:"timeUnixNano"`
	Name       string          `json:"name"`
	Attributes []otelAttribute `json:"attributes"`
}

type otelAttribute struct {
	Key   string    `json:"key"`
	Value otelValue `json:"value"`
}

// otelValue is a text or an integer, which OTLP JSON has as text.
type otelValue struct {
	Text *string `json:"stringValue,omitzero"`
	Int  *string `json:"intValue,omitzero"`
}

// otelAttributes leave out what is empty.
type otelAttributes []otelAttribute

func (a *otelAttributes) text(key, value string) {
	if value != "" {
		*a = append(*a, otelAttribute{key, otelValue{Text: &value}})
	}
}

func (a *otelAttributes) count(key string, n int) {
	if n > 0 {
		*a = append(*a, otelAttribute{key, otelValue{Int: new(strconv.Itoa(n))}})
	}
}

func (a *otelAttributes) json(key string, v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	a.text(key, strings.TrimSpace(b.String()))
	return err
}

func (a *otelAttributes) usage(u cua.Usage) {
	a.count("gen_ai.usage.input_tokens", u.InputTokens)
	a.count("gen_ai.usage.output_tokens", u.OutputTokens)
	a.count("gen_ai.usage.cache_read.input_tokens", u.CachedTokens)
	a.count("gen_ai.usage.reasoning.output_tokens", u.ReasoningTokens)
}

// otelBuilder makes the spans of one trajectory.
type otelBuilder struct {
	t       *trajectories.Trajectory
	content bool
	id      string // of the episode
	spans   []otelSpan
	// now is the end of the last step.
	now time.Time
}

// otelSpans are the spans of t. Ids are made of those of the episode and its steps, so that a second export
// is the same spans.
func otelSpans(t *trajectories.Trajectory, content bool) (*otelData, error) {
	b := otelBuilder{t: t, content: content, id: cmp.Or(t.Header.ID, t.Header.Episode)}
	if err := b.agent(); err != nil {
		return nil, err
	}
	for from, to := 0, 0; from < len(t.Steps); from = to {
		for to = from + 1; to < len(t.Steps) && t.Steps[to].Decision == t.Steps[from].Decision; {
			to++
		}
		if err := b.decision(from, to); err != nil {
			return nil, err
		}
	}
	root := &b.spans[0]
	if end := t.End; end != nil && end.At.After(b.now) {
		b.now = end.At
	}
	root.End = nanos(b.now)
	var r otelResource
	resource := otelAttributes{}
	resource.text("service.name", "cua-runner")
	resource.text("service.version", t.Header.Build.String())
	resource.text("cua.conventions.commit", otelConventions)
	s := otelScope{Spans: b.spans}
	s.Scope.Name, s.Scope.Version = "github.com/cua-runner/cua-runner", t.Header.Build.Version
	r.Resource.Attributes, r.Scopes = resource, []otelScope{s}
	return &otelData{[]otelResource{r}}, nil
}

// span begins a span below the root, or the root itself.
func (b *otelBuilder) span(name, key string, kind int, a otelAttributes) otelSpan {
	out := otelSpan{Trace: b.hash("", 16), ID: b.hash(key, 8), Name: name, Kind: kind, Attributes: a}
	if len(b.spans) > 0 {
		out.Parent = b.spans[0].ID
	}
	return out
}

// hash is n bytes that stand for a part of the episode.
func (b *otelBuilder) hash(key string, n int) string {
	sum := sha256.Sum256([]byte(b.id + "\x00" + key))
	return hex.EncodeToString(sum[:n])
}

// agent is the root: the episode.
func (b *otelBuilder) agent() error {
	h := &b.t.Header
	a := b.operation("invoke_agent")
	a.text("gen_ai.request.model", h.Brain.Model)
	var usage cua.Usage
	for i := range b.t.Steps {
		usage = usage.Plus(b.t.Steps[i].Usage)
	}
	a.usage(usage)
	failed := b.t.End != nil && !b.t.End.Success
	if failed {
		a.text("error.type", string(b.t.End.Reason))
	}
	if b.content {
		err := a.json("gen_ai.input.messages", []any{otelMessage("user", otelText("text", h.Task.Goal))})
		if err != nil {
			return err
		}
	}
	s := b.span("invoke_agent cua-runner", "agent", otelInternal, a)
	s.fail(failed)
	b.now = h.Started
	if b.now.IsZero() {
		b.now = time.UnixMilli(0)
	}
	s.Start = nanos(b.now)
	b.spans = append(b.spans, s)
	return nil
}

// operation are the attributes that all spans have.
func (b *otelBuilder) operation(name string) otelAttributes {
	h := &b.t.Header
	var a otelAttributes
	a.text("gen_ai.operation.name", name)
	a.text("gen_ai.provider.name", provider(h.Brain.Name))
	a.text("gen_ai.agent.name", "cua-runner")
	a.text("gen_ai.agent.version", h.Build.Version)
	a.text("gen_ai.conversation.id", b.id)
	return a
}

// provider is what the conventions call the vendor of a brain. Other brains are their own.
func provider(brain string) string {
	name, _, _ := strings.Cut(brain, ":")
	if name == "gemini" {
		return "gcp.gemini"
	}
	return name
}

func (s *otelSpan) fail(failed bool) {
	if failed {
		s.Status.Code = otelError
	}
}

// decision is one answer of the brain: a chat if a model gave it, and a tool for each of its steps.
func (b *otelBuilder) decision(from, to int) error {
	var usage cua.Usage
	for i := from; i < to; i++ {
		usage = usage.Plus(b.t.Steps[i].Usage)
	}
	first := &b.t.Steps[from]
	start := b.begin(first)
	decided := start.Add(millis(first.Timing.Turn + first.Timing.Decide))
	if modelMade(first, usage) {
		if err := b.chat(from, to, usage, start, decided); err != nil {
			return err
		}
	}
	for i := from; i < to; i++ {
		s := &b.t.Steps[i]
		if i > from {
			start = b.begin(s)
			decided = start.Add(millis(s.Timing.Turn + s.Timing.Decide))
		}
		b.now = start.Add(millis(s.Timing.Total()))
		if s.Proposed.Kind == "" { // a reply that could not be read is no call
			continue
		}
		if err := b.tool(s, decided); err != nil {
			return err
		}
	}
	return nil
}

// begin is when s began: it was recorded at its end. A journal without times has the steps one after another.
func (b *otelBuilder) begin(s *cua.Step) time.Time {
	if s.AtMS > 0 {
		if at := time.UnixMilli(s.AtMS).Add(-millis(s.Timing.Total())); at.After(b.now) {
			return at
		}
	}
	return b.now
}

func (b *otelBuilder) chat(from, to int, usage cua.Usage, start, end time.Time) error {
	first, model := &b.t.Steps[from], b.t.Header.Brain.Model
	a := b.operation("chat")
	a.text("gen_ai.request.model", model)
	a.usage(usage)
	failed := first.Proposed.Kind == "" && first.Failure != nil
	if failed {
		a.text("error.type", string(first.Failure.Kind))
	}
	if b.content {
		if err := b.messages(&a, from, to); err != nil {
			return err
		}
	}
	s := b.span(strings.TrimSpace("chat "+model), fmt.Sprintf("chat %d", first.N), otelClient, a)
	s.fail(failed)
	s.Start, s.End = nanos(start), nanos(end)
	b.spans = append(b.spans, s)
	return nil
}

// messages are what the brain was sent, as recorded, and its answer.
func (b *otelBuilder) messages(a *otelAttributes, from, to int) error {
	first := &b.t.Steps[from]
	sent := b.t.Header.Task.Goal
	if first.PromptSHA != "" {
		raw, err := b.t.Blob(first.PromptSHA)
		if err != nil {
			return err
		}
		sent = string(raw)
	}
	err := a.json("gen_ai.input.messages", []any{otelMessage("user", otelText("text", sent))})
	if err != nil {
		return err
	}
	var parts []any
	if first.Thought != "" {
		parts = append(parts, otelText("reasoning", first.Thought))
	}
	for i := from; i < to; i++ {
		if s := &b.t.Steps[i]; s.Proposed.Kind != "" {
			parts = append(parts, event{"type": "tool_call", "id": callID(s), "name": s.Proposed.Kind,
				"arguments": arguments(s.Proposed)})
		}
	}
	answer := otelMessage("assistant", parts...)
	answer["finish_reason"] = "tool_call"
	return a.json("gen_ai.output.messages", []any{answer})
}

func otelText(kind, text string) event { return event{"type": kind, "content": text} }

func otelMessage(role string, parts ...any) event { return event{"role": role, "parts": parts} }

// tool is a step.
func (b *otelBuilder) tool(s *cua.Step, start time.Time) error {
	kind := string(traceKind(s))
	a := b.operation("execute_tool")
	a.text("gen_ai.tool.name", kind)
	a.text("gen_ai.tool.call.id", callID(s))
	a.text("cua.loop_recovery.reason", string(s.RecoveryReason))
	if in := b.t.IncidentAt(s.N); in != nil {
		a.text("cua.incident.id", in.ID)
	}
	switch {
	case s.Effect == nil:
	case s.Effect.Any():
		a.text("cua.effect", joinedChanges(s.Effect.Progress))
	default:
		a.text("cua.effect", "none")
	}
	if s.Failure != nil {
		a.text("error.type", string(s.Failure.Kind))
	}
	if b.content {
		did := s.Proposed
		if s.Action != nil {
			did = *s.Action
		}
		if err := a.json("gen_ai.tool.call.arguments", arguments(did)); err != nil {
			return err
		}
		if words := outcomeWords(s); words != "" {
			if err := a.json("gen_ai.tool.call.result", event{"outcome": words}); err != nil {
				return err
			}
		}
	}
	out := b.span("execute_tool "+kind, fmt.Sprintf("step %d", s.N), otelInternal, a)
	out.fail(s.Failure != nil)
	for _, g := range s.Signals {
		var about otelAttributes
		about.text("cua.signal.level", string(g.Level))
		about.count("cua.signal.run", g.Run)
		about.count("cua.signal.since_step", g.Since)
		out.Events = append(out.Events, otelEvent{nanos(start), "cua.signal." + string(g.Shape), about})
	}
	out.Start, out.End = nanos(start), nanos(b.now)
	b.spans = append(b.spans, out)
	return nil
}

func millis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

func nanos(t time.Time) string { return strconv.FormatInt(max(t.UnixNano(), 0), 10) }
