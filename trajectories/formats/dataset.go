package formats

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/trajectories"
)

// DatasetRun is a run as a dataset has it.
type DatasetRun struct {
	*trajectories.Trajectory
	// Run is the key that all tables share. WriteDataset makes it: the episode id, with a number where two
	// runs have one.
	Run string
	// Solvable and Scored are what the study says that the run belongs to: whether its task can be done, and
	// whether the run is the one that counts for its cell. nil is that no study says so.
	Solvable, Scored *bool
}

// result is what the columns of runs are computed from.
type result = trajectories.RunResult

// datum is one column of a table of a dataset. An empty cell is what never happened or is not known.
type datum[T any] struct {
	name, kind, about string
	cell              func(*DatasetRun, T) string
}

// dataTable is one table of a dataset. A cell is text as a CSV file has it; "" is what never happened or is
// not known.
type dataTable struct {
	name    string
	columns []dataColumn
	rows    [][]string
}

// dataColumn is the name of a column, its kind (text, integer, number, boolean or time), and what it is
// about.
type dataColumn struct{ name, kind, about string }

// WriteDataset writes the tables of runs as CSV files with a line of names each into dir, which must be empty
// or not there: runs, steps, signals, rulings and incidents, and columns, which explains each column of the
// others. Trajectory.Incidents are those of the runs.
func WriteDataset(dir string, runs []DatasetRun) error {
	return writeFolder(dir, func(f *outFolder) error {
		for _, t := range dataTables(runs) {
			rows := [][]string{nil}
			for _, c := range t.columns {
				rows[0] = append(rows[0], c.name)
			}
			for _, r := range t.rows {
				row := make([]string, len(r))
				for i, cell := range r {
					row[i] = inert(cell)
				}
				rows = append(rows, row)
			}
			err := f.file(t.name+".csv", func(w io.Writer) error {
				return csv.NewWriter(redact.VisibleWriter(w)).WriteAll(rows)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// dataTables are the tables of a dataset; the last explains the columns of the others.
func dataTables(runs []DatasetRun) []dataTable {
	nameRuns(runs)
	out := []dataTable{
		dataOf("runs", runs, runData(), func(r *DatasetRun) []*result {
			return []*result{new(trajectories.Summarize(r.Trajectory, r.Incidents))}
		}),
		dataOf("steps", runs, stepData(), func(r *DatasetRun) []*cua.Step {
			var out []*cua.Step
			for i := range r.Steps {
				out = append(out, &r.Steps[i])
			}
			return out
		}),
		dataOf("signals", runs, signalData(), func(r *DatasetRun) []held {
			var out []held
			for _, s := range r.Steps {
				for _, g := range s.Signals {
					out = append(out, held{s.N, g})
				}
			}
			return out
		}),
		dataOf("rulings", runs, rulingData(), func(r *DatasetRun) []ruled {
			var out []ruled
			for _, s := range r.Steps {
				for _, g := range s.Rulings {
					out = append(out, ruled{s.N, g})
				}
			}
			return out
		}),
		dataOf("incidents", runs, incidentData(), func(r *DatasetRun) []cua.Incident { return r.Incidents }),
	}
	explained := dataTable{name: "columns"}
	for _, name := range []string{"table", "column", "type", "about"} {
		explained.columns = append(explained.columns, dataColumn{name: name, kind: kindText})
	}
	for _, t := range out {
		for _, c := range t.columns {
			explained.rows = append(explained.rows, []string{t.name, c.name, c.kind, c.about})
		}
	}
	return append(out, explained)
}

// dataOf is one table.
func dataOf[T any](name string, runs []DatasetRun, cols []datum[T], rows func(*DatasetRun) []T) dataTable {
	cols = slices.Insert(cols, 0, datum[T]{"run", kindText, "the key of the run, the same in all tables",
		func(r *DatasetRun, _ T) string { return r.Run }})
	out := dataTable{name: name}
	for _, c := range cols {
		out.columns = append(out.columns, dataColumn{c.name, c.kind, c.about})
	}
	for i := range runs {
		for _, v := range rows(&runs[i]) {
			var row []string
			for _, c := range cols {
				row = append(row, c.cell(&runs[i], v))
			}
			out.rows = append(out.rows, row)
		}
	}
	return out
}

// runData are the columns of runs.
func runData() []datum[*result] {
	col := func(name, kind, about string, f func(*DatasetRun, *result) string) datum[*result] {
		return datum[*result]{name, kind, about, f}
	}
	out := []datum[*result]{
		col("folder", "text", "the folder of the run",
			func(r *DatasetRun, _ *result) string { return r.Dir }),
		col("id", "text", "unique and sorted by time; empty: the journal is older than ids",
			func(r *DatasetRun, _ *result) string { return r.Header.ID }),
		col("episode", "text", "the name of the episode",
			func(r *DatasetRun, _ *result) string { return r.Header.Episode }),
		col("task", "text", "the id of the task",
			func(r *DatasetRun, _ *result) string { return r.Header.Task.ID }),
		col("goal", "text", "the task in words",
			func(r *DatasetRun, _ *result) string { return r.Header.Task.Goal }),
		col("start_url", "text", "the start page",
			func(r *DatasetRun, _ *result) string { return cua.PublicURL(r.Header.Task.URL) }),
		col("arm", "text", "the name of the configuration",
			func(r *DatasetRun, _ *result) string { return r.Header.Arm }),
		col("seed", "integer", "the seed of task and brain",
			func(r *DatasetRun, _ *result) string {
				return strconv.FormatInt(r.Header.Task.Seed, 10)
			}),
		col("attempt", "integer", "which try at its cell it is, from 1",
			func(r *DatasetRun, _ *result) string { return positive(r.Header.Attempt) }),
		col("brain", "text", "who decided",
			func(r *DatasetRun, _ *result) string { return r.Header.Brain.Name }),
		col("model", "text", "the model, where it is one",
			func(r *DatasetRun, _ *result) string { return r.Header.Brain.Model }),
		col("director", "text", "the brain that is asked when the run is stuck",
			func(r *DatasetRun, _ *result) string { return r.Header.Brain.Director }),
		col("version", "text", "of the program",
			func(r *DatasetRun, _ *result) string { return r.Header.Build.Version }),
		col("revision", "text", "of its source",
			func(r *DatasetRun, _ *result) string { return r.Header.Build.Revision }),
	}
	return slices.Concat(out, runEnds(), runCosts(), toggleData())
}

// runEnds are the columns of runs about their beginning and their end.
func runEnds() []datum[*result] {
	col := func(name, kind, about string, f func(*DatasetRun, *result) string) datum[*result] {
		return datum[*result]{name, kind, about, f}
	}
	return []datum[*result]{
		col("started", "time", "when it began (RFC 3339, UTC)",
			func(r *DatasetRun, _ *result) string { return stamp(r.Header.Started) }),
		col("ended", "time", "when it ended", func(r *DatasetRun, _ *result) string {
			if r.End == nil {
				return ""
			}
			return stamp(r.End.At)
		}),
		col("end_reason", "text", "why it ended; empty: it has not",
			func(_ *DatasetRun, s *result) string { return string(s.TerminationReason) }),
		col("success", "boolean", "what the journal's end says; empty: it has none",
			func(r *DatasetRun, s *result) string {
				if r.End == nil {
					return ""
				}
				return strconv.FormatBool(s.Success)
			}),
		col("reward", "number", "what the task's own state was worth, 0 to 1; empty: the task gives none",
			func(_ *DatasetRun, s *result) string { return money(s.Reward) }),
		col("answer", "text", "what a done said",
			func(_ *DatasetRun, s *result) string { return s.Answer }),
		col("solvable", "boolean", "whether the task can be done; empty: no study says so",
			func(r *DatasetRun, _ *result) string { return maybe(r.Solvable) }),
		col("scored", "boolean",
			"whether the run is the one that counts for its cell of a study; empty: it is in none",
			func(r *DatasetRun, _ *result) string { return maybe(r.Scored) }),
	}
}

// runCosts are the columns of runs that count.
func runCosts() []datum[*result] {
	col := func(name, kind, about string, f func(*result) string) datum[*result] {
		return datum[*result]{name, kind, about, func(_ *DatasetRun, s *result) string { return f(s) }}
	}
	sum := func(m map[cua.Reason]int) (n int) {
		for _, k := range m {
			n += k
		}
		return n
	}
	return []datum[*result]{
		col("steps", "integer", "how many steps were made",
			func(s *result) string { return strconv.Itoa(s.Steps) }),
		col("incidents", "integer", "how often it was stuck",
			func(s *result) string { return strconv.Itoa(len(s.Incidents)) }),
		col("wasted_steps", "integer", "steps inside incidents that did not recover",
			func(s *result) string { return strconv.Itoa(s.WastedSteps) }),
		col("duration_ms", "integer", "from reset to end, pauses between processes left out",
			func(s *result) string { return strconv.FormatInt(s.DurationMS, 10) }),
		col("tokens", "integer", "input and output tokens",
			func(s *result) string { return strconv.Itoa(s.Tokens) }),
		col("cost_usd", "number", "US dollars; empty: not known",
			func(s *result) string { return money(s.USD) }),
		col("nudges", "integer", "notes that said that it was stuck",
			func(s *result) string { return strconv.Itoa(s.Nudges) }),
		col("loop_recoveries", "integer", "replacements of the rescue table that were dispatched",
			func(s *result) string { return strconv.Itoa(sum(s.LoopRecoveries)) }),
		col("infrastructure_faults", "integer", "what failed and was not the agent",
			func(s *result) string { return strconv.Itoa(s.InfrastructureFaults) }),
	}
}

// toggleData are the mechanisms, a column each.
func toggleData() []datum[*result] {
	var out []datum[*result]
	for _, m := range cua.Mechanisms() {
		name := m.Name
		out = append(out, datum[*result]{"toggle_" + name, "boolean",
			"whether the mechanism " + name + " was on", func(r *DatasetRun, _ *result) string {
				on, err := r.Header.Toggles.Get(name)
				if err != nil {
					return ""
				}
				return strconv.FormatBool(on)
			}})
	}
	return out
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func money(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

func maybe(v *bool) string {
	if v == nil {
		return ""
	}
	return strconv.FormatBool(*v)
}
