package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// scriptedName is a command of this test binary: the program with the scripted brain and the scripted
// environment, without a browser.
const scriptedName = "cua-runner-scripted"

// Its first argument; the second is the folder.
const (
	modeRun    = "run"    // an episode without frames: all its files are written by one thread
	modeFrames = "frames" // an episode with frames
	modeWriter = "writer" // the records, frames and checkpoints of an episode, written by one thread
	modeCreate = "create" // a study that is begun and not played
	modeBench  = "bench"  // a study that is begun and played
	modeGoOn   = "go on"  // --resume of a study
	modeRetry  = "retry"  // --resume --retry-errors of a study
	// modeReplace is --overwrite of a study; the new one is not played.
	modeReplace = "replace"
)

// An episode has so many clicks, and the study so many cells.
const (
	clicks = 3
	cells  = 2
)

func init() {
	if filepath.Base(os.Args[0]) == scriptedName {
		runtime.LockOSThread() // strace counts the calls of each thread
	}
}

// scripted is the command.
func scripted() {
	a := &app{in: strings.NewReader(""), out: os.Stdout, err: os.Stderr}
	os.Exit(a.exitCode(a.playScripted(os.Args[1], os.Args[2])))
}

func (a *app) playScripted(mode, dir string) error {
	switch mode {
	case modeRun, modeFrames:
		return a.scriptedEpisode(dir, mode == modeFrames)
	case modeWriter:
		return infra(scriptedWriter(dir))
	case modeCreate, modeReplace, modeBench:
		f := benchFlags{out: dir, overwrite: mode == modeReplace}
		if err := f.place(); err != nil {
			return err
		}
		s, err := f.create(scriptedPlan())
		if err != nil || mode != modeBench {
			return err
		}
		return a.playScriptedStudy(s)
	}
	s, err := benchmarks.Open(dir)
	if err != nil {
		return usage("--resume: %w", err)
	}
	if mode == modeRetry {
		if _, err := a.errorsAgain(&benchFlags{retryErrors: true}, s); err != nil {
			return err
		}
	}
	return a.playScriptedStudy(s)
}

// scriptedEpisode runs the episode, or resumes it where it began.
func (a *app) scriptedEpisode(dir string, frames bool) error {
	env, err := newScriptedEnv()
	if err != nil {
		return err
	}
	env.noFrames = !frames
	task := cua.Task{ID: "t", Goal: "press Next", URL: envtest.URL("list")}
	cfg := runner.DefaultConfig()
	cfg.Viewport = cua.Size{W: 320, H: 320}
	r := &runner.Runner{Brain: scriptedBrain(), Env: env, Config: cfg, Dir: dir,
		Header: trajectories.Header{Episode: "e"}}
	var result trajectories.RunResult
	if t, err := trajectories.Read(dir); err == nil {
		if t.End != nil && t.End.Success {
			return nil
		}
		result, err = r.Resume(context.Background())
		return a.finish(result, dir, false, err)
	}
	f := runFlags{out: dir}
	if dir, _, err = f.folder(task); err != nil {
		return err
	}
	result, err = r.Run(context.Background(), task)
	return a.finish(result, dir, false, err)
}

// scriptedBrain presses Next and then says done, however often it is asked.
func scriptedBrain() runner.Brain {
	script := make([]cua.Scripted, 20)
	for i := range script {
		script[i] = cua.Scripted{Action: cua.Action{Kind: cua.Done, Success: true, Text: "pressed"}}
		if i < clicks {
			script[i] = cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: "Next"}
		}
	}
	return brain.Scripted{Script: script}
}

// scriptedEnv is the scripted environment, with or without frames.
type scriptedEnv struct {
	*envtest.Env
	noFrames bool
}

func newScriptedEnv() (*scriptedEnv, error) {
	site, err := envtest.ParseSite([]byte(`{"start":"list","pages":{
		"list":{"controls":[{"name":"Next","type":"button","counts":true},{"name":"note","type":"text"}]}}}`))
	return &scriptedEnv{Env: &envtest.Env{Site: site}}, err
}

