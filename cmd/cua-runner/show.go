package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// maxGoal is how much of a goal a line shows, characters.
const maxGoal = 60

// showRuns prints the runs below path, the oldest first. A run that cannot be read is reported, and the exit
// code is 1 then.
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
			if err := a.json().Encode(runner.Result(t)); err != nil {
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
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", started,
			cmp.Or(tty.Safe(t.Header.ID), "-"), tty.Safe(name), tty.Safe(t.Header.Arm),
			len(t.Steps), end, success, goalWords(t.Header.Task.Goal))
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
	return cua.Clip(tty.Safe(goal), maxGoal)
}

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
	return show.WriteText(a.out, text)
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
	return show.WriteTable(a.out, t, show.TableOptions{Step: step, Width: tty.Width(a.out)})
}
