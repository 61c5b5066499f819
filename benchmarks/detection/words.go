package detection

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// looped says in one phrase for each loop which steps it is, what was done, and what became of the page, as
// in: steps 3–11: click "Go" ×9, page unchanged.
func looped(run *formats.Run, loops [][2]int) []string {
	if len(loops) == 0 {
		return nil
	}
	samples := run.History.Samples()
	var out []string
	for _, l := range loops {
		steps := samples[l[0]-1 : l[1]]
		out = append(out, fmt.Sprintf("steps %d–%d: %s, %s", named(run, l[0]), named(run, l[1]), deeds(steps),
			became(steps)))
	}
	return out
}

// fewDeeds is how many different actions a phrase names.
const fewDeeds = 3

// deeds are the actions of samples, the most frequent first.
func deeds(samples []cua.Sample) string {
	var order []string
	count := map[string]int{}
	for i := range samples {
		d := deed(samples[i].Step)
		if count[d]++; count[d] == 1 {
			order = append(order, d)
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return count[b] - count[a] })
	var out []string
	rest := 0
	for i, d := range order {
		switch {
		case i >= fewDeeds:
			rest += count[d]
		case count[d] > 1:
			out = append(out, fmt.Sprintf("%s ×%d", d, count[d]))
		default:
			out = append(out, d)
		}
	}
	if rest > 0 {
		out = append(out, fmt.Sprintf("others ×%d", rest))
	}
	return strings.Join(out, ", ")
}

// deed is what a step did, or was to do, in words.
func deed(s *cua.Step) string {
	a := s.Proposed
	if a.Kind == "" {
		return "nothing that could be done"
	}
	out := string(a.Kind)
	for _, word := range []string{a.Text, a.Keys, a.URL} {
		if word != "" {
			out += " " + quotedWord(word)
		}
	}
	if a.Kind == cua.Wait {
		if a.MS > 0 {
			out += fmt.Sprintf(" %g s", float64(a.MS)/1000)
		}
		return out
	}
	switch p := cmp.Or(a.Point, s.Target.Point); {
	case s.Target.Name != "":
		out += " " + quotedWord(strings.Trim(s.Target.Name, `"`))
	case s.Target.Identified():
		out += " " + quotedWord(s.Target.ID)
	case p != nil:
		out += fmt.Sprintf(" at %.0f,%.0f", p.X, p.Y)
	}
	return out
}

// longWord is how much of a text a phrase quotes, in runes.
const longWord = 40

func quotedWord(s string) string {
	return `"` + cua.Clip(redact.PlainLine(s), longWord+1) + `"`
}

// became says what samples did to the page.
func became(samples []cua.Sample) string {
	known, idle, fresh, failed, nodes := false, true, false, true, false
	for i := range samples {
		s := &samples[i]
		known = known || s.Known
		idle = idle && !s.Progress
		fresh = fresh || s.New && 2*i >= len(samples) // the first round of a circle is new
		failed = failed && s.Step.Failure != nil
		nodes = nodes || s.After != ""
	}
	switch {
	case failed:
		return "failed each time"
	case known && idle:
		return "page unchanged"
	case !known && !nodes:
		return "nothing is known of the page"
	case !fresh:
		return "no new page"
	}
	return "little new"
}
