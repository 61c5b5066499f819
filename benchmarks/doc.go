// Package benchmarks holds the studies that run suites of tasks.
//
// The embedded suites (suites/tuned) are pages of our own, served on loopback from the binary. Each
// task has a goal in words, an oracle script that solves it and a reward that
// is computed from what the server saw, never from a transcript. A study plays
// task × seed × arm, commits each cell once, can be resumed after any
// interruption, and ends in a table, CSV, JSON and one offline HTML page.
//
// Statistics refuse to overclaim: every rate has its interval, arms are
// compared on the same cells, an insignificant difference prints as "~", and
// what a reader should know before believing a number is a Warning value.
package benchmarks
