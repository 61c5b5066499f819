package formctl

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
)

// given writes extracted values as "label=value" in their order.
func given(goal string) []string {
	var out []string
	for _, v := range Extract(goal) {
		out = append(out, v.Label+"="+v.Value)
	}
	return out
}

func TestExtract(t *testing.T) {
	for _, c := range []struct {
		goal string
		want []string
	}{
		// lines
		{"Open an account.\nUsername: alice\nPassword: s3cret!\nThen sign in.", []string{"Username=alice", "Password=s3cret!"}},
		{"- First name: Ada\n- Last name: Lovelace\n- City: St. Albans", []string{"First name=Ada", "Last name=Lovelace", "City=St. Albans"}},
		{"1. E-mail: ada@x.example\n2) Phone: +47 22 33 44 55", []string{"E-mail=ada@x.example", "Phone=+47 22 33 44 55"}},
		{"Order these shirts:\nColour: dark blue\nSize: XL\nQuantity: 3", []string{"Colour=dark blue", "Size=XL", "Quantity=3"}},
		{"City = Oslo\nCountry = Norway", []string{"City=Oslo", "Country=Norway"}},
		{"**Company name:** Acme Ltd", []string{"Company name=Acme Ltd"}},
		{"Message: Hello, I would like a quote: two chairs, one table.", []string{"Message=Hello, I would like a quote: two chairs, one table."}},
		{"Street address: 12 Mill Lane, Flat 4", []string{"Street address=12 Mill Lane, Flat 4"}},
		{"Password: \"correct horse battery\"", []string{"Password=correct horse battery"}},
		{"Zip code: SW1A 1AA", []string{"Zip code=SW1A 1AA"}},
		{"Date of birth: 12 May 1990", []string{"Date of birth=12 May 1990"}},
		{"Password: <secret:LOGIN>", []string{"Password=<secret:LOGIN>"}},
		// within a sentence
		{"Sign in with username: alice, password: s3cret and press Sign in.", []string{"username=alice", "password=s3cret"}},
		{"Sign in with username: alice and password: s3cret.", []string{"username=alice", "password=s3cret"}},
		{"Register (email: ada@x.example; city: New York; zip: 10001).", []string{"email=ada@x.example", "city=New York", "zip=10001"}},
		{"Fill in the form – first name: Ada, last name: Lovelace, then press Send.", []string{"first name=Ada", "last name=Lovelace"}},
		{`Book with name: "Ada, Countess", phone: 555-123-4567.`, []string{"name=Ada, Countess", "phone=555-123-4567"}},
		{"Username: alice / Password: s3cret", []string{"Username=alice", "Password=s3cret"}},
		{"Use user id = a17 and password = x9!y to get in.", []string{"user id=a17", "password=x9!y"}},
		// value into label
		{`Type "alice" into the username field.`, []string{"username=alice"}},
		{`Enter "12" in the volume box and press OK.`, []string{"volume=12"}},
		{"Enter alice into the user name field, then s3.", []string{"user name=alice"}},
		{"Write “Café Olé” in the company name field.", []string{"company name=Café Olé"}},
		{"put 'Oslo' in the city field", []string{"city=Oslo"}},
		{`type "x@y.example" as the e-mail, then press Subscribe`, []string{"e-mail=x@y.example"}},
		{`Enter "Ada" as first name and "Lovelace" as last name.`, []string{"first name=Ada"}},
		{"Fill in Oslo for the city.", []string{"city=Oslo"}},
		{`Check the 3rd radio button and enter the number "43" into the 2nd textbox.`, []string{"2nd textbox=43"}},
		{`Enter the text "a b" into the last field and the word x into the name field.`, []string{"last field=a b"}},
		{`Type "x" in the 2nd and go on.`, nil},
		{"Enter 04/15/2018 as the date and hit submit.", []string{"date=04/15/2018"}},
		{"Enter 8:35 PM as the time and press submit.", []string{"time=8:35 PM"}},
		{"Type 7 p.m. into the arrival time, then press Next.", []string{"arrival time=7 p.m."}},
		{"Enter 15 March 2026 as the departure date.", []string{"departure date=15 March 2026"}},
		{"Put March 3rd, 2026 in the start date field.", []string{"start date=March 3rd, 2026"}},
		{`Type "KANESHA" in all lower case letters in the text input and press Submit.`, []string{"text=kanesha"}},
		{`Enter "oslo" in upper case into the city field.`, []string{"city=OSLO"}},
		{`Type "no" in capital letters as the answer field.`, []string{"answer=NO"}},
		{`Type "ASIA" in the text field.`, []string{"text=ASIA"}},
		{`Enter the username "cierra" and the password "11L" into the text fields and press login.`, []string{"username=cierra", "password=11L"}},
		{`Enter the password "DnS" into both text fields and press submit.`, []string{"password=DnS"}},
		// label with value
		{"Set the start date to 2026-03-15.", []string{"start date=2026-03-15"}},
		{"Set the start date to 3 March 2026.", []string{"start date=3 March 2026"}},
		{"Set the time to 8:35 PM and save.", []string{"time=8:35 PM"}},
		{`Fill the city field with "Oslo" and the rest as you like.`, []string{"city=Oslo"}},
		{`Fill in the email with "ada@x.example".`, []string{"email=ada@x.example"}},
		{"Set the delay field to 30.", []string{"delay=30"}},
		{`Set the country to "Norway".`, []string{"country=Norway"}},
		{`Fill the postcode field with 0150, please.`, []string{"postcode=0150"}},
		// choosing
		{`Select "Norway" from the country list.`, []string{"country=Norway"}},
		{"Choose Norway as the country and press Save.", []string{"country=Norway"}},
		{`Pick 'Large' in the size drop-down.`, []string{"size=Large"}},
		// signing in
		{"Log in as alice / s3cret and open the reports.", []string{"Username=alice", "Password=s3cret"}},
		{"log in as alice/s3cret", []string{"Username=alice", "Password=s3cret"}},
		{"Sign in as bob with password hunter2.", []string{"Username=bob", "Password=hunter2"}},
		{"Sign in as bob with the password \"two words\".", []string{"Username=bob", "Password=two words"}},
		{"Log in with username alice and password s3cret, then log out.", []string{"Username=alice", "Password=s3cret"}},
		{"Create an account with the e-mail ada@x.example and the password tr0ub4dor.", []string{"e-mail=ada@x.example", "password=tr0ub4dor"}},
		{`Sign up with the name "Ada Lovelace", the email "ada@x.example" and the password "a b c".`, []string{"name=Ada Lovelace", "email=ada@x.example", "password=a b c"}},
		{"Subscribe with the email ada@x.example.", []string{"email=ada@x.example"}},
		{"Log in using my user name alice and my pin 4711.", []string{"user name=alice", "pin=4711"}},
		// boxes
		{`Fill in the city field with "Oslo", tick "I accept the terms" and press "Send".`, []string{"city=Oslo", "I accept the terms=yes"}},
		{`Untick "Newsletter", then save.`, []string{"Newsletter=no"}},
		{`Save with the box "Remember me" left as it is; tick the box "Gift wrap".`, []string{"Gift wrap=yes"}},
		// JSON
		{`Fill in the form: {"First name": "Ada", "Age": 36, "Terms": true, "Note": null}`, []string{"First name=Ada", "Age=36", "Terms=yes"}},
		{`Use [{"label": "City", "value": "Oslo"}, {"label": "Zip", "value": "0150"}].`, []string{"City=Oslo", "Zip=0150"}},
		{"Fields:\n{\n  \"Username\": \"alice\",\n  \"Password\": \"a\\\"b\"\n}\nPress Send.", []string{"Username=alice", `Password=a"b`}},
	} {
		if got := given(c.goal); !slices.Equal(got, c.want) {
			t.Errorf("%q\n\tgives %q\n\twant  %q", c.goal, got, c.want)
		}
	}
}

