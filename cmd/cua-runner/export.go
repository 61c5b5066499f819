package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/formats"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// exportFormats are the forms in which trajectories leave.
func exportFormats() []string { return []string{"json", "jsonl", "csv", "dataset", "html", "neutral"} }

func newExport(a *app) *cobra.Command {
	var format, out string
	var blobs bool
	cmd := &cobra.Command{
		Use:   "export RUN…",
		Short: "Write trajectories as JSON, CSV, a dataset, HTML pages, or for the offline scorer",
		Long: `Write the runs at RUN…: folders of runs, studies, journals, patterns, the ids of episodes, or "latest",
the newest below runs/.
What cannot be read is told, the others are written, and the exit code is 1.

--format dataset writes a folder (--out) of CSV tables: runs, steps, signals, rulings, incidents, and columns, which explains
each column. docs/examples/dataset.py makes the main table of a study of it.`,
		Example: `  cua-runner export runs/* --format csv > steps.csv
  cua-runner export runs/example.com-sign-in@default.1-1 --format html --out episode.html
  cua-runner export runs --format html --out pages
  cua-runner export studies/demo/*/ --format jsonl | jq -c 'select(.loop_recovery_reason)'
  cua-runner export studies/demo --format dataset --out demo-data
  cua-runner export runs/* --format neutral | cua-runner detect -`,
		Args: minimumArgs(1, "export needs the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ts, broken, err := a.runsAt(args)
			if err != nil {
				return err
			}
			switch {
			case format == "dataset":
				err = writeDataset(out, ts)
			case format == "html" && manyPages(args, out):
				err = a.exportPages(ts, out)
			default:
				err = a.write(out, func(w io.Writer) error { return export(w, ts, format, blobs) })
			}
			if err == nil && broken > 0 {
				return &exitError{code: exitFailed,
					err: fmt.Errorf("%s could not be read, the others were written", plural(broken, "run"))}
			}
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "json", strings.Join(exportFormats(), ", "))
	cmd.Flags().StringVar(&out, "out", "",
		"`file` to write (default: standard output), or the folder of a dataset or of many pages")
	cmd.Flags().BoolVar(&blobs, "blobs", false, "put the frames and the prompts into the JSON")
	complete(cmd, "format", exportFormats)
	return cmd
}

// writeDataset writes runs into the folder out, with what the studies that they lie in say of them.
func writeDataset(out string, ts []*trajectories.Trajectory) error {
	if out == "" {
		return usage("--format dataset writes a folder: name it with --out")
	}
	known := map[string]map[string]bool{} // by study and episode: whether the task can be done
	var runs []formats.DatasetRun
	for _, t := range ts {
		r := formats.DatasetRun{Trajectory: t}
		study := filepath.Dir(filepath.Dir(filepath.Clean(t.Dir)))
		if _, read := known[study]; !read {
			known[study] = studyCells(filepath.Join(study, "results.jsonl"))
		}
		if cells := known[study]; cells != nil {
			solvable, scored := cells[filepath.Base(t.Dir)]
			r.Scored = &scored
			if scored {
				r.Solvable = &solvable
			}
		}
		runs = append(runs, r)
	}
	if err := formats.WriteDataset(out, runs); err != nil {
		return infra(err)
	}
	return nil
}

// studyCells are the episodes that the results at path are of, and whether the task of each can be done;
// nil where there are none.
func studyCells(path string) map[string]bool {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	out := map[string]bool{}
	for line := range bytes.Lines(raw) {
		var r struct {
			Episode  string `json:"episode"`
			Solvable bool   `json:"solvable"`
		}
		if json.Unmarshal(line, &r) == nil && r.Episode != "" {
			out[r.Episode] = r.Solvable
		}
	}
	return out
}

func export(w io.Writer, ts []*trajectories.Trajectory, format string, blobs bool) error {
	switch format {
	case "json":
		return formats.WriteJSON(w, ts, blobs)
	case "jsonl":
		return formats.WriteJSONL(w, ts, blobs)
	case "csv":
		return formats.WriteCSV(w, ts)
	case "neutral":
		return formats.WriteNeutral(w, ts)
	case "html":
		return show.WriteHTML(w, ts[0])
	}
	return usage("unknown format %q; known: %s", format, strings.Join(exportFormats(), ", "))
}

// indexName is the page that lists the pages of many runs.
const indexName = "index.html"

// manyPages reports whether runs are exported as a page each with a list of them: all but one run that is
// named itself, unless out is a folder.
func manyPages(paths []string, out string) bool {
	if info, err := os.Stat(out); len(paths) > 1 || out != "" && err == nil && info.IsDir() {
		return true
	}
	info, err := os.Stat(runNamed(paths[0]))
	return err != nil || info.IsDir() && !isRun(runNamed(paths[0]))
}

// exportPages writes a page for each run into the folder out, and one that lists them.
func (a *app) exportPages(ts []*trajectories.Trajectory, out string) error {
	if out == "" {
		return usage("--format html of many runs needs --out with the folder to write to")
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return usage("making the folder of --out: %w", err)
	}
	var rows []show.IndexRow
	taken := map[string]bool{indexName: true}
	for _, t := range ts {
		name := pageName(t.Dir, taken)
		page := func(w io.Writer) error { return show.WriteHTML(w, t) }
		if err := a.write(filepath.Join(out, name), page); err != nil {
			return err
		}
		rows = append(rows, show.NewIndexRow(t, "./"+name))
	}
	list := filepath.Join(out, indexName)
	if err := a.write(list, func(w io.Writer) error { return show.WriteIndex(w, rows) }); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.err, list)
	return err
}

// pageName is that of a run's page, and no other run's.
func pageName(dir string, taken map[string]bool) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	base := filepath.Base(abs)
	name := base + ".html"
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s-%d.html", base, n)
	}
	taken[name] = true
	return name
}
