package runner_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"
	"unsafe"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/faulttable"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// TestFaultTable plays the rows of the fault table that are about the end of an episode and its
// clock (make faults).
func TestFaultTable(t *testing.T) {
	says := func(d cua.Decision, err error) func(t *testing.T) (string, time.Duration) {
		return func(t *testing.T) (string, time.Duration) {
			return ended(t, pressing(t, func(context.Context) (cua.Decision, error) { return d, err }))
		}
	}
	row := faulttable.Row{N: 17, Fault: "a brain that cannot be reached", Want: "brain_error"}
	row.Run(t, says(cua.Decision{}, errors.New("503 Service Unavailable")))
	row = faulttable.Row{N: 18, Fault: "a brain that refuses", Want: "refused"}
	row.Run(t, says(cua.Decision{Refused: true, Thought: "no"}, nil))
	row = faulttable.Row{N: 20, Fault: "a clock that jumps between all records, years back and forth",
		Want: "max_steps, 6 steps in order, times right"}
	row.Run(t, jumpingClock)
}

// pressing is a runner with a brain of one function.
func pressing(t *testing.T, d decide) *runner.Runner {
	site, err := envtest.ParseSite([]byte(`{"start":"list","pages":{
		"list":{"controls":[{"name":"Next","type":"button","counts":true}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	cfg := runner.DefaultConfig()
	cfg.Viewport = cua.Size{W: 320, H: 320}
	cfg.Recovery.Limits.MaxSteps = 6
	return &runner.Runner{Brain: d, Env: &envtest.Env{Site: site}, Config: cfg,
		Dir: filepath.Join(t.TempDir(), "run"), Header: trajectories.Header{Episode: "e"}}
}

// ended runs an episode to its end, and says why it ended.
func ended(t *testing.T, r *runner.Runner) (string, time.Duration) {
	t.Helper()
	began := time.Now()
	res, err := r.Run(t.Context(), cua.Task{ID: "t", Goal: "press Next", URL: "http://scripted.test/list"})
	if err != nil {
		t.Fatal(err)
	}
	return string(res.TerminationReason), time.Since(began)
}

// jumpingClock runs an episode under a wall clock that jumps, beside a monotonic one that does not.
func jumpingClock(t *testing.T) (string, time.Duration) {
	calls := 0
	r := pressing(t, press)
	r.Now = func() time.Time {
		calls++
		if calls%2 == 0 {
			return jumped(time.Now(), -5)
		}
		return jumped(time.Now(), 5)
	}
	reason, took := ended(t, r)
	tr, err := trajectories.Read(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	order, times := "in order", "right"
	for i, s := range tr.Steps {
		if s.N != i+1 {
			order = "out of order"
		}
	}
	for _, ms := range []int64{tr.End.Totals.DurationMS, trajectories.Sum(tr.Steps).DurationMS} {
		if ms < 0 || ms > took.Milliseconds()+1 {
			times = fmt.Sprintf("wrong: %d ms of %d", ms, took.Milliseconds())
		}
	}
	return fmt.Sprintf("%s, %d steps %s, times %s", reason, len(tr.Steps), order, times), took
}

// jumped is t on a wall clock that was set that many years, as the kernel's is: the monotonic reading stays.
func jumped(t time.Time, years int64) time.Time {
	const secondsShift = 30 // of time.Time's wall field, with a monotonic reading
	jumped := t
	wall := (*uint64)(unsafe.Pointer(&jumped))
	*wall = uint64(int64(*wall) + years*365*24*3600<<secondsShift)
	if !(jumped.Sub(t) == 0 && jumped.Year() != t.Year()) {
		panic("time.Time is laid out in another way")
	}
	return jumped
}
