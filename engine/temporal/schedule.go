package temporal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// ScheduleQueue is the task queue of scheduled studies. It is not that of cells: a worker that waits for a
// study takes no place of a cell.
const ScheduleQueue = Queue + "-schedules"

// ScheduledInput is a study that is begun by a schedule.
type ScheduledInput struct {
	// Out is the folder in which the study gets one that is named after the time.
	Out string `json:"out"`
	// Flags are those of cua-runner bench.
	Flags []string `json:"flags"`
}

// Schedule has a study begun at the times of cron.
func Schedule(ctx context.Context, c client.Client, id, cron string, in ScheduledInput) error {
	_, err := c.ScheduleClient().Create(ctx, client.ScheduleOptions{ID: id,
		Spec:    client.ScheduleSpec{CronExpressions: []string{cron}},
		Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP,
		Action: &client.ScheduleWorkflowAction{ID: "cua-runner-" + id, Workflow: ScheduledWorkflow,
			Args: []any{in}, TaskQueue: ScheduleQueue}})
	if err != nil {
		return fmt.Errorf("making the schedule %s: %w", id, err)
	}
	return nil
}

// BenchInput is one study of a schedule.
type BenchInput struct {
	Dir   string   `json:"dir"`
	Flags []string `json:"flags"`
}

const (
	// scheduledTries is how often the bench command of a scheduled study is run, if machines fail.
	scheduledTries   = 5
	scheduledTimeout = 7 * 24 * time.Hour
)

// ScheduledWorkflow runs one study of a schedule.
func ScheduledWorkflow(ctx workflow.Context, in ScheduledInput) error {
	policy := patience()
	policy.MaximumAttempts = scheduledTries
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: scheduledTimeout,
		HeartbeatTimeout: HeartbeatTimeout, WaitForCancellation: true, RetryPolicy: policy})
	at := workflow.GetInfo(ctx).WorkflowStartTime.UTC().Format("2006-01-02T150405Z")
	bench := BenchInput{filepath.Join(in.Out, at), in.Flags}
	return workflow.ExecuteActivity(ctx, (*Worker).Bench, bench).Get(ctx, nil)
}

// Bench is cua-runner bench with this engine. Where the worker died that ran it, the same command goes on
// with the study.
func (w *Worker) Bench(ctx context.Context, in BenchInput) error {
	args := []string{"bench", "--engine", "temporal", "--json", "--out", in.Dir}
	if w.Address != "" {
		args = append(args, "--address", w.Address)
	}
	if err := os.MkdirAll(filepath.Dir(in.Dir), 0o700); err != nil {
		return err
	}
	p := w.cuaRunner(append(args, in.Flags...)...)
	if w.Namespace != "" {
		p.cmd.Env = append(os.Environ(), "TEMPORAL_NAMESPACE="+w.Namespace)
	}
	p.run(ctx, func() int { return 0 }, scheduledTimeout) // its cells are watched by who plays them
	switch {
	case p.err == nil:
		return nil
	case ctx.Err() != nil && !p.stopped:
		return ctx.Err()
	case !p.stopped && (p.code == 1 || p.code == 2):
		return never(codeRefused, errors.New(p.says()))
	}
	return sdk.NewApplicationError(p.says(), "broken")
}
