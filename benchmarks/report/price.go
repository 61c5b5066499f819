package report

import (
	"fmt"
	"strconv"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/table"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Stuck is what being stuck has cost an arm. One fixed detector config finds the incidents of
// every arm, so an arm without detectors pays too.
type Stuck struct {
	trajectories.Price
	// Cells are those with an incident.
	Cells int `json:"cells"`
	// Wasted are the steps inside incidents that did not recover, Of the steps of all cells.
	Wasted int `json:"wasted_steps"`
	Of     int `json:"of_steps"`
}

// priced sums the incidents of rs up.
func priced(rs []benchmarks.Result) Stuck {
	var all []cua.Incident
	var s Stuck
	for _, r := range rs {
		all = append(all, r.Incidents...)
		s.Wasted += r.Wasted
		s.Of += r.Steps
		if len(r.Incidents) > 0 {
			s.Cells++
		}
	}
	s.Price = trajectories.PriceOf(all)
	return s
}

// unpriced counts results with wasted steps and no incident that they lie in: they are from before
// incidents were kept.
func unpriced(rs []benchmarks.Result) int {
	n := 0
	for _, r := range rs {
		if r.Wasted > 0 && len(r.Incidents) == 0 {
			n++
		}
	}
	return n
}

// Share is how much of all steps was spent in incidents, as "27 of 30 (90 %)".
func (s Stuck) Share() string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%s of %s (%.0f %%)", trajectories.Grouped(s.Steps), trajectories.Grouped(s.Of),
		100*s.InsideShare())
}

// InsideShare and WastedShare are the parts of all steps that were spent in incidents, and in those
// that did not recover, 0 to 1.
func (s Stuck) InsideShare() float64 { return float64(s.Steps) / float64(max(s.Of, 1)) }

// WastedShare is described at InsideShare.
func (s Stuck) WastedShare() float64 { return float64(s.Wasted) / float64(max(s.Of, 1)) }

// stuckTable has a row an arm.
func (rep Report) stuckTable() table.Table {
	t := table.Table{Title: "What being stuck cost (incidents by one detector config for all arms)",
		Head: []string{"arm", "incidents", "in cells", "steps inside", "wasted", "tokens", "USD", "s",
			"outcomes"}}
	for _, a := range rep.Arms {
		t.Rows = append(t.Rows, []string{a.Arm, strconv.Itoa(a.Stuck.Incidents),
			fmt.Sprintf("%d of %d", a.Stuck.Cells, a.Cells), a.Stuck.Share(),
			trajectories.Grouped(a.Stuck.Wasted), trajectories.Grouped(a.Stuck.Tokens),
			trajectories.Dollars(a.Stuck.USD), trajectories.Seconds(a.Stuck.Seconds),
			dash(a.Stuck.OutcomeWords())})
	}
	return t
}

// priceHead names the columns of the CSV that say what incidents cost a cell; priceRow are its cells.
// An unknown cost is empty.
func priceHead() []string {
	head := []string{"incidents", "incident_steps", "incident_tokens", "incident_cost_usd",
		"incident_seconds"}
	for _, o := range cua.IncidentOutcomes() {
		head = append(head, "incidents_"+string(o))
	}
	return head
}

func priceRow(r benchmarks.Result) []string {
	p := trajectories.PriceOf(r.Incidents)
	usd := ""
	if p.USD != nil {
		usd = strconv.FormatFloat(*p.USD, 'f', -1, 64)
	}
	row := []string{strconv.Itoa(p.Incidents), strconv.Itoa(p.Steps), strconv.Itoa(p.Tokens), usd,
		strconv.FormatFloat(p.Seconds, 'f', -1, 64)}
	for _, o := range cua.IncidentOutcomes() {
		row = append(row, strconv.Itoa(p.Outcomes[o]))
	}
	return row
}
