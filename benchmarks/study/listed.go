package study

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/manifest"
	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

// shown is cfg with the viewport of the list, where it has one.
func shownList(l *benchmarks.Tasklist, cfg runner.Config) runner.Config {
	if l.Manifest.Viewport != (cua.Size{}) {
		cfg.Viewport = l.Manifest.Viewport
	}
	return cfg
}

// listed is stage for a task of the list.
func (p *play) listed(ctx context.Context, c benchmarks.Cell, task suites.Task, cfg runner.Config) (*stage,
	error) {
	l := p.Plan.Tasklist
	t, err := l.Manifest.Find(strings.TrimPrefix(task.Name, l.TaskName("")))
	if err != nil {
		return nil, &cellError{err}
	}
	cfg = shownList(l, cfg)
	env, err := p.env(ctx, c, benchmarks.Setting{Task: cua.Task{ID: task.Name}, Viewport: cfg.Viewport})
	if err != nil {
		return nil, err
	}
	page, ok := env.(manifest.Page)
	if !ok {
		env.Close()
		return nil, errors.New("the environment has no page that could be asked: the suite " + l.Suite +
			" needs a browser")
	}
	e, err := manifest.Start(page, &l.Manifest, t, l.Suite, c.Seed)
	if err != nil {
		env.Close()
		return nil, &cellError{err}
	}
	return &stage{task: e.Task, scripts: benchmarks.Scripts{Oracle: t.Script, Player: t.Script}, config: cfg,
		env: e, session: env, host: e.Host(), plain: true, reward: e.Reward,
		verdict: func() verdicts { v := e.Verdict(); return verdicts{listed: &v} },
		// nolint:errcheck // a server that is gone is closed
		close: sync.OnceFunc(func() { env.Close(); e.End() })}, nil
}
