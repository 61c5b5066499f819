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

// Name is how a brain spec asks for this provider, KeyVariable the environment variable that holds its key.
const (
	Name        = "anthropic"
	KeyVariable = "ANTHROPIC_API_KEY"
)

// DefaultModel is asked where the spec names none; it takes both toolsets.
const DefaultModel = "claude-sonnet-5-5"

// options are a spec, read.
type options struct {
	model     string
	kind      kind
	baseURL   string
	effort    string // "" leaves it to the model
	thinking  string // "" leaves it to the model
	maxTokens int64
	limit     model.Limit
	marks     bool // elements are numbered in the picture
	server    bool // old pictures are dropped by the service and not by us
}

// Bounds of max_tokens: what a request without streaming may ask for is the vendor's; the default holds long
// thoughts.
const (
	defaultMaxTokens = 16_000
	leastMaxTokens   = 256
	mostMaxTokens    = 21_333
)

// efforts are the vendor's levels, and thinkings its ways that need no number.
func efforts() []string   { return []string{"low", "medium", "high", "xhigh", "max"} }
func thinkings() []string { return []string{"adaptive", "between_tools", "disabled"} }

// read is a spec's options. An error names the option and not its value where that might be a key.
func read(s brain.Spec) (options, error) {
	o := options{model: s.Model, effort: s.Get("effort", ""), thinking: s.Get("thinking", ""),
		maxTokens: defaultMaxTokens}
	if o.model == "" {
		o.model = DefaultModel
	}
	if err := s.Check("tool", "effort", "thinking", "max_tokens", "base_url", "files", "marks",
		"prune"); err != nil {
		return options{}, err
	}
	if f := s.Get("files", "no"); f != "yes" && f != "no" {
		return options{}, errors.New("the option files is yes or no")
	}
	if m := s.Get("marks", "0"); m != "0" && m != "1" {
		return options{}, errors.New("the option marks is 0 or 1")
	}
	o.marks = s.Get("marks", "0") == "1"
	var err error
	if o.kind, err = kindOf(s.Get("tool", ""), s.Get("files", "no") == "yes"); err != nil {
		return options{}, err
	}
	if o.effort != "" && !slices.Contains(efforts(), o.effort) {
		return options{}, fmt.Errorf("the option effort is one of %s", strings.Join(efforts(), ", "))
	}
	if o.thinking != "" && !slices.Contains(thinkings(), o.thinking) {
		return options{}, fmt.Errorf("the option thinking is one of %s", strings.Join(thinkings(), ", "))
	}
	if v := s.Get("max_tokens", ""); v != "" {
		o.maxTokens, err = strconv.ParseInt(v, 10, 64)
		if err != nil || o.maxTokens < leastMaxTokens || o.maxTokens > mostMaxTokens {
			return options{}, fmt.Errorf("the option max_tokens is a number from %d to %d", leastMaxTokens,
				mostMaxTokens)
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
		return options{}, errors.New("the option prune is server or client")
	}
	o.limit = limitOf(o.model)
	return o, nil
}

// prunesItself says whether a model's thoughts are tied to the pictures before them: taking those away here
// would make the service refuse the conversation, so the service is asked to do it.
func prunesItself(m string) bool {
	return strings.HasPrefix(m, "claude-fable-5-1") || strings.HasPrefix(m, "claude-opus-5-5")
}

// The vendor's limits of a picture: long edge, px, and patches of 28 px, which are its tokens. Toolset
// pictures are not made smaller there but refused, and coordinates are in pixels of what is sent. The newer
// models take 2,576 px, but 2,000 where a request has more than 20 pictures, and ours come to have as many.
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

// attempt is how long one attempt may take: who thinks hard may take long.
func (o *options) attempt() time.Duration {
	if slices.Contains([]string{"high", "xhigh", "max"}, o.effort) {
		return 10 * time.Minute
	}
	return 2 * time.Minute
}
