package show

import (
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// tick is one step in the line of all steps.
type tick struct {
	Class, Title, Link string // Link is "" where the step has no card
}

// band is one incident over the steps that it took, columns From to To, the last left out.
type band struct {
	From, To                 int
	Class, Text, Title, Link string
}

// incidentMark is the incident of a card; an empty Text is none.
type incidentMark struct{ Class, Text, Title, Link string }

// line lays the incidents over the steps.
func (d *deck) line() {
	shown := map[int]string{}
	for _, c := range d.Cards {
		shown[c.N] = "#" + c.ID
	}
	recorded := map[int]string{}
	for i := range d.t.Steps {
		recorded[d.t.Steps[i].N] = d.t.Steps[i].Incident
	}
	for i := range d.Cards {
		d.Cards[i].Incident = d.mark(d.Cards[i].N, shown, recorded)
	}
	if len(d.t.Incidents) == 0 {
		return
	}
	first := map[int]int{} // column by step number, from 1
	for i := range d.t.Steps {
		s := &d.t.Steps[i]
		class, label := standing(s)
		first[s.N] = i + 1
		d.Ticks = append(d.Ticks, tick{class,
			join(fmt.Sprintf("step %d: %s", s.N, trajectories.Proposed(s)), label),
			shown[s.N]})
	}
	for _, in := range d.t.Incidents {
		b := band{From: first[in.First], To: first[in.Last] + 1, Class: outcomeChip(in.Outcome).Class,
			Text: in.ID + " " + outcomeWord(in.Outcome), Title: bandWords(in), Link: shown[in.First]}
		if b.From > 0 && b.To > b.From {
			d.Spans = append(d.Spans, b)
		}
		d.band(in, b)
	}
}

// band lays in over the cards that are shown of it.
func (d *deck) band(in cua.Incident, b band) {
	b.From, b.To, b.Text = 0, 0, b.Title
	for i, c := range d.Cards {
		if c.N < in.First || c.N > in.Last {
			continue
		}
		if b.To = i + 2; b.From == 0 {
			b.From, b.Link = i+1, "#"+c.ID
		}
	}
	if b.From > 0 {
		d.Bands = append(d.Bands, b)
	}
}

// bandWords are an incident in one line.
func bandWords(in cua.Incident) string {
	p := trajectories.PriceOf([]cua.Incident{in})
	out := fmt.Sprintf("%s %s: %s", in.ID, outcomeWord(in.Outcome), trajectories.Plural(p.Steps, "step"))
	if in.Tokens > 0 {
		out += ", " + trajectories.Grouped(in.Tokens) + " tokens"
	}
	if in.USD != nil {
		out += ", " + trajectories.Dollars(in.USD) + " USD"
	}
	return out + ", " + trajectories.Seconds(in.Seconds) + " s (" + trajectories.Joined(in.Shapes, ", ") + ")"
}

// mark is the incident that step n was made in. Without computed ones it is that which was recorded
// as open when the step was made.
func (d *deck) mark(n int, shown, recorded map[int]string) incidentMark {
	if in := d.t.IncidentAt(n); in != nil {
		return incidentMark{outcomeChip(in.Outcome).Class, "incident " + in.ID, bandWords(*in),
			shown[in.First]}
	}
	if len(d.t.Incidents) > 0 || recorded[n] == "" {
		return incidentMark{}
	}
	return incidentMark{Class: "warn", Text: "incident " + recorded[n]}
}

// outcomeChip is an outcome with its colour.
func outcomeChip(o cua.IncidentOutcome) chip {
	switch o {
	case cua.OutcomeRecovered, cua.OutcomeSelfRecovered:
		return chip{"good", string(o)}
	case cua.OutcomeHalted, cua.OutcomeEnded:
		return chip{"bad", string(o)}
	}
	return chip{"warn", outcomeWord(o)}
}
