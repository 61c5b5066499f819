package main

import (
	"cmp"
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
	"github.com/cua-runner/cua-runner/benchmarks/study"
)

// whatIsPlayed are the flags that a study's plan is made of: one that is gone on with has it already.
var whatIsPlayed = []string{"suite", "task", "arms", "brain", "director", "fault", "each-fault", "seeds",
	"repeats", "lessons", "profile", "subset", "cap", "selftest", "config", "arm", "set", "ablate", "only",
	"shadow", "out", "overwrite"}

// goesOn says that --resume was given beside a flag that it would not heed.
func (f *benchFlags) goesOn(cmd *cobra.Command) error {
	if f.resume == "" {
		if f.retryErrors {
			return usage("--retry-errors is for a study that has results: --resume STUDY --retry-errors")
		}
		if f.overwrite && f.out == "" {
			return usage("--overwrite replaces the study in --out, which is not given")
		}
		return nil
	}
	var given []string
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		if slices.Contains(whatIsPlayed, fl.Name) {
			given = append(given, "--"+fl.Name)
		}
	})
	if len(given) > 0 {
		return usage("--resume: the study has its plan in itself, which %s cannot change",
			strings.Join(given, ", "))
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
	err := taken(f.out, f.overwrite)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// taken is the usage error of a study that cannot be put into dir because of what is there, with what can be
// done about it; nil where it can, which includes a study that nobody plays and that is to be replaced.
func taken(dir string, replace bool) error {
	const elsewhere = "choose another --out, or remove the folder if nothing in it is to be kept"
	s, err := benchmarks.Open(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := study.Unbegun(dir); err != nil {
			return usage("--out: %w: %s", err, elsewhere)
		}
		return nil
	case err != nil:
		const bad = "%s holds a study that cannot be read, and is neither gone on with nor replaced: %s: %w"
		return usage(bad, dir, elsewhere, err)
	}
	if err := study.Free(dir); err != nil {
		return playedBy(err, dir)
	}
	if replace {
		return nil
	}
	if err := cmp.Or(s.Unchanged(), s.Plan.Validate()); err != nil {
		return usage("%s holds a study that cannot be gone on with; --overwrite replaces it: %w", dir, err)
	}
	if missing, err := s.Missing(); err == nil && len(missing) == 0 {
		return usage("%s holds a finished study: cua-runner report %s shows it, --overwrite replaces it", dir,
			dir)
	}
	return usage("%s holds a study already: --resume %s goes on with it, --overwrite replaces it", dir, dir)
}

// playedBy is the usage error of a study in dir that another process plays, and infra of any other error; nil
// stays nil.
func playedBy(err error, dir string) error {
	var by *study.HeldError
	if !errors.As(err, &by) {
		return infra(err)
	}
	const live = "%s is being played by %s: wait until that has ended, or end it; --out takes another folder"
	return usage(live, dir, by.By)
}

// create makes the study's folder.
func (f *benchFlags) create(p benchmarks.Plan) (*benchmarks.Study, error) {
	if f.out == "" {
		for n := 1; ; n++ {
			s, err := study.Create(filepath.Join("studies", fmt.Sprintf("bench-%d", n)), p)
			if err == nil || !errors.Is(err, fs.ErrExist) {
				return s, infra(err)
			}
		}
	}
	if f.overwrite {
		s, err := study.Replace(f.out, p)
		return s, playedBy(err, f.out)
	}
	s, err := study.Create(f.out, p)
	if errors.Is(err, fs.ErrExist) { // since place looked
		return nil, cmp.Or(taken(f.out, false), infra(err))
	}
	return s, infra(err)
}
