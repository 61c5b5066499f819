package detection

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// Runs are judged side by side and come out in order; few are held at a time, faults stay in their
// place, and who stops listening stops the reading.
func TestInOrderKeepsOrder(t *testing.T) {
	const n = 200
	var held, most atomic.Int64
	read := 0
	runs := func(yield func(*formats.Run, error) bool) {
		for i := range n {
			read++
			if now := held.Add(1); now > most.Load() {
				most.Store(now)
			}
			var err error
			if i%10 == 3 {
				err = errors.New("broken")
			}
			if !yield(&formats.Run{ID: fmt.Sprint(i), Line: i}, err) {
				return
			}
		}
	}
	judge := func(r *formats.Run) Detected {
		if r.Line%3 == 0 {
			runtime.Gosched()
		}
		return Detected{ID: r.ID}
	}
	i := 0
	for d, err := range InOrder(context.Background(), runs, judge) {
		held.Add(-1)
		if (err != nil) != (i%10 == 3) || err == nil && d.ID != fmt.Sprint(i) {
			t.Fatalf("item %d: %q, %v", i, d.ID, err)
		}
		i++
	}
	if bound := int64(2*runtime.GOMAXPROCS(0) + 2); i != n || most.Load() > bound {
		t.Errorf("%d items, at most %d held at a time: want %d and %d", i, most.Load(), n, bound)
	}
	for range InOrder(context.Background(), runs, judge) {
		break
	}
}

func TestInOrderEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	silent := make(chan struct{})
	defer close(silent)
	var runs iter.Seq2[*formats.Run, error] = func(yield func(*formats.Run, error) bool) {
		if yield(&formats.Run{}, nil) {
			<-silent
		}
	}
	n := 0
	for range InOrder(ctx, runs,
		func(*formats.Run) Detected { return Detected{} }) {
		n++
		cancel()
	}
	if n != 1 {
		t.Errorf("%d items", n)
	}
}