func (e *scriptedEnv) seen(o *cua.Observation) {
	if e.noFrames {
		o.Shot = nil
	}
	if o.State != nil { // a checkpoint of its own for each state of the page
		o.State.Frames[0].Controls[0].Value = o.DOMDigest
	}
}

func (e *scriptedEnv) Reset(ctx context.Context, t cua.Task) (cua.Observation, error) {
	o, err := e.Env.Reset(ctx, t)
	e.seen(&o)
	return o, err
}

func (e *scriptedEnv) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	out, err := e.Env.Act(ctx, a)
	e.seen(&out.After)
	return out, err
}

// scriptedWriter continues with the journal in dir, or begins one, as the runner does.
func scriptedWriter(dir string) error {
	w, t, err := trajectories.Reopen(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, trajectories.ErrNoHeader) {
		t = &trajectories.Trajectory{}
		w, err = trajectories.Create(dir, trajectories.Header{Episode: "e"})
	}
	if err != nil {
		return err
	}
	defer w.Close()
	if t.Interrupted != nil {
		err = w.Event(trajectories.Event{Kind: trajectories.InterruptedEvent, Intent: t.Interrupted})
	}
	if err == nil && t.Start.URL == "" {
		err = w.Start(cua.Observation{URL: envtest.URL("list")})
	}
	click := &cua.Action{Kind: cua.Click, Mark: 1}
	for n := len(t.Steps) + 1; err == nil && n <= clicks; n++ {
		if err = w.Intent(cua.Intent{Number: n, Action: *click}); err != nil {
			break
		}
		s := &cua.Step{N: n, Action: click}
		if s.After.FrameSHA, err = w.Blob(fmt.Appendf(nil, "frame %d", n)); err != nil {
			break
		}
		if s.After.Checkpoint, err = w.State(&cua.PageState{URL: fmt.Sprint("http://a/", n)}); err != nil {
			break
		}
		err = w.Step(s)
	}
	if err != nil {
		return err
	}
	return w.End(trajectories.End{Reason: cua.EndDone, Success: true})
}

// scriptedPlan is a study of one task, under so many seeds.
func scriptedPlan() benchmarks.Plan {
	bare := runner.DefaultConfig()
	bare.Toggles = cua.Toggles{}
	bare.Viewport = cua.Size{W: 320, H: 320}
	return benchmarks.Plan{Suites: []string{"controls"}, Tasks: []string{"stepper"},
		Arms: []benchmarks.Arm{{Name: "off", Config: bare}}, Base: "off", Seeds: benchmarks.SeedsUpTo(cells)}
}

// playScriptedStudy plays what is missing. No cell is solved: the scripted page is not that of the task.
func (a *app) playScriptedStudy(s *benchmarks.Study) error {
	err := study.Play(context.Background(), s, study.Options{Workers: 1, Factory: scriptedFactory{}})
	return playedBy(err, s.Dir)
}

// scriptedFactory makes what an episode of the study needs.
type scriptedFactory struct{}

func (scriptedFactory) NewEnv(context.Context, benchmarks.Setting) (runner.Env, error) {
	runtime.LockOSThread() // of the worker that plays the episode and commits its result
	env, err := newScriptedEnv()
	if err != nil {
		return nil, err
	}
	env.Down = os.Getenv(scriptedDown) != ""
	return env, nil
}

// scriptedDown makes every page unreachable, so that all cells of a study end by an infrastructure fault.
const scriptedDown = "CUA_SCRIPTED_DOWN"

func (scriptedFactory) NewBrain(benchmarks.Scripts, benchmarks.Cell) (runner.Brain, trajectories.BrainInfo,
	error) {
	return scriptedBrain(), trajectories.BrainInfo{Name: "scripted"}, nil
}
