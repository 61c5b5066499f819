package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/invariants"
)

// resultsCheck is what the results of a study are held against, listed beside the invariants of journals.
var resultsCheck = invariants.Invariant{Name: "result", Source: "benchmarks: a study",
	Help: "of a study: each line of results.jsonl says of its episode what the journal says: whose it is, " +
		"reward, end, successes, steps, tokens, cost, time"}

// heldStudy is a study whose journals are checked.
type heldStudy struct {
	*benchmarks.Study
	by   map[string][]benchmarks.Result // by episode: one each, but where somebody changed it
	held map[string]bool                // the episodes whose journal was read
}

// studyOf is the study that the run folder dir belongs to; nil where it is none, or cannot be read, which is
// told once.
func (c *checking) studyOf(dir string) *heldStudy {
	runs := filepath.Dir(dir)
	root := filepath.Dir(runs)
	if s, known := c.studies[root]; known {
		return s
	}
	c.studies[root] = nil
	if info, err := os.Stat(filepath.Join(root, "study.json")); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	study, err := benchmarks.Open(root)
	if err == nil && filepath.Dir(study.EpisodeDir("x")) != runs {
		return nil
	}
	if err != nil {
		c.bad = true
		c.list.fault(err)
		return nil
	}
	s := &heldStudy{study, map[string][]benchmarks.Result{}, map[string]bool{}}
	for _, r := range study.Results {
		s.by[r.Episode] = append(s.by[r.Episode], r)
	}
	c.studies[root] = s
	return s
}

// result holds what a study says of the journal at path against the journal.
func (c *checking) result(path string, t *trajectories.Trajectory) error {
	if !c.results {
		return nil
	}
	s := c.studyOf(t.Dir)
	if s == nil {
		return nil
	}
	episode := filepath.Base(t.Dir)
	s.held[episode] = true
	for _, r := range s.by[episode] { // none: an attempt beside the one that counts
		if err := c.agree(s, r, path, t); err != nil {
			return err
		}
	}
	return nil
}

// withoutJournal are the results of the studies that args name whose journal was not there to be read.
func (c *checking) withoutJournal(args []string) error {
	for _, root := range slices.Sorted(maps.Keys(c.studies)) {
		s := c.studies[root]
		if s == nil || !slices.ContainsFunc(args, func(arg string) bool {
			return above(arg,
				filepath.Dir(s.EpisodeDir("x")))
		}) {
			continue
		}
		for _, r := range s.Results {
			path := s.EpisodeDir(r.Episode)
			if _, err := os.Stat(filepath.Join(path, trajectories.JournalName)); err == nil ||
				s.held[r.Episode] || !c.ofArm(r.Arm) {
				continue
			}
			if err := c.agree(s, r, path, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// above says whether dir is at or below what arg names.
func above(arg, dir string) bool {
	paths := []string{arg}
	if matches, err := filepath.Glob(arg); err == nil && len(matches) > 0 {
		paths = matches
	}
	return slices.ContainsFunc(paths, func(p string) bool {
		rel, err := filepath.Rel(p, dir)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	})
}

// agree tells in which fields r is not what t comes to; nil is no journal.
func (c *checking) agree(s *heldStudy, r benchmarks.Result, path string, t *trajectories.Trajectory) error {
	differs, err := study.Disagreements(s.Study, r, t)
	if err != nil {
		return err
	}
	c.sum.Results++
	if len(differs) > 0 {
		c.sum.Differing++
	}
	for _, d := range differs {
		if err := c.list.add(checked{Run: path, Arm: r.Arm,
			Violation: invariants.Violation{Invariant: resultsCheck.Name, Detail: d.String()}}); err != nil {
			return err
		}
	}
	return nil
}
