package main

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/runner"
)

// benchFlags are those of bench.
type benchFlags struct {
	config    configFlags
	browser   browserFlags
	model     brainFlags
	miniwob   miniwobFlags
	tasklist  tasklistFlags
	suites    []string
	tasks     []string
	arms      []string
	base      string
	brain     string
	director  string
	faults    []string
	eachFault []string
	seeds     int
	repeats   int
	workers   int
	memory    int
	maxTime   time.Duration
	out       string
	resume    string
	lessons   string
	overwrite bool
	json      bool

	retryErrors bool
	sharding    shardFlags
	serve       shower
	forks       forkFlags
	engine      engineFlags
}

func newBench(a *app) *cobra.Command {
	f := &benchFlags{}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Run the embedded benchmark: suites × seeds × arms, in real Chromium",
		Long: `Run the embedded suites with the built-in brain. No key and no network is needed: the pages are
served from this program on loopback, and what a task earned is read from the server's state.
A study is a folder: study.json, results.jsonl, one episode folder per cell, report.html. Ctrl-C
leaves a study that --resume continues with; a finished cell is never run again, but for those that an infrastructure
fault ended, with --retry-errors. A cell whose browser ended while other cells used it, or that ran on a machine too
busy, is played again alone before it counts.

With --each-fault every cell is played by one brain a fault, which has that fault beside those of --fault; "none" is a
brain without one. Faults whose names begin with net_ are those of the network (see cua-runner brains): the proxy of
each cell plays them on what the browser asks for, by the cell's seed and the number of the request. With --fault words=none (kept, wrong, negated) all of these brains say nothing of what they think (name
the true target, name another control, say that they must not press the true target). With --arms each there is an arm for every mechanism that is on: the default without it.

With --fork an episode of a recorded study is played on from the checkpoint before its first intervention, once in each
arm: the report has what each reason code was worth, as a paired difference from one state.

A scripted brain with faults shows what the mechanisms do, not what they are worth to a model.`,
		Example: `  cua-runner bench
  cua-runner bench --suite traps,controls,forms --fault click_fixation=1 --seeds 5 --arms default,classic,nudge,off
  cua-runner bench --suite traps,forms,controls --each-fault click_fixation=1,return_submitter=1,off_target=1,toggler=1,repeat_last=1,early_done=1 \
    --fault nudge_obedience=0 --fault words=none --arms default,classic,nudge,off --base classic --seeds 20
  cua-runner bench --arms each --fault click_fixation=1
  cua-runner bench --suite controls --brain oracle --arms default --ablate nudge
  cua-runner bench --suite stuck,healthy --brain player --arms detectors,default --seeds 20
  cua-runner bench --manifest tasks.json --arms default
  cua-runner bench --resume studies/bench-1
  cua-runner bench --seeds 20 --serve
  cua-runner bench --cdp-url http://127.0.0.1:9222 --unprotected-egress
  cua-runner bench --fork studies/bench-1 --arms default,off --out studies/forks
  cua-runner bench --seeds 20 --shard 2/4 --out shard-2
  cua-runner bench --seeds 20 --engine temporal --address 10.0.0.5:7233 --out /shared/studies/1
  cua-runner bench --merge shard-1 shard-2 shard-3 shard-4 --out studies/whole`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 != f.sharding.merge {
				return usage("bench takes folders with --merge, and no arguments without it")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.sharding.merge {
				return a.mergeShards(f, args)
			}
			if err := f.settle(cmd); err != nil {
				return err
			}
			return a.bench(cmd.Context(), f)
		},
	}
	f.add(cmd)
	f.serve.add(cmd, "the study's episodes, which can only be watched,")
	f.forks.add(cmd)
	f.engine.add(cmd)
	return cmd
}

// settle makes of the flags what they mean together.
func (f *benchFlags) settle(cmd *cobra.Command) error {
	err := cmp.Or(f.goesOn(cmd), f.forks.settle(cmd), f.engine.settle(cmd, f.resume), f.remote())
	if err != nil {
		return err
	}
	if err := f.miniwob.settle(cmd, f); err != nil {
		return err
	}
	return f.tasklist.settle(cmd, f)
}

