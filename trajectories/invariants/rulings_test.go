package invariants

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

func TestReasonCodes(t *testing.T) {
	tab := cua.Action{Kind: cua.Key, Keys: "Tab"}
	tabbed := func() *tale { return form().gate("rescue", "tab_to_next_field", tab) }
	reason := func(r cua.Reason) func(*cua.Step) { return func(s *cua.Step) { s.RecoveryReason = r } }
	checkRows(t, "reason_codes", []checkRow{
		{"a substitution and its code", tabbed(), nil},
		{"another gate's substitution", form().fill("Name", "ada"), nil},
		{"nothing was substituted", form().clicks(3), nil},
		{"a question is counted too", form().clicks(1).ruled(cua.Ruling{Gate: "rescue", Verdict: cua.Halt, Reason: "ask_user", End: cua.EndAsked}), nil},
		{"the code is missing", tabbed().last(reason("")), []int{1, 0}},
		{"another code", tabbed().last(reason(cua.ScrollIntoView)), []int{1, 0, 0}},
		{"a code that does not exist", form().gate("rescue", "wish_upon_a_star", tab), []int{1}},
		{"a code without a substitution", form().clicks(1).last(reason(cua.TabToNextField)), []int{1, 0}},
		{"a code of another gate's substitution", form().fill("Name", "ada").last(reason(cua.TypePendingValue)), []int{1, 0}},
		{"a code of another action", form().gate("rescue", "use_control", press()), []int{1}},
		{"a code of another action of form control", form().gate("force_submit", "submit_filled_form", typing("Name", "ada")), []int{1}},
		{"a code of another gate", form().gate("force_fill", "tab_to_next_field", tab), []int{1}},
		{"a code of form control by another of its gates", form().gate("force_submit", "fill_pending_value", typing("Name", "ada")), []int{1}},
		{"the page is scrolled", form().gate("rescue", "scroll_page", cua.Action{Kind: cua.Scroll, DY: 400}), nil},
		{"a click in the place of Return", form().gate("rescue", "press_submit", press()), nil},
		{"a key in its place", form().gate("rescue", "press_submit", tab), []int{1}},
		{"a click on a control that is set by value", form().gate("rescue", "use_control", cua.Action{Kind: cua.Select, Into: "box/Name", Text: "ada"}), nil},
		{"Escape for a layer", form().gate("rescue", "dismiss_overlay", cua.Action{Kind: cua.Key, Keys: "Escape"}), nil},
		{"another key for a layer", form().gate("rescue", "dismiss_overlay", tab), []int{1}},
		{"a ruling in shadow has no code", tabbed().last(func(s *cua.Step) {
			s.Rulings[len(s.Rulings)-1].Shadow, s.RecoveryReason, s.Action = true, "", &s.Proposed
		}), nil},
		{"a ruling in shadow with a code", tabbed().last(func(s *cua.Step) {
			s.Rulings[len(s.Rulings)-1].Shadow, s.Action = true, &s.Proposed
		}), []int{1, 0}},
	})
}

