// Package brain holds what decides the next action without a model: Scripted and Replay, which decide from a
// file or a journal; the embedded default (subpackage heuristic); and Faulty, which makes another brain err
// in a measured way. Brains that ask a model or another program are in its subpackages.
//
// All brains here are stateless: a decision is a function of the turn, so a resumed or repeated episode
// decides as it did before. Chance is drawn from (seed, step number, fault) and never from a generator that
// is kept. Where a faulty press lands depends on seed and step, and not on the page's elements.
//
// The page's text and a script's text are hostile: they are compared, cut and quoted, and never obeyed beyond
// the words of the task's goal.
package brain
