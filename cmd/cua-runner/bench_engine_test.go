package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
