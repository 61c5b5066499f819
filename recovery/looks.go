package recovery

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// ShapeLooks names the run of looks in what the nudge says. It is no loop shape and in no record: shapes read
// what acts (spec: loops, acting steps), and to look again is no loop until it goes on for long.
const ShapeLooks cua.Shape = "looks"

// ReasonLooks is the breaker's where the same was looked at again and again.
const ReasonLooks = "looked_again"

// lookedAgain are the looks at the end of the history that brought nothing: nothing but looks was done since, the
// page stayed as it was, and each of them had been made there before. The first look of its kind tells something, and so do
// those of other kinds; neither counts, nor ends the run. What was refused does neither. A wait ends it: to look after one is how
// a slow page is watched.
func lookedAgain(h cua.History) []cua.Sample {
	samples := h.Samples()[h.Fresh():]
	from := len(samples)
	for from > 0 && stares(&samples[from-1]) {
		from--
	}
	made := map[string]bool{}
	var out []cua.Sample
	for _, s := range samples[from:] {
		switch {
		case !s.Step.Dispatched():
		case made[s.Signature]:
			out = append(out, s)
		default:
			made[s.Signature] = true
		}
	}
	return out
}

// stares says whether s is a look without effect, or nothing at all.
func stares(s *cua.Sample) bool {
	if !s.Step.Dispatched() {
		return true
	}
	return !s.Acting && s.Action.Kind.ReadOnly() && s.Idle() && s.Before == s.After && s.After != ""
}

// looking is the run of looks as the nudge reads signals; false where it is shorter than soft, or soft is 0.
func looking(h cua.History, soft int) (cua.Signal, bool) {
	if soft < 1 || !looks(h) {
		return cua.Signal{}, false
	}
	run := lookedAgain(h)
	if len(run) < soft {
		return cua.Signal{}, false
	}
	return cua.Signal{Shape: ShapeLooks, Level: cua.Soft, Run: len(run), Since: run[0].Step.N, Evidence: numbers(run, len(run))}, true
}

// looks says whether the newest step that was dispatched looks: cheaper to see than what the steps came to.
func looks(h cua.History) bool {
	for _, s := range slices.Backward(fresh(h)) {
		if s.Dispatched() {
			return s.Action.Kind.ReadOnly()
		}
	}
	return false
}

// looksAgain stops an episode that does nothing any more but to look at what it has seen: Looks times, and once
// more, after a last warning.
func (g Breaker) looksAgain(t *cua.Turn, p cua.Proposal) (cua.Ruling, bool) {
	if p.Failure != nil || !p.Action.Kind.ReadOnly() {
		return cua.Ruling{}, false
	}
	sig, ok := looking(t.History, g.Config.Looks)
	if !ok || g.Stop.Nudged && !warned(t.History, sig.Since) || g.Stop.inGrace(t.History) || !slices.ContainsFunc(fresh(t.History), func(s cua.Step) bool {
		return s.N >= sig.Since && s.Dispatched() && cua.Signature(*s.Action, s.Target) == cua.Signature(p.Action, p.Target)
	}) {
		return cua.Ruling{}, false
	}
	return cua.Ruling{Gate: g.Name(), Verdict: g.GiveUp.verdict(), Reason: ReasonLooks, End: cua.EndLoop, Evidence: sig.Evidence,
		Detail: fmt.Sprintf("nothing was done since step %d but to look again at what had been seen, %d times, and no warning helped", sig.Since, sig.Run)}, true
}
