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
	// Blobs is where the blobs of a cell are moved before its result counts; nil: they stay in the study.
	Blobs *Bucket
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

// Codes of errors; the first two end a study at once.
const (
	codeFolder  = "folder"  // the study's folder is not the one that is meant
	codeRefused = "refused" // cua-runner does not play the cell on this machine
	codeStopped = "stopped" // the worker was stopped
	codeStorage = "storage" // the blobs of the cell could not be moved into the bucket
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

// Missing are the numbers of the units of a batch that lack a result.
func (w *Worker) Missing(_ context.Context, in BatchInput) ([]int, error) {
	s, err := w.open(in.Dir, in.ID)
	if err != nil {
		return nil, err
	}
	units, err := numbered(s.Plan)
	if err != nil {
		return nil, never(codeFolder, err)
	}
	left, err := s.Missing()
	if err != nil {
		return nil, never(codeFolder, err)
	}
	out := []int{}
	for i := in.From; i < in.To; i++ {
		if slices.ContainsFunc(units[i], func(c benchmarks.Cell) bool { return slices.Contains(left, c) }) {
			out = append(out, i)
		}
	}
	return out, nil
}

// numbered are the units of a plan by the number, in Plan.Cells, of their first cell.
func numbered(p benchmarks.Plan) (map[int][]benchmarks.Cell, error) {
	all, err := p.Cells()
	if err != nil {
		return nil, err
	}
	units, err := study.Units(p)
	out := map[int][]benchmarks.Cell{}
	for i, j := 0, 0; i < len(all) && j < len(units); i++ {
		if units[j][0] == all[i] {
			out[i] = units[j]
			j++
		}
	}
	return out, err
}

// maxFaulted is how often an infrastructure fault may end a cell, each time on any machine, before that is
// its result. Each time cua-runner itself tries it twice.
const maxFaulted = 3

// Cell plays a cell, and those that belong to it (study.Units), unless they have a result. It is tried again
// only where an infrastructure fault ended one, or where it came to no result.
func (w *Worker) Cell(ctx context.Context, in CellInput) (out CellOutput, err error) {
	s, err := w.open(in.Dir, in.ID)
	if err != nil {
		return out, err
	}
	units, err := numbered(s.Plan)
	unit := units[in.Number]
	if err != nil || unit == nil {
		return out, never(codeFolder, errors.Join(err, fmt.Errorf("the study has no cell %d to begin with",
			in.Number)))
	}
	out.Cell = unit[0].Episode(1)
	out.Host, _ = os.Hostname() // "": unknown
	work, err := study.PrepareUnit(s, unit)
	if err != nil {
		return out, err
	}
	if work.Dir == "" {
		out.Before = true
		return out, nil
	}
	p := w.play(ctx, work)
	results, err := study.UnitResults(work.Dir, unit)
	if err != nil {
		return out, err
	}
	if len(results) < len(unit) {
		return out, p.failure(ctx)
	}
	for _, r := range results {
		if r.End.Infrastructure() && work.Faulted+1 < maxFaulted {
			return out, sdk.NewApplicationError(fmt.Sprintf("%s: %s", r.End, r.Detail), string(r.End))
		}
	}
	out.End, out.Steps = string(results[0].End), results[0].Steps
	if err := w.moveBlobs(ctx, work.Dir); err != nil {
		return out, err
	}
	return out, study.CommitUnit(s, unit, work.Dir)
}

// play plays what is left of a unit; nil where nothing is.
func (w *Worker) play(ctx context.Context, work study.UnitWork) *process {
	if len(work.Left) == 0 {
		return nil
	}
	args := []string{"bench", "--resume", work.Dir, "--workers", "1", "--json"}
	for _, c := range work.Left {
		args = append(args, "--cell", c.Episode(1))
	}
	p := w.cuaRunner(append(args, w.Flags...)...)
	p.run(ctx, func() int { return records(work.Dir) }, w.StepTimeout)
	return p
}

// moveBlobs moves the blobs of a unit that was played into the bucket, if there is one. Another try moves
// those that are left, and plays nothing.
func (w *Worker) moveBlobs(ctx context.Context, dir string) error {
	if w.Blobs == nil {
		return nil
	}
	moving, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- w.Blobs.MoveBlobs(moving, dir) }()
	tick := time.NewTicker(tellEach)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return storageFailure(ctx, err)
		case <-activity.GetWorkerStopChannel(ctx):
			stop()
			return sdk.NewApplicationError("the worker was stopped", codeStopped)
		case <-tick.C:
			activity.RecordHeartbeat(ctx, Beat{records(dir)})
		}
	}
}

// storageFailure is why blobs were not moved: the engine's cancelling, or a fault of the infrastructure.
func storageFailure(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case activity.GetInfo(ctx).Attempt >= maxBroken:
		return never(codeStorage, err)
	}
	return sdk.NewApplicationError(err.Error(), codeStorage)
}

// failure is why a process left no result: the engine's cancelling, a machine or browser that is broken, or
// what no other try would change.
func (p *process) failure(ctx context.Context) error {
	switch {
	case ctx.Err() != nil && !p.stopped:
		return ctx.Err()
	case p.stopped:
		return sdk.NewApplicationError("the worker was stopped", codeStopped)
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
