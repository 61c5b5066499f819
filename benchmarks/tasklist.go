package benchmarks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks/manifest"
	"github.com/cua-runner/cua-runner/benchmarks/suites"
)

// Tasklist is a list of tasks that the user brings along. The study keeps all of it: only its pages are
// elsewhere.
type Tasklist struct {
	// Suite is one of manifest.Suites: the name of the suite and the first part of its tasks' names.
	Suite string `json:"suite"`
	// Source is where it was read from, for the reader.
	Source string `json:"source"`
	// Skipped are the ids of tasks that are not played, with why.
	Skipped  []string          `json:"skipped,omitzero"`
	Manifest manifest.Manifest `json:"manifest"`
}

// TaskName is the name of a task among those of other suites.
func (l *Tasklist) TaskName(id string) string { return l.Suite + "." + id }

func (l *Tasklist) suite() suites.Suite {
	s := suites.Suite{Name: l.Suite, About: "tasks of " + l.Source}
	for _, t := range l.Manifest.Tasks {
		s.Tasks = append(s.Tasks, suites.Task{Name: l.TaskName(t.ID), Suite: l.Suite, Solvable: true,
			MaxSteps: t.Steps()})
	}
	return s
}

// shownIDs is how many ids of tasks that are left out for one reason are printed; the others are counted.
// study.json has all.
const shownIDs = 5

// LeftOut has a line for each reason for which tasks are left out: how many, which, and why.
func (l *Tasklist) LeftOut() []string {
	var reasons []string
	ids := map[string][]string{}
	for _, s := range l.Skipped {
		id, why, _ := strings.Cut(s, ": ")
		if ids[why] == nil {
			reasons = append(reasons, why)
		}
		ids[why] = append(ids[why], id)
	}
	var out []string
	for _, why := range reasons {
		names := strings.Join(ids[why][:min(shownIDs, len(ids[why]))], ", ")
		if more := len(ids[why]) - shownIDs; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		out = append(out, fmt.Sprintf("%d of %d tasks of %s: %s: %s", len(ids[why]),
			len(l.Manifest.Tasks)+len(l.Skipped), l.Suite, names, why))
	}
	return out
}

// Check reports whether what the list is played on is there: the folder that the study began with, or an
// answer at the address of ComponentBench.
func (l *Tasklist) Check(ctx context.Context) error {
	switch {
	case l.Manifest.Site != nil:
		return l.Manifest.Site.Check()
	case l.Suite == manifest.ComponentBench && len(l.Manifest.Tasks) > 0:
		return manifest.Answers(ctx, l.Manifest.Tasks[0].URL)
	}
	return nil
}

// validateTasklist says what is wrong with the list beside the plan that has it.
func (p Plan) validateTasklist() error {
	if p.Tasklist == nil {
		return nil
	}
	l := p.Tasklist
	switch {
	case !slices.Contains(manifest.Suites(), l.Suite):
		return fmt.Errorf("benchmarks: plan: a list of tasks is none of %s but %q",
			strings.Join(manifest.Suites(), ", "), l.Suite)
	case !slices.Contains(p.Suites, l.Suite):
		return fmt.Errorf("benchmarks: plan: the suite %s is not among %s", l.Suite,
			strings.Join(p.Suites, ", "))
	}
	if err := l.Manifest.Readable(); err != nil {
		return fmt.Errorf("benchmarks: plan: %s: %w", l.Suite, err)
	}
	return nil
}
