package recovery

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// BreakerConfig says how patient the breaker is.
type BreakerConfig struct {
	// Grace is how many steps a hard stop waits after a replacement by the rescue table, so that the brain can use
	// what came of it; at least 3 (spec: recovery, rules outside the rows).
	Grace int `json:"grace"`
	// MaxRefusals is how many proposals in a row may be refused in one state before the next one is a stop.
	MaxRefusals int `json:"max_refusals"`
}

// Breaker ends an episode that is stuck for good: a hard signal or a spiral holds, the brain had its last warning, the
// proposal continues the loop, and no gate before it had a ruling. Done, ask and rewind are ways out and pass.
type Breaker struct {
	Config BreakerConfig
	Stuck  Stuck
	// PlacePx is RescueConfig.PlacePx.
	PlacePx float64
}

// The reasons of stops.
const (
	ReasonHardLoop = "hard_loop"
	ReasonRefusals = "refused_in_one_state"
	// ReasonOnSpiral: the policy for unattended runs went back instead.
	ReasonOnSpiral = "on_spiral_rewind"
)

// Name is "breaker".
func (Breaker) Name() string { return "breaker" }

// Review halts with EndLoop, or with EndSpiral when the signal is a spiral; it pauses or rewinds where Stuck says so.
func (g Breaker) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	switch p.Action.Kind {
	case cua.Done, cua.Ask, cua.Rewind:
		return pass(g.Name())
	}
	sig := g.Stuck.due(t)
	if sig == nil || p.Failure == nil && !continues(t, *sig, p, g.PlacePx) {
		return pass(g.Name())
	}
	if g.Stuck.rewinds(t) && p.Failure == nil {
		if to := g.Stuck.back(t); to > 0 {
			return cua.Ruling{Gate: g.Name(), Verdict: cua.Replace, Reason: ReasonOnSpiral, Action: &cua.Action{Kind: cua.Rewind, Step: to},
				Detail: fmt.Sprintf("went back to before step %d instead of ending the episode", to), Evidence: slices.Clone(sig.Evidence)}
		}
	}
	end := cua.EndLoop
	if sig.Shape == cua.ShapeSpiral {
		end = cua.EndSpiral
	}
	return cua.Ruling{Gate: g.Name(), Verdict: g.Stuck.verdict(), Reason: ReasonHardLoop, End: end, Evidence: slices.Clone(sig.Evidence),
		Detail: fmt.Sprintf("%s has held for %d steps since step %d, and neither a warning nor a substitution helped", sig.Shape, sig.Run, sig.Since)}
}

// Escalate turns a refusal into a stop where MaxRefusals proposals in a row were refused in the state that still holds.
func (g Breaker) Escalate(t *cua.Turn, r cua.Ruling) cua.Ruling {
	steps, n := fresh(t.History), g.Config.MaxRefusals
	if r.Verdict != cua.Refuse || len(steps) < n {
		return r
	}
	var evidence []int
	for i := len(steps) - n; i < len(steps); i++ {
		s := &steps[i]
		ruled, ok := s.Ruled()
		if !ok || ruled.Verdict != cua.Refuse || s.Dispatched() || cua.Node(s.After, t.Evidence.Churn) != cua.Node(t.Now, t.Evidence.Churn) {
			return r
		}
		evidence = append(evidence, s.N)
	}
	return cua.Ruling{Gate: r.Gate, Verdict: g.Stuck.verdict(), Reason: ReasonRefusals, End: cua.EndLoop, Evidence: evidence,
		Detail: fmt.Sprintf("refused %d times in a row in one state: %s", n+1, r.Detail)}
}
