package show

import (
	"bytes"
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// incidentTable writes what being stuck has cost, incident by incident. Shapes go over several
// lines, and so does what was tried: in a column, on a narrow screen in lines of its own.
func incidentTable(b *bytes.Buffer, t *trajectories.Trajectory, width int) {
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
	p := trajectories.PriceOf(t.Incidents)
	fmt.Fprintf(b, "\n%s (%s)\n", p.Words(len(t.Steps)), p.OutcomeWords())
	write := func(row int) {
		for _, line := range after[row-1] {
			fmt.Fprintf(b, "  – tried %s\n", trajectories.Printable(line))
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
			rows[i] = []string{in.ID, "", span(in.First, in.Last), "", trajectories.Grouped(in.Tokens),
				trajectories.Dollars(in.USD),
				trajectories.Seconds(in.Seconds), outcomeWord(in.Outcome)}
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
