package study

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/report"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/cua"
)

func create(t *testing.T, seeds int) *benchmarks.Study {
	t.Helper()
	s, err := Create(filepath.Join(t.TempDir(), "study"), studytest.Plan(seeds))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func reportOf(t *testing.T, s *benchmarks.Study) report.Report {
	t.Helper()
	rep, err := report.Of(s)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestPlayCommitsEachCellOnce(t *testing.T) {
	s := create(t, 3)
	var events []Progress
	err := Play(t.Context(), s, Options{Factory: &studytest.Pressings{T: t, Broken: map[string]int{}},
		Workers:  3,
		Progress: func(p Progress) { events = append(events, p) }})
	if err != nil {
		t.Fatal(err)
	}
	again, err := benchmarks.Open(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Results) != 18 {
		t.Fatalf("%d results", len(again.Results))
	}
	for _, r := range again.Results {
		if !r.Success || r.Reward != 1 || !strings.HasSuffix(r.Episode, "-1") {
			t.Errorf("result %+v", r)
		}
	}
	if len(events) != 19 || events[0].Done != 0 || events[18].Done != 18 || events[18].Total != 18 ||
		events[18].Success.Yes != 18 {
		t.Errorf("%d events, last %+v", len(events), events[len(events)-1])
	}
	if _, err := Create(s.Dir, studytest.Plan(3)); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second study in one folder: %v", err)
	}
}

func TestResumePlaysOnlyWhatIsMissing(t *testing.T) {
	s := create(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	f := &studytest.Pressings{T: t, Broken: map[string]int{}, Before: func(n int) {
		if n == 6 {
			cancel()
		}
	}}
	if err := Play(ctx, s, Options{Factory: f}); !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled study: %v", err)
	}
	s, err := benchmarks.Open(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Results) != 5 {
		t.Fatalf("%d cells committed before the interrupt", len(s.Results))
	}
	tear(t, s)
	f = &studytest.Pressings{T: t, Broken: map[string]int{}}
	if err := Play(t.Context(), s, Options{Factory: f, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	if len(f.Opened) != 7 {
		t.Errorf("resumed with %d episodes, want the 7 missing", len(f.Opened))
	}
	if s, err = benchmarks.Open(s.Dir); err != nil || len(s.Results) != 12 || s.Torn {
		t.Fatalf("%d results, torn %v, %v", len(s.Results), s.Torn, err)
	}
	i := slices.IndexFunc(s.Results, func(r benchmarks.Result) bool { return r.Interrupted > 0 })
	if i < 0 || !strings.HasSuffix(s.Results[i].Episode, "-2") || !s.Results[i].Success {
		t.Errorf("the interrupted cell was not made again as a new attempt: %+v", s.Results)
	}
}

// tear ends the results in half a line, as a crash does.
func tear(t *testing.T, s *benchmarks.Study) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(s.Dir, benchmarks.ResultsName), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(`{"suite":"controls","task":"stepp`); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyInfrastructureFaultsAreRetried(t *testing.T) {
	s := create(t, 1)
	f := &studytest.Pressings{T: t, Broken: map[string]int{"stepper": 1, "slow-save": 2}}
	if err := Play(t.Context(), s, Options{Factory: f}); err != nil {
		t.Fatal(err)
	}
	count := map[string][]benchmarks.Result{}
	for _, r := range s.Results {
		count[r.Task] = append(count[r.Task], r)
	}
	if r := count["stepper"][0]; !r.Success || r.Faulted != 1 || !strings.HasSuffix(r.Episode, "-2") {
		t.Errorf("broken once: %+v", r)
	}
	if r := count["slow-save"][0]; r.Success || r.Faulted != 2 || r.End != cua.EndEnvError {
		t.Errorf("broken twice: %+v", r)
	}
	rep, err := report.Of(s)
	if err != nil {
		t.Fatal(err)
	}
	if rep.Arms[0].Faulted+rep.Arms[1].Faulted != 3 {
		t.Errorf("faults of the arms: %d and %d", rep.Arms[0].Faulted, rep.Arms[1].Faulted)
	}
}

func TestNoEnvironmentStopsTheStudy(t *testing.T) {
	s := create(t, 1)
	err := Play(t.Context(), s, Options{Factory: &studytest.Pressings{T: t, NoEnv: true}, Workers: 2})
	if err == nil || !strings.Contains(err.Error(), "no browser anywhere") || len(s.Results) != 0 {
		t.Errorf("%v, %d results", err, len(s.Results))
	}
}

func TestACellThatIsThereTwiceIsNamed(t *testing.T) {
	s := create(t, 1)
	line := `{"suite":"controls","task":"stepper","seed":1,"arm":"off"}` + "\n"
	if err := os.WriteFile(filepath.Join(s.Dir, benchmarks.ResultsName), []byte(line+line),
		0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := benchmarks.Open(s.Dir); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a cell twice: %v", err)
	}
}
