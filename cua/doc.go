// Package cua has the types of a computer-using agent: what is on screen (Observation), what can be done
// (Action), what it is aimed at (Target), what it changed (Effect), and the record of all that (Step,
// History). Every other package uses these types; none defines them again.
//
// The package has no effects and depends on little more than the standard library. A value of these types can
// be written to a journal and read back years later, and the same detectors and gates then give the same
// answer.
//
// Start with step.go and turn.go.
//
// Coordinates are CSS pixels of the viewport with the origin at the top left. Durations in records are
// milliseconds (_ms), costs are US dollars (_usd).
package cua
