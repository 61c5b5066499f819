package openai

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// wire implements the Responses API (model.Wire). The server stores its conversation, or the wire does
// with state=client.
type wire struct {
	api responses.ResponseService
	set settings

	// previous is the last complete response, "" before the first. The server stores what came before it.
	previous string
	// items is the whole conversation, if the server stores nothing.
	items []responses.ResponseInputItemUnionParam
	// pending are the items that no complete response has answered yet. They are sent again with the next
	// request.
	pending []responses.ResponseInputItemUnionParam
	// turns counts the responses of this conversation.
	turns int
	// on is the picture that was sent last, and shot is that picture as a data URL. blank says that it is
	// an empty picture, because no real one could be taken yet.
	on    model.Screen
	shot  string
	blank bool
}

// Ask sends the content of say and parses the response.
func (w *wire) Ask(ctx context.Context, say model.Say) (model.Reply, error) {
	switch {
	case say.Fresh:
		*w = wire{api: w.api, set: w.set}
	case w.turns >= w.set.fold, unconsented(say):
		// The conversation restarts from the present turn: it is long, or it ends with a safety check
		// without consent. The API accepts no answer to such a call without the consent.
		return model.Reply{}, model.ErrTooLong
	}
	items, err := w.tell(say)
	if err != nil {
		return model.Reply{}, err
	}
	w.pending = append(w.pending, items...)
	res, err := w.api.New(ctx, w.params())
	if err != nil {
		return model.Reply{}, failed(err)
	}
	w.turns++
	return w.read(res), nil
}

// unconsented reports whether a call with open safety checks was not executed, or has no consent.
func unconsented(say model.Say) bool {
	for _, o := range say.Outcomes {
		if len(o.Call.Checks) > 0 && !o.Acknowledged {
			return true
		}
	}
	return false
}

// params are the parameters of the next request. The server does not store instructions and tools, so each
// request contains them.
func (w *wire) params() responses.ResponseNewParams {
	p := responses.ResponseNewParams{
		Model:        w.set.model,
		Instructions: param.NewOpt(instructions),
		Tools:        w.tools(),
		Store:        param.NewOpt(w.set.server),
		Reasoning: shared.ReasoningParam{Effort: shared.ReasoningEffort(w.set.effort),
			Summary: shared.ReasoningSummary(w.set.summary)},
	}
	if w.set.maxOutput > 0 {
		p.MaxOutputTokens = param.NewOpt(int64(w.set.maxOutput))
	}
	if w.set.preview {
		p.Truncation = responses.ResponseNewParamsTruncationAuto // the preview model requires it
	}
	input := w.pending
	if w.set.server {
		if w.previous != "" {
			p.PreviousResponseID = param.NewOpt(w.previous)
		}
	} else {
		input = append(w.items[:len(w.items):len(w.items)], w.pending...)
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	p.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: input}
	return p
}

func (w *wire) tools() []responses.ToolUnionParam {
	computer := responses.NewComputerToolParam()
	out := []responses.ToolUnionParam{{OfComputer: &computer}}
	if w.set.preview {
		out[0] = responses.ToolUnionParam{OfComputerUsePreview: &responses.ComputerUsePreviewToolParam{
			DisplayWidth: int64(w.on.Size.W), DisplayHeight: int64(w.on.Size.H),
			Environment: responses.ComputerUsePreviewToolEnvironmentBrowser}}
	}
	for _, f := range functions() {
		out = append(out, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
			Name: f.name, Description: param.NewOpt(f.help), Parameters: f.parameters(),
			Strict: param.NewOpt(true)}})
	}
	return out
}

// asked is the vendor's part of a call, to which its answer refers.
type asked struct {
	function bool
	// checks are the pending safety checks, unchanged, to be acknowledged as a whole.
	checks []json.RawMessage
}

