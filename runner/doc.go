// Package runner makes a brain and an environment into an agent: it runs the
// loop of eight stages, lets the gates overrule the brain, and writes down
// everything before and after it happens.
//
// Start with step.go (the loop) and assemble.go (what is switched on). The
// runner has no browser and no model of its own: Brain and Env are interfaces,
// and detectors and gates are pure functions of the history, so an episode can
// be resumed after any record and its rulings can be replayed without either.
package runner
