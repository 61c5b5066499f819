package show

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"pgregory.net/rapid"
)

// TestIncidentTableFits: at any width from 66 on no line of the incidents is longer, and an outcome
// is never cut.
func TestIncidentTableFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := &trajectories.Trajectory{}
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

// TestLineOfManySteps: a line of hundreds of steps leaves no gaps, which would take all of its width.
func TestLineOfManySteps(t *testing.T) {
	for n, gapless := range map[int]bool{300: false, 301: true} {
		tr := &trajectories.Trajectory{Steps: make([]cua.Step, n),
			Incidents: []cua.Incident{{ID: "i4", First: 4, Last: n,
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

func TestStepsAndAttemptsInWords(t *testing.T) {
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
