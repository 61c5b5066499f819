package recovery

import (
	"math"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// OnSpiral is what is done at once where an episode is stuck for good and nobody can be asked.
type OnSpiral string

// The policies for unattended runs (spec: memory, spiral breaker).
const (
	// SpiralHalt ends the episode.
	SpiralHalt OnSpiral = "halt"
	// SpiralRewind goes back once to before what changed the page in the incident, where there is such a step, and
	// ends the episode when it is stuck again.
	SpiralRewind OnSpiral = "rewind"
	// SpiralContinue goes on with fresh counters, until a cap ends the episode.
	SpiralContinue OnSpiral = "continue"
)

// OnSpirals lists the policies.
func OnSpirals() []OnSpiral { return []OnSpiral{SpiralHalt, SpiralRewind, SpiralContinue} }

// Stuck says when an episode may be given up and what then comes. The late rows of the table and the breaker share it.
type Stuck struct {
	// Grace is how many steps a hard stop waits after a replacement by a row.
	Grace int
	// Nudged says that an advisor warns the brain: then a last warning must have been delivered first.
	Nudged bool
	// Attended says that a person can be asked: the episode then pauses, and the policy is not consulted.
	Attended bool
	// Policy is that of an unattended run; "" is SpiralHalt.
	Policy OnSpiral
	// Budget is what rewinds are held to.
	Budget RewindBudget
}

// due is the signal for which the episode may be given up; nil when it may not.
func (s Stuck) due(t *cua.Turn) *cua.Signal {
	sig := hardest(t.Signals)
	if sig == nil || s.Nudged && !warned(t.History, sig.Since) || s.inGrace(t.History) {
		return nil
	}
	return sig
}

// hardest is the signal of a spiral, or the hard one of another shape, that has held longest; nil when none
// holds. Failures are the mistake tracker's to act on.
func hardest(signals []cua.Signal) *cua.Signal {
	var out *cua.Signal
	for i := range signals {
		s := &signals[i]
		stops := s.Level == cua.Hard || s.Shape == cua.ShapeSpiral && s.Level.AtLeast(cua.Soft)
		if stops && s.Shape != cua.ShapeFailures && (out == nil || s.Run > out.Run) {
			out = s
		}
	}
	return out
}

// inGrace says whether one of the last Grace steps was a replacement by a row, or a rewind by the breaker.
func (s Stuck) inGrace(h cua.History) bool {
	steps := fresh(h)
	for i := range steps {
		st := &steps[i]
		rescued := st.RecoveryReason != "" || isRewind(st) && st.Substituted()
		if rescued && st.Dispatched() && len(steps)-1-i < s.Grace {
			return true
		}
	}
	return false
}

// verdict is how the episode is stopped. A pause of an unattended run goes on at once.
func (s Stuck) verdict() cua.Verdict {
	if s.Attended || s.Policy == SpiralContinue {
		return cua.Pause
	}
	return cua.Halt
}

// back is the step to go back to before; 0 is none. Nothing new was reached since a good checkpoint: the one after the newest
// step that reached something, if the page has changed since and was never again as it was then; else the one before that
// step, if it led here from another page, or was part of the incident and the policy is to rewind. Nothing is crossed that a
// server took.
func (s Stuck) back(t *cua.Turn) int {
	live := cua.Live(t.History.Steps)
	sample := func(i int) *cua.Sample { return &t.Evidence.Samples[indexOf(t.History, live[i].N)] }
	k := len(live) - 1
	for k >= 0 && (live[k].RewoundTo > 0 || !sample(k).Acting || !sample(k).New) {
		k--
	}
	if k == len(live)-1 || s.Budget.spent(t) != "" {
		return 0
	}
	seen := func(node string) bool { // since step k
		return node == "" || slices.ContainsFunc(live[k+1:], func(st cua.Step) bool {
			after := t.Evidence.Samples[indexOf(t.History, st.N)].After
			return after == "" || after == node
		})
	}
	to := live[k+1].N
	if seen(sample(k + 1).Before) {
		if to = 0; k >= 0 && !seen(sample(k).Before) {
			before := t.History.Before(indexOf(t.History, live[k].N))
			if leaves(before, live[k].After) || s.rewinds(t) && t.Incident != nil && live[k].N >= t.Incident.First {
				to = live[k].N
			}
		}
	}
	if to == 0 || len(t.History.Sent(to)) > 0 || t.History.Before(indexOf(t.History, to)).Checkpoint == "" {
		return 0
	}
	return to
}

// leaves says whether the page after is another one than before, in the same tab.
func leaves(before, after cua.Observation) bool {
	return cua.PageURL(before.URL) != cua.PageURL(after.URL) && before.Tab == after.Tab
}

// rewinds says whether the policy for unattended runs still goes back, once, instead of ending the episode.
func (s Stuck) rewinds(t *cua.Turn) bool {
	wentBack := slices.ContainsFunc(fresh(t.History), func(s cua.Step) bool { return isRewind(&s) && s.Substituted() })
	return !s.Attended && s.Policy == SpiralRewind && !wentBack
}

func isRewind(s *cua.Step) bool { return s.Action != nil && s.Action.Kind == cua.Rewind }

// continued is the first signal of soft level or above that p continues; nil when there is none.
func continued(t *cua.Turn, p cua.Proposal, px float64) *cua.Signal {
	for i := range t.Signals {
		if s := &t.Signals[i]; s.Level.AtLeast(cua.Soft) && continues(t, *s, p, px) {
			return s
		}
	}
	return nil
}

// continues says whether p is more of what s is about. On a frozen page an action that was not tried yet is a way out, unless
// it hits nothing, or the signal is hard.
func continues(t *cua.Turn, s cua.Signal, p cua.Proposal, px float64) bool {
	waits := p.Action.Kind == cua.Wait || p.Action.Kind.ReadOnly()
	switch s.Shape {
	case cua.ShapeFailures, cua.ShapeStreak: // the mistake tracker's, and the repeat guard's
		return false
	case cua.ShapeStall:
		return waits
	case cua.ShapeFrozen:
		hitsNothing := p.Target.Point != nil && !p.Target.Clickable && !p.Target.Editable
		return !waits && (s.Level == cua.Hard || hitsNothing || repeats(t, s, p, px))
	}
	return repeats(t, s, p, px)
}

// repeats says whether p is, by its signature or its place, what a step of the signal asked for. Two identified targets that
// differ are two places, however near.
func repeats(t *cua.Turn, s cua.Signal, p cua.Proposal, px float64) bool {
	signature := cua.Signature(p.Action, p.Target)
	at := pressPoint(p.Action, p.Target)
	if p.Action.Kind == cua.Wait {
		at = nil
	}
	if p.Target.Identified() && p.Target.ID == s.Target {
		return true
	}
	return slices.ContainsFunc(s.Evidence, func(n int) bool {
		st := step(t.History, n)
		if st == nil {
			return false
		}
		if cua.Signature(st.Proposed, st.Target) == signature {
			return true
		}
		q := pressPoint(st.Proposed, st.Target)
		if !st.Proposed.Kind.Pointer() || at == nil || q == nil {
			return false
		}
		if p.Target.Identified() && st.Target.Identified() {
			return p.Target.ID == st.Target.ID || s.Shape == cua.ShapeDrift && near(*at, *q, px)
		}
		return near(*at, *q, px) || st.Target.Identified() && st.Target.Box.Contains(*at)
	})
}

// near compares both axes, edges included.
func near(a, b cua.Point, px float64) bool {
	return math.Abs(a.X-b.X) <= px && math.Abs(a.Y-b.Y) <= px
}
