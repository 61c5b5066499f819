package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// UICubeTasks is the name of UI-CUBE's list of tasks.
const UICubeTasks = "deterministic_bench.json"

// pasting is the application whose tasks are left out: half of them need files and programs outside of the
// browser.
const pasting = "copy-paste-tasks"

// uiCubeCap is how many steps the benchmark's own harness gives an episode.
const uiCubeCap = 50

// passed is what a page of UI-CUBE says in a hidden element while its own test holds. The test runs a few
// times a second.
const passed = `document.documentElement.outerHTML.includes('>code#1<')`

// tested is there once the application of a task has been loaded and its test has run: one that it does not
// have shows a list of tasks.
const tested = `/>code#[01]</.test(document.documentElement.outerHTML)`

// ReadUICube is a build of UI-CUBE in dist with the tasks of the file; "" is UICubeTasks in dist or beside
// it. As in its own harness a task is judged once the agent has stopped. The second value are the tasks that
// are left out.
func ReadUICube(dist, tasks string) (*Manifest, []string, error) {
	site, err := OpenSite(dist)
	if err != nil {
		return nil, nil, err
	}
	places := []string{tasks}
	if tasks == "" {
		places = []string{filepath.Join(site.Dir, UICubeTasks), filepath.Join(filepath.Dir(site.Dir),
			UICubeTasks)}
	}
	for _, file := range places {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) && tasks == "" {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("manifest: reading the tasks: %w", err)
		}
		list, skipped, err := uiCube(file, text)
		if err != nil {
			return nil, nil, err
		}
		m := &Manifest{Version: Version, Site: site, Tasks: list}
		return m, skipped, m.Validate()
	}
	return nil, nil, fmt.Errorf("manifest: there is no %s in %s or beside it: say with --tasks where it is",
		UICubeTasks, dist)
}

// uiCube reads the list. The error is of type Faults.
func uiCube(file string, text []byte) (out []Task, skipped []string, _ error) {
	r := &reader{file: file, text: text}
	n := r.document()
	if n == nil {
		return nil, nil, r.faults
	}
	seen := map[string]string{}
	for _, n := range r.list(n) {
		f := r.fields(n)
		name, goal := f.text("id", true), f.text("ques", true)
		app, number, ok := strings.Cut(name, "--")
		id := strings.ReplaceAll(name, "--", "-")
		switch {
		case name == "" || goal == "":
			continue
		case !ok || !idForm.MatchString(id):
			r.fault(n.line, n.path+"/id", "%q is not of the form APPLICATION--NUMBER", name)
		case seen[id] != "":
			r.fault(n.line, n.path+"/id", "%q is the id of %s too", name, seen[id])
		case app == pasting:
			skipped = append(skipped,
				name+": half of the copy-paste tasks need programs outside of the browser")
		default:
			out = append(out, Task{ID: id, Goal: goal, URL: "/" + app + "/" + number + "?mode=test",
				Cap: uiCubeCap, Tags: []string{app}, Ready: tested,
				Success: Success{Predicate: passed, AtEnd: true}})
		}
		seen[id] = n.path
	}
	if len(out) == 0 && len(r.faults) == 0 {
		r.fault(0, "", "there is no task to play in it")
	}
	if len(r.faults) > 0 {
		return nil, nil, r.faults
	}
	return out, skipped, nil
}
