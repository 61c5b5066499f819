package invariants

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// retireAfter is in how many incidents on one origin a code may come to nothing.
const retireAfter = 2

// rungOnce judges each use of a code by what was known when it was used: an effect that is seen later, or
// explained away later, could not be known.
func rungOnce(j *Journal) []found {
	var out []found
	h := j.History()
	uses := map[cua.Reason][]int{} // indexes of steps
	for i := range j.Steps {
		s := &j.Steps[i]
		reason := s.RecoveryReason
		if reason == "" || !s.Dispatched() {
			continue
		}
		earlier := uses[reason]
		uses[reason] = append(earlier, i)
		if len(earlier) == 0 {
			continue
		}
		samples := j.HistoryAt(i).Samples()
		here := originOf(h.Before(i).URL)
		last := map[string]cua.Attempt{} // what the code came to last, by incident on this origin
		for _, k := range earlier {
			a, ok := cua.AttemptAt(samples, k)
			if !ok {
				continue
			}
			if in := j.Steps[k].Incident; in == s.Incident || originOf(h.Before(k).URL) == here {
				last[in] = a
			}
		}
		if a, ok := last[s.Incident]; ok && !a.Effect && s.Incident != "" {
			out = append(out, found{s.N, fmt.Sprintf("%s was used again in incident %s, where it had no effect in step %d", reason, s.Incident, a.Step)})
			continue
		}
		failed := 0
		for _, a := range last {
			if !a.Effect {
				failed++
			}
		}
		if failed >= retireAfter {
			out = append(out, found{s.N, fmt.Sprintf("%s was used on an origin where it had no effect in %d incidents", reason, failed)})
		}
	}
	return out
}

func originOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return raw
	}
	return u.Scheme + "://" + u.Host
}

// incidentOutcomes reads the incidents that the caller put into the trajectory.
func incidentOutcomes(j *Journal) []found {
	var out []found
	last := 0
	seen := map[string]bool{}
	for i, in := range j.Incidents {
		open := j.End == nil && i == len(j.Incidents)-1
		switch {
		case in.Outcome == "" && !open:
			out = append(out, found{in.First, fmt.Sprintf("incident %s has no outcome", in.ID)})
		case in.Outcome != "" && !slices.Contains(cua.IncidentOutcomes(), in.Outcome):
			out = append(out, found{in.First, fmt.Sprintf("incident %s has the outcome %q, which is none", in.ID, in.Outcome)})
		}
		if in.First <= last || in.Last < in.First || in.Last > len(j.Steps) || seen[in.ID] {
			out = append(out, found{in.First, fmt.Sprintf("incident %s, steps %d to %d, is no run of steps of its own", in.ID, in.First, in.Last)})
		}
		seen[in.ID] = true
		last = max(last, in.Last)
	}
	return out
}

// consented says whether the config, or the person whose rewind s is, allowed to go back past what was sent.
func consented(j *Journal, s *cua.Step) bool {
	var c struct {
		Recovery struct {
			Policy struct {
				AllowCrossing bool `json:"allow_crossing"`
			} `json:"policy"`
		} `json:"recovery"`
	}
	_ = json.Unmarshal(j.Header.Config, &c) // a config that cannot be read allows nothing
	return c.Recovery.Policy.AllowCrossing && !s.Substituted() || s.By == cua.Person && s.Proposed.Accept
}

// fence finds rewinds past what a server was told to which nobody consented: one that was consented to says so.
func fence(j *Journal) []found {
	var out []found
	for i := range j.Steps {
		s := &j.Steps[i]
		if s.RewoundTo == 0 {
			continue
		}
		for _, undone := range cua.Live(j.Steps[:i]) {
			if s.Restored != nil && slices.Contains(s.Restored.Crossed, undone.N) && consented(j, s) {
				continue
			}
			if undone.N >= s.RewoundTo && slices.ContainsFunc(undone.After.Writes, cua.Write.OK) {
				out = append(out, found{s.N, fmt.Sprintf("went back to before step %d, past what step %d had sent and was answered well", s.RewoundTo, undone.N)})
				break
			}
		}
	}
	return out
}
