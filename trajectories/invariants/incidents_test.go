package invariants

import (
	"encoding/json"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

func TestRescueOnce(t *testing.T) {
	scroll := cua.Action{Kind: cua.Scroll, DY: 100}
	tab := cua.Action{Kind: cua.Key, Keys: "Tab"}
	in := func(id string) func(*cua.Step) { return func(s *cua.Step) { s.Incident = id } }
	rung := func(t *tale, id string, changes ...change) *tale {
		return t.gate("rescue", "scroll_into_view", scroll, changes...).last(in(id))
	}
	twoFailed := func() *tale { return rung(rung(form(), "i1").clicks(1), "i3").clicks(1) }
	rewind := func(to int) cua.Step {
		return cua.Step{Proposed: cua.Action{Kind: cua.Rewind, Step: to}, Action: &cua.Action{Kind: cua.Rewind, Step: to}, RewoundTo: to}
	}
	checkRows(t, "rescue_once", []checkRow{
		{"once", rung(form(), "i1"), nil},
		{"twice in one incident", rung(rung(form(), "i1").clicks(1), "i1"), []int{3}},
		{"twice, the first had an effect", rung(rung(form(), "i1", dom("moved")).clicks(1), "i1"), nil},
		{"three times, the second had none", rung(rung(rung(form(), "i1", dom("moved")), "i1"), "i1"), []int{3}},
		{"in two incidents", twoFailed(), nil},
		{"in a third after two failed", rung(twoFailed(), "i5"), []int{5}},
		{"in a third on another origin", rung(twoFailed().brain(click(), sendTarget, at("https://other.example/")), "i6"), nil},
		{"in a third after one helped", rung(rung(rung(form(), "i1").clicks(1), "i3", dom("moved")).clicks(1), "i5"), nil},
		{"two codes", rung(form(), "i1").gate("rescue", "retarget_click", press()), nil},
		{"a Tab before what the brain typed", form().gate("rescue", "tab_to_next_field", tab, focused("Email")).
			brain(typing("Email", "ada@example.org"), cua.Target{}, holding("Email", "ada@example.org")).gate("rescue", "tab_to_next_field", tab), nil},
		{"a Tab before a click", form().gate("rescue", "tab_to_next_field", tab, focused("Email")).clicks(1).gate("rescue", "tab_to_next_field", tab), []int{3}},
		{"although a rewind undid it", rung(rung(form(), "i1").step(rewind(1)), "i1"), []int{3}},
		{"a question is no rung that was dispatched", form().ruled(cua.Ruling{Gate: "rescue", Verdict: cua.Halt, Reason: "ask_user"}).
			ruled(cua.Ruling{Gate: "rescue", Verdict: cua.Halt, Reason: "ask_user"}), nil},
	})
}

func TestIncidentOutcomes(t *testing.T) {
	with := func(ended bool, incidents ...cua.Incident) *tale {
		return form().clicks(8).set(func(j *Journal) {
			if j.Incidents = incidents; ended {
				j.End = &trajectories.End{Reason: cua.EndLoop}
			}
		})
	}
	one := cua.Incident{ID: "i2", First: 2, Last: 4, Outcome: cua.OutcomeRecovered}
	two := cua.Incident{ID: "i6", First: 6, Last: 8, Outcome: cua.OutcomeHalted}
	edit := func(in cua.Incident, how func(*cua.Incident)) cua.Incident { how(&in); return in }
	open := func(in *cua.Incident) { in.Outcome = "" }
	checkRows(t, "incident_outcomes", []checkRow{
		{"none", with(true), nil},
		{"two that are closed", with(true, one, two), nil},
		{"one without an outcome", with(true, one, edit(two, open)), []int{6}},
		{"the last is open while the episode goes on", with(false, one, edit(two, open)), nil},
		{"an earlier one is open while it goes on", with(false, edit(one, open), two), []int{2}},
		{"an outcome that does not exist", with(true, edit(one, func(in *cua.Incident) { in.Outcome = "solved" })), []int{2}},
		{"a step in two", with(true, one, edit(two, func(in *cua.Incident) { in.First = 4 })), []int{4}},
		{"a step that is not there", with(true, edit(two, func(in *cua.Incident) { in.Last = 9 })), []int{6}},
		{"ends before it begins", with(true, edit(one, func(in *cua.Incident) { in.Last = 1 })), []int{2}},
		{"one name for two", with(true, one, edit(two, func(in *cua.Incident) { in.ID = "i2" })), []int{6}},
	})
}

func TestFence(t *testing.T) {
	back := func(to int) cua.Step {
		a := cua.Action{Kind: cua.Rewind, Step: to}
		return cua.Step{Proposed: a, Action: &a, RewoundTo: to}
	}
	sent := func() *tale { return form().clicks(1).brain(click(), sendTarget, written).clicks(1) }
	crossed := func(to int) cua.Step {
		s := back(to)
		s.Restored = &cua.Restored{OK: cua.RestoredAll, ToStep: to, Crossed: []int{2}}
		return s
	}
	consenting := func(j *Journal) { j.Header.Config = json.RawMessage(`{"recovery":{"policy":{"allow_crossing":true}}}`) }
	failed := func(o *cua.Observation) { o.Writes = []cua.Write{{Method: "POST", Status: 422}} }
	checkRows(t, "fence", []checkRow{
		{"back over steps that sent nothing", form().clicks(3).step(back(2)), nil},
		{"back to right after what was sent", sent().step(back(3)), nil},
		{"back over what was sent", sent().step(back(2)), []int{4}},
		{"back over what was sent earlier", sent().clicks(3).step(back(1)), []int{7}},
		{"back over what was answered badly", form().brain(click(), sendTarget, failed).step(back(1)), nil},
		{"back over what is unanswered", form().brain(click(), sendTarget, func(o *cua.Observation) { o.Writes = []cua.Write{{Method: "POST"}} }).step(back(1)), nil},
		{"back once more over what was undone already", sent().step(back(2)).clicks(1).step(back(1)), []int{4}},
		{"with the config's consent", sent().step(crossed(2)).set(consenting), nil},
		{"a person who consented", sent().step(crossed(2)).last(func(s *cua.Step) { s.By, s.Proposed.Accept = cua.Person, true }), nil},
		{"a brain that says it consents", sent().step(crossed(2)).last(func(s *cua.Step) { s.Proposed.Accept = true }), []int{4}},
		{"a step that says it was crossed, and no consent", sent().step(crossed(2)), []int{4}},
		{"a consent that does not say what was crossed", sent().step(back(2)).set(consenting), []int{4}},
		{"a rewind that did not come off", sent().step(back(2)).last(func(s *cua.Step) { s.RewoundTo = 0 }), nil},
	})
}

func TestWrongInterventions(t *testing.T) {
	const enter = "press_return_for_submit"
	halt := cua.Ruling{Gate: "breaker", Verdict: cua.Halt, Reason: "hard_loop", End: cua.EndLoop}
	bare := func() *tale { return begin(nameAndEmail()) }
	for _, row := range []struct {
		name string
		tale *tale
		want map[WrongKind]int
	}{
		{"nothing", form().clicks(5), nil},
		{"right values", form().fill("Name", "ada", holding("Name", "ada")).fill("Email", "ada@example.org", holding("Email", "ada@example.org")), nil},
		{"a value in another one's field", form().fill("Name", "ada@example.org", holding("Name", "ada@example.org")), map[WrongKind]int{WrongInField: 1}},
		{"a value that is there", form().fill("Name", "ada", holding("Name", "ada")).fill("Name", "ada"), map[WrongKind]int{WrongTwice: 1}},
		{"Return for a dead button", bare().clicks(2).gate("rescue", enter, returnKey("Email")), nil},
		{"Return for a button that nobody had pressed", bare().gate("rescue", enter, returnKey("Email")), map[WrongKind]int{WrongReturn: 1}},
		{"Return for a button that had worked", bare().brain(click(), sendTarget, dom("next")).gate("rescue", enter, returnKey("Email")), map[WrongKind]int{WrongReturn: 1}},
		{"Return twice", bare().clicks(2).gate("rescue", enter, returnKey("Email")).clicks(1).gate("rescue", enter, returnKey("Email")), map[WrongKind]int{WrongReturn: 1}},
		{"Return after the brain's own", bare().clicks(2).brain(returnKey("Email"), cua.Target{}).gate("rescue", enter, returnKey("Email")), map[WrongKind]int{WrongReturn: 1}},
		{"Return in a form that is half filled", form().fill("Name", "ada", holding("Name", "ada")).clicks(2).gate("rescue", enter, returnKey("Email")), map[WrongKind]int{WrongReturn: 1}},
		{"Return for a click into a field", bare().clicks(2).gate("rescue", enter, returnKey("Email")).last(func(s *cua.Step) { s.Target.Editable = true }), map[WrongKind]int{WrongReturn: 1}},
		{"Return for a click on nothing", bare().clicks(2).gate("rescue", enter, returnKey("Email")).last(func(s *cua.Step) { s.Target = cua.Target{Point: s.Target.Point} }), map[WrongKind]int{WrongReturn: 1}},
		{"Return for a click on nothing, to send the form, as the brain said", bare().clicks(2).gate("rescue", enter, returnKey("Email"), dom("sent")).
			last(func(s *cua.Step) { s.Target, s.Thought = cua.Target{Point: s.Target.Point}, "I press Send." }), nil},
		{"Tab is no Return", bare().gate("rescue", "tab_to_next_field", cua.Action{Kind: cua.Key, Keys: "Tab"}), nil},
		{"stopped on a dead page", bare().clicks(8).ruled(halt), nil},
		{"stopped while it reads what it came to", bare().brain(click(), sendTarget, dom("2")).look(1).brain(seek("a"), cua.Target{}).brain(seek("b"), cua.Target{}).ruled(halt), map[WrongKind]int{WrongStop: 1}},
		{"stopped while it reads the same for ever", bare().brain(click(), sendTarget, dom("2")).look(4).ruled(halt), nil},
		{"stopped when it has read the same twice more", bare().brain(click(), sendTarget, dom("2")).look(3).ruled(halt), map[WrongKind]int{WrongStop: 1}},
		{"stopped on a page that moves", bare().brain(click(), sendTarget, dom("2")).brain(click(), sendTarget, dom("3")).ruled(halt), map[WrongKind]int{WrongStop: 1}},
		{"stopped where a rewind had brought it back to", bare().brain(click(), sendTarget, dom("2")).brain(click(), sendTarget, dom("3")).
			step(cua.Step{Proposed: cua.Action{Kind: cua.Rewind, Step: 1}, Action: &cua.Action{Kind: cua.Rewind, Step: 1}, RewoundTo: 1}, dom("dom")).
			brain(click(), sendTarget, dom("2")).brain(click(), sendTarget, dom("3")).ruled(halt), nil},
		{"stopped after waiting for a page", bare().brain(click(), sendTarget, dom("2")).brain(cua.Action{Kind: cua.Wait, MS: 1}, cua.Target{}).
			brain(cua.Action{Kind: cua.Wait, MS: 1}, cua.Target{}).brain(cua.Action{Kind: cua.Wait, MS: 1}, cua.Target{}).ruled(halt), nil},
		{"stopped by a cap", bare().brain(click(), sendTarget, dom("2")).ruled(cua.Ruling{Gate: "limits", Verdict: cua.Halt}), nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := map[WrongKind]int{}
			all := WrongInterventions(row.tale.j.Trajectory)
			for _, w := range all {
				got[w.Kind]++
			}
			for _, k := range WrongKinds() {
				if got[k] != row.want[k] {
					t.Errorf("%s: %d, want %d (%+v)", k, got[k], row.want[k], all)
				}
			}
		})
	}
}
