package study

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/report"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// crashing has no brain for one task, and one that takes the program down for another.
type crashing struct{ *studytest.Pressings }

func (c crashing) NewBrain(in benchmarks.Scripts, cell benchmarks.Cell) (runner.Brain, trajectories.BrainInfo,
	error) {
	switch cell.Task {
	case "stepper":
		return nil, trajectories.BrainInfo{}, errors.New("no such model")
	case "slow-save":
		panic("a page of nonsense")
	}
	return c.Pressings.NewBrain(in, cell)
}

// A cell that cannot be played is a result without a reward; the rest of the study continues.
func TestACellThatCannotBePlayedIsNotTheStudysEnd(t *testing.T) {
	s := create(t, 1)
	if err := Play(t.Context(), s, Options{Factory: crashing{&studytest.Pressings{T: t,
		Broken: map[string]int{}}},
		Workers: 2}); err != nil {
		t.Fatal(err)
	}
	s, err := benchmarks.Open(s.Dir)
	if err != nil || len(s.Results) != 6 {
		t.Fatalf("%d results, %v", len(s.Results), err)
	}
	for _, r := range s.Results {
		says := map[string]string{"stepper": "no such model",
			"slow-save": "crashed: a page of nonsense"}[r.Task]
		if says == "" {
			if !r.Lenient {
				t.Errorf("%+v", r)
			}
			continue
		}
		if r.End != cua.EndEnvError || r.Lenient || r.Faulted != maxFaults ||
			!strings.Contains(r.Detail, says) {
			t.Errorf("%+v", r)
		}
	}
	rep, err := report.Of(s)
	if err != nil || rep.Arms[0].Success.Of != 3 || rep.Arms[0].Success.Yes != 1 {
		t.Errorf("%v: %+v", err, rep.Arms[0].Success)
	}
	if _, err := report.WriteAll(s); err != nil {
		t.Errorf("the report: %v", err)
	}
}

// A cell in which the program has died again and again is not begun once more.
func TestACellThatKillsTheProgramIsGivenUp(t *testing.T) {
	for _, row := range []struct {
		name   string
		deaths int
		opened int
	}{{"often", maxDeaths, 5}, {"once less", maxDeaths - 1, 6}} {
		t.Run(row.name, func(t *testing.T) {
			s := create(t, 1)
			cells, err := s.Plan.Cells()
			if err != nil {
				t.Fatal(err)
			}
			for n := range row.deaths {
				if err := os.MkdirAll(s.EpisodeDir(cells[0].Episode(n+1)), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			f := &studytest.Pressings{T: t, Broken: map[string]int{}}
			if err := Play(t.Context(), s, Options{Factory: f}); err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(s.Results, func(r benchmarks.Result) bool { return r.Cell == cells[0] })
			r := s.Results[i]
			if len(s.Results) != 6 || len(f.Opened) != row.opened || r.Interrupted != row.deaths ||
				r.Lenient != (row.opened == 6) {
				t.Errorf("%d results, %d episodes, %+v", len(s.Results), len(f.Opened), r)
			}
		})
	}
}
