package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// isRun says whether the folder is a run's: it holds a journal.
func isRun(path string) bool {
	info, err := os.Stat(filepath.Join(path, trajectories.JournalName))
	return err == nil && info.Mode().IsRegular()
}

// holdsRuns says whether path is a folder that is no run itself and has runs below it.
func holdsRuns(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() && !isRun(path) && len(runsBelow(path, func(error) {})) > 0
}

// runsAt reads the runs at and below paths. What cannot be read is told and counted; it is an error where
// nothing can.
func (a *app) runsAt(paths []string) (ts []*trajectories.Trajectory, broken int, err error) {
	var faults []error
	fault := func(err error) { faults = append(faults, err) }
	for _, p := range paths {
		for _, dir := range journals(p, fault) {
			t, err := readRun(dir)
			if err != nil {
				fault(err)
				continue
			}
			t.Incidents = runner.Incidents(t, runner.DefaultConfig())
			ts = append(ts, t)
		}
	}
	if len(ts) == 0 && len(faults) == 1 {
		return nil, 1, faults[0]
	}
	for _, err := range faults {
		fmt.Fprintf(a.err, "cua-runner: left out: %s\n", plainly(oneLine(err.Error())))
	}
	if len(ts) == 0 {
		return nil, len(faults), faults[0]
	}
	return ts, len(faults), nil
}

// journals are the runs at path: a journal, the folder of a run, or all runs below a folder; where nothing is
// there by that name, what it matches as a pattern. What is none of them is told.
func journals(path string, fault func(error)) []string {
	path = runNamed(path)
	paths := []string{path}
	if _, err := os.Stat(path); err != nil {
		matches, badPattern := filepath.Glob(path)
		if badPattern != nil || len(matches) == 0 {
			fault(usage("looking for runs: %w", err))
			return nil
		}
		paths = matches
	}
	var out []string
	for _, p := range paths {
		info, err := os.Stat(p)
		switch {
		case err != nil:
			fault(usage("looking for runs: %w", err))
		case !info.IsDir():
			out = append(out, p)
		default:
			below := runsBelow(p, fault)
			if len(below) == 0 {
				fault(usage("%s holds no run (a folder with a %s)", p, trajectories.JournalName))
			}
			out = append(out, below...)
		}
	}
	return out
}

// runsBelow are the folders of runs at and below dir, in the order of their names. Names with a leading dot
// are left out, and links to folders are not followed: they may lead round in a circle.
func runsBelow(dir string, fault func(error)) []string {
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			fault(usage("looking for runs: %w", err))
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir() && path != dir && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir():
			if isRun(path) {
				out = append(out, path)
				return fs.SkipDir
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.SkipDir) {
		fault(usage("looking for runs: %w", err))
	}
	return out
}
