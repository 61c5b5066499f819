// Package runner runs one task in a browser: it asks a brain for an action, lets gates overrule it, has the
// environment do it, and records everything before and after it happens.
//
// To use a brain of your own, implement Brain: one method that gets the turn and returns a decision. To use
// an environment of your own, implement Env; package browser has one for Chromium, which plays any page (see
// the example). Config switches each detector, gate and advisor. Run returns the summary of an episode, and
// its journal is in Runner.Dir. Resume continues an episode after any record, and Replay recomputes its
// rulings without browser and brain.
//
// To read the code, start with step.go (the eight stages of a step) and assemble.go (what a config switches
// on, and the order in which the gates are asked), then cua/step.go and cua/turn.go. Detectors and gates are
// pure functions of the history. The other files have what the stages call: turn.go, decide.go, locate.go,
// review.go, act.go, verify.go, record.go.
package runner
