package recovery

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// harmed is a story of a page that step 2 changed for good, and n more presses since that came to nothing.
func harmed(n int) *story {
	s := begin(page("s")).do(click(plainTarget()), plainTarget(), false)
	a, there := click(plainTarget()), page("harmed")
	s.add(cua.Step{Proposed: a, Action: &a, Target: plainTarget(), Effect: effect(true), After: there})
	return s.clicks(n, button())
}

// stuckSince is s given up for a loop that began with step n.
func stuckSince(s *story, n int) *cua.Turn {
	t := s.hopeless()
	t.Signals[0].Since, t.Incident.First = n, n
	return t
}

func TestThePolicyForUnattendedRuns(t *testing.T) {
	wrote := []cua.Write{{Method: "POST", Status: 200}}
	back := func(n int) cua.Step {
		return cua.Step{Proposed: click(button()), Action: &cua.Action{Kind: cua.Rewind, Step: n},
			After: page("harmed"), RecoveryReason: cua.RewindReason, Incident: "i1", Effect: effect(false),
			Rulings: []cua.Ruling{{Gate: RescueName, Verdict: cua.Replace, Reason: string(cua.RewindReason)}}}
	}
	for _, c := range []struct {
		name  string
		stuck StopRule
		turn  *cua.Turn
		to    int // 0: no rewind, and then the verdict is end
		end   cua.Verdict
	}{
		{"halt", StopRule{Policy: SpiralHalt}, stuckSince(harmed(9), 2), 0, cua.Halt},
		{"no policy is halt", StopRule{}, stuckSince(harmed(9), 2), 0, cua.Halt},
		{"continue", StopRule{Policy: SpiralContinue}, stuckSince(harmed(9), 2), 0, cua.Pause},
		{"where a person can be asked the policy is not", StopRule{Attended: true, Policy: SpiralRewind}, stuckSince(harmed(9), 2), 0, cua.Pause},
		{"rewind, to before what changed the page", StopRule{Policy: SpiralRewind}, stuckSince(harmed(9), 2), 2, ""},
		{"the page is as it was when it began", StopRule{Policy: SpiralRewind}, stuckSince(harmed(9), 3), 0, cua.Halt},
		{"the brain came back there by itself", StopRule{Policy: SpiralRewind}, func() *cua.Turn {
			s := harmed(3)
			a := click(plainTarget())
			s.add(cua.Step{Proposed: a, Action: &a, Target: plainTarget(), Effect: effect(true),
				After: page("s")})
			s.add(cua.Step{Proposed: a, Action: &a, Target: plainTarget(), Effect: effect(true),
				After: page("harmed")})
			return stuckSince(s.clicks(6, button()), 2)
		}(), 0, cua.Halt},
		{"it went back in this incident already, without effect", StopRule{Policy: SpiralRewind}, stuckSince(harmed(3).add(back(9)).clicks(6, button()), 2), 0, cua.Halt},
		{"what was sent is not gone back past", StopRule{Policy: SpiralRewind}, func() *cua.Turn {
			s := harmed(9)
			s.h.Steps[3].After.Writes = wrote
			return stuckSince(s, 2)
		}(), 0, cua.Halt},
		{"there is no checkpoint", StopRule{Policy: SpiralRewind}, func() *cua.Turn {
			s := harmed(9)
			s.h.Steps[0].After.Checkpoint = ""
			return stuckSince(s, 2)
		}(), 0, cua.Halt},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.stuck.Grace, c.stuck.Nudged, c.stuck.Rewinds = 3, true, 2
			g := only(cua.RewindReason, cua.AskUser)
			g.Stop = c.stuck
			held := func(r cua.Ruling) {
				t.Helper()
				went := r.Verdict == cua.Replace && r.Action.Kind == cua.Rewind
				if went != (c.to > 0) || went && r.Action.Step != c.to || !went && r.Verdict != c.end {
					t.Errorf("%+v %+v, want step %d or %q", r, r.Action, c.to, c.end)
				}
			}
			held(review(t, g, c.turn, proposal(button())))
			if r := review(t, Breaker{Config: DefaultConfig().Breaker, Stop: c.stuck}, c.turn,
				proposal(button())); r.Verdict == cua.Replace {
				t.Errorf("the breaker replaces nothing: %+v", r)
			}
		})
	}
	failed := cua.Proposal{Failure: &cua.Failure{Kind: cua.FailNotFound}}
	b := Breaker{Config: DefaultConfig().Breaker,
		Stop: StopRule{Grace: 3, Nudged: true, Policy: SpiralRewind}}
	if r := review(t, b, stuckSince(harmed(9), 2), failed); r.Verdict != cua.Halt {
		t.Errorf("nothing is put in the place of what could not be read: %+v", r)
	}
}

