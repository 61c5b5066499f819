package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/miniwob"
	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/invariants"
)

// Options say how a study is played, not what is played.
type Options struct {
	Factory benchmarks.Factory
	// Workers is how many episodes run side by side; 0 is 1.
	Workers int
	// Memory holds episodes back while there is little of it.
	Memory Memory
	// Cores is how many the machine has. So many episodes run side by side at least where there are Workers
	// for them, and more only while the harness is not slowed down by them; an attempt that was slowed down
	// far is set aside and its cell played again alone. 0: nothing is measured, and all run.
	Cores int
	// Again are cells that are played once more however often the program ended in them (see DropErrors).
	Again []benchmarks.Cell
	// Only are the cells that are played if they have no result; nil is all.
	Only []benchmarks.Cell
	// Build is the program that plays; the zero value is the one that began the study.
	Build trajectories.Build
	// Browser is the one that plays; the zero value is the one that began the study.
	Browser trajectories.BrowserInfo
	// Progress is told of each committed cell, one call at a time; nil: nobody.
	Progress func(Progress)
	// Begin is told of each runner before it plays its task, and what it returns is called afterwards.
	// Several run side by side. nil: nobody.
	Begin func(r *runner.Runner, task cua.Task) (end func())
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Progress is how far a study is.
type Progress struct {
	Done  int `json:"done"`
	Total int `json:"total"`
	// Success is over all cells done, whatever their arm.
	Success benchmarks.Rate `json:"success"`
	// PerMinute is the rate of this process, cells a minute; Left the time to go at that rate.
	PerMinute float64       `json:"per_minute"`
	Left      time.Duration `json:"left_ns"`
	// Tokens and USD are what all cells done have used; USD is nil where the cost of one that used any is not
	// known.
	Tokens int      `json:"tokens"`
	USD    *float64 `json:"cost_usd,omitzero"`
	// Faulted and Interrupted count the attempts at the cells done that were not the agent's to lose.
	Faulted     int `json:"infrastructure_faults"`
	Interrupted int `json:"interrupted"`
	// Last is the result that was committed just now; nil in the first event of a study.
	Last *benchmarks.Result `json:"last,omitzero"`
}

// maxFaults is how often a cell may end by an infrastructure fault in one go before the fault is
// its result: one retry.
const maxFaults = 2

// play is a study being played.
type play struct {
	*benchmarks.Study
	Options
	server  *suites.Server
	miniwob *miniwob.Server // nil where the study does not play it
	ledger  *ledger
	start   time.Time
	begun   int // results that were there at the start
	gate    *admission

	several bool // cells of more than one task are to be played

	mu    sync.Mutex          // guards the ledger, Study.Results, Progress and what follows
	row   []benchmarks.Result // cells in a row whose brain could not be asked, not committed yet
	pace  pace
	later []benchmarks.Cell // to be played alone, once nothing else is
}

// Play plays the cells that have no result yet and commits each once. When ctx ends it returns ctx's cause:
// the running episodes are sealed as cancelled and not committed, and a later Play makes new attempts at
// them. So it is where the brain cannot be asked in several cells in a row, which are not committed either:
// an *OutageError. Any other error is a broken machine (no environment, disk full); what was committed stays.
func Play(ctx context.Context, s *benchmarks.Study, o Options) error {
	if err := cmp.Or(s.Plan.Validate(), s.Unchanged()); err != nil {
		return err
	}
	p, total, err := take(s, o)
	if err != nil {
		return err
	}
	defer p.ledger.close()
	p.gate, p.pace.cores = newAdmission(o.Memory, o.Cores), o.Cores
	if p.server, err = suites.Serve(tuned.Pages); err != nil {
		return err
	}
	defer p.server.Close()
	if l := s.Plan.Tasklist; l != nil {
		if err := l.Check(ctx); err != nil {
			return err
		}
	}
	if s.Plan.MiniWoB != nil {
		if p.miniwob, err = serve(s.Plan.MiniWoB); err != nil {
			return err
		}
		defer p.miniwob.Close()
	}
	for _, r := range s.Results {
		p.pace.learn(r.Task, r.StepMS, r.Beside)
	}
	missing, err := s.Missing()
	if err != nil {
		return err
	}
	if o.Only != nil {
		missing = slices.DeleteFunc(missing,
			func(c benchmarks.Cell) bool { return !slices.Contains(o.Only, c) })
	}
	p.several = slices.ContainsFunc(missing,
		func(c benchmarks.Cell) bool { return c.Task != missing[0].Task })
	p.tell(total, nil)
	return p.all(ctx, missing, total)
}

// all plays cells by so many workers; the first error stops the rest.
func (p *play) all(ctx context.Context, cells []benchmarks.Cell, total int) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan []benchmarks.Cell)
	var workers sync.WaitGroup
	for range max(p.Workers, 1) {
		workers.Go(func() {
			for unit := range next {
				if err := p.unit(ctx, unit, total); err != nil {
					stop(err)
				}
			}
		})
	}
	for _, unit := range units(p.Plan, cells) {
		if p.wasAside(unit) {
			p.mu.Lock()
			p.later = append(p.later, unit...)
			p.mu.Unlock()
			continue
		}
		select {
		case next <- unit:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := p.alone(ctx, total); err != nil {
		return err
	}
	return p.release(total)
}

// cell plays one cell until it has a result, and commits that. It is false where the attempt was set aside
// and the cell is to be played alone; alone says that it is.
func (p *play) cell(ctx context.Context, c benchmarks.Cell, total int, alone bool) (counts bool, err error) {
	task, err := p.Plan.FindTask(c.Task)
	if err != nil {
		return false, err
	}
	for tries := 1; ; tries++ {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		a := attempts(p.Study, c)
		if why := p.deadly(c, a); why != nil {
			return true, p.settle(failed(c, task, a, why), total)
		}
		t, on, err := p.episode(ctx, c, task, a.n+1)
		if own := ownFault(ctx, err); own != nil {
			if tries < maxFaults {
				continue
			}
			a.faulted += maxFaults
			return true, p.settle(failed(c, task, a, own), total)
		}
		if err != nil {
			return false, fmt.Errorf("study: playing %s: %w", c.Episode(a.n+1), err)
		}
		if cancelled(t) {
			return false, context.Cause(ctx)
		}
		p.measure(c, on)
		if aside := p.aside(c, t.End.Reason, on, alone); aside != nil {
			return false, p.setAside(c.Episode(a.n+1), *aside)
		}
		if t.End.Reason.Infrastructure() && tries < maxFaults {
			continue
		}
		return true, p.settle(p.result(c, task, t, on, a), total)
	}
}

// deadly says that the cell is not played again, because the program ended whenever it was; nil is no.
func (p *play) deadly(c benchmarks.Cell, a attempted) error {
	if a.died < maxDeaths || slices.Contains(p.Again, c) {
		return nil
	}
	return fmt.Errorf("the program ended %d times while it played this cell", a.died)
}

// ownFault is what of err is wrong with the cell alone; nil where it is not, or the work was called off.
func ownFault(ctx context.Context, err error) *cellError {
	var own *cellError
	if !errors.As(err, &own) || ctx.Err() != nil {
		return nil
	}
	return own
}

func cancelled(t *invariants.Journal) bool { return t.End == nil || t.End.Reason == cua.EndCancelled }

// result is what the last attempt at a cell came to; a are those before.
func (p *play) result(c benchmarks.Cell, task suites.Task, t *invariants.Journal, on *played,
	a attempted) benchmarks.Result {
	r := score(c, task, t, on.verdict)
	if len(p.Plan.Lessons) > 0 {
		given(&r, t.Trajectory)
	}
	r.HarnessMS, r.Workers = on.harness(t.Steps), max(p.Workers, 1)
	r.StepMS, r.Beside, r.Struck = on.stepMS, on.beside, on.struck
	if b := p.build(); b != p.Plan.Build {
		r.Build = b.String()
	}
	if b := p.browser(); !b.Same(p.Plan.Browser) {
		r.Browser = b.String()
	}
	if at, ok := p.Plan.ForkOf(c); ok {
		r.Forked = begun(t.Trajectory, at)
	}
	tried(&r, a)
	cut, sent := t.Cut()
	r.Cut, r.PossiblySent = r.Cut+cut, r.PossiblySent+sent
	if r.End.Infrastructure() {
		r.Faulted++
		return r
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	r.Slow = overloaded(r.StepMS, p.pace.base(c.Task))
	return r
}

// episode runs one attempt and reads its journal back. A fault of this cell alone is a *cellError.
func (p *play) episode(ctx context.Context, c benchmarks.Cell, task suites.Task,
	attempt int) (_ *invariants.Journal, _ *played, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &cellError{fmt.Errorf("crashed: %v", r)}
		}
	}()
	arm, err := p.Plan.FindArm(c.Arm)
	if err != nil {
		return nil, nil, err
	}
	seat, err := p.gate.enter(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer seat.leave()
	began := p.Now()
	cfg, err := p.nudgedAs(arm, c)
	if err != nil {
		return nil, nil, err
	}
	on, err := p.stage(ctx, c, task, cfg)
	if err != nil {
		return nil, nil, err
	}
	defer on.close()
	seat.opened()
	brain, info, err := p.Factory.NewBrain(on.scripts, c)
	if err != nil {
		return nil, nil, &cellError{fmt.Errorf("making a brain: %w", err)}
	}
	if held, ok := brain.(io.Closer); ok {
		defer held.Close() //nolint:errcheck // the episode is what counts
	}
	id := c.Episode(attempt)
	head := p.netFaults(c, trajectories.Header{Episode: id, Arm: c.Arm, Attempt: attempt, Brain: info,
		Browser: p.browser(), Build: p.build(), Host: p.Plan.Host,
		Lessons: here(p.Plan.Lessons, on.host)})
	run := runner.Runner{Brain: brain, Env: on.env, Config: on.config, Dir: p.EpisodeDir(id), Now: p.Now,
		Plain: on.plain, Header: head,
		Reward: func(ctx context.Context, end cua.EndReason, answer string) (*float64, error) {
			r, err := on.reward(ctx, end, answer)
			return &r, err
		}}
	end, err := p.begin(ctx, &run, c, on.task)
	if err != nil {
		return nil, nil, err
	}
	of := &played{verdict: on.verdict(), lost: end.TerminationReason.Infrastructure() && lost(on.session),
		struck: struck(on.session)}
	on.close()
	of.took = p.Now().Sub(began)
	seat.leave()
	t, err := invariants.Read(p.EpisodeDir(id))
	if err != nil {
		return nil, nil, err
	}
	of.beside, of.stepMS = seat.most, harnessStepMS(t.Steps)
	return t, of, nil
}

// ending is a session whose episode ends when its task does.
type ending struct {
	runner.Env
	in *suites.Instance
}

// Act is the session's; after it the task reports whether it is over.
func (e ending) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	out, err := e.Env.Act(ctx, a)
	if err == nil && e.in.Over() {
		reward := e.in.Reward(cua.EndEnvEnded)
		out.Terminated, out.Reward = true, &reward
	}
	return out, err
}

