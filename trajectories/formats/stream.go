package formats

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Stream reads a trajectory in the neutral form while it is made: each step before it is done. After the same
// steps its history is that of Runs, as far as the page after the last of them is known. The zero value is
// ready. It is not for concurrent use.
type Stream struct {
	// Page completes the page before step i; nil adds nothing. It is called once per page and reading.
	Page func(i int, o *cua.Observation)

	head  neutralHead
	steps []neutralStep
	// advice has, for each step, what was said before it: signals, notes, rulings, incident.
	advice []cua.Step
	run    *foreignRun
	join   joining
	start  cua.Observation
	// open is the index of the first step of the newest decision, the effect of which is not known.
	open int
}

// Start reads what is known of the whole trajectory, for example its task. It comes before the first step.
func (s *Stream) Start(line []byte) error {
	if len(s.steps) > 0 {
		return errors.New("start comes before the first step")
	}
	var head neutralHead
	if err := json.Unmarshal(line, &head); err != nil {
		return plainError(err)
	}
	if err := head.check(); err != nil {
		return err
	}
	s.head = head
	return nil
}

// Name gives the trajectory an id if Start gave none.
func (s *Stream) Name(id string) {
	if s.head.ID == "" {
		s.head.ID = id
	}
}

// Task is the task in the words of Start.
func (s *Stream) Task() string { return s.head.Task }

// Len is how many steps there are, including the newest.
func (s *Stream) Len() int { return len(s.steps) }

// Index is what the input calls step n, counted from 1. One beyond the newest step has the number after it.
func (s *Stream) Index(n int) int {
	switch {
	case n < 1 || len(s.steps) == 0:
		return 0
	case n > len(s.steps):
		return int(*s.steps[len(s.steps)-1].Index) + n - len(s.steps)
	}
	return int(*s.steps[n-1].Index)
}

// Propose reads the next step, which is not done yet.
func (s *Stream) Propose(line []byte) error {
	var n neutralStep
	if err := json.Unmarshal(line, &n); err != nil {
		return plainError(err)
	}
	i := len(s.steps)
	if n.Index == nil {
		n.Index = new(float64(s.Index(i + 1)))
	}
	if err := n.check(); err != nil {
		return err
	}
	switch {
	case i == maxSteps:
		return fmt.Errorf("more than %d steps", maxSteps)
	case i > 0 && *n.Index <= *s.steps[i-1].Index:
		return fmt.Errorf("index %v after %v: they must rise", *n.Index, *s.steps[i-1].Index)
	}
	n.Thought = cua.HeadBytes(n.Thought, maxThought)
	s.steps, s.advice = append(s.steps, n), append(s.advice, cua.Step{})
	if s.run == nil || n.DOMHash != "" && !s.run.structured {
		s.again() // what stands for the contents of a page is another hash from now on
		return nil
	}
	s.tell(i)
	return nil
}

// again reads all steps from the first on.
func (s *Stream) again() {
	s.run, s.join, s.open = s.head.foreign(), joining{}, 0
	for i := range s.steps {
		s.run.structured = s.run.structured || s.steps[i].DOMHash != ""
	}
	for i := range s.steps {
		s.tell(i)
	}
}

// tell adds step i and completes the decision before it, if i begins another.
func (s *Stream) tell(i int) {
	s.run.tell(s.steps, i, false)
	s.advised(i)
	page := func() cua.Observation {
		o := s.run.observation(s.run.told[i].page)
		if s.Page != nil {
			s.Page(i, &o)
		}
		return o
	}
	switch {
	case i == 0:
		s.start = page()
		s.join.page = s.start
	case s.run.told[i].decision == s.run.told[i-1].decision:
		// The effect of the step before is that of the whole decision: it is not known yet.
		last := &s.run.steps[i-1]
		last.N, last.Decision, last.After = i, s.join.decision+1, s.join.page
	default:
		if i-s.open > 1 { // these steps have been read, and a history never changes
			s.run.steps = slices.Clone(s.run.steps)
		}
		s.join.join(s.run, s.open, i, s.run.told[i].page)
		if s.Page != nil {
			s.Page(i, &s.join.page)
			s.run.steps[i-1].After = s.join.page
		}
		s.open = i
	}
}

// advised puts what was said before step i into it.
func (s *Stream) advised(i int) {
	x, a := &s.run.steps[i], &s.advice[i]
	x.Signals, x.Notes, x.Rulings, x.Incident = a.Signals, a.Notes, a.Rulings, a.Incident
	x.RecoveryReason = a.RecoveryReason
}

