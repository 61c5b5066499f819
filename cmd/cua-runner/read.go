package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

func newShow(a *app) *cobra.Command {
	var step int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Print an episode's steps: what was proposed, what was dispatched, and why",
		Example: `  cua-runner show runs/example.com@default.1-1
  cua-runner show runs/example.com@default.1-1 --step 7
  cua-runner show runs/example.com@default.1-1 --json | jq .loop_recoveries_by_reason`,
		Args: exactArgs(1, "show needs the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := readRun(args[0])
			if err != nil {
				return err
			}
			return a.show(t, step, cmd.Flags().Changed("step"), asJSON)
		},
	}
	cmd.Flags().IntVar(&step, "step", 0, "print everything about this one step")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result (or, with --step, the step) as JSON")
	return cmd
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
		return printJSON(a, trajectories.Summarize(t, t.Incidents))
	}
	return trajectories.WriteTable(a.out, t, trajectories.TableOptions{Step: step, Width: width(a.out)})
}

// exportFormats are the forms in which trajectories leave.
func exportFormats() []string { return []string{"json", "jsonl", "csv", "html", "neutral"} }

func newExport(a *app) *cobra.Command {
	var format, out string
	var blobs bool
	cmd := &cobra.Command{
		Use:   "export RUN…",
		Short: "Write trajectories as JSON, JSON lines, CSV, one HTML page, or for the offline scorer",
		Example: `  cua-runner export runs/* --format csv > steps.csv
  cua-runner export runs/example.com@default.1-1 --format html --out episode.html
  cua-runner export studies/demo/*/ --format jsonl | jq -c 'select(.loop_recovery_reason)'
  cua-runner export runs/* --format neutral | cua-runner detect -`,
		Args: minimumArgs(1, "export needs the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var ts []*trajectories.Trajectory
			for _, path := range args {
				t, err := readRun(path)
				if err != nil {
					return err
				}
				t.Incidents = runner.Incidents(t, runner.DefaultConfig())
				ts = append(ts, t)
			}
			return a.write(out, func(w io.Writer) error { return export(w, ts, format, blobs) })
		},
	}
	cmd.Flags().StringVar(&format, "format", "json", strings.Join(exportFormats(), ", "))
	cmd.Flags().StringVar(&out, "out", "", "`file` to write (default: standard output)")
	cmd.Flags().BoolVar(&blobs, "blobs", false, "put the frames into the JSON")
	complete(cmd, "format", exportFormats)
	return cmd
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
		if len(ts) != 1 {
			return usage("--format html takes one run, not %d", len(ts))
		}
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
