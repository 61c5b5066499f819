package invariants

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func nameAndEmail() []cua.Field { return []cua.Field{textbox("Name"), textbox("Email")} }

// form is a tale about two values.
func form() *tale { return begin(nameAndEmail(), "Name", "ada", "Email", "ada@example.org") }

func TestTypedTwice(t *testing.T) {
	once := func() *tale { return form().Fill("Name", "ada", holding("Name", "ada")) }
	box := cua.Field{ID: "box/Terms", Role: "checkbox", Label: "Terms", Tag: "input",
		Type: "checkbox", Form: "f"}
	list := cua.Field{ID: "box/Size", Label: "Size", Tag: "select", Type: "select", Form: "f",
		Options: []string{"Small", "Large"}}
	choose := cua.Action{Kind: cua.Select, Into: "box/Size", Text: "Large"}
	selected := func(label string) change {
		return func(o *cua.Observation) {
			o.Fields[0].Selected, o.Fields[0].ValueDigest = label,
				cua.Digest(label)
		}
	}
	tick := func(on bool) change { return func(o *cua.Observation) { o.Fields[0].Checked = on } }
	press := cua.Action{Kind: cua.Click, Into: "box/Terms"}
	checkRows(t, "typed_twice", []checkRow{
		{"each value once", once().Fill("Email", "ada@example.org", holding("Email", "ada@example.org")), nil},
		{"into the field that holds it", once().Fill("Name", "ada"), []int{2}},
		{"into a field that held it from the start", begin([]cua.Field{func() cua.Field { f := textbox("Name"); f.ValueDigest = cua.Digest("ada"); return f }()}, "Name", "ada").
			Fill("Name", "ada"), []int{1}},
		{"into a field into which the brain had typed it", form().Brain(typing("Name", "ada"), cua.Target{}, holding("Name", "ada")).Fill("Name", "ada"), []int{2}},
		{"the brain types it twice", form().Brain(typing("Name", "ada"), cua.Target{}, holding("Name", "ada")).Brain(typing("Name", "ada"), cua.Target{}), nil},
		{"after the field showed another value", once().Brain(typing("Name", "bob"), cua.Target{}, holding("Name", "bob")).Fill("Name", "ada", holding("Name", "ada")), nil},
		{"after the page dropped it", once().Brain(click(), cua.Target{}, holding("Name", "")).Fill("Name", "ada", holding("Name", "ada")), nil},
		{"after it was sent and the form emptied", once().Brain(click(), sendTarget, holding("Name", ""), written).Fill("Name", "ada", holding("Name", "ada")), []int{3}},
		{"after another document came back empty", once().Brain(click(), sendTarget, holding("Name", ""), fresh("d2")).Fill("Name", "ada", holding("Name", "ada")), []int{3}},
		{"of another page with such a field", once().Brain(click(), sendTarget, holding("Name", ""), fresh("d2"), at("https://shop.example/two")).
			Fill("Name", "ada", holding("Name", "ada")), nil},
		{"as the page spells it", form().Fill("Name", "ada", holding("Name", "ADA L.")).Fill("Name", "ada"), []int{2}},
		{"a secret that the field holds", begin([]cua.Field{passwordBox("Password")}, "Password", "<secret:P>").
			Fill("Password", "<secret:P>", holding("Password", "<secret:P>")).Fill("Password",
			"<secret:P>"), []int{2}},
		{"what came to nothing", form().Fill("Name", "ada").Fill("Name", "ada"), []int{2}},
		{"what came to nothing, by another gate", form().Fill("Name", "ada").Gate("rescue", "type_pending_value", typing("Name", "ada")), nil},
		{"what came to nothing, where the config allows two attempts", form().With(configured(`{"formctl":{"attempts":2}}`)).Fill("Name", "ada").Fill("Name", "ada"), nil},
		{"what came to nothing in another document", form().Fill("Name", "ada").Brain(click(), sendTarget, fresh("d2")).Fill("Name", "ada"), nil},
		{"what a rewind undid", once().Step(cua.Step{Proposed: cua.Action{Kind: cua.Rewind, Step: 1}, Action: &cua.Action{Kind: cua.Rewind, Step: 1}, RewoundTo: 1}, holding("Name", ""), fresh("d2")).
			Fill("Name", "ada", holding("Name", "ada")), nil},
		{"the brain's own text, retargeted", once().Gate("rescue", "retarget_click", typing("Name", "ada")).Last(func(s *cua.Step) { s.Proposed = typing("Name", "ada") }), nil},
		{"a text of the gate's own, as if retargeted", once().Gate("rescue", "retarget_click", typing("Name", "ada")), []int{2}},
		{"a list once", begin([]cua.Field{list}, "Size", "Large").Gate("rescue", "use_control", choose, selected("Large")), nil},
		{"a list that shows the option", begin([]cua.Field{list}, "Size", "Large").Gate("rescue", "use_control", choose, selected("Large")).Gate("rescue", "use_control", choose), []int{2}},
		{"a box that is to be ticked", begin([]cua.Field{box}, "Terms", "yes").Gate("force_fill", "fill_pending_value", press, tick(true)), nil},
		{"a box that is ticked", begin([]cua.Field{box}, "Terms", "yes").Gate("force_fill", "fill_pending_value", press, tick(true)).
			Gate("force_fill", "fill_pending_value", press, tick(false)), []int{2}},
	})
}

