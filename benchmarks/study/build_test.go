package study

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// A study that another program goes on with says so: in the results and journals of its cells, and in the
// report.
func TestAnotherBuildGoesOn(t *testing.T) {
	p := studytest.Plan(1)
	p.Build = trajectories.Build{Version: "v1.0.0", Revision: "aaaa", Go: "go1"}
	s, err := Create(filepath.Join(t.TempDir(), "study"), p)
	if err != nil {
		t.Fatal(err)
	}
	playUpTo(t, s, 3) // two cells are done
	if s, err = benchmarks.Open(s.Dir); err != nil || len(s.Results) != 2 {
		t.Fatalf("%d cells are done: %v", len(s.Results), err)
	}
	now := trajectories.Build{Version: "v1.1.0", Revision: "bbbb", Modified: true, Go: "go1"}
	f := &studytest.Pressings{T: t, Broken: map[string]int{}}
	if err := Play(t.Context(), s, Options{Factory: f, Build: now}); err != nil {
		t.Fatal(err)
	}
	for i, r := range s.Results {
		run, err := trajectories.Read(s.EpisodeDir(r.Episode))
		if err != nil {
			t.Fatal(err)
		}
		want, said := now, now.String()
		if i < 2 {
			want, said = p.Build, ""
		}
		if run.Header.Build != want || r.Build != said {
			t.Errorf("%s: the journal says %+v, the result %q", r.Episode, run.Header.Build, r.Build)
		}
	}
	var said []string
	for _, w := range reportOf(t, s).Warnings {
		if w.Code == "other_build" {
			said = append(said, w.Text)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "v1.1.0 bbbb with local changes") ||
		!strings.HasSuffix(said[0], ": 4.") {
		t.Errorf("the report says %q", said)
	}
}
