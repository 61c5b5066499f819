package invariants

import (
	"fmt"
	"iter"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// accepted are the records that are part of the trajectory: those before the first that the grammar refuses.
func (j *Journal) accepted() iter.Seq[*trajectories.Record] {
	return func(yield func(*trajectories.Record) bool) {
		var g trajectories.Grammar
		for _, r := range j.Records {
			if g.Accept(r) != nil || !yield(r) {
				return
			}
		}
	}
}

// reopens says whether r is where an episode goes on after a crash, a pause or an end.
func reopens(r *trajectories.Record) bool {
	return r.Type == trajectories.EventRecord && (r.Event.Kind == trajectories.ResumeEvent || r.Event.Kind == trajectories.ContinueEvent)
}

// gatesOf are the gates that each toggle assembles, as the spec's table has them.
func gatesOf(t cua.Toggles) map[string]bool {
	return map[string]bool{"limits": true, "policy": true, "mistakes": t.MistakeTracker, "breaker": t.Breaker, "done": t.DoneGate,
		"force_fill": t.FormController, "force_submit": t.FormController, "director": t.Director, "top_click_guard": t.RescueScrollPage,
		"loop_recovery": t.LoopRecovery, "ladder": t.RecoveryLadder}
}

// gatesAllAsked holds the header's gates against its toggles, and the gates that each step asked against the header's. A
// gate that is switched on and not listed is no breach: a journal may be older than the gate.
func gatesAllAsked(j *Journal) []found {
	var out []found
	gates, on := j.Header.Gates, gatesOf(j.Header.Toggles)
	for _, always := range []string{"limits", "policy"} {
		if !slices.Contains(gates, always) {
			out = append(out, found{0, fmt.Sprintf("the header does not list %s, which is always on", always)})
		}
	}
	for _, g := range gates {
		if listed, known := on[g]; known && !listed {
			out = append(out, found{0, fmt.Sprintf("the header lists %s, which its toggles switch off", g)})
		}
	}
	for i := range j.Steps {
		if why := j.unaskedGate(&j.Steps[i]); why != "" {
			out = append(out, found{j.Steps[i].N, why})
		}
	}
	return out
}

// unaskedGate says which gate s passed by; "" is none. Where the model refused the task, no gate is asked.
func (j *Journal) unaskedGate(s *cua.Step) string {
	gates := j.Header.Gates
	if len(s.Rulings) == 0 && s.Action == nil {
		return ""
	}
	for k, g := range gates {
		if k == len(s.Rulings) {
			if k == 0 || !j.decides(s.Rulings[k-1]) {
				return fmt.Sprintf("%s was not asked, and no gate before it decided", g)
			}
			return ""
		}
		if r := s.Rulings[k]; r.Gate != g {
			return fmt.Sprintf("%s was asked where %s comes next", r.Gate, g)
		}
	}
	if n := len(gates); n > 0 && len(s.Rulings) > n {
		return fmt.Sprintf("%s was asked after the last gate of the header", s.Rulings[n].Gate)
	}
	return ""
}

// decides says whether nobody is asked after r: it has force, or it is that of a gate with force that policy dropped.
func (j *Journal) decides(r cua.Ruling) bool {
	if r.Verdict == cua.Pass {
		return false
	}
	return !r.Shadow || r.Dropped && !slices.Contains(j.bounds().Shadow, r.Gate)
}
