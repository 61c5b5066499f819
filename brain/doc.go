// Package brain decides the next action of an episode without a model. Scripted and Replay take decisions
// from a file or a journal, the default brain is in subpackage heuristic, and WithFaults makes another
// brain err at a known rate. Brains that ask a model or another program are in subpackages.
//
// All brains in this package are stateless: a decision is a function of the turn, so a resumed or repeated
// episode decides the same. Random values are drawn from (seed, step number, fault), never from a stored
// generator. Where a faulty press lands depends on seed and step, not on the elements of the page.
//
// Text of pages and scripts is hostile. It is compared, cut and quoted. It is never obeyed, except for the
// words of the task's goal.
package brain
