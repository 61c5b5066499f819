package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// openBrain opens the brain of spec with the faults name=rate, and says what headers carry of
// it. Scripts are those of an embedded task; nil is none.
func openBrain(spec string, faults []string, seed int64, of scripts) (runner.Brain, trajectories.BrainInfo, error) {
	rates := brain.Faults{Seed: seed}
	for _, f := range faults {
		r, err := brain.ParseFault(f)
		if err != nil {
			return nil, trajectories.BrainInfo{}, usage("--fault: %w", err)
		}
		rates.Rates = append(rates.Rates, r)
	}
	if script, ok := of[spec]; ok {
		return withFaults(brain.Scripted{Script: script}, spec, rates)
	}
	b, err := brain.Open(spec, brain.Options{Steps: journalSteps})
	if err != nil {
		return nil, trajectories.BrainInfo{}, usage("--brain: %w", err)
	}
	return withFaults(b, spec, rates)
}

// The brains that play what each embedded task brings along; bench only.
const (
	oracleBrain = "oracle" // the script that solves it
	playerBrain = "player" // its script as a case of the detectors, elsewhere the oracle
)

// scripts are those of one task by the brain that plays them.
type scripts map[string][]cua.Scripted

// noScripts knows the brains and not yet the task.
var noScripts = scripts{oracleBrain: nil, playerBrain: nil}

// reopenBrain is the brain that a header describes.
func reopenBrain(info trajectories.BrainInfo) (runner.Brain, error) {
	var rates brain.Faults
	if len(info.Settings) > 0 {
		if err := json.Unmarshal(info.Settings, &rates); err != nil {
			return nil, usage("reading the brain's settings: %w", err)
		}
	}
	b, err := brain.Open(info.Name, brain.Options{Steps: journalSteps})
	if err != nil {
		return nil, usage("%w", err)
	}
	wrapped, _, err := withFaults(b, info.Name, rates)
	if err != nil {
		return nil, err
	}
	return withDirector(wrapped, info.Director)
}

// withDirector gives b the director of spec; "" is none.
func withDirector(b runner.Brain, spec string) (runner.Brain, error) {
	if spec == "" {
		return b, nil
	}
	d, err := brain.Open(spec, brain.Options{Steps: journalSteps})
	if err != nil {
		return nil, usage("--director: %w", err)
	}
	return brain.Directed{Brain: b, Director: d, Name: spec}, nil
}

// withFaults wraps b where there are faults.
func withFaults(b brain.Brain, name string, f brain.Faults) (runner.Brain, trajectories.BrainInfo, error) {
	info := trajectories.BrainInfo{Name: name}
	if len(f.Rates) == 0 {
		return b, info, nil
	}
	settings, err := json.Marshal(f)
	if err != nil {
		return nil, info, err
	}
	info.Settings = settings
	faulty, err := brain.WithFaults(b, f)
	if err != nil {
		return nil, info, usage("--fault: %w", err)
	}
	return faulty, info, nil
}

func journalSteps(run string) ([]cua.Step, error) {
	t, err := trajectories.Read(run)
	if err != nil {
		return nil, err
	}
	return t.Steps, nil
}

func brainNames() []string {
	var out []string
	for _, b := range brain.List() {
		out = append(out, strings.SplitAfter(b.Spec, ":")[0])
	}
	return out
}

func faultNames() []string {
	var out []string
	for _, f := range brain.FaultList() {
		out = append(out, f.Name+"=")
	}
	return out
}

func newBrains(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "brains",
		Short:   "List the brains and their faults, and what key each needs",
		Example: "  cua-runner brains\n  cua-runner run URL --goal TEXT --brain scripted:steps.jsonl --fault click_fixation=0.5 --fault off_target=1@20",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return printJSON(a, struct {
					Brains []brain.Info      `json:"brains"`
					Faults []brain.FaultHelp `json:"faults"`
				}{brain.List(), brain.FaultList()})
			}
			for _, b := range brain.List() {
				fmt.Fprintf(a.out, "%-16s key: %-6s %s\n", b.Spec, b.Key, b.Help)
			}
			fmt.Fprintln(a.out, "\nfaults (--fault NAME=RATE, 0 to 1; PX in CSS pixels, and @PX may be left out; of several, the first that can strike")
			fmt.Fprintln(a.out, "is the only one of its step; a brain with faults shows mechanisms, not benefits for a model):")
			for _, f := range brain.FaultList() {
				help := f.Help
				if f.Px > 0 {
					help += fmt.Sprintf(" (default %g px)", f.Px)
				}
				fmt.Fprintf(a.out, "%-21s %s\n", f.Syntax(), help)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
