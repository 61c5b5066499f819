package invariants

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

func TestReasonCodes(t *testing.T) {
	tab := cua.Action{Kind: cua.Key, Keys: "Tab"}
	tabbed := func() *tale { return form().Gate("rescue", "tab_to_next_field", tab) }
	reason := func(r cua.Reason) func(*cua.Step) { return func(s *cua.Step) { s.RecoveryReason = r } }
	checkRows(t, "reason_codes", []checkRow{
		{"a substitution and its code", tabbed(), nil},
		{"another gate's substitution", form().Fill("Name", "ada"), nil},
		{"nothing was substituted", form().Clicks(3), nil},
		{"a question is counted too", form().Clicks(1).Ruled(cua.Ruling{Gate: "rescue", Verdict: cua.Halt, Reason: "ask_user", End: cua.EndAsked}), nil},
		{"the code is missing", tabbed().Last(reason("")), []int{1, 0}},
		{"another code", tabbed().Last(reason(cua.ScrollIntoView)), []int{1, 0, 0}},
		{"a code that does not exist", form().Gate("rescue", "wish_upon_a_star", tab), []int{1}},
		{"a code without a substitution", form().Clicks(1).Last(reason(cua.TabToNextField)), []int{1, 0}},
		{"a code of another gate's substitution", form().Fill("Name", "ada").Last(reason(cua.TypePendingValue)), []int{1, 0}},
		{"a code of another action", form().Gate("rescue", "use_control", press()), []int{1}},
		{"a code of another action of form control", form().Gate("force_submit", "submit_filled_form", typing("Name", "ada")), []int{1}},
		{"a code of another gate", form().Gate("force_fill", "tab_to_next_field", tab), []int{1}},
		{"a code of form control by another of its gates", form().Gate("force_submit", "fill_pending_value", typing("Name", "ada")), []int{1}},
		{"the page is scrolled", form().Gate("rescue", "scroll_page", cua.Action{Kind: cua.Scroll, DY: 400}), nil},
		{"a click in the place of Return", form().Gate("rescue", "press_submit", press()), nil},
		{"a key in its place", form().Gate("rescue", "press_submit", tab), []int{1}},
		{"a click on a control that is set by value", form().Gate("rescue", "use_control", cua.Action{Kind: cua.Select, Into: "box/Name", Text: "ada"}), nil},
		{"Escape for a layer", form().Gate("rescue", "dismiss_overlay", cua.Action{Kind: cua.Key, Keys: "Escape"}), nil},
		{"another key for a layer", form().Gate("rescue", "dismiss_overlay", tab), []int{1}},
		{"a ruling in shadow has no code", tabbed().Last(func(s *cua.Step) {
			s.Rulings[len(s.Rulings)-1].Shadow, s.RecoveryReason, s.Action = true, "", &s.Proposed
		}), nil},
		{"a ruling in shadow with a code", tabbed().Last(func(s *cua.Step) {
			s.Rulings[len(s.Rulings)-1].Shadow, s.Action = true, &s.Proposed
		}), []int{1, 0}},
	})
}

