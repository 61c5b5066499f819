package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/runner"
)

func newReplay(a *app) *cobra.Command {
	var f configFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay RUN…",
		Short: "Recompute every ruling of a journal, with the same or another config",
		Long: `Recompute signals, notes and rulings of every step from what the journal records, with no browser and no brain.
With the journal's own config each must come out the same; a difference is a fault, and the exit
code is 1. With --ablate, --set, --arm or --only the first step that would have been ruled otherwise
is named: what came after it would not have happened so.`,
		Example: `  cua-runner replay runs/*
  cua-runner replay runs/example.com@default.1-1 --ablate loop_recovery`,
		Args: minimumArgs(1, "replay needs the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			other := f.changed(cmd.Flags())
			var bad error
			differ := false
			for _, path := range args {
				d, err := a.replay(path, f, other, asJSON)
				bad = errors.Join(bad, err)
				differ = differ || d
			}
			switch {
			case bad != nil:
				return usage("%w", bad)
			case differ && !other:
				return &exitError{code: exitFailed}
			}
			return nil
		},
	}
	f.addArm(cmd, "")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON line a run")
	return cmd
}

// replay prints how path's rulings compare, and says whether any differs.
func (a *app) replay(path string, f configFlags, other, asJSON bool) (bool, error) {
	t, err := readRun(path)
	if err != nil {
		return false, err
	}
	cfg, err := runner.Recorded(t.Header)
	if err != nil {
		return false, usage("%s: %w", path, err)
	}
	if other {
		if f.file != "" || f.arm != "" {
			cfg = runner.DefaultConfig()
		}
		if cfg, err = f.over(cfg); err != nil {
			return false, err
		}
	}
	diffs := runner.Replay(t, cfg)
	switch {
	case asJSON:
		line, err := json.Marshal(struct {
			Run         string              `json:"run"`
			Steps       int                 `json:"steps"`
			Differences []runner.Difference `json:"differences"`
		}{path, len(t.Steps), diffs})
		if err != nil {
			return false, err
		}
		fmt.Fprintln(a.out, string(line))
	case len(diffs) == 0:
		fmt.Fprintf(a.out, "%s: %d steps, every ruling reproduced\n", path, len(t.Steps))
	case other:
		d := diffs[0]
		fmt.Fprintf(a.out, "%s: this config differs first at step %d (%s): recorded %s; now %s\n", path, d.Step, d.What, oneLine(d.Recorded), oneLine(d.Replayed))
	default:
		for _, d := range diffs {
			fmt.Fprintf(a.out, "%s: step %d (%s): recorded %s; replayed %s\n", path, d.Step, d.What, oneLine(d.Recorded), oneLine(d.Replayed))
		}
	}
	return len(diffs) > 0, nil
}