func TestFirstRulingWins(t *testing.T) {
	ordered := func(t *tale) *tale {
		return t.set(func(j *Journal) {
			j.Header.Gates = []string{"limits", "breaker", "policy", "done", "force_fill", "director", "rescue"}
		})
	}
	filled := func() *tale { return ordered(form()).fill("Name", "ada") }
	refused := func() *tale {
		return ordered(form()).ruled(cua.Ruling{Gate: "policy", Verdict: cua.Refuse, Reason: "host_not_allowed", Detail: "no"})
	}
	accepted := func() *tale {
		return ordered(form()).clicks(1).last(func(s *cua.Step) { s.Rulings = append(s.Rulings, cua.Ruling{Gate: "director", Verdict: cua.Accept}) })
	}
	rulings := func(edit func(r []cua.Ruling) []cua.Ruling) func(*cua.Step) {
		return func(s *cua.Step) { s.Rulings = edit(s.Rulings) }
	}
	more := func(r cua.Ruling) func(*cua.Step) {
		return rulings(func(rs []cua.Ruling) []cua.Ruling { return append(rs, r) })
	}
	checkRows(t, "first_ruling_wins", []checkRow{
		{"a gate was asked twice", form().clicks(1).last(func(s *cua.Step) { s.Rulings = passes("limits", "policy", "policy") }), []int{1}},
		{"all pass", ordered(form()).clicks(2), nil},
		{"one replaces", filled(), nil},
		{"one refuses", refused(), nil},
		{"one accepts", accepted(), nil},
		{"a shadow before it", filled().last(rulings(func(rs []cua.Ruling) []cua.Ruling {
			return append([]cua.Ruling{{Gate: "breaker", Verdict: cua.Halt, Shadow: true}}, rs[2:]...)
		})), nil},
		{"somebody is asked after it", filled().last(more(cua.Ruling{Gate: "rescue", Verdict: cua.Pass})), []int{1}},
		{"two rule", filled().last(more(cua.Ruling{Gate: "rescue", Verdict: cua.Replace, Action: &cua.Action{Kind: cua.Key, Keys: "Tab"}})), []int{1, 1}},
		{"a shadow after it", filled().last(more(cua.Ruling{Gate: "rescue", Verdict: cua.Refuse, Shadow: true})), []int{1}},
		{"a gate that is asked twice", ordered(form()).clicks(1).last(more(cua.Ruling{Gate: "policy", Verdict: cua.Pass})), []int{1}},
		{"no gate is asked", ordered(form()).clicks(1).last(func(s *cua.Step) { s.Rulings = nil }), []int{1}},
		{"the model refused the task", ordered(form()).step(cua.Step{Thought: "I will not."}), nil},
		{"what was replaced is dispatched", filled().last(func(s *cua.Step) { s.Action = &s.Proposed }), []int{1}},
		{"the substitute is another one than ruled", filled().last(func(s *cua.Step) { a := *s.Action; a.Text = "bob"; s.Action = &a }), []int{1}},
		{"a substitute that is nowhere", filled().last(func(s *cua.Step) { s.Rulings[2].Action = nil }), []int{1}},
		{"what was refused is dispatched", refused().last(func(s *cua.Step) { s.Action = &s.Proposed }), []int{1}},
		{"what was halted is dispatched", ordered(form()).ruled(cua.Ruling{Gate: "breaker", Verdict: cua.Halt, Reason: "hard_loop"}).last(func(s *cua.Step) { s.Action = &s.Proposed }), []int{1}},
		{"something else than proposed, and nobody ruled", ordered(form()).clicks(1).last(func(s *cua.Step) { a := press(); a.Point = &cua.Point{X: 1}; s.Action = &a }), []int{1}},
		{"something else than accepted", accepted().last(func(s *cua.Step) { s.Action = &cua.Action{Kind: cua.Wait, MS: 1} }), []int{1}},
		{"nothing, and nobody objected", ordered(form()).clicks(1).last(func(s *cua.Step) { s.Action = nil }), []int{1}},
		{"nothing, because the target was not found", ordered(form()).clicks(1).last(func(s *cua.Step) { s.Action, s.Failure = nil, &cua.Failure{Kind: cua.FailNotFound} }), nil},
	})
}

