package study_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/miniwob"
	"github.com/cua-runner/cua-runner/benchmarks/report"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/egress"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// sessions are those of one real browser; the brain is the task's solver, but for one task that is pressed to
// its end.
type sessions struct{ b *browser.Browser }

func (s sessions) NewEnv(ctx context.Context, set benchmarks.Setting) (runner.Env, error) {
	return s.b.NewSession(ctx, browser.SessionOptions{Viewport: set.Viewport, NoState: set.NoState,
		SettleCap: studytest.Patience, Faults: egress.NewFaults(set.NetSeed, set.NetFaults)})
}

func (s sessions) NewBrain(in benchmarks.Scripts, c benchmarks.Cell) (runner.Brain,
	trajectories.BrainInfo, error) {
	b := in.Solver
	if c.Task == "miniwob.find-word" {
		b = brain.Scripted{Script: []cua.Scripted{{Action: cua.Action{Kind: cua.Click}, On: "Submit"}}}
	}
	return &envtest.Overseen{Brain: b, Fault: func(what string) { panic(what) }},
		trajectories.BrainInfo{Name: "oracle"}, nil
}

// brought is a plan that plays tasks of the fixture.
func brought(t *testing.T, profile string, episodes int, tasks ...string) benchmarks.Plan {
	t.Helper()
	c, err := miniwob.Open("../miniwob/testdata")
	if err != nil {
		t.Fatal(err)
	}
	p, err := miniwob.FindProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := miniwob.Select(tasks...)
	if err != nil {
		t.Fatal(err)
	}
	off, err := runner.DefaultConfig().Arm("off")
	if err != nil {
		t.Fatal(err)
	}
	return benchmarks.Plan{Version: 1, Suites: []string{benchmarks.MiniWoBSuite},
		Seeds: benchmarks.SeedsUpTo(1), Base: "off", Arms: []benchmarks.Arm{{Name: "off", Config: off}},
		MiniWoB: &benchmarks.MiniWoB{Dir: c.Root, Core: c.Core, Profile: p, Cap: p.Cap, Episodes: episodes,
			Groups: groups}}
}

// scaled starts a browser for the plan.
func scaled(t *testing.T, p benchmarks.Plan) *browser.Browser {
	t.Helper()
	return browsertest.Launch(t, browser.Options{Scale: p.Scale(), Flags: []string{"lang=en-US"}})
}

