package cua

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func TestLedger(t *testing.T) {
	shop := Observation{URL: "https://ada:pw@shop.test/cart?token=abc&page=2#top"}
	thanks := Observation{URL: "https://shop.test/thanks", Writes: []Write{{Method: "POST", URL: "https://shop.test/order", Status: 303}}}
	buy := Target{ID: "b", Role: "button", Name: "Place order\nnow", Submit: true, Form: "f"}
	failed := Observation{URL: "https://shop.test/cart", Writes: []Write{{Method: "POST", URL: "https://shop.test/order", Status: 500}}}
	for _, c := range []struct {
		name string
		h    History
		want string
	}{
		{"nothing", History{}, ""},
		{"a page, without what opens it", History{Start: shop}, "## Pages visited\n- https://shop.test/cart?token=…&page=2\n"},
		{"an order", History{Start: shop, Steps: []Step{{N: 1, Action: &Action{Kind: Click}, Target: buy, After: thanks}}},
			"## Pages visited\n- https://shop.test/cart?token=…&page=2\n- https://shop.test/thanks\n\n" +
				"## Forms submitted\n- step 1: by click \"Place order now\" on https://shop.test/cart?token=…&page=2: POST https://shop.test/order (status 303)\n\n" +
				"## Irreversible actions\n- step 1: by click \"Place order now\" on https://shop.test/cart?token=…&page=2: POST https://shop.test/order (status 303)\n"},
		{"an order that the server refused", History{Steps: []Step{{N: 1, Action: &Action{Kind: Click}, Target: buy, After: failed}}},
			"## Pages visited\n- https://shop.test/cart\n"},
		{"what was proposed and not done", History{Steps: []Step{{N: 1, Proposed: Action{Kind: Click}, Target: buy, After: thanks}}},
			"## Pages visited\n- https://shop.test/thanks\n"},
		{"a like is no form", History{Steps: []Step{{N: 4, Action: &Action{Kind: Click}, Target: Target{Role: "button", Name: "Like"}, After: Observation{Writes: thanks.Writes}}}},
			"## Irreversible actions\n- step 4: by click \"Like\" on a page without address: POST https://shop.test/order (status 303)\n"},
		{"a look", History{Start: failed, Steps: []Step{{N: 1, Action: &Action{Kind: Find, Text: "total"}}}},
			"## Pages visited\n- https://shop.test/cart\n\n## Data extracted\n- step 1: find \"total\" on https://shop.test/cart\n"},
		{"a download and a way back", History{Steps: []Step{
			{N: 1, Action: &Action{Kind: Key, Keys: "Return"}, After: Observation{Downloads: 1}},
			{N: 2, Action: &Action{Kind: Rewind, Step: 1}, RewoundTo: 1, After: Observation{URL: "https://shop.test/", Downloads: 1}}}},
			"## Pages visited\n- https://shop.test/\n\n## Downloads\n- step 1: by Return on a page without address\n\n## Rewinds\n- step 2: back to before step 1, on https://shop.test/\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := LedgerOf(c.h).String(); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestPublicURL(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"plain", "https://a.test/x?q=shoes", "https://a.test/x?q=shoes"},
		{"userinfo and fragment", "https://u:p@a.test/x#y", "https://a.test/x"},
		{"names of secrets", "https://a.test/?access_token=1&password=2&X-Amz-Signature=3&keyword=4", "https://a.test/?access_token=…&password=…&X-Amz-Signature=…&keyword=4"},
		{"an escaped name", "https://a.test/?pass%77ord=2", "https://a.test/?pass%77ord=…"},
		{"what looks random", "https://a.test/?r=0123456789abcdef0123456789abcdef", "https://a.test/?r=…"},
		{"a long text is no key", "https://a.test/?q=a+rather+long+question+about+shoes+%3F", "https://a.test/?q=a+rather+long+question+about+shoes+%3F"},
		{"no address", "::", ""},
		{"nothing loaded", "about:blank", ""},
	} {
		if got := PublicURL(c.raw); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// ledgerHistory is any history, as far as ledgers look at it.
func ledgerHistory(rt *rapid.T) History {
	page := rapid.Custom(func(rt *rapid.T) Observation {
		o := Observation{URL: rapid.SampledFrom([]string{"", "https://a.test/", "https://a.test/b?token=x", "https://b.test/"}).Draw(rt, "url"),
			Downloads: rapid.IntRange(0, 2).Draw(rt, "downloads")}
		if rapid.Bool().Draw(rt, "writes") {
			o.Writes = []Write{{Method: "POST", URL: "https://a.test/w", Status: rapid.SampledFrom([]int{0, 200, 303, 500}).Draw(rt, "status")}}
		}
		return o
	})
	h := History{Start: page.Draw(rt, "start")}
	for n := range rapid.IntRange(0, 12).Draw(rt, "steps") {
		s := Step{N: n + 1, After: page.Draw(rt, "after"), Target: Target{Name: rapid.SampledFrom([]string{"", "Send", "a\nb"}).Draw(rt, "name"), Submit: rapid.Bool().Draw(rt, "submit")}}
		if kind := rapid.SampledFrom([]Kind{"", Click, Key, Find, Rewind, Type}).Draw(rt, "kind"); kind != "" {
			s.Action = &Action{Kind: kind, Keys: "Return", Text: "x"}
			if kind == Rewind && n > 0 {
				s.RewoundTo = rapid.IntRange(1, n).Draw(rt, "to")
			}
		}
		h.Steps = append(h.Steps, s)
	}
	return h
}

// TestLedgersMerge says that a history may be cut anywhere, any number of times, in any order.
func TestLedgersMerge(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := ledgerHistory(rt)
		whole := LedgerOf(h)
		cut := rapid.IntRange(0, len(h.Steps)).Draw(rt, "cut")
		a := LedgerOf(History{Start: h.Start, Steps: h.Steps[:cut]})
		b := LedgerOf(History{Start: h.Before(cut), Steps: h.Steps[cut:]})
		if got := a.Merge(b); !reflect.DeepEqual(got, whole) || got.String() != whole.String() {
			rt.Fatalf("cut at %d:\n%s\nwhole:\n%s", cut, got, whole)
		}
		if got := b.Merge(a); !reflect.DeepEqual(got, whole) {
			rt.Fatal("the order matters")
		}
		var folded Ledger // one compaction after each step
		for i := range h.Steps {
			folded = folded.Merge(LedgerOf(History{Start: h.Before(i), Steps: h.Steps[i : i+1]}))
		}
		if len(h.Steps) > 0 && !reflect.DeepEqual(folded, whole) {
			rt.Fatalf("folded step by step:\n%s\nwhole:\n%s", folded, whole)
		}
	})
}
