package invariants

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// narrow are the shapes that hold over steps without effect alone.
var narrow = []cua.Shape{cua.ShapeRepeat, cua.ShapeDrift, cua.ShapeFrozen}

// signalBehindRule looks for what gates had to go by: a signal that was on the step, and evidence that had
// happened.
func signalBehindRule(j *Journal) []Violation {
	var sampler cua.Sampler
	return each(func(j *Journal, i int, s *cua.Step, say sayer) {
		var samples []cua.Sample
		if len(s.Signals) > 0 {
			samples = sampler.Read(j.HistoryAt(i))
		}
		for _, g := range s.Signals {
			if why := j.invented(g, s.N, samples); why != "" {
				say("the signal %s %s %s", g.Shape, g.Level, why)
			}
		}
		for _, r := range s.Rulings {
			if n := notBefore(r.Evidence, s.N); n != 0 {
				say("%s ruled %s by the evidence of step %d, which had not been made", r.Gate, r.Verdict, n)
			}
			if why := j.groundless(i, r); why != "" {
				say("%s ruled %s (%s) %s", r.Gate, r.Verdict, r.Reason, why)
			}
		}
	})(j)
}

// notBefore is the first number in steps that no step before number n has; 0 is none.
func notBefore(steps []int, n int) int {
	if i := slices.IndexFunc(steps, func(e int) bool { return e < 1 || e >= n }); i >= 0 {
		return steps[i]
	}
	return 0
}

// invented says why g cannot have held before step n; "" when nothing speaks against it. samples are those of
// the steps before.
func (j *Journal) invented(g cua.Signal, n int, samples []cua.Sample) string {
	switch {
	case g.Run < 1 || g.Run >= n:
		return fmt.Sprintf("has held for %d of %d steps", g.Run, n-1)
	case g.Since < 1 || g.Since >= n:
		return fmt.Sprintf("holds since step %d, which had not been made", g.Since)
	case len(g.Evidence) == 0:
		return "has no evidence"
	case notBefore(g.Evidence, n) != 0:
		return fmt.Sprintf("goes by step %d, which had not been made", notBefore(g.Evidence, n))
	case !j.Header.Toggles.EffectConditioning || !slices.Contains(narrow, g.Shape):
		return ""
	}
	for _, e := range g.Evidence {
		if samples[e-1].Progress {
			return fmt.Sprintf("holds although step %d had an effect", e)
		}
	}
	return ""
}

// groundless says what the ruling r of step i lacked; "" is nothing, also for gates that need no signal.
// Version 1 moved clicks to their target, and stopped after looks, by the steps alone, and its
// breaker could go back.
func (j *Journal) groundless(i int, r cua.Ruling) string {
	due := func(g cua.Signal) bool { return g.Level.AtLeast(cua.Soft) }
	soft := func(g cua.Signal) bool { return g.Shape != cua.ShapeFailures && due(g) }
	old := j.Header.Version < 2 && (coded(r, cua.RetargetClick) || r.Reason == "looked_again" ||
		r.Reason == "on_spiral_rewind")
	late := coded(r, cua.AskUser) || coded(r, cua.RewindReason)
	var needs func(cua.Signal) bool
	switch {
	case r.Verdict == cua.Pass, old, rescued(r) && coded(r, cua.ScrollPage), coded(r, credentialsRejected):
	case rescued(r) && late, Stops(r):
		needs = stopping
	case rescued(r):
		needs = soft
	case r.Gate == "director":
		needs = due
	case r.Gate == "breaker":
		n := j.bounds().Recovery.Breaker.MaxRefusals
		if i < n || slices.ContainsFunc(j.Steps[i-n:i], func(s cua.Step) bool { return !turnedDown(&s) }) {
			return "although the steps before it were not all refused"
		}
	}
	if needs != nil && !slices.ContainsFunc(j.Steps[i].Signals, needs) {
		return "without a signal that allows it"
	}
	return ""
}

// stopping reports whether an episode may be stopped for g.
func stopping(g cua.Signal) bool {
	spiral := g.Shape == cua.ShapeSpiral && g.Level.AtLeast(cua.Soft)
	return g.Shape != cua.ShapeFailures && (g.Level == cua.Hard || spiral)
}

// turnedDown reports whether s came to nothing because a gate refused it.
func turnedDown(s *cua.Step) bool {
	r, ok := s.Ruled()
	return ok && r.Verdict == cua.Refuse && !s.HasAction()
}

// lastWarning is the level of the nudge after which an episode may be stopped, grace how many steps a stop
// waits after a replacement (docs/recovery.md#rules-outside-the-rows).
const (
	lastWarning = 3
	grace       = 3
)

// Stops reports whether r gives the episode up because it is stuck. A cap, an unverified done, refusals in
// a row and rejected credentials stop it for reasons of their own.
func Stops(r cua.Ruling) bool {
	if r.Verdict != cua.Halt && r.Verdict != cua.Pause {
		return false
	}
	breaks := r.Gate == "breaker" && r.Reason != "refused_at_one_state"
	return breaks || rescued(r) && r.Reason != credentialsRejected
}

func stopAfterWarning(j *Journal) []Violation {
	stopped := each(func(j *Journal, i int, s *cua.Step, say sayer) {
		r, ok := s.Ruled()
		if !ok || !Stops(r) {
			return
		}
		steps := j.Steps[j.HistoryAt(i).Fresh():i]
		untold := !slices.ContainsFunc(s.Signals, stopping) // since when the episode was stuck
		warned := func(e cua.Step) bool {
			since := func(g cua.Signal) bool { return stopping(g) && g.Since <= e.N }
			return nudgeLevel(&e) >= lastWarning && (untold || slices.ContainsFunc(s.Signals, since))
		}
		if j.Header.Toggles.Nudge && !slices.ContainsFunc(steps, warned) {
			say("%s stopped the episode before a last warning was delivered", r.Gate)
		}
		if slices.ContainsFunc(steps[max(0, len(steps)-grace):], func(e cua.Step) bool {
			return e.RecoveryReason != "" && e.HasAction()
		}) {
			say("%s stopped the episode within %d steps of a replacement", r.Gate, grace)
		}
	})
	return append(stopped(j), refusedAgain(j)...)
}

// refusedAgain finds refusals in a row at one state beyond those after which the episode is stopped.
func refusedAgain(j *Journal) []Violation {
	if !j.Header.Toggles.Breaker || slices.Contains(j.bounds().Shadow, "breaker") {
		return nil
	}
	row := 0
	return each(func(j *Journal, i int, s *cua.Step, say sayer) {
		if !turnedDown(s) {
			row = 0
			return
		}
		if row == 0 || j.HistoryAt(i).Fresh() == i || !sameState(&j.Steps[i-1].After, &s.After) {
			row = 0
		}
		if row++; row > j.bounds().Recovery.Breaker.MaxRefusals {
			r, _ := s.Ruled()
			say("%s refused (%s) for the %d. time in a row at one state", r.Gate, r.Reason, row)
		}
	})(j)
}

// sameState reports whether two pages are byte for byte in one state: those are one under any churn mask.
func sameState(a, b *cua.Observation) bool {
	return a.URL == b.URL && a.Document == b.Document && a.FormDigest == b.FormDigest &&
		a.DOMDigest == b.DOMDigest && a.FrameSHA == b.FrameSHA && a.Scroll == b.Scroll &&
		(a.Dialog == nil) == (b.Dialog == nil)
}
