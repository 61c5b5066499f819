package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Server is the HTTP API over one folder.
type Server struct {
	o       Options
	lock    *os.File
	key     []byte
	tenants []*tenant
	handler http.Handler
	metrics *metrics

	mu       sync.Mutex
	queue    []*episode // those that wait to run or to be resumed, the next first
	running  int
	streams  int
	draining bool
	work     sync.WaitGroup
	ctx      context.Context // of the episodes
	cancel   context.CancelCauseFunc
	keep     time.Duration                          // keepControl, or what a test has set
	slowest  time.Duration                          // slowest, or what a test has set
	store    func(tenantDir string, r record) error // accept, or what a test has set
	closing  chan struct{}                          // closed when the server begins to shut down
}

// tenant is a Tenant at work.
type tenant struct {
	Tenant
	dir     string
	token   [sha256.Size]byte
	limiter *rate.Limiter

	creating sync.Mutex // held while an episode is accepted
	mu       sync.Mutex
	episodes []*episode // by id
	byID     map[string]*episode
	byKey    map[string]*episode
	running  int // guarded by Server.mu
	queued   int
}

var tenantName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,59}$`)

// New opens the folder, which no other server may use, and takes up the episodes that it holds: what was
// running is resumed first, the oldest first. Start begins to run them. The error wraps ErrInUse where
// another server uses the folder. A server without a folder shows what Show adds.
func New(o Options) (*Server, error) {
	s := &Server{o: o.withDefaults(), keep: keepControl, slowest: slowest, store: accept,
		closing: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	var err error
	if s.o.Dir != "" {
		if s.lock, err = lockFolder(s.o.Dir); err != nil {
			return nil, err
		}
	}
	if err := s.open(); err != nil {
		s.lock.Close()
		return nil, err
	}
	return s, nil
}

// open reads what is in the folder.
func (s *Server) open() (err error) {
	if s.o.Dir != "" {
		if s.key, err = serverKey(s.o.Dir); err != nil {
			return err
		}
	}
	s.metrics = newMetrics(s)
	if s.handler, err = s.routes(); err != nil {
		return err
	}
	for _, o := range s.o.Tenants {
		t, err := s.tenant(o)
		if err != nil {
			return err
		}
		s.tenants = append(s.tenants, t)
	}
	if s.o.Dir == "" {
		return nil
	}
	return s.takeUp()
}

// takeUp queues the episodes that the folders hold and that have not ended.
func (s *Server) takeUp() error {
	var resumed, fresh []*episode
	for _, t := range s.tenants {
		records, err := folders(t.dir)
		if err != nil {
			return fmt.Errorf("server: tenant %s: %w", t.Name, err)
		}
		for _, r := range records {
			e := s.load(t, r)
			switch e.state {
			case Interrupted:
				if len(e.needs) == 0 {
					resumed = append(resumed, e)
				}
			case Queued:
				fresh = append(fresh, e)
			}
		}
	}
	slices.SortFunc(resumed, age)
	slices.SortFunc(fresh, age)
	s.queue = append(resumed, fresh...)
	for _, e := range s.queue {
		e.tenant.queued++
	}
	return nil
}

func (s *Server) tenant(o Tenant) (*tenant, error) {
	sum, err := hex.DecodeString(o.TokenSHA256)
	if !tenantName.MatchString(o.Name) || err != nil || len(sum) != sha256.Size {
		return nil,
			fmt.Errorf("server: tenant %q: a name of small letters and digits and the SHA-256 of a token "+
				"are wanted", o.Name)
	}
	t := &tenant{Tenant: o, dir: filepath.Join(s.o.Dir, o.Name), byID: map[string]*episode{},
		byKey: map[string]*episode{}, limiter: rate.NewLimiter(rate.Limit(s.o.PostsPerSecond),
			s.o.PostsBurst)}
	copy(t.token[:], sum)
	for _, other := range s.tenants {
		if other.Name == t.Name || other.token == t.token {
			return nil, fmt.Errorf("server: tenants %s and %s share a name or a token", other.Name, t.Name)
		}
	}
	return t, nil
}

// load takes up an episode that the folder holds.
func (s *Server) load(t *tenant, r record) *episode {
	e := t.add(r, filepath.Join(t.dir, r.ID))
	sum, err := e.summary()
	switch {
	case err != nil: // it can be looked at and deleted, and keeps nothing else from starting
		s.o.Log("reading episode " + r.ID + ": " + err.Error())
		e.state = Ended
		return e
	case sum.ended != nil:
		e.state = Ended
		return e
	}
	p, err := s.prepare(t, r.Request)
	if err != nil {
		s.o.Log(fmt.Sprintf("episode %s: its request is not accepted any more: %v", r.ID, err))
	}
	if p != nil {
		e.secrets, e.needs = p.secrets, p.needs
	}
	for _, n := range sum.secrets {
		if e.secrets[n] == "" && !slices.Contains(e.needs, n) {
			e.needs = append(e.needs, n)
		}
	}
	if sum.records > 0 || len(e.needs) > 0 || p == nil {
		e.state = Interrupted
	}
	return e
}

// add makes the episode in dir known.
func (t *tenant) add(r record, dir string) *episode {
	e := &episode{tenant: t, dir: dir, record: r, state: Queued,
		secrets: map[string]string{}, changed: make(chan struct{})}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byID[r.ID] = e
	if r.Key != "" {
		t.byKey[r.Key] = e
	}
	i, _ := slices.BinarySearchFunc(t.episodes, e, func(a, b *episode) int {
		return slices.Compare([]byte(a.record.ID), []byte(b.record.ID))
	})
	t.episodes = slices.Insert(t.episodes, i, e)
	return e
}

// find is the episode of that id; nil is none of this tenant's.
func (t *tenant) find(id string) *episode {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

// forget takes an episode out.
func (t *tenant) forget(e *episode) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byID, e.record.ID)
	if e.record.Key != "" {
		delete(t.byKey, e.record.Key)
	}
	t.episodes = slices.DeleteFunc(t.episodes, func(o *episode) bool { return o == e })
}

// Handler answers requests.
func (s *Server) Handler() http.Handler { return s.handler }

// Start begins to run what is queued.
func (s *Server) Start() { s.schedule() }

// Drain shuts down: it accepts no more episodes, lets the current steps end, cuts them after Options.Grace or
// when ctx ends, and leaves the episodes for the next start. Event streams end. It gives the folder back.
func (s *Server) Drain(ctx context.Context) {
	s.mu.Lock()
	first := !s.draining
	s.draining = true
	s.mu.Unlock()
	if first {
		close(s.closing)
	}
	for _, t := range s.tenants {
		t.creating.Lock() // what is being accepted is on disk by now, and nothing more is accepted
		t.mu.Lock()
		for _, e := range t.episodes {
			e.mu.Lock()
			if e.runner != nil {
				e.runner.Leave()
			}
			e.mu.Unlock()
		}
		t.mu.Unlock()
		t.creating.Unlock()
	}
	done := make(chan struct{})
	go func() { s.work.Wait(); close(done) }()
	grace, cancel := context.WithTimeout(ctx, s.o.Grace)
	defer cancel()
	select {
	case <-done:
	case <-grace.Done():
	}
	s.cancel(errDrained)
	<-done
	s.lock.Close()
}

var errDrained = errors.New("the server shuts down")
