// Package manifest plays tasks that a person lists in a file: each has a goal, an address and something that
// judges it, which is a predicate in JavaScript, a text, a part of the address, the final answer, or an
// oracle that is asked by HTTP. Benchmarks that bring pages and a list of tasks of their own, WebGames,
// ComponentBench and UI-CUBE, are read into the same manifest and played in the same way.
package manifest
