package cua

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestLedger(t *testing.T) {
	shop := Observation{URL: "https://ada:pw@shop.test/cart?token=abc&page=2#top"}
	thanks := Observation{URL: "https://shop.test/thanks", Writes: []Write{{Method: "POST",
		URL: "https://shop.test/order", Status: 303}}}
	buy := Target{ID: "b", Role: "button", Name: "Place order\nnow", Submit: true, Form: "f"}
	failed := Observation{URL: "https://shop.test/cart", Writes: []Write{{Method: "POST",
		URL: "https://shop.test/order", Status: 500}}}
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
		{"an order after which the next page cannot be shown", History{Steps: []Step{{N: 1, Action: &Action{Kind: Click}, Target: buy,
			Failure: &Failure{Kind: FailNav}, After: Observation{Writes: thanks.Writes}}}},
			"## Forms submitted\n- step 1: by click \"Place order now\" on a page without address: POST https://shop.test/order (status 303)\n\n" +
				"## Irreversible actions\n- step 1: by click \"Place order now\" on a page without address: POST https://shop.test/order (status 303)\n"},
		{"an order that the server refused", History{Steps: []Step{{N: 1, Action: &Action{Kind: Click}, Target: buy, After: failed}}},
			"## Pages visited\n- https://shop.test/cart\n"},
		{"an order that was interrupted", interrupted(Observation{URL: "https://shop.test/cart"}, Action{Kind: Click}, buy, Observation{URL: "https://shop.test/cart"}),
			"## Pages visited\n- https://shop.test/cart\n\n## Forms submitted\n- step 2: by click \"Place order now\": possibly sent, the run was interrupted\n\n" +
				"## Irreversible actions\n- step 2: by click \"Place order now\": possibly sent, the run was interrupted\n"},
		{"what was proposed and not done", History{Steps: []Step{{N: 1, Proposed: Action{Kind: Click}, Target: buy, After: thanks}}},
			"## Pages visited\n- https://shop.test/thanks\n"},
		{"a like is no form", History{Steps: []Step{{N: 4, Action: &Action{Kind: Click}, Target: Target{Role: "button", Name: "Like"}, After: Observation{Writes: thanks.Writes}}}},
			"## Irreversible actions\n- step 4: by click \"Like\" on a page without address: POST https://shop.test/order (status 303)\n"},
		{"the same again and again", History{Steps: likes(1, 5, 7)}, "## Irreversible actions\n- steps 1, 5, 7: by click \"Like\" on a page without address: POST https://shop.test/order (status 303)\n"},
		{"too often to name each", History{Steps: likes(1, 2, 4, 8, 16, 32)}, "## Irreversible actions\n- steps 1, 2, 4, … 32 (6 times): by click \"Like\" on a page without address: POST https://shop.test/order (status 303)\n"},
		{"a look", History{Start: failed, Steps: []Step{{N: 1, Action: &Action{Kind: Find, Text: "total"}}}},
			"## Pages visited\n- https://shop.test/cart\n\n## Data extracted\n- step 1: find \"total\" on https://shop.test/cart\n"},
		{"a wait while the page lists what was sent", History{Start: Observation{Writes: thanks.Writes}, Steps: []Step{
			{N: 1, Action: &Action{Kind: Wait}, After: Observation{Writes: thanks.Writes}}}}, ""},
		{"a wait in which the answer comes", History{Start: Observation{Writes: []Write{{Method: "POST", URL: "https://shop.test/order"}}},
			Steps: []Step{{N: 1, Action: &Action{Kind: Wait}, After: Observation{Writes: thanks.Writes}}}},
			"## Irreversible actions\n- step 1: by wait on a page without address: POST https://shop.test/order (status 303)\n"},
		{"the same order twice", History{Start: Observation{Writes: thanks.Writes}, Steps: []Step{{N: 1, Action: &Action{Kind: Click},
			Target: Target{Name: "Like"}, After: Observation{Writes: thanks.Writes}}}},
			"## Irreversible actions\n- step 1: by click \"Like\" on a page without address: POST https://shop.test/order (status 303)\n"},
		{"the same order twice, and then a failure", History{Start: Observation{Writes: thanks.Writes}, Steps: []Step{{
			N: 1, Action: &Action{Kind: DoubleClick},
			Target: Target{Name: "Like"}, Failure: &Failure{Kind: FailNotInteractable},
			After: Observation{Writes: thanks.Writes}}}},
			"## Irreversible actions\n- step 1: by double_click \"Like\" on a page without address: POST https://shop.test/order (status 303)\n"},
		{"a lost page in an older journal", History{Start: Observation{Writes: thanks.Writes}, Steps: []Step{
			{N: 1, Action: &Action{Kind: Click}, Failure: &Failure{Kind: FailEnv}, After: Observation{Writes: thanks.Writes}}}}, ""},
		{"a failure while the page lists what was sent", History{Start: Observation{Writes: thanks.Writes}, Steps: []Step{
			{N: 1, Action: &Action{Kind: AnswerDlg}, Failure: &Failure{Kind: FailExec}, After: Observation{Writes: thanks.Writes}}}}, ""},
		{"a look that failed", History{Steps: []Step{{N: 1, Action: &Action{Kind: Find, Text: "total"}, Failure: &Failure{Kind: FailExec}}}}, ""},
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

// likes are steps of those numbers that do the same.
func likes(at ...int) (out []Step) {
	for _, n := range at {
		out = append(out, Step{N: n, Action: &Action{Kind: Click}, Target: Target{Name: "Like"},
			After: Observation{Writes: []Write{{Method: "POST", URL: "https://shop.test/order",
				Status: 303}}}})
	}
	return out
}

func TestPublicURL(t *testing.T) {
	for _, c := range []struct{ name, raw, want string }{
		{"plain", "https://a.test/x?q=shoes", "https://a.test/x?q=shoes"},
		{"userinfo and fragment", "https://u:p@a.test/x#y", "https://a.test/x"},
		{"names of secrets", "https://a.test/?access_token=1&password=2&X-Amz-Signature=3&keyword=4", "https://a.test/?access_token=…&password=…&X-Amz-Signature=…&keyword=4"},
		{"an escaped name", "https://a.test/?pass%77ord=2", "https://a.test/?pass%77ord=…"},
		{"what looks random", "https://a.test/?r=0123456789abcdef0123456789abcdef", "https://a.test/?r=…"},
		{"a long text is no key", "https://a.test/?q=a+rather+long+question+about+shoes+%3F", "https://a.test/?q=a+rather+long+question+about+shoes+%3F"},
		{"what looks random, escaped", "https://a.test/?r=0123456789abcdef0123456789abcd%3D%3D", "https://a.test/?r=…"},
		{"a key without a name", "https://a.test/?0123456789abcdef0123456789abcdef", "https://a.test/?…"},
		{"a word without a name", "https://a.test/?shoes", "https://a.test/?shoes"},
		{"sessions of servers", "https://a.test/?PHPSESSID=a1b2&x=1", "https://a.test/?PHPSESSID=…&x=1"},
		{"a session in the path", "https://a.test/cart;jsessionid=0A1B2C?x=1", "https://a.test/cart;jsessionid=…?x=1"},
		{"parted by semicolons", "https://a.test/?x=1;token=2;y=3", "https://a.test/?x=1;token=…;y=3"},
		{"an address in an address", "https://a.test/?next=https%3A%2F%2Fu%3Ap%40b.test%2F%3Ftoken%3D2", "https://a.test/?next=…"},
		{"one with nothing to hide", "https://a.test/?next=https%3A%2F%2Fb.test%2Fx", "https://a.test/?next=https%3A%2F%2Fb.test%2Fx"},
		{"a query that is no text", "https://a.test/?x=%zz", "https://a.test/?x=…"},
		{"a route", "https://a.test/app#/home", "https://a.test/app#/home"},
		{"a route with a mark", "https://a.test/?x=1#!/lamps/3", "https://a.test/?x=1#!/lamps/3"},
		{"a route with a secret", "https://a.test/#/reset?token=abc&step=2", "https://a.test/#/reset?token=…&step=2"},
		{"what a sign-in sends back", "https://a.test/#access_token=abc&state=1", "https://a.test/"},
		{"the same as a route", "https://a.test/#/access_token=abc&state=1", "https://a.test/"},
		{"no address", "::", ""},
		{"nothing loaded", "about:blank", ""},
	} {
		if got := PublicURL(c.raw); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// ledgerHistory is any history, as far as ledgers look at it: with rewinds, and with places where it was
// resumed.
func ledgerHistory(rt *rapid.T) History {
	page := rapid.Custom(func(rt *rapid.T) Observation {
		o := Observation{URL: rapid.SampledFrom([]string{"", "https://a.test/", "https://a.test/b?token=x",
			"https://b.test/"}).Draw(rt, "url"),
			Downloads: rapid.IntRange(0, 2).Draw(rt, "downloads")}
		if rapid.Bool().Draw(rt, "writes") {
			o.Writes = []Write{{Method: "POST", URL: "https://a.test/w",
				Status: rapid.SampledFrom([]int{0, 200, 303, 500}).Draw(rt, "status")}}
		}
		return o
	})
	h := History{Start: page.Draw(rt, "start")}
	for n := range rapid.IntRange(0, 12).Draw(rt, "steps") {
		s := Step{N: n + 1, After: page.Draw(rt, "after"), Target: Target{Name: rapid.SampledFrom([]string{"",
			"Send", "a\nb"}).Draw(rt, "name"), Submit: rapid.Bool().Draw(rt, "submit")}}
		if kind := rapid.SampledFrom([]Kind{"", Click, Key, Find, Rewind, Type, Wait}).Draw(rt,
			"kind"); kind != "" {
			s.Action = &Action{Kind: kind, Keys: "Return", Text: "x"}
			if kind == Rewind && n > 0 {
				s.RewoundTo = rapid.IntRange(1, n).Draw(rt, "to")
			}
			if rapid.Bool().Draw(rt, "failed") {
				s.Failure = &Failure{Kind: FailExec}
			}
		}
		h.Steps = append(h.Steps, s)
	}
	at := 0
	for range rapid.IntRange(0, 3).Draw(rt, "resumptions") {
		at = rapid.IntRange(at, len(h.Steps)).Draw(rt, "at")
		r := Resumption{At: at, Page: page.Draw(rt, "page"), Fresh: rapid.Bool().Draw(rt, "fresh")}
		if rapid.Bool().Draw(rt, "interrupted") {
			r.Interrupted = &Intent{Number: at + 1, Action: Action{Kind: Click},
				Submit: rapid.Bool().Draw(rt, "sends")}
		}
		h.Resumed = append(h.Resumed, r)
	}
	return h
}

// stretch are the steps from one index to another of h, with what they began on. What resumptions showed
// behind the last step is in the stretch that ends the history.
func stretch(h History, from, to int) History {
	out := History{Start: h.Before(from), Steps: h.Steps[from:to]}
	if from == 0 {
		out.Start = h.Start
	}
	for _, r := range h.Resumed {
		if r.At >= from && (r.At < to || to == len(h.Steps)) {
			out.Resumed = append(out.Resumed, Resumption{At: r.At - from, Page: r.Page,
				Interrupted: r.Interrupted})
		}
	}
	return out
}

// TestLedgersMerge says that a history may be cut anywhere, any number of times, in any order.
func TestLedgersMerge(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := ledgerHistory(rt)
		whole := LedgerOf(h)
		cut := rapid.IntRange(0, len(h.Steps)).Draw(rt, "cut")
		a := LedgerOf(stretch(h, 0, cut))
		b := LedgerOf(stretch(h, cut, len(h.Steps)))
		if got := a.Merge(b); !reflect.DeepEqual(got, whole) || got.String() != whole.String() {
			rt.Fatalf("cut at %d:\n%s\nwhole:\n%s", cut, got, whole)
		}
		if got := b.Merge(a); !reflect.DeepEqual(got, whole) {
			rt.Fatal("the order matters")
		}
		var folded Ledger // one compaction after each step
		for i := range h.Steps {
			folded = folded.Merge(LedgerOf(stretch(h, i, i+1)))
		}
		if len(h.Steps) > 0 && !reflect.DeepEqual(folded, whole) {
			rt.Fatalf("folded step by step:\n%s\nwhole:\n%s", folded, whole)
		}
	})
}

// TestLedgerReader says that a reader that starts over where a history does not go on gives the ledger of
// whatever history it is handed: one that grew by any number of steps and resumptions, in the same memory or
// moved, another one, or one that is shorter; and that what it gave stays.
func TestLedgerReader(t *testing.T) {
	went := 0
	rapid.Check(t, func(rt *rapid.T) {
		var r LedgerReader
		var growth Growth
		type given struct {
			l    Ledger
			text string
		}
		var kept []given
		for range rapid.IntRange(1, 3).Draw(rt, "histories") {
			whole := ledgerHistory(rt)
			n := 0
			for range rapid.IntRange(1, 6).Draw(rt, "reads") {
				n = rapid.IntRange(n, len(whole.Steps)).Draw(rt, "to")
				h := History{Start: whole.Start, Steps: whole.Steps[:n:n]}
				if rapid.Bool().Draw(rt, "moved") {
					h.Steps = slices.Clone(h.Steps)
				}
				for _, p := range whole.Resumed {
					if p.At <= n {
						h.Resumed = append(h.Resumed, p)
					}
				}
				switch {
				case !growth.GoesOn(h):
					r = LedgerReader{}
				case r.steps > 0:
					went++
				}
				got, want := r.Read(h), LedgerOf(h)
				if !reflect.DeepEqual(got, want) {
					rt.Fatalf("after %d steps:\n%s\nwant:\n%s", n, got, want)
				}
				kept = append(kept, given{got, got.String()})
				for _, list := range got.lists() { // whoever is given it may add to it
					*list = append(*list, Entry{Text: "scribbled"})
				}
			}
		}
		for _, k := range kept {
			if k.l.String() != k.text {
				rt.Fatalf("what was given changed from\n%s\nto\n%s", k.text, k.l)
			}
		}
	})
	if went == 0 {
		t.Error("no history ever went on from what was read")
	}
}
