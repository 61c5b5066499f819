package mcp_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/manifest"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/heuristic"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/server/mcp"
	"github.com/cua-runner/cua-runner/trajectories"
)

var (
	studyDir = flag.String("study", "", "folder of the study of recovery: it is begun or continued there")
	studyFor = flag.Duration("study.for", 0, "stop the study after this long; 0 is when it is done")
	studyOf  = flag.String("study.tasks", "", "play these tasks alone, by commas")
	libs     = flag.String("study.libraries", "", "folder with the libraries of the held-out suite")
	seeds    = flag.Int("study.seeds", 1, "seeds of each embedded task")

	oracleAll = flag.Bool("oracle.all", false, "try all ways of TestOracleClients (make mcp-oracle)")
)

const (
	fixated = "click_fixation=1"
	heldout = "../../benchmarks/suites/heldout/manifest.json"
)

// players makes the sessions and the clients of the study.
type players struct {
	t    *testing.T
	b    *browser.Browser
	plan benchmarks.Plan
	// oracle makes the script of each task the client's brain, reach is its way to the server; nil is within
	// the process.
	oracle bool
	reach  reach

	mu    sync.Mutex
	sizes []int
}

func (p *players) NewEnv(ctx context.Context, s benchmarks.Setting) (runner.Env, error) {
	return p.b.NewSession(ctx, browser.SessionOptions{Viewport: s.Viewport, NoState: s.NoState})
}

// NewBrain is a client whose brain is the embedded one, or the script of a held-out task.
func (p *players) NewBrain(s benchmarks.Scripts, c benchmarks.Cell) (runner.Brain, trajectories.BrainInfo,
	error) {
	var b brain.Brain = heuristic.Brain{}
	if p.oracle || c.Suite == p.list() {
		b = brain.Scripted{Script: s.Oracle}
	}
	f := brain.Faults{Seed: c.Chance()}
	for _, text := range p.plan.BrainFaults(c) {
		rate, err := brain.ParseFault(text)
		if err != nil {
			return nil, trajectories.BrainInfo{}, err
		}
		f.Add(rate)
	}
	faulty, err := brain.WithFaults(b, f)
	r := newRelay(faulty, b, func(err error) { p.t.Error(err) })
	if p.reach != nil {
		r.reach = p.reach
	}
	return r, p.plan.Brain, err
}

func (p *players) list() string {
	if p.plan.Tasklist == nil {
		return ""
	}
	return p.plan.Tasklist.Suite
}

// begin joins the runner of an episode to its client.
func (p *players) begin(r *runner.Runner, _ cua.Task) func() {
	client := r.Brain.(*relay)
	end := client.begin(r)
	return func() {
		end()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.sizes = append(p.sizes, client.sizes...)
		if err := os.WriteFile(filepath.Join(r.Dir, "calls.txt"),
			[]byte(strings.Join(client.tale, "\n")), 0o600); err != nil {
			p.t.Error(err)
		}
	}
}

// studyPlan is of the traps and controls, and of the held-out pages where their libraries are.
func studyPlan(t *testing.T) benchmarks.Plan {
	t.Helper()
	p := benchmarks.Plan{Version: benchmarks.PlanVersion, Suites: []string{"traps", "controls"},
		Base: string(mcp.Off), Seeds: benchmarks.SeedsUpTo(*seeds),
		Brain:     trajectories.BrainInfo{Name: "mcp"},
		EachFault: []string{benchmarks.NoFault, fixated}, Started: time.Now()}
	for _, r := range []mcp.Recovery{mcp.Off, mcp.Advise, mcp.Act} {
		c, err := r.Config(mcp.Limits(runner.DefaultConfig()))
		if err != nil {
			t.Fatal(err)
		}
		p.Arms = append(p.Arms, benchmarks.Arm{Name: string(r), Config: c})
	}
	if *libs != "" {
		text, err := os.ReadFile(heldout)
		if err != nil {
			t.Fatal(err)
		}
		m, err := manifest.Parse(heldout, text)
		if err != nil {
			t.Fatal(err)
		}
		if m.Site.Libraries, err = filepath.Abs(*libs); err != nil {
			t.Fatal(err)
		}
		s, err := manifest.OpenSite(filepath.Join(filepath.Dir(heldout), m.Site.Dir))
		if err != nil {
			t.Fatal(err)
		}
		m.Site.Dir, m.Site.Index = s.Dir, s.Index
		p.Tasklist = &benchmarks.Tasklist{Suite: "manifest", Source: "held-out", Manifest: *m}
		p.Suites = append(p.Suites, "manifest")
	}
	if *studyOf != "" {
		p.Tasks = strings.Split(*studyOf, ",")
	}
	return p
}

