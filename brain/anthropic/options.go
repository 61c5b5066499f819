package anthropic

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
)

// Name is the name of the provider in a spec, and keyVariable is the environment variable of its key.
const (
	Name        = "anthropic"
	keyVariable = "ANTHROPIC_API_KEY"
)

// defaultModel is the model if the spec names none. It supports both toolsets.
const defaultModel = "claude-sonnet-5-5"

// options are the parsed options of a spec.
type options struct {
	model     string
	kind      kind
	baseURL   string
	effort    string // "" leaves it to the model
	thinking  string // "" leaves it to the model
	maxTokens int64
	limit     model.Limit
	marks     bool // number the elements in the picture
	server    bool // the service drops old pictures, not we
}

// Limits of max_tokens: the maximum is the vendor's for a request without streaming. The default suffices
// for long thoughts.
const (
	defaultMaxTokens = 16_000
	leastMaxTokens   = 256
	mostMaxTokens    = 21_333
)

// efforts are the vendor's levels, and thinkings its modes that need no number.
func efforts() []string   { return []string{"low", "medium", "high", "xhigh", "max"} }
func thinkings() []string { return []string{"adaptive", "between_tools", "disabled"} }

// read parses the options of a spec. An error names the option. It does not quote a value that may be a
// key.
func read(s brain.Spec) (options, error) {
	o := options{model: s.Model, effort: s.Get("effort", ""), thinking: s.Get("thinking", ""),
		maxTokens: defaultMaxTokens}
	if o.model == "" {
		o.model = defaultModel
	}
	if err := s.Check("tool", "effort", "thinking", "max_tokens", "base_url", "files", "marks",
		"prune"); err != nil {
		return options{}, err
	}
	if f := s.Get("files", "no"); f != "yes" && f != "no" {
		return options{}, errors.New("the option files must be yes or no")
	}
	if m := s.Get("marks", "0"); m != "0" && m != "1" {
		return options{}, errors.New("the option marks must be 0 or 1")
	}
	o.marks = s.Get("marks", "0") == "1"
	var err error
	if o.kind, err = kindOf(s.Get("tool", ""), s.Get("files", "no") == "yes"); err != nil {
		return options{}, err
	}
	if o.effort != "" && !slices.Contains(efforts(), o.effort) {
		return options{}, fmt.Errorf("the option effort must be one of %s", strings.Join(efforts(), ", "))
	}
	if o.thinking != "" && !slices.Contains(thinkings(), o.thinking) {
		return options{}, fmt.Errorf("the option thinking must be one of %s", strings.Join(thinkings(), ", "))
	}
	if v := s.Get("max_tokens", ""); v != "" {
		o.maxTokens, err = strconv.ParseInt(v, 10, 64)
		if err != nil || o.maxTokens < leastMaxTokens || o.maxTokens > mostMaxTokens {
			return options{}, fmt.Errorf("the option max_tokens must be a number from %d to %d",
				leastMaxTokens, mostMaxTokens)
		}
	}
	if o.baseURL, err = model.BaseURL(s, true); err != nil {
		return options{}, err
	}
	switch s.Get("prune", "") {
	case "":
		o.server = prunesItself(o.model)
	case "server":
		o.server = true
	case "client":
	default:
		return options{}, errors.New("the option prune must be server or client")
	}
	o.limit = limitOf(o.model)
	return o, nil
}

// prunesItself reports whether a model's thoughts depend on the pictures before them. If we removed those
// pictures, the service would refuse the conversation, so the service is asked to remove them.
func prunesItself(m string) bool {
	return strings.HasPrefix(m, "claude-fable-5-1") || strings.HasPrefix(m, "claude-opus-5-5")
}

// The vendor's limits of a picture: long edge, px, and patches of 28 px, which are its tokens. The API
// refuses larger pictures of a toolset and does not scale them, and coordinates are in pixels of the
// picture as sent. The newer models accept 2,576 px, but only 2,000 in a request with more than 20
// pictures, which ours reach.
func limitOf(m string) model.Limit {
	l := model.Limit{LongEdge: 2000, Patch: 28, Patches: 4784}
	for _, old := range []string{"claude-3", "claude-sonnet-4", "claude-haiku-4", "claude-opus-4-0",
		"claude-opus-4-1", "claude-opus-4-2",
		"claude-opus-4-5", "claude-opus-4-6"} {
		if strings.HasPrefix(m, old) {
			l.LongEdge, l.Patches, l.Pixels = 1568, 1568, 1_150_000
		}
	}
	return l
}

// attempt is the time limit of one attempt. High effort needs more.
func (o *options) attempt() time.Duration {
	if slices.Contains([]string{"high", "xhigh", "max"}, o.effort) {
		return 10 * time.Minute
	}
	return 2 * time.Minute
}
