package benchmarks

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Names inside a study's folder.
const (
	// PlanName is the file of the Plan.
	PlanName = "study.json"
	// ResultsName is the file of results, one a line.
	ResultsName = "results.jsonl"
	// RunsName is the folder with a run folder for each attempt at a cell.
	RunsName = "runs"
	// CellsName is the folder in which other machines play cells of the study (study.PrepareUnit). It is
	// removed once all cells have a result.
	CellsName = "cells"
	// PlayerName is the file whose lock says that a process plays the study. The process writes into it who
	// it is.
	PlayerName = "player.json"
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

	// Readable is the length of what can be read of results.jsonl, bytes.
	Readable int64

	sum     [sha256.Size]byte // of study.json as it was read
	changed bool              // Plan has other arms, another brain or other faults than when the study began
}

// Open reads a study, also one of an older program. Play continues with it where this program can play its
// arms.
func Open(dir string) (*Study, error) {
	text, err := os.ReadFile(filepath.Join(dir, PlanName))
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
		return nil, fmt.Errorf("benchmarks: reading %s: byte %d: %w", filepath.Join(dir, PlanName), at, err)
	}
	if err := s.Plan.readable(); err != nil {
		return nil, fmt.Errorf("benchmarks: reading %s: %w", filepath.Join(dir, PlanName), err)
	}
	if s.Plan.Seal != "" {
		now, err := Seal(text)
		if err != nil {
			return nil, err
		}
		s.changed = now != s.Plan.Seal
	}
	return s, s.readResults()
}

// readResults reads the committed cells.
func (s *Study) readResults() error {
	text, err := os.ReadFile(s.Path(ResultsName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("benchmarks: reading results: %w", err)
	}
	if err := s.parseResults(text); err != nil {
		return fmt.Errorf("benchmarks: reading %s: %w", s.Path(ResultsName), err)
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
			return fmt.Errorf("line %d (byte %d): %w", n, s.Readable, err)
		}
		if !known[r.Cell] {
			return fmt.Errorf("line %d (byte %d): %q in arm %q with seed %d and fault %q is no cell of the "+
				"plan, or is there twice", n, s.Readable, r.Task, r.Arm, r.Seed, r.Fault)
		}
		if r.Episode != "" && (r.Episode != filepath.Base(r.Episode) || r.Episode == "." ||
			!filepath.IsLocal(r.Episode)) {
			return fmt.Errorf("line %d (byte %d): the episode %q is no name of a folder", n, s.Readable,
				r.Episode)
		}
		if !r.coherent() {
			return fmt.Errorf("line %d (byte %d): strict %v and solved %v cannot be of a reward of %v and "+
				"the end %q", n, s.Readable, r.Success, r.Lenient, r.Reward, r.End)
		}
		known[r.Cell] = false
		s.Readable += int64(len(line))
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

// ID is equal for folders that hold the study as it was begun, byte for byte, and for no others.
func (s *Study) ID() string { return hex.EncodeToString(s.sum[:8]) }

// Path is that of a file in the study's folder.
func (s *Study) Path(name string) string { return filepath.Join(s.Dir, name) }

// EpisodeDir is the run folder of an episode of the study.
func (s *Study) EpisodeDir(episode string) string { return filepath.Join(s.Dir, RunsName, episode) }

// ErrReplaced says that a study is no longer the one that was opened.
var ErrReplaced = errors.New(
	"another process has begun another study in the folder since this one was opened; " +
		"nothing was played")

// Reread reads the results again, since another process may have added to them. It is an error where
// study.json is not what it was when s was opened.
func (s *Study) Reread() error {
	text, err := os.ReadFile(s.Path(PlanName))
	if err != nil {
		return fmt.Errorf("benchmarks: opening a study: %w", err)
	}
	if sha256.Sum256(text) != s.sum {
		return fmt.Errorf("benchmarks: %s: %w", s.Dir, ErrReplaced)
	}
	s.Results, s.Torn, s.Readable = nil, false, 0
	return s.readResults()
}
