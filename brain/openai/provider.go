// Package openai is the brain that asks OpenAI's models over the Responses API, with the vendor's own SDK.
// It offers the computer tool with its batches of actions, or the older preview tool, and functions for
// actions that the computer tool does not have.
package openai

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
)

// provider is the name of this brain, and variable is the environment variable of its key.
const (
	provider = "openai"
	variable = "OPENAI_API_KEY"
)

const defaultURL = "https://api.openai.com/v1/"

// Default models: the model that the vendor recommends for the computer tool by price, and the only one
// with the preview tool.
const (
	defaultModel = "gpt-5.6-terra"
	previewModel = "computer-use-preview"
)

// settings are the parsed options of a spec.
type settings struct {
	model   string
	preview bool
	// server leaves the conversation with the vendor (store, previous_response_id). Otherwise everything
	// is sent each time.
	server          bool
	effort, summary string
	// maxOutput is the limit of the tokens of one response, reasoning included; 0 leaves it to the model.
	maxOutput int
	// fold is the number of responses after which a conversation restarts, from the ledger and the newest
	// steps.
	fold  int
	limit model.Limit
	// marks lists the elements and draws them into the picture.
	marks bool
}

// The API's limits of an image with detail original, px and patches of 32 px. It scales larger images
// down, which would shift the model's points.
const (
	maxEdge    = 6000
	maxPatches = 10_000
	patch      = 32
)

// instructions are the same in every request.
const instructions = model.System + `
The computer is one tab of the browser: its screenshots show the page alone, without address bar and menus.
Points are pixels of the newest screenshot. Use the functions for what the computer cannot do.`

// Provider returns the provider for brain.Options.Providers.
func Provider() brain.Provider {
	return brain.Provider{
		Info: brain.Info{Key: variable,
			Spec: "openai[:MODEL][?tool=computer|preview&state=server|client&effort=…&option=value]",
			Help: "OpenAI's models by the Responses API and the computer tool; default " + defaultModel +
				"; options summary, max_tokens, fold, long_edge, marks, attempt, base_url"},
		Open: open, Address: defaultURL,
	}
}

func open(s brain.Spec, o brain.Options) (brain.Brain, error) {
	set, err := settingsOf(s)
	if err != nil {
		return nil, err
	}
	key, err := model.KeyOf(o, provider, variable)
	if err != nil {
		return nil, err
	}
	address, err := model.BaseURL(s, true)
	if err != nil {
		return nil, err
	}
	attempt, err := time.ParseDuration(s.Get("attempt", "2m"))
	if err != nil || attempt <= 0 {
		return nil, fmt.Errorf("brain: openai: attempt must be a duration such as 2m")
	}
	caller := model.CallerOf(o, key)
	caller.Attempt = attempt
	prompt := model.DefaultPrompt()
	prompt.Marks = set.marks
	// The service is made without the SDK's defaults, which read the environment.
	api := responses.NewResponseService(option.WithBaseURL(cmp.Or(address, defaultURL)),
		option.WithAPIKey(key),
		option.WithHTTPClient(caller.Client()), option.WithMaxRetries(0))
	return model.New(&wire{api: api, set: set}, model.Config{Provider: provider, Model: set.model,
		By: provider + ":" + set.model, Prompt: prompt, Limit: set.limit, Secret: key,
		Deadline: max(model.DefaultDeadline, 2*attempt)}, o), nil
}

// settingsOf parses the options. Their values are closed lists and numbers.
func settingsOf(s brain.Spec) (settings, error) {
	if err := s.Check("tool", "state", "effort", "summary", "max_tokens", "fold", "long_edge", "marks",
		"attempt", "base_url"); err != nil {
		return settings{}, err
	}
	set := settings{model: s.Model, effort: s.Get("effort", ""), summary: s.Get("summary", "")}
	var err error
	one := func(option, fallback string, of ...string) string {
		v := s.Get(option, fallback)
		for _, known := range of {
			if v == known {
				return v
			}
		}
		err = fmt.Errorf("brain: openai: %s must be one of %v", option, of)
		return ""
	}
	number := func(option string, fallback, least int) int {
		v, bad := strconv.Atoi(s.Get(option, strconv.Itoa(fallback)))
		if bad != nil || v < least {
			err = fmt.Errorf("brain: openai: %s must be a number of %d or more", option, least)
		}
		return v
	}
	set.preview = one("tool", "computer", "computer", "preview") == "preview"
	set.server = one("state", "server", "server", "client") == "server"
	set.marks = one("marks", "0", "0", "1") == "1"
	set.effort = one("effort", "", "", "none", "minimal", "low", "medium", "high", "xhigh", "max")
	set.summary = one("summary", "", "", "auto", "concise", "detailed")
	set.maxOutput, set.fold = number("max_tokens", 32_000, 0), number("fold", 40, 1)
	set.limit = model.Limit{LongEdge: min(number("long_edge", maxEdge, 256), maxEdge), Patch: patch,
		Patches: maxPatches}
	if set.model == "" {
		set.model = defaultModel
		if set.preview {
			set.model = previewModel
		}
	}
	return set, err
}
