package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/formctl"
)

// extractCap bounds how long a brain may take to read a task's text.
const extractCap = time.Minute

// plan is task as it is recorded: with the values found in its text, and with every secret redacted. It drops
// the header's lessons that contain a secret.
func (r *Runner) plan(ctx context.Context, task cua.Task) cua.Task {
	if r.Secrets == nil && !r.Plain {
		return task
	}
	x, reads := r.Brain.(Extractor)
	reads = reads && len(task.Fields) == 0
	if r.Secrets == nil {
		var given []cua.PlanValue
		if reads {
			given = extracted(ctx, x, task.Goal)
		}
		if len(task.Fields) == 0 {
			task.Fields = formctl.Values(task.Goal, given)
		}
		return task
	}
	// The text that the brain reads has no secret in clear, neither a known one nor one that the grammar
	// finds.
	task = redactedPlan(task, nil, r.Secrets)
	if reads {
		if given := extracted(ctx, x, task.Goal); given != nil {
			task.Fields = nil
			task = redactedPlan(task, given, r.Secrets)
		}
	}
	r.Header.Lessons = harmless(r.Header.Lessons, r.Secrets)
	return task
}

// redactedPlan is task with the values of given, or of the grammar if that is nil, and without secrets.
func redactedPlan(task cua.Task, given []cua.PlanValue, secrets map[string]string) cua.Task {
	task = formctl.Plan(task, given, secrets)
	set := redact.New(secrets)
	task.Goal, task.Fields = set.Text(task.Goal), redact.Value(set, task.Fields)
	return task
}

// extracted are the values that x finds in goal, not nil; nil if it fails.
func extracted(ctx context.Context, x Extractor, goal string) []cua.PlanValue {
	values, err := extract(ctx, x, goal)
	if err != nil {
		return nil
	}
	return append([]cua.PlanValue{}, values...)
}

// extract asks x. If it panics or does not return in time, nothing was found.
func extract(ctx context.Context, x Extractor, goal string) ([]cua.PlanValue, error) {
	ctx, cancel := context.WithTimeout(ctx, extractCap)
	defer cancel()
	type answer struct {
		values []cua.PlanValue
		err    error
	}
	came := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if r := recover(); r != nil {
				a = answer{err: fmt.Errorf("the brain panicked: %v", r)}
			}
			came <- a
		}()
		a.values, a.err = x.Extract(ctx, goal)
	}()
	select {
	case a := <-came:
		return a.values, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// RedactTask is task with the values that its text gives and without a secret in clear, as Run records it.
// The secrets that it held are added to secrets by name; the map must not be nil.
func RedactTask(task cua.Task, secrets map[string]string) cua.Task {
	return formctl.Plan(task, nil, secrets)
}