// env asks for a session, twice if need be: without one nothing can be played.
func (p *play) env(ctx context.Context, c benchmarks.Cell, s benchmarks.Setting) (runner.Env, error) {
	s.NetFaults, s.NetSeed = p.Plan.NetFaults(c), c.Chance()
	var last error
	for range maxFaults {
		env, err := p.Factory.NewEnv(ctx, s)
		if err == nil {
			return env, nil
		}
		last = err
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("opening a session: %w", last)
}

// commitAndTell commits r and reports it; p.mu is held, or nobody else works any more.
func (p *play) commitAndTell(r benchmarks.Result, total int) error {
	if err := commit(p.Study, p.ledger, r); err != nil {
		return err
	}
	p.tell(total, &r)
	return nil
}

// tell reports progress; p.mu is held, or nobody else works yet.
func (p *play) tell(total int, last *benchmarks.Result) {
	if p.Progress == nil {
		return
	}
	yes := 0
	e := Progress{Done: len(p.Results), Total: total, Last: last, USD: benchmarks.Cost(p.Results)}
	for _, r := range p.Results {
		if r.Success {
			yes++
		}
		e.Tokens += r.Tokens
		e.Faulted += r.Faulted
		e.Interrupted += r.Interrupted
	}
	e.Success = benchmarks.Wilson(yes, len(p.Results))
	if minutes := p.Now().Sub(p.start).Minutes(); minutes > 0 && e.Done > p.begun {
		e.PerMinute = float64(e.Done-p.begun) / minutes
		e.Left = time.Duration(math.Round(float64(total-e.Done) / e.PerMinute * float64(time.Minute)))
	}
	p.Progress(e)
}
