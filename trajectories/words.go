package trajectories

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/cua-runner/cua-runner/cua"
)

// ProposedPoint is where the proposal was aimed at; nil when it has no place.
func ProposedPoint(s *cua.Step) *cua.Point {
	if s.Target.Point != nil {
		return s.Target.Point
	}
	return s.Proposed.Point
}

// DispatchedPoint is where the dispatched action went; nil when it has no place. An action
// that was dispatched as proposed went where the proposal was aimed at.
func DispatchedPoint(s *cua.Step) *cua.Point {
	switch {
	case s.Action == nil:
		return nil
	case s.Substituted():
		return s.Action.Point
	}
	return ProposedPoint(s)
}

// Arguments are the parameters of a beside its point, as a person would write them.
func Arguments(a cua.Action) string {
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

// Sentence is a with its place: click 320,195.
func Sentence(a cua.Action, at *cua.Point) string {
	if a.Kind == "" {
		return "unreadable reply"
	}
	out := string(a.Kind)
	if at != nil {
		out += " " + place(at)
	}
	if args := Arguments(a); args != "" {
		out += " " + args
	}
	return out
}

// Proposed is what the brain asked for, in words.
func Proposed(s *cua.Step) string { return Sentence(s.Proposed, ProposedPoint(s)) }

func SignalWords(signals []cua.Signal) string {
	var out []string
	for _, g := range signals {
		out = append(out, fmt.Sprintf("%s:%s:%d", g.Shape, g.Level, g.Run))
	}
	return strings.Join(out, " ")
}

// Printable is text for a terminal: what would move the cursor, change colours, hide or reorder
// text is written as an escape, line ends included.
func Printable(s string) string {
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

func Plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + one + "s"
}

// Grouped is n with a comma between each three digits.
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Dollars is an amount of USD with two digits behind the point, or three that count where
// it is less than one; "–" is unknown.
func Dollars(usd *float64) string {
	switch {
	case usd == nil:
		return "–"
	case *usd == 0 || math.Abs(*usd) >= 1:
		return strconv.FormatFloat(*usd, 'f', 2, 64)
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(*usd))))
	out := strings.TrimRight(strconv.FormatFloat(*usd, 'f', min(digits, 8), 64), "0")
	if n := len(out) - strings.IndexByte(out, '.'); n < 3 { // 0.1 USD is written 0.10
		out += strings.Repeat("0", 3-n)
	}
	return out
}

// Seconds is a time in seconds: whole ones, or tenths below ten.
func Seconds(s float64) string {
	if s < 9.95 {
		return strconv.FormatFloat(s, 'f', 1, 64)
	}
	return Grouped(int(math.Round(s)))
}

func Joined[T ~string](list []T, sep string) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = string(v)
	}
	return strings.Join(parts, sep)
}

func Total[K comparable](counts map[K]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}