// add puts the flags on the command.
func (f *benchFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringSliceVar(&f.suites, "suite", tuned.DefaultSuites(), "suites to run (see cua-runner suites)")
	fl.StringSliceVar(&f.tasks, "task", nil, "only these tasks of the suites")
	f.arms = []string{"default", "off"}
	addArms(fl, &f.arms, "arms", "arms to compare: "+strings.Join(runner.ArmNames(),
		", ")+", -MECHANISM, or each: default and -MECHANISM for all that are on")
	fl.StringVar(&f.base, "base", "",
		"`arm` that the others are compared with on the same cells (default off where it is among them, "+
			"else default with each, else the last)")
	fl.StringVar(&f.brain, "brain", "heuristic",
		"who decides (see cua-runner brains), or oracle: each task's own script, or player: that of a "+
			"detector's case")
	fl.StringVar(&f.director, "director", "",
		"a stronger `brain` that decides when a run is stuck, at most once in three steps")
	fl.StringArrayVar(&f.faults, "fault", nil,
		"give the brain a fault, as click_fixation=0.5 or off_target=1@20, or words=none, or the network one, "+
			"as net_503=0.1 or net_latency=0.5@800 (repeatable; see cua-runner brains)")
	fl.StringSliceVar(&f.eachFault, "each-fault", nil,
		"play every cell once for each of these `faults`, one at a time beside those of --fault "+
			"(comma-separated; none: without)")
	fl.IntVar(&f.seeds, "seeds", 2, "seeds 1 to N of each task, the same in every arm")
	fl.IntVar(&f.repeats, "repeats", 1,
		"play each task so often under each seed, with another chance of the brain each time (pass@k and "+
			"pass^k)")
	fl.IntVar(&f.workers, "workers", 2,
		"most episodes that run side by side; more than the machine has cores\n"+
			"only while they do not slow each other down")
	fl.IntVar(&f.memory, "episode-mb", episodeMB,
		"start an episode beside others only while so many `megabytes` of memory are available,\n"+
			"or twice what the open ones take each, once that is measured (0: always)")
	fl.DurationVar(&f.maxTime, "max-time", 0,
		"stop the study after this `time`, as 90m; --resume continues with it (0: no limit)")
	fl.StringVar(&f.out, "out", "", "`folder` of the study (default studies/bench-N)")
	fl.StringVar(&f.resume, "resume", "", "go on with the study in `folder`; its plan is taken from there")
	fl.StringVar(&f.lessons, "lessons", "",
		"`file` of lessons that every episode is given (default none; a study keeps them, and writes none)")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace the study in --out that no process plays")
	fl.BoolVar(&f.retryErrors, "retry-errors", false,
		"with --resume, also of a finished study: play the cells again that an infrastructure fault ended")
	fl.BoolVar(&f.json, "json", false,
		"print one JSON line for each cell instead of a progress display, and the report as JSON")
	f.sharding.add(fl)
	f.miniwob.add(cmd)
	f.tasklist.add(cmd)
	f.config.add(cmd)
	f.browser.add(cmd)
	f.model.add(cmd, "the whole study")
	f.model.addRecorded(cmd)
	complete(cmd, "suite", suiteNames)
	complete(cmd, "task", func() []string { return taskNames(f.suites) })
	complete(cmd, "arms", func() []string { return append(runner.ArmNames(), eachArm) })
	complete(cmd, "base", runner.ArmNames)
	complete(cmd, "brain", brainNames)
	complete(cmd, "director", brainNames)
	all := func() []string { return append(faultNames(), netFaultNames()...) }
	complete(cmd, "fault", all)
	complete(cmd, "each-fault", func() []string { return slices.Insert(all(), 0, benchmarks.NoFault) })
	completeFolder(cmd, "out", "resume", "miniwob")
}

// maxSeeds and maxWorkers keep a slip of the hand from taking all memory: a study of so many seeds has
// hundreds of thousands of cells, and so many workers are more than one machine has browsers for.
const (
	maxSeeds   = 10_000
	maxWorkers = 1_000
)

