package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/lessons"
)

// linted is an entry that lint found fault with, as --json prints it.
type linted struct {
	Line int    `json:"line"`
	ID   string `json:"id,omitzero"`
	Why  string `json:"why"`
}

func newLessonsLint(a *app) *cobra.Command {
	var path string
	var runs []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "Say which entries of the file cannot be used, and why",
		Long: `Read the file and name each entry that no run is given: one that is no JSON, lacks something, is too long or holds a
secret (the values of CUA_SECRET_NAME are looked for). With --run it is an entry too that holds a text of that run's pages.
Nothing is changed.

Exit codes: 0 all can be used, 1 one cannot, 2 bad input.`,
		Example: "  cua-runner lessons lint\n  cua-runner lessons lint --lessons team/LESSONS.md --json | " +
			"jq '.[].line'",
		Args: exactArgs(0, "lessons lint takes no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			file, err := openLessons(cmd, path)
			if err != nil {
				return err
			}
			ts, err := lessonRuns(runs)
			if err != nil {
				return err
			}
			found := lint(file, ts, environmentSecrets(os.Environ()))
			if err := a.linted(path, file, found, asJSON); err != nil {
				return err
			}
			if len(found) > 0 {
				return &exitError{code: exitFailed}
			}
			return nil
		},
	}
	lessonsFile(cmd, &path)
	cmd.Flags().StringArrayVar(&runs, "run", nil,
		"`folder` of a run or of runs whose pages' texts are looked for (repeatable)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// lint is all that is wrong with a file, in its order.
func lint(file *lessons.File, runs []*trajectories.Trajectory,
	secrets map[string]string) []linted {
	found := []linted{}
	for _, f := range file.Faults() {
		found = append(found, linted{f.Line, f.ID, f.Err.Error()})
	}
	var pages []string
	for _, t := range runs {
		pages = append(pages, lessons.PageTexts(t)...)
	}
	for _, l := range file.Lessons() {
		err := trajectories.HoldsSecret(l.Text, secrets)
		if err == nil {
			err = lessons.QuotesPage(l.Text, pages)
		}
		if err != nil {
			found = append(found, linted{file.Line(l.ID), l.ID, err.Error()})
		}
	}
	return found
}

func (a *app) linted(path string, file *lessons.File, found []linted, asJSON bool) error {
	if asJSON {
		return printJSON(a, found)
	}
	for _, f := range found {
		fmt.Fprintf(a.out, "%s:%d: %s\n", path, f.Line, oneLine(f.Why))
	}
	good := len(file.Lessons()) + len(file.Faults()) - len(found)
	_, err := fmt.Fprintf(a.out, "%s: %d can be used, %d cannot\n", path, good, len(found))
	return err
}

func newLessonsReport(a *app) *cobra.Command {
	var uses int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "report RUN…",
		Short: "Show success and steps with and without each lesson",
		Long: `Compare the episodes that could be given a lesson with those of the same task, brain and configuration that could not
(run without it, or under --ablate lessons). RUN is the folder of a run or a study, or of many. A lesson that shows no more
successes, and no fewer steps at as many, after --uses episodes is marked.`,
		Example: "  cua-runner lessons report runs/\n  cua-runner lessons report studies/demo --json | jq " +
			"'.[] | select(.no_lift)'",
		Args: minimumArgs(1, "lessons report needs the folder of a run or a study"),
		RunE: func(_ *cobra.Command, args []string) error {
			c := lessons.Config{Uses: uses}
			if err := c.Validate(); err != nil {
				return usage("--uses: %w", err)
			}
			ts, err := lessonRuns(args)
			if err != nil {
				return err
			}
			lifts := lessons.Lifts(ts, c)
			if asJSON {
				return printJSON(a, append([]lessons.Lift{}, lifts...))
			}
			return lessons.WriteLifts(a.out, lifts, c)
		},
	}
	cmd.Flags().IntVar(&uses, "uses", runner.DefaultConfig().Lessons.Uses,
		"after how many `episodes` a lesson without lift is marked")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
