package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// downtime is a provider that is down for some cells.
type downtime struct {
	*studytest.Pressings
	// down reports whether it is for the n-th attempt at a cell, from 1, of any.
	down func(c benchmarks.Cell, n int) bool
	// tired reports whether it goes down after one decision where it is not down from the start; nil is
	// never.
	tired func(n int) bool

	mu sync.Mutex
	n  int
}

func (u *downtime) NewBrain(in benchmarks.Scripts, c benchmarks.Cell) (runner.Brain, trajectories.BrainInfo,
	error) {
	u.mu.Lock()
	u.n++
	down, tired := u.down(c, u.n), u.tired != nil && u.tired(u.n)
	u.mu.Unlock()
	if down || tired {
		return deaf{after: map[bool]int{true: 1}[tired]}, trajectories.BrainInfo{}, nil
	}
	return u.Pressings.NewBrain(in, c)
}

// deaf cannot be asked after so many decisions.
type deaf struct{ after int }

func (d deaf) Decide(_ context.Context, t *cua.Turn) (cua.Decision, error) {
	if t.Decision <= d.after {
		return cua.Decision{Action: cua.Action{Kind: cua.Reload}}, nil
	}
	return cua.Decision{}, errors.New("503 overloaded")
}

func TestAnOutageOfTheBrainStopsTheStudy(t *testing.T) {
	attempts := func(from, to int) func(benchmarks.Cell, int) bool {
		return func(_ benchmarks.Cell, n int) bool { return n >= from && n <= to }
	}
	for _, row := range []struct {
		name    string
		workers int
		arms    int // beside default and off
		tasks   int // of three
		down    func(c benchmarks.Cell, n int) bool
		tired   func(n int) bool
		broken  map[string]int
		cells   int // of the outage; 0 is none
		done    int // committed
		errors  int // of these in error
	}{
		{name: "never", tasks: 3, down: attempts(0, 0), done: 12},
		{name: "one attempt", tasks: 3, down: attempts(3, 3), done: 12},
		{name: "one cell", tasks: 3, down: attempts(3, 4), done: 12, errors: 1},
		{name: "one cell less than too many", tasks: 3, down: attempts(3, 8), done: 12, errors: 3},
		{name: "too many", tasks: 3, down: attempts(3, 100), cells: 4, done: 2},
		{name: "too many from the start", tasks: 3, down: attempts(1, 100), cells: 4},
		{name: "too many for two workers", workers: 2, tasks: 3, down: attempts(1, 100), cells: 5},
		{name: "now and then", tasks: 3, down: func(_ benchmarks.Cell, n int) bool { return n%5 > 0 }, done: 12, errors: 8},
		{name: "after one decision", tasks: 3, down: attempts(0, 0), tired: func(int) bool { return true }, done: 12, errors: 12},
		{name: "after one decision now and then", tasks: 3, down: func(_ benchmarks.Cell, n int) bool { return n%6 > 0 }, tired: func(n int) bool { return n%6 == 0 }, done: 12, errors: 12},
		{name: "the last ones", tasks: 3, down: attempts(10, 100), done: 12, errors: 3},
		{name: "one task in many arms", arms: 6, tasks: 3, down: func(c benchmarks.Cell, _ int) bool { return c.Task == "slow-save" }, done: 48, errors: 16},
		{name: "the only task", arms: 6, tasks: 1, down: attempts(1, 100), cells: 4},
		{name: "a page that cannot be opened between", tasks: 3, down: func(c benchmarks.Cell, _ int) bool { return c.Task != "slow-save" },
			broken: map[string]int{"slow-save": 100}, cells: 4, done: 2, errors: 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := studytest.Plan(2)
			p.Tasks = p.Tasks[:row.tasks]
			for n := range row.arms {
				p.Arms = append(p.Arms, benchmarks.Arm{Name: fmt.Sprintf("arm%d", n),
					Config: p.Arms[0].Config})
			}
			s, err := Create(t.TempDir(), p)
			if err != nil {
				t.Fatal(err)
			}
			if row.broken == nil {
				row.broken = map[string]int{}
			}
			var told []benchmarks.Cell
			f := &downtime{Pressings: &studytest.Pressings{T: t, Broken: row.broken}, down: row.down,
				tired: row.tired}
			err = Play(t.Context(), s, Options{Factory: f, Workers: row.workers, Progress: func(p Progress) {
				if p.Last != nil {
					told = append(told, p.Last.Cell)
				}
			}})
			var out *OutageError
			if errors.As(err, &out) != (row.cells > 0) || err != nil &&
				(out.Cells != row.cells || !strings.HasSuffix(err.Error(), "in a row: 503 overloaded")) {
				t.Fatalf("%v, want an outage of %d cells", err, row.cells)
			}
			again, err := benchmarks.Open(s.Dir)
			if err != nil {
				t.Fatal(err)
			}
			faults := 0
			for _, r := range again.Results {
				if r.End.Infrastructure() {
					faults++
				}
			}
			if len(again.Results) != row.done || faults != row.errors || len(told) != row.done {
				t.Errorf("%d results, %d in error, %d told of; want %d and %d", len(again.Results), faults,
					len(told), row.done, row.errors)
			}
			goesOn(t, again)
		})
	}
}

// goesOn plays what is missing of s with a brain that can be asked.
func goesOn(t *testing.T, s *benchmarks.Study) {
	t.Helper()
	before := slices.Clone(s.Results)
	missing, err := s.Missing()
	if err != nil {
		t.Fatal(err)
	}
	if err := Play(t.Context(), s, Options{Factory: &studytest.Pressings{T: t,
		Broken: map[string]int{}}}); err != nil {
		t.Fatal(err)
	}
	// Open finds a cell that is there twice
	if again, err := benchmarks.Open(s.Dir); err != nil || len(again.Results) != len(before)+len(missing) {
		t.Errorf("%d results after %d with %d missing, %v", len(again.Results), len(before),
			len(missing), err)
	}
	for i, r := range s.Results {
		switch {
		case i < len(before) && r.Episode != before[i].Episode:
			t.Errorf("%s was played again as %s", before[i].Episode, r.Episode)
		case i >= len(before) && (!r.Success || !strings.HasSuffix(r.Episode,
			fmt.Sprintf("-%d", 1+r.Faulted+r.Interrupted))):
			t.Errorf("%+v", r)
		}
	}
}

// What another worker comes to once the study is stopped counts, and none of the row does.
func TestARowThatWasTooLongIsNeverCommitted(t *testing.T) {
	s := create(t, 2)
	l, err := lock(s)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	cells, err := s.Plan.Cells()
	if err != nil {
		t.Fatal(err)
	}
	p := &play{Study: s, ledger: l, several: true}
	for i, c := range cells[:5] {
		r := benchmarks.Result{Cell: c, End: cua.EndBrainError, Detail: "asking the brain: no answer"}
		if i == 4 {
			r.End = cua.EndDone
		}
		err := p.settle(r, len(cells))
		var out *OutageError
		if errors.As(err, &out) != (i == 3) || err != nil &&
			err.Error() != "the brain could not be asked in 4 cells in a row: no answer" {
			t.Fatalf("cell %d: %v", i, err)
		}
	}
	if again, err := benchmarks.Open(s.Dir); err != nil || len(again.Results) != 1 ||
		again.Results[0].Cell != cells[4] {
		t.Errorf("%+v, %v", again.Results, err)
	}
}
