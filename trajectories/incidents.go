package trajectories

import (
	"fmt"
	"math"
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
	out := []string{Plural(p.Incidents, "incident"), fmt.Sprintf("%s of %s", Grouped(p.Steps),
		Plural(of, "step"))}
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

// incidentAt is the incident that step n was made in; nil when it was in none.
func (t *Trajectory) IncidentAt(n int) *cua.Incident {
	for i := range t.Incidents {
		if in := &t.Incidents[i]; in.First <= n && n <= in.Last {
			return in
		}
	}
	return nil
}
