package benchmarks

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/trajectories"
)

// Names inside a study's folder.
const (
	planName    = "study.json"
	resultsName = "results.jsonl"
	runsName    = "runs"
)

// Study is a plan and the results it has so far, in a folder of its own.
type Study struct {
	Dir  string
	Plan Plan
	// Results are in the order in which they were committed. Each cell is in it at most once.
	Results []Result
	// Torn says that results.jsonl ended in half a line, which counts for nothing: its cell is
	// played again.
	Torn bool

	sum     [sha256.Size]byte // of study.json as it was read or written
	good    int64             // length of what can be read of results.jsonl
	changed bool              // Plan has other arms, another brain or other faults than when the study began
}

// Create makes the folder of a new study and writes its plan. A folder that holds a study already, or
// episodes of one, is an error that wraps fs.ErrExist. The plan names every task, so that a program with more
// of them goes on with the same cells.
func Create(dir string, p Plan) (*Study, error) {
	p.Version = planVersion
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if len(p.Tasks) == 0 {
		tasks, err := p.tasks()
		if err != nil {
			return nil, err
		}
		for _, t := range tasks {
			p.Tasks = append(p.Tasks, t.Name)
		}
	}
	text, err := p.sealIt()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, runsName), 0o755); err != nil {
		return nil, fmt.Errorf("benchmarks: making the study's folder: %w", err)
	}
	if err := Unbegun(dir); err != nil {
		return nil, fmt.Errorf("benchmarks: starting a study: %w", err)
	}
	text = append(text, '\n')
	s := &Study{Dir: dir, Plan: p, sum: sha256.Sum256(text)}
	o := trajectories.FileOptions{Mode: 0o644, Sync: true, New: true}
	if err := trajectories.WriteBytes(s.path(planName), o, text); err != nil {
		return nil, fmt.Errorf("benchmarks: starting a study: %w", err)
	}
	return s, nil
}

// Unbegun is an error that wraps fs.ErrExist where dir holds results or episodes of a study, whatever became
// of its study.json, or files of something else: a study has a folder of its own, which --overwrite removes.
func Unbegun(dir string) error {
	_, err := os.Stat(filepath.Join(dir, resultsName))
	runs, _ := os.ReadDir(filepath.Join(dir, runsName)) // none: no episodes
	if err == nil || len(runs) > 0 {
		return fmt.Errorf("%w: %s holds the episodes of a study, but no study.json to go on with",
			fs.ErrExist, dir)
	}
	entries, _ := os.ReadDir(dir) // none: it is made
	for _, e := range entries {
		own := []string{runsName, planName, playerName}
		if name := e.Name(); !slices.Contains(own, name) && !strings.HasPrefix(name, ".new-") {
			return fmt.Errorf("%w: %s holds %s, which is no part of a study", fs.ErrExist, dir, name)
		}
	}
	return nil
}

// Open reads a study, also one of an older program. Play goes on with it where this program can play its
// arms.
func Open(dir string) (*Study, error) {
	text, err := os.ReadFile(filepath.Join(dir, planName))
	if err != nil {
		return nil, fmt.Errorf("benchmarks: opening a study: %w", err)
	}
	s := &Study{Dir: dir, sum: sha256.Sum256(text)}
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&s.Plan); err != nil {
		at := dec.InputOffset()
		if bad := (*json.SyntaxError)(nil); errors.As(err, &bad) {
			at = bad.Offset
		} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			at = int64(len(text))
		}
		return nil, fmt.Errorf("benchmarks: reading %s: byte %d: %w", filepath.Join(dir, planName), at, err)
	}
	if err := s.Plan.readable(); err != nil {
		return nil, fmt.Errorf("benchmarks: reading %s: %w", filepath.Join(dir, planName), err)
	}
	if s.Plan.Seal != "" {
		now, err := seal(text)
		if err != nil {
			return nil, err
		}
		s.changed = now != s.Plan.Seal
	}
	return s, s.readResults()
}

// readResults reads the committed cells.
func (s *Study) readResults() error {
	text, err := os.ReadFile(s.path(resultsName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("benchmarks: reading results: %w", err)
	}
	if err := s.parseResults(text); err != nil {
		return fmt.Errorf("benchmarks: reading %s: %w", s.path(resultsName), err)
	}
	return nil
}

// parseResults takes in the lines of results.jsonl. A torn last line is left out; any other bad
// line is an error, and so is a cell that the plan does not have, or a second time.
func (s *Study) parseResults(text []byte) error {
	cells, err := s.Plan.Cells()
	if err != nil {
		return err
	}
	known := map[Cell]bool{}
	for _, c := range cells {
		known[c] = true
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line[len(line)-1] != '\n' {
			s.Torn = true
			return nil
		}
		var r Result
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("line %d (byte %d): %w", n, s.good, err)
		}
		if !known[r.Cell] {
			return fmt.Errorf("line %d (byte %d): %q in arm %q with seed %d and fault %q is no cell of the "+
				"plan, or is there twice", n, s.good, r.Task, r.Arm, r.Seed, r.Fault)
		}
		if !r.coherent() {
			return fmt.Errorf("line %d (byte %d): strict %v and solved %v cannot be of a reward of %v and "+
				"the end %q", n, s.good, r.Success, r.Lenient, r.Reward, r.End)
		}
		known[r.Cell] = false
		s.good += int64(len(line))
		s.Results = append(s.Results, r)
	}
	return nil
}

// Missing are the cells without a result, in their order.
func (s *Study) Missing() ([]Cell, error) {
	cells, err := s.Plan.Cells()
	if err != nil {
		return nil, err
	}
	have := map[Cell]bool{}
	for _, r := range s.Results {
		have[r.Cell] = true
	}
	var out []Cell
	for _, c := range cells {
		if !have[c] {
			out = append(out, c)
		}
	}
	return out, nil
}

// Against makes base the arm that others are compared with, in the reports of s; the folder stays as it
// is. An arm that the study does not have is an error.
func (s *Study) Against(base string) error {
	p := s.Plan
	p.Base = base
	if err := p.readable(); err != nil {
		return err
	}
	s.Plan = p
	return nil
}

func (s *Study) path(name string) string { return filepath.Join(s.Dir, name) }

// writeFile makes a file appear whole or not at all.
func (s *Study) writeFile(name string, write func(io.Writer) error) error {
	err := trajectories.WriteFile(s.path(name), trajectories.FileOptions{Mode: 0o644}, write)
	if err != nil {
		return fmt.Errorf("benchmarks: writing %s: %w", s.path(name), err)
	}
	return nil
}

// EpisodeDir is the run folder of an episode of the study.
func (s *Study) EpisodeDir(episode string) string { return filepath.Join(s.Dir, runsName, episode) }

// attempted is what earlier attempts at a cell left: how many there were, and how many of them an
// infrastructure fault ended, something else or nothing did (interrupted), and of these nothing (died); and
// how many were set aside for the death of a shared browser and for an overload of the machine.
type attempted struct{ n, faulted, interrupted, died, deaths, overloads int }

func (s *Study) attempts(c Cell) attempted {
	var a attempted
	for {
		dir := s.EpisodeDir(c.episode(a.n + 1))
		if _, err := os.Stat(dir); err != nil {
			return a
		}
		a.n++
		why := asideOf(dir)
		t, err := trajectories.Read(dir)
		switch {
		case why == AsideSharedDeath:
			a.deaths++
		case why == AsideOverload:
			a.overloads++
		case err != nil || t.End == nil:
			a.interrupted++
			a.died++
		case t.End.Reason.Infrastructure():
			a.faulted++
		default:
			a.interrupted++
		}
	}
}
