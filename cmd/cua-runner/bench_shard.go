package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
)

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
