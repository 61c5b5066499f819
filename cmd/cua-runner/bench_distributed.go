package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cua"
)

// engines are those that --engine knows. The engine NAME is the program cua-runner-NAME, built from the Go
// module engine/NAME: so its SDK is no dependency of this one.
var engines = []string{"temporal"}

// engineFlags say who plays the cells of a study.
type engineFlags struct {
	name    string
	address string
	cells   []string
}

func (f *engineFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.name, "engine", "",
		"have the cells played by the workers of an `engine`, temporal, which find --out under the same "+
			"path (see docs/temporal.md)")
	fl.StringVar(&f.address, "address", "", "`host:port` of the engine's server")
	fl.StringArrayVar(&f.cells, "cell", nil,
		"with --resume: play only the `cell` that is called so, as --merge names those that are missing "+
			"(repeatable)")
	complete(cmd, "engine", func() []string { return engines })
}

// byWorkers are the flags of what the engine's workers decide.
var byWorkers = []string{"serve", "workers", "episode-mb", "shard", "cell", "cdp-url", "cdp-command"}

// settle reports flags that do not go together.
func (f *engineFlags) settle(cmd *cobra.Command, resume string) error {
	switch {
	case f.name == "" && f.address != "":
		return usage("--address is for --engine")
	case len(f.cells) > 0 && resume == "":
		return usage("--cell is for a study that was begun: --resume STUDY --cell CELL")
	case f.name == "":
		return nil
	case !slices.Contains(engines, f.name):
		return usage("--engine: no engine %q; known: %s", f.name, strings.Join(engines, ", "))
	}
	for _, name := range byWorkers {
		if cmd.Flags().Changed(name) {
			return usage("--%s does not go with --engine: its workers play the cells", name)
		}
	}
	_, err := f.program()
	return err
}

// program is the engine's.
func (f *engineFlags) program() (string, error) {
	name := "cua-runner-" + f.name
	if self, err := os.Executable(); err == nil {
		if beside, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", usage("--engine: the program %s is neither beside this one nor on PATH; in a clone of "+
			"the repository, make %s builds it: %w", name, f.name, err)
	}
	return path, nil
}

// collect has the cells of s played by the engine, and adds their results to it.
func (f *engineFlags) collect(ctx context.Context, a *app, s *benchmarks.Study,
	display *progress, spent *study.Budget) error {
	program, err := f.program()
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return err
	}
	if err := a.closeBrowsers(); err != nil { // it was there to be named in the plan
		return err
	}
	show := func(p study.Progress) {
		display.show(p)
		if p.Last != nil {
			spent.Add(cua.Usage{InputTokens: p.Last.Tokens, USD: p.Last.USD})
		}
	}
	return study.Collect(ctx, s, study.Options{Progress: show}, func(ctx context.Context) error {
		cmd := exec.CommandContext(ctx, program, "play", "--address", f.address, dir)
		cmd.Stdout, cmd.Stderr = a.err, a.err
		// A terminal's Ctrl-C reaches it from here alone.
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = engineGrace
		err := cmd.Run()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w; go on with: cua-runner bench --resume %s%s", program, err, s.Dir,
				f.goesOn())
		}
		return nil
	})
}

// engineGrace is how long an engine may take to stop: workers seal the journals of what they play.
const engineGrace = 2 * time.Minute

// only are the cells that --cell names; nil is all. They are played as the study says: by this build and
// browser.
func (f *engineFlags) only(s *benchmarks.Study, chromium *browser.Browser) ([]benchmarks.Cell, error) {
	if len(f.cells) == 0 {
		return nil, nil
	}
	s.Plan.Host = host()
	here := s.Plan
	here.Browser, here.Build = browserInfo(chromium), build()
	if name := study.Differs(s.Plan, here); name != "" {
		return nil, usage("--cell: this machine differs from the one on which the study began in %s: %+v is "+
			"expected, and this is %+v", name, []any{s.Plan.Browser, s.Plan.Build},
			[]any{here.Browser, here.Build})
	}
	cells, err := s.Plan.Cells()
	if err != nil {
		return nil, err
	}
	var out []benchmarks.Cell
	for _, name := range f.cells {
		i := slices.IndexFunc(cells, func(c benchmarks.Cell) bool { return c.Episode(1) == name })
		if i < 0 {
			return nil, usage("--cell: the study has no cell %s", name)
		}
		out = append(out, cells[i])
	}
	return out, nil
}

// lacks says what an engine cannot play; nil is nothing.
func (f *engineFlags) lacks(p benchmarks.Plan) error {
	switch {
	case f.name == "":
		return nil
	case p.Shard != nil:
		return usage("--engine plays whole studies, and this one is a shard")
	}
	return nil
}

