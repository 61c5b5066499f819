package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
)

func TestShardOfTheFlagAndTheScheduler(t *testing.T) {
	slurm := map[string]string{"SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_MIN": "4",
		"SLURM_ARRAY_TASK_COUNT": "4"}
	job := map[string]string{"JOB_COMPLETION_INDEX": "0"}
	for _, row := range []struct {
		name, flag string
		env        map[string]string
		want       benchmarks.Shard // the zero value is a usage error
	}{
		{"by hand", "2/4", nil, benchmarks.Shard{Index: 2, Of: 4}},
		{"an array", "auto", slurm, benchmarks.Shard{Index: 2, Of: 4}},
		{"an Indexed Job", "auto/3", job, benchmarks.Shard{Index: 1, Of: 3}},
		{"an Indexed Job without a number", "auto", job, benchmarks.Shard{}},
		{"no scheduler", "auto/3", nil, benchmarks.Shard{}},
		{"beyond", "5/4", nil, benchmarks.Shard{}}, {"no number", "2", nil, benchmarks.Shard{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := shardFlags{shard: row.flag}
			got, err := f.parsed(func(name string) string { return row.env[name] })
			if (err != nil) != (row.want == benchmarks.Shard{}) || err == nil && *got != row.want {
				t.Errorf("%+v %v, want %+v", got, err, row.want)
			}
		})
	}
}

func TestMergeUsage(t *testing.T) {
	for name, args := range map[string][]string{
		"folders without --merge": {"bench", "a"}, "--merge without folders": {"bench", "--merge"},
		"--merge without --out": {"bench", "--merge", "a"}, "--shard without --out": {"bench", "--shard", "1/2"},
		"a folder that is none": {"bench", "--merge", t.TempDir() + "/a", "--out", t.TempDir() + "/b"},
	} {
		if code, _, stderr := command(t, args...); code != exitUsage {
			t.Errorf("%s: %d %s", name, code, stderr)
		}
	}
}

func TestEngineUsage(t *testing.T) {
	with := t.TempDir()
	program := filepath.Join(with, "cua-runner-temporal")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, path, args, says string
	}{
		{"an engine that nobody knows", with, "--engine slurm", "known: temporal"},
		{"no program", t.TempDir(), "--engine temporal", "make temporal builds it"},
		{"an address without an engine", with, "--address a:1", "--address is for --engine"},
		{"how many workers there are", with, "--engine temporal --workers 4", "--workers does not go with --engine"},
		{"a shard", with, "--engine temporal --shard 1/2 --out x", "--shard does not go with --engine"},
		{"a cell of no study", with, "--cell login@default.1-1", "--resume STUDY --cell CELL"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Setenv("PATH", row.path)
			code, _, stderr := command(t, append([]string{"bench"}, strings.Fields(row.args)...)...)
			if code != exitUsage || !strings.Contains(stderr, row.says) {
				t.Errorf("%d %s", code, stderr)
			}
		})
	}
}
