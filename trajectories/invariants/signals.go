package invariants

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// narrow are the shapes that loop recovery answers.
var narrow = []cua.Shape{cua.ShapeRepeat, cua.ShapeDrift, cua.ShapeFrozen}

// signalBehindRule looks for what gates had to go by: a signal that was on the step, and evidence that had happened.
func signalBehindRule(j *Journal) []found {
	var out []found
	var sampler cua.Sampler
	for i := range j.Steps {
		s := &j.Steps[i]
		say := func(format string, args ...any) { out = append(out, found{s.N, fmt.Sprintf(format, args...)}) }
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
	}
	return out
}

// notBefore is the first number in steps that no step before number n has; 0 is none.
func notBefore(steps []int, n int) int {
	if i := slices.IndexFunc(steps, func(e int) bool { return e < 1 || e >= n }); i >= 0 {
		return steps[i]
	}
	return 0
}

// invented says why g cannot have held before step n; "" when nothing speaks against it. samples are those of the steps
// before.
func (j *Journal) invented(g cua.Signal, n int, samples []cua.Sample) string {
	switch {
	case g.Run < 1 || g.Run >= n:
		return fmt.Sprintf("has held for %d of %d steps", g.Run, n-1)
	case g.Since < 1 || g.Since >= n:
		return fmt.Sprintf("holds since step %d, which had not been made", g.Since)
	case len(g.Evidence) == 0:
		return "has no evidence"
	case notBefore(g.Evidence, n) != 0:
		return fmt.Sprintf("goes by the evidence of step %d, which had not been made", notBefore(g.Evidence, n))
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
func (j *Journal) groundless(i int, r cua.Ruling) string {
	s := &j.Steps[i]
	holds := func(level cua.Level, fits func(cua.Signal) bool) bool {
		return slices.ContainsFunc(s.Signals, func(g cua.Signal) bool { return g.Level.AtLeast(level) && fits(g) })
	}
	stuck := func(g cua.Signal) bool { return g.Shape != cua.ShapeFailures }
	late := r.Gate == "ladder" && (r.Reason == string(cua.AskUser) || r.Reason == string(cua.RewindReason))
	switch {
	case r.Verdict == cua.Pass:
	case r.Gate == "loop_recovery":
		if !holds(cua.Soft, func(g cua.Signal) bool { return slices.Contains(narrow, g.Shape) }) {
			return "with no soft signal of repeat, drift or frozen on its step"
		}
	case r.Gate == "ladder" && !late:
		if !holds(cua.Soft, stuck) && !(r.Reason == string(cua.RetargetClick) && (j.missed(r.Evidence) || j.roundOn(i, r.Evidence) || j.broughtHome(i, r.Evidence))) {
			return "with no soft signal on its step"
		}
	case r.Gate == "breaker" && r.Reason == "looked_again":
		if len(r.Evidence) == 0 || slices.ContainsFunc(r.Evidence, func(n int) bool { return n < 1 || n > i || !lookedIdly(&j.Steps[n-1]) }) {
			return "although not all steps that it names looked without effect"
		}
	case late, stops(r), r.Gate == "breaker" && r.Reason == onSpiralRewind:
		if !holds(cua.Hard, stuck) && !holds(cua.Soft, func(g cua.Signal) bool { return g.Shape == cua.ShapeSpiral }) {
			return "with no hard signal and no spiral on its step"
		}
	case r.Gate == "director":
		if !holds(cua.Soft, func(cua.Signal) bool { return true }) {
			return "with no soft signal on its step: the director was not due"
		}
	case r.Gate == "breaker":
		for k := range max(1, j.bounds().Recovery.Breaker.MaxRefusals) {
			if i-1-k < 0 || !turnedDown(&j.Steps[i-1-k]) {
				return "although the steps before it were not all refused"
			}
		}
	}
	return ""
}

// missed says whether steps are as many as bring a click home before a signal holds: all aimed at a place, and in vain.
func (j *Journal) missed(steps []int) bool {
	n := j.bounds().Recovery.Ladder.Misses
	return n > 0 && len(steps) >= n && !slices.ContainsFunc(steps, func(e int) bool {
		if e < 1 || e > len(j.Steps) {
			return true
		}
		s := &j.Steps[e-1]
		aimed := s.Dispatched() && (s.Action.Kind.Pressing() || s.Action.Kind == cua.Type && s.Action.Point != nil)
		return !aimed || s.Effect == nil || len(s.Effect.Progress) > 0
	})
}

// roundOn says whether steps, all before step i, are as many as bring a click home before a signal holds: all pressed one element, and
// the page was then where it had been.
func (j *Journal) roundOn(i int, steps []int) bool {
	n := j.bounds().Recovery.Ladder.Misses
	if n == 0 || len(steps) < n || slices.ContainsFunc(steps, func(e int) bool {
		return e < 1 || e > i || !j.Steps[e-1].Dispatched() || !j.Steps[e-1].Action.Kind.Pressing() ||
			j.Steps[e-1].Target.ID == "" || j.Steps[e-1].Target.ID != j.Steps[steps[0]-1].Target.ID
	}) {
		return false
	}
	samples := j.HistoryAt(i).Samples()
	first, last := samples[steps[0]-1], samples[steps[len(steps)-1]-1]
	return first.Before != "" && first.Before == last.After
}

// broughtHome says whether steps is one alone, before step i and in its document, that brought a press home with an effect: who
// misses once more is brought home at once.
func (j *Journal) broughtHome(i int, steps []int) bool {
	if len(steps) != 1 || steps[0] < 1 || steps[0] > i || j.bounds().Recovery.Ladder.Misses == 0 {
		return false
	}
	h := j.HistoryAt(i)
	s := &j.Steps[steps[0]-1]
	a, ok := cua.AttemptAt(h.Samples(), steps[0]-1)
	return ok && a.Effect && s.RecoveryReason == cua.RetargetClick && s.After.Document == h.Now().Document
}

// lookedIdly says whether s looked at the page and nothing changed meanwhile.
func lookedIdly(s *cua.Step) bool {
	return s.Dispatched() && s.Action.Kind.ReadOnly() && !s.Effect.Any()
}

// turnedDown says whether s came to nothing because a gate refused it.
func turnedDown(s *cua.Step) bool {
	r, ok := s.Ruled()
	return ok && r.Verdict == cua.Refuse && !s.Dispatched()
}