func TestStopAfterWarning(t *testing.T) {
	halt := cua.Ruling{Gate: "breaker", Verdict: cua.Halt, Reason: "hard_loop", End: cua.EndLoop, Detail: "enough"}
	ask := cua.Ruling{Gate: "rescue", Verdict: cua.Pause, Reason: "ask_user", End: cua.EndPaused, Detail: "help"}
	no := cua.Ruling{Gate: "policy", Verdict: cua.Refuse, Reason: "host_not_allowed", Detail: "no"}
	tab := cua.Action{Kind: cua.Key, Keys: "Tab"}
	warned := func(clicks int) *tale { return form().clicks(clicks).warned(3).clicks(1) }
	checkRows(t, "stop_after_warning", []checkRow{
		{"after a last warning", warned(6).ruled(halt), nil},
		{"without one", form().clicks(8).ruled(halt), []int{9}},
		{"after a hint alone", form().clicks(7).warned(1).clicks(1).ruled(halt), []int{9}},
		{"with the warning in the same turn", form().clicks(7).ruled(halt).warned(3), []int{8}},
		{"a pause without one", form().clicks(8).ruled(ask), []int{9}},
		{"without one, where nudges are off", form().set(func(j *Journal) { j.Header.Toggles.Nudge = false }).clicks(8).ruled(halt), nil},
		{"after a warning before it was continued", warned(6).set(func(j *Journal) { j.Events = []trajectories.Event{{Kind: trajectories.ContinueEvent, Step: 7}} }).clicks(3).ruled(halt), []int{11}},
		{"after a warning about something earlier", form().clicks(2).warned(3).clicks(6).ruled(halt).
			last(func(s *cua.Step) { s.Signals = []cua.Signal{{Shape: cua.ShapeRepeat, Level: cua.Hard, Since: 4}} }), []int{9}},
		{"a cap", form().clicks(2).ruled(cua.Ruling{Gate: "limits", Verdict: cua.Halt, Reason: "max_steps", End: cua.EndMaxSteps}), nil},
		{"a done that stays unverified", form().clicks(2).ruled(cua.Ruling{Gate: "done", Verdict: cua.Halt, Reason: "empty_summary", End: cua.EndDoneUnverified}), nil},
		{"in shadow", form().clicks(2).ruled(halt).last(func(s *cua.Step) { s.Rulings[1].Shadow, s.Action = true, &s.Proposed }), nil},
		{"three steps after a substitution", warned(4).gate("rescue", "tab_to_next_field", tab).clicks(3).ruled(halt), nil},
		{"two steps after a substitution", warned(4).gate("rescue", "tab_to_next_field", tab).clicks(2).ruled(halt), []int{9}},
		{"a question right after a substitution", warned(4).gate("rescue", "scroll_into_view", cua.Action{Kind: cua.Scroll, DY: 100}).ruled(ask), []int{7}},
		{"right after form control", warned(4).fill("Name", "ada").ruled(halt), nil},
		{"two refusals in a row", form().ruled(no).ruled(no).clicks(1), nil},
		{"three refusals in a row", form().ruled(no).ruled(no).ruled(no), []int{3}},
		{"four refusals in a row", form().ruled(no).ruled(no).ruled(no).ruled(no), []int{3, 4}},
		{"three, and the breaker decides", form().ruled(no).ruled(no).ruled(cua.Ruling{Gate: "breaker", Verdict: cua.Halt, Reason: "refused_at_one_state", End: cua.EndLoop}), nil},
		{"three with a step between", form().ruled(no).ruled(no).clicks(1).ruled(no), nil},
		{"three at two states", form().ruled(no).ruled(no).ruled(no).last(func(s *cua.Step) { s.After.DOMDigest = "moved" }), nil},
		{"three, where somebody went on", form().ruled(no).ruled(no).set(func(j *Journal) { j.Events = []trajectories.Event{{Kind: trajectories.ContinueEvent, Step: 2}} }).ruled(no), nil},
		{"three without a breaker", form().set(func(j *Journal) { j.Header.Toggles.Breaker = false }).ruled(no).ruled(no).ruled(no), nil},
		{"three with a breaker in shadow", form().config(`{"shadow":["breaker"]}`).ruled(no).ruled(no).ruled(no), nil},
		{"three, where the config allows them", form().config(`{"recovery":{"breaker":{"max_refusals":3}}}`).ruled(no).ruled(no).ruled(no), nil},
	})
}
