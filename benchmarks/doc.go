// Package benchmarks says what a study is. A study runs task × fault × seed × repeat × arm: Plan says which,
// a Cell is one of them, and a Result is the outcome. Study reads the folder of one.
//
// The packages below do the rest. Package study runs the cells and commits each result once. Package report
// turns results into tables, CSV, JSON, plots and one offline HTML page, and compares two studies. Package
// detection scores the detectors on trajectories, also those of other agents. The tasks come from suites,
// miniwob and manifest. The reward of an embedded task is computed from what its server saw, never from a
// transcript. suites/tuned has the pages that rules were written against, suites/heldout has pages that no
// rule was written against.
//
// The statistics do not overclaim: every rate has an interval, arms are compared on the same cells, a
// difference that is not statistically significant prints as "~", and a Warning says what a reader should
// know before believing a number.
package benchmarks
