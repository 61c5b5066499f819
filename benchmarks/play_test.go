package benchmarks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// pressing is an environment without a browser: each click presses the instance's button.
type pressing struct {
	t    *testing.T
	task cua.Task
	n    int
	// broken makes Reset fail.
	broken bool
}

func (e *pressing) page() cua.Observation {
	return cua.Observation{URL: e.task.URL, Title: `<script>alert("title")</script>`, DOMDigest: fmt.Sprint(e.n), Viewport: cua.Size{W: 1280, H: 800}}
}

func (e *pressing) Reset(_ context.Context, task cua.Task) (cua.Observation, error) {
	e.task = task
	if e.broken {
		return cua.Observation{}, errors.New("the browser is gone")
	}
	return e.page(), nil
}

func (e *pressing) Locate(context.Context, cua.Action) (cua.Target, error) {
	return cua.Target{ID: "button", Role: "button"}, nil
}

func (e *pressing) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	if a.Kind == cua.Click {
		res, err := http.PostForm(e.task.URL+"press", url.Values{"delta": {"1"}})
		if err != nil {
			return cua.Outcome{}, err
		}
		res.Body.Close()
		e.n++
	}
	return cua.Outcome{After: e.page()}, ctx.Err()
}

func (e *pressing) Restore(context.Context, cua.Checkpoint, []string) (cua.Outcome, error) {
	return cua.Outcome{After: e.page()}, nil
}

func (e *pressing) Denials() []cua.Denial { return nil }

func (e *pressing) Close() error { return nil }

// pressings makes them; the named tasks' first sessions are broken.
type pressings struct {
	t      *testing.T
	broken map[string]int
	// before is called with the number of sessions opened so far.
	before func(n int)
	noEnv  bool

	mu     sync.Mutex
	opened []string
}

func (p *pressings) NewEnv(_ context.Context, s Setting) (runner.Env, error) {
	task := s.Task
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.noEnv {
		return nil, errors.New("no browser anywhere")
	}
	p.opened = append(p.opened, task.ID)
	if p.before != nil {
		p.before(len(p.opened))
	}
	p.broken[task.ID]--
	return &pressing{t: p.t, broken: p.broken[task.ID] >= 0}, nil
}

// byOracle plays the oracle's clicks at any point and its done.
type byOracle []cua.Scripted

func (b byOracle) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	a := b[min(t.Decision, len(b))-1].Action
	if a.Kind == cua.Click {
		a.Point = &cua.Point{X: 10, Y: 10}
	}
	usd := 0.0625
	return cua.Decision{Action: a, By: "oracle", Usage: cua.Usage{InputTokens: 9, OutputTokens: 1,
		USD: &usd}}, ctx.Err()
}

func (p *pressings) NewBrain(in Scripts, c Cell) (runner.Brain, trajectories.BrainInfo, error) {
	return p.asking(pressed(in)), trajectories.BrainInfo{Name: "oracle " + c.Fault}, nil
}

// asking is b with its requests read.
func (p *pressings) asking(b runner.Brain) runner.Brain {
	return &envtest.Overseen{Brain: b, Fault: func(what string) { p.t.Error(what) }}
}

func pressed(in Scripts) byOracle {
	return byOracle(slices.DeleteFunc(slices.Clone(in.Oracle),
		func(s cua.Scripted) bool { return s.Kind == cua.Wait }))
}

func testPlan(seeds int) Plan {
	bare := runner.DefaultConfig()
	bare.Toggles = cua.Toggles{}
	return Plan{Version: planVersion, Suites: []string{"controls", "traps"},
		Tasks: []string{"stepper", "slow-save", "t6-dead-button"},
		Arms:  []Arm{{"default", bare}, {"off", bare}}, Base: "off", Seeds: SeedsUpTo(seeds)}
}

func create(t *testing.T, seeds int) *Study {
	t.Helper()
	s, err := Create(filepath.Join(t.TempDir(), "study"), testPlan(seeds))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCellsAreInterleaved(t *testing.T) {
	cells, err := testPlan(2).Cells()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cells {
		got = append(got, fmt.Sprintf("%s@%s.%d", c.Task, c.Arm, c.Seed))
	}
	want := []string{"stepper@default.1", "stepper@off.1", "slow-save@off.1", "slow-save@default.1",
		"t6-dead-button@default.1", "t6-dead-button@off.1", "stepper@off.2", "stepper@default.2",
		"slow-save@default.2", "slow-save@off.2", "t6-dead-button@off.2", "t6-dead-button@default.2"}
	if !slices.Equal(got, want) {
		t.Errorf("cells\n%v, want\n%v", got, want)
	}
}

func TestPlayCommitsEachCellOnce(t *testing.T) {
	s := create(t, 3)
	var events []Progress
	err := s.Play(t.Context(), Options{Factory: &pressings{t: t, broken: map[string]int{}}, Workers: 3,
		Progress: func(p Progress) { events = append(events, p) }})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Open(s.Dir)
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
	if _, err := Create(s.Dir, testPlan(3)); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second study in one folder: %v", err)
	}
}

