package trajectories

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/cua-runner/cua-runner/cua"
)

// proposedPoint is where the proposal was aimed at; nil when it has no place.
func proposedPoint(s *cua.Step) *cua.Point {
	if s.Target.Point != nil {
		return s.Target.Point
	}
	return s.Proposed.Point
}

// dispatchedPoint is where the dispatched action went; nil when it has no place. An action
// that was dispatched as proposed went where the proposal was aimed at.
func dispatchedPoint(s *cua.Step) *cua.Point {
	switch {
	case s.Action == nil:
		return nil
	case s.Substituted():
		return s.Action.Point
	}
	return proposedPoint(s)
}

func coordinate(p *cua.Point, x bool) string {
	if p == nil {
		return ""
	}
	v := p.Y
	if x {
		v = p.X
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// arguments are the parameters of a beside its point, as a person would write them.
func arguments(a cua.Action) string {
	var out []string
	add := func(format string, v any) { out = append(out, fmt.Sprintf(format, v)) }
	if a.Mark != 0 && a.Point == nil {
		add("mark %d", a.Mark)
	}
	if a.Text != "" {
		add("%q", a.Text)
	}
	if a.Keys != "" {
		add("%s", a.Keys)
	}
	if a.URL != "" {
		add("%s", a.URL)
	}
	if a.To != nil {
		add("to %s", place(a.To))
	}
	if a.DX != 0 || a.DY != 0 {
		add("by %s", place(&cua.Point{X: a.DX, Y: a.DY}))
	}
	if a.MS != 0 {
		add("%d ms", a.MS)
	}
	if a.Tab != 0 {
		add("tab %d", a.Tab)
	}
	if len(a.Files) > 0 {
		add("%s", strings.Join(a.Files, ", "))
	}
	if a.Into != "" {
		add("into %s", a.Into)
	}
	if a.Step != 0 {
		add("to step %d", a.Step)
	}
	switch {
	case a.Kind == cua.AnswerDlg && a.Accept:
		add("%s", "accept")
	case a.Kind == cua.AnswerDlg:
		add("%s", "dismiss")
	case a.Kind == cua.Done && a.Success:
		add("%s", "success")
	case a.Kind == cua.Done:
		add("%s", "no success")
	}
	return strings.Join(out, " ")
}

func place(p *cua.Point) string { return fmt.Sprintf("%.0f,%.0f", p.X, p.Y) }

// sentence is a with its place: click 320,195.
func sentence(a cua.Action, at *cua.Point) string {
	if a.Kind == "" {
		return "unreadable reply"
	}
	out := string(a.Kind)
	if at != nil {
		out += " " + place(at)
	}
	if args := arguments(a); args != "" {
		out += " " + args
	}
	return out
}

// proposed is what the brain asked for, in words.
func proposed(s *cua.Step) string { return sentence(s.Proposed, proposedPoint(s)) }

// dispatched is what was done, in words; "–" is nothing.
func dispatched(s *cua.Step) string {
	if s.Action == nil {
		return "–"
	}
	return sentence(*s.Action, dispatchedPoint(s))
}

// effectWords says what came of s: the verifier's doubt first, then the changes.
func effectWords(s *cua.Step) string {
	switch {
	case s.Failure != nil:
		return "failed: " + string(s.Failure.Kind)
	case s.Action == nil || s.Action.Kind.Ends():
		return "–"
	case s.Effect == nil:
		return "unknown"
	case s.Effect.Any():
		return joined(s.Effect.Progress, " ")
	case len(s.Effect.Presentation) > 0:
		return "none (" + joined(s.Effect.Presentation, " ") + ")"
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

func signalWords(signals []cua.Signal) string {
	var out []string
	for _, g := range signals {
		out = append(out, fmt.Sprintf("%s:%s:%d", g.Shape, g.Level, g.Run))
	}
	return strings.Join(out, " ")
}

// repeatWords say what a step repeats; "" is nothing.
func repeatWords(r *cua.Repeat) string {
	if r == nil {
		return ""
	}
	effect := "no effect"
	if r.Effect {
		effect = "effect"
	}
	return fmt.Sprintf("%s time on %s without a look, %s", counted(r.Count), r.Target, effect)
}

// nudgeLevel is the level of the nudge that the step's turn carried; 0 is none.
func nudgeLevel(s *cua.Step) int {
	level := 0
	for _, n := range s.Notes {
		if n.From == nudgeAdvisor {
			level = max(level, n.Level)
		}
	}
	return level
}

// WriteText writes text for a terminal line by line. What pages and brains wrote cannot move the cursor or
// colour the screen.
func WriteText(w io.Writer, text string) error {
	for line := range strings.Lines(text) {
		if _, err := fmt.Fprintln(w, printable(strings.TrimSuffix(line, "\n"))); err != nil {
			return fmt.Errorf("trajectories: writing text: %w", err)
		}
	}
	return nil
}

// printable is text for a terminal: what would move the cursor, change colours, hide or reorder
// text is written as an escape, line ends included.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Zs, r):
			b.WriteByte(' ')
		case unicode.IsGraphic(r):
			b.WriteRune(r)
		default: // \n, \x1b, bidirectional controls, …
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	return b.String()
}

// counted is n as one counts: 3rd, 11th.
func counted(n int) string {
	word := fmt.Sprint(n)
	if n%100 >= 11 && n%100 <= 13 {
		return word + "th"
	}
	return word + []string{"th", "st", "nd", "rd", "th", "th", "th", "th", "th", "th"}[n%10]
}