// tell makes the input items of say: an output for each call of the last response, and a message with the
// rest. The output of a computer call may only be a screenshot, so the fate of its actions is in the
// message.
func (w *wire) tell(say model.Say) ([]responses.ResponseInputItemUnionParam, error) {
	if err := w.picture(say); err != nil {
		return nil, err
	}
	var items []responses.ResponseInputItemUnionParam
	var lines []string
	shown := len(say.Shots) == 0 // there is no new picture
	answered := map[string]bool{}
	for _, o := range say.Outcomes {
		a, _ := o.Call.Data.(asked)
		text := o.Told(w.instead(o, say.Turn))
		if !a.function {
			lines = append(lines, fmt.Sprintf("%d. %s: %s", len(lines)+1, o.Call.Name, text))
		}
		if answered[o.Call.ID] {
			continue
		}
		answered[o.Call.ID] = true
		if a.function {
			items = append(items, functionOutput(o.Call.ID, text))
			continue
		}
		items = append(items, w.screenshot(o, a))
		shown = true
	}
	if w.blank && len(lines) > 0 {
		lines = append(lines, blankLine)
	}
	text := say.Text
	if len(lines) > 0 {
		text = "What came of your actions:\n" + strings.Join(lines, "\n") + "\n\n" + text
	}
	var content responses.ResponseInputMessageContentListParam
	if text != "" {
		content = append(content, responses.ResponseInputContentParamOfInputText(text))
	}
	if !shown {
		image := responses.ResponseInputImageParam{Detail: responses.ResponseInputImageDetailOriginal,
			ImageURL: param.NewOpt(w.shot)}
		content = append(content, responses.ResponseInputContentUnionParam{OfInputImage: &image})
	}
	if len(content) > 0 {
		items = append(items, responses.ResponseInputItemParamOfMessage(content,
			responses.EasyInputMessageRoleUser))
	}
	return items, nil
}

// blankLine explains an empty picture, because a computer call can only be answered with a picture.
const blankLine = "The picture is blank: the page cannot be captured now."

// picture prepares the screenshot of say. Without a new one the last one stays, unless the turn has none:
// then the page cannot be captured, and may look different.
func (w *wire) picture(say model.Say) error {
	if len(say.Shots) == 0 && w.shot != "" && len(say.Turn.Frames) > 0 {
		return nil
	}
	on := model.Fit(cmp.Or(say.Turn.Now.Viewport, model.UsualView), w.set.limit, 0)
	if w.blank = len(say.Shots) == 0; w.blank {
		shot, err := on.Blank()
		if err != nil {
			return err
		}
		w.on, w.shot = on, dataURL(shot)
		return nil
	}
	var marks []cua.Mark
	if w.set.marks {
		marks = say.Turn.Now.Marks
	}
	shot, err := on.Picture(say.Shots[len(say.Shots)-1], marks)
	if err != nil {
		return err
	}
	w.on, w.shot = on, dataURL(shot)
	return nil
}

func dataURL(shot cua.Shot) string {
	return "data:" + shot.Mime + ";base64," + base64.StdEncoding.EncodeToString(shot.Data)
}

func functionOutput(id, text string) responses.ResponseInputItemUnionParam {
	out := responses.ResponseInputItemParamOfFunctionCallOutput(text)
	out.OfFunctionCallOutput.CallID = param.NewOpt(id)
	return out
}

// screenshot answers a computer call. Its safety checks are acknowledged only if there is consent to each
// (model.Outcome).
func (w *wire) screenshot(o model.Outcome, a asked) responses.ResponseInputItemUnionParam {
	shot := responses.ResponseComputerToolCallOutputScreenshotParam{ImageURL: param.NewOpt(w.shot)}
	shot.SetExtraFields(map[string]any{"detail": "original"}) // the SDK has no field for it
	out := responses.ResponseInputItemParamOfComputerCallOutput(o.Call.ID, shot)
	if o.Acknowledged {
		for _, c := range a.checks {
			out.OfComputerCallOutput.AcknowledgedSafetyChecks = append(
				out.OfComputerCallOutput.AcknowledgedSafetyChecks,
				param.Override[responses.ResponseInputItemComputerCallOutputAcknowledgedSafetyCheckParam](c))
		}
	}
	return out
}

// Ping asks for one word, to check key, model and address (model.Pinger).
func (w *wire) Ping(ctx context.Context) (cua.Usage, error) {
	const least = 16 // the smallest cap that the API accepts
	res, err := w.api.New(ctx, responses.ResponseNewParams{Model: w.set.model, Store: param.NewOpt(false),
		MaxOutputTokens: param.NewOpt(int64(least)),
		Input:           responses.ResponseNewParamsInputUnion{OfString: param.NewOpt("Say ok.")}})
	if err != nil {
		return cua.Usage{}, failed(err)
	}
	// such a short cap may truncate it
	if res.Status != responses.ResponseStatusCompleted && res.Status != responses.ResponseStatusIncomplete {
		return cua.Usage{}, fmt.Errorf("openai: %w", model.NoReply(res.RawJSON()))
	}
	return used(res.Usage), nil
}
