package cua

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestEvidenceReader holds what a reader says step by step, or several steps at once, against what is found
// by going through the whole history.
func TestEvidenceReader(t *testing.T) {
	found := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		for i := range h.Steps {
			s := &h.Steps[i]
			s.By = rapid.SampledFrom([]string{"b", DirectorPrefix + "d"}).Draw(t, "by")
			s.Notes = make([]Note, rapid.IntRange(0, 1).Draw(t, "notes"))
			s.Usage = Usage{InputTokens: i, USD: rapid.SampledFrom([]*float64{nil, new(0.1)}).Draw(t, "usd")}
			s.Timing.Act = 0.1
			s.Target.Submit = rapid.Bool().Draw(t, "submit")
			if s.Action != nil && s.Action.Kind == Key {
				s.Action.Keys = "Return"
			}
			if rapid.IntRange(0, 3).Draw(t, "fails") == 0 {
				s.Failure = &Failure{Kind: rapid.SampledFrom([]FailureKind{FailExec, FailEnv}).Draw(t,
					"failure")}
			}
		}
		var r EvidenceReader
		for n := range len(h.Steps) + 1 {
			if rapid.IntRange(0, 2).Draw(t, "skipped") == 0 {
				continue
			}
			g := grown(h, n)
			e, samples := r.Read(g, nil), g.Samples()
			for name, pair := range map[string][2]any{"samples": {e.Samples, samples},
				"churn": {e.Churn, g.Churn()}, "sends": {e.Sends, sendsOf(g)},
				"tally": {e.Tally, tallyOf(g)}, "tried": {e.Tried, triedIn(samples, e.Node)}, "acting": {e.LastActing(3), actingIn(samples, g.Fresh(), 3)}} {
				if none := fmt.Sprint(pair[0], pair[1]) == "[] []"; !none &&
					!reflect.DeepEqual(pair[0], pair[1]) {
					t.Fatalf("after %d steps: %s is\n%+v, want\n%+v", n, name, pair[0], pair[1])
				}
			}
			found["tried"] += len(e.Tried)
			found["sends"] += len(e.Sends)
		}
	})
	if found["tried"] == 0 || found["sends"] == 0 {
		t.Errorf("found %v", found)
	}
}

func tallyOf(h History) (t Tally) {
	at := func(is func(*Step) bool) (out []int) {
		for i := range h.Steps {
			if is(&h.Steps[i]) {
				out = append(out, i)
			}
		}
		return out
	}
	for i := range h.Steps {
		s := &h.Steps[i]
		t.WallMS, t.Tokens = t.WallMS+s.Timing.Total(), t.Tokens+s.Usage.Tokens()
		if s.Usage.USD != nil {
			t.USD += *s.Usage.USD
		}
	}
	t.Ruled = at(func(s *Step) bool { _, ok := s.Ruled(); return ok })
	t.Rescued = at(func(s *Step) bool { return s.RecoveryReason != "" })
	t.Noted = at(func(s *Step) bool { return len(s.Notes) > 0 })
	t.Directed = at(func(s *Step) bool { return s.By != "b" })
	t.Failed = at(func(s *Step) bool { return s.Failure != nil && s.Failure.Kind != FailEnv })
	t.Typed = at(func(s *Step) bool {
		return s.Action != nil && (s.Action.Kind == Type ||
			s.Action.Kind == Select)
	})
	t.Returns = at(func(s *Step) bool { return s.Action != nil && s.Action.PressesReturn() })
	return t
}

// triedIn are the samples that began at node without effect, of those that did the same the newest.
func triedIn(samples []Sample, node string) (out []Sample) {
	type act struct{ did, asked, target string }
	seen := map[act]bool{}
	for _, x := range slices.Backward(samples) {
		if node == "" || x.Before != node || !x.Step.HasAction() || !x.Idle() {
			continue
		}
		at := x.Step.Target
		if x.Step.Substituted() {
			at = Target{}
		}
		if a := (act{Signature(*x.Step.Action, at), x.Signature, x.Step.Target.ID}); !seen[a] {
			seen[a], out = true, append(out, x)
		}
	}
	slices.Reverse(out)
	return out
}

func actingIn(samples []Sample, from, n int) (out []Sample) {
	for _, x := range samples[from:] {
		if x.Acting {
			out = append(out, x)
		}
	}
	return out[max(0, len(out)-n):]
}

func TestGrowth(t *testing.T) {
	page := func(url string) Observation {
		return Observation{URL: url,
			DOMParts: map[string]string{"main": url}}
	}
	step := func(n int) Step {
		return Step{N: n, Action: &Action{Kind: Click},
			After: page("https://a.test/1")}
	}
	steps := []Step{step(1), step(2), step(3), step(4)}
	at := func(n int, resumed ...Resumption) History {
		return History{Start: page("https://a.test/"), Steps: steps[:n:n], Resumed: resumed}
	}
	fresh := func(at int) Resumption {
		return Resumption{At: at, Page: page("https://a.test/1"),
			Fresh: true}
	}
	moved := func(h History, change func([]Step)) History {
		h.Steps = slices.Clone(h.Steps)
		change(h.Steps)
		return h
	}
	other := at(0)
	other.Start.DOMParts = map[string]string{"main": "other"}
	elsewhere := at(2)
	elsewhere.Start.URL = "https://b.test/"
	for _, row := range []struct {
		name    string
		was, is History
		goesOn  bool
	}{
		{"the same", at(2), at(2), true},
		{"one more", at(2), at(3), true},
		{"several more, moved", at(1), moved(at(4), func([]Step) {}), true},
		{"one less", at(3), at(2), false},
		{"resumed since", at(2), at(3, fresh(2)), true},
		{"resumed before", at(2), at(3, fresh(1)), false},
		{"resumed, and not any more", at(2, fresh(2)), at(3), false},
		{"resumed otherwise", at(2, fresh(1)), at(3, Resumption{At: 1, Page: page("https://a.test/1")}), false},
		{"resumed after another intent", at(2, fresh(2)), at(2, Resumption{At: 2, Page: page("https://a.test/1"), Fresh: true, Interrupted: &Intent{Number: 3}}), false},
		{"resumed again", at(2, fresh(2)), at(2, fresh(2), fresh(2)), true},
		{"another start", at(2), elsewhere, false},
		{"another start, nothing done", at(0), other, false},
		{"another newest step", at(2), moved(at(2), func(s []Step) { s[1] = step(2) }), false},
		{"another step", at(2), moved(at(3), func(s []Step) { s[0] = step(1) }), false},
		{"the newest recorded since", moved(at(2), func(s []Step) { s[1].Feedback = "" }), moved(at(2), func(s []Step) { s[1].Feedback = "done" }), true},
		{"the newest failed since", at(2), moved(at(2), func(s []Step) { s[1].Failure = &Failure{Kind: FailExec} }), false},
	} {
		var g Growth
		if g.GoesOn(row.was) {
			t.Errorf("%s: continues from nothing", row.name)
		}
		if got := g.GoesOn(row.is); got != row.goesOn {
			t.Errorf("%s: goes on %v, want %v", row.name, got, row.goesOn)
		}
		if !g.GoesOn(row.is) {
			t.Errorf("%s: does not go on from itself", row.name)
		}
	}
}
