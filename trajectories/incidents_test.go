package trajectories

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
	"pgregory.net/rapid"
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
	if got := ranges([]int{1, 2, 3, 5, 8, 9}); got != "1–3, 5, 8–9" || ranges(nil) != "" {
		t.Errorf("ranges are written %q", got)
	}
	tried := []cua.Attempt{{Step: 4, Reason: cua.TabToNextField}, {Step: 5, Reason: cua.TabToNextField},
		{Step: 7, Reason: cua.TabToNextField, Effect: true}, {Step: 9, Reason: cua.TabToNextField}}
	if got := strings.Join(attempts(tried),
		"; "); got != "tab_to_next_field at 4–5 → no effect; tab_to_next_field at 7 → effect; "+
		"tab_to_next_field at 9 → no effect" {
		t.Errorf("attempts are written %q", got)
	}
}

// TestIncidentTableFits: at any width from 66 on no line of the incidents is longer, and an outcome
// is never cut.
func TestIncidentTableFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := &Trajectory{}
		for i := range rapid.IntRange(1, 4).Draw(t, "incidents") {
			in := cua.Incident{ID: fmt.Sprint("i", 10*i+1), First: 10*i + 1,
				Last:   10*i + rapid.IntRange(1, 9).Draw(t, "steps"),
				Shapes: []cua.Shape{cua.ShapeRepeat, cua.ShapeFailures},
				Tokens: rapid.IntRange(0, 1e6).Draw(t, "tokens"), Seconds: rapid.Float64Range(0, 9999).Draw(t,
					"seconds"), Outcome: rapid.SampledFrom(cua.IncidentOutcomes()).Draw(t, "outcome")}
			for _, r := range rapid.SliceOf(rapid.SampledFrom(cua.Reasons())).Draw(t, "tried") {
				in.Tried = append(in.Tried, cua.Attempt{Step: in.First, Reason: r,
					Effect: rapid.Bool().Draw(t, "effect")})
			}
			tr.Incidents = append(tr.Incidents, in)
		}
		width := rapid.IntRange(66, 140).Draw(t, "width")
		var b bytes.Buffer
		if err := WriteTable(&b, tr, TableOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > width {
				t.Fatalf("%d columns:\n%s", width, b.String())
			}
		}
		for _, in := range tr.Incidents {
			if !strings.Contains(b.String(), "  "+string(in.Outcome)+"\n") {
				t.Fatalf("%d columns, no outcome %s:\n%s", width, in.Outcome, b.String())
			}
		}
	})
}

// bands are where the bands of html lie, with what they lead to.
func bands(html, class string) []string {
	var out []string
	for part := range strings.SplitSeq(html, "\n") {
		if !strings.Contains(part, `class="`+class+" ") {
			continue
		}
		_, column, _ := strings.Cut(part, "grid-column:")
		column, _, _ = strings.Cut(column, `"`)
		_, link, _ := strings.Cut(part, `href="`)
		link, _, _ = strings.Cut(link, `"`)
		out = append(out, column+" "+link)
	}
	return out
}

// TestBands: an incident lies over the steps that it took, and leads to the first of them that has
// a card.
func TestBands(t *testing.T) {
	tr := goldenEpisode(t)
	tr.Incidents = []cua.Incident{{ID: "i2", First: 2, Last: 2, Outcome: cua.OutcomeEnded},
		{ID: "i4", First: 4, Last: 7, Outcome: cua.OutcomeRecovered}}
	some := func(n ...int) func(*cua.Step) bool {
		return func(s *cua.Step) bool { return slices.Contains(n, s.N) }
	}
	for name, c := range map[string]struct {
		only        func(*cua.Step) bool
		line, strip []string
	}{
		"all steps":        {nil, []string{"2/3 #x2", "4/8 #x4"}, []string{"2/3 #x2", "4/8 #x4"}},
		"no first step":    {some(1, 5, 6, 8), []string{"2/3 ", "4/8 "}, []string{"2/4 #x5"}},
		"none of them":     {some(1, 3, 8), []string{"2/3 ", "4/8 "}, nil},
		"some in between":  {some(1, 4, 7, 8), []string{"2/3 ", "4/8 #x4"}, []string{"2/4 #x4"}},
		"no card whatever": {some(), nil, nil},
	} {
		html, err := Cards(tr, CardOptions{Only: c.only, Anchor: "x", NoFrames: true})
		must(t, err)
		if line, strip := bands(string(html), "span"), bands(string(html), "band"); !slices.Equal(line,
			c.line) || !slices.Equal(strip, c.strip) {
			t.Errorf("%s: over the line %q, over the strip %q", name, line, strip)
		}
		for _, link := range strings.Split(string(html), `href="#`)[1:] {
			id, _, _ := strings.Cut(link, `"`)
			if !strings.Contains(string(html), `id="`+id+`"`) {
				t.Errorf("%s: a link leads to %s, which is not there", name, id)
			}
		}
	}
	tr.Incidents = nil
	html, err := Cards(tr, CardOptions{NoFrames: true})
	must(t, err)
	if strings.Contains(string(html), `class="line"`) || strings.Contains(string(html), `class="band`) || !strings.Contains(string(html), "incident i4") {
		t.Error("without computed incidents the cards show the recorded ones, and no line")
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

// TestLineOfManySteps: a line of hundreds of steps leaves no gaps, which would take all of its width.
func TestLineOfManySteps(t *testing.T) {
	for n, gapless := range map[int]bool{300: false, 301: true} {
		tr := &Trajectory{Steps: make([]cua.Step, n), Incidents: []cua.Incident{{ID: "i4", First: 4, Last: n,
			Outcome: cua.OutcomeEnded}}}
		for i := range tr.Steps {
			tr.Steps[i].N = i + 1
		}
		html, err := Cards(tr, CardOptions{NoFrames: true})
		must(t, err)
		if strings.Contains(string(html), "column-gap:0") != gapless ||
			!strings.Contains(string(html), fmt.Sprintf("repeat(%d,", n)) ||
			strings.Contains(string(html), "ZgotmplZ") {
			t.Errorf("%d steps: %.300s", n, html)
		}
	}
}
