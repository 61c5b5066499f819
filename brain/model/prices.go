package model

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Price is the cost of a model's tokens, US dollars per million. A missing price means unknown, and so is
// the cost of requests that need it; 0 means free.
type Price struct {
	Input     *float64 `json:"input"`
	Output    *float64 `json:"output"`
	CacheRead *float64 `json:"cache_read,omitzero"`
	// CacheWrite is for the shortest cache time of the vendor, LongWrite for an hour or more.
	CacheWrite *float64 `json:"cache_write,omitzero"`
	LongWrite  *float64 `json:"cache_write_long,omitzero"`
	// Long are the prices for all tokens of a request with more than LongAbove input tokens. LongAbove 0
	// means one price for all requests. A price that is missing in Long is unknown.
	LongAbove int    `json:"long_above,omitzero"`
	Long      *Price `json:"long,omitzero"`
}

// of is the price for a request with that many input tokens.
func (p Price) of(input int) Price {
	switch {
	case p.LongAbove == 0 || input <= p.LongAbove:
		return p
	case p.Long == nil:
		return Price{}
	}
	return *p.Long
}

// check returns an error for an invalid price.
func (p Price) check() error {
	for _, v := range []*float64{p.Input, p.Output, p.CacheRead, p.CacheWrite, p.LongWrite} {
		if v != nil && !(*v >= 0 && *v <= 1e6) {
			return fmt.Errorf("a price must be 0 or more and finite, not %v", *v)
		}
	}
	if p.LongAbove < 0 {
		return fmt.Errorf("long_above must be 0 or more")
	}
	if p.Long != nil {
		return p.Long.check()
	}
	return nil
}

// Prices are prices by provider and model. A name also matches its dated versions (name-20261122,
// name-YYYY-MM-DD). A name that ends in * matches every name with that prefix. The longest match wins.
type Prices struct {
	// Date is the day of the prices, for example 2026-01-31, and Source is where they are from.
	Date   string `json:"date"`
	Source string `json:"source"`
	// USD are the prices by provider, then by model.
	USD map[string]map[string]Price `json:"usd_per_million_tokens"`
}

//go:embed prices.json
var embedded []byte

// KnownPrices are the prices that are part of the program. They are dated and become outdated; a price
// file overrides them.
func KnownPrices() Prices {
	p, err := ReadPrices(embedded)
	if err != nil {
		panic("model: the embedded prices: " + err.Error()) // a test reads them
	}
	return p
}

// ReadPrices parses a JSON document of prices. Unknown fields and negative prices are errors.
func ReadPrices(doc []byte) (Prices, error) {
	var p Prices
	d := json.NewDecoder(bytes.NewReader(doc))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return Prices{}, fmt.Errorf("model: reading prices: %w", err)
	}
	for provider, models := range p.USD {
		for name, price := range models {
			if err := price.check(); err != nil {
				return Prices{}, fmt.Errorf("model: reading prices: %s %s: %w", provider, name, err)
			}
		}
	}
	return p, nil
}

// Over are the prices of p, and those of q for models that p does not have.
func (p Prices) Over(q Prices) Prices {
	out := Prices{Date: p.Date, Source: p.Source, USD: map[string]map[string]Price{}}
	for _, from := range []Prices{q, p} {
		for provider, models := range from.USD {
			if out.USD[provider] == nil {
				out.USD[provider] = map[string]Price{}
			}
			for name, price := range models {
				out.USD[provider][name] = price
			}
		}
	}
	return out
}

// Of is the price of a model; false if it is unknown.
func (p Prices) of(provider, model string) (Price, bool) {
	var best Price
	length, found := -1, false
	if _, named := p.USD[provider][model]; !named {
		model = dated.ReplaceAllString(model, "")
	}
	for name, price := range p.USD[provider] {
		prefix, pattern := strings.CutSuffix(name, "*")
		if name != model && !(pattern && strings.HasPrefix(model, prefix)) {
			continue
		}
		n := len(prefix)
		if !pattern {
			n = len(model) + 1 // an exact name wins over every pattern
		}
		if n > length {
			best, length, found = price, n, true
		}
	}
	return best, found
}

// dated matches the date at the end of a model's name.
var dated = regexp.MustCompile(`-20\d\d-?\d\d-?\d\d$`)

// Cost is the cost of one request with usage u, US dollars; nil if a price that it needs is unknown.
func (p Prices) Cost(provider, model string, u cua.Usage) *float64 {
	price, ok := p.of(provider, model)
	if !ok {
		return nil
	}
	price = price.of(u.InputTokens)
	sum := 0.0
	for _, part := range []struct {
		tokens int
		usd    *float64
	}{
		{max(u.InputTokens-u.CachedTokens-u.CacheWriteTokens, 0), price.Input},
		{u.CachedTokens, price.CacheRead},
		{max(u.CacheWriteTokens-u.LongCacheTokens, 0), price.CacheWrite},
		{u.LongCacheTokens, price.LongWrite},
		{u.OutputTokens, price.Output},
	} {
		switch {
		case part.tokens == 0:
		case part.usd == nil:
			return nil
		default:
			sum += float64(part.tokens) * *part.usd / 1e6
		}
	}
	return &sum
}
