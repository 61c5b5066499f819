package recovery

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// BreakerConfig says how patient the breaker is.
type BreakerConfig struct {
	// Grace is how many steps a hard stop waits after a substitution of loop recovery, so that
	// the brain can use what came of it; at least 3 (spec: recovery, rules that bind every rung).
	Grace int `json:"grace"`
	// MaxRefusals is how many proposals in a row may be refused at one state before the
	// breaker decides.
	MaxRefusals int `json:"max_refusals"`
}

// Breaker ends an episode that is stuck for good: a hard signal holds, the brain had its last
// warning, and nothing is left to substitute. Done, ask and rewind pass it: they are ways out.
type Breaker struct {
	Config BreakerConfig
	// Nudged says that an advisor warns the brain: then a last warning must be on record first.
	Nudged bool
	// Rungs are the gates whose substitutions must be used up first: loop recovery and the
	// ladder. One that would replace the proposal under review keeps the breaker from halting.
	Rungs []Review
	// Refusers are the gates whose refusals count towards MaxRefusals: policy.
	Refusers []Review
}

// The breaker's reasons.
const (
	ReasonHardLoop = "hard_loop"
	ReasonRefusals = "refused_at_one_state"
)

// Name is "breaker".
func (Breaker) Name() string { return "breaker" }

// Review halts with EndLoop, or with EndSpiral when the hard signal is a spiral.
func (g Breaker) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	switch p.Action.Kind {
	case cua.Done, cua.Ask, cua.Rewind:
		return pass(g.Name())
	}
	if r, ok := g.refusedAgain(t, p); ok {
		return r
	}
	sig := hardest(t.Signals)
	if sig == nil || g.Nudged && !warned(t.History, sig.Since) || g.inGrace(t.History) || remains(g.Rungs, t, p) {
		return pass(g.Name())
	}
	end := cua.EndLoop
	if sig.Shape == cua.ShapeSpiral {
		end = cua.EndSpiral
	}
	return cua.Ruling{Gate: g.Name(), Verdict: cua.Halt, Reason: ReasonHardLoop, End: end, Evidence: slices.Clone(sig.Evidence),
		Detail: fmt.Sprintf("%s has held for %d steps since step %d, and neither a warning nor a substitution helped", sig.Shape, sig.Run, sig.Since)}
}

// hardest is the hard signal that has held longest; nil when none holds. Failures are the
// mistake tracker's to act on.
func hardest(signals []cua.Signal) *cua.Signal {
	var out *cua.Signal
	for i := range signals {
		s := &signals[i]
		if s.Level == cua.Hard && s.Shape != cua.ShapeFailures && (out == nil || s.Run > out.Run) {
			out = s
		}
	}
	return out
}

// warned says whether a last warning was delivered with a step from number since on: the brain
// has answered it, and that answer is on record.
func warned(h cua.History, since int) bool {
	for _, s := range fresh(h) {
		if s.N >= since && slices.ContainsFunc(s.Notes, func(n cua.Note) bool { return n.From == NudgeName && n.Level >= LastWarning }) {
			return true
		}
	}
	return false
}

// inGrace says whether fewer than Grace steps were made since the last substitution by
// loop recovery or the ladder.
func (g Breaker) inGrace(h cua.History) bool {
	steps := fresh(h)
	for i := range steps {
		if steps[i].RecoveryReason != "" && len(steps)-1-i < g.Config.Grace {
			return true
		}
	}
	return false
}

func remains(rungs []Review, t *cua.Turn, p cua.Proposal) bool {
	return slices.ContainsFunc(rungs, func(review Review) bool { return review(t, p).Verdict == cua.Replace })
}

// refusedAgain halts where MaxRefusals proposals in a row were refused at the state that still
// holds and this one would be refused too.
func (g Breaker) refusedAgain(t *cua.Turn, p cua.Proposal) (cua.Ruling, bool) {
	steps := fresh(t.History)
	n := g.Config.MaxRefusals
	if n < 1 || len(steps) < n || p.Failure != nil {
		return cua.Ruling{}, false
	}
	var evidence []int
	now := cua.Node(t.Now, t.History.Churn())
	for i := range steps[len(steps)-n:] {
		s := &steps[len(steps)-n+i]
		r, ok := s.Ruled()
		if !ok || r.Verdict != cua.Refuse || s.Dispatched() || cua.Node(s.After, t.History.Churn()) != now {
			return cua.Ruling{}, false
		}
		evidence = append(evidence, s.N)
	}
	for _, review := range g.Refusers {
		if r := review(t, p); r.Verdict == cua.Refuse {
			return cua.Ruling{Gate: g.Name(), Verdict: cua.Halt, Reason: ReasonRefusals, End: cua.EndLoop, Evidence: evidence,
				Detail: fmt.Sprintf("refused for the %d. time in a row at one state: %s", n+1, r.Detail)}, true
		}
	}
	return cua.Ruling{}, false
}
