package recovery

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// The rows that leave the page: reload, rewind, ask.

// isStale reports whether nothing more will come of the page, and a reload would lose and resend nothing.
func isStale(m *Moment) bool { return m.stale() != "" && !m.answersSend() && !m.holdsInput() }

func reloadPage(m *Moment) Way {
	return doing(cua.Action{Kind: cua.Reload}, "reloaded the page: %s", m.stale())
}

// stale says why nothing more will come of the page; "" if something may.
func (m *Moment) stale() string {
	if m.Now.NavError != "" {
		return "it could not be opened (" + cua.OneLine(m.Now.NavError) + ")"
	}
	if m.Now.Status >= 500 {
		return fmt.Sprintf("the site answered with an error (status %d)", m.Now.Status)
	}
	waited := 0
	for _, s := range slices.Backward(m.Evidence.Samples[m.History.Fresh():]) {
		if s.Step.After.Document != m.Now.Document || s.Progress {
			break
		}
		if st := s.Step.Settle; st != nil && slices.Contains(st.Faults, "hung") {
			return "it did not answer any more"
		}
		if s.Action.Kind == cua.Wait {
			waited += s.Action.MS
		}
	}
	if waited >= m.g.Config.StaleMS {
		return fmt.Sprintf("nothing came of it in %d seconds of waiting", waited/1000)
	}
	return ""
}

// answersSend reports whether the current document may be the answer to a send.
func (m *Moment) answersSend() bool {
	for i, s := range slices.Backward(m.History.Steps) {
		if before := m.History.Before(i); before.Document != m.Now.Document || m.Now.Document == "" {
			return len(s.After.Writes) > 0 // the step that loaded it
		}
	}
	return false
}

// holdsInput reports whether a form of this document was filled in, which a reload would lose.
func (m *Moment) holdsInput() bool {
	return slices.ContainsFunc(cua.Live(m.History.Steps), func(s cua.Step) bool {
		return s.After.Document == m.Now.Document && s.Effect.Has(cua.ChangeForm)
	})
}

func rewindToCheckpoint(m *Moment) Way {
	to := m.g.Stop.back(m.Turn)
	if to == 0 || m.Incident == nil || rewound(m.Turn) >= m.g.Stop.Rewinds {
		return Way{}
	}
	return doing(cua.Action{Kind: cua.Rewind, Step: to},
		"went back to before step %d: nothing new was reached since", to)
}

func askUser(m *Moment) Way {
	w := doing(cua.Action{}, "%s has held for %d steps since step %d, and nothing that can be tried is "+
		"left: what should be done instead?", m.due.Shape, m.due.Run, m.due.Since)
	w.end = m.g.Stop.asked()
	return w
}
