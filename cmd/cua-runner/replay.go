package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

func newReplay(a *app) *cobra.Command {
	var f configFlags
	var asJSON bool
	var arms []string
	cmd := &cobra.Command{
		Use:   "replay RUN…",
		Short: "Recompute every ruling of a journal, with the same or another config",
		Long: `Recompute signals, notes and rulings of every step from what the journal records, with no browser and no brain.
With the journal's own config each must come out the same; a difference is a fault, and the exit
code is 1. With --ablate, --set, --arm or --only the first step that would have been ruled otherwise
is named: what came after it would not have happened so.

With --arms each run, of a study too, is judged by each of these arms, and a table says where each would first have ruled
otherwise.`,
		Example: `  cua-runner replay runs/*
  cua-runner replay runs/example.com-sign-in@default.1-1 --ablate loop_recovery
  cua-runner replay studies/demo --arms classic,default-nudge`,
		Args: minimumArgs(1, "replay needs the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			other := f.changed(cmd.Flags())
			if len(arms) > 0 {
				if other {
					return usage("--arms and the flags of one config do not go together: --arms takes " +
						"differences in names, as default{detector.soft=4}")
				}
				return a.replayArms(args, arms, asJSON)
			}
			var bad error
			differ := false
			for _, at := range args {
				for _, path := range journals(at, func(err error) { bad = errors.Join(bad, err) }) {
					d, err := a.replay(path, f, other, asJSON)
					bad = errors.Join(bad, err)
					differ = differ || d
				}
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
	addArms(cmd.Flags(), &arms, "arms",
		"`arms` to judge each run by, as classic,default-nudge: a table of where each would first have "+
			"ruled otherwise")
	return cmd
}

// elsewhere is where an arm would first have ruled otherwise than a run did; Step 0 is nowhere.
type elsewhere struct {
	Step int    `json:"step"`
	Now  string `json:"ruling,omitzero"`
}

func (e elsewhere) String() string {
	if e.Step == 0 {
		return "as recorded"
	}
	return fmt.Sprintf("step %d: %s", e.Step, e.Now)
}

// replayArms prints for each run at paths where each of arms would first have ruled otherwise.
func (a *app) replayArms(paths, arms []string, asJSON bool) error {
	configs := make([]runner.Config, len(arms))
	for i, name := range arms {
		var err error
		if configs[i], err = runner.DefaultConfig().Arm(name); err != nil {
			return usage("--arms: %w", err)
		}
		if err := configs[i].Validate(); err != nil {
			return usage("--arms: %s: %w", name, err)
		}
	}
	ts, broken, err := a.runsAt(paths)
	if err != nil {
		return err
	}
	tab := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	if !asJSON {
		fmt.Fprintf(tab, "run\tarm\tsteps\t%s\n", strings.Join(arms, "\t"))
	}
	for _, t := range ts {
		row, found := []string{t.Header.Episode, t.Header.Arm, strconv.Itoa(len(t.Steps))},
			map[string]elsewhere{}
		for i, cfg := range configs {
			e := firstElsewhere(t, cfg)
			found[arms[i]] = e
			row = append(row, e.String())
		}
		if !asJSON {
			for i := range row {
				row[i] = tty.Safe(row[i])
			}
			fmt.Fprintln(tab, strings.Join(row, "\t"))
			continue
		}
		line, err := json.Marshal(struct {
			Run   string               `json:"run"`
			Arm   string               `json:"arm"`
			Steps int                  `json:"steps"`
			First map[string]elsewhere `json:"first"`
		}{t.Header.Episode, t.Header.Arm, len(t.Steps), found})
		if err != nil {
			return infra(err)
		}
		fmt.Fprintln(a.out, redact.VisibleJSON(string(line)))
	}
	if err := tab.Flush(); err != nil {
		return infra(err)
	}
	if broken > 0 {
		return &exitError{code: exitFailed, err: fmt.Errorf("%s could not be read", plural(broken, "run"))}
	}
	return nil
}

// firstElsewhere is the first step of t that c would have ruled on otherwise: what decided, not what else
// was said.
func firstElsewhere(t *trajectories.Trajectory, c runner.Config) elsewhere {
	for _, d := range runner.Replay(t, c) {
		if d.What != "rulings" || d.Recorded == d.Replayed {
			continue
		}
		words := strings.Fields(d.Replayed)
		return elsewhere{d.Step, strings.TrimSuffix(strings.Join(words[:min(len(words), 3)], " "), ";")}
	}
	return elsewhere{}
}

// replay prints how path's rulings compare, and reports whether any differs.
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
		fmt.Fprintln(a.out, redact.VisibleJSON(string(line)))
	case len(diffs) == 0:
		fmt.Fprintf(a.out, "%s: %d steps, every ruling reproduced\n", tty.Safe(path), len(t.Steps))
	case other:
		d := diffs[0]
		fmt.Fprintf(a.out, "%s: this config differs first at step %d (%s): recorded %s; now %s\n",
			tty.Safe(path), d.Step, d.What, tty.Safe(d.Recorded), tty.Safe(d.Replayed))
	default:
		for _, d := range diffs {
			fmt.Fprintf(a.out, "%s: step %d (%s): recorded %s; replayed %s\n", tty.Safe(path), d.Step,
				d.What, tty.Safe(d.Recorded), tty.Safe(d.Replayed))
		}
	}
	return len(diffs) > 0, nil
}
