package trajectories

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Grammar checks the order of records as they come. The zero value expects a header.
//
//	journal  = header, event*, [start, body], [end, lesson event*, {reopen, …}]
//	body     = (intent, (step | interrupted event) | step without dispatch | event)*
//	reopen   = continue or resume event, after an end that can be continued
//
// An episode whose page was never reached has no start. Steps number 1, 2, 3 …; the intent
// of a step bears its number; an interrupted intent uses up none.
type Grammar struct {
	phase   phase
	started bool
	steps   int
	intent  *cua.Intent // the open one
	end     cua.EndReason
}

// Steps is how many steps were accepted.
func (g *Grammar) Steps() int { return g.steps }

type phase int

const (
	atHeader phase = iota
	atBody
	atEnd
)

// Accept takes the next record, or says why it cannot stand here and stays as it was.
func (g *Grammar) Accept(r *Record) error {
	if err := r.whole(); err != nil {
		return err
	}
	if (g.phase == atHeader) != (r.Type == HeaderRecord) {
		if g.phase == atHeader {
			return fmt.Errorf("a journal starts with a header, not with %s", r.article())
		}
		return errors.New("second header")
	}
	if g.phase == atEnd {
		return g.reopen(r)
	}
	if g.intent != nil {
		return g.close(r)
	}
	switch r.Type {
	case HeaderRecord:
		if err := checkHeader(r.Header); err != nil {
			return err
		}
		g.phase = atBody
	case StartRecord:
		if g.started {
			return errors.New("second start")
		}
		g.started = true
	case IntentRecord:
		if err := g.numbered("intent", r.Intent.Number); err != nil {
			return err
		}
		in := *r.Intent
		g.intent = &in
	case StepRecord:
		if a := r.Step.Action; a != nil && !a.Kind.Ends() {
			return fmt.Errorf("step %d dispatched a %s without an intent", r.Step.N, a.Kind)
		}
		return g.step(r.Step)
	case EventRecord:
		if r.Event.Kind == InterruptedEvent {
			return errors.New("interrupted_intent event without an open intent")
		}
	case EndRecord:
		g.phase, g.end = atEnd, r.End.Reason
	}
	return nil
}

// close takes what may follow an intent.
func (g *Grammar) close(r *Record) error {
	switch {
	case r.Type == StepRecord:
		return g.step(r.Step)
	case r.Type == EventRecord && r.Event.Kind == InterruptedEvent:
		g.intent = nil
		return nil
	}
	return fmt.Errorf("%s after the intent of step %d, which has neither a step nor an "+
		"interrupted_intent event", r.article(), g.intent.Number)
}

// reopen takes what may follow an end.
func (g *Grammar) reopen(r *Record) error {
	if r.Type == EventRecord && r.Event.Kind == LessonEvent {
		return nil
	}
	if r.Type != EventRecord || r.Event.Kind != ContinueEvent && r.Event.Kind != ResumeEvent {
		return fmt.Errorf("%s after the end", r.article())
	}
	if raised := g.end == cua.EndMaxSteps && r.Event.MaxSteps > g.steps; !g.end.CanContinue() && !raised {
		return fmt.Errorf("%s after an end (%s) that cannot be continued", r.article(), g.end)
	}
	g.phase = atBody
	return nil
}

func (g *Grammar) step(s *cua.Step) error {
	if err := g.numbered("step", s.N); err != nil {
		return err
	}
	g.steps, g.intent = g.steps+1, nil
	return nil
}

func (g *Grammar) numbered(what string, n int) error {
	if !g.started {
		return fmt.Errorf("%s %d before the start", what, n)
	}
	if n != g.steps+1 {
		return fmt.Errorf("%s %d where %d comes next", what, n, g.steps+1)
	}
	return nil
}

func checkHeader(h *Header) error {
	switch {
	case h.Version > Version:
		return fmt.Errorf("format version %d is newer than this program, which reads up to %d",
			h.Version, Version)
	case h.Version < 1:
		return errors.New("a header without a format version")
	}
	return nil
}

// whole reports whether the record holds what its type names and nothing else.
func (r *Record) whole() error {
	have := map[RecordType]bool{HeaderRecord: r.Header != nil, StartRecord: r.Start != nil,
		IntentRecord: r.Intent != nil, StepRecord: r.Step != nil, EventRecord: r.Event != nil,
		EndRecord: r.End != nil}
	if _, known := have[r.Type]; !known {
		return fmt.Errorf("unknown record type %q", r.Type)
	}
	for typ, set := range have {
		if set != (typ == r.Type) {
			return fmt.Errorf("a record of type %q holds another one's fields", r.Type)
		}
	}
	return nil
}

// writable reports whether r uses the closed lists that writers know.
func (r *Record) writable() error {
	if r.Type == EventRecord && !slices.Contains(eventKinds(), r.Event.Kind) {
		return fmt.Errorf("unknown event kind %q", r.Event.Kind)
	}
	if r.Type == EndRecord && !slices.Contains(cua.EndReasons(), r.End.Reason) {
		return fmt.Errorf("unknown end reason %q", r.End.Reason)
	}
	return nil
}

func (r *Record) article() string {
	name := string(r.Type)
	if r.Type == EventRecord {
		name = string(r.Event.Kind) + " event"
	}
	if slices.Contains([]byte("aeiou"), name[0]) {
		return "an " + name
	}
	return "a " + name
}
