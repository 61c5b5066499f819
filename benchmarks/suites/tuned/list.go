// Package tuned has the embedded suites whose pages rules were written against, or whose cases they must
// keep.
package tuned

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
)

// Pages are the templates of the embedded suites.
//
//go:embed pages
var Pages embed.FS

// Suites lists the embedded suites in the order in which they are documented.
func Suites() []suites.Suite {
	return []suites.Suite{
		{Name: "forms", About: "forms to be filled and sent: labels, validation, lists, days, steps, suggestions, placeholders only, frames, shadow trees, cells, editors", Tasks: formTasks()},
		{Name: "traps", About: "pages on which agents loop: dead buttons, fields reached only by Tab, layers, error pages, wrong turns, pages that cannot be solved", Tasks: trapTasks()},
		{Name: "controls", About: "pages where repeating is right: nothing should intervene", Tasks: controlTasks()},
		{Name: "irreversible", About: "acts that cannot be taken back: a wrong one ends the episode, the right one done twice earns half", Tasks: irreversibleTasks()},
		{Name: "stuck", About: "nine ways of being stuck, each with a player that is: a signal is due by step 8, a hard one by step 12", Named: true, Tasks: stuckTasks()},
		{Name: "healthy", About: "ten ways of repeating that are right, each with a player: no signal, ever", Named: true, Tasks: healthyTasks()},
		{Name: "harm", About: "pages on which a replacement can do harm, each with a player that gets stuck there: dialogs, refused buttons, purchases, layers, polls, logins, errors beside a form", Named: true, Tasks: harmTasks()},
	}
}

// DefaultSuites are the names of the suites that are run where none is asked for.
func DefaultSuites() []string {
	var out []string
	for _, s := range Suites() {
		if !s.Named {
			out = append(out, s.Name)
		}
	}
	return out
}

// FindSuites is the named suites in the order of the names, each once. An unknown name is an
// error that lists the known ones.
func FindSuites(names ...string) ([]suites.Suite, error) {
	all := Suites()
	var out []suites.Suite
	for _, name := range names {
		i := slices.IndexFunc(all, func(s suites.Suite) bool { return s.Name == name })
		if i < 0 {
			var known []string
			for _, s := range all {
				known = append(known, s.Name)
			}
			return nil, fmt.Errorf("suites: unknown suite %q; known: %s", name, strings.Join(known, ", "))
		}
		if !slices.ContainsFunc(out, func(s suites.Suite) bool { return s.Name == name }) {
			out = append(out, all[i])
		}
	}
	return out, nil
}

// FindTask is the task of that name. An unknown name is an error that lists the known ones.
func FindTask(name string) (suites.Task, error) {
	var known []string
	for _, s := range Suites() {
		for _, t := range s.Tasks {
			if t.Name == name {
				return t, nil
			}
			known = append(known, t.Name)
		}
	}
	return suites.Task{}, fmt.Errorf("suites: unknown task %q; known: %s", name, strings.Join(known, ", "))
}
