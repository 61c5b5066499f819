package invariants

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

func TestRejectedCredentials(t *testing.T) {
	answered := func(status int) change {
		return func(o *cua.Observation) {
			o.Writes = []cua.Write{{Method: "POST", URL: shopPage,
				Status: status}}
		}
	}
	page := func() *tale {
		return begin([]cua.Field{textbox("Name"), passwordBox("Password")}, "Password", "<secret:PW>").
			Brain(typing("Password", "<secret:PW>"), cua.Target{}, holding("Password", "<secret:PW>"))
	}
	sends := func(t *tale, n int, changes ...change) *tale {
		for range n {
			t.Brain(click(), sendTarget, changes...)
		}
		return t
	}
	gone := func(o *cua.Observation) { o.Fields, o.Document = nil, "inside" }
	literal := func(n int) *tale {
		return sends(begin([]cua.Field{passwordBox("Password")}).Brain(typing("Password", "pw"), cua.Target{},
			holding("Password", "pw")), n, answered(401))
	}
	// inSteps asks for a name, and then for a password, n times; back is the page that answers the password.
	inSteps := func(n int, back string) *tale {
		t := begin([]cua.Field{textbox("Name")})
		asking := func(f cua.Field, url string) change {
			return func(o *cua.Observation) {
				o.URL, o.Document, o.Fields = url, url, []cua.Field{f}
				o.Writes = []cua.Write{{Method: "POST", URL: url, Status: 200}}
			}
		}
		for range n {
			t.Brain(typing("Name", "ada"), cua.Target{}, holding("Name", "ada"))
			t.Brain(click(), sendTarget, asking(passwordBox("Password"), shopPage+"/2"))
			t.Brain(typing("Password", "<secret:PW>"), cua.Target{}, holding("Password", "<secret:PW>"))
			t.Brain(click(), sendTarget, asking(textbox("Name"), back))
			if back != shopPage {
				t.Brain(cua.Action{Kind: cua.Navigate, URL: shopPage}, cua.Target{},
					asking(textbox("Name"), shopPage))
			}
		}
		return t
	}
	// renamed is the answer with the form under another name, and its password as kind.
	renamed := func(kind string) change {
		return func(o *cua.Observation) {
			o.Fields[1].Form += "'"
			o.Fields[1].Type = kind
		}
	}
	back := func(o *cua.Observation) { o.Fields[1].Form, o.Fields[1].Type = "f", "password" }
	checkRows(t, "rejected_credentials", []checkRow{
		{"in two steps, twice", inSteps(2, shopPage), nil},
		{"in two steps, three times", inSteps(3, shopPage), []int{12}},
		{"in two steps, let in each time", inSteps(3, shopPage+"/in"), nil},
		{"under another name", sends(page(), 1, answered(200), renamed("password")).Brain(cua.Action{Kind: cua.Reload}, cua.Target{}, back).
			Brain(click(), sendTarget, answered(200), renamed("text")).Brain(cua.Action{Kind: cua.Reload},
			cua.Target{}, back).Brain(click(), sendTarget, answered(200)), []int{6}},
		{"rejected twice", sends(page(), 2, answered(401)), nil},
		{"rejected three times", sends(page(), 3, answered(401)), []int{4}},
		{"by 403 and by 429", sends(sends(sends(page(), 1, answered(403)), 1, answered(429)), 1, answered(403)), []int{4}},
		{"by the same form again", sends(page(), 3, answered(200)), []int{4}},
		{"sent again by Return", sends(page(), 2, answered(401)).Brain(returnKey("Password"), cua.Target{}, answered(401)), []int{4}},
		{"sent again by a gate", sends(page(), 2, answered(401)).Gate("force_submit", "submit_filled_form", click(), answered(401)), []int{4}},
		{"a third that lets the run in", sends(sends(page(), 2, answered(401)), 1, answered(200), gone), []int{4}},
		{"let in at the second", sends(sends(page(), 1, answered(401)), 1, answered(200), gone), nil},
		{"presses that send nothing", sends(page(), 5), nil},
		{"no secret", literal(3), nil},
		{"the field was emptied", sends(sends(page(), 2, answered(401)).Brain(typing("Password", ""), cua.Target{}, holding("Password", "")), 1, answered(401)), nil},
		{"somebody went on between", sends(page(), 3, answered(401)).With(func(j *Journal) {
			j.Events = []trajectories.Event{{Kind: trajectories.ContinueEvent, Step: 3}}
		}), nil},
		{"another process went on between", sends(page(), 3, answered(401)).With(func(j *Journal) {
			j.Events = []trajectories.Event{{Kind: trajectories.ResumeEvent, Step: 3,
				After: new(j.Steps[2].After)}}
		}), []int{4}},
	})
}

func TestDoneBesideError(t *testing.T) {
	wrong := func(label string) change {
		return func(o *cua.Observation) { o.FieldByID("box/" + label).Invalid = "Enter an address." }
	}
	right := func(o *cua.Observation) { o.FieldByID("box/Email").Invalid = "" }
	elsewhere := func(o *cua.Observation) {
		o.FieldByID("box/Email").Form, o.FieldByID("box/Email").Invalid = "other", "Enter an address."
	}
	done := cua.Action{Kind: cua.Done, Success: true, Text: "Sent."}
	says := func(t *tale, a cua.Action) *tale {
		return t.Brain(a, cua.Target{}).With(func(j *Journal) {
			j.Header.Gates = []string{"limits",
				"policy", "done"}
		})
	}
	sent := func(changes ...change) *tale { return form().Brain(click(), sendTarget, changes...) }
	checkRows(t, "done_beside_error", []checkRow{
		{"nothing is wrong", says(sent(written), done), nil},
		{"a field is", says(sent(wrong("Email")), done), []int{2}},
		{"sent by Return", says(form().Brain(returnKey("Name"), cua.Target{}, wrong("Email")), done), []int{2}},
		{"it was put right", says(sent(wrong("Email")).Brain(typing("Email", "a@b.test"), cua.Target{}, right), done), nil},
		{"nothing was sent", says(form().Brain(typing("Email", "ada"), cua.Target{}, wrong("Email")), done), nil},
		{"in another form", says(sent(elsewhere), done), nil},
		{"on another page", says(sent(wrong("Email")).Brain(cua.Action{Kind: cua.Navigate, URL: shopPage + "2"}, cua.Target{}, at(shopPage+"2")), done), nil},
		{"a done that says it failed", says(sent(wrong("Email")), cua.Action{Kind: cua.Done, Text: "No."}), nil},
		{"one that was refused", says(sent(wrong("Email")), done).Last(func(s *cua.Step) { s.Action = nil }), nil},
		{"the done gate is off", says(sent(wrong("Email")), done).With(func(j *Journal) { j.Header.Toggles.DoneGate = false }), nil},
		{"the done gate is in shadow", says(sent(wrong("Email")), done).With(configured(`{"shadow":["done"]}`)), nil},
		{"the send was undone", says(sent(wrong("Email")).Step(cua.Step{Proposed: cua.Action{Kind: cua.Rewind, Step: 1},
			Action: &cua.Action{Kind: cua.Rewind, Step: 1}, RewoundTo: 1}), done), nil},
	})
}