// After a rewind by the table the next steps are not stopped: the brain has to see the outcome.
func TestNoStopRightAfterARewind(t *testing.T) {
	s := harmed(9)
	a := cua.Action{Kind: cua.Rewind, Step: 2}
	s.add(cua.Step{Proposed: click(button()), Action: &a, After: page("s"), RecoveryReason: cua.RewindReason,
		Rulings: []cua.Ruling{{Gate: RescueName, Verdict: cua.Replace, Reason: string(cua.RewindReason),
			Action: &a}}})
	b := Breaker{Config: DefaultConfig().Breaker, Stop: whole().Stop}
	if r := review(t, b, stuckSince(s.clicks(2, button()), 2), proposal(button())); r.Verdict != cua.Pass {
		t.Errorf("two steps after it: %+v", r)
	}
	if r := review(t, b, stuckSince(s.clicks(1, button()), 2), proposal(button())); r.Verdict != cua.Halt {
		t.Errorf("three steps after it: %+v", r)
	}
}

func TestTheBudgetOfRewinds(t *testing.T) {
	back := func(by string) cua.Step {
		return cua.Step{By: by, Proposed: cua.Action{Kind: cua.Rewind, Step: 1},
			Action: &cua.Action{Kind: cua.Rewind, Step: 1}, After: page("s")}
	}
	gone := func(by string, n int) *story {
		s := begin(page("s")).clicks(1, button())
		for range n {
			s.add(back(by))
		}
		return s
	}
	g := Policy{Stop: StopRule{Rewinds: 2}}
	asks := cua.Proposal{Action: cua.Action{Kind: cua.Rewind, Step: 1}}
	person := asks
	person.By = cua.Person
	within := func(s *story, first int) *cua.Turn {
		turn := s.turn()
		turn.Incident = &cua.Incident{ID: "i", First: first}
		return turn
	}
	resumed := func(s *story) *story {
		s.h.Resumed = []cua.Resumption{{At: len(s.h.Steps), Fresh: true, Page: page("s")}}
		return s
	}
	for _, c := range []struct {
		name    string
		gate    Policy
		turn    *cua.Turn
		p       cua.Proposal
		refused bool
	}{
		{"outside of incidents", g, gone("", 9).turn(), asks, false},
		{"the second in an incident", g, within(gone("", 1), 2), asks, false},
		{"the third in an incident", g, within(gone("", 2), 2), asks, true},
		{"a person may", g, within(gone("", 2), 2), person, false},
		{"a person's own count for nothing", g, within(gone(cua.Person, 9), 2), asks, false},
		{"somebody went on since", g, within(resumed(gone("", 2)), 2), asks, false},
		{"two before the incident", g, within(gone("", 2), 4), asks, false},
		{"no rewind is allowed", Policy{}, within(gone("", 0), 1), asks, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := review(t, c.gate, c.turn, c.p)
			if (r.Verdict == cua.Refuse) != c.refused || c.refused && r.Reason != ReasonBudget {
				t.Errorf("%+v", r)
			}
		})
	}
	none := only(cua.RewindReason)
	none.Stop = StopRule{Grace: 3, Nudged: true, Policy: SpiralRewind}
	if r := review(t, none, stuckSince(harmed(9), 2), proposal(button())); r.Verdict != cua.Pass {
		t.Errorf("where no rewind is allowed the table makes none: %+v", r)
	}
}
