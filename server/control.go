package server

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// allowed is what can be done in each state. While a person has the browser nobody else chooses.
func allowed(state State, card *trajectories.PauseCard, canContinue, controlled bool) []string {
	switch state {
	case Queued:
		return []string{"stop"}
	case Running:
		return []string{"pause", "rewind", "stop", "takeover", "tell"}
	case Paused:
		if controlled {
			return []string{"handback", "stop", "takeover", "tell"}
		}
		out := []string{"continue", "pause", "rewind", "stop", "takeover", "tell"}
		if card != nil && card.Offers(trajectories.ChooseAnswer) {
			out = slices.Insert(out, 0, "answer")
		}
		return out
	case Interrupted:
		return []string{"resume", "stop"}
	}
	if canContinue {
		return []string{"delete", "resume"}
	}
	return []string{"delete"}
}

// may reports whether the state of e allows verb; the error is changed or wrong_state.
func (s *Server) may(ctx context.Context, e *episode, ifMatch, verb string) error {
	j, err := readJournal(e.dir)
	if err != nil && verb == "delete" { // what cannot be read can be deleted
		j, err = &journal{}, nil
	}
	if err != nil {
		return s.broken(ctx, "reading episode "+e.record.ID, err)
	}
	if ifMatch != "" && ifMatch != "*" && !lists(ifMatch, etag(j.records)) {
		return problem(ctx, Changed, "the episode has changed since: its ETag is another one")
	}
	var card *trajectories.PauseCard
	if j.t != nil {
		if c, ok := trajectories.PauseCardOf(j.t, nil); ok {
			card = &c
		}
	}
	state, _, _ := e.now()
	e.mu.Lock()
	watched := e.readOnly()
	e.mu.Unlock()
	if watched {
		return problem(ctx, NotYoursToDo, "the episode can only be watched")
	}
	can := allowed(state, card, j.t != nil && runner.Resumable(j.t, 0) == nil, e.controlled())
	if verb == "resume" && state == Ended && j.t != nil && j.t.End.Reason == cua.EndMaxSteps {
		can = append(can, "resume") // with more steps
	}
	if slices.Contains(can, verb) {
		return nil
	}
	return wrongState(ctx, state, can)
}

func wrongState(ctx context.Context, state State, can []string) *Problem {
	p := problem(ctx, WrongState, "the episode is "+string(state))
	p.State, p.Allowed = state, can
	return p
}

// over is the problem of a verb that came too late.
func (s *Server) over(ctx context.Context, e *episode) error {
	state, _, _ := e.now()
	return wrongState(ctx, state, allowed(state, nil, false, e.controlled()))
}

// beside finds the episode, checks the verb, and returns the runner that is at work; nil where none is.
func (s *Server) beside(ctx context.Context, in ChangeInput, verb string) (*episode, *runner.Runner, error) {
	e, err := s.episodeOf(ctx, in.ID)
	if err == nil {
		err = s.may(ctx, e, in.IfMatch, verb)
	}
	if err != nil {
		return nil, nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e, e.runner, nil
}

// patience is how long a request waits for the current step, before it answers that its wish is noted.
const patience = 20 * time.Second

// pausePatience is patience for a pause: a person who asked for one wants to know that it was noted.
const pausePatience = 5 * time.Second

// pause answers 200 once the episode is paused, 202 where the current step still takes.
func (s *Server) pause(ctx context.Context, in *ChangeInput) (*answer, error) {
	e, r, err := s.atWork(ctx, *in, "pause")
	if err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, pausePatience)
	defer cancel()
	err = r.Pause(wait)
	switch {
	case errors.Is(err, runner.ErrOver):
		return nil, s.over(ctx, e)
	case err != nil:
		return s.answer(ctx, e, http.StatusAccepted)
	}
	s.awaitState(wait, e, Paused)
	return s.answer(ctx, e, http.StatusOK)
}

// awaitState waits until e is in that state, or ended, or ctx ends.
func (s *Server) awaitState(ctx context.Context, e *episode, want State) {
	for {
		changed := e.wait()
		if state, _, _ := e.now(); state == want || state == Ended || state == Interrupted {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		case <-s.closing:
			return
		}
	}
}

