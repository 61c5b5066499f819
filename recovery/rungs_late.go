package recovery

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// reload is rung e: the page is stale. What was typed into it would be lost, and a document that a
// form's answer brought would send the form again: neither is reloaded.
func (g Ladder) reload(t *cua.Turn, _ cua.Proposal) (substitute, bool) {
	why := g.stale(t)
	if why == "" || sentFor(t) || g.holdsInput(t) {
		return substitute{}, false
	}
	return substitute{action: cua.Action{Kind: cua.Reload}, detail: "reloaded the page: " + why}, true
}

// stale says why nothing is to be expected of the page any more; "" when something is.
func (g Ladder) stale(t *cua.Turn) string {
	if t.Now.NavError != "" {
		return "it could not be opened (" + line(t.Now.NavError) + ")"
	}
	if t.Now.Status >= 500 {
		return fmt.Sprintf("the site answered with an error (status %d)", t.Now.Status)
	}
	waited := 0
	samples := t.History.Samples()[t.History.Fresh():]
	for _, s := range slices.Backward(samples) {
		if s.Step.After.Document != t.Now.Document || s.Progress {
			break
		}
		if st := s.Step.Settle; st != nil && slices.Contains(st.Faults, "hung") {
			return "it did not answer any more"
		}
		if s.Action.Kind == cua.Wait {
			waited += s.Action.MS
		}
	}
	if waited >= g.Config.StaleMS {
		return fmt.Sprintf("nothing came of it in %d seconds of waiting", waited/1000)
	}
	return ""
}

// sentFor says whether the present document answers something that was sent, or may do so.
func sentFor(t *cua.Turn) bool {
	h := t.History
	for i := range slices.Backward(h.Steps) {
		before := h.Before(i)
		if before.Document == t.Now.Document && t.Now.Document != "" {
			continue // it was there already
		}
		return len(h.Steps[i].After.Writes) > 0
	}
	return false
}

// holdsInput says whether a visible field holds what a step has put there in this document.
func (g Ladder) holdsInput(t *cua.Turn) bool {
	for i := range t.Now.Fields {
		f := &t.Now.Fields[i]
		if f.ValueDigest == "" && f.Secret == "" && !f.Checked {
			continue
		}
		first := firstIn(t, f.ID)
		if first == nil || first.ValueDigest != f.ValueDigest || first.Secret != f.Secret || first.Checked != f.Checked {
			return true
		}
	}
	return false
}

// firstIn is the field as the present document showed it first; nil when that is not known.
func firstIn(t *cua.Turn, id string) *cua.Field {
	h := t.History
	for i := range len(h.Steps) + 1 {
		o := h.Before(i)
		if o.Document != t.Now.Document {
			continue
		}
		if f := fieldByID(&o, id); f != nil {
			return f
		}
	}
	return nil
}

// rewind is rung f: the page that was come to is a dead end, or an error page: back to before it was
// entered. Never past a step that sent something that was answered well, and never without a checkpoint.
func (g Ladder) rewind(t *cua.Turn, _ cua.Proposal) (substitute, bool) {
	if t.Incident == nil || g.rewinds(t) >= g.Config.Rewinds || g.GiveUp.Budget.spent(t) != "" {
		return substitute{}, false
	}
	to := entered(t)
	if to == 0 || len(t.History.Sent(to)) > 0 || t.History.Before(to-1).Checkpoint == "" {
		return substitute{}, false
	}
	return substitute{action: cua.Action{Kind: cua.Rewind, Step: to},
		detail: fmt.Sprintf("went back to before step %d: nothing that was done on this page since led anywhere", to)}, true
}

// rewinds counts those of the open incident.
func (g Ladder) rewinds(t *cua.Turn) int {
	n := 0
	for i := range t.History.Steps {
		if s := &t.History.Steps[i]; t.Incident != nil && s.N >= t.Incident.First && isRewind(s) {
			n++
		}
	}
	return n
}

// entered is the number of the live step that led to the page as it is now from another one,
// where nothing new was reached since; 0 when it is the start page, or something was.
func entered(t *cua.Turn) int {
	h := t.History
	samples := h.Samples()
	index := map[int]int{}
	for i := range h.Steps {
		index[h.Steps[i].N] = i
	}
	acted, failed := false, t.Now.NavError != "" || t.Now.Status >= 400
	for _, s := range slices.Backward(cua.Live(h.Steps)) {
		i := index[s.N]
		before := h.Before(i)
		switch {
		case s.RewoundTo > 0: // it came back to where an earlier step had led
			continue
		case cua.PageURL(before.URL) != cua.PageURL(s.After.URL):
			if !acted && !failed || cua.PageURL(s.After.URL) != cua.PageURL(t.Now.URL) || before.Tab != s.After.Tab {
				return 0
			}
			if !samples[i].New && !failed { // the run had been here before: no dead end, but one more round
				return 0
			}
			return s.N
		case samples[i].Acting && samples[i].New && !failed:
			return 0
		}
		acted = acted || samples[i].Acting
	}
	return 0
}

// ask is rung g: nothing is left.
func (g Ladder) ask(t *cua.Turn, _ cua.Proposal) (substitute, bool) {
	end := cua.EndAsked
	if g.GiveUp.Attended {
		end = cua.EndPaused
	}
	sig := hardest(t.Signals)
	return substitute{end: end, detail: fmt.Sprintf("%s has held for %d steps since step %d, and nothing that can be tried is left: "+
		"what should be done instead?", sig.Shape, sig.Run, sig.Since)}, true
}