// goesOn is what a command that goes on with the study has to say of its engine.
func (f *engineFlags) goesOn() string {
	if f.name == "" {
		return ""
	}
	out := " --engine " + f.name
	if f.address != "" {
		out += " --address " + f.address
	}
	return out
}

// shardFlags are the flags of a study that several processes play.
type shardFlags struct {
	shard   string
	merge   bool
	partial bool
}

func (f *shardFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.shard, "shard", "",
		"play part `I/N` of the study's cells, 1 <= I <= N, into --out, and go on where that was stopped; auto or "+
			"auto/N takes I from SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX")
	fl.BoolVar(&f.merge, "merge", false, "make the shards in the folders that are named one study in --out")
	fl.BoolVar(&f.partial, "partial", false, "with --merge: go on without the cells that are missing")
}

// parsed is the shard that is meant, nil for a whole study. Getenv reads the environment.
func (f *shardFlags) parsed(getenv func(string) string) (*benchmarks.Shard, error) {
	if f.shard == "" {
		return nil, nil
	}
	which, of, ok := strings.Cut(f.shard, "/")
	first := 1
	if which == "auto" {
		which, of, first = scheduled(getenv, of)
	} else if !ok {
		of = ""
	}
	i, err := strconv.Atoi(which)
	n, err2 := strconv.Atoi(of)
	if err := errors.Join(err, err2); err != nil {
		return nil, usage("--shard %s: I/N is expected, or auto in an array of Slurm, or auto/N in an "+
			"Indexed Job", f.shard)
	}
	s := &benchmarks.Shard{Index: i - first + 1, Of: n}
	if err := s.Validate(); err != nil {
		return nil, usage("--shard %s: %w", f.shard, err)
	}
	return s, nil
}

// scheduled are what a scheduler calls this process, of how many, and what it calls the first.
func scheduled(getenv func(string) string, of string) (which, all string, first int) {
	if id := getenv("SLURM_ARRAY_TASK_ID"); id != "" {
		first, _ = strconv.Atoi(getenv("SLURM_ARRAY_TASK_MIN")) // none: arrays begin with 0
		return id, cmp.Or(of, getenv("SLURM_ARRAY_TASK_COUNT")), first
	}
	return getenv("JOB_COMPLETION_INDEX"), of, 0
}

// goesOnInPlace makes a shard that was begun, or a study of an engine, one that is gone on with, if it is of
// the study that the flags say: schedulers give the same command again.
func (f *benchFlags) goesOnInPlace(plan *benchmarks.Plan) error {
	var err error
	if plan.Shard, err = f.sharding.parsed(os.Getenv); err != nil || f.resume != "" {
		return err
	}
	switch {
	case plan.Shard == nil && (f.engine.name == "" || f.out == ""):
		return nil
	case f.out == "":
		return usage("--shard needs --out with the folder of this shard")
	}
	old, err := benchmarks.Open(f.out)
	if errors.Is(err, os.ErrNotExist) || f.overwrite {
		return nil
	}
	if err != nil {
		return usage("--out: %w", err)
	}
	was, err := old.Plan.Cells()
	now, err2 := plan.Cells()
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if !slices.Equal(was, now) || !sameArms(old.Plan, *plan) {
		return usage("--out %s holds another study, or a shard of one: choose another folder, or --overwrite",
			f.out)
	}
	f.resume = f.out
	return nil
}

// sameArms says whether two plans have equal arms, faults and brains.
func sameArms(a, b benchmarks.Plan) bool {
	parts := func(p benchmarks.Plan) string { // as a plan is kept: by value
		b, _ := json.Marshal([]any{p.Arms, p.Faults, p.Brain.Name, p.Brain.Director})
		return string(b)
	}
	return parts(a) == parts(b)
}

// mergeShards makes one study of the shards in dirs, and reports it.
func (a *app) mergeShards(f *benchFlags, dirs []string) error {
	if f.out == "" {
		return usage("--merge needs --out with the folder of the study that is made")
	}
	for i, d := range dirs {
		dirs[i] = filepath.Clean(d)
	}
	s, missing, err := study.Merge(f.out, dirs, f.sharding.partial)
	for _, c := range missing {
		fmt.Fprintln(a.err, "cua-runner: missing: "+c.Episode(1))
	}
	var lacks *study.MissingError
	switch {
	case errors.As(err, &lacks):
		return &exitError{exitFailed, fmt.Errorf("%w; play its shard again, or --partial", err)}
	case err != nil:
		return usage("--merge: %w", err)
	}
	fmt.Fprintf(a.err, "cua-runner: %d shards are one study in %s; caps of cost and tokens held for each "+
		"shard\n", len(dirs), s.Dir)
	return a.report(s, reportForm(f.json), "", false, true)
}
