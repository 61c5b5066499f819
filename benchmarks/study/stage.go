package study

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/manifest"
	"github.com/cua-runner/cua-runner/benchmarks/miniwob"
	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// struck is what env knows of network faults that struck; nil is none.
func struck(env runner.Env) map[string]int {
	if s, ok := env.(benchmarks.Struck); ok {
		return s.Struck()
	}
	return nil
}

// stage is a cell ready to be played, wherever its task comes from.
type stage struct {
	task    cua.Task
	scripts benchmarks.Scripts
	config  runner.Config
	env     runner.Env
	session runner.Env // that env drives, as the factory made it
	host    string     // of the pages
	plain   bool       // plan values are read out of the goal
	reward  func(ctx context.Context, end cua.EndReason, answer string) (float64, error)
	verdict func() verdicts
	close   func() // may be called twice
}

// verdicts are what a benchmark that the user brought said of an episode; nil for any other.
type verdicts struct {
	miniwob *miniwob.Verdict
	listed  *manifest.Verdict
}

// late is how long answers were waited for that come late, ms.
func (v verdicts) late() float64 {
	switch {
	case v.miniwob != nil:
		return v.miniwob.LateMS
	case v.listed != nil:
		return v.listed.LateMS
	}
	return 0
}

// played is what one attempt leaves beside its journal.
type played struct {
	verdict verdicts
	took    time.Duration
	lost    bool    // its fault is the end of what it shared with others
	stepMS  float64 // Result.StepMS
	beside  int     // Result.Beside
	struck  map[string]int
}

// harness is how long it took beside the brain and beside waits for late answers, ms.
func (d *played) harness(steps []cua.Step) float64 {
	ms := float64(d.took.Microseconds()) / 1000
	for i := range steps {
		ms -= steps[i].Timing.Decide
	}
	return max(ms-d.verdict.late(), 0)
}

// stage opens the page of the cell and a session for it.
func (p *play) stage(ctx context.Context, c benchmarks.Cell, task suites.Task, cfg runner.Config) (*stage,
	error) {
	switch {
	case task.Build == nil && p.Plan.Tasklist != nil && task.Suite == p.Plan.Tasklist.Suite:
		return p.listed(ctx, c, task, cfg)
	case task.Build == nil:
		return p.brought(ctx, c, task, cfg)
	}
	in, err := p.server.Open(task, c.Seed)
	if err != nil {
		return nil, &cellError{err}
	}
	env, err := p.env(ctx, c, benchmarks.Setting{Task: in.Task, Viewport: cfg.Viewport})
	if err != nil {
		in.Close()
		return nil, err
	}
	return &stage{task: in.Task, scripts: benchmarks.Scripts{Oracle: in.Oracle, Player: in.Player},
		config: cfg,
		env:    ending{env, in}, session: env, host: p.server.Host(),
		reward: func(_ context.Context, end cua.EndReason, _ string) (float64,
			error) {
			return in.Reward(end), nil
		},
		verdict: func() verdicts { return verdicts{} },
		close:   sync.OnceFunc(func() { env.Close(); in.Close() })}, nil
}

// brought is stage for a task of MiniWoB++.
func (p *play) brought(ctx context.Context, c benchmarks.Cell, task suites.Task, cfg runner.Config) (*stage,
	error) {
	m := p.Plan.MiniWoB
	cfg = shown(m, cfg)
	env, err := p.env(ctx, c, benchmarks.Setting{Task: cua.Task{ID: task.Name}, Viewport: m.Profile.Viewport,
		NoState: true})
	if err != nil {
		return nil, err
	}
	page, ok := env.(miniwob.Page)
	if !ok {
		env.Close()
		return nil, errors.New("the environment has no page that could be asked: MiniWoB++ needs a browser")
	}
	e := miniwob.Start(ctx, page, p.miniwob, strings.TrimPrefix(task.Name, miniwob.ID("")), task.Suite,
		c.Seed, m.Profile, m.Cap)
	return &stage{task: e.Task, scripts: benchmarks.Scripts{Solver: e.Solver()}, config: cfg,
		env: e, session: env, host: p.miniwob.Host, plain: true,
		reward: func(ctx context.Context, _ cua.EndReason, _ string) (float64,
			error) {
			return e.Reward(ctx)
		},
		verdict: func() verdicts { v := e.Verdict(); return verdicts{miniwob: &v} },
		close:   sync.OnceFunc(func() { env.Close() })}, nil
}

// open finds the folder again and serves it.
func serve(m *benchmarks.MiniWoB) (*miniwob.Server, error) {
	c, err := miniwob.Open(m.Dir)
	if err != nil {
		return nil, err
	}
	if c.Core != m.Core {
		return nil, fmt.Errorf("study: %s is not the MiniWoB++ that the study began with: "+
			"its core.js is another", m.Dir)
	}
	return c.Serve()
}

// shown is cfg with the viewport in which the benchmark is shown, and without checkpoints: nothing can be
// gone back to.
func shown(m *benchmarks.MiniWoB, cfg runner.Config) runner.Config {
	cfg.Viewport = m.Profile.Viewport
	cfg.Checkpoints.State = false
	return cfg
}

// netFaults is h with the network faults of the cell.
func (p *play) netFaults(c benchmarks.Cell, h trajectories.Header) trajectories.Header {
	for _, f := range p.Plan.NetFaults(c) {
		h.NetFaults, h.NetSeed = append(h.NetFaults, f.String()), c.Chance()
	}
	return h
}
