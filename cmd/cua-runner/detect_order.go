package main

import (
	"context"
	"iter"
	"runtime"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/trajectories"
)

// judgement is what came of one item of the input.
type judgement struct {
	judged benchmarks.Detected
	err    error
}

// judged judges runs side by side, one a processor, and hands the judgements out in the order of the
// input. No more runs are held than are being judged and as many again that wait for their turn. It
// ends early when ctx does, even while the input blocks.
func judged(ctx context.Context, runs iter.Seq2[*trajectories.Run, error], judge func(*trajectories.Run) benchmarks.Detected) iter.Seq2[benchmarks.Detected, error] {
	return func(yield func(benchmarks.Detected, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		workers := runtime.GOMAXPROCS(0)
		queue := make(chan chan judgement, workers)
		busy := make(chan struct{}, workers)
		go func() {
			defer close(queue)
			for run, err := range runs {
				turn := make(chan judgement, 1)
				select {
				case queue <- turn:
				case <-ctx.Done():
					return
				}
				if err != nil {
					turn <- judgement{err: err}
					continue
				}
				select {
				case busy <- struct{}{}:
				case <-ctx.Done():
					return
				}
				go func() {
					turn <- judgement{judged: judge(run)}
					<-busy
				}()
			}
		}()
		for {
			var turn chan judgement
			var open bool
			select {
			case turn, open = <-queue:
			case <-ctx.Done():
			}
			if !open {
				return
			}
			select {
			case v := <-turn:
				if !yield(v.judged, v.err) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}
