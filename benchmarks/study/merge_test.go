package study

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/trajectories"
)

const shards, shardSeeds = 4, 8

// shard plays one shard into a folder, and stops before its n-th cell; 0 plays all.
func shard(t *testing.T, index, n int, change func(*benchmarks.Plan)) string {
	t.Helper()
	p := studytest.Plan(shardSeeds)
	p.Shard = &benchmarks.Shard{Index: index, Of: shards}
	if change != nil {
		change(&p)
	}
	s, err := Create(filepath.Join(t.TempDir(), fmt.Sprint("shard-", index)), p)
	if err != nil {
		t.Fatal(err)
	}
	playUpTo(t, s, n)
	return s.Dir
}

// playUpTo plays the study up to its n-th session; 0 plays all.
func playUpTo(t *testing.T, s *benchmarks.Study, n int) {
	t.Helper()
	playBroken(t, s, n, map[string]int{})
}

// playBroken is playUpTo where the first sessions of some tasks fail, so that their cells are tried again.
func playBroken(t *testing.T, s *benchmarks.Study, n int, broken map[string]int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f := &studytest.Pressings{T: t, Broken: broken, Before: func(k int) {
		if k == n {
			cancel()
		}
	}}
	if err := Play(ctx, s, Options{Factory: f}); err != nil && (n == 0 || !errors.Is(err, context.Canceled)) {
		t.Fatal(err)
	}
}

// told is the report of s as JSON, without times, and with what was used beside the cells if beside.
func told(t *testing.T, s *benchmarks.Study, beside bool) string {
	t.Helper()
	for i := range s.Results {
		s.Results[i] = Timeless(s.Results[i])
	}
	s.Plan.Started = time.Time{}
	rep := reportOf(t, s)
	text, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	if !beside {
		text = regexp.MustCompile(`"beside":\{[^}]*\},`).ReplaceAll(text, nil)
	}
	return strings.ReplaceAll(string(text), s.Dir, "DIR")
}

// Four shards are one study, also where one of them was stopped and went on: what the stopped attempt used is
// then told beside the cells, as in a study of one process.
func TestShardsMergedAreOneRun(t *testing.T) {
	for name, stopAt := range map[string]int{"played at once": 0, "one stopped": 2} {
		t.Run(name, func(t *testing.T) { mergedIsWhole(t, stopAt) })
	}
}

