package runner

import (
	"context"
	"time"
)

const (
	// brainGrace is how long a brain may take to return after its context has ended.
	brainGrace = 2 * time.Second
	// actGrace is how long an interrupted episode may take to finish its action.
	actGrace = 10 * time.Second
	// rewardGrace bounds Runner.Reward.
	rewardGrace = 10 * time.Second
)

// delayCancel is ctx, canceled that much later.
func delayCancel(ctx context.Context, delay time.Duration) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancel(context.WithoutCancel(ctx))
	detach := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(delay, cancel)
		context.AfterFunc(out, func() { timer.Stop() })
	})
	return out, func() { detach(); cancel() }
}

// timed starts to time a stage. The function that it returns stores the time since then in ms.
func (e *episode) timed(ms *float64) func() {
	start := e.now()
	return func() { *ms = e.since(start) }
}
