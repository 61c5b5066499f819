package invariants

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// retireAfter is in how many incidents on one origin a code may come to nothing.
const retireAfter = 2

// rescueOnce judges each use of a code by what was known when it was used: an effect that is seen later, or
// explained away later, could not be known. The last use in an incident tells what the code came to in it.
func rescueOnce(j *Journal) []Violation {
	uses := map[cua.Reason][]int{} // indexes of steps
	return each(func(j *Journal, i int, s *cua.Step, say sayer) {
		reason := s.RecoveryReason
		if reason == "" || !s.HasAction() {
			return
		}
		samples, failed := j.HistoryAt(i).Samples(), map[string]int{} // numbers of steps by incident
		for _, k := range uses[reason] {
			in := j.Steps[k].Incident
			a, ok := cua.AttemptAt(samples, k)
			if !ok || in != s.Incident && cua.Origin(j.before(k).URL) != cua.Origin(j.before(i).URL) {
				continue
			}
			if failed[in] = a.Step; a.Effect {
				delete(failed, in)
			}
		}
		uses[reason] = append(uses[reason], i)
		n, again := failed[s.Incident]
		switch {
		case again && s.Incident != "" && !j.bounds().Recovery.Rescue.Classic:
			say("%s was used again in incident %s, where step %d had no effect", reason, s.Incident, n)
		case len(failed) >= retireAfter:
			say("%s was used on an origin where it had no effect in %d incidents", reason, len(failed))
		}
	})(j)
}

// incidentOutcomes reads the incidents that the caller put into the trajectory.
func incidentOutcomes(j *Journal) []Violation {
	var out report
	last := 0
	seen := map[string]bool{}
	for _, in := range j.Incidents {
		open := j.End == nil // it may still come out how it ended
		switch {
		case in.Outcome == "" && !open:
			out.at(in.First, "incident %s has no outcome", in.ID)
		case in.Outcome != "" && !slices.Contains(cua.IncidentOutcomes(), in.Outcome):
			out.at(in.First, "incident %s has the outcome %q, which is none", in.ID, in.Outcome)
		}
		if in.First <= last || in.Last < in.First || in.Last > len(j.Steps) || seen[in.ID] {
			out.at(in.First, "incident %s, steps %d to %d, is no run of its own", in.ID, in.First, in.Last)
		}
		seen[in.ID] = true
		last = max(last, in.Last)
	}
	return out
}

// fence finds rewinds past what a server was told to which nobody consented: one that was consented to says
// so.
func fence(j *Journal, i int, s *cua.Step, say sayer) {
	if s.RewoundTo == 0 {
		return
	}
	byPolicy := j.bounds().Recovery.Policy.AllowCrossing && !s.Substituted()
	consented := s.Restored != nil && (byPolicy || s.By == cua.Person && s.Proposed.Accept)
	for _, undone := range cua.Live(j.Steps[:i]) {
		crossed := consented && slices.Contains(s.Restored.Crossed, undone.N)
		if !crossed && undone.N >= s.RewoundTo && slices.ContainsFunc(undone.After.Writes, cua.Write.OK) {
			say("went back to before step %d, past what step %d sent with success", s.RewoundTo, undone.N)
			return
		}
	}
}
