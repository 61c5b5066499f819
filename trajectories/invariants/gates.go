package invariants

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

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

// chain is the order in which gates are asked, since version 2.
var chain = strings.Fields("limits mistakes policy done force_fill force_submit director rescue breaker")

// gatesOf are the gates that each toggle assembles, those of version 1 included.
func gatesOf(t cua.Toggles) map[string]bool {
	return map[string]bool{"limits": true, "policy": true, "mistakes": t.MistakeTracker, "breaker": t.Breaker,
		"done": t.DoneGate, "force_fill": t.FormController, "force_submit": t.FormController,
		"director": t.Director, "rescue": t.LoopRecovery || t.RecoveryLadder,
		"top_click_guard": t.RescueScrollPage, "loop_recovery": t.LoopRecovery, "ladder": t.RecoveryLadder}
}

// gatesAllAsked holds the header's gates against its toggles and the chain, and the gates that each step
// asked against the header's. A gate that is switched on and not listed is no breach: a journal may be older
// than the gate.
func gatesAllAsked(j *Journal) []Violation {
	var out report
	gates, on := j.Header.Gates, gatesOf(j.Header.Toggles)
	for _, always := range []string{"limits", "policy"} {
		if !slices.Contains(gates, always) {
			out.at(0, "the header does not list %s, which is always on", always)
		}
	}
	last := -1
	for _, g := range gates {
		if listed, known := on[g]; known && !listed {
			out.at(0, "the header lists %s, which its toggles switch off", g)
		}
		at := slices.Index(chain, g)
		if j.Header.Version > 1 && at >= 0 && at <= last {
			out.at(0, "the header lists %s after a gate that comes later in the chain", g)
		}
		last = max(last, at)
	}
	for i := range j.Steps {
		if why := j.unaskedGate(&j.Steps[i]); why != "" {
			out.at(j.Steps[i].N, "%s", why)
		}
	}
	return out
}

// unaskedGate says which gate s passed by; "" is none. Where the model refused the task, no gate is asked.
func (j *Journal) unaskedGate(s *cua.Step) string {
	gates, asked := j.Header.Gates, len(s.Rulings)
	if len(gates) == 0 || asked == 0 && s.Action == nil {
		return ""
	}
	for k, r := range s.Rulings {
		if k == len(gates) {
			return fmt.Sprintf("%s was asked after the last gate of the header", r.Gate)
		}
		if r.Gate != gates[k] {
			return fmt.Sprintf("%s was asked where %s comes next", r.Gate, gates[k])
		}
	}
	if asked < len(gates) && (asked == 0 || !j.decides(s.Rulings[asked-1])) {
		return fmt.Sprintf("%s was not asked, and no gate before it decided", gates[asked])
	}
	return ""
}

// decides reports whether nobody is asked after r. In version 1 a replacement that policy dropped decided
// too.
func (j *Journal) decides(r cua.Ruling) bool {
	if r.Verdict == cua.Pass {
		return false
	}
	return !r.Shadow || j.Header.Version < 2 && r.Dropped && !slices.Contains(j.bounds().Shadow, r.Gate)
}

func firstRulingWins(j *Journal, _ int, s *cua.Step, say sayer) {
	if why := dispatchedAs(s, len(j.Header.Gates) > 0); why != "" {
		say("%s", why)
	}
	asked := map[string]bool{}
	for i, r := range s.Rulings {
		if r.Verdict != cua.Pass && !r.Shadow && i < len(s.Rulings)-1 {
			say("%s ruled %s, and %s was asked after it", r.Gate, r.Verdict, s.Rulings[i+1].Gate)
		}
		if asked[r.Gate] {
			say("%s was asked twice", r.Gate)
		}
		asked[r.Gate] = true
	}
}

// dispatchedAs says how what was dispatched differs from what was ruled; "" is not at all. gated says that
// there are gates which must have been asked.
func dispatchedAs(s *cua.Step, gated bool) string {
	r, ruled := s.Ruled()
	var want *cua.Action
	switch {
	case !ruled || r.Verdict == cua.Accept:
		want = &s.Proposed
	case r.Verdict == cua.Replace:
		want = cmp.Or(r.Action, &cua.Action{})
	}
	switch a := s.Action; {
	case a == nil && want != nil && len(s.Rulings) > 0 && (s.Failure == nil || want != &s.Proposed):
		return "nothing was dispatched of what was proposed or ruled, and nothing failed"
	case a == nil:
	case gated && len(s.Rulings) == 0:
		return fmt.Sprintf("dispatched a %s, and no gate was asked", a.Kind)
	case want == nil:
		return fmt.Sprintf("dispatched a %s, although %s ruled %s", a.Kind, r.Gate, r.Verdict)
	case !sameAct(*a, *want):
		return fmt.Sprintf("dispatched a %s, which is neither proposed nor ruled (a %s)", a.Kind, want.Kind)
	}
	return ""
}

// offList finds what was opened by its address outside what the task and the config allow. The address alone
// is judged: where a page itself leads is the browser's to hold.
func offList(j *Journal, _ int, s *cua.Step, say sayer) {
	a := s.Action
	if a == nil || a.Kind != cua.Navigate && (a.Kind != cua.NewTab || a.URL == "") {
		return
	}
	p, t := j.bounds().Recovery.Policy, j.Header.Task
	may := cua.AllowList{Start: t.URL, Hosts: slices.Concat(p.Allow, t.Allow), Open: p.Open}
	if _, err := may.Check(a.URL); err != nil {
		say("opened %s: %v", cua.Origin(a.URL), err)
	}
}
