package runner

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
	"github.com/cua-runner/cua-runner/formctl"
	"github.com/cua-runner/cua-runner/perceptual"
	"github.com/cua-runner/cua-runner/recovery"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Assembly is what a config switches on, in the order in which it is asked.
type Assembly struct {
	Detectors detector.LoopDetector
	Advisors  []Advisor
	Gates     []Gate
	// limits is asked before the brain too: a cap that is reached costs no decision.
	limits Gate
	// policy is asked once more about every substitution.
	policy Gate
	// shadow holds the names of the gates that rule without force.
	shadow map[string]bool
	// director says whether a director is to decide a turn's step; nil is never.
	director func(*cua.Turn) bool
	// repeats is what the newest step of a history repeats; nil is the repeat guard off.
	repeats func(cua.History) *cua.Repeat
	// verify checks high-risk actions; nil checks nothing.
	verify  func(perceptual.VerifyInput) perceptual.Verdict
	form    formctl.Config
	lessons lessonPolicy
	// ledger reads what was done; nil is the ledger off. It spares a turn the steps that an earlier one has read, and says
	// the same as one that has read none.
	ledger *cua.LedgerReader
}

// Verifies says whether high-risk actions are checked for an effect.
func (a Assembly) Verifies() bool { return a.verify != nil }

// KeepsLedger says whether turns carry what was done so far.
func (a Assembly) KeepsLedger() bool { return a.ledger != nil }

// GuardsRepeats says whether steps are judged by the repeat guard.
func (a Assembly) GuardsRepeats() bool { return a.repeats != nil }

// Assemble is the one place that reads toggles, with the helpers that only it calls. The order of the
// gates is the chain of spec recovery: the first ruling other than pass decides.
func Assemble(c Config) Assembly {
	t, r := c.Toggles, c.Recovery
	force := func(on bool, g Gate) bool { return on && !slices.Contains(c.Shadow, g.Name()) }
	budget := recovery.RewindBudget{Incident: r.Ladder.Rewinds, Episode: r.Policy.Rewinds}
	limits, policy := recovery.Limits{Config: r.Limits}, recovery.Policy{Config: r.Policy, Budget: budget}
	done, director := recovery.Done{Config: r.Done}, recovery.Director{Config: r.Director}
	mistakes := recovery.Mistakes{Config: r.Mistakes}
	mistakes.Alone = !force(t.MistakeTracker, mistakes)
	rescue, ladder, breaker, guard := stuck(c, budget, force, policy, done)

	a := Assembly{Detectors: detectors(t, c.Detector), limits: limits, policy: policy, form: c.FormCtl, shadow: map[string]bool{},
		repeats: repeats(t, c.Detector)}
	if t.MistakeTracker { // before the nudge, which is silent where this one spoke
		a.Advisors = append(a.Advisors, mistakes)
	}
	if t.Nudge {
		halts := (force(t.Breaker, breaker) || force(t.RecoveryLadder && t.RescueAsk, ladder)) && !goesOn(r)
		a.Advisors = append(a.Advisors, recovery.Nudge{Config: r.Nudge, Alone: !halts, Attended: r.Attended, Mistakes: t.MistakeTracker})
	}
	gate := func(on bool, g Gate) {
		if on {
			a.Gates, a.shadow[g.Name()] = append(a.Gates, g), !force(on, g)
		}
	}
	gate(true, limits)
	gate(t.MistakeTracker, mistakes)
	gate(t.Breaker, breaker)
	gate(true, policy)
	gate(t.DoneGate, done)
	gate(t.FormController, formctl.ForceFill{Config: c.FormCtl})
	gate(t.FormController, formctl.ForceSubmit{Config: c.FormCtl})
	gate(t.Director, director)
	gate(t.RescueScrollPage, guard)
	gate(t.LoopRecovery, rescue)
	gate(t.RecoveryLadder, ladder)
	if t.Director {
		a.director = director.Due
	}
	a.lessons = lessonPolicy{t.Lessons, c.Lessons}
	if t.Ledger {
		a.ledger = &cua.LedgerReader{}
	}
	if t.PerceptualVerify {
		a.verify = func(in perceptual.VerifyInput) perceptual.Verdict { return perceptual.Verify(in, c.Perceptual) }
	}
	return a
}

