package tuned

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
)

func formTasks() []suites.Task {
	tasks := []suites.Task{
		{Name: "login", Suite: "forms", About: "two labelled fields and a button", Solvable: true, MaxSteps: 20, Build: loginTask},
		{Name: "signup", Suite: "forms", About: "validation, password confirmation, a box to tick", Solvable: true, MaxSteps: 26, Build: signupTask},
		{Name: "address", Suite: "forms", About: "the region list depends on the country", Solvable: true, MaxSteps: 26, Build: addressTask},
		{Name: "placeholders", Suite: "forms", About: "placeholders and no labels", Solvable: true, MaxSteps: 22, Build: placeholdersTask},
	}
	return slices.Concat(tasks, chooseTasks(), whereTasks())
}

// plain is a form that is filled, sent by its button and done.
func plain(data suites.Page, list []suites.Asked, goal string) suites.Variant {
	data.Inputs = suites.Inputs(list)
	return suites.Variant{
		Goal: goal, Fields: suites.Values(list), File: "form.html", Data: data,
		Oracle: slices.Concat(suites.Filled(list), []cua.Scripted{suites.Press(data.Submit),
			suites.Done("The form was sent: " + data.Thanks)}),
		Solved: suites.LastSent(suites.Wanted(list)),
	}
}

// checked refuses any form that does not hold what is wanted, with one message.
func checked(want map[string]string, message string) func(map[string]string) string {
	right := suites.LastSent(want)
	return func(sent map[string]string) string {
		if right(suites.State{Sent: []map[string]string{sent}}) {
			return ""
		}
		return message
	}
}

func loginTask(r *rand.Rand) suites.Variant {
	p := suites.Somebody(r)
	list := []suites.Asked{suites.Text("Username", "username", p.User),
		suites.Typed("Password", "password", "password", p.Password)}
	v := plain(suites.Page{Site: "Harbour Library", Section: "Members", Title: "Sign in – Harbour Library",
		Heading: "Sign in",
		Intro:   "Sign in to see your loans.", Submit: "Sign in", Thanks: "Welcome back, " + p.First +
			"."}, list,
		fmt.Sprintf(`Sign in to the library with the username %s and the password %s: fill in both fields and press "Sign in".`, p.User, p.Password))
	v.Refuse = checked(suites.Wanted(list), "Wrong username or password.")
	return v
}

func signupTask(r *rand.Rand) suites.Variant {
	p := suites.Somebody(r)
	list := []suites.Asked{suites.Text("Full name", "name", p.First+" "+p.Last),
		suites.Typed("Email", "email", "email", p.Email),
		suites.Typed("Password", "password", "password", p.Password),
		suites.Typed("Confirm password", "confirm", "password", p.Password)}
	v := plain(suites.Page{Site: "Kiln & Clay", Section: "Pottery courses",
		Title: "Create an account – Kiln & Clay", Heading: "Create an account",
		Intro: "All fields are needed. The password has at least 8 characters.", Submit: "Create account",
		Thanks: "Your account was created, " + p.First + "."}, list,
		fmt.Sprintf(`Create an account for %s %s (%s) with the password %s, tick "I accept the terms" and press "Create account".`, p.First, p.Last, p.Email, p.Password))
	v.File = "signup.html"
	// as a user says it with --field
	v.Fields = append(v.Fields, cua.PlanValue{Label: "I accept the terms", Value: "yes"})
	v.Oracle = slices.Concat(suites.Filled(list), []cua.Scripted{suites.Press("I accept the terms"),
		suites.Press("Create account"), suites.Done("The account was created.")})
	want := suites.Wanted(list)
	want["terms"] = "yes"
	v.Solved = suites.LastSent(want)
	return v
}

func addressTask(r *rand.Rand) suites.Variant {
	p := suites.Somebody(r)
	regions := map[string][]string{
		"Norway":  {"Agder", "Nordland", "Rogaland", "Vestland"},
		"Austria": {"Carinthia", "Salzburg", "Styria", "Tyrol"},
		"Canada":  {"Alberta", "Manitoba", "Ontario", "Quebec"},
	}
	country := suites.Pick(r, "Austria", "Canada", "Norway")
	region := suites.Pick(r, regions[country]...)
	list := []suites.Asked{suites.Text("Full name", "name", p.First+" "+p.Last),
		suites.Text("Street", "street", fmt.Sprintf("%s %d", suites.Pick(r, "Mill Lane", "Orchard Road",
			"Station Street"), suites.Between(r, 2, 98))), suites.Text("City", "city",
			suites.Pick(r, "Eastport", "Glenmoor", "Sandvik")),
		{Input: suites.Input{Label: "Country", Name: "country", Options: []string{"Austria", "Canada", "Norway"}}, Value: country}}
	v := plain(suites.Page{Site: "Parcel Desk", Section: "Delivery", Title: "Delivery address – Parcel Desk",
		Heading: "Delivery address",
		Intro:   "Where should the parcel go?", Submit: "Save address",
		Thanks: "The address was saved."}, list,
		fmt.Sprintf(`Enter the delivery address of %s %s (country %s, region %s) and press "Save address".`, p.First, p.Last, country, region))
	v.File, v.Data.Regions = "address.html", regions
	v.Fields = append(v.Fields, cua.PlanValue{Label: "Region", Value: region})
	v.Oracle = slices.Concat(suites.Filled(list), []cua.Scripted{suites.Choose("Region", region),
		suites.Press("Save address"), suites.Done("The address was saved.")})
	want := suites.Wanted(list)
	want["region"] = region
	v.Solved = suites.LastSent(want)
	return v
}

func placeholdersTask(r *rand.Rand) suites.Variant {
	p := suites.Somebody(r)
	bare := func(label, name, kind, value string) suites.Asked {
		return suites.Asked{Input: suites.Input{Label: label, Name: name, Type: kind, Placeholder: label,
			Bare: true}, Value: value}
	}
	list := []suites.Asked{bare("First name", "f1", "text", p.First),
		bare("Company name", "f2", "text", p.Company),
		bare("Phone", "f3", "tel", p.Phone), bare("Your email", "f4", "email", p.Email)}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	v := plain(suites.Page{Site: "Trade Fair", Section: "Visitors", Title: "Visitor badge – Trade Fair",
		Heading: "Visitor badge",
		Intro:   "Tell us who is coming.", Submit: "Send", Thanks: "Your badge is on its way."}, list,
		fmt.Sprintf(`Order a visitor badge for %s of %s: fill in all fields and press "Send".`, p.First, p.Company))
	return v
}
