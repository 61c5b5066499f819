package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cua-runner/cua-runner/benchmarks"
)

// whatIsPlayed are the flags that a study's plan is made of: one that is gone on with has it already.
var whatIsPlayed = []string{"suite", "task", "arms", "brain", "director", "fault", "each-fault", "seeds", "repeats", "lessons",
	"profile", "subset", "cap", "selftest", "config", "arm", "set", "ablate", "only", "shadow", "out", "overwrite"}

// goesOn says that --resume was given beside a flag that it would not heed.
func (f *benchFlags) goesOn(cmd *cobra.Command) error {
	if f.resume == "" {
		return nil
	}
	var given []string
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		if slices.Contains(whatIsPlayed, fl.Name) {
			given = append(given, "--"+fl.Name)
		}
	})
	if len(given) > 0 {
		return usage("--resume: the study has its plan in itself, which %s cannot change", strings.Join(given, ", "))
	}
	return nil
}

// place says what is wrong with --out before anything is begun.
func (f *benchFlags) place() error {
	if f.out == "" {
		return nil
	}
	for at := filepath.Clean(f.out); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil && at != filepath.Dir(at) {
			continue // it is made, below the first folder that is there
		}
		if err == nil && !info.IsDir() {
			return usage("--out: a study is a folder, and %s is none", at)
		}
		break
	}
	switch _, err := benchmarks.Open(f.out); {
	case errors.Is(err, fs.ErrNotExist) || err == nil && f.overwrite:
		return nil
	case err != nil && f.overwrite:
		return usage("--overwrite replaces a study that can be read, which this one cannot; if it is none to keep, remove %s: %w", f.out, err)
	}
	return usage("%s holds a study already: --resume %s goes on with it, --overwrite replaces it", f.out, f.out)
}

// create makes the study's folder.
func (f *benchFlags) create(p benchmarks.Plan) (*benchmarks.Study, error) {
	if f.out == "" {
		for n := 1; ; n++ {
			s, err := benchmarks.Create(filepath.Join("studies", fmt.Sprintf("bench-%d", n)), p)
			if err == nil || !errors.Is(err, fs.ErrExist) {
				return s, infra(err)
			}
		}
	}
	if f.overwrite {
		if _, err := benchmarks.Open(f.out); err == nil {
			if err := os.RemoveAll(f.out); err != nil {
				return nil, infra(err)
			}
		}
	}
	s, err := benchmarks.Create(f.out, p)
	if errors.Is(err, fs.ErrExist) {
		return nil, usage("%s holds a study already: --resume %s goes on with it, --overwrite replaces it", f.out, f.out)
	}
	return s, infra(err)
}
