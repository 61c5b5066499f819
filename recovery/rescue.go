package recovery

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Rescue replaces an action that continues a loop by the first row of the table that applies. It is the last
// gate that may replace an action.
type Rescue struct {
	Config RescueConfig
	// Rows are the codes that are switched on.
	Rows []cua.Reason
	// Window is how many last acting steps must be without effect for a page to be frozen.
	Window int
	// Stuck says when the late rows may act, and what they may do.
	Stuck Stuck
}

// RescueName is the gate's name.
const RescueName = "rescue"

// Name is "rescue".
func (Rescue) Name() string { return RescueName }

// moment is what conditions and actions of rows read. It is made anew for each review and never changed.
type moment struct {
	*cua.Turn
	p cua.Proposal
	g Rescue
	// loop is the soft signal that the proposal continues, due the one to give the episode up for; nil is
	// none.
	loop, due *cua.Signal
}

// Review replaces by the first row that applies, or ends the episode. The Reason is a cua.Reason.
func (g Rescue) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	if k := p.Action.Kind; p.Failure != nil || k.Ends() || k == cua.Rewind || k == cua.AnswerDlg {
		return pass(g.Name())
	}
	m := &moment{Turn: t, p: p, g: g, loop: continued(t, p, g.Config.PlacePx), due: g.Stuck.due(t)}
	if m.due != nil && !continues(t, *m.due, p, g.Config.PlacePx) {
		m.due = nil
	}
	for _, r := range Table() {
		evidence, ok := m.applies(r)
		on := slices.Contains(g.Rows, r.code) && (r.classic || !g.Config.Classic)
		if !ok || !on || m.spent(r) || !r.when(m) {
			continue
		}
		w := r.do(m)
		out := rule(g.Name(), cua.Replace, string(r.code), evidence, "%s", w.detail)
		if w.end != "" {
			out.Verdict, out.End = g.Stuck.verdict(), w.end
			return out
		}
		if w.action.Kind != "" && !m.tried(w.action) && m.safe(r, w.action) {
			out.Action = &w.action
			return out
		}
	}
	return pass(g.Name())
}

// applies says whether the time of r has come, and the steps that say so.
func (m *moment) applies(r row) (evidence []int, ok bool) {
	switch {
	case waits(m.p.Action) && !r.waits, m.Now.Dialog != nil && !r.late, r.late && m.due == nil:
		return nil, false
	case r.late:
		return slices.Clone(m.due.Evidence), true
	case m.loop != nil:
		return slices.Clone(m.loop.Evidence), true
	case r.early:
		evidence = numbers(idle(m.Evidence.LastActing(m.g.Config.Early), m.g.Config.Early))
	}
	return evidence, evidence != nil
}

// retireAfter is in how many incidents on one origin a row may have no effect.
const retireAfter = 2

// spent says whether r had no effect in as many ways as an incident gives it, or in retireAfter incidents on
// the origin of the page. All steps count, also those that a rewind undid. The classic table has no memory.
func (m *moment) spent(r row) bool {
	if m.g.Config.Classic {
		return false
	}
	failed := map[string]int{} // by incident; a try that had an effect takes back those before it
	for _, i := range m.Evidence.Rescued {
		s := &m.History.Steps[i]
		if s.RecoveryReason != r.code || s.Incident == "" ||
			cua.Origin(m.History.Before(i).URL) != cua.Origin(m.Now.URL) {
			continue
		}
		if a, ok := cua.AttemptAt(m.Evidence.Samples, i); ok && !a.Effect {
			failed[s.Incident]++
		} else if ok {
			delete(failed, s.Incident)
		}
	}
	open := m.Incident != nil && failed[m.Incident.ID] >= max(1, r.ways)
	return open || len(failed) >= retireAfter
}

// tried says whether a had no effect in the present state of the page.
func (m *moment) tried(a cua.Action) bool {
	signature := cua.Signature(a, cua.Target{})
	for _, s := range m.Evidence.Tried {
		target := s.Step.Target
		if s.Step.Substituted() { // it is what the brain had aimed at
			target = cua.Target{}
		}
		if cua.Signature(*s.Step.Action, target) == signature {
			return true
		}
	}
	return false
}

// safe is safe activation (spec: recovery): whether a replacement of the proposal may do a.
func (m *moment) safe(r row, a cua.Action) bool {
	f := m.Now.FieldByID(a.Into)
	switch {
	case a.Kind.Pressing():
		mark := m.Now.MarkByID(a.Into)
		if mark == nil || mark.Covered || !m.Now.Reachable(mark.Dialog) {
			return false
		}
		by := cua.MayPress(m.p, mark.Control())
		refuses := cua.Refusal(mark.Text) || cua.Refusal(mark.Name)
		if by == cua.ActivateHarmless && refuses && r.code != cua.DismissOverlay {
			return false // elsewhere "Cancel" and "Decline" decide something
		}
		return by != "" || r.code == cua.RetargetClick && cua.NamedAlone(m.p, mark.Control(), m.near())
	case a.PressesReturn():
		return f != nil && !isCovered(m) && cua.MayReturn(&m.Now, m.p, f) != ""
	case a.Kind == cua.Type, a.Kind == cua.Select, a.Kind == cua.Upload:
		return f != nil && !isCovered(m) && !f.Covered && m.Now.Reachable(f.Dialog)
	}
	return true // scrolls, Tab, Escape, reloads and rewinds activate nothing
}
