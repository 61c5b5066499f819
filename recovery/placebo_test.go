package recovery

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

// told are the levels that an advisor with that placebo says over n steps of a page on which something always changes,
// 0 for a step without a note.
func told(p Placebo, task cua.Task, n int) []int {
	config := DefaultConfig().Nudge
	config.Placebo = p
	s := begin(page(""))
	var out []int
	for i := range n {
		turn := s.turn()
		turn.Task, turn.Number = task, i+1
		level := 0
		for _, note := range (Nudge{Config: config}).Advise(turn) {
			level = note.Level
		}
		out = append(out, level)
		s = s.clicks(1, button())
	}
	return out
}

func TestPlacebo(t *testing.T) {
	task := cua.Task{ID: "t1", Seed: 3}
	levels := []int{1, 2, 3, 3}
	got := told(Placebo{Of: 12, Levels: levels}, task, 20)
	said := slices.DeleteFunc(slices.Clone(got), func(l int) bool { return l == 0 })
	if !slices.Equal(said, levels) || slices.ContainsFunc(got[12:], func(l int) bool { return l > 0 }) {
		t.Errorf("said %v, want %v within 12 steps", got, levels)
	}
	if got := told(Placebo{Of: 3, Levels: []int{1, 2, 3}}, task, 5); !slices.Equal(got, []int{1, 2, 3, 0, 0}) {
		t.Errorf("one in each step: %v", got)
	}
	if got := told(Placebo{Of: 5}, task, 9); slices.ContainsFunc(got, func(l int) bool { return l > 0 }) {
		t.Errorf("as many as none: %v", got)
	}
}

// TestPlaceboIgnoresSignals: neither is silent where none holds, nor speaks because one does.
func TestPlaceboIgnoresSignals(t *testing.T) {
	config := DefaultConfig().Nudge
	config.Placebo = Placebo{Of: 4, Levels: []int{2}}
	task := cua.Task{ID: "t1", Seed: 3}
	n := 0
	for number := 1; number <= 4; number++ {
		calm := begin(page("")).clicks(9, button()).turn()
		stuck := begin(page("")).clicks(9, button()).looping(cua.ShapeRepeat, cua.Hard, 8)
		for _, turn := range []*cua.Turn{calm, stuck} {
			turn.Task, turn.Number = task, number
		}
		a, b := Nudge{Config: config}.Advise(calm), Nudge{Config: config}.Advise(stuck)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("step %d: %+v in a calm episode, %+v in a stuck one", number, a, b)
		}
		for _, note := range a {
			n++
			if note.From != NudgeName || note.Level != 2 || !strings.Contains(note.Text, "Nothing has changed") || !strings.Contains(note.Text, "Stop doing that") {
				t.Errorf("worded as no nudge is: %+v", note)
			}
		}
	}
	if n != 1 {
		t.Errorf("%d notes, want 1", n)
	}
}

func TestPlaceboRate(t *testing.T) {
	n := 0
	for seed := range int64(100) {
		for _, l := range told(Placebo{Rate: 0.2}, cua.Task{ID: "t", Seed: seed}, 40) {
			if l > 0 {
				n++
			}
		}
	}
	// Four standard deviations of 4,000 draws are 0.025.
	if share := float64(n) / 4000; share < 0.175 || share > 0.225 {
		t.Errorf("%.3f of the steps, want 0.2", share)
	}
	got := told(Placebo{Rate: 1}, cua.Task{}, 5)
	if !slices.Equal(got, []int{1, 2, 3, 3, 3}) {
		t.Errorf("at rate 1: %v", got)
	}
}

// TestPlaceboPropertyDraws: each of the levels is said once, in order, at steps that another seed or task draws
// anew and the same one does not.
func TestPlaceboPropertyDraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.IntRange(1, 30).Draw(t, "of")
		levels := rapid.SliceOfN(rapid.IntRange(1, LastWarning), 0, of).Draw(t, "levels")
		task := cua.Task{ID: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "task"), Seed: rapid.Int64().Draw(t, "seed")}
		p := Placebo{Of: of, Levels: levels}
		var got []int
		for n := 1; n <= of+5; n++ {
			if l := p.level(task, n); l > 0 {
				got = append(got, l)
			}
		}
		if !slices.Equal(got, levels) {
			t.Fatalf("said %v, want %v", got, levels)
		}
	})
	at := func(task cua.Task) (out []int) {
		for i, l := range told(Placebo{Of: 30, Levels: []int{1, 1, 1, 1, 1}}, task, 30) {
			if l > 0 {
				out = append(out, i+1)
			}
		}
		return out
	}
	first := at(cua.Task{ID: "t", Seed: 1})
	if slices.Equal(first, at(cua.Task{ID: "t", Seed: 2})) || slices.Equal(first, at(cua.Task{ID: "u", Seed: 1})) || !slices.Equal(first, at(cua.Task{ID: "t", Seed: 1})) {
		t.Errorf("steps %v are no function of task and seed, or one of something else", first)
	}
}

func TestPlaceboValidate(t *testing.T) {
	for _, c := range []struct {
		name string
		p    Placebo
		want string
	}{
		{"none", Placebo{}, ""},
		{"a rate", Placebo{Rate: 0.2}, ""},
		{"levels", Placebo{Of: 2, Levels: []int{1, 3}}, ""},
		{"a rate above 1", Placebo{Rate: 1.1}, "recovery: config: nudge.placebo.rate must be 0 to 1, not 1.1"},
		{"a negative number", Placebo{Of: -1}, "recovery: config: nudge.placebo.of must be 0 to 100000, not -1"},
		{"more than steps", Placebo{Of: 1, Levels: []int{1, 1}}, "recovery: config: nudge.placebo.levels: at most as many as nudge.placebo.of (1), not 2"},
		{"no such level", Placebo{Of: 1, Levels: []int{4}}, "recovery: config: nudge.placebo.levels: each must be 1 to 3, not [4]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := DefaultConfig()
			config.Nudge.Placebo = c.p
			got := ""
			if err := config.Validate(); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
