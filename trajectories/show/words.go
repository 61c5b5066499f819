package show

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

func outcomeWord(o cua.IncidentOutcome) string {
	if o == "" {
		return "open"
	}
	return string(o)
}

// span are the steps from first to last: "4–7".
func span(first, last int) string {
	if first == last {
		return strconv.Itoa(first)
	}
	return fmt.Sprintf("%d–%d", first, last)
}

// ranges are step numbers with those in a row drawn together: "1–5, 8".
func ranges(steps []int) string {
	var out []string
	for i := 0; i < len(steps); i++ {
		first := i
		for i+1 < len(steps) && steps[i+1] == steps[i]+1 {
			i++
		}
		out = append(out, span(steps[first], steps[i]))
	}
	return strings.Join(out, ", ")
}

// attempts are what was tried inside an incident, one line for each reason and effect in a row:
// "press_return_for_submit at 5, 6 → no effect".
func attempts(tried []cua.Attempt) []string {
	var out []string
	for rest := tried; len(rest) > 0; {
		first := rest[0]
		n := slices.IndexFunc(rest, func(a cua.Attempt) bool {
			return a.Reason != first.Reason ||
				a.Effect != first.Effect
		})
		if n < 0 {
			n = len(rest)
		}
		var at []int
		for _, a := range rest[:n] {
			at = append(at, a.Step)
		}
		word := "no effect"
		if first.Effect {
			word = "effect"
		}
		out = append(out, fmt.Sprintf("%s at %s → %s", first.Reason, ranges(at), word))
		rest = rest[n:]
	}
	return out
}

// incidentWords say which incident s was made in and how it came out. Without computed incidents
// it is the one that was open when s was made; "" is none.
func incidentWords(t *trajectories.Trajectory, s *cua.Step) string {
	if t.Incidents == nil {
		return s.Incident
	}
	in := t.IncidentAt(s.N)
	if in == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s, steps %s, %s", in.ID, trajectories.Joined(in.Shapes, " "),
		span(in.First, in.Last),
		outcomeWord(in.Outcome))
}

// signalDetail is all that a signal says.
func signalDetail(g cua.Signal) string {
	out := fmt.Sprintf("%s %s for %s since step %d", g.Shape, g.Level, trajectories.Plural(g.Run, "step"),
		g.Since)
	if g.Target != "" {
		out += ", on " + g.Target
	}
	if g.Score != 0 {
		out += fmt.Sprintf(", score %g", g.Score)
	}
	if len(g.Evidence) > 0 {
		out += ", seen in steps " + ranges(g.Evidence)
	}
	return out
}

// dispatched is what was done, in words; "–" is nothing.
func dispatched(s *cua.Step) string {
	if s.Action == nil {
		return "–"
	}
	return trajectories.Sentence(*s.Action, trajectories.DispatchedPoint(s))
}

// effectWords says the outcome of s: the verifier's doubt first, then the changes.
func effectWords(s *cua.Step) string {
	switch {
	case s.Failure != nil:
		return "failed: " + string(s.Failure.Kind)
	case s.Action == nil || s.Action.Kind.Ends():
		return "–"
	case s.Effect == nil:
		return "unknown"
	case s.Effect.Any():
		return trajectories.Joined(s.Effect.Progress, " ")
	case len(s.Effect.Presentation) > 0:
		return "none (" + trajectories.Joined(s.Effect.Presentation, " ") + ")"
	}
	return "none"
}

// rulingWords is gate and reason of the ruling that decided; "" when all passed.
func rulingWords(s *cua.Step) string {
	r, ok := s.Ruled()
	if !ok {
		return ""
	}
	if r.Reason == "" {
		return r.Gate + ": " + string(r.Verdict)
	}
	return r.Gate + ": " + r.Reason
}

// repeatWords say what a step repeats; "" is nothing.
func repeatWords(r *cua.Repetition) string {
	if r == nil {
		return ""
	}
	effect := "no effect"
	if r.Effect {
		effect = "effect"
	}
	return fmt.Sprintf("%s time on %s without a look, %s", counted(r.Count), r.Target, effect)
}

// WriteText writes text for a terminal line by line. Text of pages and brains cannot move the cursor or
// colour the screen.
func WriteText(w io.Writer, text string) error {
	for line := range strings.Lines(text) {
		if _, err := fmt.Fprintln(w, trajectories.Printable(strings.TrimSuffix(line, "\n"))); err != nil {
			return fmt.Errorf("show: writing text: %w", err)
		}
	}
	return nil
}

// counted is n as one counts: 3rd, 11th.
func counted(n int) string {
	word := fmt.Sprint(n)
	if n%100 >= 11 && n%100 <= 13 {
		return word + "th"
	}
	return word + []string{"th", "st", "nd", "rd", "th", "th", "th", "th", "th", "th"}[n%10]
}

// sentinelLines are what people are told and the steps do not show by themselves, one line each.
func sentinelLines(t *trajectories.Trajectory) (lines []string) {
	all := slices.DeleteFunc(trajectories.Sentinels(t, t.Incidents), func(s trajectories.Sentinel) bool {
		return s.Kind == trajectories.LoopNudge || s.Kind == trajectories.ActionSubstituted ||
			s.Kind == trajectories.DoneRejected ||
			s.Kind == trajectories.ActionRefused
	})
	for _, s := range all {
		says := []string{strings.ReplaceAll(string(s.Kind), "_", " ")}
		if s.Reason != "" {
			says[0] += " (" + s.Reason + ")"
		}
		if s.Count > 0 {
			kinds := make([]string, len(s.FailureKinds))
			for i, k := range s.FailureKinds {
				kinds[i] = string(k)
			}
			says[0] += fmt.Sprintf(": %s in a row failed (%s)", trajectories.Plural(s.Count, "step"),
				strings.Join(kinds, ", "))
		}
		if s.Incident != "" {
			says = append(says, fmt.Sprintf("incident %s so far: %s, %s tokens, %s USD, %s s", s.Incident,
				trajectories.Plural(s.Steps, "step"), trajectories.Grouped(s.Tokens),
				trajectories.Dollars(s.USD), trajectories.Seconds(s.Seconds)))
		}
		if s.CanContinue && t.End != nil && s.Step >= len(t.Steps) {
			says = append(says, "can be continued")
		}
		lines = append(lines, fmt.Sprintf("after step %d: %s", s.Step,
			trajectories.Printable(strings.Join(says, "; "))))
	}
	return lines
}

// promptText is the prompt of s, or why it cannot be shown.
func promptText(t *trajectories.Trajectory, s *cua.Step) string {
	text, err := t.Prompt(s)
	if err != nil {
		return "the text is not beside the journal"
	}
	return text
}