// stuck are the gates for a run that is stuck, from the first to go on to the one that ends it, which is told what the others
// would do.
func stuck(c Config, budget recovery.RewindBudget, force func(bool, Gate) bool, policy recovery.Policy, done recovery.Done) (recovery.LoopRecovery,
	recovery.Ladder, recovery.Breaker, recovery.TopClickGuard) {
	t, r := c.Toggles, c.Recovery
	stop := recovery.Stop{Grace: r.Breaker.Grace, Nudged: t.Nudge}
	giveUp := recovery.GiveUp{Attended: r.Attended, Policy: r.OnSpiral, Budget: budget}
	if r.OnSpiral == recovery.SpiralRewind && !t.RescueRewind {
		giveUp.Policy = recovery.SpiralHalt // no gate rewinds
	}
	rescue := recovery.LoopRecovery{Config: r.LoopRecovery, Window: c.Detector.Soft}
	ladder := recovery.Ladder{Config: r.Ladder, Rungs: rungs(t), PlacePx: r.LoopRecovery.PlacePx, Stop: stop, GiveUp: giveUp}
	breaker := recovery.Breaker{Config: r.Breaker, Stop: stop, GiveUp: giveUp, Refusers: []recovery.Reviewer{policy}}
	guard := recovery.TopClickGuard{Config: r.TopClickGuard}
	if force(t.RecoveryLadder, ladder) {
		guard.Knows = ladder.Missed
	}
	if force(t.DoneGate, done) {
		breaker.Refusers = append(breaker.Refusers, done)
	}
	if force(t.LoopRecovery, rescue) {
		breaker.Rungs = append(breaker.Rungs, rescue)
	}
	if force(t.RecoveryLadder, ladder) {
		breaker.Rungs = append(breaker.Rungs, ladder)
	}
	return rescue, ladder, breaker, guard
}

// goesOn says that an episode that is stuck for good goes on at once.
func goesOn(c recovery.Config) bool { return !c.Attended && c.OnSpiral == recovery.SpiralContinue }

// detectors are those of the shapes that are on.
func detectors(t cua.Toggles, d detector.Config) (out detector.LoopDetector) {
	watch := func(on bool, d detector.Detector) {
		if on {
			out = append(out, d)
		}
	}
	effects := t.EffectConditioning
	watch(t.ShapeRepeat && effects, detector.Repeat{Config: d, Adaptive: t.AdaptiveWindows})
	watch(t.ShapeDrift && effects, detector.Drift{Config: d, Adaptive: t.AdaptiveWindows})
	watch(t.ShapeFrozen && effects, detector.Frozen{Config: d, Adaptive: t.AdaptiveWindows})
	watch(t.ShapeRepeat && !effects, detector.ClassicRepeat{Config: d})
	watch(t.ShapeDrift && !effects, detector.ClassicDrift{Config: d})
	watch(t.ShapeFrozen && !effects, detector.ClassicFrozen{Config: d})
	watch(t.ShapeCycle, detector.Cycle{Config: d})
	watch(t.ShapeRevisit, detector.Revisit{Config: d})
	watch(t.ShapeSpiral, detector.Spiral{Config: d})
	watch(t.ShapeFailures, detector.Failures{Config: d})
	watch(t.ShapeStreak, detector.Streak{Config: d})
	watch(t.ShapeStall, detector.Stall{Config: d})
	return out
}

// repeats is the repeat guard, which speaks for the shape streak; nil where one of them is off.
func repeats(t cua.Toggles, d detector.Config) func(cua.History) *cua.Repeat {
	if !t.RepeatGuard || !t.ShapeStreak {
		return nil
	}
	return func(h cua.History) *cua.Repeat {
		return recovery.RepeatGuard{}.Judge(h, detector.Streak{Config: d}.Detect(h))
	}
}

// rungs are those of the ladder that are on, in its order.
func rungs(t cua.Toggles) []cua.Reason {
	on := map[cua.Reason]bool{cua.DismissOverlay: t.RescueDismiss, cua.ScrollIntoView: t.RescueScroll, cua.RetargetClick: t.RescueRetarget,
		cua.UseControl: t.RescueControl, cua.PressSubmit: t.RescueSubmit, cua.ReloadPage: t.RescueReload, cua.RewindReason: t.RescueRewind, cua.AskUser: t.RescueAsk}
	return slices.DeleteFunc(recovery.Rungs(), func(r cua.Reason) bool { return !on[r] })
}

