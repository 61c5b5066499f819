package brain

import (
	"github.com/cua-runner/cua-runner/brain/heuristic"
	"github.com/cua-runner/cua-runner/cua"
)

// Heuristic is the embedded default brain.
type Heuristic = heuristic.Brain

// words and meaning parse names as the heuristic does, and submits recognises submit controls as it does.
// The faults and the floor brains use them too.
func words(s string) []string                       { return heuristic.Words(s) }
func meaning(name string) (w []string, symbol bool) { return heuristic.Meaning(name) }
func submits(m cua.Mark) bool                       { return heuristic.Submits(m) }
