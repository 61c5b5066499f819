// Package recovery holds the gates that may overrule a brain and the advisors that
// speak to it before or after: caps, the mistake tracker, the repeat guard, the breaker, the address policy, the done gate, the
// director's precedence, the top-click guard, loop recovery and the ladder (spec: recovery).
//
// Each gate is a small struct with its config. Review is a pure function of that
// config, the turn and the proposal: no counters, no clock, no Reset. What was tried
// before, what came of it and what the brain was told is read from the history, so a
// resumed or replayed episode gets the same rulings.
package recovery
