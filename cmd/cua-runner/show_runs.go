package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// maxGoal is how much of a goal a line shows, characters.
const maxGoal = 60

// showRuns prints the runs below path, the oldest first. What cannot be read is told, and the exit code is 1
// then.
func (a *app) showRuns(path string, asJSON bool) error {
	ts, broken, err := a.runsAt([]string{path})
	if err != nil {
		return err
	}
	slices.SortStableFunc(ts,
		func(x, y *trajectories.Trajectory) int { return x.Header.Started.Compare(y.Header.Started) })
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	if !asJSON {
		fmt.Fprintln(w, "STARTED\tID\tRUN\tARM\tSTEPS\tEND\tSUCCESS\tGOAL")
	}
	for _, t := range ts {
		if asJSON {
			if err := json.NewEncoder(a.out).Encode(runner.Result(t)); err != nil {
				return err
			}
			continue
		}
		end, success, name := "-", "-", t.Dir
		if t.End != nil {
			end, success = string(t.End.Reason), strconv.FormatBool(t.End.Success)
		}
		if below, err := filepath.Rel(path, t.Dir); err == nil {
			name = below
		}
		started := "-"
		if at := t.Header.Started; !at.IsZero() {
			started = at.Local().Format("2006-01-02 15:04:05")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", started, cmp.Or(oneLine(t.Header.ID), "-"),
			oneLine(name), oneLine(t.Header.Arm), len(t.Steps), end, success, goalWords(t.Header.Task.Goal))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if broken > 0 {
		return &exitError{code: exitFailed, err: fmt.Errorf("%s could not be read", plural(broken, "run"))}
	}
	return nil
}

// goalWords is a goal as a line has room for it.
func goalWords(goal string) string {
	return cua.Clip(oneLine(goal), maxGoal)
}
