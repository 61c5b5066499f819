package benchmarks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

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

	good    int64 // length of what can be read of results.jsonl
	changed bool  // Plan has other arms, another brain or other faults than when the study began
}

// Create makes the folder of a new study and writes its plan. A folder that holds a study
// already is an error that wraps fs.ErrExist. The plan names every task, so that a program with more of them goes on
// with the same cells.
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
	f, err := os.OpenFile(filepath.Join(dir, planName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("benchmarks: starting a study: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	if err = cmp.Or(err, f.Sync(), f.Close()); err != nil {
		os.Remove(f.Name())
		return nil, fmt.Errorf("benchmarks: writing the plan: %w", err)
	}
	return &Study{Dir: dir, Plan: p}, nil
}

// Open reads a study, also one of an older program. Play goes on with it where this program can play its arms.
func Open(dir string) (*Study, error) {
	text, err := os.ReadFile(filepath.Join(dir, planName))
	if err != nil {
		return nil, fmt.Errorf("benchmarks: opening a study: %w", err)
	}
	s := &Study{Dir: dir}
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
			return fmt.Errorf("line %d (byte %d): %q in arm %q with seed %d and fault %q is no cell of the plan, or is there twice", n, s.good, r.Task, r.Arm, r.Seed, r.Fault)
		}
		if !r.coherent() {
			return fmt.Errorf("line %d (byte %d): strict %v and solved %v cannot be of a reward of %v and the end %q", n, s.good, r.Success, r.Lenient, r.Reward, r.End)
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
	f, err := os.CreateTemp(s.Dir, "."+name+"-*")
	if err != nil {
		return fmt.Errorf("benchmarks: writing %s: %w", s.path(name), err)
	}
	defer os.Remove(f.Name())
	if err = cmp.Or(write(f), f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), s.path(name))
	}
	if err != nil {
		return fmt.Errorf("benchmarks: writing %s: %w", s.path(name), err)
	}
	return nil
}

// EpisodeDir is the run folder of an episode of the study.
func (s *Study) EpisodeDir(episode string) string { return filepath.Join(s.Dir, runsName, episode) }

// attempted is what earlier attempts at a cell left: how many there were, and how many of them an infrastructure fault
// ended, something else or nothing did (interrupted), and of these nothing (died).
type attempted struct{ n, faulted, interrupted, died int }

func (s *Study) attempts(c Cell) attempted {
	var a attempted
	for {
		dir := s.EpisodeDir(c.episode(a.n + 1))
		if _, err := os.Stat(dir); err != nil {
			return a
		}
		a.n++
		t, err := trajectories.Read(dir)
		switch {
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

// ledger is results.jsonl, open for appending and locked: one process plays a study at a time.
type ledger struct{ f *os.File }

// errBusy says that another process plays the study.
var errBusy = errors.New("another process is playing this study")

// lock opens the results for appending and reads them again: another process may have added
// to them. A torn tail is cut off.
func (s *Study) lock() (*ledger, error) {
	f, err := os.OpenFile(s.path(resultsName), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("benchmarks: opening results: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errBusy
		}
		return nil, fmt.Errorf("benchmarks: locking %s: %w", f.Name(), err)
	}
	s.Results, s.Torn, s.good = nil, false, 0
	if err := s.readResults(); err != nil {
		f.Close()
		return nil, err
	}
	if err := f.Truncate(s.good); err != nil {
		f.Close()
		return nil, fmt.Errorf("benchmarks: cutting a torn line off %s: %w", f.Name(), err)
	}
	s.Torn = false
	return &ledger{f}, nil
}

// commit appends one result and syncs it. A short write is taken back.
func (s *Study) commit(l *ledger, r Result) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("benchmarks: writing a result: %w", err)
	}
	line = append(line, '\n')
	if _, err := l.f.Write(line); err != nil {
		if back := l.f.Truncate(s.good); back != nil {
			return fmt.Errorf("benchmarks: writing a result: %w; taking it back: %w", err, back)
		}
		return fmt.Errorf("benchmarks: writing a result: %w", err)
	}
	if err := l.f.Sync(); err != nil {
		return fmt.Errorf("benchmarks: writing a result: %w", err)
	}
	s.good += int64(len(line))
	s.Results = append(s.Results, r)
	return nil
}
