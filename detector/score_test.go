package detector

import (
	"reflect"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestScore(t *testing.T) {
	dead := func(s *sim, n int) {
		for range n {
			s.press("Go", nil)
		}
	}
	repeat := LoopDetector{Repeat{Config: DefaultConfig()}, Streak{DefaultConfig()}}
	held := func(shape cua.Shape, l cua.Level, step, last, run int) Onset {
		return Onset{Shape: shape, Level: l, Step: step, Last: last, Run: run, Since: last - run + 1}
	}
	soft := func(step, last, run int) Onset { return held(cua.ShapeRepeat, cua.Soft, step, last, run) }
	rows := []struct {
		name       string
		play       func(*sim)
		soft, hard int
		onsets     []Onset
	}{
		{"nothing was done", func(*sim) {}, 0, 0, nil},
		{"nothing held", func(s *sim) { dead(s, 2) }, 0, 0, nil},
		{"one stretch", func(s *sim) { dead(s, 4); s.press("Help", show("help")) }, 3, 0,
			[]Onset{soft(3, 4, 4), held(cua.ShapeStreak, cua.NoteLevel, 3, 4, 4)}},
		{"a hard signal goes on being a soft one", func(s *sim) { dead(s, 9) }, 3, 8,
			[]Onset{soft(3, 9, 9), held(cua.ShapeStreak, cua.NoteLevel, 3, 9, 9),
				held(cua.ShapeRepeat, cua.Hard, 8, 9, 9)}},
		{"it lapses and comes back", func(s *sim) { dead(s, 3); s.press("Go", show("a")); dead(s, 4) }, 3, 0,
			[]Onset{soft(3, 3, 3), held(cua.ShapeStreak, cua.NoteLevel, 3, 3, 3), soft(7, 8, 4),
				held(cua.ShapeStreak, cua.NoteLevel, 7, 8, 4)}},
		{"what held when it was halted holds, whoever went on", func(s *sim) {
			dead(s, 8)
			s.h.Resumed = []cua.Resumption{{At: 8, Page: s.h.Now(), Fresh: true, End: cua.EndLoop}}
			dead(s, 2)
		}, 3, 8, []Onset{soft(3, 8, 8), held(cua.ShapeStreak, cua.NoteLevel, 3, 8, 8),
			held(cua.ShapeRepeat, cua.Hard, 8, 8, 8)}},
		{"what shows late ends it, and did not before", func(s *sim) { dead(s, 4); s.wait(1, show("saved")) }, 3, 0,
			[]Onset{soft(3, 4, 4), held(cua.ShapeStreak, cua.NoteLevel, 3, 4, 4)}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := newSim(newPage("https://a.test/"))
			row.play(s)
			got := repeat.Score(s.h, cua.EndMaxSteps)
			if got.FirstSoft != row.soft || got.FirstHard != row.hard ||
				!reflect.DeepEqual(got.Onsets, row.onsets) {
				t.Errorf("%+v, want soft %d, hard %d, %+v", got, row.soft, row.hard, row.onsets)
			}
		})
	}
}
