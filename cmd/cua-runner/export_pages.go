package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cua-runner/cua-runner/trajectories"
)

// indexName is the page that lists the pages of many runs.
const indexName = "index.html"

// manyPages says whether runs are exported as a page each with a list of them: all but one run that is named
// itself, unless out is a folder.
func manyPages(paths []string, out string) bool {
	if info, err := os.Stat(out); len(paths) > 1 || out != "" && err == nil && info.IsDir() {
		return true
	}
	info, err := os.Stat(runNamed(paths[0]))
	return err != nil || info.IsDir() && !isRun(runNamed(paths[0]))
}

// exportPages writes a page for each run into the folder out, and one that lists them.
func (a *app) exportPages(ts []*trajectories.Trajectory, out string) error {
	if out == "" {
		return usage("--format html of many runs needs --out with the folder to write to")
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return usage("making the folder of --out: %w", err)
	}
	var rows []trajectories.IndexRow
	taken := map[string]bool{indexName: true}
	for _, t := range ts {
		name := pageName(t.Dir, taken)
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
