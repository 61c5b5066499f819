package study

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// stuckFor are pressings whose brain presses Tab, which changes nothing, some times before it plays the
// oracle: as many times as the seed, and ten more.
type stuckFor struct{ studytest.Pressings }

func (f *stuckFor) NewBrain(in benchmarks.Scripts, c benchmarks.Cell) (runner.Brain, trajectories.BrainInfo,
	error) {
	var script []cua.Scripted
	for range 10 + c.Seed {
		script = append(script, cua.Scripted{Action: cua.Action{Kind: cua.Key, Keys: "Tab"}})
	}
	return f.Asking(studytest.ByOracle(append(script, studytest.Pressed(in)...))),
		trajectories.BrainInfo{Name: "stuck"}, nil
}

func placeboPlan(t *testing.T, seeds int, arms ...string) benchmarks.Plan {
	t.Helper()
	p := benchmarks.Plan{Version: benchmarks.PlanVersion, Suites: []string{"controls"},
		Tasks: []string{"stepper", "slow-save"},
		Base:  arms[0], Seeds: benchmarks.SeedsUpTo(seeds)}
	for _, name := range arms {
		c, err := runner.DefaultConfig().Arm(name)
		if err != nil {
			t.Fatal(err)
		}
		p.Arms = append(p.Arms, benchmarks.Arm{Name: name, Config: c})
	}
	return p
}

// nudges are how many each cell had, and their levels with the steps that carried them.
func nudges(t *testing.T, s *benchmarks.Study, c benchmarks.Cell) (n int, at, levels []int) {
	t.Helper()
	i := slices.IndexFunc(s.Results, func(r benchmarks.Result) bool { return r.Cell == c })
	if i < 0 {
		t.Fatalf("no result of %+v", c)
	}
	run, err := trajectories.Read(s.EpisodeDir(s.Results[i].Episode))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range run.Steps {
		for _, note := range step.Notes {
			at, levels = append(at, step.N), append(levels, note.Level)
		}
	}
	return s.Results[i].Nudges, at, levels
}

// TestPlaceboHasAsManyNudges: in every cell the placebo has the nudges of the arm nudge, and not its steps;
// whatever the order of the arms and the number of workers, and in a study that was interrupted between the
// two.
func TestPlaceboHasAsManyNudges(t *testing.T) {
	for _, workers := range []int{1, 3} {
		t.Run(fmt.Sprintf("%d workers", workers), func(t *testing.T) {
			s, err := Create(filepath.Join(t.TempDir(), "study"), placeboPlan(t, 3, "placebo",
				"off", "nudge"))
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(context.Background())
			half := Options{Workers: workers, Factory: &stuckFor{studytest.Pressings{T: t,
				Broken: map[string]int{}}},
				Progress: func(p Progress) {
					if p.Last != nil && p.Last.Arm == "nudge" && p.Done > 4 {
						stop()
					}
				}}
			if err := Play(ctx, s, half); err == nil {
				t.Fatal("it was not interrupted")
			}
			if err := Play(context.Background(), s, Options{Workers: workers,
				Factory: half.Factory}); err != nil {
				t.Fatal(err)
			}
			elsewhere := false
			for _, task := range s.Plan.Tasks {
				for _, seed := range s.Plan.Seeds {
					c := benchmarks.Cell{Suite: "controls", Task: task, Seed: seed, Arm: "nudge"}
					n, at, levels := nudges(t, s, c)
					m, placed, said := nudges(t, s, c.In("placebo"))
					if n == 0 || m != n || !slices.Equal(levels, said) {
						t.Errorf("%s, seed %d: %d nudges of levels %v in the arm nudge, %d of levels %v in "+
							"the placebo", task, seed, n, levels, m, said)
					}
					elsewhere = elsewhere || !slices.Equal(at, placed)
				}
			}
			if !elsewhere {
				t.Error("the placebo nudges where the arm nudge does")
			}
		})
	}
}

// TestPlaceboOfOthers: units that other processes play, of which one died between a cell and its placebo, are
// the study of one process; the cell that was done is not played again.
func TestPlaceboOfOthers(t *testing.T) {
	plan := placeboPlan(t, 2, "placebo", "off", "nudge")
	one, err := Create(filepath.Join(t.TempDir(), "one"), plan)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Create(filepath.Join(t.TempDir(), "study"), plan)
	if err != nil {
		t.Fatal(err)
	}
	f := func() *stuckFor { return &stuckFor{studytest.Pressings{T: t, Broken: map[string]int{}}} }
	if err := Play(t.Context(), one, Options{Factory: f()}); err != nil {
		t.Fatal(err)
	}
	units, err := Units(plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range units {
		for stopped := len(unit) == 1; ; stopped = true {
			w, err := PrepareUnit(s, unit)
			if err != nil {
				t.Fatal(err)
			}
			if stopped && len(w.Left) != 1 {
				t.Errorf("%v are left of %v", w.Left, unit)
			}
			in, err := benchmarks.Open(w.Dir)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Factory: f(), Only: w.Left}
			if !stopped {
				o.Only = w.Left[:1]
			}
			if err := Play(t.Context(), in, o); err != nil {
				t.Fatal(err)
			}
			if stopped {
				if err := CommitUnit(s, unit, w.Dir); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
	}
	if err := Collect(t.Context(), s, Options{}, func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	for _, c := range units[0] {
		got, at, levels := nudges(t, s, c)
		want, wantAt, wantLevels := nudges(t, one, c)
		if got != want || !slices.Equal(at, wantAt) || !slices.Equal(levels, wantLevels) {
			t.Errorf("%v: %d nudges at %v, want %d at %v", c, got, at, want, wantAt)
		}
	}
	if got, want := told(t, s, true), told(t, one, true); got != want {
		t.Errorf("got  %.2000s\nwant %.2000s", got, want)
	}
}

func TestModelOfAPlacebo(t *testing.T) {
	for _, c := range []struct {
		name string
		arms []string
		want string
	}{
		{"the arm nudge", []string{"placebo", "off", "nudge"}, "nudge"},
		{"not another arm with nudges", []string{"placebo", "default", "classic"}, ""},
		{"none alone", []string{"placebo"}, ""},
		{"an arm that is no placebo has none", []string{"nudge", "placebo"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := placeboPlan(t, 1, c.arms...)
			if got := model(p, p.Arms[0]); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestUnitsKeepEveryCell: whatever is missing, each cell is played once, in order, and a placebo's after that
// of its model.
func TestUnitsKeepEveryCell(t *testing.T) {
	p := placeboPlan(t, 2, "placebo", "off", "nudge")
	cells, err := p.Cells()
	if err != nil {
		t.Fatal(err)
	}
	for from := range cells {
		left := cells[from:]
		var got []benchmarks.Cell
		for _, unit := range units(p, left) {
			got = append(got, unit...)
		}
		for _, c := range left {
			i := slices.Index(got, c)
			if i < 0 || len(got) != len(left) {
				t.Fatalf("of %v came %v", left, got)
			}
			if model := slices.Index(got, c.In("nudge")); c.Arm == "placebo" && model > i {
				t.Fatalf("%v is played before what it is the placebo of", c)
			}
		}
	}
}
