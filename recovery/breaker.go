package recovery

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Breaker ends an episode that is stuck for good: Stuck.due holds, the proposal continues the loop, and no
// gate before had a ruling. Done, ask and rewind are ways out and pass.
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

// Review halts with EndLoop, or EndSpiral for a spiral; it pauses or rewinds where Stuck says so.
func (g Breaker) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	switch p.Action.Kind {
	case cua.Done, cua.Ask, cua.Rewind:
		return pass(g.Name())
	}
	sig := g.Stuck.due(t)
	if sig == nil || p.Failure == nil && !continues(t, *sig, p, g.PlacePx) {
		return pass(g.Name())
	}
	evidence := slices.Clone(sig.Evidence)
	if g.Stuck.rewinds(t) && p.Failure == nil {
		if to := g.Stuck.back(t); to > 0 {
			r := rule(g.Name(), cua.Replace, ReasonOnSpiral, evidence,
				"went back to before step %d instead of ending the episode", to)
			r.Action = &cua.Action{Kind: cua.Rewind, Step: to}
			return r
		}
	}
	r := rule(g.Name(), g.Stuck.verdict(), ReasonHardLoop, evidence,
		"%s has held for %d steps since step %d, and neither a warning nor a substitution helped",
		sig.Shape, sig.Run, sig.Since)
	r.End = cua.EndLoop
	if sig.Shape == cua.ShapeSpiral {
		r.End = cua.EndSpiral
	}
	return r
}

// Escalate turns a refusal into a stop where MaxRefusals proposals in a row were refused in the state that
// still holds.
func (g Breaker) Escalate(t *cua.Turn, r cua.Ruling) cua.Ruling {
	steps, n := fresh(t.History), g.Config.MaxRefusals
	if r.Verdict != cua.Refuse || len(steps) < n {
		return r
	}
	var evidence []int
	for _, s := range steps[len(steps)-n:] {
		ruled, ok := s.Ruled()
		same := cua.Node(s.After, t.Evidence.Churn) == cua.Node(t.Now, t.Evidence.Churn)
		if !ok || ruled.Verdict != cua.Refuse || s.Dispatched() || !same {
			return r
		}
		evidence = append(evidence, s.N)
	}
	stop := rule(r.Gate, g.Stuck.verdict(), ReasonRefusals, evidence,
		"refused %d times in a row in one state: %s", n+1, r.Detail)
	stop.End = cua.EndLoop
	return stop
}
