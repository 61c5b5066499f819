package runner

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
	"github.com/cua-runner/cua-runner/formctl"
	"github.com/cua-runner/cua-runner/perceptual"
	"github.com/cua-runner/cua-runner/recovery"
)

// Assembly is the set of detectors, advisors and gates that a config switches on, in the order in which they
// are asked.
type Assembly struct {
	Detectors     detector.LoopDetector
	Advisors      []Advisor
	Gates         []Gate
	limits        Gate                                            // asked before the brain too
	policy        Gate                                            // asked again about each replacement
	shadow        map[string]bool                                 // gates and rows that only record
	director      func(*cua.Turn) bool                            // is the stronger brain due? nil is never
	repeats       func(cua.History, []cua.Sample) *cua.Repetition // the repeat guard; nil is off
	limitRefusals func(*cua.Turn, cua.Ruling) cua.Ruling          // stops after many refusals; nil is off
	verifier      func(perceptual.VerifyInput) perceptual.Verdict // checks risky actions; nil is off
	form          formctl.Config
	lessons       lessonPolicy
	ledger        bool
	reader        *reader // caches what turns need of the history
}

// Assemble decides by the toggles what a run is made of, with detectors() for the shapes and rows() for the
// rescue rows. The gates are in the order of the chain: the first ruling that is neither a pass nor in
// shadow decides. Limits and policy are always on.
func Assemble(c Config) Assembly {
	t, r := c.Toggles, c.Recovery
	stopping := r.StopRule(t.Nudge) // when a stuck run may be stopped: with a nudge, after its last warning
	limits, policy := recovery.Limits{Config: r.Limits}, recovery.Policy{Config: r.Policy, Stop: stopping}
	mistakes, director := recovery.Mistakes{Config: r.Mistakes}, recovery.Director{Config: r.Director}
	rescue := recovery.Rescue{Config: r.Rescue, Rows: rows(t), FrozenAfter: c.Detector.Soft, Stop: stopping}
	breaker := recovery.Breaker{Config: r.Breaker, Stop: stopping, PlacePx: r.Rescue.PlacePx}

	a := Assembly{Detectors: detectors(t, c.Detector), limits: limits, policy: policy, form: c.FormCtl,
		shadow: map[string]bool{}, lessons: lessonPolicy{t.Lessons, c.Lessons}, ledger: t.Ledger,
		reader: &reader{}}
	for _, name := range c.Shadow {
		a.shadow[name] = true
	}
	breaks := t.Breaker && !a.shadow[breaker.Name()] // the breaker may end the run
	asks := slices.Contains(rescue.Rows, cua.AskUser) && !a.shadow[rescue.Name()] &&
		!a.shadow[string(cua.AskUser)]
	halts := (breaks || asks) && !r.Continues() // something ends a run that ignores the last warning
	mistakes.NeverEnds, mistakes.Offered = a.shadow[mistakes.Name()], r.Offered

	if t.MistakeTracker { // before the nudge, which is silent if this one has written a note
		a.Advisors = append(a.Advisors, mistakes)
	}
	if t.Nudge {
		a.Advisors = append(a.Advisors, nudgeOrPlacebo(recovery.Nudge{Config: r.Nudge, Attended: r.Attended,
			Mistakes: t.MistakeTracker, NeverEnds: !halts}, c.Placebo))
	}
	gate := func(on bool, g Gate) {
		if on {
			a.Gates = append(a.Gates, g)
		}
	}
	gate(true, limits)
	gate(t.MistakeTracker, mistakes)
	gate(true, policy)
	gate(t.DoneGate, recovery.Done{Config: r.Done})
	gate(t.FormController, formctl.ForceFill{Config: c.FormCtl})
	gate(t.FormController, formctl.ForceSubmit{Config: c.FormCtl})
	gate(t.Director, director)
	gate(len(rescue.Rows) > 0, rescue)
	gate(t.Breaker, breaker)
	if breaks {
		a.limitRefusals = breaker.LimitRefusals
	}
	if t.Director {
		a.director = director.Due
	}
	if t.RepeatGuard && t.ShapeStreak { // the guard counts by that shape
		a.repeats = repeatGuard(c.Detector)
	}
	if t.PerceptualVerify {
		a.verifier = c.verify
	}
	return a
}

// detectors are the shapes that are on. Without EffectConditioning three have their Classic form, which
// ignores effects. Streak reports no loop; the repeat guard counts by it, and not by Repeat.
func detectors(t cua.Toggles, c detector.Config) (out detector.LoopDetector) {
	shape := func(on bool, d detector.Detector) {
		if on {
			out = append(out, d)
		}
	}
	effects, adaptive := t.EffectConditioning, t.AdaptiveWindows
	shape(t.ShapeRepeat && effects, detector.Repeat{Config: c, Adaptive: adaptive})
	shape(t.ShapeDrift && effects, detector.Drift{Config: c, Adaptive: adaptive})
	shape(t.ShapeFrozen && effects, detector.Frozen{Config: c, Adaptive: adaptive})
	shape(t.ShapeRepeat && !effects, detector.ClassicRepeat{Config: c})
	shape(t.ShapeDrift && !effects, detector.ClassicDrift{Config: c})
	shape(t.ShapeFrozen && !effects, detector.ClassicFrozen{Config: c})
	shape(t.ShapeCycle, detector.Cycle{Config: c})
	shape(t.ShapeRevisit, detector.Revisit{Config: c})
	shape(t.ShapeSpiral, detector.Spiral{Config: c})
	shape(t.ShapeFailures, detector.Failures{Config: c})
	shape(t.ShapeStreak, detector.Streak{Config: c})
	shape(t.ShapeStall, detector.Stall{Config: c})
	shape(t.ShapeStagnation, detector.Stagnation{Config: c})
	return out
}