func TestFirstRulingWins(t *testing.T) {
	ordered := func(t *tale) *tale {
		return t.With(func(j *Journal) {
			j.Header.Gates = []string{"limits", "breaker", "policy", "done", "force_fill",
				"director", "rescue"}
		})
	}
	filled := func() *tale { return ordered(form()).Fill("Name", "ada") }
	refused := func() *tale {
		return ordered(form()).Ruled(cua.Ruling{Gate: "policy", Verdict: cua.Refuse,
			Reason: "host_not_allowed", Detail: "no"})
	}
	accepted := func() *tale {
		return ordered(form()).Clicks(1).Last(func(s *cua.Step) {
			s.Rulings = append(s.Rulings,
				cua.Ruling{Gate: "director", Verdict: cua.Accept})
		})
	}
	rulings := func(edit func(r []cua.Ruling) []cua.Ruling) func(*cua.Step) {
		return func(s *cua.Step) { s.Rulings = edit(s.Rulings) }
	}
	more := func(r cua.Ruling) func(*cua.Step) {
		return rulings(func(rs []cua.Ruling) []cua.Ruling { return append(rs, r) })
	}
	checkRows(t, "first_ruling_wins", []checkRow{
		{"a gate was asked twice", form().Clicks(1).Last(func(s *cua.Step) { s.Rulings = passes("limits", "policy", "policy") }), []int{1}},
		{"all pass", ordered(form()).Clicks(2), nil},
		{"one replaces", filled(), nil},
		{"one refuses", refused(), nil},
		{"one accepts", accepted(), nil},
		{"a shadow before it", filled().Last(rulings(func(rs []cua.Ruling) []cua.Ruling {
			return append([]cua.Ruling{{Gate: "breaker", Verdict: cua.Halt, Shadow: true}}, rs[2:]...)
		})), nil},
		{"somebody is asked after it", filled().Last(more(cua.Ruling{Gate: "rescue", Verdict: cua.Pass})), []int{1}},
		{"two rule", filled().Last(more(cua.Ruling{Gate: "rescue", Verdict: cua.Replace, Action: &cua.Action{Kind: cua.Key, Keys: "Tab"}})), []int{1, 1}},
		{"a shadow after it", filled().Last(more(cua.Ruling{Gate: "rescue", Verdict: cua.Refuse, Shadow: true})), []int{1}},
		{"a gate that is asked twice", ordered(form()).Clicks(1).Last(more(cua.Ruling{Gate: "policy", Verdict: cua.Pass})), []int{1}},
		{"no gate is asked", ordered(form()).Clicks(1).Last(func(s *cua.Step) { s.Rulings = nil }), []int{1}},
		{"the model refused the task", ordered(form()).Step(cua.Step{Thought: "I will not."}), nil},
		{"what was replaced is dispatched", filled().Last(func(s *cua.Step) { s.Action = &s.Proposed }), []int{1}},
		{"the substitute is another one than ruled", filled().Last(func(s *cua.Step) { a := *s.Action; a.Text = "bob"; s.Action = &a }), []int{1}},
		{"a substitute that is nowhere", filled().Last(func(s *cua.Step) { s.Rulings[2].Action = nil }), []int{1}},
		{"what was refused is dispatched", refused().Last(func(s *cua.Step) { s.Action = &s.Proposed }), []int{1}},
		{"what was halted is dispatched", ordered(form()).Ruled(cua.Ruling{Gate: "breaker", Verdict: cua.Halt, Reason: "hard_loop"}).Last(func(s *cua.Step) { s.Action = &s.Proposed }), []int{1}},
		{"something else than proposed, and nobody ruled", ordered(form()).Clicks(1).Last(func(s *cua.Step) { a := press(); a.Point = &cua.Point{X: 1}; s.Action = &a }), []int{1}},
		{"something else than accepted", accepted().Last(func(s *cua.Step) { s.Action = &cua.Action{Kind: cua.Wait, MS: 1} }), []int{1}},
		{"nothing, and nobody objected", ordered(form()).Clicks(1).Last(func(s *cua.Step) { s.Action = nil }), []int{1}},
		{"nothing, because the target was not found", ordered(form()).Clicks(1).Last(func(s *cua.Step) { s.Action, s.Failure = nil, &cua.Failure{Kind: cua.FailNotFound} }), nil},
	})
}

