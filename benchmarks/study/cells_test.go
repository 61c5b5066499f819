package study

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
)

// handed is a study whose cells other processes play, and the cell to which something happens.
type handed struct {
	t      *testing.T
	s      *benchmarks.Study
	cell   benchmarks.Cell
	played int // sessions that were opened for the cell
}

// prepare is PrepareUnit of a process that has just opened the study.
func (h *handed) prepare(c benchmarks.Cell) UnitWork {
	h.t.Helper()
	s, err := benchmarks.Open(h.s.Dir)
	if err != nil {
		h.t.Fatal(err)
	}
	w, err := PrepareUnit(s, []benchmarks.Cell{c})
	if err != nil {
		h.t.Fatal(err)
	}
	return w
}

// play plays the cell in the work as f has it.
func (h *handed) play(w UnitWork, f *studytest.Pressings) error {
	h.t.Helper()
	s, err := benchmarks.Open(w.Dir)
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(h.t.Context())
	defer cancel()
	if f == nil {
		f = &studytest.Pressings{Broken: map[string]int{}}
	} else if f.Before == nil && f.Broken == nil { // it is killed
		f.Broken, f.Before = map[string]int{}, func(int) { cancel() }
	}
	f.T = h.t
	err = Play(ctx, s, Options{Factory: f, Only: []benchmarks.Cell{h.cell}})
	h.played += len(f.Opened)
	return err
}

func (h *handed) commit(w UnitWork) {
	h.t.Helper()
	if err := CommitUnit(h.s, []benchmarks.Cell{h.cell}, w.Dir); err != nil {
		h.t.Fatal(err)
	}
}

// whole plays the cell as nothing happens, and commits it.
func (h *handed) whole() {
	h.t.Helper()
	if w := h.prepare(h.cell); w.Dir != "" {
		if len(w.Left) == 0 { // all that is left is to commit it
			h.commit(w)
		} else if err := h.play(w, nil); err != nil {
			h.t.Fatal(err)
		} else {
			h.commit(w)
		}
	}
}

func (h *handed) collect() error {
	s, err := benchmarks.Open(h.s.Dir)
	if err != nil {
		h.t.Fatal(err)
	}
	return Collect(h.t.Context(), s, Options{}, func(context.Context) error { return nil })
}

// Whatever happens to who plays a cell, it has one result, which counts the attempts, and the study is that
// of one process.
func TestCellsThatOthersPlay(t *testing.T) {
	for _, row := range []struct {
		name   string
		happen func(h *handed)
		played int // sessions of the cell
		want   attempted
	}{
		{"nothing", func(*handed) {}, 1, attempted{n: 1}},
		{"it dies before it has begun", func(h *handed) { h.prepare(h.cell) }, 1, attempted{n: 1}},
		{"it dies in the middle", func(h *handed) { h.play(h.prepare(h.cell), &studytest.Pressings{}) }, 2, attempted{n: 2, interrupted: 1}},
		{"it dies in the middle twice", func(h *handed) {
			h.play(h.prepare(h.cell), &studytest.Pressings{})
			h.play(h.prepare(h.cell), &studytest.Pressings{})
		}, 3, attempted{n: 3, interrupted: 2}},
		{"it dies with a result", func(h *handed) { h.play(h.prepare(h.cell), nil) }, 1, attempted{n: 1}},
		{"two play it at once", func(h *handed) {
			a, b := h.prepare(h.cell), h.prepare(h.cell)
			h.play(a, nil)
			h.play(b, nil)
			h.commit(b)
			h.commit(a)
		}, 2, attempted{n: 1}},
		{"one is done after its cell was collected", func(h *handed) {
			a, b := h.prepare(h.cell), h.prepare(h.cell)
			h.play(b, nil)
			h.play(a, nil)
			late := filepath.Join(h.t.TempDir(), "late")
			moved := os.Rename(a.Dir, late)
			h.commit(b)
			_ = h.collect() // the other cells are missing
			done := h.s.Path(cellPath(doneName, h.cell.Episode(1)))
			if err := errors.Join(moved, os.Rename(late, done)); err != nil {
				h.t.Fatal(err)
			}
		}, 2, attempted{n: 1}},
		{"its browser fails twice", func(h *handed) {
			h.play(h.prepare(h.cell), &studytest.Pressings{Broken: map[string]int{h.cell.Task: 2}})
			if w := h.prepare(h.cell); w.Faulted != 1 {
				h.t.Errorf("%d works ended by a fault", w.Faulted)
			}
		}, 3, attempted{n: 3, faulted: 2}},
		{"the study has an attempt of its own", func(h *handed) {
			h.play(UnitWork{Dir: h.s.Dir}, &studytest.Pressings{})
		}, 2, attempted{n: 2, interrupted: 1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := create(t, 2)
			cells, err := s.Plan.Cells()
			if err != nil {
				t.Fatal(err)
			}
			h := &handed{t: t, s: s, cell: cells[1]}
			row.happen(h)
			h.whole()
			if h.played != row.played {
				t.Errorf("the cell was begun %d times, want %d", h.played, row.played)
			}
			for _, c := range cells {
				(&handed{t: t, s: s, cell: c}).whole()
			}
			if err := h.collect(); err != nil {
				t.Fatal(err)
			}
			isWhole(t, s.Dir, cells[1], row.want)
		})
	}
}

