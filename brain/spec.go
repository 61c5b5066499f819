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

// Spec selects a brain that calls a model: PROVIDER[:MODEL][?option=value&option=value].
type Spec struct {
	// Name is the name of the provider.
	Name string
	// Model is the name of the model; "" means the default of the provider.
	Model string
	// Values are the options.
	Values url.Values
	// Text is the spec as it was written. It is recorded, so it must contain no key.
	Text string
}

// ParseSpec parses a spec. Options that cannot be parsed are an error, which does not quote their values.
// The provider checks the names of options (Spec.Check).
func ParseSpec(text string) (Spec, error) {
	head, options, _ := strings.Cut(text, "?")
	s := Spec{Text: text}
	s.Name, s.Model, _ = strings.Cut(head, ":")
	var err error
	if s.Values, err = url.ParseQuery(options); err != nil {
		return Spec{}, fmt.Errorf("brain: %s: the options must be option=value&option=value", s.Name)
	}
	return s, nil
}

// Get is the value of an option, or fallback if it was not given.
func (s Spec) Get(option, fallback string) string {
	if v := s.Values.Get(option); v != "" {
		return v
	}
	return fallback
}

// Check returns an error for an option that is not in known, or that is given twice. The error does not
// quote values: a key may have been mistaken for an option.
func (s Spec) Check(known ...string) error {
	for name, v := range s.Values {
		if !slices.Contains(known, name) {
			return fmt.Errorf("brain: %s has no option %q; known: %s", s.Name, name,
				strings.Join(known, ", "))
		}
		if len(v) > 1 {
			return fmt.Errorf("brain: %s: the option %q is given twice", s.Name, name)
		}
	}
	return nil
}

// Provider is a brain that the program registers (Options.Providers), in contrast to the built-in ones.
type Provider struct {
	// Info describes it in List. Info.Spec begins with the name.
	Info Info
	// Address is where it sends requests, unless a spec sets base_url; "" means unknown.
	Address string
	// Open opens it. It does not touch the network.
	Open func(Spec, Options) (Brain, error)
}

// Name is the name of the provider in a spec.
func (p Provider) Name() string {
	name, _, _ := strings.Cut(p.Info.Spec, "[")
	name, _, _ = strings.Cut(name, ":")
	return name
}

// Checker is a brain that can test whether it answers, by one small request that costs a few tokens.
type Checker interface {
	Check(ctx context.Context) (cua.Usage, error)
}

// Limiter delays requests: Wait returns when the next one may be sent. *rate.Limiter implements it.
type Limiter interface {
	Wait(ctx context.Context) error
}

// SafetyCheck is an action for which a vendor asks for the consent of a person.
type SafetyCheck struct {
	// Provider is the vendor, and Code is its code for the check; "" means none.
	Provider string `json:"provider"`
	Code     string `json:"code,omitzero"`
	// Message is the text of the vendor or the model. It is hostile, because a page may have caused it.
	Message string `json:"message,omitzero"`
	// Action is the action to be done, and Then what the same call does after it; the answer covers both.
	// URL is the address of the page, redacted.
	Action cua.Action   `json:"action"`
	Then   []cua.Action `json:"then,omitzero"`
	URL    string       `json:"url,omitzero"`
}

// Consent is the answer to a safety check.
type Consent int

// The answers.
const (
	// NoConsent means that nobody was available to answer.
	NoConsent Consent = iota
	// Granted means that a person, or a policy that the user configured, agrees.
	Granted
	// Denied means that a person or a policy does not agree.
	Denied
)

// Options are what brains need from the program that opens them. All are optional.
type Options struct {
	// Steps reads the steps of the journal that replay:RUN names. If it is nil, replay is an error.
	Steps func(run string) ([]cua.Step, error)
	// Providers are the brains in addition to the built-in ones.
	Providers []Provider
	// Key returns the key in an environment variable, or "" if it is not set. A nil Key means no keys.
	Key func(variable string) string
	// Limit returns the limiter that all brains with that key share. A nil Limit or a nil result means no
	// limit.
	Limit func(key string) Limiter
	// Transport sends requests; nil is http.DefaultTransport.
	Transport http.RoundTripper
	// Confirm answers safety checks. A nil Confirm means NoConsent. An error ends the episode.
	Confirm func(context.Context, SafetyCheck) (Consent, error)
	// Cost returns the price of the usage in US dollars. A nil Cost or a nil result means unknown.
	Cost func(provider, model string, u cua.Usage) *float64
	// NoPrompts leaves Decision.Sent empty, so the text of requests is not stored.
	NoPrompts bool
	// Log receives messages for the person who runs the program, such as the reason for a retry. It never
	// receives a key.
	Log func(line string)
}
