package temporal

import (
	"fmt"
	"time"

	enums "go.temporal.io/api/enums/v1"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Queue is the task queue of studies and their cells.
const Queue = "cua-runner"

const (
	// BatchCells is how many cells a child workflow has at most: its history stays far below what a server
	// admits.
	BatchCells = 500
	// batches is how many child workflows of a study run at once.
	batches = 4
	// HeartbeatTimeout is how long a worker may say nothing before its cells are given to others.
	HeartbeatTimeout = 30 * time.Second
	// cellTimeout ends a cell whose worker says for ever that it goes on.
	cellTimeout = 24 * time.Hour
)

// StudyInput says which study is played.
type StudyInput struct {
	// Dir is its folder, under the same path on all machines; ID is benchmarks.Study.ID of it.
	Dir string `json:"dir"`
	ID  string `json:"id"`
	// Cells is how many the plan has.
	Cells int `json:"cells"`
	// Heartbeat is a HeartbeatTimeout of its own; 0 is that one.
	Heartbeat time.Duration `json:"heartbeat,omitzero"`
}

// BatchInput says which cells of a study a child workflow plays: those whose numbers in Plan.Cells are From
// and more, and below To.
type BatchInput struct {
	StudyInput
	From int `json:"from"`
	To   int `json:"to"`
}

// CellInput is one cell, and those that belong to it: the Number of it in Plan.Cells.
type CellInput struct {
	Dir    string `json:"dir"`
	ID     string `json:"id"`
	Number int    `json:"number"`
}

// CellOutput is what the server keeps of a cell, for its reader; the result is in the study's folder.
type CellOutput struct {
	Cell  string `json:"cell"`
	End   string `json:"end,omitzero"`
	Steps int    `json:"steps,omitzero"`
	Host  string `json:"host,omitzero"`
	// Before says that the cell had a result already.
	Before bool `json:"before,omitzero"`
}

// StudyWorkflow plays the cells of a study that have no result. The first one that cannot be played cancels
// the rest.
func StudyWorkflow(ctx workflow.Context, in StudyInput) error {
	var list []BatchInput
	for from := 0; from < in.Cells; from += BatchCells {
		list = append(list, BatchInput{in, from, min(from+BatchCells, in.Cells)})
	}
	id := workflow.GetInfo(ctx).WorkflowExecution.ID
	return all(ctx, list, batches, func(ctx workflow.Context, b BatchInput) workflow.Future {
		ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
			WorkflowID: fmt.Sprintf("%s-%d", id, b.From), WaitForCancellation: true,
			ParentClosePolicy: enums.PARENT_CLOSE_POLICY_REQUEST_CANCEL})
		return workflow.ExecuteChildWorkflow(ctx, BatchWorkflow, b)
	})
}

// BatchWorkflow plays those of some cells of a study that have no result.
func BatchWorkflow(ctx workflow.Context, in BatchInput) error {
	var missing []int
	options := workflow.ActivityOptions{StartToCloseTimeout: 5 * time.Minute, RetryPolicy: patience()}
	look := workflow.WithActivityOptions(ctx, options)
	if err := workflow.ExecuteActivity(look, (*Worker).Missing, in).Get(ctx, &missing); err != nil {
		return err
	}
	options.StartToCloseTimeout, options.WaitForCancellation = cellTimeout, true
	options.HeartbeatTimeout = HeartbeatTimeout
	if in.Heartbeat > 0 {
		options.HeartbeatTimeout = in.Heartbeat
	}
	ctx = workflow.WithActivityOptions(ctx, options)
	return all(ctx, missing, BatchCells, func(ctx workflow.Context, number int) workflow.Future {
		return workflow.ExecuteActivity(ctx, (*Worker).Cell, CellInput{in.Dir, in.ID, number})
	})
}

// patience is how the server tries again: until the activity says that it is of no use.
func patience() *sdk.RetryPolicy {
	return &sdk.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute}
}

// all starts what the list stands for, so many at once, and waits for it. The first error cancels the rest.
func all[T any](ctx workflow.Context, list []T, atOnce int,
	start func(workflow.Context, T) workflow.Future) error {
	ctx, cancel := workflow.WithCancel(ctx)
	defer cancel()
	done := workflow.NewSelector(ctx)
	var failed error
	ended := func(f workflow.Future) {
		if err := f.Get(ctx, nil); err != nil && failed == nil {
			failed = err
			cancel()
		}
	}
	open := 0
	for _, one := range list {
		if open == atOnce {
			done.Select(ctx)
			open--
		}
		if failed != nil {
			break
		}
		done.AddFuture(start(ctx, one), ended)
		open++
	}
	for ; open > 0; open-- {
		done.Select(ctx)
	}
	return failed
}
