package temporal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
)

// Worker plays cells on this machine.
type Worker struct {
	// Shared is the folder that all machines share, under the same path. Studies outside of it are refused.
	Shared string
	// Program is cua-runner, which plays one cell a process; Flags are added to its command line.
	Program string
	Flags   []string
	// Cells is how many cells run side by side, PerSecond how many all workers together begin a second; 0 is
	// no limit.
	Cells     int
	PerSecond float64
	// StepTimeout is how long an episode may record nothing.
	StepTimeout time.Duration
	// Schedules has the worker run the studies of schedules too, with the server at Address and its
	// Namespace; "" is what the environment says.
	Schedules          bool
	Address, Namespace string
}

// Run plays what the server has until interrupt is closed or sent to.
func (w *Worker) Run(c client.Client, interrupt <-chan any) error {
	o := worker.Options{WorkerStopTimeout: stopGrace + 5*time.Second, MaxHeartbeatThrottleInterval: tellEach}
	if w.Schedules {
		in := worker.New(c, ScheduleQueue, o)
		in.RegisterWorkflow(ScheduledWorkflow)
		in.RegisterActivity(w.Bench)
		if err := in.Start(); err != nil {
			return err
		}
		defer in.Stop()
	}
	o.MaxConcurrentActivityExecutionSize, o.TaskQueueActivitiesPerSecond = w.Cells, w.PerSecond
	in := worker.New(c, Queue, o)
	in.RegisterWorkflow(StudyWorkflow)
	in.RegisterWorkflow(BatchWorkflow)
	in.RegisterActivity(w.Missing)
	in.RegisterActivity(w.Cell)
	return in.Run(interrupt)
}

// Codes of errors that end a study.
const (
	codeFolder  = "folder"  // the study's folder is not the one that is meant
	codeRefused = "refused" // cua-runner does not play the cell on this machine
)

// never is an error that is no better the next time.
func never(code string, err error) error {
	return sdk.NewNonRetryableApplicationError(err.Error(), code, nil)
}

// open opens a study of the shared folder.
func (w *Worker) open(dir, id string) (*benchmarks.Study, error) {
	shared, err := filepath.EvalSymlinks(w.Shared)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	if in, err := filepath.Rel(shared, real); err != nil || !filepath.IsLocal(in) {
		return nil, never(codeFolder, fmt.Errorf("%s is not in %s, the shared folder of this worker", dir,
			w.Shared))
	}
	s, err := benchmarks.Open(real)
	if err != nil {
		return nil, err
	}
	if s.ID() != id {
		return nil, never(codeFolder, fmt.Errorf("the study in %s is another one than that of this workflow",
			dir))
	}
	return s, nil
}

// Missing are the numbers of the cells of a batch that have no result.
func (w *Worker) Missing(_ context.Context, in BatchInput) ([]int, error) {
	s, err := w.open(in.Dir, in.ID)
	if err != nil {
		return nil, err
	}
	all, err := s.Plan.Cells()
	if err != nil {
		return nil, never(codeFolder, err)
	}
	left, err := s.Missing()
	if err != nil {
		return nil, never(codeFolder, err)
	}
	out := []int{}
	for i := in.From; i < min(in.To, len(all)); i++ {
		if slices.Contains(left, all[i]) {
			out = append(out, i)
		}
	}
	return out, nil
}

// maxFaulted is how often an infrastructure fault may end a cell, each time on any machine, before that is
// its result. Each time cua-runner itself tries it twice.
const maxFaulted = 3

// Cell plays a cell, unless it has a result. It is tried again only where an infrastructure fault ended it,
// or where it came to no result.
func (w *Worker) Cell(ctx context.Context, in CellInput) (out CellOutput, err error) {
	s, err := w.open(in.Dir, in.ID)
	if err != nil {
		return out, err
	}
	all, err := s.Plan.Cells()
	if err != nil || in.Number >= len(all) {
		return out, never(codeFolder, errors.Join(err, fmt.Errorf("there are %d cells, and no cell %d",
			len(all), in.Number)))
	}
	c := all[in.Number]
	out.Cell = c.Episode(1)
	out.Host, _ = os.Hostname() // "": unknown
	work, err := study.PrepareCell(s, c)
	if err != nil {
		return out, err
	}
	if work.Dir == "" {
		out.Before = true
		return out, nil
	}
	args := []string{"bench", "--resume", work.Dir, "--cell", out.Cell, "--workers", "1", "--json"}
	p := w.cuaRunner(append(args, w.Flags...)...)
	p.run(ctx, func() int { return records(work.Dir) }, w.StepTimeout)
	r, err := study.CellResult(work.Dir, c)
	if err != nil {
		return out, err
	}
	if r == nil {
		return out, p.failure(ctx)
	}
	if r.End.Infrastructure() && work.Faulted+1 < maxFaulted {
		return out, sdk.NewApplicationError(fmt.Sprintf("%s: %s", r.End, r.Detail), string(r.End))
	}
	out.End, out.Steps = string(r.End), r.Steps
	return out, study.CommitCell(s, c, work.Dir)
}

// failure is why a process left no result: the engine's cancelling, a machine or browser that is broken, or
// what no other try would change.
func (p *process) failure(ctx context.Context) error {
	switch {
	case ctx.Err() != nil && !p.stopped:
		return ctx.Err()
	case p.stopped:
		return sdk.NewApplicationError("the worker was stopped", "stopped")
	case p.hung > 0:
		return sdk.NewApplicationError(fmt.Sprintf("nothing was recorded for %s", p.hung), "hung")
	case p.code == 1 || p.code == 2:
		return never(codeRefused, errors.New(p.says()))
	}
	if info := activity.GetInfo(ctx); info.Attempt >= maxBroken {
		return never(codeRefused, fmt.Errorf("%d tries: %s", info.Attempt, p.says()))
	}
	return sdk.NewApplicationError(p.says(), "broken")
}

// maxBroken is how often a cell may come to no result before its study ends: machines that die count, and so
// do browsers that do not start.
const maxBroken = 20

// says is the last that the process said of itself, else how it ended.
func (p *process) says() string {
	lines := strings.Split(strings.TrimSpace(string(p.said.text)), "\n")
	for _, line := range slices.Backward(lines) {
		if text, ok := strings.CutPrefix(line, "cua-runner: "); ok {
			return text
		}
	}
	return strings.TrimSpace(fmt.Sprintf("%v %s", p.err, lines[len(lines)-1]))
}
