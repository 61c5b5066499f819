package benchmarks

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

func formTasks() []Task {
	tasks := []Task{
		{Name: "login", Suite: "forms", About: "two labelled fields and a button", Solvable: true, MaxSteps: 20, build: loginTask},
		{Name: "signup", Suite: "forms", About: "validation, password confirmation, a box to tick", Solvable: true, MaxSteps: 26, build: signupTask},
		{Name: "address", Suite: "forms", About: "the region list depends on the country", Solvable: true, MaxSteps: 26, build: addressTask},
		{Name: "placeholders", Suite: "forms", About: "placeholders and no labels", Solvable: true, MaxSteps: 22, build: placeholdersTask},
	}
	return slices.Concat(tasks, chooseTasks(), whereTasks())
}

// plain is a form that is filled, sent by its button and done.
func plain(data page, list []asked, goal string) variant {
	data.Inputs = inputs(list)
	return variant{
		goal: goal, fields: values(list), file: "form.html", data: data,
		oracle: slices.Concat(filled(list), []cua.Scripted{press(data.Submit), done("The form was sent: " + data.Thanks)}),
		solved: lastSent(wanted(list)),
	}
}

// checked refuses any form that does not hold what is wanted, with one message.
func checked(want map[string]string, message string) func(map[string]string) string {
	right := lastSent(want)
	return func(sent map[string]string) string {
		if right(State{Sent: []map[string]string{sent}}) {
			return ""
		}
		return message
	}
}

func loginTask(r *rand.Rand) variant {
	p := somebody(r)
	list := []asked{text("Username", "username", p.user), typed("Password", "password", "password", p.password)}
	v := plain(page{Site: "Harbour Library", Section: "Members", Title: "Sign in – Harbour Library", Heading: "Sign in",
		Intro: "Sign in to see your loans.", Submit: "Sign in", Thanks: "Welcome back, " + p.first + "."}, list,
		fmt.Sprintf(`Sign in to the library with the username %s and the password %s: fill in both fields and press "Sign in".`, p.user, p.password))
	v.refuse = checked(wanted(list), "Wrong username or password.")
	return v
}

func signupTask(r *rand.Rand) variant {
	p := somebody(r)
	list := []asked{text("Full name", "name", p.first+" "+p.last), typed("Email", "email", "email", p.email),
		typed("Password", "password", "password", p.password), typed("Confirm password", "confirm", "password", p.password)}
	v := plain(page{Site: "Kiln & Clay", Section: "Pottery courses", Title: "Create an account – Kiln & Clay", Heading: "Create an account",
		Intro: "All fields are needed. The password has at least 8 characters.", Submit: "Create account",
		Thanks: "Your account was created, " + p.first + "."}, list,
		fmt.Sprintf(`Create an account for %s %s (%s) with the password %s, tick "I accept the terms" and press "Create account".`, p.first, p.last, p.email, p.password))
	v.file = "signup.html"
	v.fields = append(v.fields, cua.PlanValue{Label: "I accept the terms", Value: "yes"}) // as a user says it with --field
	v.oracle = slices.Concat(filled(list), []cua.Scripted{press("I accept the terms"), press("Create account"), done("The account was created.")})
	want := wanted(list)
	want["terms"] = "yes"
	v.solved = lastSent(want)
	return v
}

func addressTask(r *rand.Rand) variant {
	p := somebody(r)
	regions := map[string][]string{
		"Norway":  {"Agder", "Nordland", "Rogaland", "Vestland"},
		"Austria": {"Carinthia", "Salzburg", "Styria", "Tyrol"},
		"Canada":  {"Alberta", "Manitoba", "Ontario", "Quebec"},
	}
	country := pick(r, "Austria", "Canada", "Norway")
	region := pick(r, regions[country]...)
	list := []asked{text("Full name", "name", p.first+" "+p.last),
		text("Street", "street", fmt.Sprintf("%s %d", pick(r, "Mill Lane", "Orchard Road", "Station Street"), between(r, 2, 98))),
		text("City", "city", pick(r, "Eastport", "Glenmoor", "Sandvik")),
		{input{Label: "Country", Name: "country", Options: []string{"Austria", "Canada", "Norway"}}, country}}
	v := plain(page{Site: "Parcel Desk", Section: "Delivery", Title: "Delivery address – Parcel Desk", Heading: "Delivery address",
		Intro: "Where should the parcel go?", Submit: "Save address", Thanks: "The address was saved."}, list,
		fmt.Sprintf(`Enter the delivery address of %s %s (country %s, region %s) and press "Save address".`, p.first, p.last, country, region))
	v.file, v.data.Regions = "address.html", regions
	v.fields = append(v.fields, cua.PlanValue{Label: "Region", Value: region})
	v.oracle = slices.Concat(filled(list), []cua.Scripted{choose("Region", region), press("Save address"), done("The address was saved.")})
	want := wanted(list)
	want["region"] = region
	v.solved = lastSent(want)
	return v
}

func placeholdersTask(r *rand.Rand) variant {
	p := somebody(r)
	bare := func(label, name, kind, value string) asked {
		return asked{input{Label: label, Name: name, Type: kind, Placeholder: label, Bare: true}, value}
	}
	list := []asked{bare("First name", "f1", "text", p.first), bare("Company name", "f2", "text", p.company),
		bare("Phone", "f3", "tel", p.phone), bare("Your email", "f4", "email", p.email)}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	v := plain(page{Site: "Trade Fair", Section: "Visitors", Title: "Visitor badge – Trade Fair", Heading: "Visitor badge",
		Intro: "Tell us who is coming.", Submit: "Send", Thanks: "Your badge is on its way."}, list,
		fmt.Sprintf(`Order a visitor badge for %s of %s: fill in all fields and press "Send".`, p.first, p.company))
	return v
}
