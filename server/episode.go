package server

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// episode is one episode of a tenant. Its folder has what it did; this struct has what only this process
// knows.
type episode struct {
	tenant *tenant
	dir    string
	record record

	mu    sync.Mutex
	state State
	stage string
	step  int
	// secrets are the values by name; needs are the names whose values are not known.
	secrets map[string]string
	needs   []string
	// more is the cap on steps with which it is resumed; 0 leaves it.
	more int
	// runner and cancel are those of the episode while it runs.
	runner *runner.Runner
	cancel context.CancelCauseFunc
	// choice takes what a person chooses while it is paused; nil is not paused.
	choice chan trajectories.PauseChoice
	// asking ends when the pause does; nil is not paused.
	asking context.Context
	// control is who has the browser while it is paused; nil is nobody.
	control *control
	// changed is closed, and replaced, whenever something has changed.
	changed chan struct{}
	streams int
	// shown says that another part of the program plays it (Server.Show); watched that it can be watched
	// alone.
	shown, watched bool
	// deleted says that its folder is being removed.
	deleted bool

	syncing sync.Mutex
	synced  int64 // how much of the journal is on disk

	reading sync.Mutex
	last    *summary // of the journal as it was read last
}

// summary is what a journal comes to.
type summary struct {
	records int   // whole ones; 0 is an episode that has not begun
	size    int64 // of the records, bytes
	steps   int
	started time.Time
	ended   *time.Time // nil has no end, or was reopened
	// canContinue says that an ended one can be resumed.
	canContinue bool
	question    string
	result      json.RawMessage
	card        json.RawMessage
	sums        sums
	secrets     []string // the names of those that the task and the answers speak of
}

// now is where the episode is.
func (e *episode) now() (State, string, int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state, e.stage, e.step
}

// set changes the episode under its lock and wakes who waits for a change.
func (e *episode) set(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
	e.wake()
}

// wake wakes who waits for a change. The lock is held.
func (e *episode) wake() {
	close(e.changed)
	e.changed = make(chan struct{})
}

// wait is closed once something has changed.
func (e *episode) wait() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.changed
}

// begin puts the server beside a runner that is about to start.
func (e *episode) begin(r *runner.Runner) {
	r.Stage = func(step int, stage string) { e.set(func() { e.step, e.stage = step, stage }) }
	if e.attended() {
		r.Attend = e.attend
	}
	e.set(func() { e.runner = r })
}

func (e *episode) attended() bool {
	a := e.record.Request.Attended
	return a == nil || *a
}

// attend waits for what a person chooses.
func (e *episode) attend(ctx context.Context, _ trajectories.PauseCard) (trajectories.PauseChoice, error) {
	choice := make(chan trajectories.PauseChoice, 1)
	e.set(func() { e.state, e.stage, e.choice, e.asking = Paused, "", choice, ctx })
	defer e.release() // the page is the runner's again
	defer e.set(func() { e.state, e.choice, e.asking = Running, nil, nil })
	select {
	case c := <-choice:
		return c, nil
	case <-ctx.Done():
		return trajectories.PauseChoice{}, ctx.Err()
	}
}

// summary is what the journal comes to now. It is read again only where it has grown.
func (e *episode) summary() (*summary, error) {
	e.reading.Lock()
	defer e.reading.Unlock()
	if e.last != nil && e.last.size > 0 && fileSize(e.journalPath()) == e.last.size {
		return e.last, nil
	}
	j, err := readJournal(e.dir)
	if err != nil {
		return nil, err
	}
	e.last, err = j.summary()
	return e.last, err
}

func (e *episode) journalPath() string { return filepath.Join(e.dir, trajectories.JournalName) }

// summary computes what j comes to.
func (j *journal) summary() (out *summary, err error) {
	out = &summary{records: j.records, size: j.size}
	t := j.t
	if t == nil {
		return out, nil
	}
	t.Incidents = runner.Incidents(t, runner.DefaultConfig())
	result := runner.Result(t)
	out.steps, out.started, out.sums = len(t.Steps), t.Header.Started, sumsOf(t, &result)
	if t.End != nil {
		out.ended, out.canContinue = &t.End.At, runner.Resumable(t, 0) == nil
	}
	out.secrets = trajectories.SecretNames(t)
	for _, ev := range t.Events {
		if m := secretRef.FindStringSubmatch(ev.Answer); m != nil && ev.Kind == trajectories.AnswerEvent {
			out.secrets = append(out.secrets, m[1])
		}
	}
	if out.result, err = json.Marshal(result); err != nil {
		return nil, err
	}
	if card, ok := trajectories.PauseCardOf(t, t.Incidents); ok {
		out.question = card.Question
		out.card, err = json.Marshal(card)
	}
	return out, err
}

// view is the episode as an answer, and the number of its last record.
func (s *Server) view(e *episode) (Episode, int, error) {
	position := s.position(e)
	e.mu.Lock() // the state first: what has ended has written its end
	v := Episode{ID: e.record.ID, State: e.state, Stage: e.stage, Step: e.step, QueuePosition: position,
		Created: e.record.Created, Request: e.record.Request, Links: s.links(e.record.ID)}
	v.Controlled = e.control != nil
	v.ReadOnly = e.readOnly()
	if e.state == Interrupted {
		v.SecretsNeeded = slices.Clone(e.needs)
	}
	e.mu.Unlock()
	sum, err := e.summary()
	if err != nil || sum.records == 0 {
		return v, 0, err
	}
	v.Started, v.Result, v.Step = new(utc(sum.started)), Result{sum.result}, max(v.Step, sum.steps)
	switch v.State {
	case Paused:
		v.Card, v.Question = Card{sum.card}, sum.question
	case Ended:
		v.Card, v.Step, v.CanContinue = Card{sum.card}, sum.steps, sum.canContinue
		if sum.ended != nil {
			v.Ended = new(utc(*sum.ended))
		}
	}
	return v, sum.records, nil
}

// play is what the player is given for e.
func (s *Server) play(e *episode, p *prepared, resume bool) *Play {
	return &Play{Tenant: e.tenant.Name, Dir: e.dir, Resume: resume, Task: p.task, Config: p.config,
		Brain: brainOf(s.o, p.request), Director: p.request.Director, Secrets: p.secrets, MaxSteps: e.more,
		Header: trajectories.Header{ID: e.record.ID, Episode: e.record.ID, Arm: p.arm, Attempt: 1,
			Host: trajectories.Host{}}, Begin: e.begin}
}

func brainOf(o Options, r Request) string {
	if r.Brain != "" {
		return r.Brain
	}
	return o.Brain
}

// age is for the order of the queue.
func age(a, b *episode) int {
	if c := a.record.Created.Compare(b.record.Created); c != 0 {
		return c
	}
	return slices.Compare([]byte(a.record.ID), []byte(b.record.ID))
}

func (s *Server) links(id string) Links {
	self := "/v1/cua/" + id
	l := Links{Self: self, Steps: self + "/steps", Journal: self + "/journal", Events: self + "/events",
		Checkpoints: self + "/checkpoints", Export: self + "/export"}
	if s.o.View != nil {
		l.View = "/view/?id=" + id
	}
	return l
}

// utc is t without its zone and what no JSON carries.
func utc(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
