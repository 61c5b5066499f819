package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/runner"
)

// forkFlags say which study is forked.
type forkFlags struct {
	study string
	arms  bool // --arms is given
}

func (f *forkFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.study, "fork", "",
		"play on from the checkpoint before the first intervention of each episode of the study in `folder`, in "+
			"each of its arms and in off, or in --arms")
	completeFolder(cmd, "fork")
}

// ofFork are the flags of what is played that --fork takes: arms and their configuration, and the place.
var ofFork = []string{"arms", "config", "arm", "set", "ablate", "only", "shadow", "out", "overwrite",
	"shard", "fork"}

// settle reports flags that --fork would not heed.
func (f *forkFlags) settle(cmd *cobra.Command) error {
	if f.study == "" {
		return nil
	}
	f.arms = cmd.Flags().Changed("arms")
	var given []string
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		at := slices.Index(ofFork, fl.Name)
		config := at >= 0 && at < slices.Index(ofFork, "out")
		other := slices.Contains(whatIsPlayed, fl.Name) && at < 0
		if other || config && !f.arms || slices.Contains(broughtFlags, fl.Name) {
			given = append(given, "--"+fl.Name)
		}
	})
	if len(given) > 0 {
		return usage("--fork: tasks, brain and arms are those of the study; %s cannot change them, but for "+
			"flags of a configuration beside --arms", strings.Join(given, ", "))
	}
	return nil
}

// broughtFlags name tasks that the user brings, and a study that is gone on with.
var broughtFlags = []string{"resume", "miniwob", "manifest", "webgames", "componentbench", "uicube", "tasks",
	"libraries"}

// forked is the plan of the forks of a study; flags is what the flags ask for.
func (f *benchFlags) forked(o *opener, flags benchmarks.Plan) (benchmarks.Plan, error) {
	old, err := benchmarks.Open(f.forks.study)
	if err != nil {
		return flags, usage("--fork: %w", err)
	}
	if err := old.Unchanged(); err != nil {
		return flags, usage("--fork: %w", err)
	}
	brain := old.Plan.Brain
	if err := o.trusts([]string{brain.Name, brain.Director}); err != nil {
		return flags, err
	}
	p := old.Plan
	p.Version, p.Seal, p.Shard = benchmarks.PlanVersion, "", nil
	if p.Arms, err = f.forkArms(old.Plan.Arms, flags.Arms); err != nil {
		return p, err
	}
	if p.Base = f.base; p.Base == "" {
		p.Base = benchmarks.BaseOf(p.Arms)
	}
	if p.Forks, err = study.ForksOf(old); err != nil {
		return p, usage("--fork: %w", err)
	}
	named := func(x benchmarks.ForkPoint) bool {
		return !slices.ContainsFunc(p.Arms, func(a benchmarks.Arm) bool { return a.Name == x.Arm })
	}
	p.Forks.Points = slices.DeleteFunc(p.Forks.Points, named)
	p.Forks.Excluded = slices.DeleteFunc(p.Forks.Excluded,
		func(x benchmarks.ForkExcluded) bool { return named(x.ForkPoint) })
	if len(p.Forks.Points) == 0 {
		return p, usage("--fork: no episode of %s can be forked: %d had no intervention, and %d "+
			"interventions cannot be returned to", f.forks.study, p.Forks.Untouched, len(p.Forks.Excluded))
	}
	if err := p.Validate(); err != nil {
		return p, usage("--fork: %w", err)
	}
	return p, nil
}

// forkArms are the arms of the study and off, or those of --arms: as the study has them where it does.
func (f *benchFlags) forkArms(old, asked []benchmarks.Arm) ([]benchmarks.Arm, error) {
	find := func(list []benchmarks.Arm, name string) int {
		return slices.IndexFunc(list, func(a benchmarks.Arm) bool { return a.Name == name })
	}
	if !f.forks.arms {
		if find(old, benchmarks.BareArm) >= 0 {
			return old, nil
		}
		bare, err := runner.DefaultConfig().Arm(benchmarks.BareArm)
		return append(slices.Clone(old), benchmarks.Arm{Name: benchmarks.BareArm, Config: bare}), err
	}
	out := slices.Clone(asked)
	for i := range out {
		if at := find(old, out[i].Name); at >= 0 {
			out[i] = old[at]
		}
	}
	return out, nil
}
