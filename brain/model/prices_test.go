package model

import (
	"math"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

func TestKnownPricesRead(t *testing.T) {
	p := KnownPrices()
	if p.Date == "" || p.Source == "" {
		t.Error("the prices are not dated")
	}
	for provider, models := range p.USD {
		for name, price := range models {
			if price.Input == nil || price.Output == nil || *price.Input <= 0 ||
				*price.Output < *price.Input {
				t.Errorf("%s %s: %+v", provider, name, price)
			}
			if price.CacheRead != nil && *price.CacheRead >= *price.Input {
				t.Errorf("%s %s: reading from the cache is no cheaper", provider, name)
			}
		}
	}
}

func TestCost(t *testing.T) {
	own, err := ReadPrices([]byte(`{"date":"2026-01-01","source":"me","usd_per_million_tokens":{"v":{
		"a":{"input":1,"output":10,"cache_read":0.1,"cache_write":2,"cache_write_long":4,"long_above":1000000,"long":{"input":3,"output":30}},
		"b*":{"input":5,"output":5},"b-small*":{"input":1,"output":1},"free":{"input":0,"output":0}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	million := 1_000_000
	for _, row := range []struct {
		name, model string
		use         cua.Usage
		want        float64 // -1: not known
	}{
		{"in and out", "a", cua.Usage{InputTokens: million, OutputTokens: million}, 11},
		{"a dated version", "a-20260101", cua.Usage{InputTokens: million}, 1},
		{"a dated version, with dashes", "a-2026-01-01", cua.Usage{InputTokens: million}, 1},
		{"all of it from the cache", "a", cua.Usage{InputTokens: million, CachedTokens: million}, 0.1},
		{"written to the cache, a quarter for long", "a", cua.Usage{InputTokens: million, CacheWriteTokens: million, LongCacheTokens: million / 4}, 2.5},
		{"reasoning is output already", "a", cua.Usage{OutputTokens: million, ReasoningTokens: million}, 10},
		{"a long request", "a", cua.Usage{InputTokens: 2 * million, OutputTokens: million}, 36},
		{"a long request from a cache without a price", "a", cua.Usage{InputTokens: 2 * million, CachedTokens: 1}, -1},
		{"a pattern", "b-big", cua.Usage{InputTokens: million}, 5},
		{"the longer pattern", "b-small-2", cua.Usage{InputTokens: million}, 1},
		{"a cache without a price", "b", cua.Usage{InputTokens: million, CachedTokens: 1}, -1},
		{"free", "free", cua.Usage{InputTokens: million, OutputTokens: 1}, 0},
		{"an unknown model", "c", cua.Usage{InputTokens: 1}, -1},
		{"a longer name", "ab", cua.Usage{InputTokens: 1}, -1},
		{"nothing used", "a", cua.Usage{}, 0},
	} {
		got := own.Cost("v", row.model, row.use)
		if (got == nil) != (row.want < 0) || got != nil && math.Abs(*got-row.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
	if own.Cost("w", "a", cua.Usage{InputTokens: 1}) != nil {
		t.Error("another vendor's model has a price")
	}
	over := own.Over(Prices{USD: map[string]map[string]Price{"v": {"a": {Input: new(9.0)},
		"z": {Input: new(7.0), Output: new(7.0)}}}})
	if a, _ := over.of("v", "a"); *a.Input != 1 {
		t.Error("the user's price does not come first")
	}
	if z := over.Cost("v", "z", cua.Usage{InputTokens: million}); z == nil || *z != 7 {
		t.Errorf("what the user does not price: %v", z)
	}
}

func TestBadPrices(t *testing.T) {
	for _, doc := range []string{``, `[]`, `{"usd":{}}`, `{"usd_per_million_tokens":{"v":{"m":{"input":-1}}}}`, `{"usd_per_million_tokens":{"v":{"m":{"imput":1}}}}`,
		`{"usd_per_million_tokens":{"v":{"m":{"long":{"output":-2}}}}}`, `{"usd_per_million_tokens":{"v":{"m":{"long_above":-2}}}}`, `{"usd_per_million_tokens":{"v":{"m":{"input":"1"}}}}`} {
		if _, err := ReadPrices([]byte(doc)); err == nil {
			t.Errorf("%s was read", doc)
		}
	}
}

func TestUsageAddsUp(t *testing.T) {
	known, unknown, none := cua.Usage{InputTokens: 1, USD: new(0.5)}, cua.Usage{OutputTokens: 1},
		cua.Usage{Attempts: 2}
	for _, row := range []struct {
		name string
		a, b cua.Usage
		want *float64
	}{
		{"both known", known, known, new(1.0)}, {"one unknown", known, unknown, nil}, {"the other", unknown, known, nil},
		{"one used nothing", known, none, new(0.5)}, {"the other used nothing", none, known, new(0.5)}, {"nothing at all", none, none, nil},
	} {
		got := row.a.Plus(row.b)
		if (got.USD == nil) != (row.want == nil) || got.USD != nil && *got.USD != *row.want ||
			got.Tokens() != row.a.Tokens()+row.b.Tokens() {
			t.Errorf("%s: %+v", row.name, got)
		}
	}
}

func TestACostThatIsNotKnownIsSaid(t *testing.T) {
	prices, err := ReadPrices([]byte(`{"usd_per_million_tokens":{"vendor":{"model":{"input":1,"output":1}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	cached := calling(click(1))
	cached.Usage.CachedTokens = 50
	for _, row := range []struct {
		name   string
		caches bool
		priced bool
		said   int
	}{
		{"a cache that is the vendor's own affair", false, true, 1}, // of two such requests
		{"a cache that every request uses", true, false, 0},         // refused or said when the brain is opened
	} {
		var said []string
		o := brain.Options{Cost: prices.Cost, Log: func(line string) { said = append(said, line) }}
		w := newWorld(t, &script{replies: []Reply{calling(click(1)), cached, cached}}, o)
		w.b.cfg.Caches = row.caches
		if w.b.Priced() != row.priced {
			t.Errorf("%s: priced is %v", row.name, !row.priced)
		}
		for n := range 3 {
			d := w.decide()
			if (d.Usage.USD != nil) != (n == 0) {
				t.Errorf("%s: request %d cost %v", row.name, n, d.Usage.USD)
			}
			w.step(d, nil)
		}
		if len(said) != row.said || row.said > 0 && !strings.Contains(said[0], "50 from a cache") {
			t.Errorf("%s: said %q", row.name, said)
		}
	}
}

// TestTokensThatAreNotToldAreSaid: a cap cannot count them, and what is below 0 gives nothing back.
func TestTokensThatAreNotToldAreSaid(t *testing.T) {
	silent := calling(click(1))
	silent.Usage = cua.Usage{}
	below := calling(click(1))
	below.Usage = cua.Usage{InputTokens: -1000, OutputTokens: 5}
	for _, row := range []struct {
		name      string
		reply     Reply
		uncounted bool
		tokens    int
		said      int
	}{
		{"tokens", calling(click(1)), false, 110, 0},
		{"no tokens, of three replies", silent, false, 0, 1},
		{"no tokens of a program", silent, true, 0, 0},
		{"tokens below 0", below, false, 5, 0},
	} {
		var said []string
		w := newWorld(t, &script{replies: []Reply{row.reply, row.reply, row.reply}},
			brain.Options{Log: func(line string) { said = append(said, line) }})
		w.b.cfg.Uncounted = row.uncounted
		for range 3 {
			d := w.decide()
			if d.Usage.Tokens() != row.tokens {
				t.Errorf("%s: %d tokens", row.name, d.Usage.Tokens())
			}
			w.step(d, nil)
		}
		if len(said) != row.said || row.said > 0 && !strings.Contains(said[0],
			"does not tell how many tokens") {
			t.Errorf("%s: said %q", row.name, said)
		}
	}
}
