package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// indexName is the page that lists the pages of many runs.
const indexName = "index.html"

// isRun says whether the folder is a run's.
func isRun(path string) bool {
	_, err := os.Stat(filepath.Join(path, trajectories.JournalName))
	return err == nil
}

// manyPages says whether runs are exported as a page each with a list of them: more than one run, a folder of
// runs, or a folder to write to.
func manyPages(paths []string, out string) bool {
	if len(paths) != 1 {
		return true
	}
	if info, err := os.Stat(out); out != "" && err == nil && info.IsDir() {
		return true
	}
	info, err := os.Stat(paths[0])
	return err == nil && info.IsDir() && !isRun(paths[0])
}

// runFolders are the runs that a path is or holds, in the order of their names.
func runFolders(path string) ([]string, error) {
	path = runNamed(path)
	if isRun(path) {
		return []string{path}, nil
	}
	var out []string
	err := filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && isRun(p) {
			out = append(out, p)
			return filepath.SkipDir
		}
		return err
	})
	switch {
	case err != nil:
		return nil, usage("reading %s: %w", path, err)
	case len(out) == 0:
		return nil, usage("%s holds no run (a folder with a %s)", path, trajectories.JournalName)
	}
	return out, nil
}

// exportPages writes a page for each run into a folder, and one that lists them. A run that cannot be read is
// named in a warning, and the exit code is 1; the others are written.
func (a *app) exportPages(paths []string, out string) error {
	if out == "" {
		return usage("--format html of many runs needs --out with the folder to write to")
	}
	var dirs []string
	for _, path := range paths {
		found, err := runFolders(path)
		if err != nil {
			return err
		}
		dirs = append(dirs, found...)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return usage("making the folder of --out: %w", err)
	}
	var rows []trajectories.IndexRow
	taken := map[string]bool{indexName: true}
	broken := 0
	for _, dir := range dirs {
		t, err := readRun(dir)
		if err != nil {
			broken++
			fmt.Fprintf(a.err, "cua-runner: warning: %v\n", err)
			continue
		}
		t.Incidents = runner.Incidents(t, runner.DefaultConfig())
		name := pageName(dir, taken)
		page := func(w io.Writer) error { return trajectories.WriteHTML(w, t) }
		if err := a.write(filepath.Join(out, name), page); err != nil {
			return err
		}
		rows = append(rows, trajectories.NewIndexRow(t, "./"+name))
	}
	list := filepath.Join(out, indexName)
	if err := a.write(list, func(w io.Writer) error { return trajectories.WriteIndex(w, rows) }); err != nil {
		return err
	}
	if broken > 0 {
		err := fmt.Errorf("%d of %d runs could not be read; %s lists the others", broken, len(dirs), list)
		return &exitError{exitFailed, err}
	}
	_, err := fmt.Fprintln(a.err, list)
	return err
}

// pageName is that of a run's page, and no other run's.
func pageName(dir string, taken map[string]bool) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	base := filepath.Base(abs)
	name := base + ".html"
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s-%d.html", base, n)
	}
	taken[name] = true
	return name
}
