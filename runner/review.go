package runner

import (
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
)

// Review asks each gate once, in order, until one rules with force. It returns all rulings and the one that
// decided, which is a pass if every gate passed. A ruling without force is recorded and the next gate is
// asked: that of a gate or row in shadow mode, and a substitution that the policy refuses.
func (a Assembly) Review(t *cua.Turn, p cua.Proposal) (all []cua.Ruling, decided cua.Ruling) {
	for _, g := range a.Gates {
		r := g.Review(t, p)
		r.Shadow = r.Verdict != cua.Pass && (a.shadow[g.Name()] || a.shadow[r.Reason])
		switch {
		case r.Verdict == cua.Replace:
			if no := a.policy.Review(t, substitute(p, *r.Action)); no.Verdict != cua.Pass {
				r.Shadow, r.Dropped, r.Detail = true, true, dropped+no.Detail
			}
		case r.Verdict == cua.Refuse && !r.Shadow && a.limitRefusals != nil:
			r = a.limitRefusals(t, r)
		}
		all = append(all, r)
		if r.Verdict != cua.Pass && !r.Shadow {
			return all, r
		}
	}
	return all, cua.Ruling{Verdict: cua.Pass}
}

// dropped begins the detail of a substitution that the policy refused.
const dropped = "dropped: "

// substitute is the proposal of a in place of p. It keeps p's target if both actions name the same place. The
// page was asked about no other place, so any other target is unknown.
func substitute(p cua.Proposal, a cua.Action) cua.Proposal {
	out := cua.Proposal{Action: a, By: p.By}
	q := p.Action
	if a.Mark == q.Mark && a.Into == q.Into && (a.Point == q.Point || a.Point != nil && q.Point != nil &&
		*a.Point == *q.Point) {
		out.Target = p.Target
	}
	return out
}

// applyRuling makes the step what the deciding ruling says.
func (w *work) applyRuling(ruled cua.Ruling) {
	if ruled.Gate == recovery.RescueName && ruled.Verdict != cua.Pass {
		w.step.RecoveryReason = cua.Reason(ruled.Reason)
	}
	switch ruled.Verdict {
	case cua.Halt, cua.Pause:
		w.end = &stop{reason: ruled.End, detail: ruled.Detail, pause: ruled.Verdict == cua.Pause}
		if ruled.End == cua.EndAsked {
			w.end.code = ruled.Reason
		}
	case cua.Refuse:
		w.step.Failure = &cua.Failure{Kind: refusedKind(w.proposal.Action), Detail: ruled.Detail}
		w.step.Restored = fenced(w.proposal, ruled)
	case cua.Replace:
		a := *ruled.Action
		w.step.Action = &a
	default:
		if w.proposal.Failure == nil {
			a := w.proposal.Action
			w.step.Action = &a
		}
	}
	if w.proposal.Action.Kind == cua.Done && (ruled.Verdict == cua.Refuse || w.end != nil &&
		w.end.reason == cua.EndDoneUnverified) {
		w.step.DoneRejected = cua.DoneCode(ruled.Reason)
	}
}

// refusedKind is the failure kind of a refused action.
func refusedKind(a cua.Action) cua.FailureKind {
	if a.Kind == cua.Done {
		return cua.FailDoneRefused
	}
	return cua.FailPolicy
}