func TestWrongField(t *testing.T) {
	sign := func() *tale {
		return begin([]cua.Field{textbox("First name"), textbox("Company name"), passwordBox("Password"),
			passwordBox("Confirm password")},
			"First name", "Ada", "Company name", "Acme", "Password", "<secret:P>")
	}
	coupon := []cua.Field{textbox("Coupon"), textbox("Email")}
	checkRows(t, "wrong_field", []checkRow{
		{"it landed", form().Fill("Name", "ada", holding("Name", "ada")), nil},
		{"it landed nowhere", form().Fill("Name", "ada"), nil},
		{"another field took it", form().Fill("Name", "ada", holding("Email", "ada")), []int{1}},
		{"another field changed too", form().Fill("Name", "ada", holding("Name", "ada"), holding("Email", "ada@shop.example")), nil},
		{"in another document", form().Fill("Name", "ada", holding("Email", "x"), fresh("d2")), nil},
		{"what the brain typed went astray", form().Brain(typing("Name", "ada"), cua.Target{}, holding("Email", "ada")), nil},
		{"into a field that is not there", form().Fill("Nickname", "ada"), []int{1}},
		{"each its own", sign().Fill("First name", "Ada").Fill("Company name", "Acme").Fill("Password", "<secret:P>"), nil},
		{"another one's field", sign().Fill("First name", "Acme"), []int{1}},
		{"the brain's own mistake", sign().Brain(typing("First name", "Acme"), cua.Target{}), nil},
		{"a label with a colon and a star", begin([]cua.Field{textbox("First Name:*")}, "First name", "Ada").Fill("First Name:*", "Ada"), nil},
		{"another one's field, spelled otherwise", begin([]cua.Field{textbox("first-name"), textbox("Company")}, "First name", "Ada", "Company", "Acme").Fill("first-name", "Acme"), []int{1}},
		{"past its own field", begin(coupon, "Email", "ada@example.org").Fill("Coupon", "ada@example.org"), []int{1}},
		{"into the only field there is", begin([]cua.Field{textbox("Type here")}, "Email", "ada@example.org").Fill("Type here", "ada@example.org"), nil},
		{"the confirmation of a password", sign().Fill("Confirm password", "<secret:P>"), nil},
		{"the confirmation, which has a value of its own", begin([]cua.Field{passwordBox("Confirm password")}, "Password", "<secret:P>", "Confirm password", "<secret:Q>").
			Fill("Confirm password", "<secret:P>"), []int{1}},
		{"two values alike", begin([]cua.Field{textbox("First name"), textbox("Nickname")}, "First name", "Ada", "Nickname", "Ada").Fill("Nickname", "Ada"), nil},
		{"a secret in the clear field", sign().Fill("Company name", "<secret:P>"), []int{1}},
		{"a password in clear, in a field for anything", begin([]cua.Field{textbox("Remarks")}, "Password", "opensesame").Fill("Remarks", "opensesame"), []int{1}},
		{"a secret that a plain field asks for", begin([]cua.Field{textbox("Access token")}, "Token", "<secret:T>").Fill("Access token", "<secret:T>"), nil},
		{"a day as the field wants it", begin([]cua.Field{textbox("Arrival")}, "Arrival", "31 January 2030", "Leave", "x").Fill("Arrival", "2030-01-31"), nil},
		{"a radio button, whose label is an option", begin([]cua.Field{{ID: "box/Express", Label: "Express", Tag: "input", Type: "radio", Form: "f"}}, "Delivery", "Express", "Express", "no").
			Fill("Express", "Express"), nil},
	})
}

func TestLabelWords(t *testing.T) {
	for text, want := range map[string]int{"": 0, "userName:": 2, "E-mail*": 2, "  Straße 2 ": 2, "ID": 1,
		"line2": 1, "–": 0} {
		if got := labelWords(text); len(got) != want {
			t.Errorf("%q: %q, want %d words", text, got, want)
		}
	}
}
