package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/formctl"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// isRun reports whether the folder is a run's: it holds a journal.
func isRun(path string) bool {
	info, err := os.Stat(filepath.Join(path, trajectories.JournalName))
	return err == nil && info.Mode().IsRegular()
}

// holdsRuns reports whether path is a folder that is no run itself and has runs below it.
func holdsRuns(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() && !isRun(path) && len(runsBelow(path, func(error) {})) > 0
}

// runsAt reads the runs at and below paths. Runs that cannot be read are reported and counted; it is an error
// if none can.
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
		fmt.Fprintf(a.err, "cua-runner: left out: %s\n", plainly(tty.Safe(err.Error())))
	}
	if len(ts) == 0 {
		return nil, len(faults), faults[0]
	}
	return ts, len(faults), nil
}

// journals are the runs at path: a journal, the folder of a run, or all runs below a folder; where nothing is
// there by that name, what it matches as a pattern. A path that is none of them is reported.
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

// episodeID matches what trajectories.NewID makes.
var episodeID = regexp.MustCompile(`^[0-9a-v]{26}$`)

// runNamed is the run that name stands for where no file has that name: "latest" is the newest below runs/,
// an episode's id the one below runs/ or studies/ with that id. Any other name is itself.
func runNamed(name string) string {
	if _, err := os.Stat(name); err == nil {
		return name
	}
	quiet := func(error) {}
	switch {
	case name == "latest":
		var newest time.Time
		for _, dir := range runsBelow("runs", quiet) {
			info, err := os.Stat(filepath.Join(dir, trajectories.JournalName))
			if err == nil && !info.ModTime().Before(newest) {
				name, newest = dir, info.ModTime()
			}
		}
	case episodeID.MatchString(name):
		for _, root := range []string{"runs", "studies"} {
			for _, dir := range runsBelow(root, quiet) {
				if h, err := trajectories.ReadHeader(dir); err == nil && h.ID == name {
					return dir
				}
			}
		}
	}
	return name
}

// maxTaskID bounds the name of a task in bytes: the run folder has the arm's name beside it.
const maxTaskID = 60

var noLetter = regexp.MustCompile(`[^a-z0-9.]+`)

// taskID names a task by the start page's host and path and by the goal in words. It holds no value that the
// goal gives for a password, and no secret.
func taskID(t cua.Task, secrets map[string]string) string {
	values := maps.Clone(secrets)
	if values == nil {
		values = map[string]string{}
	}
	words := secretRefs.ReplaceAllString(formctl.Plan(t, nil, values).Goal, " ")
	if u, err := url.Parse(cua.PublicURL(t.URL)); err == nil {
		words = u.Hostname() + " " + u.Path + " " + words
	}
	for _, v := range values {
		if v != "" {
			words = strings.ReplaceAll(words, v, " ")
		}
	}
	id := strings.Trim(noLetter.ReplaceAllString(strings.ToLower(words), "-"), "-.")
	return strings.TrimRight(id[:min(len(id), maxTaskID)], "-.")
}

// readRun reads a run folder or a journal; what cannot be read is bad input.
func readRun(path string) (*trajectories.Trajectory, error) {
	t, err := trajectories.Read(runNamed(path))
	if err != nil {
		return nil, usage("%w", err)
	}
	return t, nil
}
