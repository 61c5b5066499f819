package invariants

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

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

// mistaken counts the failures since the last success or note, and reports whether there was a note since the
// last success.
func mistaken(samples []cua.Sample) (failures int, told bool) {
	for i := range samples {
		s := samples[i].Step
		if mistakesTold(s) > 0 {
			failures, told = 0, true
		}
		switch {
		case s.Failure == nil && s.HasAction() && !samples[i].Idle():
			failures, told = 0, false
		case s.Failure != nil && s.Failure.Kind != cua.FailEnv:
			failures++
		}
	}
	return failures, told
}
