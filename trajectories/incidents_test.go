package trajectories

import (
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestPriceWords(t *testing.T) {
	in := func(first, last, tokens int, usd *float64, s float64, o cua.IncidentOutcome) cua.Incident {
		return cua.Incident{First: first, Last: last, Tokens: tokens, USD: usd, Seconds: s, Outcome: o}
	}
	for name, c := range map[string]struct {
		incidents []cua.Incident
		want      string
	}{
		"none": {nil, "no incident ()"},
		"three": {[]cua.Incident{in(4, 10, 9000, new(0.05), 30, cua.OutcomeRecovered), in(12, 18, 5000, new(0.03), 20.5, cua.OutcomeHalted), in(30, 36, 4000, new(0.04), 10.4, cua.OutcomeRecovered)},
			"3 incidents, 21 of 40 steps, 18,000 tokens, 0.12 USD, 61 s (2 recovered, 1 halted)"},
		"one step, open":          {[]cua.Incident{in(4, 4, 90, new(0.0), 0.04, "")}, "1 incident, 1 of 40 steps, 90 tokens, 0.00 USD, 0.0 s (1 open)"},
		"one of them is unpriced": {[]cua.Incident{in(4, 4, 90, new(1.0), 1, cua.OutcomeAsked), in(6, 6, 10, nil, 1, cua.OutcomeRewound)}, "2 incidents, 2 of 40 steps, 100 tokens, cost unknown, 2.0 s (1 asked, 1 rewound)"},
		"one of them used none":   {[]cua.Incident{in(4, 4, 90, new(1.0), 1, cua.OutcomeEnded), in(6, 6, 0, nil, 1, cua.OutcomeEnded)}, "2 incidents, 2 of 40 steps, 90 tokens, 1.00 USD, 2.0 s (2 ended)"},
		"nothing is known":        {[]cua.Incident{in(4, 9, 0, nil, 9.96, cua.OutcomeSelfRecovered)}, "1 incident, 6 of 40 steps, 10 s (1 self_recovered)"},
	} {
		p := PriceOf(c.incidents)
		if got := p.Words(40) + " (" + p.OutcomeWords() + ")"; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestFigures(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -999: "-999",
		-1234567: "-1,234,567", 18000: "18,000"} {
		if got := Grouped(n); got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
	for usd, want := range map[float64]string{0: "0.00", 0.1: "0.10", 0.12: "0.12", 0.0175: "0.0175",
		0.00012345: "0.000123", 1e-12: "0.00", 0.99999: "1.00", 12.345: "12.35", 0.0206: "0.0206"} {
		if got := Dollars(&usd); got != want {
			t.Errorf("%g USD is written %q, want %q", usd, got, want)
		}
	}
	if Dollars(nil) != "–" {
		t.Error("an unknown cost became a known one")
	}
	for s, want := range map[float64]string{0: "0.0", 0.26: "0.3", 9.94: "9.9", 9.95: "10", 61.4: "61",
		3661: "3,661"} {
		if got := Seconds(s); got != want {
			t.Errorf("%g s is written %q, want %q", s, got, want)
		}
	}
}

// TestHistorySaysWhatWasContinued: a continue follows the end that stopped the episode.
func TestHistorySaysWhatWasContinued(t *testing.T) {
	end := func(r cua.EndReason, n int) End { return End{Reason: r, Totals: Totals{Steps: n}} }
	tr := &Trajectory{Steps: make([]cua.Step, 4),
		Ends: []End{end(cua.EndPaused, 1), end(cua.EndLoop, 3), end(cua.EndEnvError, 3)},
		Events: []Event{{Kind: ContinueEvent, Step: 1}, {Kind: ContinueEvent, Step: 3},
			{Kind: ResumeEvent, Step: 3, After: &cua.Observation{}}, {Kind: ContinueEvent, Step: 4}}}
	var got []cua.EndReason
	for _, r := range tr.History().Resumed {
		got = append(got, r.End)
	}
	if want := []cua.EndReason{cua.EndPaused, cua.EndLoop, "", ""}; !slices.Equal(got, want) {
		t.Errorf("continued after %q, want %q", got, want)
	}
}
