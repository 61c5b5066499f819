package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/egress"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// progress shows how far a study is: a bar on a terminal, plain lines elsewhere, JSON lines
// on request.
type progress struct {
	app  *app
	json bool
	bar  *progressbar.ProgressBar
}

func newProgress(a *app, asJSON bool) *progress { return &progress{app: a, json: asJSON} }

func (p *progress) show(e study.Progress) {
	switch {
	case p.json:
		if e.Last == nil {
			return
		}
		if line, err := json.Marshal(e); err == nil {
			fmt.Fprintln(p.app.err, redact.VisibleJSON(string(line)))
		}
	case tty.Is(p.app.err):
		if p.bar == nil {
			p.bar = progressbar.NewOptions(e.Total, progressbar.OptionSetWriter(p.app.err),
				progressbar.OptionFullWidth(), progressbar.OptionShowCount(),
				progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond))
		}
		p.bar.Describe("strict " + e.Success.Percent() + spent(e))
		_ = p.bar.Set(e.Done) // a display that cannot be drawn is no reason to stop
	case e.Last != nil:
		word := "not solved"
		switch {
		case e.Last.Success:
			word = "strict"
		case e.Last.Lenient:
			word = "solved"
		}
		fmt.Fprintf(p.app.err,
			"%4d/%d  %-52s %-10s %-16s %3d steps  strict so far %s  %3.0f/min  left %s%s%s\n", e.Done,
			e.Total, e.Last.Episode, word, e.Last.End, e.Last.Steps, e.Success.Percent(), e.PerMinute,
			e.Left.Round(time.Second), spent(e), brokenBy(*e.Last))
	}
}

// brokenBy is what ended a cell that is in error, which is not the agent's failure; "" for any other.
func brokenBy(r benchmarks.Result) string {
	if !r.End.Infrastructure() || r.Detail == "" {
		return ""
	}
	return "  " + tty.Safe(r.Detail)
}

// spent is what the cells done have used, where that is anything.
func spent(e study.Progress) string {
	switch {
	case e.USD != nil:
		return fmt.Sprintf("  %.2f USD", *e.USD)
	case e.Tokens > 0:
		return fmt.Sprintf("  %d tokens", e.Tokens)
	}
	return ""
}

func (p *progress) close() {
	if p.bar != nil {
		fmt.Fprintln(p.app.err)
	}
}

// metered is a brain whose use is counted.
type metered struct {
	runner.Brain
	budget *study.Budget
}

// Decide is the brain's.
func (m metered) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	d, err := m.Brain.Decide(ctx, t)
	m.budget.Add(d.Usage)
	return d, err
}

// KeepIn tells the brain its folder, where it keeps anything there.
func (m metered) KeepIn(dir string) { brain.KeepIn(m.Brain, dir) }

// Close closes the brain, where it holds something.
func (m metered) Close() error { return brain.Close(m.Brain) }

// Extract is the brain's, where it can read plan values out of a text; else an error, as of a brain that
// cannot.
func (m metered) Extract(ctx context.Context, goal string) ([]cua.PlanValue, error) {
	if x, ok := m.Brain.(runner.Extractor); ok {
		return x.Extract(ctx, goal)
	}
	return nil, errors.New("the brain cannot read plan values out of a text")
}

// playedAny is an error where an infrastructure fault ended every cell: the study says nothing of any arm.
func playedAny(s *benchmarks.Study) error {
	for _, r := range s.Results {
		if !r.End.Infrastructure() {
			return nil
		}
	}
	if len(s.Results) == 0 {
		return nil
	}
	last := s.Results[len(s.Results)-1]
	return infra(fmt.Errorf("an infrastructure fault ended each of %d cells; the last, %s: %s",
		len(s.Results), last.Episode, tty.Safe(last.Detail)))
}

// playStudy plays what is missing of study within the caps, and says how to go on where it was stopped.
func (a *app) playStudy(ctx context.Context, f *benchFlags, o *opener, s *benchmarks.Study,
	chromium *browser.Browser) error {
	only, err := f.engine.only(s, chromium)
	if err != nil {
		return err
	}
	const says = "cua-runner: warning: the study was begun %s (%s; this is %s): its results and its report " +
		"say which cells this one plays\n"
	if here := build(); here != s.Plan.Build && f.engine.name == "" {
		fmt.Fprintf(a.err, says, "by another program", cmp.Or(s.Plan.Build.String(), "unknown"), here)
	}
	if here := browserInfo(chromium); !here.Same(s.Plan.Browser) && f.engine.name == "" {
		fmt.Fprintf(a.err, says, "with another browser", cmp.Or(s.Plan.Browser.String(), "unknown"), here)
	}
	if err := f.serve.begin(a); err != nil {
		return err
	}
	defer f.serve.close()
	f.serve.link("")
	display := newProgress(a, f.json)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if f.maxTime > 0 {
		late := time.AfterFunc(f.maxTime, func() {
			stop(fmt.Errorf("%w: the time of --max-time, %s",
				study.ErrBudget, f.maxTime))
		})
		defer late.Stop()
	}
	again, err := a.errorsAgain(f, s)
	if err != nil {
		return err
	}
	spent := study.NewBudget(f.model.maxTokens, f.model.maxCost, s.Used(), stop)
	if ctx.Err() != nil { // nothing is begun that would be given up at once
		return a.stopped(ctx, o, s, nil, f.engine.goesOn())
	}
	if f.engine.name != "" {
		err = f.engine.collect(ctx, a, s, display, spent)
	} else {
		play := &factory{keeper: keeper{app: a, browser: chromium, flags: f.browser}, plan: s.Plan, opener: o,
			budget: spent}
		err = study.Play(ctx, s, study.Options{Build: build(), Browser: browserInfo(chromium),
			Workers: f.beside(chromium), Cores: runtime.GOMAXPROCS(0), Again: again, Only: only,
			Progress: display.show, Begin: f.serve.study(s),
			Memory: study.Memory{NeedMB: f.memory, AvailableMB: study.AvailableMB, TakenMB: play.takenMB,
				Short: a.short}, Factory: play})
	}
	display.close()
	var outage *study.OutageError
	if ctx.Err() == nil && !errors.As(err, &outage) {
		return playedBy(err, s.Dir)
	}
	return a.stopped(ctx, o, s, outage, f.engine.goesOn())
}

