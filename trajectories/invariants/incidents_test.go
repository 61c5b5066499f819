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
	row := func(t *tale, id string, changes ...change) *tale {
		return t.Gate("rescue", "scroll_into_view", scroll, changes...).Last(in(id))
	}
	twoFailed := func() *tale { return row(row(form(), "i1").Clicks(1), "i3").Clicks(1) }
	rewind := func(to int) cua.Step {
		return cua.Step{Proposed: cua.Action{Kind: cua.Rewind, Step: to},
			Action: &cua.Action{Kind: cua.Rewind, Step: to}, RewoundTo: to}
	}
	checkRows(t, "rescue_once", []checkRow{
		{"once", row(form(), "i1"), nil},
		{"twice in one incident", row(row(form(), "i1").Clicks(1), "i1"), []int{3}},
		{"twice, the first had an effect", row(row(form(), "i1", dom("moved")).Clicks(1), "i1"), nil},
		{"three times, the second had none", row(row(row(form(), "i1", dom("moved")), "i1"), "i1"), []int{3}},
		{"in two incidents", twoFailed(), nil},
		{"in a third after two failed", row(twoFailed(), "i5"), []int{5}},
		{"in a third on another origin", row(twoFailed().Brain(click(), sendTarget, at("https://other.example/")), "i6"), nil},
		{"in a third after one helped", row(row(row(form(), "i1").Clicks(1), "i3", dom("moved")).Clicks(1), "i5"), nil},
		{"two codes", row(form(), "i1").Gate("rescue", "retarget_click", press()), nil},
		{"a Tab before what the brain typed", form().Gate("rescue", "tab_to_next_field", tab, focused("Email")).
			Brain(typing("Email", "ada@example.org"), cua.Target{},
				holding("Email", "ada@example.org")).Gate("rescue", "tab_to_next_field", tab), nil},
		{"a Tab before a click", form().Gate("rescue", "tab_to_next_field", tab, focused("Email")).Clicks(1).Gate("rescue", "tab_to_next_field", tab), []int{3}},
		{"although a rewind undid it", row(row(form(), "i1").Step(rewind(1)), "i1"), []int{3}},
		{"a question is no row that was dispatched", form().Ruled(cua.Ruling{Gate: "rescue", Verdict: cua.Halt, Reason: "ask_user"}).
			Ruled(cua.Ruling{Gate: "rescue", Verdict: cua.Halt, Reason: "ask_user"}), nil},
	})
}

func TestIncidentOutcomes(t *testing.T) {
	with := func(ended bool, incidents ...cua.Incident) *tale {
		return form().Clicks(8).With(func(j *Journal) {
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
		{"the last is open while the episode continues", with(false, one, edit(two, open)), nil},
		{"no step has shown yet that an earlier one is over", with(false, edit(one, open), two), nil},
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
	sent := func() *tale { return form().Clicks(1).Brain(click(), sendTarget, written).Clicks(1) }
	crossed := func(to int) cua.Step {
		s := back(to)
		s.Restored = &cua.Restored{OK: cua.RestoredAll, ToStep: to, Crossed: []int{2}}
		return s
	}
	consenting := func(j *Journal) { j.Header.Config = json.RawMessage(`{"recovery":{"policy":{"allow_crossing":true}}}`) }
	failed := func(o *cua.Observation) { o.Writes = []cua.Write{{Method: "POST", Status: 422}} }
	checkRows(t, "fence", []checkRow{
		{"back over steps that sent nothing", form().Clicks(3).Step(back(2)), nil},
		{"back to right after what was sent", sent().Step(back(3)), nil},
		{"back over what was sent", sent().Step(back(2)), []int{4}},
		{"back over what was sent earlier", sent().Clicks(3).Step(back(1)), []int{7}},
		{"back over what was answered badly", form().Brain(click(), sendTarget, failed).Step(back(1)), nil},
		{"back over what is unanswered", form().Brain(click(), sendTarget, func(o *cua.Observation) { o.Writes = []cua.Write{{Method: "POST"}} }).Step(back(1)), nil},
		{"back once more over what was undone already", sent().Step(back(2)).Clicks(1).Step(back(1)), []int{4}},
		{"with the config's consent", sent().Step(crossed(2)).With(consenting), nil},
		{"a person who consented", sent().Step(crossed(2)).Last(func(s *cua.Step) { s.By, s.Proposed.Accept = cua.Person, true }), nil},
		{"a brain that says it consents", sent().Step(crossed(2)).Last(func(s *cua.Step) { s.Proposed.Accept = true }), []int{4}},
		{"a step that says it was crossed, and no consent", sent().Step(crossed(2)), []int{4}},
		{"a consent that does not say what was crossed", sent().Step(back(2)).With(consenting), []int{4}},
		{"a rewind that did not come off", sent().Step(back(2)).Last(func(s *cua.Step) { s.RewoundTo = 0 }), nil},
	})
}
