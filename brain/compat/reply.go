package compat

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"github.com/cua-runner/cua-runner/brain/compat/dialect"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// read converts a completion into a reply: native calls first, then the calls in the text.
func (w *wire) read(res *sdk.ChatCompletion) model.Reply {
	r := model.Reply{Usage: used(res.Usage)}
	if len(res.Choices) == 0 {
		r.Failure = model.Unreadable("the completion has no choices", res.RawJSON())
		w.answered(message{})
		return r
	}
	c := res.Choices[0]
	m := c.Message
	r.Thought = reasoning(m)
	switch {
	case m.Refusal != "":
		r.Refused, r.Thought = true, m.Refusal
		return r
	case c.FinishReason == "length":
		r.Failure = model.Cut(m.Content)
		w.answered(message{text: m.Content})
		return r
	case c.FinishReason == "content_filter":
		r.Failure = &cua.Failure{Kind: cua.FailModel, Detail: "the completion was cut by a content filter"}
		w.answered(message{text: m.Content})
		return r
	}
	if len(m.ToolCalls) > 0 {
		w.native(&r, m)
	} else {
		w.spoken(&r, m.Content)
	}
	return r
}

// reasoning is the reasoning that a server returns separately: reasoning_content, or reasoning in newer
// servers.
func reasoning(m sdk.ChatCompletionMessage) string {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		var text string
		if f, ok := m.JSON.ExtraFields[name]; ok && json.Unmarshal([]byte(f.Raw()), &text) == nil &&
			text != "" {
			return text
		}
	}
	return ""
}

// native parses tool calls. A malformed call is answered, too.
func (w *wire) native(r *model.Reply, m sdk.ChatCompletionMessage) {
	thought, content := dialect.SplitThinking(m.Content)
	content = strings.TrimSpace(content)
	r.Thought = dialect.Join(r.Thought, thought, content)
	h := hand{dialect.Hand{On: w.on, Pointer: w.pointer, Thought: r.Thought}}
	echo := message{text: content}
	for i, t := range m.ToolCalls {
		id := t.ID
		if id == "" { // some servers send none, but an answer needs one
			id = fmt.Sprintf("call_%d_%d", w.turns, i)
		}
		echo.calls = append(echo.calls, native{id, t.Function.Name, object(t.Function.Arguments)})
		call := model.Call{ID: id, Name: t.Function.Name}
		var args map[string]any
		if err := dialect.DecodeWhole(t.Function.Arguments, &args); err != nil &&
			strings.TrimSpace(t.Function.Arguments) != "" {
			call.Failure = model.Unreadable("the arguments of the call are no JSON object: "+err.Error(),
				t.Function.Arguments)
		} else {
			s := dialect.Named(t.Function.Name, args)
			s.Raw = t.Function.Arguments
			call = h.call(s)
			call.ID = id
		}
		r.Calls = append(r.Calls, call)
	}
	if len(r.Calls) > dialect.MaxCalls {
		for i := range r.Calls[dialect.MaxCalls:] {
			r.Calls[dialect.MaxCalls+i].Failure = model.Bad("%d calls in one reply; at most %d can be done",
				len(r.Calls), dialect.MaxCalls)
		}
	}
	w.answered(echo)
}

// spoken parses the calls, or the verdict, in a text.
func (w *wire) spoken(r *model.Reply, content string) {
	s, err := dialect.Parse(content)
	r.Thought = dialect.Join(r.Thought, s.Thought)
	_, rest := dialect.SplitThinking(content)
	w.answered(message{text: strings.TrimSpace(rest)})
	switch {
	case errors.Is(err, dialect.ErrNoCall):
		if r.Final = model.Final(rest); r.Final == nil {
			r.Failure = model.NoCall(content)
		}
		return
	case err != nil:
		r.Failure = model.Unreadable(err.Error(), content)
		return
	}
	h := hand{dialect.Hand{On: w.on, Pointer: w.pointer, Thought: s.Thought}}
	for _, c := range s.Calls {
		r.Calls = append(r.Calls, h.call(c))
	}
}

// hand converts the calls of one reply.
type hand struct{ dialect.Hand }

// call is s as an executable call.
func (h *hand) call(s dialect.Call) model.Call {
	out := model.Call{Name: s.Verb}
	if t, ok := s.Args["thought"].(string); ok {
		out.Thought = t
		if h.Thought == "" {
			h.Thought = t
		}
	}
	out.Actions, out.Failure = h.Actions(s)
	return out
}

// answered adds the model's own message to the conversation. An empty message is kept: templates require
// alternating roles, and some servers refuse a message without content.
func (w *wire) answered(m message) {
	m.role = "assistant"
	if m.text == "" && len(m.calls) == 0 {
		m.text = "(no answer)"
	}
	w.said = append(w.said, m)
}
