package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// by is the name of the brain in records.
const by = "mcp"

// seat is one session: a browser and the episode that is played in it.
type seat struct {
	name   string
	server *Server
	mu     sync.Mutex   // held while a call is made: calls that arrive at once are made one after another
	upset  atomic.Int64 // how many calls were not done as they were asked for
	refs   refs
	task   *cua.Task // of browser_task, for the next episode; nil is none
	play   *play     // nil while no episode runs
}

// play is a running episode. It is the episode's brain: a decision is the next call.
type play struct {
	orders  chan cua.Decision
	choices chan trajectories.PauseChoice
	moments chan moment // where the episode waits; one at most is not taken yet
	cancel  context.CancelFunc
	idle    time.Duration
	done    chan struct{} // closed once result and err are set
	result  trajectories.RunResult
	err     error

	now   moment     // the newest of moments that was taken
	steps []cua.Step // written by the episode before each moment
	dir   string
	// back says that a pause was answered by going back.
	back bool
}

// moment is where an episode waits for the client, or its end.
type moment struct {
	turn *cua.Turn               // a decision is waited for
	card *trajectories.PauseCard // paused: a choice is waited for
	over bool
}

var errOver = errors.New("no browser is open: call browser_navigate with a url first")

// Decide hands the turn to the client and returns its next call. A client that says nothing for too long has
// left: the episode ends.
func (p *play) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	return waitFor(ctx, p, moment{turn: t}, p.orders)
}

// attend hands the card to the client and returns what a person or the client chose.
func (p *play) attend(ctx context.Context, c trajectories.PauseCard) (trajectories.PauseChoice, error) {
	return waitFor(ctx, p, moment{card: &c}, p.choices)
}

func waitFor[T any](ctx context.Context, p *play, m moment, answers <-chan T) (out T, err error) {
	select {
	case p.moments <- m:
	case <-ctx.Done():
		return out, ctx.Err()
	}
	left := time.NewTimer(p.idle)
	defer left.Stop()
	select {
	case out = <-answers:
		return out, nil
	case <-left.C:
		p.cancel()
		<-ctx.Done()
	case <-ctx.Done():
	}
	return out, ctx.Err()
}

// begin starts an episode on that page and waits for its first turn.
func (s *seat) begin(ctx context.Context, url string) error {
	o := &s.server.o
	task := o.Task
	task.Goal = "mcp client"
	if s.task != nil {
		task.Goal, task.Fields, task.OutputFields = s.task.Goal, s.task.Fields, s.task.OutputFields
	}
	task.URL = url
	// The client chooses the first page too, and a page may have told it to.
	if _, err := (cua.AllowList{Hosts: task.Allow, Open: true}).Check(url); err != nil {
		return fmt.Errorf("browser_navigate: %w (--allow)", err)
	}
	playing, cancel := context.WithCancel(s.server.ctx)
	p := &play{orders: make(chan cua.Decision), choices: make(chan trajectories.PauseChoice),
		moments: make(chan moment, 1), cancel: cancel, idle: o.Idle, done: make(chan struct{})}
	s.play, s.task = p, nil
	go func() {
		defer close(p.done)
		defer cancel()
		p.result, p.err = o.Play(playing, &Play{Task: task, Config: o.Config, Brain: p, Attend: p.attend,
			Watch: func(st *cua.Step) { p.steps = append(p.steps, *st) },
			Begin: func(dir string) { p.dir = dir }})
	}()
	return p.await(ctx)
}

// await takes the next moment of the episode.
func (p *play) await(ctx context.Context) error {
	select {
	case p.now = <-p.moments:
	case <-p.done:
		p.now = moment{over: true}
	case <-ctx.Done():
		p.now = moment{}
		return fmt.Errorf("the call was cancelled; what it does may still happen: %w", ctx.Err())
	}
	return nil
}

// ready waits until the episode takes a call: a call before it may have been cancelled.
func (s *seat) ready(ctx context.Context) error {
	if s.play == nil {
		return errOver
	}
	select {
	case <-s.play.done: // it ended by itself since
		s.play.now = moment{over: true}
	default:
	}
	if s.play.now == (moment{}) {
		if err := s.play.await(ctx); err != nil {
			return err
		}
	}
	if s.play.now.over {
		return s.ended()
	}
	return nil
}

// ended forgets the episode and says how it ended.
func (s *seat) ended() error {
	p := s.play
	s.play = nil
	if p.err != nil {
		return fmt.Errorf("the browser is closed: %w", p.err)
	}
	return fmt.Errorf("the episode has ended (%s) and the browser is closed: browser_navigate begins another",
		p.result.TerminationReason)
}

// order makes the episode take a decision and waits until it is recorded.
func (p *play) order(ctx context.Context, d cua.Decision) error {
	select {
	case p.orders <- d:
	case <-p.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	p.now = moment{}
	return p.await(ctx)
}

// choose answers a pause.
func (p *play) choose(ctx context.Context, c trajectories.PauseChoice) error {
	select {
	case p.choices <- c:
	case <-p.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	p.now = moment{}
	return p.await(ctx)
}

// close ends the episode and waits for it.
func (p *play) close() {
	p.cancel()
	<-p.done
}

// close closes the browser and says where the journal is.
func (s *seat) close() *Result {
	p := s.play
	p.close()
	s.play = nil
	return &Result{Session: s.name, Step: len(p.steps), Outcome: Done,
		Ended: string(p.result.TerminationReason), Did: "Closed the browser. Journal: " + p.dir}
}

// wait waits for the end of the episode, whose context has ended.
func (s *seat) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.play != nil {
		s.play.close()
		s.play = nil
	}
}

// idle reports whether the session has no episode and no call is being made.
func (s *seat) idle() bool {
	if !s.mu.TryLock() {
		return false
	}
	defer s.mu.Unlock()
	if s.play != nil {
		select {
		case <-s.play.done:
			s.play = nil
		default:
		}
	}
	return s.play == nil && s.task == nil
}