// TestExtractNothing: prose gives no values, however much it sounds like fields.
func TestExtractNothing(t *testing.T) {
	for _, goal := range []string{
		"",
		`Press "Next" until the page says "Page 9 of 14".`,
		"Open the settings and change the password.",
		"Check that the user password and the password field match.",
		"Reset the password with the password reset link.",
		"Find out how many users there are.",
		"Note: the page is slow.",
		"Goal: sign up for the newsletter",
		"Step 1: open the page\nStep 2: press Save",
		"Important: do not press Delete.",
		"Go to http://localhost:8080/login: it is the login page.",
		"At 10:30 the shop opens. Tell me the name of the owner.",
		"Set the quantity to 3 with the plus button.",
		"Set the volume to 30.",
		`Check "Spam" for new mail.`,
		`Do not tick "Newsletter".`,
		`Delete the user "bob".`,
		`Check that the name "Ada" is shown.`,
		`Make sure that the email "ada@x.example" is in the list.`,
		`Check the list and type "x" into the name field only if it is missing.`,
		`Do not type "alice" into the username field.`,
		`Never enter "secret" in the password field.`,
		"Log in as a guest.",
		"Log in as usual.",
		"Sign in with Google / Apple.",
		"password: remember to write it down",
		"Log in as admin/editor if you can.",
		"Sign in with your username and password.",
		"Sign in with the username and the password that you were given.",
		"Email: you will find it in the header",
		"Password: see the note on the desk",
		"Username: the one of the last order",
		"Email: ___\nPhone: ...",
		"Name: <your name>",
		"Username: [username]",
		"Email bob@x.example about the order.",
		"Check the email from bob@x.example and open it.",
		"Send an email to bob@x.example.",
		`Put "milk" in the cart.`,
		`Type "exit" into it.`,
		"Select all from the list.",
		"Choose one of the countries.",
		"Pick any in the country list.",
		`Open the page "Contact" and read the phone number.`,
		`Search for "red shoes" and open the first result.`,
		"Enter the building and write down the city.",
		"Fill in the form with the data of the last order.",
		"Fill in the name with the text above.",
		"What is the user name: alice or bob? Tell me.",
		"The form asks for address: street, city and country.",
		"Ship to address: 12 Mill Lane, Eastport.",
		`Data: {"a": {"b": 1}}`,
		"Colours: [1, 2, 3]",
		"It's Ada's page, isn't it? Close it.",
		"If the page says \"Password: wrong\", press Back.",
		"Wait for the message: it takes a minute.",
		"Read the terms; the country list is long.",
		"Use the search field to find a bike.",
		"Warning: username is case-sensitive.",
		"For example, enter \"Ada\" in the first name field.",
		"Press the + button five times.",
		"Enter the 10:30 train as the time allows.",
		"Put it off to a later date.",
		"Enter today as the date.",
		"Set the date to the first of the month.",
		"Set the clock to 10:30 PM.",
		"Enter 40/40/2018 as the date.",
		"Enter 10:75 as the time.",
		"Write a note in capital letters in the margin.",
		"Type in lower case letters.",
		"Do not enter 04/15/2018 as the date.",
		"Find the flight at 8:35 PM on 04/15/2018.",
		"Select Arielle from the list and click Submit.",
		"Choose Settings from the menu.",
		"The password must have 8 characters: letters and digits.",
	} {
		if got := given(goal); got != nil {
			t.Errorf("%q gives %q, want nothing", goal, got)
		}
	}
}

