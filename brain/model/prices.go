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

// Price is what a model's tokens cost, US dollars per million. A price that is left out is not known, and
// what uses such tokens has no known cost; 0 is free.
type Price struct {
	Input     *float64 `json:"input"`
	Output    *float64 `json:"output"`
	CacheRead *float64 `json:"cache_read,omitzero"`
	// CacheWrite is that of the shortest time that the vendor keeps, LongWrite that of an hour or more.
	CacheWrite *float64 `json:"cache_write,omitzero"`
	LongWrite  *float64 `json:"cache_write_long,omitzero"`
	// Long are the prices of a request with more than LongAbove input tokens, of all its tokens; LongAbove 0
	// is one price for all requests. What Long leaves out is not known.
	LongAbove int    `json:"long_above,omitzero"`
	Long      *Price `json:"long,omitzero"`
}

// of is the price of a request with so many input tokens.
func (p Price) of(input int) Price {
	switch {
	case p.LongAbove == 0 || input <= p.LongAbove:
		return p
	case p.Long == nil:
		return Price{}
	}
	return *p.Long
}

// check says what in a price is none.
func (p Price) check() error {
	for _, v := range []*float64{p.Input, p.Output, p.CacheRead, p.CacheWrite, p.LongWrite} {
		if v != nil && !(*v >= 0 && *v <= 1e6) {
			return fmt.Errorf("%v is no price", *v)
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

// Prices are those of models by provider and name. A name stands for its dated versions too (name-20261122,
// name-YYYY-MM-DD), and one that ends in * for all that begin so; the longest that fits counts.
type Prices struct {
	// Date is when they were looked up, as 2026-01-31, Source where.
	Date   string `json:"date"`
	Source string `json:"source"`
	// USD are the prices by provider, then by model.
	USD map[string]map[string]Price `json:"usd_per_million_tokens"`
}

//go:embed prices.json
var embedded []byte

// KnownPrices are those that the program brings along. They are dated and go stale: a file of one's own goes
// over them.
func KnownPrices() Prices {
	p, err := ReadPrices(embedded)
	if err != nil {
		panic("model: the embedded prices: " + err.Error()) // a test reads them
	}
	return p
}

// ReadPrices reads a JSON document of prices. A field that is not known and a negative price are errors.
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

// Over are the prices of p, and those of q where p has none for a model.
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

// Of is the price of a model; false when none is known.
func (p Prices) Of(provider, model string) (Price, bool) {
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
			n = len(model) + 1 // the name itself comes before every pattern
		}
		if n > length {
			best, length, found = price, n, true
		}
	}
	return best, found
}

// dated is the date at the end of a model's name.
var dated = regexp.MustCompile(`-20\d\d-?\d\d-?\d\d$`)

// Cost is what one request that used u cost, US dollars; nil when a price that it needs is not known.
func (p Prices) Cost(provider, model string, u cua.Usage) *float64 {
	price, ok := p.Of(provider, model)
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