// isWhole holds the study in dir against one of one process, and the attempts at c against want.
func isWhole(t *testing.T, dir string, c benchmarks.Cell, want attempted) {
	t.Helper()
	one := create(t, 2)
	playUpTo(t, one, 0)
	s, err := benchmarks.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Results {
		got := attempted{n: r.AttemptsMade(), faulted: r.Faulted, interrupted: r.Interrupted}
		if r.Cell == c && got != want {
			t.Errorf("attempts %+v, want %+v", got, want)
		} else if r.Cell != c && got.n != 1 {
			t.Errorf("%s: %d attempts", r.Episode, got.n)
		}
	}
	runs, err := os.ReadDir(s.Path(benchmarks.RunsName))
	if cells, _ := s.Plan.Cells(); err != nil || len(runs) != len(cells)-1+want.n {
		t.Errorf("%d attempts at %d cells: %v", len(runs), len(cells), err)
	}
	if _, err := os.Stat(s.Path(benchmarks.CellsName)); err == nil {
		t.Error("the folder of the cells is left")
	}
	if got, whole := told(t, s, false), told(t, one, false); got != whole {
		t.Errorf("got  %.2000s\nwant %.2000s", got, whole)
	}
}

func TestCollectRefuses(t *testing.T) {
	s, other := create(t, 1), create(t, 2)
	cells, err := s.Plan.Cells()
	if err != nil {
		t.Fatal(err)
	}
	h := &handed{t: t, s: s, cell: cells[0]}
	h.whole()
	var lacks *MissingError
	if err := h.collect(); !errors.As(err, &lacks) || len(lacks.Cells) != len(cells)-1 {
		t.Errorf("one of %d cells: %v", len(cells), err)
	}
	failed := errors.New("the engine is gone")
	if s, err = benchmarks.Open(s.Dir); err != nil || len(s.Results) != 1 {
		t.Fatal("the cell was not collected: ", err)
	}
	fails := func(context.Context) error { return failed }
	if err := Collect(t.Context(), s, Options{}, fails); !errors.Is(err, failed) {
		t.Errorf("an engine that fails: %v", err)
	}
	h = &handed{t: t, s: other, cell: cells[1]}
	h.whole()
	name := cellPath(doneName, cells[1].Episode(1))
	if err := os.MkdirAll(filepath.Dir(s.Path(name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other.Path(name), s.Path(name)); err != nil {
		t.Fatal(err)
	}
	h.s = s
	if err := h.collect(); !errors.Is(err, ErrShards) || !strings.HasSuffix(err.Error(), "Seeds") {
		t.Errorf("a cell of another study: %v", err)
	}
}
