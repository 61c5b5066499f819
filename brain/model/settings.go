package model

import (
	"fmt"
	"net"
	"net/url"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// BaseURL is the option base_url: the address of the vendor's API, or "" if it was not given. It must be
// http or https and contain no user, because it is recorded. keyed says that a key is sent there: then
// http is allowed only for this machine.
func BaseURL(s brain.Spec, keyed bool) (string, error) {
	raw := s.Get("base_url", "")
	if raw == "" {
		return "", nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "" {
		return "",
			fmt.Errorf("brain: %s: base_url must be http://HOST/PATH or https://HOST/PATH, without a user, "+
				"a query or a fragment", s.Name)
	}
	ip := net.ParseIP(u.Hostname())
	if local := u.Hostname() == "localhost" || ip.IsLoopback(); keyed && u.Scheme != "https" && !local {
		return "",
			fmt.Errorf("brain: %s: the option base_url must be https where a key is sent: only this "+
				"machine is talked to in the clear", s.Name)
	}
	return raw, nil
}

// KeyOf returns the key in the environment variable. Without a key it returns an error that names the
// variable.
func KeyOf(o brain.Options, provider, variable string) (string, error) {
	if o.Key != nil {
		if key := o.Key(variable); key != "" {
			return key, nil
		}
	}
	return "", fmt.Errorf("brain: %s needs a key: set %s", provider, variable)
}

// Priced reports whether the cost of the model's usage is known: the prices of input and output, and of
// the cache if every conversation uses it (Config.Caches).
func (b *Brain) Priced() bool {
	u := cua.Usage{InputTokens: 3, OutputTokens: 1}
	if b.cfg.Caches {
		u.CachedTokens, u.CacheWriteTokens = 1, 1
	}
	return b.opts.Cost != nil && b.opts.Cost(b.cfg.Provider, b.cfg.Model, u) != nil
}

// priced is u with its cost. If the cost is unknown although the brain is Priced (a long request, a cache
// without a price), this is logged once, because a cap on the cost does not count it.
func (b *Brain) priced(u cua.Usage) cua.Usage {
	if u.USD != nil || b.opts.Cost == nil || u.Tokens() == 0 {
		return u
	}
	u.USD = b.opts.Cost(b.cfg.Provider, b.cfg.Model, u)
	if u.USD == nil && !b.unpriced && b.opts.Log != nil && b.Priced() {
		b.unpriced = true
		b.opts.Log(fmt.Sprintf("warning: the cost of a request to %s is not known (%d tokens in, %d from a "+
			"cache, %d written to one, %d out), so caps do not count it; --prices FILE gives it",
			b.cfg.By, u.InputTokens, u.CachedTokens, u.CacheWriteTokens, u.OutputTokens))
	}
	return u
}

// uncounted logs once that a reply has no token counts, because no cap counts it.
func (b *Brain) uncounted(u cua.Usage) {
	if u.Tokens() > 0 || b.cfg.Uncounted || b.unpriced || b.opts.Log == nil {
		return
	}
	b.unpriced = true
	b.opts.Log(fmt.Sprintf("warning: %s does not tell how many tokens a request used, so caps on tokens "+
		"and cost do not count it", b.cfg.By))
}

// counts is u with negative counts set to 0. A negative count would reduce what a cap has counted.
func counts(u cua.Usage) cua.Usage {
	for _, n := range []*int{&u.InputTokens, &u.OutputTokens, &u.CachedTokens, &u.CacheWriteTokens,
		&u.LongCacheTokens, &u.ReasoningTokens} {
		*n = max(*n, 0)
	}
	return u
}
