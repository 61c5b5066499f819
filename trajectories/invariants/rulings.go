package invariants

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

func reasonCodes(j *Journal) []found {
	var out []found
	counted := map[cua.Reason]int{}
	for i := range j.Steps {
		s := &j.Steps[i]
		r, ruled := s.Ruled()
		ruled = ruled && rescued(r)
		switch {
		case ruled && !slices.Contains(cua.Reasons(), cua.Reason(r.Reason)):
			out = append(out, found{s.N, fmt.Sprintf("%s ruled %s with the reason %q, which is none", r.Gate, r.Verdict, r.Reason)})
		case ruled && string(s.RecoveryReason) != r.Reason:
			out = append(out, found{s.N, fmt.Sprintf("%s ruled %s, and the step's reason is %q", r.Gate, r.Reason, s.RecoveryReason)})
		case !ruled && s.RecoveryReason != "":
			out = append(out, found{s.N, fmt.Sprintf("the reason %s, and neither loop recovery nor the ladder ruled", s.RecoveryReason)})
		}
		if ruled {
			counted[cua.Reason(r.Reason)]++
		}
		for _, r := range s.Rulings {
			if why := miscoded(r); why != "" {
				out = append(out, found{s.N, why})
			}
		}
	}
	summed := trajectories.Summarize(j.Trajectory, nil).LoopRecoveries
	for _, reason := range cua.Reasons() {
		if summed[reason] != counted[reason] {
			out = append(out, found{0, fmt.Sprintf("loop_recoveries_by_reason counts %d of %s, the gates ruled it %d times", summed[reason], reason, counted[reason])})
		}
	}
	return out
}

func firstRulingWins(j *Journal) []found {
	var out []found
	for i := range j.Steps {
		s := &j.Steps[i]
		for _, why := range []string{chain(s, j.Header.Gates), dispatchedAs(s, len(j.Header.Gates) > 0)} {
			if why != "" {
				out = append(out, found{s.N, why})
			}
		}
	}
	return out
}

// chain says what is wrong with the order in which the gates were asked; "" is nothing.
func chain(s *cua.Step, gates []string) string {
	next := 0
	for i, r := range s.Rulings {
		if r.Verdict != cua.Pass && !r.Shadow && i < len(s.Rulings)-1 {
			return fmt.Sprintf("%s ruled %s, and %s was asked after it", r.Gate, r.Verdict, s.Rulings[i+1].Gate)
		}
		if len(gates) == 0 {
			continue
		}
		at := slices.Index(gates[min(next, len(gates)):], r.Gate)
		if at < 0 {
			return fmt.Sprintf("%s was asked out of the order of the header", r.Gate)
		}
		next += at + 1
	}
	return ""
}

// dispatchedAs says how what was dispatched differs from what was ruled; "" is not at all. gated says that there are
// gates which must have been asked.
func dispatchedAs(s *cua.Step, gated bool) string {
	r, ruled := s.Ruled()
	switch {
	case gated && len(s.Rulings) == 0 && s.Action != nil:
		return "dispatched a " + string(s.Action.Kind) + ", and no gate was asked"
	case !ruled || r.Verdict == cua.Accept:
		if s.Action == nil && s.Failure == nil && len(s.Rulings) > 0 {
			return "nothing was dispatched, although no gate objected and nothing failed"
		}
		if s.Action != nil && !sameAct(*s.Action, s.Proposed) {
			return fmt.Sprintf("dispatched a %s that is not what was proposed (a %s), and no gate replaced it", s.Action.Kind, s.Proposed.Kind)
		}
	case r.Verdict == cua.Replace:
		if r.Action == nil || s.Action == nil || !sameAct(*s.Action, *r.Action) {
			return fmt.Sprintf("what was dispatched is not what %s put in its place", r.Gate)
		}
	case s.Action != nil:
		return fmt.Sprintf("dispatched a %s, although %s ruled %s", s.Action.Kind, r.Gate, r.Verdict)
	}
	return ""
}

// lastWarning is the level of the nudge after which an episode may be stopped, grace how many steps a stop
// waits after a substitution (spec: recovery, rules that bind every rung).
const (
	lastWarning = 3
	grace       = 3
)

// stops says whether r gives the episode up because it is stuck. A cap, an unverified done and refusals in a
// row stop it for reasons of their own.
func stops(r cua.Ruling) bool {
	if r.Verdict != cua.Halt && r.Verdict != cua.Pause {
		return false
	}
	return r.Gate == "breaker" && r.Reason != "refused_at_one_state" || r.Gate == "ladder"
}

func stopAfterWarning(j *Journal) []found {
	var out []found
	h := j.History()
	for i := range j.Steps {
		s := &j.Steps[i]
		r, ok := s.Ruled()
		if !ok || !stops(r) {
			continue
		}
		steps := j.Steps[freshAt(h, i):i]
		if j.Header.Toggles.Nudge && !slices.ContainsFunc(steps, func(e cua.Step) bool { return nudgeLevel(&e) >= lastWarning && e.N >= heldSince(s) }) {
			out = append(out, found{s.N, fmt.Sprintf("%s stopped the episode before a last warning was delivered", r.Gate)})
		}
		for k := max(0, len(steps)-grace); k < len(steps); k++ {
			if e := &steps[k]; e.RecoveryReason != "" && e.Dispatched() {
				out = append(out, found{s.N, fmt.Sprintf("%s stopped the episode %d steps after the substitution of step %d", r.Gate, s.N-e.N, e.N)})
				break
			}
		}
	}
	return append(out, refusedAgain(j)...)
}

// freshAt is the index of the first step that counters read at step i.
func freshAt(h cua.History, i int) int {
	at := 0
	for _, r := range h.Resumed {
		if r.Fresh && r.At <= i {
			at = max(at, r.At)
		}
	}
	return at
}

// heldSince is the number of the first step of the signals for which s may have been stopped; 0 when none is
// recorded.
func heldSince(s *cua.Step) int {
	since := 0
	for _, g := range s.Signals {
		if (g.Level == cua.Hard || g.Shape == cua.ShapeSpiral && g.Level.AtLeast(cua.Soft)) && g.Shape != cua.ShapeFailures && (since == 0 || g.Since < since) {
			since = g.Since
		}
	}
	return since
}

// refusedAgain finds refusals in a row at one state beyond those after which the breaker decides.
func refusedAgain(j *Journal) []found {
	c := j.bounds()
	if !j.Header.Toggles.Breaker || slices.Contains(c.Shadow, "breaker") {
		return nil
	}
	var out []found
	h := j.History()
	row := 0
	for i := range j.Steps {
		s := &j.Steps[i]
		r, ok := s.Ruled()
		if !ok || r.Verdict != cua.Refuse || s.Dispatched() {
			row = 0
			continue
		}
		if row == 0 || freshAt(h, i) == i || !sameState(&j.Steps[i-1].After, &s.After) {
			row = 0
		}
		if row++; row > c.Recovery.Breaker.MaxRefusals {
			out = append(out, found{s.N, fmt.Sprintf("%s refused (%s) for the %d. time in a row at one state", r.Gate, r.Reason, row)})
		}
	}
	return out
}

// sameState says whether two pages are byte for byte in one state: those are one under any churn mask.
func sameState(a, b *cua.Observation) bool {
	return a.URL == b.URL && a.Document == b.Document && a.FormDigest == b.FormDigest && a.DOMDigest == b.DOMDigest &&
		a.Scroll == b.Scroll && a.FrameSHA == b.FrameSHA && (a.Dialog == nil) == (b.Dialog == nil)
}
