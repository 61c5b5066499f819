package study

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

// chromium is a browser of sessions that are sharing, without the browser.
type chromium struct {
	ended chan struct{}
	kill  func()
}

func newChromium() *chromium {
	c := &chromium{ended: make(chan struct{})}
	c.kill = sync.OnceFunc(func() { close(c.ended) })
	return c
}

func (c *chromium) gone() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// sharing is a pressing in a browser that others use.
type sharing struct {
	*studytest.Pressing
	in     *chromium
	before func() // each act; nil: nothing
}

func (s *sharing) Lost() bool { return s.in.gone() }

func (s *sharing) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	if s.before != nil {
		s.before()
	}
	if s.in.gone() {
		return cua.Outcome{}, errors.New("the browser is gone")
	}
	return s.Pressing.Act(ctx, a)
}

// sharings makes them, in another browser where the last one has ended. Each session's acts begin with
// before.
type sharings struct {
	*studytest.Pressings
	before func(task string, in *chromium, session int) func()

	in   *chromium
	made int
}

func (f *sharings) NewEnv(ctx context.Context, s benchmarks.Setting) (runner.Env, error) {
	env, err := f.Pressings.NewEnv(ctx, s)
	if err != nil {
		return nil, err
	}
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if f.in == nil || f.in.gone() {
		f.in = newChromium()
	}
	f.made++
	return &sharing{env.(*studytest.Pressing), f.in, f.before(s.Task.ID, f.in, f.made)}, nil
}

// One session kills the browser of three; none of these attempts counts. Alone, who kills it again is in
// error, and the others are what they are.
func TestASharedDeathIsNobodys(t *testing.T) {
	for _, row := range []struct {
		name    string
		workers int
		again   bool // slow-save kills its browser whenever it is played
		deaths  int  // by the results of all three cells
		errors  int
	}{
		{"once", 3, false, 3, 0},
		{"whenever one of them is played", 3, true, 3, 1},
		{"of one that shares it with nobody", 1, true, 0, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := studytest.Plan(1)
			p.Arms = p.Arms[:1]
			p.Base = "default"
			s, err := Create(filepath.Join(t.TempDir(), "study"), p)
			if err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup // the first acts of the sessions that run side by side
			all.Add(row.workers)
			f := &sharings{Pressings: &studytest.Pressings{T: t, Broken: map[string]int{}}}
			f.before = func(task string, in *chromium, session int) func() {
				kills := task == "slow-save" && (row.again || session <= row.workers)
				return sync.OnceFunc(func() {
					if session <= row.workers {
						all.Done()
						all.Wait()
					}
					switch {
					case kills:
						in.kill()
					case session <= row.workers && row.workers > 1:
						<-in.ended
					}
				})
			}
			if err := Play(t.Context(), s, Options{Factory: f, Workers: row.workers}); err != nil {
				t.Fatal(err)
			}
			deaths, errs := 0, 0
			for _, r := range s.Results {
				deaths += r.SharedDeaths
				killed := r.End.Infrastructure()
				if killed {
					errs++
				}
				attempts := r.Faulted + r.SharedDeaths
				switch {
				case killed && (r.Task != "slow-save" || r.Faulted != maxFaults):
					t.Errorf("in error: %+v", r)
				case !killed && (!r.Success || r.Faulted+r.Interrupted > 0):
					t.Errorf("not the agent's: %+v", r)
				case !killed:
					attempts++
				}
				if !strings.HasSuffix(r.Episode, fmt.Sprintf("-%d", attempts)) {
					t.Errorf("%s is the result of %d attempts", r.Episode, attempts)
				}
			}
			if len(s.Results) != 3 || deaths != row.deaths || errs != row.errors {
				t.Errorf("%d results, %d shared deaths, %d in error", len(s.Results), deaths, errs)
			}
			rep := reportOf(t, s)
			a := rep.Arms[0].Attempts
			if a.SharedDeaths != row.deaths || a.Made != a.Faulted+a.SharedDeaths+3-row.errors {
				t.Errorf("attempts %+v", a)
			}
		})
	}
}