func TestStopAfterWarning(t *testing.T) {
	halt := cua.Ruling{Gate: "breaker", Verdict: cua.Halt, Reason: "hard_loop", End: cua.EndLoop,
		Detail: "enough"}
	ask := cua.Ruling{Gate: "rescue", Verdict: cua.Pause, Reason: "ask_user", End: cua.EndPaused,
		Detail: "help"}
	no := cua.Ruling{Gate: "policy", Verdict: cua.Refuse, Reason: "host_not_allowed", Detail: "no"}
	tab := cua.Action{Kind: cua.Key, Keys: "Tab"}
	warned := func(clicks int) *tale { return form().Clicks(clicks).Last(nudged(3)).Clicks(1) }
	checkRows(t, "stop_after_warning", []checkRow{
		{"after a last warning", warned(6).Ruled(halt), nil},
		{"without one", form().Clicks(8).Ruled(halt), []int{9}},
		{"after a hint alone", form().Clicks(7).Last(nudged(1)).Clicks(1).Ruled(halt), []int{9}},
		{"with the warning in the same turn", form().Clicks(7).Ruled(halt).Last(nudged(3)), []int{8}},
		{"a pause without one", form().Clicks(8).Ruled(ask), []int{9}},
		{"without one, where nudges are off", form().With(func(j *Journal) { j.Header.Toggles.Nudge = false }).Clicks(8).Ruled(halt), nil},
		{"after a warning before it was continued", warned(6).With(func(j *Journal) { j.Events = []trajectories.Event{{Kind: trajectories.ContinueEvent, Step: 7}} }).Clicks(3).Ruled(halt), []int{11}},
		{"after a warning about something earlier", form().Clicks(2).Last(nudged(3)).Clicks(6).Ruled(halt).
			Last(func(s *cua.Step) {
				s.Signals = []cua.Signal{{Shape: cua.ShapeRepeat, Level: cua.Hard,
					Since: 4}}
			}), []int{9}},
		{"a cap", form().Clicks(2).Ruled(cua.Ruling{Gate: "limits", Verdict: cua.Halt, Reason: "max_steps", End: cua.EndMaxSteps}), nil},
		{"a done that stays unverified", form().Clicks(2).Ruled(cua.Ruling{Gate: "done", Verdict: cua.Halt, Reason: "empty_summary", End: cua.EndDoneUnverified}), nil},
		{"in shadow", form().Clicks(2).Ruled(halt).Last(func(s *cua.Step) { s.Rulings[1].Shadow, s.Action = true, &s.Proposed }), nil},
		{"three steps after a substitution", warned(4).Gate("rescue", "tab_to_next_field", tab).Clicks(3).Ruled(halt), nil},
		{"two steps after a substitution", warned(4).Gate("rescue", "tab_to_next_field", tab).Clicks(2).Ruled(halt), []int{9}},
		{"a question right after a substitution", warned(4).Gate("rescue", "scroll_into_view", cua.Action{Kind: cua.Scroll, DY: 100}).Ruled(ask), []int{7}},
		{"right after form control", warned(4).Fill("Name", "ada").Ruled(halt), nil},
		{"two refusals in a row", form().Ruled(no).Ruled(no).Clicks(1), nil},
		{"three refusals in a row", form().Ruled(no).Ruled(no).Ruled(no), []int{3}},
		{"four refusals in a row", form().Ruled(no).Ruled(no).Ruled(no).Ruled(no), []int{3, 4}},
		{"three, and the breaker decides", form().Ruled(no).Ruled(no).Ruled(cua.Ruling{Gate: "breaker", Verdict: cua.Halt, Reason: "refused_at_one_state", End: cua.EndLoop}), nil},
		{"three with a step between", form().Ruled(no).Ruled(no).Clicks(1).Ruled(no), nil},
		{"three at two states", form().Ruled(no).Ruled(no).Ruled(no).Last(func(s *cua.Step) { s.After.DOMDigest = "moved" }), nil},
		{"three, where somebody went on", form().Ruled(no).Ruled(no).With(func(j *Journal) { j.Events = []trajectories.Event{{Kind: trajectories.ContinueEvent, Step: 2}} }).Ruled(no), nil},
		{"three without a breaker", form().With(func(j *Journal) { j.Header.Toggles.Breaker = false }).Ruled(no).Ruled(no).Ruled(no), nil},
		{"three with a breaker in shadow", form().With(configured(`{"shadow":["breaker"]}`)).Ruled(no).Ruled(no).Ruled(no), nil},
		{"three, where the config allows them", form().With(configured(`{"recovery":{"breaker":{"max_refusals":3}}}`)).Ruled(no).Ruled(no).Ruled(no), nil},
	})
}
