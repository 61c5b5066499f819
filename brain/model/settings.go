package model

import (
	"fmt"
	"net/url"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// BaseURL is the option base_url: where the vendor's API is, "" where it was not given. It must be http or https and
// name no user: it is recorded.
func BaseURL(s brain.Spec) (string, error) {
	raw := s.Get("base_url", "")
	if raw == "" {
		return "", nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("brain: %s: base_url must be http://HOST/PATH or https://HOST/PATH, without a user, a query or a fragment", s.Name)
	}
	return raw, nil
}

// KeyOf is the key that the environment variable holds. Without one it is an error that names the variable.
func KeyOf(o brain.Options, provider, variable string) (string, error) {
	if o.Key != nil {
		if key := o.Key(variable); key != "" {
			return key, nil
		}
	}
	return "", fmt.Errorf("brain: %s needs a key: set %s", provider, variable)
}

// Priced says whether the cost of what the model uses is known.
func (b *Brain) Priced() bool {
	return b.opts.Cost != nil && b.opts.Cost(b.cfg.Provider, b.cfg.Model, cua.Usage{InputTokens: 1, OutputTokens: 1}) != nil
}
