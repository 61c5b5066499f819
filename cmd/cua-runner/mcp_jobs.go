package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"

	"github.com/cua-runner/cua-runner/benchmarks/detection"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/server/mcp"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// mcpJobs plays the tasks of run_task.
type mcpJobs struct {
	app    *app
	flags  *mcpFlags
	opener *opener
	keeper *keeper
	config runner.Config
	given  map[string]string // the secrets of --secret
}

// jobs checks the brains. The tasks are played as by run: the client is not their brain, so --recovery is not
// about them.
func (f *mcpFlags) jobs(a *app, given map[string]string) (*mcpJobs, error) {
	if f.running < 1 || len(f.brains) == 0 {
		return nil, usage("--max-running must be 1 or more, not %d, and --brain names one brain or more",
			f.running)
	}
	c, err := f.run.config.over(runner.DefaultConfig())
	if err != nil {
		return nil, err
	}
	f.model.onSafety = safetyHalt // nobody is at a terminal
	o, err := f.model.opener(a, os.Getenv)
	if err != nil {
		return nil, err
	}
	for _, spec := range f.brains {
		b, err := o.open(spec)
		if err != nil {
			return nil, usage("--brain: %w", err)
		}
		_ = brain.Close(b)
	}
	return &mcpJobs{app: a, flags: f, opener: o, config: c, given: given,
		keeper: &keeper{app: a, flags: f.run.browser}}, nil
}

// play plays one task below --dir.
func (m *mcpJobs) play(ctx context.Context, j *mcp.Job) (r trajectories.RunResult, err error) {
	f, secrets := m.flags, maps.Clone(m.given)
	// The client is no owner of this machine's other secrets: what it names is not looked up.
	task, err := redacted(j.Task, secrets, func(string) string { return "" })
	if err != nil {
		return r, err
	}
	task.ID = taskID(task, secrets)
	m.app.redact.Learn(secrets)
	b, info, err := openBrain(m.opener, j.Brain, nil, task.Seed, nil)
	if err != nil {
		return r, err
	}
	defer brain.Close(b) //nolint:errcheck // the episode is what counts
	config := m.config
	config.Recovery.Limits.MaxWallMS = float64(j.MaxWall.Milliseconds())
	arm := runner.ArmName(config, "default")
	named := runFlags{below: f.run.below, config: configFlags{arm: "mcp-task"}}
	dir, id, err := named.folder(task)
	if err != nil {
		return r, err
	}
	j.Begin(dir)
	begin := func(env runner.Env) *runner.Runner {
		h := trajectories.Header{Episode: id, Attempt: 1, Arm: arm, Brain: info, Build: build(), Host: host()}
		h = drivenBy(h, env)
		return &runner.Runner{Brain: m.app.asking(b), Env: env, Config: config, Dir: dir, Secrets: secrets,
			Watch: j.Watch, Header: h}
	}
	start := func(r *runner.Runner, ctx context.Context) (trajectories.RunResult, error) {
		return r.Run(ctx, task)
	}
	return m.keeper.play(ctx, sessionOptions(config, f.run.fixtures, secrets), begin, start)
}

// detect is the tool detect_loops.
func (f *mcpFlags) detect(ctx context.Context, path string, in io.Reader, each func(*mcp.Loops)) error {
	from, format := "-", formats.Auto
	if path != "" {
		var err error
		if from, err = f.below(path); err != nil {
			return err
		}
	}
	assembly := runner.Assemble(runner.DefaultConfig())
	for run, err := range formats.Runs(from, format, in, nil) {
		var bad *trajectories.SyntaxError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &bad):
			each(&mcp.Loops{Error: fmt.Sprintf("line %d: no trajectory", bad.Line)})
		case err != nil:
			return errors.New("it cannot be read")
		default:
			d := detection.Detect(run, assembly, nil)
			each(&mcp.Loops{ID: d.ID, Steps: d.Steps, FirstSoft: d.SoftAt, FirstHard: d.HardAt,
				Stuck: d.Stuck, Wasted: d.Wasted, Loops: d.Loops})
		}
	}
	return nil
}

// below is a path of a client, which must lie below --dir. With --http nobody reads files of the machine:
// its clients may be strangers to each other.
func (f *mcpFlags) below(path string) (string, error) {
	if f.http != "" {
		return "", errors.New("path is for clients over standard input: give trajectory")
	}
	dir, err := filepath.EvalSymlinks(f.run.below)
	if err != nil {
		return "", errors.New("path: there are no runs yet")
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", errors.New("path: there is no such file below --dir")
	}
	if inside, err := filepath.Rel(dir, real); err != nil || !filepath.IsLocal(inside) {
		return "", errors.New("path: there is no such file below --dir")
	}
	return real, nil
}