func mergedIsWhole(t *testing.T, stopped int) {
	whole, err := Create(filepath.Join(t.TempDir(), "whole"), studytest.Plan(shardSeeds))
	if err != nil {
		t.Fatal(err)
	}
	playUpTo(t, whole, 0)
	var dirs []string
	cells := map[string]string{}
	for i := 1; i <= shards; i++ {
		stopAt := 0
		if i == 2 {
			stopAt = stopped
		}
		dir := shard(t, i, stopAt, nil)
		if stopAt > 0 {
			s, err := benchmarks.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			missing, err := s.Missing()
			if err != nil || len(missing) == 0 {
				t.Fatal("nothing was missing", err)
			}
			playUpTo(t, s, 0)
		}
		s, err := benchmarks.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range s.Results {
			pair := fmt.Sprint(r.Task, r.Seed)
			if was := cells[pair]; was != "" && was != dir {
				t.Errorf("task and seed %s are in two shards", pair)
			}
			cells[pair] = dir
		}
		dirs = append(dirs, dir)
	}
	s, missing, err := Merge(filepath.Join(t.TempDir(), "merged"), append(dirs, dirs[0]), false)
	if err != nil || len(missing) > 0 {
		t.Fatal(missing, err)
	}
	again, err := benchmarks.Open(whole.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := told(t, s, stopped == 0), told(t, again, stopped == 0); got != want {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Errorf("byte %d: got …%.200s\nwant …%.200s", at, got[max(at-100, 0):], want[max(at-100, 0):])
	}
}

// The attempts that do not count are in the merged study as in that of one process.
func TestMergeKeepsEveryAttempt(t *testing.T) {
	plan := studytest.Plan(shardSeeds)
	cells, err := plan.Cells()
	if err != nil {
		t.Fatal(err)
	}
	first := cells[0]
	whole, err := Create(filepath.Join(t.TempDir(), "whole"), plan)
	if err != nil {
		t.Fatal(err)
	}
	playRetried(t, whole, first.Task)
	var dirs []string
	for i := 1; i <= shards; i++ {
		p := plan
		p.Shard = &benchmarks.Shard{Index: i, Of: shards}
		s, err := Create(filepath.Join(t.TempDir(), fmt.Sprint("shard-", i)), p)
		if err != nil {
			t.Fatal(err)
		}
		mine, err := s.Plan.Cells()
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(mine, first) {
			playRetried(t, s, first.Task)
		} else {
			playUpTo(t, s, 0)
		}
		dirs = append(dirs, s.Dir)
	}
	s, _, err := Merge(filepath.Join(t.TempDir(), "merged"), dirs, false)
	if err != nil {
		t.Fatal(err)
	}
	if whole, err = benchmarks.Open(whole.Dir); err != nil {
		t.Fatal(err)
	}
	got, want := attemptsIn(t, s), attemptsIn(t, whole)
	if got != want || !strings.Contains(want, first.Episode(4)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, c := range cells {
		if got, want := attempts(s, c), attempts(whole, c); got != want {
			t.Errorf("%s: %+v, want %+v", c.Episode(1), got, want)
		}
	}
	if got, want := told(t, s, true), told(t, whole, true); got != want {
		t.Errorf("got  %.2000s\nwant %.2000s", got, want)
	}
}

// playRetried plays the study with a fault in both tries of the first cell of the task, and in the first try
// after its errors were taken out.
func playRetried(t *testing.T, s *benchmarks.Study, task string) {
	t.Helper()
	playBroken(t, s, 0, map[string]int{task: 2})
	if dropped, err := DropErrors(s); err != nil || len(dropped) != 1 {
		t.Fatalf("%d cells are to be played again: %v", len(dropped), err)
	}
	playBroken(t, s, 0, map[string]int{task: 1})
}

// attemptsIn are the episodes of the study with what ended them.
func attemptsIn(t *testing.T, s *benchmarks.Study) string {
	t.Helper()
	entries, err := os.ReadDir(s.Path(benchmarks.RunsName))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		j, err := trajectories.Read(s.EpisodeDir(e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		end := "nothing"
		if j.End != nil {
			end = string(j.End.Reason)
		}
		out = append(out, e.Name()+" "+end)
	}
	return strings.Join(out, "\n")
}

func TestMergeRefuses(t *testing.T) {
	out := func() string { return filepath.Join(t.TempDir(), "merged") }
	one, two := shard(t, 1, 0, nil), shard(t, 2, 0, nil)
	_, missing, err := Merge(out(), []string{one, two}, false)
	if lacks := (*MissingError)(nil); !errors.As(err, &lacks) || len(missing) == 0 ||
		len(lacks.Cells) != len(missing) {
		t.Errorf("two of four: %v", err)
	}
	s, lacking, err := Merge(out(), []string{one, two}, true)
	if err != nil || len(lacking) != len(missing) {
		t.Fatal(err)
	}
	if left, err := s.Missing(); err != nil || len(left) != len(missing) {
		t.Errorf("%d cells are missing in the study, %d were named: %v", len(left), len(missing), err)
	}
	if _, _, err := Merge(one, []string{one, two}, true); !errors.Is(err, fs.ErrExist) {
		t.Errorf("into a study that is there: %v", err)
	}
	for name, change := range map[string]func(*benchmarks.Plan){
		"Build":   func(p *benchmarks.Plan) { p.Build.Revision = "another" },
		"Faults":  func(p *benchmarks.Plan) { p.Faults = []string{"jitter=1"} },
		"Repeats": func(p *benchmarks.Plan) { p.Repeats = 2 },
		"Arms":    func(p *benchmarks.Plan) { p.Arms[0].Config.Viewport.W++ },
		"Browser": func(p *benchmarks.Plan) { p.Browser.Flags = []string{"--proxy-server=a", "--no-sandbox"} },
	} {
		other := shard(t, 2, 1, change)
		if _, _, err := Merge(out(), []string{one, other}, true); !errors.Is(err, ErrShards) ||
			!strings.HasSuffix(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Each launch of a browser has a profile and a proxy of its own.
func TestMergeOfTwoLaunches(t *testing.T) {
	launched := func(n string) func(*benchmarks.Plan) {
		return func(p *benchmarks.Plan) {
			p.Browser.Flags = []string{"--user-data-dir=/tmp/" + n, "--mute-audio",
				"--proxy-server=http://127.0.0.1:" + n}
		}
	}
	dirs := []string{shard(t, 1, 0, launched("1")), shard(t, 2, 0, launched("2"))}
	if _, _, err := Merge(filepath.Join(t.TempDir(), "merged"), dirs, true); err != nil {
		t.Error(err)
	}
}

func TestShardsAreChecked(t *testing.T) {
	for _, s := range []benchmarks.Shard{{Index: 0, Of: 4}, {Index: 5, Of: 4}, {Index: 1, Of: 0}} {
		p := studytest.Plan(1)
		p.Shard = &s
		if p.Validate() == nil {
			t.Errorf("shard %d/%d was taken", s.Index, s.Of)
		}
	}
}
