package tuned

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
)

func trapTasks() []suites.Task {
	return slices.Concat(focusTraps(), rescueTraps(), gateTraps())
}

// focusTraps are those of loop recovery: where a press does nothing and the keyboard does.
func focusTraps() []suites.Task {
	return []suites.Task{
		{Name: "t1-login", Suite: "traps", About: "a login that an agent fails by clicking the field again and again", Solvable: true, MaxSteps: 30, Build: trapLogin},
		{Name: "t2-lone-field", Suite: "traps", About: "one field with a generic placeholder that no value's label matches", Solvable: true, MaxSteps: 30, Build: loneField},
		{Name: "t3-tab-only", Suite: "traps", About: "the second field is reached by Tab alone; its look-alike swallows clicks", Solvable: true, MaxSteps: 30, Build: tabOnly},
		{Name: "t4-dead-submit", Suite: "traps", About: "the button is dead to the mouse and leaves the focus in the field; Return sends", Solvable: true, MaxSteps: 30, Build: deadSubmit(false)},
		{Name: "t5-dead-submit-blur", Suite: "traps", About: "the same, and nothing is focused after the press", Solvable: true, MaxSteps: 30, Build: deadSubmit(true)},
		{Name: "t6-dead-button", Suite: "traps", About: "a dead button on a frozen page: the right end is to stop early", MaxSteps: 30, Build: deadButton(false)},
		{Name: "t7-dead-button-clock", Suite: "traps", About: "the same beside a ticking clock and a spinner", MaxSteps: 30, Build: deadButton(true)},
		{Name: "t8-overlay", Suite: "traps", About: "a transparent layer eats the click until its notice is closed", Solvable: true, MaxSteps: 30, Build: overlay},
	}
}

func trapLogin(r *rand.Rand) suites.Variant {
	p := suites.Somebody(r)
	list := []suites.Asked{suites.Typed("Email", "email", "email", p.Email),
		suites.Typed("Password", "password", "password", p.Password)}
	v := plain(suites.Page{Site: "Tideway Energy", Section: "My account", Title: "Log in – Tideway Energy",
		Heading: "Log in",
		Intro:   "Enter your details to see your meter readings.", Submit: "Log in",
		Thanks: "Hello " + p.First + ", you are logged in."}, list,
		fmt.Sprintf(`Log in with the email %s and the password %s: fill in both fields and press "Log in".`, p.Email, p.Password))
	v.Refuse = checked(suites.Wanted(list), "These details are not right.")
	return v
}

func loneField(r *rand.Rand) suites.Variant {
	number := fmt.Sprintf("PX-%d", suites.Between(r, 10000, 99999))
	list := []suites.Asked{{Input: suites.Input{Label: "Parcel number", Name: "q", Type: "text",
		Placeholder: "Type here…", Bare: true}, Value: number}}
	return plain(suites.Page{Site: "Swift Post", Section: "Tracking", Title: "Where is it? – Swift Post",
		Heading: "Where is it?",
		Intro:   "We will find it for you.", Submit: "Continue", Thanks: "Found: " + number +
			" is at the depot."}, list,
		fmt.Sprintf(`Find the parcel with the number %s: enter it and press "Continue".`, number))
}

func tabOnly(r *rand.Rand) suites.Variant {
	p := suites.Somebody(r)
	ward := suites.Pick(r, "Maple North", "Cedar South", "Birch East", "Rowan West")
	list := []suites.Asked{suites.Typed("Email", "email", "email", p.Email)}
	hidden := suites.Text("Ward", "ward", ward)
	v := plain(suites.Page{Site: "Harbour Clinic", Section: "Visits", Title: "Plan a visit – Harbour Clinic",
		Heading: "Plan a visit",
		Intro:   "Whom do you visit, and how do we reach you?", Submit: "Continue", Hidden: hidden.Input,
		Thanks: "Your visit to " + ward + " is planned."}, list,
		fmt.Sprintf(`Plan a visit to the ward %s with the email %s: fill in both fields and press "Continue".`, ward, p.Email))
	both := []suites.Asked{list[0], hidden}
	v.File, v.Fields, v.Solved = "tabonly.html", suites.Values(both), suites.LastSent(suites.Wanted(both))
	v.Oracle = slices.Concat(suites.Filled(list), []cua.Scripted{suites.Key("Tab"), suites.Write(ward),
		suites.Press("Continue"), suites.Done("The visit is planned.")})
	return v
}

func deadSubmit(blurs bool) func(*rand.Rand) suites.Variant {
	return func(r *rand.Rand) suites.Variant {
		p := suites.Somebody(r)
		list := []suites.Asked{suites.Text("Full name", "name", p.First+" "+p.Last),
			suites.Typed("Email", "email", "email", p.Email)}
		v := plain(suites.Page{Site: "Garden Letters", Section: "Monthly",
			Title: "Subscribe – Garden Letters", Heading: "Subscribe",
			Intro: "One letter a month.", Submit: "Submit", Blurs: blurs,
			Thanks: "Thank you, " + p.First + "."}, list,
			fmt.Sprintf(`Subscribe %s %s with the email %s: fill in both fields and press "Submit".`, p.First, p.Last, p.Email))
		v.File = "deadsubmit.html"
		v.Oracle = slices.Concat(suites.Filled(list), []cua.Scripted{suites.Key("Return"),
			suites.Done("The form was sent.")})
		return v
	}
}

func deadButton(ticks bool) func(*rand.Rand) suites.Variant {
	return func(r *rand.Rand) suites.Variant {
		rows := []suites.Row{{Name: "Language", Value: suites.Pick(r, "English", "Norwegian", "German")},
			{Name: "Time zone", Value: suites.Pick(r, "Oslo", "Vienna", "Toronto")},
			{Name: "Reports", Value: suites.Pick(r, "weekly", "monthly")}}
		return suites.Variant{
			Goal: `Press "Save settings" so that the page says that the settings were saved. If that cannot be done, say so.`,
			File: "dead.html",
			Data: suites.Page{Site: "Pump Station 4", Section: "Console", Title: "Settings – Pump Station 4",
				Heading: "Settings",
				Intro:   "These settings have not been saved yet.", Submit: "Save settings", Ticks: ticks,
				Rows: rows},
			Oracle: []cua.Scripted{suites.Press("Save settings"),
				suites.GiveUp("The button does nothing: the settings cannot be saved.")},
		}
	}
}

func overlay(r *rand.Rand) suites.Variant {
	seat := fmt.Sprintf("%c%d", 'A'+rune(r.IntN(8)), suites.Between(r, 1, 24))
	return suites.Variant{
		Goal: `Press "Reserve seat". If a notice is in the way, close it first.`, Plan: thanked("the seat is reserved"),
		File: "overlay.html",
		Data: suites.Page{Site: "Lantern Theatre", Section: "Tickets", Title: "Your seat – Lantern Theatre",
			Heading: "Your seat",
			Intro:   "This seat is free.", Submit: "Reserve seat", Seat: seat,
			Thanks: "Seat " + seat + " is reserved.", Rows: []suites.Row{{Name: "Play",
				Value: suites.Pick(r, "The Tide Table", "Nine Chairs", "A Quiet Orchard")},
				{Name: "Seat", Value: seat}, {Name: "Price", Value: fmt.Sprintf("%d.00",
					suites.Between(r, 12, 60))}}},
		Oracle: []cua.Scripted{suites.Press("Close"), suites.Press("Reserve seat"),
			suites.Done("Seat " + seat + " is reserved.")},
		Solved: suites.LastSent(map[string]string{"seat": seat}),
	}
}
