package trajectories

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Price is what incidents came to together: what being stuck has cost.
type Price struct {
	Incidents int `json:"incidents"`
	// Steps, Tokens, USD and Seconds were spent inside them. USD is nil when the cost of one of
	// them is unknown, or there is none.
	Steps   int      `json:"steps"`
	Tokens  int      `json:"tokens,omitzero"`
	USD     *float64 `json:"cost_usd,omitzero"`
	Seconds float64  `json:"seconds,omitzero"`
	// Outcomes counts those that are closed by their outcome; empty, never nil.
	Outcomes map[cua.IncidentOutcome]int `json:"outcomes"`
}

// PriceOf sums incidents up. No step is in two of one trajectory, so nothing counts twice.
func PriceOf(incidents []cua.Incident) Price {
	p := Price{Incidents: len(incidents), Outcomes: map[cua.IncidentOutcome]int{}}
	usd, ms, known, unknown := 0.0, 0.0, false, false
	for _, in := range incidents {
		p.Steps += in.Steps()
		p.Tokens += in.Tokens
		if in.Outcome != "" {
			p.Outcomes[in.Outcome]++
		}
		ms += math.Round(1000 * in.Seconds)
		if in.USD != nil {
			usd, known = usd+*in.USD, true
		} else if in.Tokens > 0 {
			unknown = true
		}
	}
	if p.Seconds = ms / 1000; known && !unknown {
		p.USD = &usd
	}
	return p
}

// Words say it plainly, of is how many steps there were: "3 incidents, 21 of 40 steps, 18,000
// tokens, 0.12 USD, 61 s". Tokens and cost are left out where nothing is known of either.
func (p Price) Words(of int) string {
	if p.Incidents == 0 {
		return "no incident"
	}
	out := []string{count(p.Incidents, "incident"), fmt.Sprintf("%s of %s", Grouped(p.Steps),
		count(of, "step"))}
	switch {
	case p.USD != nil:
		out = append(out, Grouped(p.Tokens)+" tokens", Dollars(p.USD)+" USD")
	case p.Tokens > 0:
		out = append(out, Grouped(p.Tokens)+" tokens", "cost unknown")
	}
	return strings.Join(append(out, Seconds(p.Seconds)+" s"), ", ")
}

// OutcomeWords list how the incidents closed: "2 recovered, 1 halted"; "" when there was none.
func (p Price) OutcomeWords() string {
	var out []string
	open := p.Incidents
	for _, o := range cua.IncidentOutcomes() {
		if n := p.Outcomes[o]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, o))
			open -= n
		}
	}
	if open > 0 {
		out = append(out, fmt.Sprintf("%d open", open))
	}
	return strings.Join(out, ", ")
}

func outcomeWord(o cua.IncidentOutcome) string {
	if o == "" {
		return "open"
	}
	return string(o)
}

func count(n int, one string) string {
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

// incidentTable writes what being stuck has cost, incident by incident. Shapes go over several
// lines, and so does what was tried: in a column, on a narrow screen in lines of its own.
func incidentTable(b *bytes.Buffer, t *Trajectory, width int) {
	if len(t.Incidents) == 0 {
		return
	}
	narrow := width > 0 && width < roomy
	head := []string{"id", "shapes", "steps", "tried → effect", "tokens", "USD", "s", "outcome"}
	if narrow {
		head[triedColumn] = ""
	}
	rows := [][]string{head}
	after := map[int][]string{} // lines by the row that they follow
	for i := range t.Incidents {
		did := attempts(t.Incidents[i].Tried)
		if !narrow {
			rows = append(rows, incidentRows(&t.Incidents[i], did)...)
			continue
		}
		rows = append(rows, incidentRows(&t.Incidents[i], nil)...)
		after[len(rows)-1] = did
	}
	p := PriceOf(t.Incidents)
	fmt.Fprintf(b, "\n%s (%s)\n", p.Words(len(t.Steps)), p.OutcomeWords())
	write := func(row int) {
		for _, line := range after[row-1] {
			fmt.Fprintf(b, "  – tried %s\n", printable(line))
		}
	}
	aligned(b, rows, width, outcomeColumn, write)
	write(len(rows))
}

// Columns of the table of incidents.
const shapesColumn, triedColumn, outcomeColumn = 1, 3, 7

// incidentRows are the rows of one incident: a shape and a line of what was tried in each.
func incidentRows(in *cua.Incident, tried []string) [][]string {
	rows := make([][]string, max(len(in.Shapes), len(tried), 1))
	for i := range rows {
		rows[i] = make([]string, outcomeColumn+1)
		if i == 0 {
			rows[i] = []string{in.ID, "", span(in.First, in.Last), "", Grouped(in.Tokens), Dollars(in.USD),
				Seconds(in.Seconds), outcomeWord(in.Outcome)}
		}
		if i < len(in.Shapes) {
			rows[i][shapesColumn] = string(in.Shapes[i])
		}
		if i < len(tried) {
			rows[i][triedColumn] = tried[i]
		}
	}
	return rows
}

// roomy is how wide a screen must be for what was tried to stand in a column.
const roomy = 112

// incidentAt is the incident that step n was made in; nil when it was in none.
func (t *Trajectory) incidentAt(n int) *cua.Incident {
	for i := range t.Incidents {
		if in := &t.Incidents[i]; in.First <= n && n <= in.Last {
			return in
		}
	}
	return nil
}

// incidentWords say which incident s was made in and how it came out. Without computed incidents
// it is the one that was open when s was made; "" is none.
func (t *Trajectory) incidentWords(s *cua.Step) string {
	if t.Incidents == nil {
		return s.Incident
	}
	in := t.incidentAt(s.N)
	if in == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s, steps %s, %s", in.ID, joined(in.Shapes, " "), span(in.First, in.Last),
		outcomeWord(in.Outcome))
}

// signalDetail is all that a signal says.
func signalDetail(g cua.Signal) string {
	out := fmt.Sprintf("%s %s for %s since step %d", g.Shape, g.Level, count(g.Run, "step"), g.Since)
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
