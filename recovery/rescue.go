package recovery

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Rescue replaces an action that continues a loop by the first row of the table that applies. It is the last
// gate that may replace an action.
type Rescue struct {
	Config RescueConfig
	// Rows are the codes of the table that are switched on.
	Rows []cua.Reason
	// Own are rows of another program. They are always on and are tried before those of the table.
	Own []Row
	// FrozenAfter is how many last acting steps must be without effect for a page to be frozen.
	FrozenAfter int
	// Stop says when the late rows may act, and what they may do.
	Stop StopRule
}

// RescueName is the gate's name.
const RescueName = "rescue"

// Name is "rescue".
func (Rescue) Name() string { return RescueName }

// Moment is what the conditions and actions of rows use. It is created for each review and never changed.
type Moment struct {
	*cua.Turn
	Proposal cua.Proposal

	g Rescue
	// loop is the soft signal that the proposal continues, due the one for which the episode may be stopped;
	// nil is none.
	loop, due *cua.Signal
}

// Review replaces by the first row that applies, or ends the episode. The Reason is a cua.Reason.
func (g Rescue) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	if k := p.Action.Kind; p.Failure != nil || k.Ends() || k == cua.Rewind || k == cua.AnswerDlg {
		return pass(g.Name())
	}
	m := &Moment{Turn: t, Proposal: p, g: g, loop: continued(t, p, g.Config.PlacePx), due: g.Stop.due(t)}
	if m.due != nil && !continues(t, *m.due, p, g.Config.PlacePx) {
		m.due = nil
	}
	for i, r := range slices.Concat(g.Own, Table()) {
		evidence, ok := m.applies(r)
		on := i < len(g.Own) || slices.Contains(g.Rows, r.Code) && (r.classic || !g.Config.Classic)
		if !ok || !on || m.spent(r) || !r.When(m) {
			continue
		}
		w := r.Do(m)
		out := rule(g.Name(), cua.Replace, string(r.Code), evidence, "%s", w.Detail)
		if w.end != "" {
			out.Verdict, out.End = g.Stop.verdict(), w.end
			return out
		}
		if w.Action.Kind != "" && !m.tried(w.Action) && m.safe(r, w.Action) {
			out.Action = &w.Action
			return out
		}
	}
	return pass(g.Name())
}

// applies reports whether the signals allow r, and which steps are the evidence.
func (m *Moment) applies(r Row) (evidence []int, ok bool) {
	switch {
	case waits(m.Proposal.Action) && !r.Waits, m.Now.Dialog != nil && !r.Late, r.Late && m.due == nil:
		return nil, false
	case r.Late:
		return slices.Clone(m.due.Evidence), true
	case m.loop != nil:
		return slices.Clone(m.loop.Evidence), true
	case r.Early:
		evidence = numbers(idle(m.Evidence.LastActing(m.g.Config.Early), m.g.Config.Early))
	}
	return evidence, evidence != nil
}

// retireAfter is the number of incidents on one origin in which a row had no effect and after which it is no
// longer used there.
const retireAfter = 2

// spent reports whether r had no effect as often as an incident allows, or in retireAfter incidents on this
// origin. Steps that a rewind undid count too. The classic table does not remember.
func (m *Moment) spent(r Row) bool {
	if m.g.Config.Classic {
		return false
	}
	failed := map[string]int{} // by incident; an attempt with an effect cancels those before it
	for _, i := range m.Evidence.Rescued {
		s := &m.History.Steps[i]
		if s.RecoveryReason != r.Code || s.Incident == "" ||
			cua.Origin(m.History.Before(i).URL) != cua.Origin(m.Now.URL) {
			continue
		}
		if a, ok := cua.AttemptAt(m.Evidence.Samples, i); ok && !a.Effect {
			failed[s.Incident]++
		} else if ok {
			delete(failed, s.Incident)
		}
	}
	open := m.Incident != nil && failed[m.Incident.ID] >= max(1, r.Ways)
	return open || len(failed) >= retireAfter
}

// tried reports whether a had no effect at the current node.
func (m *Moment) tried(a cua.Action) bool {
	signature := cua.Signature(a, cua.Target{})
	for _, s := range m.Evidence.Tried {
		target := s.Step.Target
		if s.Step.Substituted() { // Target is that of the proposal
			target = cua.Target{}
		}
		if cua.Signature(*s.Step.Action, target) == signature {
			return true
		}
	}
	return false
}

// safe reports whether a replacement of the proposal may do a (docs/recovery.md#safe-activation).
func (m *Moment) safe(r Row, a cua.Action) bool {
	f := m.Now.FieldByID(a.Into)
	switch {
	case a.Kind.Pressing():
		mark := m.Now.MarkByID(a.Into)
		if mark == nil || mark.Covered || !m.Now.Reachable(mark.Dialog) {
			return false
		}
		by := cua.MayPress(m.Proposal, mark.Control())
		refuses := cua.Refusal(mark.Text) || cua.Refusal(mark.Name)
		if by == cua.ActivateHarmless && refuses && r.Code != cua.DismissOverlay {
			return false // outside an overlay "Cancel" and "Decline" are decisions
		}
		return by != "" || r.Code == cua.RetargetClick && cua.NamedAlone(m.Proposal, mark.Control(), m.near())
	case a.PressesReturn():
		return f != nil && !isCovered(m) && cua.MayReturn(&m.Now, m.Proposal, f) != ""
	case a.Kind == cua.Type, a.Kind == cua.Select, a.Kind == cua.Upload:
		return f != nil && !isCovered(m) && !f.Covered && m.Now.Reachable(f.Dialog)
	}
	return true // scrolls, Tab, Escape, reloads and rewinds press nothing
}
