// Package recovery decides what is done when an agent is stuck, and what it must not do at all. It has the
// gates that can overrule a brain and the advisors that give it notes (docs/recovery.md). It works with any
// agent and any browser that record cua.Steps.
//
// The gates are asked in this order: Limits, Mistakes, Policy, Done, those of form control (package formctl),
// Director, Rescue, Breaker. Start with table.go, which lists every way out of a loop. Rescue.Review applies
// the rules for all rows, including safe activation. A program can add rows of its own (Rescue.Own, see the
// example).
//
// Review is a pure function of the gate's config, the turn and the proposal, without counters or a clock.
// The facts that gates need are computed once, in Turn.Evidence, and no gate calls another. So a resumed or
// replayed episode gets the same rulings.
package recovery
