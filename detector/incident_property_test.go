package detector

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"pgregory.net/rapid"
)

// drawPaid gives the steps of h arbitrary prices, substitutions and rewinds, and h a continue or two.
func drawPaid(t *rapid.T, h cua.History) cua.History {
	for i := range h.Steps {
		s := &h.Steps[i]
		if rapid.Bool().Draw(t, "paid") {
			s.Usage = cua.Usage{InputTokens: rapid.IntRange(1, 9).Draw(t, "tokens")}
			if rapid.IntRange(0, 9).Draw(t, "known") > 0 {
				s.Usage.USD = new(float64(rapid.IntRange(0, 3).Draw(t, "cents")) / 4)
			}
		}
		s.Timing.Act = float64(rapid.IntRange(0, 3).Draw(t, "ms"))
		if s.HasAction() && rapid.IntRange(0, 3).Draw(t, "substituted") == 0 {
			reason := rapid.SampledFrom(cua.Reasons()).Draw(t, "reason")
			substituted(s, reason, cua.Action{Kind: cua.Key, Keys: "Return"})
		}
		if i > 2 && rapid.IntRange(0, 9).Draw(t, "rewound") == 0 {
			s.RewoundTo = 2
		}
	}
	for at := range len(h.Steps) + 1 {
		if rapid.IntRange(0, 11).Draw(t, "continued") == 0 {
			h.Resumed = append(h.Resumed, cua.Resumption{At: at, Page: h.Before(at),
				Fresh: rapid.Bool().Draw(t, "fresh"), End: cua.EndLoop})
		}
	}
	return h
}

// drawSignals are arbitrary signals after each step; none holds right after counters started anew.
func drawSignals(t *rapid.T, h cua.History) [][]cua.Signal {
	out := make([][]cua.Signal, len(h.Steps))
	for i := range out {
		for range rapid.IntRange(0, 2).Draw(t, "signals") {
			s := cua.Signal{Shape: rapid.SampledFrom([]cua.Shape{cua.ShapeRepeat, cua.ShapeCycle,
				cua.ShapeStall}).Draw(t, "shape"),
				Level:  rapid.SampledFrom([]cua.Level{cua.NoteLevel, cua.Soft, cua.Hard}).Draw(t, "level"),
				Target: rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(t, "target"),
				Since:  rapid.IntRange(1, i+1).Draw(t, "since")}
			for n := s.Since; n <= i+1; n += rapid.IntRange(1, 3).Draw(t, "apart") {
				s.Evidence = append(s.Evidence, n)
			}
			out[i] = append(out[i], s)
		}
	}
	return out
}

// under are the signals of soft level and above under which step i was made.
func under(h cua.History, signals [][]cua.Signal, i int) []cua.Signal {
	if i == 0 || chosen(h, i) != nil {
		return nil
	}
	var out []cua.Signal
	for _, s := range signals[i-1] {
		if soft(s) {
			out = append(out, s)
		}
	}
	return out
}

// checkPartition: each step under a signal is in exactly one incident and no other step is in
// any; the prices add up; after an end each has exactly one of the outcomes.
func checkPartition(t *rapid.T, h cua.History, signals [][]cua.Signal, got []cua.Incident) {
	in := map[int]int{}
	last, tokens, seconds := 0, 0, 0.0
	for _, x := range got {
		if x.ID != fmt.Sprint("i", x.First) || x.First <= last || x.Last < x.First || len(x.Shapes) == 0 ||
			!slices.Contains(cua.IncidentOutcomes(), x.Outcome) {
			t.Fatalf("incidents %+v: out of order, overlapping or without an outcome", got)
		}
		last, tokens, seconds = x.Last, tokens+x.Tokens, seconds+x.Seconds
		for n := x.First; n <= x.Last; n++ {
			in[n]++
		}
		for _, a := range x.Tried {
			if a.Step < x.First || a.Step > x.Last || h.Steps[a.Step-1].RecoveryReason != a.Reason {
				t.Fatalf("%+v was not tried inside", a)
			}
		}
	}
	for i := range h.Steps {
		if want := min(1, len(under(h, signals, i))); in[i+1] != want {
			t.Fatalf("step %d is in %d incidents, want %d: %+v", i+1, in[i+1], want, got)
		}
		if in[i+1] > 0 {
			tokens -= h.Steps[i].Usage.Tokens()
			seconds -= h.Steps[i].Timing.Total() / 1000
		}
	}
	if tokens != 0 || math.Abs(seconds) > 1e-9 {
		t.Fatalf("prices are off by %d tokens, %g s: %+v", tokens, seconds, got)
	}
}