// bounds reports numbers that no study can have.
func (f *benchFlags) bounds() error {
	if f.workers < 1 || f.seeds < 1 || f.repeats < 1 {
		return usage("--workers, --seeds and --repeats must be 1 or more")
	}
	if f.workers > maxWorkers || f.seeds > maxSeeds {
		return usage("--workers may be %d and --seeds %d at most", maxWorkers, maxSeeds)
	}
	if f.memory < 0 || f.maxTime < 0 {
		return usage("--episode-mb and --max-time must be 0 or more")
	}
	return nil
}

func (a *app) bench(ctx context.Context, f *benchFlags) error {
	if err := f.bounds(); err != nil {
		return err
	}
	o, err := f.model.opener(a, os.Getenv)
	if err != nil {
		return err
	}
	o.options.Confirm = f.model.unattended(o.options.Confirm)
	plan, s, err := f.planned(a, o)
	if err != nil {
		return err
	}
	if err := cmp.Or(playable(o, plan), f.engine.lacks(plan)); err != nil {
		return err
	}
	switch {
	case s == nil:
		err = f.place()
	default:
		err = playedBy(study.Free(s.Dir), s.Dir)
	}
	if err != nil {
		return err
	}
	if err := a.listed(ctx, plan.Tasklist); err != nil {
		return err
	}
	f.browser.language, f.browser.scale = language(plan), plan.Scale()
	if f.browser.maxMB > 0 {
		f.browser.maxMB += uint(episodeMB * (f.workers - 1))
	}
	chromium, err := (&keeper{app: a, flags: f.browser}).alive(ctx)
	if err != nil {
		return err
	}
	defer a.closeBrowsers()
	if s == nil {
		plan.Browser, plan.Build, plan.Host, plan.Started = browserInfo(chromium), build(), host(), time.Now()
		if s, err = f.create(plan); err != nil {
			return err
		}
	}
	if err := a.playStudy(ctx, f, o, s, chromium); err != nil {
		return err
	}
	if len(f.engine.cells) == 0 { // a report of some cells is none of the study
		err = a.report(s, reportForm(f.json), "", false, true)
	}
	if err != nil {
		return err
	}
	if f.miniwob.selftest {
		return a.passed(s)
	}
	return playedAny(s)
}

// planned is what is to be played: by the flags, or what the study of --resume says, which comes with it.
func (f *benchFlags) planned(a *app, o *opener) (plan benchmarks.Plan, old *benchmarks.Study, err error) {
	if plan, err = f.plan(o); err != nil {
		return plan, nil, err
	}
	if f.forks.study != "" {
		if plan, err = f.forked(o, plan); err != nil {
			return plan, nil, err
		}
	}
	if err := f.goesOnInPlace(&plan); err != nil {
		return plan, nil, err
	}
	if f.lessons != "" {
		if plan.Lessons, err = (&lessonFlags{file: f.lessons}).read(a, nil); err != nil {
			return plan, nil, err
		}
	}
	if f.resume == "" {
		return plan, nil, nil
	}
	if old, err = benchmarks.Open(f.resume); err != nil {
		return plan, nil, usage("--resume: %w", err)
	}
	if err := cmp.Or(old.Unchanged(), old.Plan.Validate()); err != nil {
		return plan, nil, usage("--resume: %w", err)
	}
	if err := against(old, f.base); err != nil {
		return plan, nil, err
	}
	if err := f.miniwob.moved(old.Plan.MiniWoB, plan.MiniWoB); err != nil {
		return plan, nil, err
	}
	recorded := old.Plan.Brain
	return old.Plan, old, o.trusts([]string{recorded.Name, recorded.Director}, plan.Brain.Name,
		plan.Brain.Director)
}

func reportForm(asJSON bool) string {
	if asJSON {
		return "json"
	}
	return "table"
}

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
	if err == nil {
		err = old.Unchanged()
	}
	if err != nil {
		return flags, usage("--fork: %w", err)
	}
	brain := old.Plan.Brain
	if err := o.trusts([]string{brain.Name, brain.Director}); err != nil {
		return flags, err
	}
	if !f.forks.arms {
		flags.Arms = nil
	}
	p, err := study.PlanForks(old, flags.Arms, f.base)
	if err != nil {
		return p, usage("--fork: %w", err)
	}
	return p, nil
}
