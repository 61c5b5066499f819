package cua

import (
	"reflect"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// drawPage is an observation of one of few documents; parts of it move by themselves.
func drawPage(t *rapid.T) Observation {
	if rapid.IntRange(0, 9).Draw(t, "unread") == 0 {
		return Observation{URL: "https://a.test/"}
	}
	some := func(name string, n int) string { return strconv.Itoa(rapid.IntRange(0, n).Draw(t, name)) }
	o := Observation{URL: "https://a.test/" + some("path", 1), Document: some("document", 1),
		FormDigest: some("form", 1), Tab: 1, Tabs: 1, DOMParts: map[string]string{"main": some("main", 1),
			"clock": some("clock", 3)}}
	o.DOMDigest = o.DOMParts["main"] + "," + o.DOMParts["clock"]
	o.Ambient.Parts = drawParts(t)
	o.Answered = rapid.IntRange(0, 1).Draw(t, "answered")
	if rapid.Bool().Draw(t, "focused") {
		o.Focus = &Field{ID: some("focus", 1)}
	}
	return o
}

func drawParts(t *rapid.T) []string {
	return rapid.SampledFrom([][]string{nil, nil, {"clock"}, {"main"}, {"clock", "main"}}).Draw(t, "parts")
}

// drawHistory is an arbitrary history: waits, looks, refusals, decisions of several steps, idle changes, late
// effects, substitutions, rewinds and sessions.
func drawHistory(t *rapid.T) History {
	h := History{Start: drawPage(t)}
	decision := 0
	for n := range rapid.IntRange(0, 20).Draw(t, "steps") {
		n++
		if n == 1 || rapid.IntRange(0, 4).Draw(t, "batched") > 0 {
			decision++
		}
		a := Action{Kind: rapid.SampledFrom([]Kind{Click, Click, Key, Wait, Wait, Observe,
			Rewind}).Draw(t, "kind")}
		if a.Kind == Wait {
			a.MS = rapid.SampledFrom([]int{0, 500, PollWaitMS}).Draw(t, "ms")
		}
		s := Step{N: n, Decision: decision, Proposed: a, Action: &a, After: h.Now()}
		s.Target = Target{ID: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "target"),
			Idle: Idle{Parts: drawParts(t)}}
		if rapid.Bool().Draw(t, "tiles") {
			s.Target.Idle.Tiles = TileSet{3}
		}
		if rapid.IntRange(0, 4).Draw(t, "caused") == 0 {
			s.Target.Idle.Caused = s.Target.Idle.Parts
		}
		if rapid.IntRange(0, 4).Draw(t, "outside") == 0 {
			s.Target.Idle.Changes = []Change{rapid.SampledFrom([]Change{ChangeURL,
				ChangeFocus}).Draw(t, "change")}
		}
		switch rapid.IntRange(0, 6).Draw(t, "what") {
		case 0:
			s.Action = nil
		case 1:
			s.Proposed, s.Rulings = Action{Kind: Click}, []Ruling{{Verdict: Replace}}
			fallthrough
		default:
			s.After = drawPage(t)
			s.Effect = rapid.SampledFrom([]*Effect{nil, {}, {}, dom("main"), dom("clock"),
				{Progress: []Change{ChangePixels},
					Tiles: &TileDiff{Changed: TileSet{3}}}}).Draw(t, "effect")
		}
		if s.Action != nil && a.Kind == Rewind && n > 1 {
			s.RewoundTo = rapid.IntRange(1, n-1).Draw(t, "to")
		}
		h.Steps = append(h.Steps, s)
		for rapid.IntRange(0, 12).Draw(t, "resumed") == 0 {
			h.Resumed = append(h.Resumed, Resumption{At: n, Page: drawPage(t),
				Fresh: rapid.Bool().Draw(t, "fresh")})
		}
	}
	return h
}

// grown is h as it was after n steps.
func grown(h History, n int) History {
	out := History{Start: h.Start, Steps: h.Steps[:n:n]}
	for _, r := range h.Resumed {
		if r.At <= n {
			out.Resumed = append(out.Resumed, r)
		}
	}
	return out
}

// TestSamplerIsSamplesAtEachStep: step by step, or several at once, a sampler reads what a history says that
// is read again.
func TestSamplerIsSamplesAtEachStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		var steps, leaps Sampler
		for n := range len(h.Steps) + 1 {
			g := grown(h, n)
			want := g.Samples()
			if got := steps.Read(g); !reflect.DeepEqual(got, want) && len(got)+len(want) > 0 {
				t.Fatalf("after %d steps\n%+v, want\n%+v", n, got, want)
			}
			if rapid.Bool().Draw(t, "read") {
				if got := leaps.Read(g); !reflect.DeepEqual(got, want) && len(got)+len(want) > 0 {
					t.Fatalf("after %d steps, some at once\n%+v, want\n%+v", n, got, want)
				}
			}
		}
	})
}

// TestSamplesHangTogether: a sample begins where the one before it ended, unless a session began, and what
// dispatched nothing moves nothing.
func TestSamplesHangTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t)
		samples := h.Samples()
		for i, s := range samples {
			switch {
			case s.Step != &h.Steps[i]:
				t.Fatalf("sample %d is of another step", i)
			case i > 0 && h.resumedAt(i) == nil && s.Before != samples[i-1].After:
				t.Fatalf("step %d began at %q, the one before ended at %q", i+1, s.Before, samples[i-1].After)
			case s.Poll && (s.Acting || !s.Idle() || s.Before != s.After || s.New || s.Step.Substituted()):
				t.Fatalf("step %d polls: %+v", i+1, s)
			case !s.Step.HasAction() && (s.After != s.Before || s.Acting || s.New || s.Progress ||
				s.Signature != ""):
				t.Fatalf("step %d dispatched nothing: %+v", i+1, s)
			case s.New && s.After == "":
				t.Fatalf("step %d reached a new node of which nothing is known", i+1)
			}
		}
	})
}
