package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/lessons"
)

// lessonFlags are those of commands that run an episode.
type lessonFlags struct {
	file  string
	learn bool
}

func (f *lessonFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "lessons", "",
		"`file` of lessons from earlier runs (default "+lessons.FileName+" here, where there is one)")
	cmd.Flags().BoolVar(&f.learn, "learn", false,
		"write down what this run teaches, for the runs to come, in the file of lessons")
}

// path is the file that is meant.
func (f *lessonFlags) path() string {
	if f.file == "" {
		return lessons.FileName
	}
	return f.file
}

// read reads the lessons for an episode. Entries that cannot be used are told, and so are those that hold one
// of the episode's secrets; the rest serves. No file is no lessons, unless one was named and is only to be
// read.
func (f *lessonFlags) read(a *app, secrets map[string]string) ([]cua.Lesson, error) {
	file, err := lessons.Read(f.path())
	switch {
	case errors.Is(err, fs.ErrNotExist) && (f.file == "" || f.learn):
		return nil, nil
	case err != nil:
		return nil, usage("--lessons: %w", err)
	}
	for _, fault := range file.Faults() {
		fmt.Fprintf(a.err, "cua-runner: %s: %s (passed over, left as it is)\n", f.path(),
			tty.Safe(fault.Error()))
	}
	var out []cua.Lesson
	for _, l := range file.Lessons() {
		if err := trajectories.HoldsSecret(l.Text, secrets); err != nil {
			fmt.Fprintf(a.err, "cua-runner: %s: line %d: %s (passed over, left as it is)\n", f.path(),
				file.Line(l.ID), tty.Safe(err.Error()))
			continue
		}
		out = append(out, l)
	}
	return out, nil
}

// capture writes down what the episode in dir taught, where that is asked for.
func (f *lessonFlags) capture(a *app, dir string, secrets map[string]string) error {
	if !f.learn {
		return nil
	}
	t, err := trajectories.Read(dir)
	if err != nil {
		return err
	}
	cfg, err := runner.Recorded(t.Header)
	if err != nil {
		return err
	}
	learned, err := a.keep(f.path(), runner.Learned(t, cfg), secrets)
	incidents := runner.Incidents(t, runner.DefaultConfig())
	err = errors.Join(err, lessons.Record(dir, learned, incidents, time.Now()))
	for _, l := range learned {
		fmt.Fprintf(a.err, "lesson captured: %s (%s in %s)\n", l.Text, l.ID, f.path())
	}
	return err
}

// offered are the commands that keep what a person said while t was made, each with the site and the kind
// of action that it was about.
func offered(t *trajectories.Trajectory) []string {
	h := t.History()
	var out []string
	last := ""
	for i, s := range t.Steps {
		for _, n := range s.Notes {
			said, ok := strings.CutPrefix(n.Text, cua.PersonSays)
			origin := cua.Origin(h.Before(i).URL)
			if n.From != cua.Person || !ok || origin == "" {
				continue
			}
			line := "cua-runner lessons add '" + strings.ReplaceAll(said, "'", `'\''`) + "' --origin " + origin
			if last != "" {
				line += " --action " + last
			}
			out = append(out, line+" --run "+t.Dir)
		}
		if s.Acting() && s.RewoundTo == 0 {
			last = string(s.Action.Kind)
		}
	}
	return out
}

// offer prints them for the run in dir.
func (a *app) offer(dir string) {
	t, err := trajectories.Read(dir)
	if err != nil {
		return // it is told of by whoever reads the run next
	}
	for _, line := range offered(t) {
		fmt.Fprintf(a.err, "to keep it for later runs: %s\n", tty.Safe(line))
	}
}

// taught captures after an episode whose run returned err and that end is told of by ended, which stays the
// answer where there is one.
func (a *app) taught(f *lessonFlags, dir string, secrets map[string]string, ended, err error) error {
	if err != nil {
		return ended
	}
	if a.person != nil {
		a.offer(dir)
	}
	if err := f.capture(a, dir, secrets); err != nil && ended == nil {
		return infra(err)
	} else if err != nil {
		fmt.Fprintf(a.err, "cua-runner: %s\n", tty.Safe(err.Error()))
	}
	return ended
}

// keep adds lessons to the file at path and returns those that are new there. One that holds a secret is left
// out.
func (a *app) keep(path string, taught []cua.Lesson, secrets map[string]string) (added []cua.Lesson,
	err error) {
	if len(taught) == 0 {
		return nil, nil
	}
	err = lessons.Update(path, func(file *lessons.File) error {
		added = nil
		for _, l := range taught {
			if trajectories.HoldsSecret(l.Text, secrets) != nil {
				continue
			}
			isNew, err := file.Add(l)
			if err != nil {
				return err
			}
			if isNew {
				added = append(added, l)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

// environmentSecrets are all secrets that the environment holds, by name.
func environmentSecrets(environ []string) map[string]string {
	out := map[string]string{}
	for _, v := range environ {
		if name, value, ok := strings.Cut(v, "="); ok && strings.HasPrefix(name, "CUA_SECRET_") {
			out[strings.TrimPrefix(name, "CUA_SECRET_")] = value
		}
	}
	return out
}

// lessonRuns reads the runs at and below paths, a study's too.
func lessonRuns(paths []string) ([]*trajectories.Trajectory, error) {
	var bad error
	var out []*trajectories.Trajectory
	for _, p := range paths {
		for _, dir := range journals(p, func(err error) { bad = errors.Join(bad, err) }) {
			t, err := trajectories.Read(dir)
			if bad = errors.Join(bad, err); err == nil {
				out = append(out, t)
			}
		}
	}
	if bad != nil {
		return nil, usage("%w", bad)
	}
	return out, nil
}
