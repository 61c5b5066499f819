package temporal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"

	"github.com/cua-runner/cua-runner/benchmarks"
)

const (
	// againAfter is the pause before a server that did not answer is asked again.
	againAfter = time.Second
	// cancelGrace is how long the workers of a study that is cancelled may take.
	cancelGrace = 90 * time.Second
)

// WorkflowID is that of the study's workflow.
func WorkflowID(s *benchmarks.Study) string { return "cua-runner-" + s.ID() }

// Play starts a workflow that plays the cells of the study in dir that have no result, and waits for its end.
// If one is already running, it only waits. When ctx ends the workflow is cancelled. Messages go to out.
func Play(ctx context.Context, c client.Client, dir string, heartbeat time.Duration, out io.Writer) error {
	s, err := benchmarks.Open(dir)
	if err != nil {
		return err
	}
	all, err := s.Plan.Cells()
	if err != nil {
		return err
	}
	o := client.StartWorkflowOptions{ID: WorkflowID(s), TaskQueue: Queue,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE}
	run, err := c.ExecuteWorkflow(ctx, o, StudyWorkflow, StudyInput{Dir: dir, ID: s.ID(), Cells: len(all),
		Heartbeat: heartbeat})
	if err != nil {
		return fmt.Errorf("beginning the workflow %s: %w", o.ID, err)
	}
	fmt.Fprintf(out, "workflow %s on task queue %s\n", run.GetID(), Queue)
	if n, err := workers(ctx, c); err == nil && n == 0 {
		fmt.Fprintln(out, "no worker is there yet: start cua-runner-temporal worker")
	}
	err = wait(ctx, run)
	if ctx.Err() == nil {
		return ended(run, err)
	}
	late, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelGrace)
	defer stop()
	if err := c.CancelWorkflow(late, run.GetID(), run.GetRunID()); err != nil {
		return fmt.Errorf("cancelling the workflow %s: %w", run.GetID(), err)
	}
	if err := wait(late, run); late.Err() != nil {
		return fmt.Errorf("waiting for the workflow %s to end: %w", run.GetID(), err)
	}
	return ctx.Err()
}

// wait waits for the end of a workflow, also where the server is away meanwhile.
func wait(ctx context.Context, run client.WorkflowRun) error {
	for {
		err := run.Get(ctx, nil)
		var ended *sdk.WorkflowExecutionError
		if err == nil || ctx.Err() != nil || errors.As(err, &ended) {
			return err
		}
		select {
		case <-time.After(againAfter):
		case <-ctx.Done():
			return err
		}
	}
}

// ended is why a workflow ended, without the names of those that it passed the reason on to; nil stays nil.
func ended(run client.WorkflowRun, err error) error {
	var why *sdk.ApplicationError
	var cancelled *sdk.CanceledError
	switch {
	case errors.As(err, &why):
		return fmt.Errorf("the workflow %s ended: %s", run.GetID(), why.Message())
	case errors.As(err, &cancelled):
		return fmt.Errorf("the workflow %s was cancelled", run.GetID())
	}
	return err
}

// workers is how many ask for cells.
func workers(ctx context.Context, c client.Client) (int, error) {
	d, err := c.DescribeTaskQueue(ctx, Queue, enums.TASK_QUEUE_TYPE_ACTIVITY)
	return len(d.GetPollers()), err
}
