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
	// shadow holds the names of the gates and the codes of the rows that rule without force.
	shadow map[string]bool
	// director says whether a director is to decide a turn's step; nil is never.
	director func(*cua.Turn) bool
	// repeats is what the newest step of a history repeats, by its samples; nil is the repeat guard off.
	repeats func(cua.History, []cua.Sample) *cua.Repeat
	// escalate turns a refusal into a stop where too many went before it; nil is never.
	escalate func(*cua.Turn, cua.Ruling) cua.Ruling
	// verify checks high-risk actions; nil checks nothing.
	verify  func(perceptual.VerifyInput) perceptual.Verdict
	form    formctl.Config
	lessons lessonPolicy
	ledger  bool
	reader  *reader
}

// Verifies says whether high-risk actions are checked for an effect.
func (a Assembly) Verifies() bool { return a.verify != nil }

// KeepsLedger says whether turns carry what was done so far.
func (a Assembly) KeepsLedger() bool { return a.ledger }

// GuardsRepeats says whether steps are judged by the repeat guard.
func (a Assembly) GuardsRepeats() bool { return a.repeats != nil }

// Assemble is the one place that reads toggles, with the helpers that only it calls. The order of the
// gates is the chain of spec recovery: the first ruling other than pass decides.
func Assemble(c Config) Assembly {
	t, r := c.Toggles, c.Recovery
	stuck := stuckPolicy(c)
	rescue := recovery.Rescue{Config: r.Rescue, Rows: rows(t), Window: c.Detector.Soft, Stuck: stuck}
	breaker := recovery.Breaker{Config: r.Breaker, Stuck: stuck, PlacePx: r.Rescue.PlacePx}
	limits, policy := recovery.Limits{Config: r.Limits}, recovery.Policy{Config: r.Policy, Stuck: stuck}
	mistakes, director := recovery.Mistakes{Config: r.Mistakes}, recovery.Director{Config: r.Director}
	shadow := map[string]bool{}
	for _, name := range c.Shadow {
		shadow[name] = true
	}
	mistakes.Alone = !t.MistakeTracker || shadow[mistakes.Name()]
	breaks := t.Breaker && !shadow[breaker.Name()]
	asks := slices.Contains(rescue.Rows, cua.AskUser) && !shadow[rescue.Name()] &&
		!shadow[string(cua.AskUser)]

	a := Assembly{Detectors: detectors(t, c.Detector), limits: limits, policy: policy, form: c.FormCtl,
		shadow: shadow, repeats: repeats(t, c.Detector), ledger: t.Ledger, reader: &reader{}}
	if t.MistakeTracker { // before the nudge, which is silent where this one spoke
		a.Advisors = append(a.Advisors, mistakes)
	}
	if t.Nudge {
		halts := (breaks || asks) && !goesOn(r)
		nudge := recovery.Nudge{Config: r.Nudge, Alone: !halts, Attended: r.Attended,
			Mistakes: t.MistakeTracker}
		a.Advisors = append(a.Advisors, timed(nudge, c.Placebo))
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
		a.escalate = breaker.Escalate
	}
	if t.Director {
		a.director = director.Due
	}
	a.lessons = lessonPolicy{t.Lessons, c.Lessons}
	if t.PerceptualVerify {
		a.verify = func(in perceptual.VerifyInput) perceptual.Verdict {
			return perceptual.Verify(in,
				c.Perceptual)
		}
	}
	return a
}

// goesOn says that an episode that is stuck for good goes on at once.
func goesOn(c recovery.Config) bool { return !c.Attended && c.OnSpiral == recovery.SpiralContinue }

// stuckPolicy says when an episode that is stuck for good is given up, and what then comes.
func stuckPolicy(c Config) recovery.Stuck {
	r := c.Recovery
	return recovery.Stuck{Grace: r.Breaker.Grace, Nudged: c.Toggles.Nudge, Attended: r.Attended,
		Policy: r.OnSpiral, Rewinds: r.Rescue.Rewinds}
}

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
	watch(t.ShapeStagnation, detector.Stagnation{Config: d})
	return out
}

// repeats is the repeat guard, which speaks for the shape streak; nil where one of them is off.
func repeats(t cua.Toggles, d detector.Config) func(cua.History, []cua.Sample) *cua.Repeat {
	if !t.RepeatGuard || !t.ShapeStreak {
		return nil
	}
	streak := detector.LoopDetector{detector.Streak{Config: d}}
	return func(h cua.History, samples []cua.Sample) *cua.Repeat {
		return recovery.RepeatGuard{}.Judge(samples, streak.Over(h, samples))
	}
}