// History is everything before the newest step. It must not be changed.
func (s *Stream) History() cua.History {
	n := max(len(s.steps)-1, 0)
	h := cua.History{Start: s.start}
	if s.run != nil {
		h.Steps = s.run.steps[:n:n]
	}
	return h
}

// Proposal is the newest step as it was proposed.
func (s *Stream) Proposal() cua.Proposal {
	if len(s.steps) == 0 {
		return cua.Proposal{}
	}
	var x cua.Step
	s.steps[len(s.steps)-1].fill(&x, true)
	p := cua.Proposal{Action: x.Proposed, Target: x.Target, Thought: x.Thought}
	if x.Action == nil {
		p.Failure = x.Failure
	}
	return p
}

// Advise stores what was said before the newest step: its Signals, Notes, Rulings and Incident.
func (s *Stream) Advise(said cua.Step) {
	if n := len(s.advice); n > 0 {
		s.advice[n-1] = said
		s.advised(n - 1)
	}
}

// Advice is what was said before the step of that index; nil if there is no such step. It may be changed
// right before an amendment.
func (s *Stream) Advice(index int) *cua.Step {
	if i := s.find(index); i >= 0 {
		return &s.advice[i]
	}
	return nil
}

func (s *Stream) find(index int) int {
	return slices.IndexFunc(s.steps, func(n neutralStep) bool { return int(*n.Index) == index })
}

// amendment is what becomes known of a step after it was proposed.
type amendment struct {
	Index *float64 `json:"index"`
	// Did is the action that was done instead.
	Did *neutralStep `json:"did"`
	// Skipped says that nothing was done.
	Skipped   bool     `json:"skipped"`
	Effect    *bool    `json:"effect"`
	Error     *string  `json:"error"`
	USD       *float64 `json:"usd"`
	Tokens    *float64 `json:"tokens"`
	TokensIn  *float64 `json:"tokens_in"`
	TokensOut *float64 `json:"tokens_out"`
	Seconds   *float64 `json:"seconds"`
}

// Amend reads what became known of a step. A missing index means the newest step. A step that was skipped
// counts for nothing.
func (s *Stream) Amend(line []byte) error {
	var a amendment
	if err := json.Unmarshal(line, &a); err != nil {
		return plainError(err)
	}
	i := len(s.steps) - 1
	if a.Index != nil {
		i = s.find(int(*a.Index))
	}
	if i < 0 {
		return errors.New("amend: no step has this index")
	}
	if a.Skipped {
		s.steps, s.advice = slices.Delete(s.steps, i, i+1), slices.Delete(s.advice, i, i+1)
		s.again()
		return nil
	}
	n := a.over(s.steps[i])
	if err := n.check(); err != nil {
		return err
	}
	s.steps[i] = n
	if i < len(s.steps)-1 { // it has been read
		s.again()
		return nil
	}
	var x cua.Step
	n.fill(&x, false)
	s.run.steps[i], s.run.told[i].effect = x, n.Effect
	s.advised(i)
	return nil
}

// over is n with what a says. The page before the step stays.
func (a *amendment) over(n neutralStep) neutralStep {
	if d := a.Did; d != nil {
		n.ActionType, n.Target, n.X, n.Y, n.Box, n.Text, n.WaitMS = d.ActionType, d.Target, d.X, d.Y, d.Box,
			d.Text, d.WaitMS
	}
	if a.Error != nil {
		n.Error = *a.Error
	}
	for _, f := range []struct{ to, from **float64 }{{&n.USD, &a.USD}, {&n.Tokens, &a.Tokens},
		{&n.TokensIn, &a.TokensIn}, {&n.TokensOut, &a.TokensOut}, {&n.Seconds, &a.Seconds}} {
		if *f.from != nil {
			*f.to = *f.from
		}
	}
	if a.Effect != nil {
		n.Effect = a.Effect
	}
	return n
}

// End reads the page after the last step, and is the whole trajectory as Runs would read it.
func (s *Stream) End(line []byte) (*Run, error) {
	head := s.head
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, plainError(err)
	}
	if err := head.check(); err != nil {
		return nil, err
	}
	if s.head.ID != "" {
		head.ID = s.head.ID
	}
	return head.of(s.steps), nil
}
