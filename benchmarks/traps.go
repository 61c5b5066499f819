package benchmarks

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

func trapTasks() []Task {
	return slices.Concat(focusTraps(), ladderTraps(), gateTraps())
}

// focusTraps are those of loop recovery: where a press does nothing and the keyboard does.
func focusTraps() []Task {
	return []Task{
		{Name: "t1-login", Suite: "traps", About: "a login that an agent fails by clicking the field again and again", Solvable: true, MaxSteps: 30, build: trapLogin},
		{Name: "t2-lone-field", Suite: "traps", About: "one field with a generic placeholder that no value's label matches", Solvable: true, MaxSteps: 30, build: loneField},
		{Name: "t3-tab-only", Suite: "traps", About: "the second field is reached by Tab alone; its look-alike swallows clicks", Solvable: true, MaxSteps: 30, build: tabOnly},
		{Name: "t4-dead-submit", Suite: "traps", About: "the button is dead to the mouse and leaves the focus in the field; Return sends", Solvable: true, MaxSteps: 30, build: deadSubmit(false)},
		{Name: "t5-dead-submit-blur", Suite: "traps", About: "the same, and nothing is focused after the press", Solvable: true, MaxSteps: 30, build: deadSubmit(true)},
		{Name: "t6-dead-button", Suite: "traps", About: "a dead button on a frozen page: the right end is to stop early", MaxSteps: 30, build: deadButton(false)},
		{Name: "t7-dead-button-clock", Suite: "traps", About: "the same beside a ticking clock and a spinner", MaxSteps: 30, build: deadButton(true)},
		{Name: "t8-overlay", Suite: "traps", About: "a transparent layer eats the click until its notice is closed", Solvable: true, MaxSteps: 30, build: overlay},
	}
}

func trapLogin(r *rand.Rand) variant {
	p := somebody(r)
	list := []asked{typed("Email", "email", "email", p.email), typed("Password", "password", "password", p.password)}
	v := plain(page{Site: "Tideway Energy", Section: "My account", Title: "Log in – Tideway Energy", Heading: "Log in",
		Intro: "Enter your details to see your meter readings.", Submit: "Log in", Thanks: "Hello " + p.first + ", you are logged in."}, list,
		fmt.Sprintf(`Log in with the email %s and the password %s: fill in both fields and press "Log in".`, p.email, p.password))
	v.refuse = checked(wanted(list), "These details are not right.")
	return v
}

func loneField(r *rand.Rand) variant {
	number := fmt.Sprintf("PX-%d", between(r, 10000, 99999))
	list := []asked{{input{Label: "Parcel number", Name: "q", Type: "text", Placeholder: "Type here…", Bare: true}, number}}
	return plain(page{Site: "Swift Post", Section: "Tracking", Title: "Where is it? – Swift Post", Heading: "Where is it?",
		Intro: "We will find it for you.", Submit: "Continue", Thanks: "Found: " + number + " is at the depot."}, list,
		fmt.Sprintf(`Find the parcel with the number %s: enter it and press "Continue".`, number))
}

func tabOnly(r *rand.Rand) variant {
	p := somebody(r)
	ward := pick(r, "Maple North", "Cedar South", "Birch East", "Rowan West")
	list := []asked{typed("Email", "email", "email", p.email)}
	hidden := text("Ward", "ward", ward)
	v := plain(page{Site: "Harbour Clinic", Section: "Visits", Title: "Plan a visit – Harbour Clinic", Heading: "Plan a visit",
		Intro: "Whom do you visit, and how do we reach you?", Submit: "Continue", Hidden: hidden.input,
		Thanks: "Your visit to " + ward + " is planned."}, list,
		fmt.Sprintf(`Plan a visit to the ward %s with the email %s: fill in both fields and press "Continue".`, ward, p.email))
	both := []asked{list[0], hidden}
	v.file, v.fields, v.solved = "tabonly.html", values(both), lastSent(wanted(both))
	v.oracle = slices.Concat(filled(list), []cua.Scripted{key("Tab"), write(ward), press("Continue"), done("The visit is planned.")})
	return v
}

func deadSubmit(blurs bool) func(*rand.Rand) variant {
	return func(r *rand.Rand) variant {
		p := somebody(r)
		list := []asked{text("Full name", "name", p.first+" "+p.last), typed("Email", "email", "email", p.email)}
		v := plain(page{Site: "Garden Letters", Section: "Monthly", Title: "Subscribe – Garden Letters", Heading: "Subscribe",
			Intro: "One letter a month.", Submit: "Submit", Blurs: blurs, Thanks: "Thank you, " + p.first + "."}, list,
			fmt.Sprintf(`Subscribe %s %s with the email %s: fill in both fields and press "Submit".`, p.first, p.last, p.email))
		v.file = "deadsubmit.html"
		v.oracle = slices.Concat(filled(list), []cua.Scripted{key("Return"), done("The form was sent.")})
		return v
	}
}

func deadButton(ticks bool) func(*rand.Rand) variant {
	return func(r *rand.Rand) variant {
		rows := []row{{"Language", pick(r, "English", "Norwegian", "German")}, {"Time zone", pick(r, "Oslo", "Vienna", "Toronto")},
			{"Reports", pick(r, "weekly", "monthly")}}
		return variant{
			goal: `Press "Save settings" so that the page says that the settings were saved. If that cannot be done, say so.`,
			file: "dead.html",
			data: page{Site: "Pump Station 4", Section: "Console", Title: "Settings – Pump Station 4", Heading: "Settings",
				Intro: "These settings have not been saved yet.", Submit: "Save settings", Ticks: ticks, Rows: rows},
			oracle: []cua.Scripted{press("Save settings"), giveUp("The button does nothing: the settings cannot be saved.")},
		}
	}
}

func overlay(r *rand.Rand) variant {
	seat := fmt.Sprintf("%c%d", 'A'+rune(r.IntN(8)), between(r, 1, 24))
	return variant{
		goal: `Press "Reserve seat". If a notice is in the way, close it first.`, plan: thanked("the seat is reserved"),
		file: "overlay.html",
		data: page{Site: "Lantern Theatre", Section: "Tickets", Title: "Your seat – Lantern Theatre", Heading: "Your seat",
			Intro: "This seat is free.", Submit: "Reserve seat", Seat: seat, Thanks: "Seat " + seat + " is reserved.",
			Rows: []row{{"Play", pick(r, "The Tide Table", "Nine Chairs", "A Quiet Orchard")}, {"Seat", seat}, {"Price", fmt.Sprintf("%d.00", between(r, 12, 60))}}},
		oracle: []cua.Scripted{press("Close"), press("Reserve seat"), done("Seat " + seat + " is reserved.")},
		solved: lastSent(map[string]string{"seat": seat}),
	}
}
