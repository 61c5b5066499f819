package recovery

import "github.com/cua-runner/cua-runner/cua"

// LoopRecoveryConfig chooses between the rules of spec recovery and those of the arm classic.
type LoopRecoveryConfig struct {
	// Rules are the rules that are asked, in that order; each of 1 to 4 at most once.
	Rules []int `json:"rules"`
	// Value is which pending value rule 1 types.
	Value ValueChoice `json:"value"`
	// Submit is what makes a click submit-shaped.
	Submit SubmitEvidence `json:"submit"`
	// Frozen is what makes the page frozen.
	Frozen FrozenEvidence `json:"frozen"`
	// PlacePx is how far from a click of the loop another one may lie and still continue it,
	// CSS px, where no element was identified.
	PlacePx float64 `json:"place_px"`
}

// ValueChoice is which pending value rule 1 types.
type ValueChoice string

// The choices: the value that belongs in the focused field, or simply the first pending one.
const (
	ValueMatching ValueChoice = "matching"
	ValueFirst    ValueChoice = "first"
)

// SubmitEvidence is what makes a click submit-shaped.
type SubmitEvidence string

// The kinds: the target's own role and name, else the brain's reasoning; or the reasoning alone.
const (
	SubmitTarget    SubmitEvidence = "target"
	SubmitReasoning SubmitEvidence = "reasoning"
)

// FrozenEvidence is what makes the page frozen.
type FrozenEvidence string

// The kinds: no effect in the last acting steps of the detectors' soft window, or the signal frozen.
const (
	FrozenEffect FrozenEvidence = "effect"
	FrozenSignal FrozenEvidence = "signal"
)

// ClassicLoopRecovery is that of the arm classic: the documented policy that the project starts from.
func ClassicLoopRecovery() LoopRecoveryConfig {
	c := DefaultConfig().LoopRecovery
	c.Rules, c.Value, c.Submit, c.Frozen = []int{1, 3, 4}, ValueFirst, SubmitReasoning, FrozenSignal
	return c
}

// LoopRecovery replaces a click that continues a loop with what gets such loops moving: typing
// the value that the focused field waits for, Return, or Tab. A Return that continues one is replaced too, by what
// the form still wants (not in the arm classic). It is asked last, so whatever
// ruled before keeps it silent.
type LoopRecovery struct {
	Config LoopRecoveryConfig
	// Window is how many last acting steps must be without effect for the page to count as
	// frozen by effect: the soft window of the detectors.
	Window int
}

// Name is "loop_recovery".
func (LoopRecovery) Name() string { return "loop_recovery" }

// Review replaces by the first rule that applies and was not used up in this incident. The
// ruling's Reason is a cua.Reason.
func (g LoopRecovery) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	returns := p.Action.PressesReturn() && g.Config.Submit == SubmitTarget
	if p.Failure != nil || !p.Action.Kind.Pressing() && !returns || t.Now.Dialog != nil {
		return pass(g.Name())
	}
	evidence := g.continued(t, p)
	if evidence == nil {
		return pass(g.Name())
	}
	for _, rule := range g.Config.Rules {
		s, ok := g.rule(rule, t, p)
		if returns {
			s, ok = g.insteadOfReturn(rule, t)
		}
		if !ok || spent(t, s.reason) || s.action.PressesReturn() && t.History.ReturnTried() {
			continue
		}
		return cua.Ruling{Gate: g.Name(), Verdict: cua.Replace, Reason: string(s.reason), Action: &s.action, Detail: s.detail, Evidence: evidence}
	}
	return pass(g.Name())
}

// continued are the evidence steps of the first of repeat, drift and frozen that holds and
// that the proposed click continues; nil when there is none.
func (g LoopRecovery) continued(t *cua.Turn, p cua.Proposal) []int {
	for _, s := range t.Signals {
		switch s.Shape {
		case cua.ShapeRepeat, cua.ShapeDrift, cua.ShapeFrozen:
		default:
			continue
		}
		if s.Level.AtLeast(cua.Soft) && (samePlace(t.History, s, p, g.Config.PlacePx) || p.Action.PressesReturn() && sameAgain(t.History, s, p)) {
			return append([]int{}, s.Evidence...)
		}
	}
	return nil
}
