package detection

import (
	"context"
	"iter"
	"runtime"

	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// judgement is the outcome of one item of the input.
type judgement struct {
	judged Detected
	err    error
}

// InOrder judges runs side by side, one a processor, and hands the judgements out in the order of the
// input. No more runs are held than are being judged and as many again that wait for their turn. It
// ends early when ctx does, even while the input blocks.
func InOrder(ctx context.Context, runs iter.Seq2[*formats.Run, error],
	judge func(*formats.Run) Detected) iter.Seq2[Detected, error] {
	return func(yield func(Detected, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		queue := make(chan chan judgement, runtime.GOMAXPROCS(0))
		go judgeInto(ctx, queue, runs, judge)
		for {
			turn, open := received(ctx, queue)
			if !open {
				return
			}
			v, came := received(ctx, turn)
			if !came || !yield(v.judged, v.err) {
				return
			}
		}
	}
}

// judgeInto judges runs, as many side by side as queue has room for, and puts into queue where each judgement
// will be found, in the order of the input.
func judgeInto(ctx context.Context, queue chan chan judgement, runs iter.Seq2[*formats.Run, error],
	judge func(*formats.Run) Detected) {
	defer close(queue)
	busy := make(chan struct{}, cap(queue))
	for run, err := range runs {
		turn := make(chan judgement, 1)
		if !sent(ctx, queue, turn) {
			return
		}
		if err != nil {
			turn <- judgement{err: err}
			continue
		}
		if !sent(ctx, busy, struct{}{}) {
			return
		}
		go func() {
			turn <- judgement{judged: judge(run)}
			<-busy
		}()
	}
}

// received is the next value of c; false when c is closed or ctx has ended before one came.
func received[T any](ctx context.Context, c <-chan T) (v T, ok bool) {
	select {
	case v, ok = <-c:
	case <-ctx.Done():
	}
	return v, ok
}

// sent reports whether v went into c before ctx ended.
func sent[T any](ctx context.Context, c chan<- T, v T) bool {
	select {
	case c <- v:
		return true
	case <-ctx.Done():
		return false
	}
}
