// Package recovery decides what is done when an agent is stuck, and what it may not do at all. It holds the
// gates that may overrule a brain, and the advisors that speak to it (spec: recovery).
//
// The gates are asked in this order: Limits, Mistakes, Policy, Done, those of form control (package formctl),
// Director, Rescue, Breaker. Start with table.go, which lists every way out of a loop. Rescue.Review applies
// the rules that hold for all rows, safe activation among them.
//
// Review is a pure function of the gate's config, the turn and the proposal: no counters, no clock. What a
// gate needs to know about the moment is in Turn.Evidence; no gate derives it a second time, and no gate
// calls another. So a resumed or replayed episode gets the same rulings.
package recovery
