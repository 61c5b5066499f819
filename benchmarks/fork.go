package benchmarks

import (
	"fmt"
	"slices"
)

// Forks are what a forked study plays: from the checkpoint before the first intervention of each recorded
// episode on, once in each arm.
type Forks struct {
	// Study is the folder of the study with the recorded episodes.
	Study string `json:"study"`
	// Points are in the order of that study's cells.
	Points []ForkPoint `json:"points"`
	// Excluded are the first interventions that cannot be forked from.
	Excluded []ForkExcluded `json:"excluded,omitzero"`
	// Untouched counts the recorded episodes without an intervention.
	Untouched int `json:"untouched"`
}

// ForkPoint is the place before the first intervention of a recorded episode.
type ForkPoint struct {
	// Cell is the recorded one, Episode its episode.
	Cell
	Episode string `json:"episode"`
	// Step is the number of the step at which Gate intervened, 1 or more.
	Step int    `json:"step"`
	Gate string `json:"gate"`
	// Code is the reason code of the ruling.
	Code string `json:"code"`
}

// ForkExcluded is a point that cannot be forked from, and why.
type ForkExcluded struct {
	ForkPoint
	Why ForkLoss `json:"why"`
}

// ForkLoss is why a pair of forks says nothing. Beside the constants it is the name of a facet
// (cua.Facets) that could not be restored.
type ForkLoss string

// The reasons beside facets.
const (
	// LostSent: a step before the fork sent something that the server accepted, and the server of the fork
	// does not have it.
	LostSent ForkLoss = "sent"
	// LostCheckpoint: there is no checkpoint of that place.
	LostCheckpoint ForkLoss = "checkpoint"
	// LostPage: all facets were restored, and the page still differs: by what its scripts hold in memory.
	LostPage ForkLoss = "page"
	// LostOpening: the page could not be opened again.
	LostOpening ForkLoss = "opening"
	// LostRuling: in the arm of the recorded episode, the gate did not rule so again at that step.
	LostRuling ForkLoss = "ruling"
)

// Forked is what a fork's journal says of its beginning.
type Forked struct {
	// Step, Gate and Code are those of the ForkPoint.
	Step int    `json:"step"`
	Gate string `json:"gate"`
	Code string `json:"code"`
	// Lost are the reasons for which the fork does not begin where the recorded episode was; nil is none.
	Lost []ForkLoss `json:"lost,omitzero"`
	// Again says that in this cell the gate ruled so at that step.
	Again bool `json:"again"`
}

// in are the cells of the point in arms, the arm with number turn first.
func (p ForkPoint) in(arms []Arm, turn int) []Cell {
	out := make([]Cell, len(arms))
	for i := range arms {
		out[i] = p.In(arms[(i+turn)%len(arms)].Name)
		out[i].Fork = p.Arm
	}
	return out
}

// cells are those of all points.
func (f *Forks) cells(p Plan) []Cell {
	var out []Cell
	for turn, at := range f.Points {
		if p.Shard.has(at.Suite, at.Task, at.Seed) {
			out = append(out, at.in(p.Arms, turn)...)
		}
	}
	return out
}

// ForkOf is the point that the cell plays on from; false if the cell is played from its start.
func (p Plan) ForkOf(c Cell) (ForkPoint, bool) {
	if p.Forks == nil || c.Fork == "" {
		return ForkPoint{}, false
	}
	recorded := c.In(c.Fork)
	recorded.Fork = ""
	i := slices.IndexFunc(p.Forks.Points, func(at ForkPoint) bool { return at.Cell == recorded })
	if i < 0 {
		return ForkPoint{}, false
	}
	return p.Forks.Points[i], true
}

// validateForks reports the first point that cannot be one.
func (p Plan) validateForks() error {
	if p.Forks == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, at := range p.Forks.Points {
		id := at.in(p.Arms, 0)[0].Episode(1) // long names are cut, and could become equal
		if seen[id] || at.Step < 1 || at.Fork != "" {
			return fmt.Errorf("benchmarks: plan: a fork of %s before step %d: one fork of an episode "+
				"that is none, before a step from 1 on, is expected", at.Episode, at.Step)
		}
		seen[id] = true
	}
	return nil
}