func TestPlan(t *testing.T) {
	for _, c := range []struct {
		name    string
		task    cua.Task
		given   []cua.PlanValue
		goal    string
		fields  string
		secrets map[string]string
	}{
		{"a password in the text", cua.Task{Goal: "Log in as alice / s3cret and say s3cret, not s3crets."}, nil,
			"Log in as alice / <secret:PASSWORD> and say <secret:PASSWORD>, not s3crets.", "Username=alice Password=<secret:PASSWORD>", map[string]string{"PASSWORD": "s3cret"}},
		{"a short one is taken from its place only", cua.Task{Goal: "Sign in as bob with pin 12 on line 12."}, nil,
			"Sign in as bob with pin <secret:PASSWORD> on line 12.", "Username=bob Password=<secret:PASSWORD>", map[string]string{"PASSWORD": "12"}},
		{"one that is a word of labels", cua.Task{Goal: "Username: bob\nPassword: \"password\""}, nil,
			"Username: bob\nPassword: \"<secret:PASSWORD>\"", "Username=bob Password=<secret:PASSWORD>", map[string]string{"PASSWORD": "password"}},
		{"given by name", cua.Task{Goal: "Password: <secret:LOGIN>"}, nil, "Password: <secret:LOGIN>", "Password=<secret:LOGIN>", map[string]string{}},
		{"in JSON, escaped", cua.Task{Goal: `{"Password": "a\"bcd"}`}, nil, `{"Password": "<secret:PASSWORD>"}`, "Password=<secret:PASSWORD>", map[string]string{"PASSWORD": `a"bcd`}},
		{"values that came with the task", cua.Task{Goal: "Type \"Oslo\" into the city field; hunter2 it is.", Fields: []cua.PlanValue{{Label: "Password", Value: "hunter2"}}}, nil,
			"Type \"Oslo\" into the city field; <secret:PASSWORD> it is.", "Password=<secret:PASSWORD>", map[string]string{"PASSWORD": "hunter2"}},
		{"the same once more, and another one", cua.Task{Fields: []cua.PlanValue{{Label: "Password", Value: "hunter2"}, {Label: "Confirm password", Value: "hunter2"}, {Label: "New password", Value: "hunter3"}}}, nil,
			"", "Password=<secret:PASSWORD> Confirm password=<secret:PASSWORD> New password=<secret:PASSWORD_2>", map[string]string{"PASSWORD": "hunter2", "PASSWORD_2": "hunter3"}},
		{"what a brain took out", cua.Task{Goal: "My pet is called Rex and my pin is 9911."}, []cua.PlanValue{{Label: "Pet", Value: "Rex"}, {Label: "PIN", Value: "9911"}, {Label: "Age", Value: "7"}, {Label: "", Value: "Rex"}},
			"My pet is called Rex and my pin is <secret:PIN>.", "Pet=Rex PIN=<secret:PIN>", map[string]string{"PIN": "9911"}},
		{"nothing", cua.Task{Goal: "Press Next."}, nil, "Press Next.", "", map[string]string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			secrets := map[string]string{}
			got := Plan(c.task, c.given, secrets)
			var fields []string
			for _, f := range got.Fields {
				fields = append(fields, f.Label+"="+f.Value)
			}
			if got.Goal != c.goal || strings.Join(fields, " ") != c.fields ||
				!maps.Equal(secrets, c.secrets) {
				t.Errorf("%q with %q and %v, want %q with %q and %v", got.Goal, fields, secrets, c.goal,
					c.fields, c.secrets)
			}
		})
	}
}