// Names lists what is assembled, as headers carry it.
func (a Assembly) Names() (detectors, advisors, gates []string) {
	for _, d := range a.Detectors {
		detectors = append(detectors, fmt.Sprintf("%T", d))
	}
	for _, d := range a.Advisors {
		advisors = append(advisors, fmt.Sprintf("%T", d))
	}
	if a.GuardsRepeats() {
		advisors = append(advisors, fmt.Sprintf("%T", recovery.RepeatGuard{}))
	}
	for _, g := range a.Gates {
		gates = append(gates, g.Name())
	}
	return detectors, advisors, gates
}

// Turn is what brain, advisors and gates are shown after h: a pure function of task and
// history, but for notes that the runner itself adds. It is not for several goroutines at once.
func (a Assembly) Turn(task cua.Task, h cua.History, notes []cua.Note) *cua.Turn {
	t := &cua.Turn{Task: task, History: h, Now: h.Now(), Number: len(h.Steps) + 1, Decision: 1}
	if n := len(h.Steps); n > 0 {
		t.Decision = h.Steps[n-1].Decision + 1
	}
	t.Signals = a.Detectors.Detect(h)
	t.Incident = detector.Open(h, t.Signals)
	t.Form = formctl.State(task, h, a.form)
	if a.ledger != nil {
		l := a.ledger.Read(h)
		t.Ledger = &l
	}
	t.AskDirector = a.director != nil && a.director(t)
	for _, adv := range a.Advisors {
		t.Notes = append(t.Notes, adv.Advise(t)...)
	}
	t.Notes = append(t.Notes, notes...)
	return t
}

// repeated is what s repeats, the step that follows h; nil is nothing.
func (a Assembly) repeated(h cua.History, s cua.Step) *cua.Repeat {
	if a.repeats == nil || !s.Dispatched() {
		return nil
	}
	h.Steps = append(h.Steps, s)
	return a.repeats(h)
}

// Review asks the gates in order. The first ruling other than pass decides and
// nobody is asked after it; decided is a pass when all passed. A gate in shadow mode is asked, its
// ruling is kept as what it would have done, and the next gate is asked all the same. A substitution that
// policy refuses is dropped, one in shadow mode on record only: it stays on record and the proposal, which
// policy has passed, stands.
func (a Assembly) Review(t *cua.Turn, p cua.Proposal) (all []cua.Ruling, decided cua.Ruling) {
	for _, g := range a.Gates {
		r, shadow := g.Review(t, p), a.shadow[g.Name()]
		r.Shadow = shadow && r.Verdict != cua.Pass
		if r.Verdict == cua.Replace {
			if no := a.policy.Review(t, instead(p, *r.Action)); no.Verdict != cua.Pass {
				r.Shadow, r.Dropped, r.Detail = true, true, dropped+no.Detail
			}
		}
		all = append(all, r)
		switch {
		case r.Verdict == cua.Pass || shadow:
			continue
		case r.Dropped:
			return all, cua.Ruling{Gate: g.Name(), Verdict: cua.Pass}
		}
		return all, r
	}
	return all, cua.Ruling{Verdict: cua.Pass}
}

// instead proposes a where p was proposed. What p is aimed at is what a is aimed at where both name one place;
// of any other place nobody has asked the page, and it is not known.
func instead(p cua.Proposal, a cua.Action) cua.Proposal {
	out := cua.Proposal{Action: a, By: p.By}
	q := p.Action
	if a.Mark == q.Mark && a.Into == q.Into && (a.Point == q.Point || a.Point != nil && q.Point != nil && *a.Point == *q.Point) {
		out.Target = p.Target
	}
	return out
}

// dropped begins the detail of a substitution that policy refused.
const dropped = "dropped: "

// shadowable are the gates that may rule in shadow mode: all but those that are always on, and the
// director's, which has nothing to rule on where no director was asked.
func shadowable() []string {
	_, _, names := Assemble(DefaultConfig()).Names()
	return slices.DeleteFunc(names, func(n string) bool {
		return slices.Contains([]string{recovery.Limits{}.Name(), recovery.Policy{}.Name(), recovery.Director{}.Name()}, n)
	})
}

// Incidents are those of a trajectory under one fixed detector config, whatever was
// switched on while it was made: so an arm without detectors has its wasted steps counted too.
func Incidents(t *trajectories.Trajectory, c Config) []cua.Incident {
	c.Toggles = cua.AllOn()
	a := Assemble(c)
	var end cua.EndReason
	if t.End != nil {
		end = t.End.Reason
	}
	return detector.Incidents(t.History(), a.Detectors, end)
}
