// Package benchmarks measures the mechanisms: it plays suites of tasks with and without them, and says how
// much they change and how sure that is.
//
// A study plays task × fault × seed × repeat × arm, commits each cell once, can be resumed after any
// interruption, and ends in a table, CSV, JSON and one offline HTML page. The reward of an embedded task is
// computed from what its server saw, never from a transcript. The pages that rules were written against are
// in suites/tuned; suites/heldout has pages that no rule was written against.
//
// Statistics do not overclaim: every rate has its interval, arms are compared on the same cells, a difference
// that is not statistically significant prints as "~", and what a reader should know before believing a
// number is a Warning value.
package benchmarks