// TestStudy is the study of recovery for MCP clients (make mcp-study): what a client that follows the calls
// it is offered solves more than without recovery.
func TestStudy(t *testing.T) {
	if *studyDir == "" {
		t.Skip("make mcp-study asks for it")
	}
	s, err := benchmarks.Open(*studyDir)
	if errors.Is(err, os.ErrNotExist) {
		s, err = study.Create(*studyDir, studyPlan(t))
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if *studyFor > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, *studyFor)
		defer cancel()
	}
	p := &players{t: t, b: chromium.Get(t), plan: s.Plan}
	total := 0
	err = study.Play(ctx, s, study.Options{Factory: p, Workers: 2, Begin: p.begin,
		Progress: func(e study.Progress) { total = e.Total }})
	if err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	if n := len(s.Results); n < total {
		fmt.Printf("%d of %d cells are played: run it again to continue\n", n, total)
	}
	fmt.Print(studyTable(s))
	if slices.Sort(p.sizes); len(p.sizes) > 0 {
		fmt.Printf("\nof this run: %d results, median %d characters, largest %d\n", len(p.sizes),
			p.sizes[len(p.sizes)/2], p.sizes[len(p.sizes)-1])
	}
}

// studyTable has a row for each client, suite and mode.
func studyTable(s *benchmarks.Study) string {
	by := map[benchmarks.Cell]benchmarks.Result{}
	for _, r := range s.Results {
		by[r.Cell] = r
	}
	var b strings.Builder
	b.WriteString("| client | suite | --recovery | strict | vs off | better/worse | steps | " +
		"wrong | harm |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, fault := range s.Plan.EachFault {
		for _, suite := range s.Plan.Suites {
			for _, arm := range s.Plan.Arms {
				b.WriteString(studyRow(s, by, fault, suite, arm.Name))
			}
		}
	}
	return b.String()
}

func studyRow(s *benchmarks.Study, by map[benchmarks.Cell]benchmarks.Result, fault, suite,
	arm string) string {
	var yes, n, better, worse, steps, wrong, harm int
	for _, r := range s.Results {
		base, ok := by[r.In(s.Plan.Base)]
		if r.Fault != fault || r.Suite != suite || r.Arm != arm || !ok {
			continue
		}
		n++
		steps, wrong = steps+r.Steps, wrong+r.WrongCount()
		if r.Harm != "" {
			harm++
		}
		if r.Success {
			yes++
		}
		switch {
		case r.Success && !base.Success:
			better++
		case !r.Success && base.Success:
			worse++
		}
	}
	if n == 0 {
		return ""
	}
	versus := "base"
	if arm != s.Plan.Base {
		low, high := benchmarks.PairedInterval(better, worse, n)
		versus = fmt.Sprintf("%+.0f [%.0f, %.0f]", 100*float64(better-worse)/float64(n), 100*low, 100*high)
	}
	names := map[string]string{benchmarks.NoFault: "not fixated", fixated: "fixated"}
	return fmt.Sprintf("| %s | %s | %s | %d of %d | %s | %d/%d | %.1f | %d | %d |\n", names[fault],
		strings.Replace(suite, "manifest", "held-out", 1), arm, yes, n, versus, better, worse,
		float64(steps)/float64(n), wrong, harm)
}