func results(t *testing.T, p benchmarks.Plan, b *browser.Browser) []benchmarks.Result {
	t.Helper()
	s, err := study.Create(filepath.Join(t.TempDir(), "study"), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := study.Play(t.Context(), s, study.Options{Factory: sessions{b}, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	return s.Results
}

func TestMiniWoBSelfTest(t *testing.T) {
	for _, profile := range []string{miniwob.BrowserGym, miniwob.FaramaBinary} {
		t.Run(profile, func(t *testing.T) {
			p := brought(t, profile, miniwob.EpisodesPerTask, "smoke")
			got := results(t, p, scaled(t, p))
			if len(got) != 25 {
				t.Errorf("%d cells, want 25", len(got))
			}
			for _, r := range got {
				v := r.MiniWoB
				if !r.Success || r.End != cua.EndEnvEnded || v == nil || v.Raw != 1 || !v.Any || !v.Full ||
					v.Timed <= 0 || v.Timed > 1 ||
					v.PageSeed != miniwob.PageSeed(r.Seed) || r.HarnessMS <= 0 || r.Workers != 2 {
					t.Errorf("%s: %+v, %+v", r.Episode, r, v)
				}
			}
		})
	}
}

func TestATaskThatIsBrokenIsACellThatEarnsNothing(t *testing.T) {
	p := brought(t, miniwob.BrowserGym, 1, "click-test", "find-word", "focus-text", "copy-paste")
	want := map[string]string{"miniwob.click-test": "", "miniwob.find-word": "ended without a reward",
		"miniwob.focus-text": "core is not there", "miniwob.copy-paste": "the task has no goal"}
	got := results(t, p, scaled(t, p))
	if len(got) != len(want) {
		t.Errorf("%d cells, want %d", len(got), len(want))
	}
	for _, r := range got {
		fault := want[r.Task]
		if fault == "" && !r.Success || fault != "" && (r.Success || r.Reward != 0 ||
			r.End != cua.EndEnvError || r.Faulted != 2 || !strings.Contains(r.Detail, fault)) {
			t.Errorf("%s: success %v, reward %v, end %s after %d faults: %s", r.Task, r.Success, r.Reward,
				r.End, r.Faulted, r.Detail)
		}
	}
}

// begun starts one episode of the fixture.
func begun(t *testing.T, b *browser.Browser, p benchmarks.Plan, task string,
	seed int64) (*miniwob.Episode, cua.Observation) {
	t.Helper()
	c, err := miniwob.Open(p.MiniWoB.Dir)
	if err != nil {
		t.Fatal(err)
	}
	server, err := c.Serve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	session, err := b.NewSession(t.Context(), browser.SessionOptions{Viewport: p.MiniWoB.Profile.Viewport,
		SettleCap: studytest.Patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	e := miniwob.Start(t.Context(), session, server, task, "all", seed, p.MiniWoB.Profile, 10)
	o, err := e.Reset(t.Context(), e.Task)
	if err != nil {
		t.Fatal(err)
	}
	return e, o
}

func TestAnEpisodeFollowsFromItsSeed(t *testing.T) {
	p := brought(t, miniwob.BrowserGym, 1, "smoke")
	b := scaled(t, p)
	goals := map[string]bool{}
	for seed := range int64(4) {
		first, one := begun(t, b, p, "enter-text", seed)
		second, two := begun(t, b, p, "enter-text", seed)
		if first.Task.Goal != second.Task.Goal || one.DOMDigest != two.DOMDigest {
			t.Errorf("seed %d: %q and %q", seed, first.Task.Goal, second.Task.Goal)
		}
		goals[first.Task.Goal] = true
	}
	if len(goals) < 2 {
		t.Errorf("every seed is one episode: %v", goals)
	}
}

func TestWhatIsShown(t *testing.T) {
	for _, row := range []struct {
		name, profile, task, goal string
		bare                      bool
	}{
		{"without what is made for people", miniwob.BrowserGym, "click-test", "Click the button.", true},
		{"with it", miniwob.FaramaBinary, "click-test", "Click the button.", false},
		{"a goal with an icon", miniwob.BrowserGym, "click-menu-2", `Find the item with the "ui-icon-disk" icon.`, true},
		{"a goal with a colour", miniwob.BrowserGym, "use-colorwheel-2", "Choose #0a10ff and press Submit.", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := brought(t, row.profile, 1, "smoke")
			e, o := begun(t, scaled(t, p), p, row.task, 0)
			if e.Task.Goal != row.goal || o.Viewport != p.MiniWoB.Profile.Viewport {
				t.Errorf("goal %q, viewport %v", e.Task.Goal, o.Viewport)
			}
			ids, err := e.Ask(t.Context(), `['reward-display','click-canvas','sync-task-cover'].filter(id => document.getElementById(id)).concat(document.getElementById('query').textContent.slice(0, 5))`)
			if bare := string(ids) == `[""]`; err != nil || bare != row.bare {
				t.Errorf("on the page: %s (%v)", ids, err)
			}
			if row.task != "click-test" {
				return
			}
			a, err := cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: "Click Me!"}.Resolve(o)
			if err != nil {
				t.Fatal(err)
			}
			out, err := e.Act(t.Context(), a)
			if err != nil || !out.Terminated || *out.Reward != 1 {
				t.Errorf("after the press: %+v, %v", out, err)
			}
			if again, err := e.Ask(t.Context(), `document.getElementById('reward-display') !== null`); err != nil || string(again) == "true" == row.bare {
				t.Errorf("after the end the display is there: %s (%v)", again, err)
			}
		})
	}
}

func TestAPageThatIsLeftEndsItsEpisode(t *testing.T) {
	p := brought(t, miniwob.BrowserGym, 1, "smoke")
	e, o := begun(t, scaled(t, p), p, "click-link", 0)
	a, err := cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: "elsewhere"}.Resolve(o)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := e.Act(t.Context(), a); err != nil || !out.Terminated || *out.Reward != 0 ||
		e.Verdict().Reason != "the page was left" {
		t.Errorf("%+v, %v, %+v", out, err, e.Verdict())
	}
}

func TestPlansOfMiniWoB(t *testing.T) {
	good := brought(t, miniwob.BrowserGym, miniwob.EpisodesPerTask, "all")
	cells, err := good.Cells()
	if err != nil {
		t.Fatal(err)
	}
	names := map[benchmarks.Cell]bool{}
	again := 0
	for _, c := range cells {
		names[c] = true
		if c.Repeat > 0 {
			again++
		}
	}
	if len(cells) != 625 || len(names) != 625 || again != 35 {
		t.Errorf("%d cells, %d of them distinct, %d repeat an episode; want 625, 625, 35", len(cells),
			len(names), again)
	}
	for _, row := range []struct {
		name   string
		change func(*benchmarks.Plan)
		wrong  string
	}{
		{"no cap", func(p *benchmarks.Plan) { p.MiniWoB.Cap = 0 }, "an episode needs a step"},
		{"more episodes than there are", func(p *benchmarks.Plan) { p.MiniWoB.Episodes = 6 }, "the benchmark has 1 to 5"},
		{"beside another suite", func(p *benchmarks.Plan) { p.Suites = append(p.Suites, "forms") }, "need a study of their own"},
		{"without its suite", func(p *benchmarks.Plan) { p.Suites = []string{"forms"} }, "belong together"},
		{"the suite alone", func(p *benchmarks.Plan) { p.MiniWoB = nil }, "unknown suite"},
		{"an unknown task", func(p *benchmarks.Plan) { p.MiniWoB.Groups[0].Tasks = []string{"click-tests"} }, `unknown task "click-tests"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := brought(t, miniwob.BrowserGym, 1, "all")
			row.change(&p)
			if err := p.Validate(); err == nil || !strings.Contains(err.Error(), row.wrong) {
				t.Errorf("error %v, want %q", err, row.wrong)
			}
		})
	}
}

func TestAStudyKnowsItsFolderAgain(t *testing.T) {
	p := brought(t, miniwob.BrowserGym, 1, "click-test")
	p.MiniWoB.Core = strings.Repeat("0", 64)
	s, err := study.Create(filepath.Join(t.TempDir(), "study"), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := study.Play(t.Context(), s, study.Options{}); err == nil ||
		!strings.Contains(err.Error(), "is not the MiniWoB++ that the study began with") {
		t.Errorf("another core: %v", err)
	}
	if _, err := report.Of(s); err != nil || !slices.Equal(s.Plan.Tasks, []string{"miniwob.click-test"}) {
		t.Errorf("a report needs the folder: %v", err)
	}
}