func TestResumePlaysOnlyWhatIsMissing(t *testing.T) {
	s := create(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	f := &pressings{t: t, broken: map[string]int{}, before: func(n int) {
		if n == 6 {
			cancel()
		}
	}}
	if err := s.Play(ctx, Options{Factory: f}); !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled study: %v", err)
	}
	s, err := Open(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Results) != 5 {
		t.Fatalf("%d cells committed before the interrupt", len(s.Results))
	}
	tear(t, s)
	f = &pressings{t: t, broken: map[string]int{}}
	if err := s.Play(t.Context(), Options{Factory: f, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	if len(f.opened) != 7 {
		t.Errorf("resumed with %d episodes, want the 7 missing", len(f.opened))
	}
	if s, err = Open(s.Dir); err != nil || len(s.Results) != 12 || s.Torn {
		t.Fatalf("%d results, torn %v, %v", len(s.Results), s.Torn, err)
	}
	i := slices.IndexFunc(s.Results, func(r Result) bool { return r.Interrupted > 0 })
	if i < 0 || !strings.HasSuffix(s.Results[i].Episode, "-2") || !s.Results[i].Success {
		t.Errorf("the interrupted cell was not made again as a new attempt: %+v", s.Results)
	}
}

// tear ends the results in half a line, as a crash does.
func tear(t *testing.T, s *Study) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(s.Dir, resultsName), os.O_WRONLY|os.O_APPEND, 0)
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
	f := &pressings{t: t, broken: map[string]int{"stepper": 1, "slow-save": 2}}
	if err := s.Play(t.Context(), Options{Factory: f}); err != nil {
		t.Fatal(err)
	}
	count := map[string][]Result{}
	for _, r := range s.Results {
		count[r.Task] = append(count[r.Task], r)
	}
	if r := count["stepper"][0]; !r.Success || r.Faulted != 1 || !strings.HasSuffix(r.Episode, "-2") {
		t.Errorf("broken once: %+v", r)
	}
	if r := count["slow-save"][0]; r.Success || r.Faulted != 2 || r.End != cua.EndEnvError {
		t.Errorf("broken twice: %+v", r)
	}
	rep, err := s.Report()
	if err != nil {
		t.Fatal(err)
	}
	if rep.Arms[0].Faulted+rep.Arms[1].Faulted != 3 {
		t.Errorf("faults of the arms: %d and %d", rep.Arms[0].Faulted, rep.Arms[1].Faulted)
	}
}

func TestNoEnvironmentStopsTheStudy(t *testing.T) {
	s := create(t, 1)
	err := s.Play(t.Context(), Options{Factory: &pressings{t: t, noEnv: true}, Workers: 2})
	if err == nil || !strings.Contains(err.Error(), "no browser anywhere") || len(s.Results) != 0 {
		t.Errorf("%v, %d results", err, len(s.Results))
	}
}

func TestBadPlansAndResultsAreNamed(t *testing.T) {
	bad := func(change func(*Plan)) error {
		p := testPlan(1)
		change(&p)
		return p.Validate()
	}
	for _, c := range []struct {
		name string
		err  error
		says string
	}{
		{"unknown suite", bad(func(p *Plan) { p.Suites = []string{"froms"} }), `unknown suite "froms"`},
		{"unknown task", bad(func(p *Plan) { p.Tasks = []string{"login"} }), "known: pagination"},
		{"arm twice", bad(func(p *Plan) { p.Arms[1].Name = "default" }), "twice"},
		{"no base", bad(func(p *Plan) { p.Base = "naive" }), `base arm "naive"`},
		{"seed twice", bad(func(p *Plan) { p.Seeds = []int64{1, 1} }), "seed 1"},
		{"newer format", bad(func(p *Plan) { p.Version = 9 }), "version 9"},
		{"bad config", bad(func(p *Plan) { p.Arms[0].Config.Viewport.W = 1 }), "arm default"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.err == nil || !strings.Contains(c.err.Error(), c.says) {
				t.Errorf("error %v, want %q in it", c.err, c.says)
			}
		})
	}
	s := create(t, 1)
	line := `{"suite":"controls","task":"stepper","seed":1,"arm":"off"}` + "\n"
	if err := os.WriteFile(filepath.Join(s.Dir, resultsName), []byte(line+line), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(s.Dir); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a cell twice: %v", err)
	}
}
