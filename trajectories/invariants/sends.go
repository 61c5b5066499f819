package invariants

import (
	"maps"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// sends is the send that step i made; false when it made none.
func (j *Journal) sends(i int) (cua.Send, bool) {
	s, now := &j.Steps[i], j.before(i)
	if s.Action == nil {
		return cua.Send{}, false
	}
	target := s.Target
	if s.Substituted() { // it is that of what was proposed
		target = cua.Target{}
		if m := pressed(now, s); m != nil {
			target.ID = m.ID
		}
	}
	return cua.SendOf(now, *s.Action, target)
}

// pressed is the interactive element that s pressed or sent a key to; nil when that is not known.
func pressed(o *cua.Observation, s *cua.Step) *cua.Mark {
	a := s.Action
	id := a.Into
	if id == "" && !s.Substituted() {
		id = s.Target.ID
	}
	if id != "" {
		return o.MarkByID(id)
	}
	var smallest *cua.Mark
	for i := range o.Marks {
		m := &o.Marks[i]
		switch {
		case a.Point == nil && a.Mark > 0 && m.N == a.Mark:
			return m
		case a.Point == nil || !m.Box.Contains(*a.Point):
		case smallest == nil || m.Box.W*m.Box.H < smallest.Box.W*smallest.Box.H:
			smallest = m
		}
	}
	return smallest
}

// secondSubmit finds replacements that send a form which a gate had sent in the same state, or that repeat
// an action which had caused a write, whoever made it, with the form as it was then. A brain's press that is
// moved to its target repeats no write: the brain asked for it. Without a form there is no state to compare.
func secondSubmit(j *Journal) []Violation {
	return eachReplaced(func(j *Journal, i int, s *cua.Step, r cua.Ruling, say sayer) {
		digest := j.before(i).FormDigest
		for k := i - 1; k >= 0; k-- {
			earlier := &j.Steps[k]
			wrote := slices.ContainsFunc(earlier.After.Writes, cua.Write.OK) && earlier.Action != nil
			rewrites := wrote && digest != "" && j.before(k).FormDigest == digest &&
				!coded(r, cua.RetargetClick) && j.did(k) == j.did(i)
			if rewrites || j.sentAgain(k, i) {
				say("did again what step %d had sent, with the form as it was then", earlier.N)
				return
			}
		}
	})(j)
}

// did identifies what step i dispatched: the action, and the field or control it went to.
func (j *Journal) did(i int) string {
	a := *j.Steps[i].Action
	a.Clear = false
	return cua.Signature(a, cua.Target{ID: placeOf(j.before(i), &j.Steps[i]).id})
}

// sentAgain reports whether gates sent one form at steps k and i, in one document and state, and nothing is
// known to have changed between. A press that was moved to its target is compared with such presses alone.
func (j *Journal) sentAgain(k, i int) bool {
	then, now := j.before(k), j.before(i)
	a, moved, sent := j.gateSend(k)
	b, moves, sends := j.gateSend(i)
	one := a.Form == b.Form || a.Form == "" || b.Form == ""
	progress := func(s cua.Sample) bool { return s.Progress }
	return sent && sends && one && moved == moves && then.Document == now.Document &&
		then.FormKey() == now.FormKey() && !slices.ContainsFunc(j.sampled()[k:i], progress)
}

// gateSend is the send that a gate made at step i, and whether it moved the brain's own press to its target.
// Closing what covers the page sends nothing, whatever the button is called.
func (j *Journal) gateSend(i int) (send cua.Send, moves, ok bool) {
	s := &j.Steps[i]
	r, _ := s.Ruled()
	if !s.Substituted() || coded(r, cua.DismissOverlay) {
		return send, false, false
	}
	send, ok = j.sends(i)
	return send, coded(r, cua.RetargetClick), ok || r.Gate == "force_submit"
}

// rejectionsAllowed is after how many rejected sends of a secret somebody has to be asked: real accounts
// lock.
const rejectionsAllowed = 2

// rejectedCredentials counts the sends that carried a secret and were rejected, whoever made them.
func rejectedCredentials(j *Journal) []Violation {
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
		if rejected++; !turnedAway(now, &s.After, send) && !j.startedOver(i, send) {
			rejected = 0
		}
	}
	return out
}

func carriesSecret(o *cua.Observation, send cua.Send) bool {
	carries := func(f cua.Field) bool { return f.Form == send.Form && f.Secret != "" }
	return slices.ContainsFunc(o.Fields, carries)
}

// reachedServer reports whether a send did more than the page by itself: a press of a dead button sends
// nothing.
func reachedServer(before, after *cua.Observation) bool {
	return len(after.Writes) > 0 || after.Answered > 0 || before.Document != after.Document
}

// turnedAway reports whether a server refused what was sent: by its status, by the same form again with its
// password, or by a field of the name of one that held the secret.
func turnedAway(before, after *cua.Observation, send cua.Send) bool {
	refuses := func(status int) bool { return status == 401 || status == 403 || status == 429 }
	refused := func(w cua.Write) bool { return refuses(w.Status) }
	again := func(f cua.Field) bool {
		named := func(was cua.Field) bool {
			return was.Form == send.Form && was.Frame == f.Frame && was.Secret != "" && was.Label == f.Label
		}
		return f.Form == send.Form && f.Type == "password" ||
			f.Editable && f.Label != "" && slices.ContainsFunc(before.Fields, named)
	}
	return refuses(after.Status) || slices.ContainsFunc(after.Writes, refused) ||
		slices.ContainsFunc(after.Fields, again)
}

// startedOver reports whether the secret of step i, which was alone in its form, was answered by the page on
// which the next send was made, and that one said the same as one before step i, and was asked for a
// password.
func (j *Journal) startedOver(i int, send cua.Send) bool {
	if len(held(j.before(i), send)) > 0 {
		return false
	}
	page := &j.Steps[i].After
	for k := i + 1; k < len(j.Steps); k++ {
		next, sends := j.sends(k)
		said := held(j.before(k), next)
		if !sends || len(said) == 0 {
			continue
		}
		for label := range said {
			if !slices.ContainsFunc(page.Fields, func(f cua.Field) bool {
				return f.Label == label &&
					f.Editable
			}) {
				return false
			}
		}
		for m := range i {
			before, sent := j.sends(m)
			if sent && maps.Equal(held(j.before(m), before), said) {
				return sheetOf(page.URL) == sheetOf(j.before(k).URL) &&
					slices.ContainsFunc(j.Steps[k].After.Fields, isPassword)
			}
		}
		return false
	}
	return false
}

func isPassword(f cua.Field) bool { return f.Type == "password" && f.Editable }

// held are the digests of what the form's texts held but for secrets, by label.
func held(o *cua.Observation, send cua.Send) map[string]string {
	out := map[string]string{}
	for _, f := range o.Fields {
		if f.Form == send.Form && f.Frame == send.Frame && f.Typable() && !f.Empty && f.Secret == "" {
			out[f.Label] = f.ValueDigest
		}
	}
	return out
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

// acceptsDone reports whether s ended the episode by a success that the done gate let through.
func (j *Journal) acceptsDone(s *cua.Step) bool {
	gate := slices.Contains(j.Header.Gates, "done") && !slices.Contains(j.bounds().Shadow, "done")
	return gate && s.Action != nil && s.Action.Kind == cua.Done && s.Action.Success
}
