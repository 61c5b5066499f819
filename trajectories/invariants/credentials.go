package invariants

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// rejectionsAllowed is after how many rejected sends of a secret somebody has to be asked: real accounts
// lock.
const rejectionsAllowed = 2

// rejectedCredentials counts the sends that carried a secret and were rejected, whoever made them.
func rejectedCredentials(j *Journal) []found {
	var out report
	rejected, from := 0, 0
	for i := range j.Steps {
		s, now := &j.Steps[i], j.before(i)
		if at := j.HistoryAt(i).Fresh(); at != from {
			rejected, from = 0, at
		}
		send, sends := j.sends(i)
		if !sends || !carriesSecret(now, send) || !reachedServer(now, &s.After) {
			continue
		}
		if rejected >= rejectionsAllowed {
			out.at(s.N, "sent a secret again, after %d sends that were rejected", rejected)
		}
		if turnedAway(&s.After, send) {
			rejected++
		}
	}
	return out
}

func carriesSecret(o *cua.Observation, send cua.Send) bool {
	carries := func(f cua.Field) bool { return f.Form == send.Form && f.Secret != "" }
	return slices.ContainsFunc(o.Fields, carries)
}

// reachedServer says whether a send did more than the page by itself: a press of a dead button sends nothing.
func reachedServer(before, after *cua.Observation) bool {
	return len(after.Writes) > 0 || after.Answered > 0 || before.Document != after.Document
}

// turnedAway says whether a server refused what was sent: by its status, or by the same form again with its
// password.
func turnedAway(o *cua.Observation, send cua.Send) bool {
	refuses := func(status int) bool { return status == 401 || status == 403 || status == 429 }
	refused := func(w cua.Write) bool { return refuses(w.Status) }
	again := func(f cua.Field) bool { return f.Form == send.Form && f.Type == "password" }
	return refuses(o.Status) || slices.ContainsFunc(o.Writes, refused) || slices.ContainsFunc(o.Fields, again)
}

// doneBesideError finds a done that was accepted although the form that was sent last is still there, with a
// field that the page shows as invalid.
func doneBesideError(j *Journal, i int, s *cua.Step, say sayer) {
	if !j.acceptsDone(s) || !j.Header.Toggles.DoneGate {
		return
	}
	now := j.before(i)
	for _, then := range slices.Backward(cua.Live(j.Steps[:i])) {
		send, sends := j.sends(then.N - 1)
		if !sends {
			continue
		}
		for _, f := range now.Fields {
			same := f.Form == send.Form && f.Frame == send.Frame
			if same && f.Invalid != "" && sheetOf(now.URL) == sheetOf(then.After.URL) {
				say("a done was accepted although %q, in the form that step %d sent, is shown as invalid",
					calls(&f), then.N)
				return
			}
		}
		return
	}
}

// acceptsDone says whether s ended the episode by a success that the done gate let through.
func (j *Journal) acceptsDone(s *cua.Step) bool {
	gate := slices.Contains(j.Header.Gates, "done") && !slices.Contains(j.bounds().Shadow, "done")
	return gate && s.Action != nil && s.Action.Kind == cua.Done && s.Action.Success
}
