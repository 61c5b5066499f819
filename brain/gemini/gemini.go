// Package gemini is the brain that asks Google's Gemini models through GenerateContent and its ComputerUse
// tool, with the official SDK. It understands the function names of both generations, and sends the
// model's messages back unchanged.
package gemini

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/genai"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

const (
	provider = "gemini"
	// variable is the environment variable of the key.
	variable = "GEMINI_API_KEY"
	// defaultModel is the first model with the newer function names.
	defaultModel = "gemini-3.5-flash"
	// endpoint is set explicitly, so that the SDK takes none from the environment.
	endpoint = "https://generativelanguage.googleapis.com/"
)

// Provider returns the provider for brain.Options.Providers.
func Provider() brain.Provider {
	return brain.Provider{
		Info: brain.Info{Spec: "gemini[:MODEL][?option=value]", Key: variable,
			Help: "Gemini through GenerateContent with ComputerUse; default " + defaultModel + "; options " +
				strings.Join(options(), ", ")},
		Open: Open, Address: endpoint,
	}
}

func options() []string {
	return []string{"base_url", "thinking", "max_tokens", "images", "marks", "exclude", "injection_check"}
}

// Open opens the brain of spec. An error names what is missing and contains no key.
func Open(spec brain.Spec, o brain.Options) (brain.Brain, error) {
	if err := spec.Check(options()...); err != nil {
		return nil, err
	}
	key, err := model.KeyOf(o, provider, variable)
	if err != nil {
		return nil, err
	}
	base, err := model.BaseURL(spec, true)
	if err != nil {
		return nil, err
	}
	if base == "" {
		base = endpoint
	}
	name := spec.Model
	if name == "" {
		name = defaultModel
	}
	w := &wire{name: name, images: model.Images{Keep: 3, Every: 5}}
	prompt, err := w.settings(spec)
	if err != nil {
		return nil, err
	}
	// RetryOptions stay nil, because the client handles retries.
	w.client, err = genai.NewClient(context.Background(), &genai.ClientConfig{APIKey: key,
		Backend: genai.BackendGeminiAPI, HTTPClient: model.CallerOf(o, key).Client(),
		HTTPOptions: genai.HTTPOptions{BaseURL: base}})
	if err != nil {
		// its error may hold the key
		return nil, errors.New("brain: gemini: the SDK rejected the settings")
	}
	return model.New(w, model.Config{Provider: provider, Model: name, By: provider + ":" + name,
		Prompt: prompt, Limit: limit(), Grid: grid, Secret: key}, o), nil
}

// wire is the conversation with one model.
type wire struct {
	client *genai.Client
	name   string
	config genai.GenerateContentConfig
	images model.Images
	marks  bool

	contents []*genai.Content
	screen   model.Screen
}

// settings reads the options.
func (w *wire) settings(spec brain.Spec) (brain.PromptConfig, error) {
	prompt := model.DefaultPrompt()
	bad := func(option, want string) (brain.PromptConfig, error) {
		return prompt, fmt.Errorf("brain: gemini: %s must be %s", option, want)
	}
	// an unknown word that counts as no would disable the check silently
	for _, option := range []string{"marks", "injection_check"} {
		if v := spec.Get(option, "0"); v != "0" && v != "1" {
			return bad(option, "0 or 1")
		}
	}
	tool := &genai.ComputerUse{Environment: genai.EnvironmentBrowser,
		ExcludedPredefinedFunctions: impossible(w.name)}
	if _, given := spec.Values["exclude"]; given {
		tool.ExcludedPredefinedFunctions = strings.FieldsFunc(spec.Get("exclude", ""),
			func(r rune) bool { return r == ',' })
	}
	if !legacy(w.name) {
		tool.EnablePromptInjectionDetection = new(spec.Get("injection_check", "1") == "1")
	}
	w.config = genai.GenerateContentConfig{
		SystemInstruction: &genai.Content{Parts: []*genai.Part{{Text: model.System + model.DialogRule}}},
		Tools:             []*genai.Tool{{ComputerUse: tool}},
	}
	if level := spec.Get("thinking", ""); level != "" {
		switch l := genai.ThinkingLevel(strings.ToUpper(level)); l {
		case genai.ThinkingLevelMinimal, genai.ThinkingLevelLow, genai.ThinkingLevelMedium,
			genai.ThinkingLevelHigh:
			w.config.ThinkingConfig = &genai.ThinkingConfig{ThinkingLevel: l, IncludeThoughts: true}
		default:
			return bad("thinking", "minimal, low, medium or high")
		}
	}
	n, err := strconv.ParseInt(spec.Get("max_tokens", "0"), 10, 32)
	if err != nil || n < 0 {
		return bad("max_tokens", "a number")
	}
	w.config.MaxOutputTokens = int32(n)
	if w.images.Keep, err = strconv.Atoi(spec.Get("images", "3")); err != nil || w.images.Keep < 1 ||
		w.images.Keep > 100 {
		return bad("images", "1 to 100")
	}
	w.marks = spec.Get("marks", "0") == "1"
	prompt.Marks = w.marks
	return prompt, nil
}

