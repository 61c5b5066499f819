package brain

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Spec is a request for a brain that calls a model: PROVIDER[:MODEL][?option=value&option=value].
type Spec struct {
	// Name is the provider's.
	Name string
	// Model is the model's; "" leaves the choice to the provider.
	Model string
	// Values are the options.
	Values url.Values
	// Text is the whole, as it was written: it is recorded, and holds no key.
	Text string
}

// ParseSpec reads a request. Options that cannot be read are an error; which there are is the provider's to
// say (Spec.Check). The values are not in the error.
func ParseSpec(text string) (Spec, error) {
	head, options, _ := strings.Cut(text, "?")
	s := Spec{Text: text}
	s.Name, s.Model, _ = strings.Cut(head, ":")
	var err error
	if s.Values, err = url.ParseQuery(options); err != nil {
		return Spec{}, fmt.Errorf("brain: %s: the options are no option=value&option=value", s.Name)
	}
	return s, nil
}

// Get is the value of an option, fallback where it was not given.
func (s Spec) Get(option, fallback string) string {
	if v := s.Values.Get(option); v != "" {
		return v
	}
	return fallback
}

// Check says which of the options is none of known, and which is given twice. Values are not in the error:
// who mistakes a key for an option has not shown it.
func (s Spec) Check(known ...string) error {
	for name, v := range s.Values {
		if !slices.Contains(known, name) {
			return fmt.Errorf("brain: %s has no option %q; there are: %s", s.Name, name,
				strings.Join(known, ", "))
		}
		if len(v) > 1 {
			return fmt.Errorf("brain: %s: the option %q is given twice", s.Name, name)
		}
	}
	return nil
}

// Provider is a brain that is registered with the program that opens it (Options.Providers), and is not built
// in.
type Provider struct {
	// Info is what List says of it. Its Spec begins with the name.
	Info Info
	// Address is where it sends to unless a spec says otherwise (base_url); "" is not known.
	Address string
	// Open opens it. It does not touch the network.
	Open func(Spec, Options) (Brain, error)
}

// Name is what a spec calls the provider.
func (p Provider) Name() string {
	name, _, _ := strings.Cut(p.Info.Spec, "[")
	name, _, _ = strings.Cut(name, ":")
	return name
}

// Checker is a brain that can be asked whether it answers: one small request, which costs a few tokens.
type Checker interface {
	Check(ctx context.Context) (cua.Usage, error)
}

// Limiter holds requests back: Wait returns when the next may be sent. A *rate.Limiter is one.
type Limiter interface {
	Wait(ctx context.Context) error
}

// SafetyCheck is what a vendor wants a person to look at before an action is done.
type SafetyCheck struct {
	// Provider is who asks, Code its code for it; "" is none.
	Provider string `json:"provider"`
	Code     string `json:"code,omitzero"`
	// Message is the vendor's or the model's own words: hostile where a page made them up.
	Message string `json:"message,omitzero"`
	// Action is what is to be done, Then what the same call does behind it, which the answer covers too. URL
	// is the page it is to be done on, without what a URL may hide.
	Action cua.Action   `json:"action"`
	Then   []cua.Action `json:"then,omitzero"`
	URL    string       `json:"url,omitzero"`
}

// Consent is the answer to a safety check.
type Consent int

// The answers.
const (
	// NoConsent says that nobody was there to be asked.
	NoConsent Consent = iota
	// Granted says that a person, or a policy that the user configured, agrees.
	Granted
	// Denied says that one of them does not.
	Denied
)

// Options are what brains need of the program that opens them. All may be left out.
type Options struct {
	// Steps reads the steps of the journal that replay:RUN names; nil makes replay an error.
	Steps func(run string) ([]cua.Step, error)
	// Providers are the brains beside the built-in ones.
	Providers []Provider
	// Key is the key that an environment variable holds, "" where it is not set; nil has none.
	Key func(variable string) string
	// Limit is the one limiter of all brains that use a key; nil, and a nil answer, hold nothing back.
	Limit func(key string) Limiter
	// Transport sends requests; nil is http.DefaultTransport.
	Transport http.RoundTripper
	// Confirm answers safety checks; nil is NoConsent to all. An error ends the episode.
	Confirm func(context.Context, SafetyCheck) (Consent, error)
	// Cost prices what a model has used, US dollars; nil, and a nil answer, is not known.
	Cost func(provider, model string, u cua.Usage) *float64
	// NoPrompts leaves Decision.Sent empty: what was sent is not kept.
	NoPrompts bool
	// Log is told what a person should know at once: that a request is made again, and why. It never gets a
	// key.
	Log func(line string)
}
