package model

import (
	"reflect"

	"github.com/cua-runner/cua-runner/cua"
)

// place is where in an episode a decision was made. The zero value is nowhere.
type place struct {
	number  int // of the step that was decided
	goal    string
	start   string // frame and address of the start page
	resumed int
	last    cua.Action // proposed by the step before that
}

func placeOf(t *cua.Turn) place {
	p := place{number: t.Number, goal: t.Task.Goal, start: t.History.Start.URL + " " + t.History.Start.FrameSHA, resumed: len(t.History.Resumed)}
	if n := len(t.History.Steps); n > 0 {
		p.last = t.History.Steps[n-1].Proposed
	}
	return p
}

// before says whether t continues the episode that p is a place of: the same task and session, and a history that has
// become longer since and is the same up to p.
func (p place) before(t *cua.Turn) bool {
	if p.number == 0 || p.number > len(t.History.Steps) || p.number != t.History.Steps[p.number-1].N {
		return false
	}
	then := *t
	then.Number, then.History.Steps = p.number, t.History.Steps[:p.number-1]
	return reflect.DeepEqual(placeOf(&then), p)
}
