package recovery

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// TableName chooses between the two tables.
type TableName string

// The tables.
const (
	DefaultRows TableName = "default"
	ClassicRows TableName = "classic"
)

// RescueConfig holds the table and its bounds.
type RescueConfig struct {
	Table TableName `json:"table"`
	// Early is how many clicks without effect in a row come before scroll_page, which needs no signal; at least 1. Two, since
	// one click may be late and a third one would be a signal.
	Early int `json:"early"`
	// PlacePx is how far from a click of the loop another one may lie and still continue it, CSS px, where no element
	// was identified. It is the bucket of a bare place.
	PlacePx float64 `json:"place_px"`
	// NearPx is how far beside an element a click may land and be retargeted to it, CSS px: the width of a fingertip.
	NearPx float64 `json:"near_px"`
	// StaleMS is how much waiting for a page that shows nothing new makes it stale, ms.
	StaleMS int `json:"stale_ms"`
	// Rewinds is how often an incident may be rewound, by whomever.
	Rewinds int `json:"rewinds"`
}

// Rescue replaces an action that continues a loop by the first row of the table that applies. It is the last gate that
// may replace an action.
type Rescue struct {
	Config RescueConfig
	// Rows are the codes that are switched on.
	Rows []cua.Reason
	// Window is how many last acting steps must be without effect for the page to count as frozen: the soft window
	// of the detectors.
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
	// due is the signal for which the episode may be given up; nil while it may not.
	due *cua.Signal
}

// Review replaces by the first row that applies; ask_user ends or pauses the episode. The ruling's Reason is a
// cua.Reason.
func (g Rescue) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	if p.Failure != nil || p.Action.Kind.Ends() || p.Action.Kind == cua.Rewind || p.Action.Kind == cua.AnswerDlg {
		return pass(g.Name())
	}
	m := &moment{Turn: t, p: p, g: g, due: g.Stuck.due(t)}
	sig := continued(t, p, g.Config.PlacePx)
	if m.due != nil && !continues(t, *m.due, p, g.Config.PlacePx) {
		m.due = nil
	}
	for _, r := range g.rows() {
		evidence, ok := m.applies(r, sig)
		if !ok || m.spent(r) || !r.when(m) {
			continue
		}
		w := r.do(m)
		if w.end != "" {
			return cua.Ruling{Gate: g.Name(), Verdict: g.Stuck.verdict(), Reason: string(r.code), End: w.end, Detail: w.detail, Evidence: evidence}
		}
		if w.action.Kind == "" || m.tried(w.action) || !m.safe(r, w.action) {
			continue
		}
		return cua.Ruling{Gate: g.Name(), Verdict: cua.Replace, Reason: string(r.code), Action: &w.action, Detail: w.detail, Evidence: evidence}
	}
	return pass(g.Name())
}

// rows are those of the configured table that are switched on.
func (g Rescue) rows() []row {
	table := Table()
	if g.Config.Table == ClassicRows {
		table = ClassicTable()
	}
	return slices.DeleteFunc(table, func(r row) bool { return !slices.Contains(g.Rows, r.code) })
}

// applies says whether the time of r has come, and the steps that say so.
func (m *moment) applies(r row, sig *cua.Signal) (evidence []int, ok bool) {
	waiting := m.p.Action.Kind == cua.Wait || m.p.Action.Kind.ReadOnly()
	switch {
	case waiting && !r.waits, m.Now.Dialog != nil && !r.late:
		return nil, false
	case r.late:
		if m.due == nil {
			return nil, false
		}
		return slices.Clone(m.due.Evidence), true
	case sig != nil:
		return slices.Clone(sig.Evidence), true
	case r.early:
		return numbers(m.Evidence.Acting, m.g.Config.Early), idle(m.Evidence.Acting, m.g.Config.Early)
	}
	return nil, false
}

// spent says whether r may not be used any more: it had no effect in the open incident (the classic table has no
// memory of that), or in two incidents on this origin.
func (m *moment) spent(r row) bool {
	if m.g.Config.Table == ClassicRows {
		return false
	}
	failed := 0
	if m.Incident != nil {
		for _, a := range m.Incident.Tried {
			switch {
			case a.Reason != r.code:
			case a.Effect:
				failed = 0
			default:
				failed++
			}
		}
	}
	return failed >= max(1, r.ways) || m.retired(r.code)
}

// retireAfter is in how many incidents on one origin a row may have no effect (spec: recovery).
const retireAfter = 2

// retired says whether code had no effect in two incidents on the origin of the page as it is now. All steps
// count, also those that a rewind undid.
func (m *moment) retired(code cua.Reason) bool {
	failed := map[string]bool{} // by incident, and gone again where a later try had an effect
	for i := range m.Evidence.Samples {
		s := m.Evidence.Samples[i].Step
		if s.RecoveryReason != code || s.Incident == "" || cua.Origin(m.History.Before(i).URL) != cua.Origin(m.Now.URL) {
			continue
		}
		if a, ok := cua.AttemptAt(m.Evidence.Samples, i); ok && !a.Effect {
			failed[s.Incident] = true
		} else if ok {
			delete(failed, s.Incident)
		}
	}
	return len(failed) >= retireAfter
}

// tried says whether a was dispatched in the state that the page is in now, by whomever, and had no effect; or
// whether its text was typed into its field before, which still holds what it made of it.
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
	is := m.Now.FieldByID(a.Into)
	return a.Kind == cua.Type && is != nil && slices.ContainsFunc(cua.Live(m.History.Steps), func(s cua.Step) bool {
		if s.Action == nil || s.Action.Kind != cua.Type || s.Action.Text != a.Text || s.After.Document != m.Now.Document {
			return false
		}
		was := s.After.FieldByID(a.Into)
		return was != nil && !is.Empty && was.ValueDigest == is.ValueDigest
	})
}

// safe is safe activation (spec: recovery): whatever a would activate, a replacement of the proposal may activate it.
func (m *moment) safe(r row, a cua.Action) bool {
	switch {
	case a.Kind.Pressing():
		mark := m.Now.MarkByID(a.Into)
		if mark == nil || mark.Covered || !m.Now.Reachable(mark.Dialog) {
			return false
		}
		return cua.MayPress(m.p, mark.Control()) != "" ||
			r.code == cua.RetargetClick && cua.NamedAlone(m.p, mark.Control(), m.reach())
	case a.PressesReturn():
		f := m.Now.FieldByID(a.Into)
		return f != nil && m.p.Target.Covering == nil && cua.MayReturn(&m.Now, m.p, f) != ""
	case a.Kind == cua.Type, a.Kind == cua.Select, a.Kind == cua.Upload:
		f := m.Now.FieldByID(a.Into)
		return f != nil && !f.Covered && m.p.Target.Covering == nil && m.Now.Reachable(f.Dialog)
	}
	return true // scrolls, Tab, Escape, reloads and rewinds activate nothing
}