// errorsAgain takes the cells in error out of the study's results where they are to be played again, and says
// which these are.
func (a *app) errorsAgain(f *benchFlags, s *benchmarks.Study) ([]benchmarks.Cell, error) {
	if !f.retryErrors {
		return nil, nil
	}
	cells, err := study.DropErrors(s)
	if err != nil {
		return nil, playedBy(err, s.Dir)
	}
	fmt.Fprintf(a.err, "cua-runner: %d cells that an infrastructure fault ended are played again\n",
		len(cells))
	return cells, nil
}

// stopped says how to go on with a study that ctx or an outage stopped, and why it did; nil is no outage. By
// says who plays it.
func (a *app) stopped(ctx context.Context, o *opener, s *benchmarks.Study,
	outage *study.OutageError, by string) error {
	fmt.Fprintf(a.err, "cua-runner: %d cells are done; go on with: cua-runner bench --resume %s%s%s\n",
		len(s.Results), s.Dir, o.consent(s.Plan.Brain.Name, s.Plan.Brain.Director), by)
	if outage != nil {
		return &exitError{exitFailed, fmt.Errorf("%w; --resume plays them again", outage)}
	}
	if over := context.Cause(ctx); errors.Is(over, study.ErrBudget) {
		return &exitError{exitFailed, over}
	}
	return ctx.Err()
}

// factory opens a session of the one browser for each episode, and starts the browser again
// when it is gone.
type factory struct {
	keeper
	plan   benchmarks.Plan
	opener *opener
	budget *study.Budget
}

func (f *factory) NewEnv(ctx context.Context, s benchmarks.Setting) (runner.Env, error) {
	env, err := f.session(ctx, browser.SessionOptions{Viewport: s.Viewport, NoState: s.NoState,
		Faults: egress.NewFaults(s.NetSeed, s.NetFaults)})
	if err != nil {
		return nil, err
	}
	return env, nil
}

// NewBrain makes the brain of the study with the cell's faults and chance.
func (f *factory) NewBrain(in benchmarks.Scripts, c benchmarks.Cell) (runner.Brain,
	trajectories.BrainInfo, error) {
	b, info, err := openBrain(f.opener, f.plan.Brain.Name, f.plan.BrainFaults(c), c.Chance(),
		broughtBrains(in))
	if err != nil {
		return nil, info, err
	}
	info.Director = f.plan.Brain.Director
	directed, err := withDirector(f.opener, b, info.Director)
	return f.app.asking(metered{directed, f.budget}), info, err
}

// episodeMB is what an episode is taken to need beside others, megabytes: the page's process of Chromium had
// 105 to 125 MB resident on the embedded suites, this program some tens a worker; a real site needs several
// times that.
const episodeMB = 512

// takenMB is what each of so many open episodes takes of the browser's memory, megabytes; 0 is unknown.
func (k *keeper) takenMB(episodes int) int {
	k.mu.Lock()
	b := k.browser
	k.mu.Unlock()
	if b == nil || episodes < 1 {
		return 0
	}
	u, err := b.Use()
	if err != nil {
		return 0 // it has ended
	}
	return int(u.PSS>>20) / episodes
}

// short says that episodes wait for memory.
func (a *app) short(need, available, running int) {
	fmt.Fprintf(a.err,
		"cua-runner: an episode waits for memory: it needs %d MB (--episode-mb, or measured), %d MB are "+
			"available; %d run\n",
		need, available, running)
}

// remote says what does not go together with a remote browser.
func (f *benchFlags) remote() error {
	if err := f.browser.check(); err != nil || !f.browser.remote.on() {
		return err
	}
	for _, fault := range slices.Concat(f.faults, f.eachFault) {
		if strings.HasPrefix(fault, "net_") {
			return usage("faults of the network need the egress proxy, which a remote browser is not "+
				"behind: leave %s out", fault)
		}
	}
	return nil
}

// beside is how many episodes run side by side: a context that is shared holds one at a time.
func (f *benchFlags) beside(b *browser.Browser) int {
	if b.Info().SharedContext {
		return 1
	}
	return f.workers
}
