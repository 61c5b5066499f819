package formats

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/trajectories"
)

// Frames says which frames an export has.
type Frames string

// The choices of frames.
const (
	// NoFrames leaves them out.
	NoFrames Frames = "none"
	// LastFrame keeps the last one of an episode, and of a training sample that of the page that is decided
	// upon.
	LastFrame Frames = "last"
	AllFrames Frames = "all"
)

// FrameChoices lists them.
func FrameChoices() []string { return []string{string(NoFrames), string(LastFrame), string(AllFrames)} }

// ExportOptions say what an export holds. The zero value is what each format has by default.
type ExportOptions struct {
	// Frames is "" for the format's own default.
	Frames Frames
	// Blobs puts frames and prompts into the JSON of json and jsonl.
	Blobs bool
	// Content puts arguments, results and messages into the spans of otel.
	Content bool
	// LogFormat of inspect is one of LogFormats; "" is json.
	LogFormat string
	Training  TrainingOptions
}

// Exporter is one form in which trajectories leave. At least one of Write and Folder is set.
type Exporter struct {
	Name string
	// About says in one line what it is, for help and documentation.
	About string
	// MediaType and Ext, with its dot, are those of what Write writes.
	MediaType, Ext string
	// Frames is the default.
	Frames Frames
	// One says that Write takes exactly one run. More need a folder.
	One bool
	// Write writes one file; nil is a form that has several files.
	Write func(w io.Writer, runs []DatasetRun, o ExportOptions) error
	// Folder writes into a folder that must be empty or not there, all or nothing; nil is a form of one file.
	Folder func(dir string, runs []DatasetRun, o ExportOptions) error
}

// Exporters lists the formats of this package in the order of their names. The page of package trajectories
// is one more, which the command adds.
func Exporters() []Exporter {
	list := []Exporter{
		{Name: "json", About: "one document with all records", MediaType: "application/json", Ext: ".json",
			Write: func(w io.Writer, runs []DatasetRun, o ExportOptions) error {
				return WriteJSON(w, read(runs), o.Blobs)
			}},
		{Name: "jsonl", About: "a step a line", MediaType: "application/jsonl", Ext: ".jsonl",
			Write: func(w io.Writer, runs []DatasetRun, o ExportOptions) error {
				return WriteJSONL(w, read(runs), o.Blobs)
			}},
		{Name: "csv", About: "a step a row", MediaType: "text/csv; charset=utf-8", Ext: ".csv",
			Write: func(w io.Writer, runs []DatasetRun, _ ExportOptions) error {
				return WriteCSV(w, read(runs))
			}},
		{Name: "neutral", About: "what any scorer of loops reads", MediaType: "application/jsonl",
			Ext: ".jsonl", Write: func(w io.Writer, runs []DatasetRun, _ ExportOptions) error {
				return WriteNeutral(w, read(runs))
			}},
		{Name: "dataset", About: "CSV tables for statistics",
			Folder: func(dir string, runs []DatasetRun, _ ExportOptions) error {
				return WriteDataset(dir, runs)
			}},
		atifExporter(), traceExporter(), parquetExporter(), playwrightExporter(),
		otelExporter(), inspectExporter(),
	}
	list = append(list, trainingExporters()...)
	slices.SortFunc(list, func(a, b Exporter) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// read are the trajectories of runs.
func read(runs []DatasetRun) []*trajectories.Trajectory {
	out := make([]*trajectories.Trajectory, len(runs))
	for i := range runs {
		out[i] = runs[i].Trajectory
	}
	return out
}

// only is the one run that a file holds.
func only(runs []DatasetRun, format string) (*trajectories.Trajectory, error) {
	if len(runs) != 1 {
		return nil, fmt.Errorf("trajectories: exporting %s: a file holds one run, found %d", format,
			len(runs))
	}
	return runs[0].Trajectory, nil
}

// nameRuns gives each run a key of its own: the episode's name, with a number where two runs have one.
func nameRuns(runs []DatasetRun) {
	taken := map[string]int{}
	for i := range runs {
		id := runs[i].Header.Episode
		runs[i].Run = id
		if taken[id]++; taken[id] > 1 {
			runs[i].Run = fmt.Sprintf("%s#%d", id, taken[id])
		}
	}
}

// fileName is the key of a run as the name of a file: no path, no hidden file, whatever the journal says.
func (r *DatasetRun) fileName() string {
	name := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9',
			strings.ContainsRune("@._-", c):
			return c
		}
		return '-'
	}, r.Run)
	return cmp.Or(strings.TrimLeft(name, "."), "run")
}