// legacy reports whether a model uses the function names of the first generation.
func legacy(name string) bool {
	for _, prefix := range []string{"gemini-2", "gemini-3-", "gemini-3.0", "gemini-3.1"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// impossible are the predefined functions that are not supported here. The model is not offered them.
func impossible(name string) []string {
	if legacy(name) {
		return []string{"search"}
	}
	return []string{"mouse_down", "mouse_up", "key_down", "key_up"}
}

// Ask implements model.Wire.
func (w *wire) Ask(ctx context.Context, say model.Say) (model.Reply, error) {
	if say.Fresh {
		w.contents = nil
	}
	w.screen = model.Fit(cmp.Or(say.Turn.Now.Viewport, model.UsualView), limit(), grid)
	parts, err := w.parts(say)
	if err != nil {
		return model.Reply{}, err
	}
	w.add(genai.RoleUser, parts)
	w.prune()
	resp, err := w.client.Models.GenerateContent(ctx, w.name, w.contents, &w.config)
	if err != nil {
		return model.Reply{}, failed(err)
	}
	r := w.read(resp)
	r.Usage = usage(resp.UsageMetadata)
	return r, nil
}

// The model uses a grid of 1000 for any picture size. Full HD is more than it is tuned for.
const (
	grid     = 1000
	longEdge = 1920
)

func limit() model.Limit { return model.Limit{LongEdge: longEdge} }

// add appends to the conversation. Consecutive user parts become one content.
func (w *wire) add(role string, parts []*genai.Part) {
	if n := len(w.contents); n > 0 && w.contents[n-1].Role == role {
		w.contents[n-1].Parts = append(w.contents[n-1].Parts, parts...)
		return
	}
	w.contents = append(w.contents, &genai.Content{Role: role, Parts: parts})
}

// parts are the parts of say: an answer to each call, the last with the picture, and the text.
func (w *wire) parts(say model.Say) ([]*genai.Part, error) {
	var out []*genai.Part
	for _, o := range say.Outcomes {
		out = append(out, &genai.Part{FunctionResponse: w.response(o, say.Turn)})
	}
	if say.Text != "" {
		out = append(out, &genai.Part{Text: say.Text})
	}
	for i, shot := range say.Shots {
		var marks []cua.Mark
		if w.marks && i == len(say.Shots)-1 {
			marks = say.Turn.Now.Marks
		}
		picture, err := w.screen.Picture(shot, marks)
		if err != nil {
			return nil, err
		}
		if n := len(say.Outcomes); n > 0 {
			r := out[n-1].FunctionResponse
			r.Parts = append(r.Parts,
				&genai.FunctionResponsePart{InlineData: &genai.FunctionResponseBlob{MIMEType: picture.Mime,
					Data: picture.Data}})
			continue
		}
		out = append(out, &genai.Part{InlineData: &genai.Blob{MIMEType: picture.Mime, Data: picture.Data}})
	}
	return out, nil
}

// response answers one call. The API requires the address of the page in every answer. An action that was
// done instead of the call is added as calls.
func (w *wire) response(o model.Outcome, t *cua.Turn) *genai.FunctionResponse {
	said := map[string]any{"url": cua.PublicURL(t.Now.URL)}
	if o.OK() {
		said["output"] = o.Text
	} else {
		said["error"] = o.Text
	}
	if calls := w.instead(o, t); calls != nil {
		said["done_instead"] = calls
	}
	if len(o.Call.Checks) > 0 && o.Acknowledged {
		said["safety_acknowledgement"] = "true"
	}
	return &genai.FunctionResponse{ID: o.Call.ID, Name: o.Call.Name, Response: said}
}

// prune removes old pictures from our messages. Messages of the model are never changed.
func (w *wire) prune() {
	var with []*genai.Content
	for _, c := range w.contents {
		if c.Role == genai.RoleUser && hasPicture(c) {
			with = append(with, c)
		}
	}
	for _, c := range with[:w.images.From(len(with))] {
		c.Parts = withoutPictures(c.Parts)
	}
}

func hasPicture(c *genai.Content) bool {
	for _, p := range c.Parts {
		if p.InlineData != nil || p.FunctionResponse != nil && len(p.FunctionResponse.Parts) > 0 {
			return true
		}
	}
	return false
}

func withoutPictures(parts []*genai.Part) []*genai.Part {
	var out []*genai.Part
	for _, p := range parts {
		if p.InlineData != nil {
			continue
		}
		if r := p.FunctionResponse; r != nil {
			r.Parts = nil
		}
		out = append(out, p)
	}
	return out
}

// failed classifies an error of the SDK.
func failed(err error) error {
	var api genai.APIError
	if errors.As(err, &api) {
		if api.Code == 413 || api.Code == 400 && strings.Contains(strings.ToLower(api.Message),
			"token count") {
			return fmt.Errorf("gemini: %d: %w", api.Code, model.ErrTooLong)
		}
		return fmt.Errorf("gemini: %d %s: %s", api.Code, api.Status, brain.Quoted(api.Message, 300))
	}
	return fmt.Errorf("gemini: %w", err)
}

// usage converts the API's counts: thoughts are separate from the candidates, tool results separate from
// the prompt.
func usage(u *genai.GenerateContentResponseUsageMetadata) cua.Usage {
	if u == nil {
		return cua.Usage{}
	}
	return cua.Usage{InputTokens: int(u.PromptTokenCount + u.ToolUsePromptTokenCount),
		CachedTokens:    int(u.CachedContentTokenCount),
		OutputTokens:    int(u.CandidatesTokenCount + u.ThoughtsTokenCount),
		ReasoningTokens: int(u.ThoughtsTokenCount)}
}

// Ping asks for one word (brains --check).
func (w *wire) Ping(ctx context.Context) (cua.Usage, error) {
	resp, err := w.client.Models.GenerateContent(ctx, w.name, genai.Text("Answer with the word OK."),
		&genai.GenerateContentConfig{MaxOutputTokens: 16})
	if err != nil {
		return cua.Usage{}, failed(err)
	}
	if len(resp.Candidates) == 0 && resp.PromptFeedback == nil {
		return cua.Usage{}, fmt.Errorf("gemini: %w", model.NoReply(""))
	}
	return usage(resp.UsageMetadata), nil
}