// What was set aside stays so when the study is gone on with: the cell is played alone, and the attempt is
// counted.
func TestWhatWasSetAsideIsPlayedAloneAfterAResume(t *testing.T) {
	s := create(t, 1)
	cells, err := s.Plan.Cells()
	if err != nil {
		t.Fatal(err)
	}
	aside := cells[1]
	if err := os.Mkdir(s.EpisodeDir(aside.Episode(1)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := (&play{Study: s}).setAside(aside.Episode(1), Aside{Why: AsideOverload}); err != nil {
		t.Fatal(err)
	}
	f := &studytest.Pressings{T: t, Broken: map[string]int{}}
	if err := Play(t.Context(), s, Options{Factory: f, Workers: 3}); err != nil {
		t.Fatal(err)
	}
	last := s.Results[len(s.Results)-1]
	if len(s.Results) != 6 || last.Cell != aside || last.Overloads != 1 || last.Interrupted != 0 ||
		last.Beside != 1 || !strings.HasSuffix(last.Episode, "-2") {
		t.Errorf("%d results, the last %+v", len(s.Results), last)
	}
}

// timed is a session whose harness takes as long as it is told.
type timed struct {
	*studytest.Pressing
	observeMS float64
	deaf      bool // no press arrives
}

func (e *timed) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	if e.deaf {
		a.Kind = cua.Hover
	}
	out, err := e.Pressing.Act(ctx, a)
	out.ObserveMS = e.observeMS
	return out, err
}

// timeds makes them by what their n-th session of the task, from 1, is to be like.
type timeds struct {
	*studytest.Pressings
	like func(task string, n int) (observeMS float64, deaf bool)

	of map[string]int
}

func (f *timeds) NewEnv(ctx context.Context, s benchmarks.Setting) (runner.Env, error) {
	env, err := f.Pressings.NewEnv(ctx, s)
	if err != nil {
		return nil, err
	}
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.of[s.Task.ID]++
	ms, deaf := f.like(s.Task.ID, f.of[s.Task.ID])
	return &timed{env.(*studytest.Pressing), ms, deaf}, nil
}

func TestAnOverloadIsNotTheAgentsFailure(t *testing.T) {
	const calm, busy = 40, 800
	for _, row := range []struct {
		name      string
		cores     int
		like      func(task string, n int) (float64, bool)
		overloads int
		slow      int
		failed    int // cells that are not solved
	}{
		{"never", 2, func(string, int) (float64, bool) { return calm, false }, 0, 0, 0},
		{"the last cell once, and its presses are lost", 2, func(task string, n int) (float64, bool) {
			if task == "stepper" && n == 8 {
				return busy, true
			}
			return calm, false
		}, 1, 0, 0},
		{"the same where nothing is measured", 0, func(task string, n int) (float64, bool) {
			if task == "stepper" && n == 8 {
				return busy, true
			}
			return calm, false
		}, 0, 0, 1},
		{"the last cell also alone", 2, func(task string, n int) (float64, bool) {
			if task == "stepper" && n >= 8 {
				return busy, false
			}
			return calm, false
		}, 1, 1, 0},
		{"somewhat slower", 2, func(_ string, n int) (float64, bool) {
			return calm * (1 + float64(n%3)), false
		}, 0, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := studytest.Plan(4)
			p.Tasks = []string{"slow-save", "stepper"}
			s, err := Create(filepath.Join(t.TempDir(), "study"), p)
			if err != nil {
				t.Fatal(err)
			}
			f := &timeds{Pressings: &studytest.Pressings{T: t, Broken: map[string]int{}}, like: row.like,
				of: map[string]int{}}
			if err := Play(t.Context(), s, Options{Factory: f, Workers: 2, Cores: row.cores}); err != nil {
				t.Fatal(err)
			}
			overloads, slow, failed := 0, 0, 0
			for _, r := range s.Results {
				overloads += r.Overloads
				if r.Slow {
					slow++
				}
				if !r.Success {
					failed++
				}
				if r.Faulted+r.Interrupted > 0 || r.StepMS < calm/2 ||
					!strings.HasSuffix(r.Episode, fmt.Sprint("-", 1+r.Overloads)) {
					t.Errorf("%+v", r)
				}
			}
			if len(s.Results) != 16 || overloads != row.overloads || slow != row.slow ||
				failed != row.failed {
				t.Errorf("%d results, %d overloads, %d slow, %d failed", len(s.Results), overloads,
					slow, failed)
			}
			rep := reportOf(t, s)
			says := slices.ContainsFunc(rep.Warnings,
				func(w benchmarks.Warning) bool { return w.Code == "slow" })
			if a := rep.Arms; a[0].Overloads+a[1].Overloads != row.overloads || says != (row.slow > 0) {
				t.Errorf("the report: %+v, %v", a[0].Attempts, rep.Warnings)
			}
		})
	}
}

func TestPace(t *testing.T) {
	p := pace{cores: 2}
	for _, at := range []struct {
		task   string
		ms     float64
		most   int
		base   float64 // of "b" after it
		belong bool    // 300 ms are an overload then
	}{
		{"a", 40, 1, 0, false},
		{"a", 0, 1, 0, false}, // no step
		{"a", 60, 2, 0, false},
		{"a", 900, 3, 0, false}, // beside more than there are cores
		{"a", 50, 2, 50, true},  // three calm ones
		{"b", 300, 1, 60, true}, // by all of them
		{"b", 320, 1, 60, true},
		{"b", 310, 1, 310, false}, // b is slow by itself
	} {
		p.learn(at.task, at.ms, at.most)
		if got := p.base("b"); got != at.base || overloaded(300, got) != at.belong {
			t.Errorf("after %v ms of %s: base %v, %v", at.ms, at.task, got, overloaded(300, got))
		}
	}
	if overloaded(12, 1) {
		t.Error("a few ms are an overload")
	}
}

// As many run side by side as there are cores, more while that slows nobody down, and fewer again once it
// does.
func TestAdmissionByCoresAndPace(t *testing.T) {
	type paced struct {
		times float64
		most  int
	}
	for _, row := range []struct {
		name  string
		cores int
		paced []paced
		enter int // of ten
	}{
		{"no limit", 0, nil, 10},
		{"as many as cores", 2, nil, 2},
		{"one more after each that was as fast", 2, []paced{{1, 2}, {1.4, 3}, {1, 4}}, 5},
		{"none where there was room", 2, []paced{{1, 1}, {1, 1}}, 2},
		{"none where it was somewhat slower", 2, []paced{{1, 2}, {2, 3}}, 3},
		{"fewer where it was far slower", 2, []paced{{1, 2}, {1, 3}, {1, 4}, {3, 5}, {9, 5}}, 3},
		{"never fewer than cores", 2, []paced{{1, 2}, {9, 3}, {9, 3}, {9, 3}}, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAdmission(Memory{}, row.cores)
				for _, p := range row.paced {
					a.paced(p.times, p.most)
				}
				inside := make(chan *seat, 10)
				for range 10 {
					go func() {
						if s, err := a.enter(t.Context()); err == nil {
							inside <- s
						}
					}()
				}
				synctest.Wait()
				n := len(inside)
				if n != row.enter {
					t.Errorf("%d went in, want %d", n, row.enter)
				}
				for range 10 {
					s := <-inside
					s.leave()
					synctest.Wait()
					if s.most != n {
						t.Errorf("%d ran at once, want %d", s.most, n)
					}
				}
			})
		})
	}
}
