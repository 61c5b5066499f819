// Package recovery decides what is done when an agent is stuck, and what it may not do at all. It holds the
// gates that may overrule a brain, and the advisors that speak to it (spec: recovery).
//
// The gates are asked in this order; form control comes between done and director, from package formctl:
//
//   - Limits halts an episode that has used up its steps, time, tokens or money.
//   - Mistakes halts one whose steps fail again after a note. It is an advisor, too.
//   - Policy refuses what must not be done: an address off the list, a secret off its field, a second send.
//   - Done refuses a premature claim of success.
//   - Director lets through what a stronger brain decided.
//   - Rescue replaces an action that continues a loop, by the first row of one table that applies.
//   - Breaker stops an episode that is stuck for good.
//
// Start with table.go: Table lists every way out of a loop in the order in which they are tried.
// Rescue.Review applies the rules that hold for all rows, safe activation among them: what a row may press is
// bounded by cua.MayPress.
//
// Each gate is a small struct with its config. Review is a pure function of that config, the turn and the
// proposal: no counters, no clock, no Reset. What a gate needs to know about the moment is in Turn.Evidence;
// no gate derives it a second time, and no gate calls another. So a resumed or replayed episode gets the same
// rulings.
package recovery
