// Package compat is the brain that asks a vision model over OpenAI's chat completions API at any address:
// vLLM, llama.cpp, Ollama, LM Studio and hosted services. A profile describes the format and the
// coordinate space of a family of models. One parser reads the replies of all families.
package compat

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
)

// provider is the name of this brain, and variable is the environment variable of its key.
const (
	provider = "openai-compatible"
	variable = "OPENAI_COMPATIBLE_API_KEY"
)

// defaultURL is the default address of vLLM.
const defaultURL = "http://127.0.0.1:8000/v1/"

// settings are a profile with the options of a spec.
type settings struct {
	profile
	model     string
	maxTokens int
	fold      int
	// draw draws the elements into the picture. They are not listed, because no profile is made for a
	// list.
	draw bool
	// thinking switches the thinking of the chat template on or off; "" leaves it to the server.
	thinking string
}

// Provider is the brain for brain.Options.Providers.
func Provider() brain.Provider {
	return brain.Provider{
		Info: brain.Info{Spec: provider + ":MODEL[?base_url=URL&profile=" + strings.Join(names(), "|") +
			"&option=value]", Key: variable, Optional: true,
			Help: "a vision model over chat completions (vLLM, llama.cpp, Ollama, LM Studio, …), at " +
				defaultURL +
				" where no base_url is given; options format, images, max_tokens, temperature, thinking, " +
				"coordinates, long_edge, marks, fold, attempt"},
		Open: open, Address: defaultURL,
	}
}

func open(s brain.Spec, o brain.Options) (brain.Brain, error) {
	set, err := settingsOf(s)
	if err != nil {
		return nil, err
	}
	attempt, err := time.ParseDuration(s.Get("attempt", "5m")) // a local model may have to load first
	if err != nil || attempt <= 0 {
		return nil, errors.New("brain: openai-compatible: attempt must be a duration such as 5m")
	}
	key := ""
	if o.Key != nil {
		key = o.Key(variable)
	}
	caller := model.CallerOf(o, key)
	caller.Attempt = attempt
	address, err := model.BaseURL(s, key != "")
	if err != nil {
		return nil, err
	}
	if address = cmp.Or(address, defaultURL); !strings.HasSuffix(address, "/") {
		address += "/"
	}
	options := []option.RequestOption{option.WithBaseURL(address), option.WithHTTPClient(caller.Client()),
		option.WithMaxRetries(0)}
	if key != "" {
		options = append(options, option.WithAPIKey(key))
	}
	// The service is made without the SDK's defaults, which read the environment and would send OpenAI's key
	// anywhere.
	return model.New(&wire{api: sdk.NewChatCompletionService(options...), set: set},
		model.Config{Provider: provider, Model: set.model, By: provider + ":" + set.model, Limit: set.limit,
			Grid: set.grid, Secret: key,
			Deadline: max(model.DefaultDeadline, 2*attempt)}, o), nil
}

// settingsOf parses the options. Their values are closed lists and numbers.
func settingsOf(s brain.Spec) (settings, error) {
	if err := s.Check("base_url", "profile", "format", "images", "max_tokens", "temperature", "thinking",
		"coordinates", "long_edge", "marks", "fold", "attempt"); err != nil {
		return settings{}, err
	}
	if s.Model == "" {
		return settings{}, errors.New("brain: openai-compatible needs a model: openai-compatible:MODEL")
	}
	r := reader{spec: s}
	at := slices.Index(names(), r.one("profile", "default", names()...))
	if r.err != nil {
		return settings{}, r.err
	}
	set := settings{profile: profiles()[at], model: s.Model}
	formats := []string{string(set.format)}
	if set.parameters != nil {
		formats = []string{string(formatTools), string(formatJSON), string(formatStructured),
			string(formatText)}
	}
	set.format = format(r.one("format", string(set.format), formats...))
	// never more than that: a server refuses a request with more than its limit
	if _, given := s.Values["images"]; given {
		set.images = model.Images{Keep: r.number("images", 0, 1)}
	}
	set.maxTokens, set.fold = r.number("max_tokens", 4096, 0), r.number("fold", 40, 1)
	set.thinking = r.one("thinking", "", "", "on", "off")
	switch r.one("coordinates", "", "", "relative1000", "pixels", "resized28") {
	case "relative1000":
		set.grid = thousand
	case "pixels":
		set.grid, set.limit.Factor, set.limit.MinPixels = 0, 0, 0
	case "resized28":
		set.grid, set.limit = 0, resized(qwenLeast)
	}
	if edge := r.number("long_edge", 0, 0); edge > 0 {
		set.limit.LongEdge = edge
	}
	set.draw = r.one("marks", "0", "0", "1") == "1"
	if text := s.Get("temperature", ""); text != "" {
		t, err := strconv.ParseFloat(text, 64)
		if err != nil || !(t >= 0 && t <= 2) {
			r.err = errors.New("brain: openai-compatible: temperature must be a number from 0 to 2")
		}
		set.temperature = &t
	}
	return set, r.err
}

// reader parses options and keeps the last error.
type reader struct {
	spec brain.Spec
	err  error
}

func (r *reader) one(option, fallback string, of ...string) string {
	v := r.spec.Get(option, fallback)
	if !slices.Contains(of, v) {
		r.err = fmt.Errorf("brain: openai-compatible: %s must be one of %s", option, strings.Join(of, ", "))
	}
	return v
}

func (r *reader) number(option string, fallback, least int) int {
	v, err := strconv.Atoi(r.spec.Get(option, strconv.Itoa(fallback)))
	if err != nil || v < least {
		r.err = fmt.Errorf("brain: openai-compatible: %s must be a number of %d or more", option, least)
	}
	return v
}
