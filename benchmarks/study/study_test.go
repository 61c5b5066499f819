package study

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/trajectories"
)

// failing is a file of results whose disk fails where it is told to.
type failing struct {
	*os.File
	room        int // bytes that still fit; -1 is no bound
	sync, trunc error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.room < 0 {
		return f.File.Write(p)
	}
	n, err := f.File.Write(p[:min(f.room, len(p))])
	return n, errors.Join(err, syscall.ENOSPC)
}

func (f *failing) Sync() error { return cmp.Or(f.sync, f.File.Sync()) }

func (f *failing) Truncate(n int64) error {
	if f.trunc != nil {
		return f.trunc
	}
	return f.File.Truncate(n)
}

// A result that could not be written leaves the results before it as they were, and its cell is played again.
func TestAFailedCommitIsTakenBack(t *testing.T) {
	for _, row := range []struct {
		name   string
		f      failing
		is     error
		broken bool // nothing more is written
	}{
		{"a full disk", failing{room: 0}, syscall.ENOSPC, false},
		{"a disk that is full after a part", failing{room: 9}, syscall.ENOSPC, false},
		{"a sync that fails", failing{room: -1, sync: syscall.EIO}, syscall.EIO, false},
		{"a line that cannot be taken back", failing{room: 9, trunc: syscall.EROFS}, syscall.EROFS, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := create(t, 1)
			cells, err := s.Plan.Cells()
			if err != nil {
				t.Fatal(err)
			}
			l, err := lock(s)
			if err != nil {
				t.Fatal(err)
			}
			if err := commit(s, l, benchmarks.Result{Cell: cells[0]}); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(s.Path(benchmarks.ResultsName))
			if err != nil {
				t.Fatal(err)
			}
			file, err := os.OpenFile(s.Path(benchmarks.ResultsName), os.O_RDWR|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			bad := row.f
			bad.File = file
			l.log = trajectories.NewLog(&bad, file.Name(), int64(len(before)))
			err = commit(s, l, benchmarks.Result{Cell: cells[1]})
			if !errors.Is(err, row.is) || strings.Contains(err.Error(), "\n") || len(s.Results) != 1 {
				t.Errorf("%v, %d results", err, len(s.Results))
			}
			bad = failing{File: file, room: -1} // there is room again
			if err := commit(s, l, benchmarks.Result{Cell: cells[2]}); (err != nil) != row.broken {
				t.Errorf("after it: %v", err)
			}
			l.close()
			again, err := benchmarks.Open(s.Dir)
			if err != nil || again.Torn != row.broken {
				t.Fatalf("torn %v, %v", again.Torn, err)
			}
			want := []benchmarks.Cell{cells[0], cells[2]}
			if row.broken {
				want = want[:1]
			}
			var got []benchmarks.Cell
			for _, r := range again.Results {
				got = append(got, r.Cell)
			}
			if !slices.Equal(got, want) {
				t.Errorf("cells %v, want %v", got, want)
			}
		})
	}
}

// The tokens of an attempt count also if its result was lost, or if it never had one.
func TestUsedCountsAttemptsWithoutAResult(t *testing.T) {
	s := create(t, 1)
	if err := Play(t.Context(), s, Options{Factory: &studytest.Pressings{T: t,
		Broken: map[string]int{}}}); err != nil {
		t.Fatal(err)
	}
	steps := 0
	for _, r := range s.Results {
		steps += r.Steps
	}
	for _, kept := range []int{len(s.Results), len(s.Results) - 1, 0} {
		s.Results = s.Results[:kept]
		if u := s.Used(); steps == 0 || u.Tokens() != 10*steps || *u.USD != 0.0625*float64(steps) {
			t.Errorf("with %d results: %d tokens, %v USD of %d steps", kept, u.Tokens(), *u.USD, steps)
		}
	}
	// A cell that died eight times has a result without steps, which names its last attempt.
	cells, err := s.Plan.Cells()
	if err != nil {
		t.Fatal(err)
	}
	s.Results = append(s.Results, failed(cells[0], suites.Task{}, attempted{n: 1, interrupted: 1},
		errors.New("died")))
	if u := s.Used(); u.Tokens() != 10*steps {
		t.Errorf("with a cell that was not played: %d tokens of %d steps", u.Tokens(), steps)
	}
}

// A study of whole suites keeps its cells when the program's suites grow.
func TestPlanNamesItsTasks(t *testing.T) {
	p := studytest.Plan(1)
	p.Tasks = nil
	all, err := p.Played()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Create(filepath.Join(t.TempDir(), "study"), p)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = benchmarks.Open(s.Dir); err != nil || len(s.Plan.Tasks) != len(all) ||
		s.Plan.Tasks[0] != all[0].Name {
		t.Errorf("tasks %v of %d (%v)", s.Plan.Tasks, len(all), err)
	}
}
