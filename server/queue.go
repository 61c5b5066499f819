package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// schedule starts what may run: the first of the queue whose tenant has room.
func (s *Server) schedule() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.draining && s.running < s.o.Running {
		i := slices.IndexFunc(s.queue, func(e *episode) bool { return e.tenant.running < e.tenant.Running })
		if i < 0 {
			return
		}
		e := s.queue[i]
		s.queue = slices.Delete(s.queue, i, i+1)
		e.tenant.queued--
		e.tenant.running++
		s.running++
		ctx, cancel := context.WithCancelCause(s.ctx)
		e.set(func() { e.state, e.cancel = Running, cancel })
		s.work.Go(func() {
			s.run(ctx, e)
			cancel(nil)
			s.mu.Lock()
			s.running--
			e.tenant.running--
			s.mu.Unlock()
			s.schedule()
		})
	}
	for _, e := range s.queue { // their positions have changed
		e.set(func() {})
	}
}

// enqueue puts an episode at the end of the queue, whatever the caps.
func (s *Server) enqueue(e *episode) {
	s.mu.Lock()
	s.queue = append(s.queue, e)
	e.tenant.queued++
	s.mu.Unlock()
	s.schedule()
}

// dequeue takes an episode out of the queue; false says that it is in there no more.
func (s *Server) dequeue(e *episode) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.queue, e)
	if i < 0 {
		return false
	}
	s.queue = slices.Delete(s.queue, i, i+1)
	e.tenant.queued--
	return true
}

// full reports whether t may queue no more.
func (s *Server) full(t *tenant) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue) >= s.o.Queued || t.queued >= t.Queued
}

// position is the place in the queue, from 1; 0 is not in it.
func (s *Server) position(e *episode) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Index(s.queue, e) + 1
}

func (s *Server) isDraining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining
}

// errStopped is the cause of a context that a person ended.
var errStopped = errors.New("stopped by a person")

// run plays an episode to its end, or until the server shuts down.
func (s *Server) run(ctx context.Context, e *episode) {
	resume := begun(e.dir)
	p, err := s.prepare(e.tenant, e.record.Request)
	if err == nil {
		for name, value := range e.given() {
			p.secrets[name] = value
		}
		e.set(func() { e.secrets = p.secrets })
		err = s.playIn(ctx, e, s.play(e, p, resume))
	}
	if err != nil {
		s.o.Log(fmt.Sprintf("episode %s: %v", e.record.ID, err))
		s.failed(ctx, e, p, err)
	}
	state := Interrupted
	if sum, err := e.summary(); err != nil {
		s.o.Log(fmt.Sprintf("episode %s: %v", e.record.ID, err))
	} else if sum.ended != nil {
		state = Ended
	}
	e.set(func() {
		e.state, e.stage, e.runner, e.cancel, e.more = state, "", nil, nil, 0
		if state == Ended {
			e.secrets = map[string]string{}
		}
	})
}

// playIn is Player.Play. A player that panics has failed.
func (s *Server) playIn(ctx context.Context, e *episode, p *Play) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the player panicked: %v", r)
		}
	}()
	p.Begin = func(r *runner.Runner) {
		e.begin(r)
		if s.isDraining() {
			r.Leave()
		}
	}
	_, err = s.o.Player.Play(ctx, p)
	return err
}

// given are the secrets of the episode that this process knows.
func (e *episode) given() map[string]string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.secrets
}

// begun reports whether the episode has a journal with a whole header.
func begun(dir string) bool {
	_, err := trajectories.ReadHeader(dir)
	return err == nil
}

// failed ends an episode that the machine could not play, where nothing has said so yet. When the server
// shuts down it is left for the next start.
func (s *Server) failed(ctx context.Context, e *episode, p *prepared, cause error) {
	stopped := errors.Is(context.Cause(ctx), errStopped)
	if sum, err := e.summary(); err != nil || sum.ended != nil || s.isDraining() && !stopped {
		return
	}
	if stopped {
		cause = errStopped
	}
	s.endWith(e, p, cause)
}

// endWith writes the end of an episode that makes no step any more: its environment fails with cause. A
// context's error ends it as cancelled.
func (s *Server) endWith(e *episode, p *prepared, cause error) {
	if p == nil {
		p = &prepared{task: cua.Task{Goal: e.record.Request.Instruction, URL: e.record.Request.URL},
			config: runner.DefaultConfig()}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	if errors.Is(cause, errStopped) {
		cancel(cause)
	}
	defer cancel(nil)
	play := s.play(e, p, begun(e.dir))
	r := &runner.Runner{Brain: noBrain{}, Env: noEnv{cause}, Config: play.Config, Dir: play.Dir,
		Secrets: map[string]string{}, Header: play.Header, Now: s.o.Now}
	r.Header.Brain.Name = play.Brain
	var err error
	if play.Resume {
		_, err = r.Resume(ctx)
	} else {
		_, err = r.Run(ctx, play.Task)
	}
	if err != nil {
		s.o.Log(fmt.Sprintf("episode %s: %v", e.record.ID, err))
	}
}

// noEnv is an environment that cannot be had.
type noEnv struct{ cause error }

func (n noEnv) Reset(context.Context, cua.Task) (cua.Observation, error) {
	return cua.Observation{}, n.cause
}
func (n noEnv) Locate(context.Context, cua.Action) (cua.Target, error) { return cua.Target{}, n.cause }
func (n noEnv) Act(context.Context, cua.Action) (cua.Outcome, error)   { return cua.Outcome{}, n.cause }
func (n noEnv) Restore(context.Context, cua.Checkpoint, []string) (cua.Outcome, error) {
	return cua.Outcome{}, n.cause
}
func (n noEnv) Denials() []cua.Denial { return nil }
func (n noEnv) Close() error          { return nil }

// noBrain is never asked: the environment fails first.
type noBrain struct{}

func (noBrain) Decide(ctx context.Context, _ *cua.Turn) (cua.Decision, error) {
	return cua.Decision{}, errors.New("there is no brain")
}

// fileSize is the size of a file; -1 is none.
func fileSize(path string) int64 {
	info, err := os.Stat(filepath.Clean(path))
	if err != nil {
		return -1
	}
	return info.Size()
}
