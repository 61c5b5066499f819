package compat

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// wire implements chat completions (model.Wire). The server stores nothing: each request contains the
// whole conversation, with the newest screenshots only.
type wire struct {
	api sdk.ChatCompletionService
	set settings

	said  []message
	turns int
	// on is the picture that was sent last.
	on model.Screen
	// pointer is the position of the pointer, nil if it is unknown.
	pointer *cua.Point
}

// message is one message of the conversation.
type message struct {
	role string // user, assistant or tool
	text string
	// image is a screenshot as a data URL; "" means none.
	image string
	// calls are the native calls of an assistant message. id is the call that a tool message answers.
	calls []native
	id    string
}

// native is a tool call in the form in which it is sent back.
type native struct{ id, name, arguments string }

// Ask sends the content of say and parses the completion.
func (w *wire) Ask(ctx context.Context, say model.Say) (model.Reply, error) {
	if say.Fresh {
		*w = wire{api: w.api, set: w.set}
	} else if w.turns >= w.set.fold {
		return model.Reply{}, model.ErrTooLong // restarts from the ledger and the newest steps
	}
	for _, o := range say.Outcomes {
		w.follow(o)
	}
	if err := w.tell(say); err != nil {
		return model.Reply{}, err
	}
	res, err := w.api.New(ctx, w.params(), w.extra()...)
	if err != nil {
		return model.Reply{}, failed(err)
	}
	w.turns++
	return w.read(res), nil
}

// follow updates the position of the pointer after an outcome.
func (w *wire) follow(o model.Outcome) {
	for _, s := range o.Steps {
		switch a := s.Action; {
		case a == nil:
		case a.To != nil:
			w.pointer = a.To
		case a.Point != nil:
			w.pointer = a.Point
		}
	}
}

// tell adds the messages of say: an answer to each native call, and the rest as a user message.
func (w *wire) tell(say model.Say) error {
	var lines []string
	for _, o := range say.Outcomes {
		text := o.Told(w.instead(o, say.Turn))
		if o.Call.ID != "" {
			w.said = append(w.said, message{role: "tool", id: o.Call.ID, text: text})
			continue
		}
		lines = append(lines, fmt.Sprintf("%d. %s: %s", len(lines)+1, o.Call.Name, text))
	}
	turn := message{role: "user", text: say.Text}
	if len(lines) > 0 {
		turn.text = "What came of your actions:\n" + strings.Join(lines, "\n") + "\n\n" + say.Text
	}
	if len(say.Shots) > 0 || w.on == (model.Screen{}) { // a model may name points before it got a picture
		w.on = model.Fit(cmp.Or(say.Turn.Now.Viewport, model.UsualView), w.set.limit, w.set.grid)
	}
	if n := len(say.Shots); n > 0 {
		var marks []cua.Mark
		if w.set.draw {
			marks = say.Turn.Now.Marks
		}
		shot, err := w.on.Picture(say.Shots[n-1], marks)
		if err != nil {
			return err
		}
		turn.image = "data:" + shot.Mime + ";base64," + base64.StdEncoding.EncodeToString(shot.Data)
	}
	if turn.text != "" || turn.image != "" {
		w.said = append(w.said, turn)
	}
	return nil
}

// params are the parameters of the next request.
func (w *wire) params() sdk.ChatCompletionNewParams {
	native := w.set.format == formatTools
	p := sdk.ChatCompletionNewParams{Model: w.set.model,
		Messages: []sdk.ChatCompletionMessageParamUnion{sdk.SystemMessage(w.set.system(w.set.profile,
			w.on, native))}}
	images := 0
	for _, m := range w.said {
		if m.image != "" {
			images++
		}
	}
	from, seen := w.set.images.From(images), 0
	for _, m := range w.said {
		shown := m.image != "" && seen >= from
		if m.image != "" {
			seen++
		}
		p.Messages = append(p.Messages, w.param(m, shown))
	}
	if w.set.maxTokens > 0 {
		p.MaxTokens = param.NewOpt(int64(w.set.maxTokens)) // all these servers support this name
	}
	if w.set.temperature != nil {
		p.Temperature = param.NewOpt(*w.set.temperature)
	}
	switch w.set.format {
	case formatTools:
		p.Tools = []sdk.ChatCompletionToolUnionParam{sdk.ChatCompletionFunctionTool(
			shared.FunctionDefinitionParam{
				Name: function, Description: param.NewOpt(about(w.on)), Parameters: w.set.parameters})}
		p.ToolChoice = sdk.ChatCompletionToolChoiceOptionUnionParam{OfAuto: param.NewOpt("required")}
	case formatJSON:
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: function, Strict: param.NewOpt(true), Schema: w.set.parameters}}
	}
	return p
}

