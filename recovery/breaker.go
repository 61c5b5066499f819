package recovery

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// BreakerConfig says how patient the breaker is.
type BreakerConfig struct {
	// Grace is how many steps a hard stop waits after a substitution of loop recovery or the
	// ladder, so that the brain can use what came of it; at least 3 (spec: recovery, rules that bind every rung).
	Grace int `json:"grace"`
	// MaxRefusals is how many proposals in a row may be refused at one state before the
	// breaker decides.
	MaxRefusals int `json:"max_refusals"`
	// Looks is how many looks may bring nothing in a row before one more of them ends the episode: as many as steps
	// without effect make a hard signal. 0 ends none.
	Looks int `json:"looks"`
}

// Breaker ends an episode that is stuck for good, or does what GiveUp has in its place: a spiral or a hard signal
// holds, the brain had its last warning, and nothing is left to substitute. Nor does it let one look at what it has seen
// for ever. Done, ask and rewind pass it: they are ways out.
type Breaker struct {
	Config BreakerConfig
	// Stop says when; its Grace is Config.Grace.
	Stop Stop
	// GiveUp says what comes where the episode would be ended.
	GiveUp GiveUp
	// Rungs are the gates whose substitutions must be used up first: loop recovery and the
	// ladder. One that would rule on the proposal under review keeps the breaker from halting.
	Rungs []Reviewer
	// Refusers are the gates whose refusals count towards MaxRefusals: policy and done.
	Refusers []Reviewer
}

// The breaker's reasons.
const (
	ReasonHardLoop = "hard_loop"
	ReasonRefusals = "refused_at_one_state"
	// ReasonOnSpiral: the policy for unattended runs went back instead.
	ReasonOnSpiral = "on_spiral_rewind"
)

// Name is "breaker".
func (Breaker) Name() string { return "breaker" }

// Review halts with EndLoop, or with EndSpiral when the signal is a spiral.
func (g Breaker) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	if r, ok := g.refusedAgain(t, p); ok {
		return r
	}
	if r, ok := g.looksAgain(t, p); ok {
		return r
	}
	switch p.Action.Kind {
	case cua.Done, cua.Ask, cua.Rewind:
		return pass(g.Name())
	}
	sig := g.Stop.due(t)
	if sig == nil || remains(g.Rungs, t, p) {
		return pass(g.Name())
	}
	end := cua.EndLoop
	if sig.Shape == cua.ShapeSpiral {
		end = cua.EndSpiral
	}
	if back, ok := g.GiveUp.back(t, sig); ok && p.Failure == nil {
		return cua.Ruling{Gate: g.Name(), Verdict: cua.Replace, Reason: ReasonOnSpiral, Action: &back.action, Detail: back.detail, Evidence: slices.Clone(sig.Evidence)}
	}
	return cua.Ruling{Gate: g.Name(), Verdict: g.GiveUp.verdict(), Reason: ReasonHardLoop, End: end, Evidence: slices.Clone(sig.Evidence),
		Detail: fmt.Sprintf("%s has held for %d steps since step %d, and neither a warning nor a substitution helped", sig.Shape, sig.Run, sig.Since)}
}

// remains says whether one of rungs would do something about p.
func remains(rungs []Reviewer, t *cua.Turn, p cua.Proposal) bool {
	return slices.ContainsFunc(rungs, func(g Reviewer) bool { return g.Review(t, p).Verdict != cua.Pass })
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
	churn := t.History.Churn()
	now := cua.Node(t.Now, churn)
	for i := range steps[len(steps)-n:] {
		s := &steps[len(steps)-n+i]
		r, ok := s.Ruled()
		if !ok || r.Verdict != cua.Refuse || s.Dispatched() || cua.Node(s.After, churn) != now {
			return cua.Ruling{}, false
		}
		evidence = append(evidence, s.N)
	}
	for _, refuser := range g.Refusers {
		if r := refuser.Review(t, p); r.Verdict == cua.Refuse {
			return cua.Ruling{Gate: g.Name(), Verdict: g.GiveUp.verdict(), Reason: ReasonRefusals, End: cua.EndLoop, Evidence: evidence,
				Detail: fmt.Sprintf("refused for the %d. time in a row at one state: %s", n+1, r.Detail)}, true
		}
	}
	return cua.Ruling{}, false
}
