// Package runner runs one task: it asks a brain for an action, lets the gates overrule it, has the browser do
// it, and writes down everything before and after it happens.
//
// Start with step.go (the eight stages of a step) and assemble.go (what a config switches on, and the order
// in which the gates are asked). The runner has no browser and no model of its own: Brain and Env are
// interfaces, and detectors and gates are pure functions of the history. So an episode can be resumed after
// any record, and its rulings can be replayed without either.
package runner