func FuzzExtract(f *testing.F) {
	for _, s := range []string{"Username: alice\nPassword: x", `{"a":"b"}`, `[{"label":"x","value":"y"}]`, "log in as a / b", `type "x" into the city field`, "«é» = \x00\x01", "a: “b” 'c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, goal string) {
		values := Extract(goal)
		for _, v := range values {
			if v.From < 0 || v.To < v.From || v.To > len(goal) || strings.TrimSpace(v.Value) == "" ||
				len(cua.LabelWords(v.Label)) == 0 {
				t.Fatalf("%q gives %+v", goal, v)
			}
			if in := goal[v.From:v.To]; in != v.Value && strings.ToLower(in) != v.Value &&
				strings.ToUpper(in) != v.Value && strings.TrimSpace(in) != v.Label &&
				!strings.ContainsAny(goal, "{[") {
				t.Fatalf("%q gives %q from %q", goal, v.Value, in)
			}
			if !utf8.ValidString(v.Value) {
				t.Fatalf("%q gives %q", goal, v.Value)
			}
		}
		secrets := map[string]string{}
		sealed := Plan(cua.Task{Goal: goal}, nil, secrets)
		if len(sealed.Fields) != len(values) {
			t.Fatalf("%q: %d values, %d fields", goal, len(values), len(sealed.Fields))
		}
		for _, v := range sealed.Fields {
			if cua.SaysSecret(v.Label) && cua.SecretName(v.Value) == "" {
				t.Fatalf("%q leaves %+v in clear", goal, v)
			}
		}
	})
}
