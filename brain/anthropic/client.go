package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// client sends requests. Its services get only our options, because the SDK's own client reads keys,
// addresses and headers from the environment.
type client struct {
	messages sdk.MessageService
	beta     sdk.BetaMessageService
}

// address is the address of the vendor's API.
const address = "https://api.anthropic.com/"

func newClient(c model.Caller, key, baseURL string) client {
	opts := []option.RequestOption{option.WithBaseURL(cmp.Or(baseURL, address)), option.WithAPIKey(key),
		option.WithHTTPClient(c.Client()), option.WithMaxRetries(0), option.WithoutOpenTelemetry()}
	return client{sdk.NewMessageService(opts...), sdk.NewBetaMessageService(opts...)}
}

// send makes one request. Features of the beta API use that API, with an otherwise identical body.
func (c client) send(ctx context.Context, o *options, messages []sdk.MessageParam,
	screen cua.Size) (*sdk.Message, error) {
	system := sdk.TextBlockParam{Text: model.System + o.kind.rules(),
		CacheControl: sdk.NewCacheControlEphemeralParam()}
	p := sdk.MessageNewParams{Model: sdk.Model(o.model), MaxTokens: o.maxTokens, Messages: messages,
		System: []sdk.TextBlockParam{system}}
	if o.effort != "" {
		p.OutputConfig.Effort = sdk.OutputConfigEffort(o.effort)
	}
	switch o.thinking {
	case "adaptive":
		p.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{
			Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}
	case "between_tools":
		p.Thinking.OfBetweenTools = &sdk.ThinkingConfigBetweenToolsParam{}
	case "disabled":
		p.Thinking.OfDisabled = &sdk.ThinkingConfigDisabledParam{}
	}
	if !o.kind.old {
		p.Tools = o.kind.tools()
	}
	if !o.kind.old && !o.server {
		m, err := c.messages.New(ctx, p)
		if err != nil {
			return nil, errorOf(err)
		}
		return m, nil
	}
	return c.sendBeta(ctx, o, p, screen)
}

// sendBeta sends p to the beta API, which has the same messages.
func (c client) sendBeta(ctx context.Context, o *options, p sdk.MessageNewParams,
	screen cua.Size) (*sdk.Message, error) {
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("anthropic: writing a request: %w", err)
	}
	body := map[string]any{}
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, fmt.Errorf("anthropic: writing a request: %w", err)
	}
	b := sdk.BetaMessageNewParams{Model: p.Model, MaxTokens: p.MaxTokens}
	if o.kind.old {
		body["tools"] = oldTools(screen)
		b.Betas = append(b.Betas, sdk.AnthropicBetaComputerUse2025_11_24)
	}
	if o.server {
		body["context_management"] = clearing()
		b.Betas = append(b.Betas, sdk.AnthropicBetaContextManagement2025_06_27)
	}
	if raw, err = json.Marshal(body); err != nil {
		return nil, fmt.Errorf("anthropic: writing a request: %w", err)
	}
	param.SetJSON(raw, &b)
	got, err := c.beta.New(ctx, b)
	if err != nil {
		return nil, errorOf(err)
	}
	m := new(sdk.Message)
	if err := json.Unmarshal([]byte(got.RawJSON()), m); err != nil {
		return nil, fmt.Errorf("anthropic: reading a reply: %w", err)
	}
	return m, nil
}

// clearing asks the service to drop old results with their pictures, as prune does.
func clearing() sdk.BetaContextManagementConfigParam {
	edit := sdk.BetaClearToolUses20250919EditParam{
		Keep: sdk.BetaToolUsesKeepParam{Value: keepShots},
		Trigger: sdk.BetaClearToolUses20250919EditTriggerUnionParam{OfToolUses: &sdk.BetaToolUsesTriggerParam{
			Value: keepShots + pruneEvery}},
	}
	return sdk.BetaContextManagementConfigParam{Edits: []sdk.BetaContextManagementConfigEditUnionParam{{
		OfClearToolUses20250919: &edit}}}
}

// ping makes the smallest possible request: one token of output.
func (c client) ping(ctx context.Context, o *options) (cua.Usage, error) {
	m, err := c.messages.New(ctx, sdk.MessageNewParams{Model: sdk.Model(o.model), MaxTokens: 1,
		Messages: []sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock("Say ok."))}})
	if err != nil {
		return cua.Usage{}, errorOf(err)
	}
	if !m.JSON.Content.Valid() {
		return cua.Usage{}, fmt.Errorf("anthropic: %w", model.NoReply(m.RawJSON()))
	}
	return usageOf(m.Usage), nil
}
