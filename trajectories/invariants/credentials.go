package invariants

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// rejectionsAllowed is after how many rejected sends of a secret somebody has to be asked: real accounts lock.
const rejectionsAllowed = 2

// rejectedCredentials counts the sends that carried a secret and were rejected, whoever made them.
func rejectedCredentials(j *Journal) []found {
	var out report
	h := j.History()
	rejected, from := 0, 0
	for i := range j.Steps {
		s, now := &j.Steps[i], j.before(i)
		if at := freshAt(h, i); at != from {
			rejected, from = 0, at
		}
		state, sends := submission(now, s)
		if !sends || !state.known || !carriesSecret(now, state.form) || !reachedServer(now, &s.After) {
			continue
		}
		if rejected >= rejectionsAllowed {
			out.at(s.N, "sent a secret again, after %d sends that were rejected", rejected)
		}
		if turnedAway(&s.After, state.form) {
			rejected++
		}
	}
	return out
}

func carriesSecret(o *cua.Observation, form string) bool {
	return slices.ContainsFunc(o.Fields, func(f cua.Field) bool { return f.Form == form && f.Secret != "" })
}

// reachedServer says whether a send did more than the page by itself: a press of a dead button sends nothing.
func reachedServer(before, after *cua.Observation) bool {
	return len(after.Writes) > 0 || after.Answered > 0 || before.Document != after.Document
}

// turnedAway says whether a server refused what was sent: by its status, or by the same form again with its password.
func turnedAway(o *cua.Observation, form string) bool {
	refuses := func(status int) bool { return status == 401 || status == 403 || status == 429 }
	return refuses(o.Status) || slices.ContainsFunc(o.Writes, func(w cua.Write) bool { return refuses(w.Status) }) ||
		slices.ContainsFunc(o.Fields, func(f cua.Field) bool { return f.Form == form && f.Type == "password" })
}

// doneBesideError finds a done that was accepted although the form that was sent last is still there, with a field that
// the page shows as invalid.
func doneBesideError(j *Journal, i int, s *cua.Step, say sayer) {
	if !j.Header.Toggles.DoneGate || !j.gateForced("done") || s.Action == nil || s.Action.Kind != cua.Done || !s.Action.Success {
		return
	}
	now := j.before(i)
	for k := i - 1; k >= 0; k-- {
		then := j.before(k)
		state, sends := submission(then, &j.Steps[k])
		if !sends || !state.known || !slices.ContainsFunc(cua.Live(j.Steps[:i]), func(e cua.Step) bool { return e.N == k+1 }) {
			continue
		}
		for _, f := range now.Fields {
			if f.Form == state.form && f.Frame == state.frame && f.Invalid != "" && sheetOf(now.URL) == sheetOf(j.Steps[k].After.URL) {
				say("a done was accepted although %q, in the form that step %d sent, is shown as invalid", calls(&f), k+1)
				return
			}
		}
		return
	}
}

// gateForced says whether the gate was there and had force.
func (j *Journal) gateForced(gate string) bool {
	return slices.Contains(j.Header.Gates, gate) && !slices.Contains(j.bounds().Shadow, gate)
}
