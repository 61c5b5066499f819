// Package cua holds the nouns of a computer-using agent: what is on screen
// (Observation), what may be done (Action), what it was aimed at (Target),
// what came of it (Effect), and the record of all of that (Step, History).
// Every other package speaks in these types and none of them is defined twice.
//
// The package imports the standard library only and has no effects: a value of
// these types can be written to a journal, read back years later and judged
// again by the same detectors and gates with the same answer.
//
// Coordinates are CSS pixels of the viewport, origin top left. Durations in
// records are integer milliseconds (_ms), money is US dollars (_usd).
package cua
