package recovery

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Stop says when an episode may be given up: the breaker, the rewind and the question to a
// person wait for one and the same moment.
type Stop struct {
	// Grace is how many steps a hard stop waits after a substitution of loop recovery or the
	// ladder.
	Grace int
	// Nudged says that an advisor warns the brain: then a last warning must have been delivered,
	// and answered, first.
	Nudged bool
}

// due is the signal for which the episode may be given up; nil when it may not.
func (s Stop) due(t *cua.Turn) *cua.Signal {
	sig := hardest(t.Signals)
	if sig == nil || s.Nudged && !warned(t.History, sig.Since) || s.inGrace(t.History) {
		return nil
	}
	return sig
}

// hardest is the signal of a spiral, or the hard one of another shape, that has held longest; nil
// when none holds. Failures are the mistake tracker's to act on.
func hardest(signals []cua.Signal) *cua.Signal {
	var out *cua.Signal
	for i := range signals {
		s := &signals[i]
		stops := s.Level == cua.Hard || s.Shape == cua.ShapeSpiral && s.Level.AtLeast(cua.Soft)
		if stops && s.Shape != cua.ShapeFailures && (out == nil || s.Run > out.Run) {
			out = s
		}
	}
	return out
}

// warned says whether a last warning was delivered with a step from number since on: the brain
// has answered it, and that answer is on record.
func warned(h cua.History, since int) bool { return delivered(h, since) >= LastWarning }

// delivered is the highest level of the nudges that steps from number since on carried; 0 is none.
func delivered(h cua.History, since int) int {
	top := 0
	steps := fresh(h)
	for i := range steps {
		if steps[i].N < since {
			continue
		}
		for _, n := range steps[i].Notes {
			if n.From == NudgeName {
				top = max(top, n.Level)
			}
		}
	}
	return top
}

// inGrace says whether fewer than Grace steps were made since the last substitution by
// loop recovery or the ladder, or the breaker's rewind.
func (s Stop) inGrace(h cua.History) bool {
	steps := fresh(h)
	for i := range steps {
		st := &steps[i]
		rescued := st.RecoveryReason != "" || isRewind(st) && st.Substituted()
		if rescued && st.Dispatched() && len(steps)-1-i < s.Grace {
			return true
		}
	}
	return false
}

// spent says whether reason may not be used any more: it was tried in the open incident and had no
// effect, or in two incidents on this origin, which retires it for the run.
func spent(t *cua.Turn, reason cua.Reason) bool {
	if t.Incident != nil {
		for _, a := range slices.Backward(t.Incident.Tried) {
			if a.Reason != reason {
				continue
			}
			if !a.Effect {
				return true
			}
			break
		}
	}
	return retired(t, reason)
}

// retireAfter is in how many incidents on one origin a reason may fail (spec: recovery).
const retireAfter = 2

// retired says whether reason had no effect in two incidents on the origin of the page as it is
// now. What it came to last in an incident counts, and all steps count: a run is one run, whatever a rewind
// undid and however often somebody went on with it.
func retired(t *cua.Turn, reason cua.Reason) bool {
	h := t.History
	if !slices.ContainsFunc(h.Steps, func(s cua.Step) bool { return s.RecoveryReason == reason }) {
		return false
	}
	here := origin(t.Now.URL)
	samples := h.Samples()
	failed := map[string]bool{}
	for i := range h.Steps {
		s := &h.Steps[i]
		if s.RecoveryReason != reason || origin(h.Before(i).URL) != here {
			continue
		}
		if a, ok := cua.AttemptAt(samples, i); ok {
			failed[s.Incident] = !a.Effect
		}
	}
	n := 0
	for _, f := range failed {
		if f {
			n++
		}
	}
	return n >= retireAfter
}

// inVain says whether a was dispatched, by whomever, in the state that the page is in now, and
// had no effect: once more would be the same.
func inVain(t *cua.Turn, a cua.Action) bool {
	samples := t.History.Samples()
	if len(samples) == 0 {
		return false
	}
	now := samples[len(samples)-1].After
	for i := range samples {
		s := &samples[i]
		if s.Step.Dispatched() && sameAction(*s.Step.Action, a) && s.Idle() && s.Before == now && now != "" {
			return true
		}
	}
	return false
}

// leadsRound says whether a was substituted in the state that the page is in now, led to another page, and the way
// from there led back here past nothing new: once more would be one more round. A press that came back without
// leaving the page, or from one that failed, may be tried again.
func leadsRound(t *cua.Turn, a cua.Action) bool {
	samples := t.History.Samples()[t.History.Fresh():]
	if len(samples) == 0 {
		return false
	}
	now := samples[len(samples)-1].After
	for i := len(samples) - 1; i >= 0 && now != ""; i-- {
		s, after := &samples[i], &samples[i].Step.After
		if s.Step.RecoveryReason != "" && s.Step.Dispatched() && s.Before == now && s.After != now && sameAction(*s.Step.Action, a) &&
			cua.PageURL(after.URL) != cua.PageURL(t.Now.URL) && after.NavError == "" && after.Status < 400 {
			return true
		}
		if s.New { // whatever was done before it led to this
			return false
		}
	}
	return false
}

// typedAlready says whether a's text was typed into its field before, and the field still keeps
// what it made of it: the same text is not typed twice, also where the page writes it in its own way.
func typedAlready(t *cua.Turn, a cua.Action) bool {
	live := cua.Live(t.History.Steps)
	for i := range live {
		s := &live[i]
		if s.Dispatched() && sameAction(*s.Action, a) && keeps(&s.After, &t.Now, a.Into) {
			return true
		}
	}
	return false
}

// keeps says whether the field holds now what it held after.
func keeps(after, now *cua.Observation, id string) bool {
	was, is := fieldByID(after, id), fieldByID(now, id)
	return was != nil && is != nil && after.Document == now.Document && was.ValueDigest == is.ValueDigest && !is.Empty
}

// sameAction compares what is dispatched: the brain's words play no part.
func sameAction(a, b cua.Action) bool {
	point := func(p *cua.Point) cua.Point {
		if p == nil {
			return cua.Point{X: -1, Y: -1}
		}
		return *p
	}
	return a.Kind == b.Kind && a.Into == b.Into && a.Text == b.Text && a.Keys == b.Keys && a.URL == b.URL && a.Mark == b.Mark &&
		a.DX == b.DX && a.DY == b.DY && a.Step == b.Step && slices.Equal(a.Files, b.Files) && point(a.Point) == point(b.Point)
}

// fieldByID is the visible field with that identity; nil when there is none.
func fieldByID(o *cua.Observation, id string) *cua.Field {
	for i := range o.Fields {
		if id != "" && o.Fields[i].ID == id {
			return &o.Fields[i]
		}
	}
	return nil
}
