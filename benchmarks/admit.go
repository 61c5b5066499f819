package benchmarks

import (
	"context"
	"sync"
)

// Memory says when an episode may start beside others: only while so much is available. Alone it always may, so a study goes on
// however little there is.
type Memory struct {
	// NeedMB is what an episode is taken to need, megabytes; 0 admits all.
	NeedMB int
	// AvailableMB is what the machine has left; 0 is unknown, and admits all. Nil is the same.
	AvailableMB func() int
}

// admission lets episodes in.
type admission struct {
	Memory

	mu      sync.Mutex
	running int
	opening int           // those among them whose pages are not open yet: what they will take is still counted as available
	left    chan struct{} // closed and made anew when an episode ends or its page is open
}

func newAdmission(m Memory) *admission { return &admission{Memory: m, left: make(chan struct{})} }

// enter waits until an episode may start. Opened says that its page is open, leave that it is over; both may be called
// twice, and leave is called for opened. The error is ctx's cause.
func (a *admission) enter(ctx context.Context) (opened, leave func(), err error) {
	for {
		a.mu.Lock()
		if a.fits() {
			a.running++
			a.opening++
			a.mu.Unlock()
			opened = sync.OnceFunc(func() { a.change(0, -1) })
			return opened, sync.OnceFunc(func() { opened(); a.change(-1, 0) }), nil
		}
		left := a.left
		a.mu.Unlock()
		select {
		case <-left:
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
}

// fits says whether one more may start; a.mu is held.
func (a *admission) fits() bool {
	if a.running == 0 || a.NeedMB <= 0 || a.AvailableMB == nil {
		return true
	}
	mb := a.AvailableMB()
	return mb <= 0 || mb >= a.NeedMB*(a.opening+1)
}

func (a *admission) change(running, opening int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running += running
	a.opening += opening
	close(a.left)
	a.left = make(chan struct{})
}
