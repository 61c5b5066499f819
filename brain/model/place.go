package model

import (
	"reflect"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// place identifies the decision in an episode. The zero value matches nothing.
type place struct {
	number  int // of the step that was decided
	goal    string
	start   string // frame and address of the start page
	resumed int
	last    cua.Action // proposed by the step before that
	asked   bool       // as a director: others sign what it decides
}

func placeOf(t *cua.Turn) place {
	p := place{number: t.Number, goal: t.Task.Goal, start: t.History.Start.URL + " " +
		t.History.Start.FrameSHA, resumed: len(t.History.Resumed), asked: t.AskDirector}
	if n := len(t.History.Steps); n > 0 {
		p.last = t.History.Steps[n-1].Proposed
	}
	return p
}

// before reports whether t continues the episode of p: the same task and session, and a longer history
// that is the same up to p.
func (p place) before(t *cua.Turn) bool {
	if p.number == 0 || p.number > len(t.History.Steps) || p.number != t.History.Steps[p.number-1].N {
		return false
	}
	then := *t
	then.Number, then.History.Steps, then.AskDirector = p.number, t.History.Steps[:p.number-1], p.asked
	return reflect.DeepEqual(placeOf(&then), p)
}

// made reports whether s is the step that was decided at p by the brain that signs as by.
func (p place) made(s *cua.Step, by string) bool {
	return s.By == by || p.asked && strings.HasPrefix(s.By, cua.DirectorPrefix)
}