// choose hands a person's choice to the paused episode, and waits until it is no longer paused.
func (s *Server) choose(ctx context.Context, e *episode, c trajectories.PauseChoice) error {
	e.mu.Lock()
	choice, changed := e.choice, e.changed
	taken := false
	free := e.control == nil || c.Kind == trajectories.ChooseStop || c.Kind == trajectories.ChooseTakeover
	if choice != nil && free {
		select {
		case choice <- c:
			taken = true
		default: // somebody else was faster
		}
	}
	e.mu.Unlock()
	if !taken {
		return s.over(ctx, e)
	}
	select {
	case <-changed:
	case <-ctx.Done():
	}
	return nil
}

func (s *Server) goOn(ctx context.Context, in *ChangeInput) (*answer, error) {
	e, _, err := s.beside(ctx, *in, "continue")
	if err == nil {
		err = s.choose(ctx, e, trajectories.PauseChoice{Kind: trajectories.ChooseContinue})
	}
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, e, http.StatusOK)
}

// stop ends the episode in any state but ended.
func (s *Server) stop(ctx context.Context, in *ChangeInput) (*answer, error) {
	e, _, err := s.beside(ctx, *in, "stop")
	if err != nil {
		return nil, err
	}
	state, _, _ := e.now()
	switch {
	case state == Paused:
		err = s.choose(ctx, e, trajectories.PauseChoice{Kind: trajectories.ChooseStop})
	case state == Running:
		e.mu.Lock()
		if e.cancel != nil {
			e.cancel(errStopped)
		}
		e.mu.Unlock()
	case s.dequeue(e) || state == Interrupted:
		p, _ := s.prepare(e.tenant, e.record.Request)
		s.endWith(e, p, errStopped)
		e.set(func() { e.state, e.secrets = Ended, map[string]string{} })
		s.schedule()
	default:
		err = s.over(ctx, e)
	}
	if err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s.awaitState(wait, e, Ended)
	status := http.StatusOK
	if state, _, _ := e.now(); state != Ended {
		status = http.StatusAccepted
	}
	return s.answer(ctx, e, status)
}

// resumeInput is POST resume.
type resumeInput struct {
	ChangeInput
	Body *struct {
		Secrets  map[string]string `json:"secrets,omitempty" maxProperties:"50" doc:"The values of secrets by name."`
		MaxSteps int               `json:"max_steps,omitempty" minimum:"1" maximum:"500" doc:"A higher cap on all steps of the episode."`
		_        struct{}          `json:"-" additionalProperties:"false"`
	} `required:"false"`
}

func (s *Server) resume(ctx context.Context, in *resumeInput) (*answer, error) {
	e, _, err := s.beside(ctx, in.ChangeInput, "resume")
	if err != nil {
		return nil, err
	}
	if s.full(e.tenant) {
		p := problem(ctx, QueueFull, "the queue is full")
		p.retry = 10 * time.Second
		return nil, p
	}
	p, err := s.prepare(e.tenant, e.record.Request)
	if err != nil {
		return nil, refused(ctx, err)
	}
	values, more := p.secrets, 0
	maps.Copy(values, e.given())
	if in.Body != nil {
		more = in.Body.MaxSteps
		for name, v := range in.Body.Secrets {
			if !secretName.MatchString(name) {
				return nil, invalid(ctx, "body.secrets", "a name of a secret is wanted")
			}
			values[name] = v
		}
	}
	sum, err := e.summary()
	if err != nil {
		return nil, s.broken(ctx, "reading episode "+in.ID, err)
	}
	needs := slices.DeleteFunc(slices.Concat(p.needs, sum.secrets),
		func(n string) bool { return values[n] != "" })
	if len(needs) > 0 {
		slices.Sort(needs)
		return nil, invalid(ctx, "body.secrets", "values are needed: "+joined(slices.Compact(needs)))
	}
	ok := false
	e.set(func() {
		if ok = (e.state == Ended || e.state == Interrupted) && !e.deleted; ok {
			e.state, e.secrets, e.needs, e.more = Queued, values, nil, more
		}
	})
	if !ok {
		return nil, s.over(ctx, e)
	}
	s.enqueue(e)
	return s.answer(ctx, e, http.StatusAccepted)
}