// checkPrefix: while an episode grows, what is closed stays, and what is open keeps its name.
func checkPrefix(t *rapid.T, h cua.History, of func(h cua.History) []cua.Incident) {
	all := of(h)
	for n := range h.Steps {
		for i, x := range of(prefix(h, n)) {
			switch {
			case i >= len(all):
				t.Fatalf("after %d steps %+v, of which in the end only %+v are left", n, x, all)
			case x.Outcome != "" && !reflect.DeepEqual(x, all[i]):
				t.Fatalf("closed after %d steps as %+v, in the end %+v", n, x, all[i])
			case x.ID != all[i].ID || x.First != all[i].First || x.Last > all[i].Last ||
				x.Tokens > all[i].Tokens:
				t.Fatalf("open after %d steps as %+v, in the end %+v", n, x, all[i])
			}
		}
	}
}

// TestIncidentProperties, whatever detectors may say.
func TestIncidentProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawPaid(t, wander(t, rapid.IntRange(0, 16).Draw(t, "steps")))
		signals := drawSignals(t, h)
		end := rapid.SampledFrom(cua.EndReasons()).Draw(t, "end")
		was := fmt.Sprintf("%+v %+v", h, signals)
		got := incidents(h, signals, end)
		if !reflect.DeepEqual(got, incidents(h, signals, end)) {
			t.Fatal("they differ when asked twice")
		}
		if fmt.Sprintf("%+v %+v", h, signals) != was {
			t.Fatal("the history was changed")
		}
		checkPartition(t, h, signals, got)
		checkPrefix(t, h, func(h cua.History) []cua.Incident {
			return incidents(h,
				signals[:len(h.Steps)], "")
		})
		for i, x := range got[:max(0, len(got)-1)] {
			next := got[i+1]
			r := begin(0)
			for n := x.First; n <= x.Last; n++ {
				r.join(under(h, signals, n-1))
			}
			if x.Last+1 == next.First && chosen(h, x.Last) == nil &&
				r.continues(under(h, signals, next.First-1)) {
				t.Fatalf("%+v and %+v are one", x, next)
			}
		}
	})
}

// TestIncidentsOfDetectors: the same of what the detectors do say, on pages where it becomes known late
// what moves by itself, and of what is open at each step.
func TestIncidentsOfDetectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom([]LoopDetector{Shapes(DefaultConfig()), classic(DefaultConfig())}).Draw(t,
			"detectors")
		h := drawPaid(t, wander(t, rapid.IntRange(0, 16).Draw(t, "steps")))
		checkPrefix(t, h, func(h cua.History) []cua.Incident { return Incidents(h, d, "") })
		for i := range h.Steps {
			h.Steps[i].Signals = d.Detect(prefix(h, i))
		}
		checkPrefix(t, h, func(h cua.History) []cua.Incident { return Incidents(h, nil, "") })
		ids := map[int]string{}
		for _, x := range Incidents(h, nil, cua.EndDone) {
			for n := x.First; n <= x.Last; n++ {
				ids[n] = x.ID
			}
		}
		for i := range h.Steps {
			id := ""
			if open := Open(prefix(h, i), h.Steps[i].Signals); open != nil {
				id = open.ID
			}
			if id != ids[i+1] {
				t.Fatalf("%q was open at step %d, which is in %q", id, i+1, ids[i+1])
			}
		}
	})
}