// rows are the codes of the rescue table that are on. Each has a toggle of its own and one for its group.
func rows(t cua.Toggles) []cua.Reason {
	return slices.DeleteFunc(cua.Reasons(), func(r cua.Reason) bool {
		name := "rescue_" + string(r)
		for _, n := range append(cua.Requires(name), name) {
			if on, err := t.Get(n); !on || err != nil {
				return true
			}
		}
		return false
	})
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

// Turn is what brain, advisors and gates are shown after h: a pure function of task and history, but for
// notes that the runner itself adds. Its samples are valid until the next turn or the next answer of
// repeated. It is not for several goroutines at once.
func (a Assembly) Turn(task cua.Task, h cua.History, notes []cua.Note) *cua.Turn {
	t := &cua.Turn{Task: task, History: h, Now: h.Now(), Number: len(h.Steps) + 1, Decision: 1}
	if n := len(h.Steps); n > 0 {
		t.Decision = h.Steps[n-1].Decision + 1
	}
	r := a.reader
	r.turn(task, h)
	t.Form = r.form.Read(task, h, a.form)
	t.Evidence = r.evidence.Read(h, t.Form)
	t.Signals = a.Detectors.Over(h, t.Evidence.Samples)
	t.Incident = r.incident.Read(h, t.Evidence.Samples, t.Signals)
	if a.ledger {
		t.Ledger = new(r.ledger.Read(h))
	}
	t.AskDirector = a.director != nil && a.director(t)
	for _, adv := range a.Advisors {
		t.Notes = append(t.Notes, adv.Advise(t)...)
	}
	t.Notes = append(t.Notes, notes...)
	return t
}

// repeated is what the newest step of h repeats; nil is nothing.
func (a Assembly) repeated(h cua.History) *cua.Repeat {
	if n := len(h.Steps); a.repeats == nil || n == 0 || !h.Steps[n-1].Dispatched() {
		return nil
	}
	a.reader.follow(h)
	return a.repeats(h, a.reader.evidence.Samples(h))
}

// Review asks each gate once, in order, until one rules. All rulings are kept; decided is a pass when all
// passed. The ruling of a gate in shadow mode, and a replacement that policy refuses, are on record without
// force, and the next gate is asked.
func (a Assembly) Review(t *cua.Turn, p cua.Proposal) (all []cua.Ruling, decided cua.Ruling) {
	for _, g := range a.Gates {
		r := g.Review(t, p)
		r.Shadow = r.Verdict != cua.Pass && (a.shadow[g.Name()] || a.shadow[r.Reason])
		switch {
		case r.Verdict == cua.Replace:
			if no := a.policy.Review(t, instead(p, *r.Action)); no.Verdict != cua.Pass {
				r.Shadow, r.Dropped, r.Detail = true, true, dropped+no.Detail
			}
		case r.Verdict == cua.Refuse && !r.Shadow && a.escalate != nil:
			r = a.escalate(t, r)
		}
		all = append(all, r)
		if r.Verdict != cua.Pass && !r.Shadow {
			return all, r
		}
	}
	return all, cua.Ruling{Verdict: cua.Pass}
}

// instead proposes a where p was proposed. What p is aimed at is what a is aimed at where both name one
// place; of any other place nobody has asked the page, and it is not known.
func instead(p cua.Proposal, a cua.Action) cua.Proposal {
	out := cua.Proposal{Action: a, By: p.By}
	q := p.Action
	if a.Mark == q.Mark && a.Into == q.Into && (a.Point == q.Point || a.Point != nil && q.Point != nil &&
		*a.Point == *q.Point) {
		out.Target = p.Target
	}
	return out
}

// dropped begins the detail of a substitution that policy refused.
const dropped = "dropped: "

// shadowable are the gates and the rows that may rule in shadow mode. Limits and policy always rule with
// force, and the director has nothing to rule on where no director was asked.
func shadowable() []string {
	_, _, names := Assemble(DefaultConfig()).Names()
	names = slices.DeleteFunc(names, func(n string) bool {
		return slices.Contains([]string{recovery.Limits{}.Name(), recovery.Policy{}.Name(),
			recovery.Director{}.Name()}, n)
	})
	for _, code := range cua.Reasons() {
		names = append(names, string(code))
	}
	return names
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
