package recovery

import (
	"math"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// StopRule says when an episode that is stuck may be stopped, and how. The late rows of the table and the
// breaker share it.
type StopRule struct {
	// Grace is how many steps a hard stop is delayed after a replacement by a row.
	Grace int
	// Nudged says that an advisor warns the brain: a last warning must then have been delivered first.
	Nudged bool
	// Attended says that a person can be asked: the episode then pauses, and Policy is not used.
	Attended bool
	// Policy is that of an unattended run; "" is SpiralHalt.
	Policy OnSpiral
	// Rewinds is the most rewinds in one incident, by brain and gates together.
	Rewinds int
}

// Continues says that an unattended episode that is stuck for good continues at once.
func (c Config) Continues() bool { return !c.Attended && c.OnSpiral == SpiralContinue }

// StopRule is that of the config; nudged says that an advisor warns the brain.
func (c Config) StopRule(nudged bool) StopRule {
	return StopRule{Grace: c.Breaker.Grace, Nudged: nudged, Attended: c.Attended, Policy: c.OnSpiral,
		Rewinds: c.Rescue.Rewinds}
}

// due is the signal for which the episode may be stopped: a spiral, or a hard one of another shape. It is nil
// if there is none or if it is too early. Failures are left to the mistake tracker.
func (s StopRule) due(t *cua.Turn) *cua.Signal {
	sig := longest(t.Signals, func(s *cua.Signal) bool {
		stops := s.Level == cua.Hard || s.Shape == cua.ShapeSpiral && s.Level.AtLeast(cua.Soft)
		return stops && s.Shape != cua.ShapeFailures
	})
	if sig == nil || s.Nudged && delivered(t, sig.Since) < LastWarning || s.inGrace(t.History) {
		return nil
	}
	return sig
}

func (s StopRule) inGrace(h cua.History) bool {
	steps := fresh(h)
	return slices.ContainsFunc(steps[max(0, len(steps)-s.Grace):], func(s cua.Step) bool {
		return s.HasAction() && s.RecoveryReason != ""
	})
}

// verdict is how the episode is stopped. An unattended run continues at once after a pause.
func (s StopRule) verdict() cua.Verdict {
	if s.Attended || s.Policy == SpiralContinue {
		return cua.Pause
	}
	return cua.Halt
}

func (s StopRule) asked() cua.EndReason {
	if s.Attended {
		return cua.EndPaused
	}
	return cua.EndAsked
}

// back is the step to undo; 0 is none. It is the step after the newest one that reached something new, if its
// page never came back. Otherwise it is that newest step itself, if it led here from another page, or if it
// was part of the incident and the policy is to rewind. A send that the server accepted is never undone.
func (s StopRule) back(t *cua.Turn) int {
	var after []string // the nodes of live steps since the newest one that reached something new
	k, next := -1, -1  // that step, and the live one after it
	samples := t.Evidence.Samples
	for i := range cua.LiveBackward(t.History.Steps) {
		if x := &samples[i]; x.Step.RewoundTo == 0 && x.Acting && x.New {
			k = i
			break
		}
		next, after = i, append(after, samples[i].After)
	}
	for _, i := range []int{next, k} {
		if i < 0 || next < 0 || samples[i].Before == "" || slices.Contains(after, "") ||
			slices.Contains(after, samples[i].Before) {
			continue
		}
		was, is, n := t.History.Before(i), samples[i].Step.After, samples[i].Step.N
		leaves := cua.PageURL(was.URL) != cua.PageURL(is.URL) && was.Tab == is.Tab
		rewinds := !s.Attended && s.Policy == SpiralRewind && t.Incident != nil && n >= t.Incident.First
		if i == k && !leaves && !rewinds || was.Checkpoint == "" || len(t.History.Sent(n)) > 0 {
			return 0
		}
		return n
	}
	return 0
}

func continued(t *cua.Turn, p cua.Proposal, px float64) *cua.Signal {
	i := slices.IndexFunc(t.Signals, func(s cua.Signal) bool {
		return s.Level.AtLeast(cua.Soft) && continues(t, s, p, px)
	})
	if i < 0 {
		return nil
	}
	return &t.Signals[i]
}

func waits(a cua.Action) bool { return a.Kind == cua.Wait || a.Kind.ReadOnly() }

// continues reports whether p continues what s is about. On a frozen page an untried action is a way out,
// unless it hits nothing or the signal is hard.
func continues(t *cua.Turn, s cua.Signal, p cua.Proposal, px float64) bool {
	switch s.Shape {
	case cua.ShapeFailures, cua.ShapeStreak: // left to the mistake tracker and to the repeat guard
		return false
	case cua.ShapeStall:
		return waits(p.Action)
	case cua.ShapeFrozen:
		hitsNothing := p.Target.Point != nil && !p.Target.Clickable && !p.Target.Editable
		return !waits(p.Action) && (s.Level == cua.Hard || hitsNothing || repeats(t, s, p, px))
	}
	return repeats(t, s, p, px)
}

// repeats reports whether p has the signature or the place of a step of the signal. Two different identified
// targets are two places, however near.
func repeats(t *cua.Turn, s cua.Signal, p cua.Proposal, px float64) bool {
	if p.Target.Identified() && p.Target.ID == s.Target {
		return true
	}
	signature := cua.Signature(p.Action, p.Target)
	at := pressPoint(p.Action, p.Target)
	return slices.ContainsFunc(s.Evidence, func(n int) bool {
		st := t.History.Step(n)
		if st == nil || cua.Signature(st.Proposed, st.Target) == signature {
			return st != nil
		}
		q := pressPoint(st.Proposed, st.Target)
		if !st.Proposed.Kind.Pointer() || p.Action.Kind == cua.Wait || at == nil || q == nil {
			return false
		}
		near := math.Abs(at.X-q.X) <= px && math.Abs(at.Y-q.Y) <= px
		if p.Target.Identified() && st.Target.Identified() {
			return p.Target.ID == st.Target.ID || s.Shape == cua.ShapeDrift && near
		}
		return near || st.Target.Identified() && st.Target.Box.Contains(*at)
	})
}

// Breaker ends an episode that is stuck for good: StopRule.due holds, the proposal continues the loop, and no
// gate before had a ruling. Done, ask and rewind are ways out and pass.
type Breaker struct {
	Config BreakerConfig
	Stop   StopRule
	// PlacePx is RescueConfig.PlacePx.
	PlacePx float64
}

// The reasons of stops.
const (
	ReasonHardLoop = "hard_loop"
	ReasonRefusals = "refused_in_one_state"
)

// Name is "breaker".
func (Breaker) Name() string { return "breaker" }

// Review halts with EndLoop, or EndSpiral for a spiral. It pauses instead if Stop says so.
func (g Breaker) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	switch p.Action.Kind {
	case cua.Done, cua.Ask, cua.Rewind:
		return pass(g.Name())
	}
	sig := g.Stop.due(t)
	if sig == nil || p.Failure == nil && !continues(t, *sig, p, g.PlacePx) {
		return pass(g.Name())
	}
	r := rule(g.Name(), g.Stop.verdict(), ReasonHardLoop, slices.Clone(sig.Evidence),
		"%s has held for %d steps since step %d, and neither a warning nor a substitution helped",
		sig.Shape, sig.Run, sig.Since)
	r.End = cua.EndLoop
	if sig.Shape == cua.ShapeSpiral {
		r.End = cua.EndSpiral
	}
	return r
}

// LimitRefusals turns a refusal after MaxRefusals others into a stop. Nothing was dispatched in between, so
// the page is in the same state.
func (g Breaker) LimitRefusals(t *cua.Turn, r cua.Ruling) cua.Ruling {
	steps, n := t.Evidence.Samples[t.History.Fresh():], g.Config.MaxRefusals
	if r.Verdict != cua.Refuse || len(steps) < n {
		return r
	}
	last := steps[len(steps)-n:]
	for _, x := range last {
		ruled, _ := x.Step.Ruled()
		if ruled.Verdict != cua.Refuse || x.Step.HasAction() {
			return r
		}
	}
	stop := rule(r.Gate, g.Stop.verdict(), ReasonRefusals, numbers(last),
		"refused %d times in a row in one state: %s", n+1, r.Detail)
	stop.End = cua.EndLoop
	return stop
}
