package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

func newShow(a *app) *cobra.Command {
	var step int
	var asJSON, prompt bool
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Print an episode's steps, or the runs in a folder",
		Long: `Print the steps of the episode at RUN: what was proposed, what was dispatched, and why. RUN is its folder, its id, or
"latest", the newest below runs/.
Of a folder of runs, as of a study, it prints a line for each run, the oldest first.`,
		Example: `  cua-runner show runs/example.com-sign-in@default.1-1
  cua-runner show runs
  cua-runner show runs/example.com-sign-in@default.1-1 --step 7
  cua-runner show runs/example.com-sign-in@default.1-1 --json | jq .loop_recoveries_by_reason`,
		Args: exactArgs(1, "show needs the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if prompt {
				return a.showPrompt(args[0], step)
			}
			if cmd.Flags().Changed("step") || !holdsRuns(args[0]) {
				return a.showOne(args[0], step, cmd.Flags().Changed("step"), asJSON)
			}
			return a.showRuns(args[0], asJSON)
		},
	}
	cmd.Flags().IntVar(&step, "step", 0, "print everything about this one step")
	cmd.Flags().BoolVar(&prompt, "prompt", false,
		"with --step, print the text that the brain was sent for this step, as far as it had not been sent "+
			"with an earlier one")
	cmd.Flags().BoolVar(&asJSON, "json", false,
		"print the result (with --step, the step; of a folder, the results, one a line) as JSON")
	cmd.MarkFlagsMutuallyExclusive("prompt", "json")
	return cmd
}

func (a *app) showOne(path string, step int, one, asJSON bool) error {
	t, err := readRun(path)
	if err != nil {
		return err
	}
	return a.show(t, step, one, asJSON)
}

// showPrompt prints what the brain was sent for a step. It cannot move the cursor or colour the screen.
func (a *app) showPrompt(path string, step int) error {
	t, err := readRun(path)
	if err != nil {
		return err
	}
	if step < 1 || step > len(t.Steps) {
		return usage("--prompt wants --step, 1 to %d, not %d", len(t.Steps), step)
	}
	text, err := t.Prompt(&t.Steps[step-1])
	switch {
	case err != nil:
		return usage("%w", err)
	case text == "":
		return usage("nothing is kept that was sent for step %d: its action needed no request, its brain "+
			"sends none, or --no-prompts was given", step)
	}
	return trajectories.WriteText(a.out, text)
}

func (a *app) show(t *trajectories.Trajectory, step int, one, asJSON bool) error {
	t.Incidents = runner.Incidents(t, runner.DefaultConfig())
	if one && (step < 1 || step > len(t.Steps)) {
		return usage("--step must be 1 to %d, not %d", len(t.Steps), step)
	}
	switch {
	case one && asJSON:
		return printJSON(a, t.Steps[step-1])
	case asJSON:
		return printJSON(a, runner.Result(t))
	}
	return trajectories.WriteTable(a.out, t, trajectories.TableOptions{Step: step, Width: width(a.out)})
}

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
	var runs []trajectories.DatasetRun
	for _, t := range ts {
		r := trajectories.DatasetRun{Trajectory: t}
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
	if err := trajectories.WriteDataset(out, runs); err != nil {
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
		return trajectories.ExportJSON(w, ts, blobs)
	case "jsonl":
		return trajectories.ExportJSONL(w, ts, blobs)
	case "csv":
		return trajectories.ExportCSV(w, ts)
	case "neutral":
		return trajectories.ExportNeutral(w, ts)
	case "html":
		return trajectories.WriteHTML(w, ts[0])
	}
	return usage("unknown format %q; known: %s", format, strings.Join(exportFormats(), ", "))
}

// writeInto writes to what is there already and is no plain file: a link, a pipe, a device.
func writeInto(path string, make func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return infra(fmt.Errorf("writing %s: %w", path, err))
	}
	if err := errors.Join(make(f), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// write hands make the output: standard output, or a file that appears only when it is whole.
func (a *app) write(path string, make func(io.Writer) error) error {
	if path == "" {
		return make(a.out)
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return writeInto(path, make)
	}
	err := trajectories.WriteFile(path, trajectories.FileOptions{Mode: 0o644}, make)
	var disk *trajectories.DiskError
	if errors.As(err, &disk) {
		return infra(fmt.Errorf("writing %s: %w", path, disk.Err))
	}
	return err
}
