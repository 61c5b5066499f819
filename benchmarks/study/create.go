package study

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Create makes the folder of a new study and writes its plan. A folder that holds a study already, or
// episodes of one, is an error that wraps fs.ErrExist. The plan names every task, so that a program with more
// of them continues with the same cells.
func Create(dir string, p benchmarks.Plan) (*benchmarks.Study, error) {
	p.Version = benchmarks.PlanVersion
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if len(p.Tasks) == 0 {
		tasks, err := p.Played()
		if err != nil {
			return nil, err
		}
		for _, t := range tasks {
			p.Tasks = append(p.Tasks, t.Name)
		}
	}
	text, err := sealed(&p)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, benchmarks.RunsName), 0o700); err != nil {
		return nil, fmt.Errorf("study: making the study's folder: %w", err)
	}
	if err := Unbegun(dir); err != nil {
		return nil, fmt.Errorf("study: starting a study: %w", err)
	}
	o := trajectories.FileOptions{Mode: 0o600, Sync: true, New: true}
	if err := trajectories.WriteBytes(filepath.Join(dir, benchmarks.PlanName), o, append(text,
		'\n')); err != nil {
		return nil, fmt.Errorf("study: starting a study: %w", err)
	}
	return benchmarks.Open(dir)
}

// Unbegun is an error that wraps fs.ErrExist where dir holds results or episodes of a study, whatever became
// of its study.json, or files of something else: a study has a folder of its own, which --overwrite removes.
func Unbegun(dir string) error {
	_, err := os.Stat(filepath.Join(dir, benchmarks.ResultsName))
	runs, _ := os.ReadDir(filepath.Join(dir, benchmarks.RunsName)) // none: no episodes
	if err == nil || len(runs) > 0 {
		return fmt.Errorf("%w: %s holds the episodes of a study, but no study.json to go on with",
			fs.ErrExist, dir)
	}
	entries, _ := os.ReadDir(dir) // none: it is made
	for _, e := range entries {
		own := []string{benchmarks.RunsName, benchmarks.PlanName, benchmarks.PlayerName}
		if name := e.Name(); !slices.Contains(own, name) && !strings.HasPrefix(name, ".new-") {
			return fmt.Errorf("%w: %s holds %s, which is no part of a study", fs.ErrExist, dir, name)
		}
	}
	return nil
}

// sealIt notes in the plan what it is now, and comes to the text of study.json.
func sealed(p *benchmarks.Plan) ([]byte, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("study: writing the plan: %w", err)
	}
	if p.Seal, err = benchmarks.Seal(text); err != nil {
		return nil, err
	}
	if text, err = json.MarshalIndent(p, "", "  "); err != nil {
		return nil, fmt.Errorf("study: writing the plan: %w", err)
	}
	return text, nil
}
