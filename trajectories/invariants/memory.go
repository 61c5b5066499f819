package invariants

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// actedOn is the identity of what s acted on; "" is none.
func actedOn(s *cua.Step, before *cua.Observation) string {
	a, id, p := s.Action, s.Target.ID, s.Target.Point
	if s.Substituted() { // the target is that of what was asked for
		id, p = "", nil
	}
	if id = cmp.Or(id, a.Into); id != "" {
		return id
	}
	if p = cmp.Or(a.Point, p); p != nil {
		return cua.PointID(*p)
	}
	if (a.Kind == cua.Key || a.Kind == cua.Type) && before.Focus != nil {
		return before.Focus.ID
	}
	return ""
}

// left says whether s committed a navigation, a reload or a rewind in its tab. An address that moves with
// what is typed or selected is none.
func left(s *cua.Step, before *cua.Observation) bool {
	if s.RewoundTo > 0 {
		return true
	}
	if before.Tab > 0 && s.After.Tab > 0 && before.Tab != s.After.Tab {
		return false
	}
	if before.Document != "" && s.After.Document != "" && before.Document != s.After.Document {
		return true
	}
	switch s.Action.Kind {
	case cua.Navigate, cua.Back, cua.Forward, cua.Reload, cua.Rewind:
		return s.Failure == nil
	}
	return s.Effect.Has(cua.ChangeURL) && s.Action.Kind != cua.Type && s.Action.Kind != cua.Select
}

// classOf is the class of a mutating action; "" for all others.
func classOf(k cua.Kind) cua.Kind {
	switch {
	case k.Pressing():
		return cua.Click
	case k == cua.Type, k == cua.Select, k == cua.Key, k == cua.Drag:
		return k
	}
	return ""
}

// repeated is how often in a row step i and those before it did one thing to one place of one tab, without a
// look at it, a new page, or progress by what is no edit, and how often within cua.Reach. anew are the
// indexes at which another session began.
func (j *Journal) repeated(samples []cua.Sample, i int, anew map[int]bool) (n, near int) {
	last, now := &j.Steps[i], j.before(i)
	if last.Action == nil || last.Action.Kind.Ends() || last.Failure != nil {
		return 0, 0
	}
	target, class := actedOn(last, now), classOf(last.Action.Kind)
	edits := class == cua.Type || class == cua.Select
	for k := i; k >= 0 && target != "" && (k == i || !anew[k+1]); k-- {
		s, before := &j.Steps[k], j.before(k)
		if s.Action == nil || s.Action.Kind.Ends() || before.Tab != now.Tab {
			continue
		}
		if left(s, before) {
			break
		}
		if s.Failure != nil || target != actedOn(s, before) || cua.Origin(before.URL) != cua.Origin(now.URL) {
			continue
		}
		if class == "" || class != classOf(s.Action.Kind) || samples[k].Progress && !edits {
			break
		}
		if n++; k > i-cua.Reach {
			near++
		}
	}
	return n, near
}

// repeatSaid is the sentence at the end of a feedback, and the count in it.
var repeatSaid = regexp.MustCompile(`Note: (\d+)(?:st|nd|rd|th) consecutive [a-z]+ on this element ` +
	`without a fresh look — verify visually or report current state instead of [a-z ]+ again\.$`)

// repeatsCounted holds each recorded repeat against a count made from the steps up to it, as they were known
// then.
func repeatsCounted(j *Journal) []Violation {
	t, from := j.Header.Toggles, j.bounds().Detector.Streak.From
	anew := map[int]bool{} // where another session began
	for _, r := range j.History().Resumed {
		anew[r.At] = true
	}
	var sampler cua.Sampler
	return each(func(j *Journal, i int, s *cua.Step, say sayer) {
		h := j.HistoryAt(i)
		h.Steps = j.Steps[: i+1 : i+1]
		samples := sampler.Read(h)
		n, near := j.repeated(samples, i, anew)
		if n < from || !t.RepeatGuard || !t.ShapeStreak {
			n = 0
		}
		r := s.Repeat
		switch said := repeatSaid.FindStringSubmatch(s.Feedback); {
		case r == nil && n > 0:
			say("acts on one target for the %d. time without a look, and no repeat is recorded", n)
		case r == nil:
		case r.Count < near || r.Count > n:
			say("the recorded repeat counts %d, the steps %d", r.Count, n)
		case r.Effect != samples[i].Progress:
			say("the recorded repeat says effect %t", r.Effect)
		case r.Target != actedOn(s, j.before(i)):
			say("the recorded repeat is of another target")
		case said == nil || said[1] != fmt.Sprint(r.Count):
			say("the feedback does not end with the note of the %d. time", n)
		}
	})(j)
}

// mistakeTracker is Note.From of the mistake tracker, and the name of its gate.
const mistakeTracker = "mistakes"

// mistakesTold counts the notes of the mistake tracker that the step's turn carried.
func mistakesTold(s *cua.Step) int {
	n := 0
	for _, o := range s.Notes {
		if o.From == mistakeTracker {
			n++
		}
	}
	return n
}

// mistakesInOrder holds notes and ends of the mistake tracker against the failures before them, as they were
// known then.
func mistakesInOrder(j *Journal) []Violation {
	on, run := j.Header.Toggles.MistakeTracker, j.bounds().Recovery.Mistakes.Run
	var sampler cua.Sampler
	return each(func(j *Journal, i int, s *cua.Step, say sayer) {
		h := j.HistoryAt(i)
		failures, told := mistaken(sampler.Read(h)[h.Fresh():])
		full, notes := on && failures >= run, mistakesTold(s)
		at := slices.IndexFunc(s.Rulings, func(r cua.Ruling) bool { return r.Gate == mistakeTracker })
		halts := at >= 0 && s.Rulings[at].Verdict != cua.Pass
		switch {
		case notes > 1 || notes > 0 && nudgeLevel(s) > 0:
			say("the mistake tracker's note stands beside another of its kind or a nudge")
		case notes > 0 && halts:
			say("the mistake tracker spoke and ruled in one step")
		case notes > 0 && !(full && !told):
			say("a note of mistakes after %d failures, told before: %t", failures, told)
		case notes == 0 && full && !told:
			say("no note after %d failures", failures)
		case halts && !(full && told):
			say("ended for mistakes after %d failures, told before: %t", failures, told)
		case at >= 0 && !halts && full && told:
			say("not ended for mistakes after a note and %d failures", failures)
		}
	})(j)
}

// mistaken counts the failures since the last success or note, and says whether there was a note since the
// last success.
func mistaken(samples []cua.Sample) (failures int, told bool) {
	for i := range samples {
		s := samples[i].Step
		if mistakesTold(s) > 0 {
			failures, told = 0, true
		}
		switch {
		case s.Failure == nil && s.Dispatched() && !samples[i].Idle():
			failures, told = 0, false
		case s.Failure != nil && s.Failure.Kind != cua.FailEnv:
			failures++
		}
	}
	return failures, told
}
