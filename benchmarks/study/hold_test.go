package study

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/cua"
)

// Each command that would change a study that is being played is refused, with the name of the player, and
// changes nothing. Once nobody does, it is done.
func TestAStudyThatIsPlayedIsLeftAlone(t *testing.T) {
	plan := func(t *testing.T) benchmarks.Plan { p := studytest.Plan(1); p.Tasks = p.Tasks[:1]; return p }
	for _, row := range []struct {
		name string
		do   func(t *testing.T, s *benchmarks.Study) error
	}{
		{"to play it", func(t *testing.T, s *benchmarks.Study) error {
			return Play(t.Context(), s, Options{Factory: &studytest.Pressings{T: t,
				Broken: map[string]int{}}})
		}},
		{"to replace it", func(t *testing.T, s *benchmarks.Study) error { _, err := Replace(s.Dir, plan(t)); return err }},
		{"to play its errors again", func(_ *testing.T, s *benchmarks.Study) error { _, err := DropErrors(s); return err }},
		{"to ask", func(_ *testing.T, s *benchmarks.Study) error { return Free(s.Dir) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := create(t, 1)
			l, err := lock(s)
			if err != nil {
				t.Fatal(err)
			}
			cells, err := s.Plan.Cells()
			if err != nil {
				t.Fatal(err)
			}
			if err := commit(s, l, benchmarks.Result{Cell: cells[0], End: cua.EndEnvError}); err != nil {
				t.Fatal(err)
			}
			other, err := benchmarks.Open(s.Dir)
			if err != nil {
				t.Fatal(err)
			}
			host, _ := os.Hostname()
			var held *HeldError
			if err := row.do(t, other); !errors.As(err, &held) {
				t.Fatalf("%v, want who plays it", err)
			}
			if held.By.PID != os.Getpid() || held.By.Host != host || held.By.Since.IsZero() {
				t.Errorf("it is played by %v", held.By)
			}
			if again, err := benchmarks.Open(s.Dir); err != nil || len(again.Results) != 1 ||
				len(again.Plan.Tasks) != 3 {
				t.Errorf("%+v, %v", again, err)
			}
			l.close()
			if err := row.do(t, other); err != nil {
				t.Errorf("once nobody plays it: %v", err)
			}
			entries, err := os.ReadDir(filepath.Dir(s.Dir))
			if err != nil || len(entries) != 1 {
				t.Errorf("beside the study: %v, %v", entries, err)
			}
		})
	}
}

// A study in the place of another has nothing of it, and what was opened before cannot be played into it.
func TestAReplacedStudyIsAnotherOne(t *testing.T) {
	s := create(t, 1)
	f := func() *studytest.Pressings { return &studytest.Pressings{T: t, Broken: map[string]int{}} }
	if err := Play(t.Context(), s, Options{Factory: f()}); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(filepath.Dir(s.Dir), "link")
	// a process died in the middle of it
	left := filepath.Join(filepath.Dir(s.Dir), ".study.replaced-1", "old")
	if err := errors.Join(os.Symlink(s.Dir, link), os.MkdirAll(left, 0o755)); err != nil {
		t.Fatal(err)
	}
	before, err := benchmarks.Open(link)
	if err != nil {
		t.Fatal(err)
	}
	p := studytest.Plan(2)
	p.Tasks = p.Tasks[:1]
	next, err := Replace(link, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := Play(t.Context(), before, Options{Factory: f()}); !errors.Is(err, benchmarks.ErrReplaced) {
		t.Errorf("the old study was played: %v", err)
	}
	if err := Play(t.Context(), next, Options{Factory: f(), Workers: 2}); err != nil {
		t.Fatal(err)
	}
	if again, err := benchmarks.Open(s.Dir); err != nil || len(again.Results) != 4 {
		t.Errorf("%d results, %v", len(again.Results), err)
	}
	var names []string
	entries, err := os.ReadDir(filepath.Dir(s.Dir))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if err != nil || !slices.Equal(names, []string{"link", "study"}) {
		t.Errorf("there are %v, %v", names, err)
	}
	if runs, err := os.ReadDir(filepath.Join(s.Dir, benchmarks.RunsName)); err != nil || len(runs) != 4 {
		t.Errorf("%d episodes, %v", len(runs), err)
	}
	if _, err := Replace(filepath.Join(t.TempDir(), "new"), p); err != nil {
		t.Errorf("in place of nothing: %v", err)
	}
	private := filepath.Join(t.TempDir(), "thesis.txt")
	if err := os.WriteFile(private, []byte("thesis"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Replace(filepath.Dir(private), p); !errors.Is(err, fs.ErrExist) {
		t.Errorf("in a folder that is no study: %v", err)
	}
	if text, err := os.ReadFile(private); err != nil || string(text) != "thesis" {
		t.Errorf("what was in the folder is gone: %v", err)
	}
	bad := p
	bad.Base = "naive"
	if _, err := Replace(s.Dir, bad); err == nil {
		t.Error("a plan that is none replaced a study")
	}
	if _, err := benchmarks.Open(s.Dir); err != nil {
		t.Errorf("after that: %v", err)
	}
}

// Episodes without a study.json are some other study's, and no study is begun among them.
func TestNoStudyBeginsAmongTheEpisodesOfAnother(t *testing.T) {
	s := create(t, 1)
	if err := Play(t.Context(), s, Options{Factory: &studytest.Pressings{T: t,
		Broken: map[string]int{}}}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.Path(benchmarks.PlanName)); err != nil {
		t.Fatal(err)
	}
	_, err := Create(s.Dir, studytest.Plan(1))
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "episodes") {
		t.Errorf("%v", err)
	}
}

// Cells in error are played again where that is asked for, however the program ended in them before, and no
// others are.
func TestErrorsArePlayedAgain(t *testing.T) {
	s := create(t, 1)
	f := &studytest.Pressings{T: t, Broken: map[string]int{"slow-save": 3}}
	if err := Play(t.Context(), s, Options{Factory: f}); err != nil {
		t.Fatal(err)
	}
	errors := func() (n int) {
		for _, r := range s.Results {
			if r.End.Infrastructure() {
				n++
			}
		}
		return n
	}
	if len(s.Results) != 6 || errors() != 1 { // twice broken in one arm, once in the other
		t.Fatalf("%d results, %d in error", len(s.Results), errors())
	}
	again, err := DropErrors(s)
	if err != nil || len(again) != 1 || again[0].Task != "slow-save" {
		t.Fatalf("%v, %v", again, err)
	}
	for n := range maxDeaths {
		if err := os.Mkdir(s.EpisodeDir(again[0].Episode(3+n)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	f = &studytest.Pressings{T: t, Broken: map[string]int{}}
	if s, err = benchmarks.Open(s.Dir); err != nil || len(s.Results) != 5 {
		t.Fatalf("%d results, %v", len(s.Results), err)
	}
	if err := Play(t.Context(), s, Options{Factory: f, Again: again}); err != nil {
		t.Fatal(err)
	}
	last := s.Results[5]
	if len(f.Opened) != 1 || errors() != 0 || last.Cell != again[0] || last.Faulted != 2 ||
		last.Interrupted != maxDeaths || !last.Success {
		t.Errorf("%d episodes, %d in error, the last %+v", len(f.Opened), errors(), last)
	}
	if again, err = DropErrors(s); err != nil || len(again) != 0 || len(s.Results) != 6 {
		t.Errorf("once more: %v, %d results, %v", again, len(s.Results), err)
	}
}