// rewindInput is POST rewind.
type rewindInput struct {
	ChangeInput
	Body struct {
		Step    int      `json:"step,omitempty" minimum:"0" maximum:"999999" doc:"The step before which the page is to be as it was; 0 is the newest that did something."`
		Facets  []string `json:"facets,omitempty" maxItems:"20" doc:"What to restore; absent: all but the cookies."`
		Consent bool     `json:"consent,omitempty" doc:"Go back also past a step that sent something that the server keeps."`
		_       struct{} `json:"-" additionalProperties:"false"`
	}
}

type rewindOutput struct {
	Status int
	ETag   string `header:"ETag"`
	Body   Restored
}

func (s *Server) rewind(ctx context.Context, in *rewindInput) (*rewindOutput, error) {
	e, r, err := s.beside(ctx, in.ChangeInput, "rewind")
	if err != nil {
		return nil, err
	}
	for _, f := range in.Body.Facets {
		if !slices.Contains(cua.Facets(), f) {
			return nil, invalid(ctx, "body.facets", "unknown facet; known: "+joined(cua.Facets()))
		}
	}
	if r == nil {
		return nil, s.over(ctx, e)
	}
	wait, cancel := context.WithTimeout(ctx, maxWait*time.Second)
	defer cancel()
	back, err := r.Rewind(wait, runner.RewindRequest{Step: in.Body.Step, Facets: in.Body.Facets,
		Consent: in.Body.Consent})
	if err != nil {
		return nil, s.over(ctx, e)
	}
	j, err := readJournal(e.dir)
	if err != nil {
		return nil, s.broken(ctx, "reading episode "+in.ID, err)
	}
	return &rewindOutput{Status: http.StatusOK, ETag: etag(j.records), Body: Restored{rawJSON(back)}}, nil
}

// answerInput is POST answer.
type answerInput struct {
	ChangeInput
	Body struct {
		Text   string   `json:"text,omitempty" maxLength:"900" doc:"The answer in words."`
		Secret string   `json:"secret,omitempty" maxLength:"100" doc:"The name of the secret that is the answer."`
		Value  string   `json:"value,omitempty" writeOnly:"true" maxLength:"65536" doc:"Its value, which is typed and not recorded."`
		_      struct{} `json:"-" additionalProperties:"false"`
	}
}

func (s *Server) reply(ctx context.Context, in *answerInput) (*answer, error) {
	e, _, err := s.beside(ctx, in.ChangeInput, "answer")
	if err != nil {
		return nil, err
	}
	b := in.Body
	text, err := runner.OneSentence(b.Text)
	switch {
	case err != nil:
		return nil, invalid(ctx, "body.text", err.Error())
	case (text == "") == (b.Secret == "") || (b.Secret == "") != (b.Value == ""):
		return nil, invalid(ctx, "body", "give text, or secret and value")
	case b.Secret != "" && !secretName.MatchString(b.Secret):
		return nil, invalid(ctx, "body.secret", "a name is letters, digits, dots, lines and underscores")
	}
	err = s.choose(ctx, e, trajectories.PauseChoice{Kind: trajectories.ChooseAnswer, Text: text,
		Secret: b.Secret, Value: b.Value})
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, e, http.StatusOK)
}

// tellInput is POST tell.
type tellInput struct {
	ChangeInput
	Body struct {
		Text string   `json:"text" minLength:"1" maxLength:"900" doc:"A sentence for the brain's next turn."`
		_    struct{} `json:"-" additionalProperties:"false"`
	}
}

func (s *Server) tell(ctx context.Context, in *tellInput) (*answer, error) {
	e, r, err := s.beside(ctx, in.ChangeInput, "tell")
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, s.over(ctx, e)
	}
	switch err := r.Tell(in.Body.Text); {
	case errors.Is(err, runner.ErrOver):
		return nil, s.over(ctx, e)
	case err != nil:
		return nil, invalid(ctx, "body.text", "it is too long, or holds the value of a secret")
	}
	return s.answer(ctx, e, http.StatusOK)
}