// extra sets the fields that the SDK does not have.
func (w *wire) extra() []option.RequestOption {
	var out []option.RequestOption
	if w.set.format == formatStructured {
		out = append(out, option.WithJSONSet("structured_outputs", map[string]any{"json": w.set.parameters}))
	}
	if w.set.thinking != "" {
		out = append(out, option.WithJSONSet("chat_template_kwargs",
			map[string]any{"enable_thinking": w.set.thinking == "on"}))
	}
	return out
}

// omitted replaces a screenshot that is no longer sent.
const omitted = "[an older screenshot was left out]"

func (w *wire) param(m message, shown bool) sdk.ChatCompletionMessageParamUnion {
	switch m.role {
	case "tool":
		return sdk.ToolMessage(m.text, m.id)
	case "assistant":
		out := sdk.AssistantMessage(m.text)
		if m.text == "" {
			out.OfAssistant.Content = sdk.ChatCompletionAssistantMessageParamContentUnion{}
		}
		for _, c := range m.calls {
			out.OfAssistant.ToolCalls = append(out.OfAssistant.ToolCalls,
				sdk.ChatCompletionMessageToolCallUnionParam{
					OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
						ID: c.id,
						Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.name,
							Arguments: c.arguments}}})
		}
		return out
	}
	before, after := "", ""
	if w.set.observation != nil {
		before, after = w.set.observation()
	}
	if !shown {
		text := before + m.text
		if m.image != "" {
			text += "\n" + omitted
		}
		return sdk.UserMessage(text + after)
	}
	parts := []sdk.ChatCompletionContentPartUnionParam{sdk.TextContentPart(before + m.text + "\n"),
		sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: m.image})}
	if after != "" {
		parts = append(parts, sdk.TextContentPart(after))
	}
	return sdk.UserMessage(parts)
}

// Ping asks for one word, to check key, model and address (model.Pinger).
func (w *wire) Ping(ctx context.Context) (cua.Usage, error) {
	const few = 16
	res, err := w.api.New(ctx, sdk.ChatCompletionNewParams{Model: w.set.model,
		MaxTokens: param.NewOpt(int64(few)),
		Messages:  []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage("Say ok.")}})
	if err != nil {
		return cua.Usage{}, failed(err)
	}
	if len(res.Choices) == 0 {
		return cua.Usage{}, fmt.Errorf("openai-compatible: %w", model.NoReply(res.RawJSON()))
	}
	return used(res.Usage), nil
}

// tooLong matches the errors of servers for a conversation that is too long. They have no common code.
var tooLong = regexp.MustCompile(`(?i)context (length|size|window)|maximum context|too many tokens|exceed\w* .{0,40}context`)

// failed is a one-line error for a missing completion. The SDK's own errors have no reason.
func failed(err error) error {
	var e *sdk.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("openai-compatible: %w", err)
	}
	if e.StatusCode == http.StatusRequestEntityTooLarge || e.StatusCode == http.StatusBadRequest &&
		(e.Code == "context_length_exceeded" || tooLong.MatchString(e.Message)) {
		return fmt.Errorf("openai-compatible: %w", model.ErrTooLong)
	}
	return fmt.Errorf("openai-compatible: the server answered %s %s",
		strings.TrimSpace(fmt.Sprint(e.StatusCode, " ", e.Code)), brain.Quoted(model.Said(e.Message,
			e.Response), 300))
}

func used(u sdk.CompletionUsage) cua.Usage {
	return cua.Usage{InputTokens: int(u.PromptTokens), CachedTokens: int(u.PromptTokensDetails.CachedTokens),
		OutputTokens:    int(u.CompletionTokens),
		ReasoningTokens: int(u.CompletionTokensDetails.ReasoningTokens)}
}

// object is arguments in the form in which they are sent back. A template that reads them fails on
// anything but a JSON object.
func object(arguments string) string {
	var v map[string]any
	if json.Unmarshal([]byte(arguments), &v) != nil {
		return "{}"
	}
	return arguments
}
