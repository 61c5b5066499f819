package study

import (
	"context"
	"sync"
)

// Memory says when an episode may start beside others: only while so much is available. Alone it always may,
// so a study continues however little there is.
type Memory struct {
	// NeedMB is what an episode is taken to need until it is measured, megabytes; 0 admits all.
	NeedMB int
	// TakenMB measures what each of so many open episodes takes, megabytes; from then on an episode is taken
	// to need twice that. 0 is unknown; nil measures nothing.
	TakenMB func(episodes int) int
	// AvailableMB is what the machine has left; 0 is unknown, and admits all. Nil is the same.
	AvailableMB func() int
	// Short is told when an episode waits for memory and none did before: how much it needs and how much is
	// available, megabytes, and how many run. Nil: nobody.
	Short func(need, available, running int)
}

// How many times the base (see pace) an episode's harness may take a step before fewer episodes run side by
// side, and at most for one more to be let in.
const (
	busyPace = 2.5
	easyPace = 1.5
)

// admission lets episodes in.
type admission struct {
	Memory
	cores int // the least that limit may be; 0 is no limit

	mu     sync.Mutex
	limit  int // how many may run side by side
	inside map[*seat]bool
	taken  int  // what an episode takes as measured, megabytes; 0 is unknown
	short  bool // one waits for memory
	// those among them whose pages are not open yet: what they will take is still counted as available
	opening int
	left    chan struct{} // closed and replaced when an episode ends or its page is open
}

// newAdmission admits as many as there are cores at first, and from then on as many as paced comes to. 0
// cores is no limit.
func newAdmission(m Memory, cores int) *admission {
	return &admission{Memory: m, cores: cores, limit: cores, inside: map[*seat]bool{},
		left: make(chan struct{})}
}

// seat is what an episode has that was let in.
type seat struct {
	// opened says that its page is open, leave that it is over. Both may be called twice, and leave is called
	// for opened.
	opened, leave func()
	most          int // so many episodes ran at once while it did, itself included; read it after leave
}

// enter waits until an episode may start. The error is ctx's cause.
func (a *admission) enter(ctx context.Context) (*seat, error) {
	for {
		a.mu.Lock()
		if a.fits() {
			s := a.sit()
			a.mu.Unlock()
			return s, nil
		}
		left := a.left
		a.mu.Unlock()
		select {
		case <-left:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// sit lets one in; a.mu is held.
func (a *admission) sit() *seat {
	s := &seat{}
	s.opened = sync.OnceFunc(func() { a.measure(); a.change(func() { a.opening-- }) })
	s.leave = sync.OnceFunc(func() { s.opened(); a.change(func() { delete(a.inside, s) }) })
	a.inside[s] = true
	a.opening++
	for other := range a.inside {
		other.most = max(other.most, len(a.inside))
	}
	return s
}

// fits reports whether one more may start; a.mu is held.
func (a *admission) fits() bool {
	switch {
	case len(a.inside) == 0:
		return true
	case a.cores > 0 && len(a.inside) >= a.limit:
		return false
	case a.NeedMB <= 0 || a.AvailableMB == nil:
		return true
	}
	need, mb := a.NeedMB, a.AvailableMB()
	if a.taken > 0 {
		need = 2 * a.taken
	}
	short := mb > 0 && mb < need*(a.opening+1)
	if short && !a.short && a.Short != nil {
		a.Short(need, mb, len(a.inside))
	}
	a.short = short
	return !short
}

// measure takes in what the open episodes take. It takes the kernel some milliseconds an episode, so it is
// done without the lock.
func (a *admission) measure() {
	if a.TakenMB == nil || a.NeedMB <= 0 {
		return
	}
	a.mu.Lock()
	n := len(a.inside)
	a.mu.Unlock()
	if taken := a.TakenMB(n); taken > 0 {
		a.mu.Lock()
		a.taken = taken
		a.mu.Unlock()
	}
}

// paced takes in that the harness of an episode, which ran beside most-1 others, took so many times the base
// a step.
func (a *admission) paced(times float64, most int) {
	a.change(func() {
		switch {
		case times > busyPace:
			a.limit = max(a.limit-1, a.cores)
		case times <= easyPace && most >= a.limit:
			a.limit++
		}
	})
}

// change does what may let others in.
func (a *admission) change(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	do()
	close(a.left)
	a.left = make(chan struct{})
}
