package report

import (
	"slices"
	"strconv"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/table"
	"github.com/cua-runner/cua-runner/trajectories"
)

// ShadowReport says how good one gate in shadow mode would have been in one arm.
type ShadowReport struct {
	trajectories.GateShadow
	// Precision is the share of right rulings among the judged ones.
	Precision benchmarks.Rate `json:"precision"`
}

// shadowReports are those of one arm, by the gates' names; nil where none ruled in shadow.
func shadowReports(mine []benchmarks.Result) []ShadowReport {
	var all []trajectories.Shadowed
	for _, r := range mine {
		all = append(all, r.Shadow...)
	}
	var out []ShadowReport
	for _, g := range trajectories.ShadowsByGate(all) {
		out = append(out, ShadowReport{g, benchmarks.Wilson(g.Right, g.Judged)})
	}
	return out
}

// shadowGates are the gates that ruled in shadow in any arm, by name.
func (rep Report) shadowGates() []string {
	var out []string
	for _, a := range rep.Arms {
		for _, s := range a.Shadow {
			out = append(out, s.Gate)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// shadowsAlike says what the intervals leave out.
const shadowsAlike = "Rulings of one episode are alike: the intervals treat them as independent and are " +
	"too narrow."

// shadowTable has a row an arm and gate; false where none ruled in shadow.
func (rep Report) shadowTable() (table.Table, bool) {
	t := table.Table{
		Title: "Gates in shadow mode: what they would have done, judged by what happened next (95 % " +
			"Wilson intervals)",
		Note: trajectories.ShadowDefinition + " " + shadowsAlike,
		Head: []string{"arm", "gate", "rulings", "judged", "right", "precision", "right by reason"}}
	for _, a := range rep.Arms {
		for _, s := range a.Shadow {
			t.Rows = append(t.Rows, []string{a.Arm, s.Gate, trajectories.Grouped(s.Rulings),
				trajectories.Grouped(s.Judged), trajectories.Grouped(s.Right),
				s.Precision.Percent(), s.ReasonWords()})
		}
	}
	return t, len(t.Rows) > 0
}

// shadowHead names the columns of the CSV that count what these gates would have done in a cell;
// shadowRow are its cells.
func shadowHead(gates []string) []string {
	var out []string
	for _, g := range gates {
		out = append(out, "shadow_"+g+"_rulings", "shadow_"+g+"_judged", "shadow_"+g+"_right")
	}
	return out
}

func shadowRow(r benchmarks.Result, gates []string) []string {
	counts := trajectories.ShadowsByGate(r.Shadow)
	var out []string
	for _, name := range gates {
		var g trajectories.GateShadow
		if i := slices.IndexFunc(counts,
			func(g trajectories.GateShadow) bool { return g.Gate == name }); i >= 0 {
			g = counts[i]
		}
		out = append(out, strconv.Itoa(g.Rulings), strconv.Itoa(g.Judged), strconv.Itoa(g.Right))
	}
	return out
}
