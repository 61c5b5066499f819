// Package brain holds the brains that need no model: Scripted and Replay, which
// decide from a file or a journal; Heuristic, the embedded default (subpackage heuristic), which reads
// what any brain is shown; and Faulty, which makes another brain err in a
// measured way. All are stateless: a decision is a function of the turn, so a
// resumed or repeated episode decides as it did before, and chance is drawn from
// (seed, step number, fault) and never from a generator that is kept.
//
// The page's text and a script's text are hostile: they are compared, cut and
// quoted, and never obeyed beyond the words of the task's goal.
package brain
