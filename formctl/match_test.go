package formctl

import (
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// bare is a field that only its attributes tell of.
func bare(id string, change func(*cua.Field)) cua.Field { return with(in(id, ""), change) }

func TestMatch(t *testing.T) {
	placeholder := func(p string) cua.Field { return bare("a", func(f *cua.Field) { f.Placeholder = p }) }
	nameAttr := func(n string) cua.Field { return bare("a", func(f *cua.Field) { f.NameAttr = n }) }
	auto := func(n string) cua.Field { return bare("a", func(f *cua.Field) { f.Autocomplete = n }) }
	for _, c := range []struct {
		name   string
		task   cua.Task
		fields []cua.Field
		want   []string
	}{
		{"exact label", plan("City", "Oslo"), []cua.Field{in("b", "Zip"), in("a", "City")}, []string{"a"}},
		{"case, stars and punctuation", plan("First name", "Ada"), []cua.Field{in("a", "FIRST NAME: *")}, []string{"a"}},
		{"exact label before a name", plan("City", "Oslo"), []cua.Field{nameAttr("city"), in("b", "City")}, []string{"b"}},
		{"name attribute in camel case", plan("First name", "Ada"), []cua.Field{nameAttr("firstName")}, []string{"a"}},
		{"id attribute", plan("Zip code", "0150"), []cua.Field{bare("a", func(f *cua.Field) { f.IDAttr = "billing-postcode" })}, []string{"a"}},
		{"placeholder", plan("City", "Oslo"), []cua.Field{placeholder("Your city")}, []string{"a"}},
		{"autocomplete", plan("Last name", "Li"), []cua.Field{auto("shipping family-name")}, []string{"a"}},
		{"input type", plan("E-mail", "a@b.c"), []cua.Field{typed(in("a", ""), "email")}, []string{"a"}},
		{"a generic placeholder matches nothing", plan("Parcel number", "1"), []cua.Field{placeholder("Type here…"), in("z", "")}, []string{""}},
		{"enter text is generic too", plan("Text", "1"), []cua.Field{placeholder("Enter text"), in("z", "")}, []string{""}},
		{"company name is no first name", plan("Company name", "Acme"), []cua.Field{in("a", "First name")}, []string{""}},
		{"first name is no company name", plan("First name", "Ada"), []cua.Field{in("a", "Company name")}, []string{""}},
		{"first name is no last name", plan("First name", "Ada"), []cua.Field{in("a", "Last name")}, []string{""}},
		{"both find their own", plan("First name", "Ada", "Company name", "Acme"), []cua.Field{in("a", "Company name"), in("b", "First name")}, []string{"b", "a"}},
		{"a shared number is not enough", plan("Order number", "1"), []cua.Field{in("a", "Phone number")}, []string{""}},
		{"pieces of words do not count", plan("Age", "7"), []cua.Field{in("a", "Message")}, []string{""}},
		{"user id is user name", plan("User ID", "ada"), []cua.Field{in("a", "Username")}, []string{"a"}},
		{"login is user name", plan("Username", "ada"), []cua.Field{in("a", "Login")}, []string{"a"}},
		{"mail address is e-mail", plan("E-Mail", "a@b.c"), []cua.Field{in("a", "Mail address")}, []string{"a"}},
		{"user name stands in for e-mail", plan("Username", "a@b.c"), []cua.Field{in("a", "Email"), typed(in("b", "Password"), "password")}, []string{"a"}},
		{"but not where both are", plan("Username", "ada", "Email", "a@b.c"), []cua.Field{in("a", "Email"), in("b", "Username")}, []string{"b", "a"}},
		{"an e-mail field takes no word", plan("Username", "ada"), []cua.Field{typed(in("a", "Email"), "email")}, []string{""}},
		{"a password goes into no hint", plan("Password", "x"), []cua.Field{in("a", "Password hint")}, []string{""}},
		{"a shown password field", plan("Password", "x"), []cua.Field{in("a", "Password")}, []string{"a"}},
		{"a user name never into a password field", plan("Login", "ada"), []cua.Field{typed(nameAttr("login_password"), "password")}, []string{""}},
		{"half a label is not enough for a masked field", plan("City", "Oslo"), []cua.Field{typed(in("a", "City of birth"), "password")}, []string{""}},
		{"a password by type alone", plan("Password", "x"), []cua.Field{typed(in("a", ""), "password")}, []string{"a"}},
		{"a known label outweighs a hidden name", plan("Name", "Ada"), []cua.Field{with(in("a", "Company"), func(f *cua.Field) { f.NameAttr = "name" })}, []string{""}},
		{"a label in an unknown language does not", plan("Username", "ada"), []cua.Field{with(in("a", "Benutzerkennung"), func(f *cua.Field) { f.NameAttr = "username" })}, []string{"a"}},
		{"a select has the option", plan("Country", "norway"), []cua.Field{with(typed(in("a", "Country"), "select"), func(f *cua.Field) { f.Options = []string{"Chile", "Norway"} })}, []string{"a"}},
		{"a select has it not", plan("Country", "Peru"), []cua.Field{with(typed(in("a", "Country"), "select"), func(f *cua.Field) { f.Options = []string{"Chile", "Norway"} })}, []string{""}},
		{"a radio button by its option", plan("Size", "Large"), []cua.Field{radio("a", "Small", "size"), radio("b", "Large", "size")}, []string{"b"}},
		{"the second text field, whatever it is called", plan("2nd textbox", "43"), []cua.Field{in("a", ""), radio("r", "1", "g"), in("b", ""), in("c", "Count")}, []string{"b"}},
		{"the last field, and the rest by name", plan("last field", "x", "City", "Oslo"), []cua.Field{in("a", "City"), in("b", "City")}, []string{"b", "a"}},
		{"there is no third", plan("3rd textbox", "43"), []cua.Field{in("a", ""), in("b", "")}, []string{""}},
		{"a place alone opens no password", plan("2nd field", "x"), []cua.Field{in("a", ""), typed(in("b", ""), "password")}, []string{""}},
		{"a checkbox by its label", plan("I accept the terms", "yes"), []cua.Field{typed(in("a", "I accept the terms of use"), "checkbox")}, []string{"a"}},
		{"a checkbox takes no words", plan("Terms", "hello"), []cua.Field{typed(in("a", "Terms"), "checkbox")}, []string{""}},
		{"a disabled field takes nothing", plan("City", "Oslo"), []cua.Field{with(in("a", "City"), func(f *cua.Field) { f.Disabled = true })}, []string{""}},
		{"two equal labels keep their order", plan("Name", "Ada", "Name", "Bob"), []cua.Field{in("a", "Name"), in("b", "Name")}, []string{"a", "b"}},
		{"all at once: the exact one is not taken away", plan("Work city", "Oslo", "City", "Rome"), []cua.Field{in("a", "City"), in("b", "City of work")}, []string{"b", "a"}},
		{"street line 2 is its own", plan("Address", "Main 1", "Address line 2", "3rd floor"), []cua.Field{in("a", "Address line 1"), in("b", "Address line 2")}, []string{"a", "b"}},
		{"a date field by its type", plan("Date", "2026-01-31"), []cua.Field{typed(in("a", "Departure"), "date")}, []string{"a"}},
		{"a time field by its type", plan("Time", "3:03 PM"), []cua.Field{typed(in("b", ""), "date"), typed(in("a", ""), "time")}, []string{"a"}},
		{"a departure is no return", plan("Departure date", "2026-01-31"), []cua.Field{typed(in("a", "Return date"), "date")}, []string{""}},
		{"to is to", plan("From", "Oslo", "To", "Rome"), []cua.Field{in("a", "From"), in("b", "To")}, []string{"a", "b"}},
		{"to by its name", plan("To", "Rome"), []cua.Field{bare("a", func(f *cua.Field) { f.NameAttr = "from" }), bare("b", func(f *cua.Field) { f.NameAttr = "to" })}, []string{"b"}},
		{"noise is not other noise", plan("To", "Rome"), []cua.Field{in("a", "Your text"), in("z", "")}, []string{""}},
		{"no fields at all", plan("City", "Oslo"), nil, []string{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := state(c.task, steps(page(c.fields...)))
			for i, want := range c.want {
				if v := got.Values[i]; v.Field != want {
					t.Errorf("%q: field %q with score %.2f, want %q", v.Label, v.Field, v.Score, want)
				}
			}
		})
	}
}

// TestMatchByOrder: values that no field matches go to the fields that say nothing of what they want, in
// document order, where there are as many of the one as of the other.
func TestMatchByOrder(t *testing.T) {
	a, b := in("a", ""), with(in("b", ""), func(f *cua.Field) { f.Placeholder = "Type here…" })
	attr := func(f cua.Field, name string) cua.Field { f.NameAttr = name; return f }
	form := func(f cua.Field, id string) cua.Field { f.Form = id; return f }
	for _, c := range []struct {
		name   string
		task   cua.Task
		fields []cua.Field
		want   []string
	}{
		{"one value, one field", plan("Parcel number", "1"), []cua.Field{a}, []string{"a"}},
		{"two values, two fields", plan("Parcel number", "1", "Voucher", "2"), []cua.Field{a, b}, []string{"a", "b"}},
		{"the order is that of the page", plan("Parcel number", "1", "Voucher", "2"), []cua.Field{b, a}, []string{"b", "a"}},
		{"two values, one field", plan("Parcel number", "1", "Voucher", "2"), []cua.Field{a}, []string{"", ""}},
		{"one value, two fields", plan("Parcel number", "1"), []cua.Field{a, b}, []string{""}},
		{"beside a value with a field of its own", plan("City", "Oslo", "Voucher", "2"), []cua.Field{a, in("c", "City")}, []string{"c", "a"}},
		{"a field whose label says another thing", plan("Voucher", "2"), []cua.Field{in("c", "City")}, []string{""}},
		{"a label in another language says something", plan("Voucher", "2"), []cua.Field{in("c", "Ort")}, []string{""}},
		{"a hidden name that says something", plan("Voucher", "2"), []cua.Field{attr(a, "email")}, []string{""}},
		{"a hidden name that a program made", plan("Voucher", "2"), []cua.Field{attr(a, "tt_17")}, []string{"a"}},
		{"a type that says something", plan("Voucher", "2"), []cua.Field{typed(a, "search")}, []string{""}},
		{"a field that does not take it", plan("Voucher", "two"), []cua.Field{typed(a, "number")}, []string{""}},
		{"two fields of two types", plan("Parcel number", "1", "Voucher", "2"), []cua.Field{a, typed(b, "number")}, []string{"", ""}},
		{"two fields of two forms", plan("Parcel number", "1", "Voucher", "2"), []cua.Field{a, form(b, "g")}, []string{"", ""}},
		{"a secret goes nowhere by order", plan("Voucher", "<secret:V>"), []cua.Field{a}, []string{""}},
		{"nor does what its label calls one", plan("PIN", "1234"), []cua.Field{a}, []string{""}},
		{"a password field takes nothing by order", plan("Voucher", "2"), []cua.Field{typed(a, "password")}, []string{""}},
		{"nor does a card's", plan("Voucher", "2"), []cua.Field{with(a, func(f *cua.Field) { f.Autocomplete = "cc-name" })}, []string{""}},
		{"a box is no such field", plan("Voucher", "yes"), []cua.Field{typed(a, "checkbox")}, []string{""}},
		{"a closed field is none", plan("Voucher", "2"), []cua.Field{with(a, func(f *cua.Field) { f.ReadOnly = true })}, []string{""}},
		{"a label that names another place", plan("2nd field", "2"), []cua.Field{a}, []string{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := state(c.task, steps(page(c.fields...)))
			for i, want := range c.want {
				if v := got.Values[i]; v.Field != want {
					t.Errorf("%q: field %q with score %.2f, want %q", v.Label, v.Field, v.Score, want)
				}
			}
		})
	}
	h := steps(page(a, b), page(holding(a, "1"), b))
	got := state(plan("Parcel number", "1", "Voucher", "2"), h).Values
	if !got[0].Landed || got[1].Field != "b" || got[1].Landed {
		t.Errorf("the second one stays where it was once the first is in: %+v", got)
	}
}

// TestMatchWhatAListShows: the name of a button that opens a list may be the option that it shows. That is no
// name.
func TestMatchWhatAListShows(t *testing.T) {
	list := with(in("l", ""), func(f *cua.Field) {
		f.Role, f.Tag, f.Type, f.Editable = "combobox", "button",
			"submit", false
	})
	named := func(name string,
		change func(*cua.Field)) cua.Field {
		f := list
		f.Name = name
		change(&f)
		return f
	}
	for _, c := range []struct {
		name string
		f    cua.Field
		want string
	}{
		{"the chosen option", named("City", func(f *cua.Field) { f.Selected = "City" }), ""},
		{"the value", named("City", func(f *cua.Field) { f.ValueDigest = cua.Digest("City") }), ""},
		{"one of the options", named("City", func(f *cua.Field) { f.Options = []string{"City", "Country"} }), ""},
		{"a name of its own", named("City", func(f *cua.Field) { f.Selected = "Bergen" }), "l"},
		{"the label beside it", named("Bergen", func(f *cua.Field) { f.Selected, f.Label = "Bergen", "City" }), "l"},
		{"text typed into a field that has that name", holding(in("l", "City"), "City"), "l"},
	} {
		if got := state(plan("City", "Oslo"), steps(page(c.f))).Values[0].Field; got != c.want {
			t.Errorf("%s: field %q, want %q", c.name, got, c.want)
		}
	}
}

// TestMatchOpposites: words that a label has in common with its opposite say nothing.
func TestMatchOpposites(t *testing.T) {
	secret := func(id, label string) cua.Field { return typed(in(id, label), "password") }
	auto := func(f cua.Field, a string) cua.Field { f.Autocomplete = a; return f }
	attr := func(f cua.Field, a string) cua.Field { f.NameAttr = a; return f }
	for _, c := range []struct {
		name   string
		task   cua.Task
		fields []cua.Field
		want   []string
	}{
		{"a new password is no old one", plan("New password", "x"), []cua.Field{secret("o", "Old password")}, []string{""}},
		{"nor the current one", plan("New password", "x"), []cua.Field{secret("o", "Current password")}, []string{""}},
		{"nor by what the browser is told", plan("New password", "x"), []cua.Field{auto(secret("o", "Password"), "current-password")}, []string{""}},
		{"nor by a hint in the field", plan("New password", "x"), []cua.Field{with(secret("o", ""), func(f *cua.Field) { f.Placeholder = "Current password" })}, []string{""}},
		{"each its own", plan("New password", "x", "Current password", "y"), []cua.Field{secret("o", "Old password"), secret("n", "New password")}, []string{"n", "o"}},
		{"the browser is told that a login asks for the current one", plan("Password", "x"), []cua.Field{auto(secret("p", "Password"), "current-password")}, []string{"p"}},
		{"a password alone is no old one", plan("Password", "x"), []cua.Field{secret("o", "Old password")}, []string{""}},
		{"but may be the new one", plan("Password", "x"), []cua.Field{secret("n", "Choose a new password")}, []string{"n"}},
		{"a password is none of another kind", plan("Password", "x"), []cua.Field{attr(secret("d", "Database password"), "password")}, []string{""}},
		{"rules for a password are no kind", plan("Password", "x"), []cua.Field{secret("p", "Password (at least 8 characters)")}, []string{"p"}},
		{"nor is what a label links to", plan("Password", "x"), []cua.Field{secret("p", "Password Forgot your password?")}, []string{"p"}},
		{"nor the account", plan("Password", "x"), []cua.Field{secret("p", "Account password")}, []string{"p"}},
		{"a label in an unknown language", plan("Password", "x"), []cua.Field{secret("p", "Salasana")}, []string{"p"}},
		{"the least is not the most", plan("Minimum price", "1"), []cua.Field{in("m", "Maximum price")}, []string{""}},
		{"in short", plan("Min price", "1", "Max price", "2"), []cua.Field{in("b", "Price max"), in("a", "Price min")}, []string{"a", "b"}},
		{"out is not back", plan("Departure airport", "OSL"), []cua.Field{in("r", "Arrival airport")}, []string{""}},
		{"in is not out", plan("Check-in date", "2026-01-31"), []cua.Field{in("o", "Check-out date")}, []string{""}},
		{"from is not to", plan("From city", "Oslo"), []cua.Field{in("t", "City to")}, []string{""}},
		{"home is not work", plan("Home phone", "5551234567"), []cua.Field{in("w", "Work phone")}, []string{""}},
		{"billing is not shipping", plan("Billing city", "Oslo"), []cua.Field{in("s", "Shipping city")}, []string{""}},
		{"what is not told apart may be either", plan("City", "Oslo"), []cua.Field{in("s", "Shipping city")}, []string{"s"}},
		{"a hint does not contradict a label", plan("Minimum price", "1"), []cua.Field{with(in("m", "Minimum price"), func(f *cua.Field) { f.Placeholder = "max 100" })}, []string{"m"}},
		{"one's own name is not the recipient's", plan("First name", "Ada"), []cua.Field{in("r", "Recipient's first name")}, []string{""}},
		{"one's own number is not for an emergency", plan("Phone", "5551234567"), []cua.Field{in("e", "Emergency contact phone")}, []string{""}},
		{"the recipient's is", plan("Recipient first name", "Ada"), []cua.Field{in("r", "Recipient's first name")}, []string{"r"}},
		{"in a form about the recipient", plan("Recipient's first name", "Ada"), []cua.Field{in("r", "First name")}, []string{"r"}},
		{"a mother is no father", plan("Mother's first name", "Ada"), []cua.Field{in("f", "Father's first name")}, []string{""}},
		{"an address is not for the newsletter", plan("E-mail", "a@b.c"), []cua.Field{typed(in("n", "E-mail for our newsletter"), "email")}, []string{""}},
		{"by a hidden name", plan("E-mail", "a@b.c"), []cua.Field{attr(typed(in("n", "Your e-mail"), "email"), "newsletter_email")}, []string{""}},
		{"one that is meant for it", plan("Newsletter e-mail", "a@b.c"), []cua.Field{typed(in("n", "E-mail for our newsletter"), "email")}, []string{"n"}},
		{"a goal that is about it", aimed("Subscribe to the newsletter.", plan("E-mail", "a@b.c")), []cua.Field{typed(in("n", "E-mail for our newsletter"), "email")}, []string{"n"}},
		{"a box that the value names", plan("Extras", "Newsletter"), []cua.Field{typed(in("n", "Newsletter"), "checkbox")}, []string{"n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := state(c.task, steps(page(c.fields...)))
			for i, want := range c.want {
				if v := got.Values[i]; v.Field != want {
					t.Errorf("%q: field %q with score %.2f, want %q", v.Label, v.Field, v.Score, want)
				}
			}
		})
	}
}

func aimed(goal string, task cua.Task) cua.Task { task.Goal = goal; return task }

// TestMatchAmbiguous: fields that look alike, in the order of the page and in another.
func TestMatchAmbiguous(t *testing.T) {
	form := func(f cua.Field, id string) cua.Field { f.Form = id; return f }
	framed := func(f cua.Field, frame string) cua.Field { f.Frame = frame; return f }
	for _, c := range []struct {
		name   string
		task   cua.Task
		fields []cua.Field
		want   []string
	}{
		{"the form that takes the other values too", plan("Name", "Ada", "Password", "x"),
			[]cua.Field{form(in("n1", "Name"), "news"), form(in("n2", "Name"), "join"),
				form(typed(in("p", "Password"), "password"), "join")}, []string{"n2", "p"}},
		{"forms of two frames are two", plan("Name", "Ada", "Password", "x"),
			[]cua.Field{in("n1", "Name"), framed(in("n2", "Name"), "1"),
				framed(typed(in("p", "Password"), "password"), "1")}, []string{"n2", "p"}},
		{"an exact label in another form all the same", plan("City", "Oslo", "Name", "Ada"),
			[]cua.Field{form(in("c", "City"), "a"), form(in("n", "Name"), "b"),
				form(in("h", "Home town"), "b")}, []string{"c", "n"}},
		{"first in brackets", plan("Last name", "Li", "First name", "Ada"), []cua.Field{in("f", "Name (first)"), in("l", "Name (last)")}, []string{"l", "f"}},
		{"a card is no telephone", plan("Card number", "4111111111111111", "Phone number", "5551234567"), []cua.Field{in("p", "Phone number"), in("c", "Card number")}, []string{"c", "p"}},
		{"the confirmation is queued first", plan("Confirm password", "x", "Password", "x"),
			[]cua.Field{typed(in("p", "Password"), "password"), typed(in("c", "Type it again"), "password")},
			[]string{"c", "p"}},
		{"user id and e-mail", plan("Email", "a@b.c", "Username", "ada"), []cua.Field{in("u", "User ID"), in("e", "Login e-mail")}, []string{"e", "u"}},
		{"address lines the other way round", plan("Address line 2", "Flat 4", "Address line 1", "Mill 1"), []cua.Field{in("a", "Street address"), in("b", "Apartment, suite")}, []string{"b", "a"}},
		{"yes in two groups goes by the group", plan("Newsletter", "yes"), []cua.Field{radio("p", "Yes", "phone"), radio("n", "Yes", "newsletter")}, []string{"n"}},
		{"yes alone names no group", plan("Insurance", "yes"), []cua.Field{radio("p", "Yes", "q1")}, []string{""}},
		{"a day for a calendar", plan("Arrival", "2026-01-31"), []cua.Field{with(in("d", "Arrival"), func(f *cua.Field) { f.ReadOnly, f.Editable = true, false })}, []string{"d"}},
		{"no word for a calendar", plan("Arrival", "soon"), []cua.Field{with(in("d", "Arrival"), func(f *cua.Field) { f.ReadOnly, f.Editable = true, false })}, []string{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, fields := range [][]cua.Field{c.fields, reversed(c.fields)} {
				got := state(c.task, steps(page(fields...)))
				for i, want := range c.want {
					if v := got.Values[i]; v.Field != want {
						t.Errorf("%q: field %q with score %.2f, want %q", v.Label, v.Field, v.Score, want)
					}
				}
			}
		})
	}
}

func reversed(fields []cua.Field) []cua.Field {
	out := slices.Clone(fields)
	slices.Reverse(out)
	return out
}

func radio(id, label, group string) cua.Field {
	return cua.Field{ID: id, Label: label, Name: label, Role: "radio", Tag: "input", Type: "radio",
		NameAttr: group, Options: []string{"Small", "Large"}}
}

func TestConfirmation(t *testing.T) {
	first, second := typed(in("p", "Password"), "password"), typed(in("c", "Confirm password"), "password")
	for _, c := range []struct {
		name   string
		task   cua.Task
		fields []cua.Field
		want   []string // label and field
	}{
		{"takes the password as well", plan("Password", "x"), []cua.Field{first, second}, []string{"Password p", "Confirm Password c"}},
		{"in another wording", plan("Password", "x"), []cua.Field{first, with(second, func(f *cua.Field) { f.Label, f.Name = "Re-enter your password", "" })}, []string{"Password p", "Confirm Password c"}},
		{"by its number", plan("Password", "x"), []cua.Field{first, typed(bare("c", func(f *cua.Field) { f.NameAttr = "password2" }), "password")}, []string{"Password p", "Confirm Password c"}},
		{"has a value of its own in the plan", plan("Password", "x", "Repeat password", "y"), []cua.Field{first, second}, []string{"Password p", "Repeat password c"}},
		{"of an e-mail", plan("Email", "a@b.c"), []cua.Field{in("e", "Email"), in("c", "Confirm e-mail")}, []string{"Email e", "Confirm Email c"}},
		{"of the new password, whichever is planned first", plan("Old password", "x", "New password", "y"), []cua.Field{typed(in("o", "Old password"), "password"), typed(in("n", "New password"), "password"), second},
			[]string{"Old password o", "New password n", "Confirm New password c"}},
		{"of the new password by its name", plan("Password", "x", "New password", "y"), []cua.Field{typed(in("n", "New password"), "password"), typed(in("c", "Confirm new password"), "password")},
			[]string{"Password ", "New password n", "Confirm New password c"}},
		{"of something that is not planned", plan("City", "Oslo"), []cua.Field{in("e", "City"), second}, []string{"City e"}},
		{"the first never takes the second's place", plan("Password", "x"), []cua.Field{second}, []string{"Password ", "Confirm Password c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, v := range state(c.task, steps(page(c.fields...))).Values {
				got = append(got, v.Label+" "+v.Field)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	gone := state(plan("Password", "x"), steps(page(first, second), page(in("a", "City"))))
	if len(gone.Values) != 1 {
		t.Errorf("a confirmation that is out of sight and empty is no longer wanted: %+v", gone.Values)
	}
}

// A radio button is found by the question of its group and the option that the value names.
func TestRadioButtonsByTheirGroup(t *testing.T) {
	radio := func(id, group, attr, label string, options ...string) cua.Field {
		return cua.Field{ID: id, Label: label, Name: label, Group: group, NameAttr: attr, Role: "radio",
			Tag: "input", Type: "radio", Form: "f", Options: options}
	}
	size := func(attr string) []cua.Field {
		o := []string{"Small (30 cm)", "Large (42 cm)"}
		return []cua.Field{radio("s", "Size", attr, o[0], o...), radio("l", "Size", attr, o[1], o...)}
	}
	news := []cua.Field{radio("y", "Newsletter", "n", "Yes", "Yes", "No"),
		radio("n", "Newsletter", "n", "No", "Yes", "No")}
	for _, row := range []struct {
		name, label, value string
		fields             []cua.Field
		want               string
	}{
		{"by the legend", "Size", "Large (42 cm)", size("x1"), "l"},
		{"by the words that the option begins with", "Size", "large", size("x1"), "l"},
		{"in other words", "Cup size", "small", size("x1"), "s"},
		{"an option that is none of the group", "Size", "Medium", size("x1"), ""},
		{"another question", "Colour", "large", size("x1"), ""},
		{"without a name attribute", "Size", "large", size(""), "l"},
		{"a question with yes and no: yes", "Newsletter", "yes", news, "y"},
		{"a question with yes and no: no", "Newsletter", "no", news, "n"},
		{"beside a field of text of that name", "Size", "Large (42 cm)", append([]cua.Field{in("t", "Hat size")}, size("x1")...), "l"},
		{"two groups with the same options", "Newsletter", "no", append([]cua.Field{radio("a", "Gift", "g", "Yes", "Yes", "No"), radio("b", "Gift", "g", "No", "Yes", "No")}, news...), "n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			task := plan(row.label, row.value)
			if got := state(task, steps(page(row.fields...))).Values[0].Field; got != row.want {
				t.Fatalf("%q, want %q", got, row.want)
			}
			if row.want == "" {
				return
			}
			for i := range row.fields { // whichever of the group is clicked
				f := row.fields[i]
				r := review(t, ForceFill{DefaultConfig()}, turn(task, steps(page(row.fields...))), onto(f))
				group := f.Group == groupOf(row.fields, row.want)
				if replaced := r.Verdict == cua.Replace; replaced != (group && f.ID != row.want) ||
					replaced && r.Action.Into != row.want {
					t.Errorf("a click on %s: %+v", f.ID, r)
				}
			}
		})
	}
}
