package study_test

import (
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/taletest"
)

type tale = taletest.Tale[*trajectories.Trajectory]

// begin is a tale in which nothing has happened yet.
func begin(fields []cua.Field, values ...string) *tale {
	j := &trajectories.Trajectory{Header: trajectories.Header{Version: 1, Episode: "tale",
		Toggles: cua.AllOn()}}
	return taletest.Begin(j, &j.Header.Task, &j.Start, &j.Steps, fields, values...)
}

var (
	textbox, sendTarget, click = taletest.Textbox, taletest.SendTarget, taletest.Click
	holding, dom, returnKey    = taletest.Holding, taletest.DOM, taletest.ReturnKey
)

func form() *tale {
	return begin([]cua.Field{textbox("Name"), textbox("Email")}, "Name", "ada", "Email", "ada@example.org")
}

func TestWrongInterventions(t *testing.T) {
	const enter = "press_return_for_submit"
	halt := cua.Ruling{Gate: "breaker", Verdict: cua.Halt, Reason: "hard_loop", End: cua.EndLoop}
	bare := func() *tale { return begin([]cua.Field{textbox("Name"), textbox("Email")}) }
	for _, row := range []struct {
		name string
		tale *tale
		want map[benchmarks.WrongKind]int
	}{
		{"nothing", form().Clicks(5), nil},
		{"right values", form().Fill("Name", "ada", holding("Name", "ada")).Fill("Email", "ada@example.org", holding("Email", "ada@example.org")), nil},
		{"a value in another one's field", form().Fill("Name", "ada@example.org", holding("Name", "ada@example.org")), map[benchmarks.WrongKind]int{benchmarks.WrongInField: 1}},
		{"a value that is there", form().Fill("Name", "ada", holding("Name", "ada")).Fill("Name", "ada"), map[benchmarks.WrongKind]int{benchmarks.WrongTwice: 1}},
		{"Return for a dead button", bare().Clicks(2).Gate("rescue", enter, returnKey("Email")), nil},
		{"Return for a button that nobody had pressed", bare().Gate("rescue", enter, returnKey("Email")), map[benchmarks.WrongKind]int{benchmarks.WrongReturn: 1}},
		{"Return for a button that had worked", bare().Brain(click(), sendTarget, dom("next")).Gate("rescue", enter, returnKey("Email")), map[benchmarks.WrongKind]int{benchmarks.WrongReturn: 1}},
		{"Return twice", bare().Clicks(2).Gate("rescue", enter, returnKey("Email")).Clicks(1).Gate("rescue", enter, returnKey("Email")), map[benchmarks.WrongKind]int{benchmarks.WrongReturn: 1}},
		{"Return after the brain's own", bare().Clicks(2).Brain(returnKey("Email"), cua.Target{}).Gate("rescue", enter, returnKey("Email")), map[benchmarks.WrongKind]int{benchmarks.WrongReturn: 1}},
		{"Return in a form that is half filled", form().Fill("Name", "ada", holding("Name", "ada")).Clicks(2).Gate("rescue", enter, returnKey("Email")), map[benchmarks.WrongKind]int{benchmarks.WrongReturn: 1}},
		{"Return for a click into a field", bare().Clicks(2).Gate("rescue", enter, returnKey("Email")).Last(func(s *cua.Step) { s.Target.Editable = true }), map[benchmarks.WrongKind]int{benchmarks.WrongReturn: 1}},
		{"Return for a click on nothing", bare().Clicks(2).Gate("rescue", enter, returnKey("Email")).Last(func(s *cua.Step) { s.Target = cua.Target{Point: s.Target.Point} }), map[benchmarks.WrongKind]int{benchmarks.WrongReturn: 1}},
		{"Return for a click on nothing, to send the form, as the brain said", bare().Clicks(2).Gate("rescue", enter, returnKey("Email"), dom("sent")).
			Last(func(s *cua.Step) {
				s.Target, s.Thought = cua.Target{Point: s.Target.Point},
					"I press Send."
			}), nil},
		{"Tab is no Return", bare().Gate("rescue", "tab_to_next_field", cua.Action{Kind: cua.Key, Keys: "Tab"}), nil},
		{"stopped on a dead page", bare().Clicks(8).Ruled(halt), nil},
		{"stopped while it reads what it came to", bare().Brain(click(), sendTarget, dom("2")).Looks(1).Brain(cua.Action{Kind: cua.Find, Text: "a"}, cua.Target{}).Brain(cua.Action{Kind: cua.Find, Text: "b"}, cua.Target{}).Ruled(halt), map[benchmarks.WrongKind]int{benchmarks.WrongStop: 1}},
		{"stopped while it reads the same for ever", bare().Brain(click(), sendTarget, dom("2")).Looks(4).Ruled(halt), nil},
		{"stopped when it has read the same twice more", bare().Brain(click(), sendTarget, dom("2")).Looks(3).Ruled(halt), map[benchmarks.WrongKind]int{benchmarks.WrongStop: 1}},
		{"stopped on a page that moves", bare().Brain(click(), sendTarget, dom("2")).Brain(click(), sendTarget, dom("3")).Ruled(halt), map[benchmarks.WrongKind]int{benchmarks.WrongStop: 1}},
		{"stopped where a rewind had brought it back to", bare().Brain(click(), sendTarget, dom("2")).Brain(click(), sendTarget, dom("3")).
			Step(cua.Step{Proposed: cua.Action{Kind: cua.Rewind, Step: 1},
				Action: &cua.Action{Kind: cua.Rewind, Step: 1}, RewoundTo: 1}, dom("dom")).
			Brain(click(), sendTarget, dom("2")).Brain(click(), sendTarget, dom("3")).Ruled(halt), nil},
		{"stopped after waiting for a page", bare().Brain(click(), sendTarget, dom("2")).Brain(cua.Action{Kind: cua.Wait, MS: 1}, cua.Target{}).
			Brain(cua.Action{Kind: cua.Wait, MS: 1}, cua.Target{}).Brain(cua.Action{Kind: cua.Wait, MS: 1},
			cua.Target{}).Ruled(halt), nil},
		{"stopped by a cap", bare().Brain(click(), sendTarget, dom("2")).Ruled(cua.Ruling{Gate: "limits", Verdict: cua.Halt}), nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := map[benchmarks.WrongKind]int{}
			all := study.WrongInterventions(row.tale.J)
			for _, w := range all {
				got[w.Kind]++
			}
			for _, k := range benchmarks.WrongKinds() {
				if got[k] != row.want[k] {
					t.Errorf("%s: %d, want %d (%+v)", k, got[k], row.want[k], all)
				}
			}
		})
	}
}
