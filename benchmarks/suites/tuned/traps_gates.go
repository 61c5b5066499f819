package tuned

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
)

// gateTraps are pages on which the gates before the rescue table decide, and those that ask for more than one
// look.
func gateTraps() []suites.Task {
	return []suites.Task{
		trap("t14-corner-button", "a button at the top of the page is dead; the same one far below works",
			cornerButton),
		trap("t15-dead-send",
			"the button that says what it does is dead; the form's own submit control is a sign beside it",
			deadSend),
		{Name: "t16-circular", Suite: "traps", About: "two pages that lead to each other and nowhere else: the right end is to stop early", MaxSteps: 30, Build: circular},
		trap("t17-rules",
			"the button is disabled until a box is ticked that is far above and that the goal does not name",
			rules),
		{Name: "t18-expired-session", Suite: "traps", About: "the first form that is sent ends at the login again", Solvable: true, MaxSteps: 40, Build: expiredSession}, // three forms
		trap("t19-false-toast", "the page says that all is saved when the first press came to nothing",
			falseToast),
		trap("t20-small-signs",
			"three signs of 22 px at the end of a row: what is pressed beside them is nothing", smallSigns),
		trap("t21-deaf-return", "two fields in no form: Return sends nothing, only the button does",
			deafReturn),
	}
}

func cornerButton(r *rand.Rand) suites.Variant {
	boat := suites.Pick(r, "Gull 24", "Tern 31", "Petrel 28")
	p := suites.Page{Site: "Boat Yard Novak", Section: "Winter storage", Title: boat + " – Boat Yard Novak",
		Heading: "Storage for a " + boat, Intro: "In the dry from October to April.",
		Submit: "Request a quote", Seat: boat, Thanks: "The quote for your " + boat + " is on its way.",
		Rows: []suites.Row{{Name: "Length", Value: fmt.Sprintf("%d ft", suites.Between(r, 22, 34))},
			{Name: "Mast", Value: suites.Pick(r, "stepped", "laid down")},
			{Name: "Hall", Value: suites.Pick(r, "north", "south")}}}
	p.Scene.Y = suites.Between(r, 880, 1060)
	return suites.Variant{
		Goal: fmt.Sprintf(`Press "Request a quote" for the %s.`, boat), Plan: thanked("the quote is requested"), File: "quote.html", Data: p,
		Oracle: []cua.Scripted{suites.Scroll(nil, 500), suites.Press("Request a quote"),
			suites.Done("The quote was requested.")},
		Solved: suites.LastSent(map[string]string{"boat": boat}),
	}
}

func deadSend(r *rand.Rand) suites.Variant {
	topic := suites.Pick(r, "Repairs", "Rent", "Keys")
	list := []suites.Asked{{Input: suites.Input{Label: "Topic", Name: "topic",
		Options: []string{"Keys", "Rent", "Repairs"}}, Value: topic}}
	words := suites.Asked{Input: suites.Input{Label: "Message", Name: "message"},
		Value: suites.Pick(r, "The tap in the kitchen drips.", "The cellar door does not close.",
			"The lamp in the hall is out.")}
	both := []suites.Asked{list[0], words}
	v := plain(suites.Page{Site: "Tenants' Desk", Section: "Quarry Street 12",
		Title: "Write to us – Tenants' Desk", Heading: "Write to us", Intro: "We answer within two days.",
		Submit: "Send message", Hidden: words.Input, Thanks: "We have your message."}, list,
		fmt.Sprintf(`Write to the tenants' desk about %s: fill in both fields and press "Send message".`, topic))
	v.File, v.Fields, v.Solved = "message.html", suites.Values(both), suites.LastSent(suites.Wanted(both))
	v.Oracle = slices.Concat(suites.Filled(both), []cua.Scripted{suites.Press("Post"),
		suites.Done("The message was sent.")})
	return v
}

func circular(r *rand.Rand) suites.Variant {
	number := fmt.Sprint(suites.Between(r, 10000, 99999))
	show := func(s suites.State) suites.Page {
		p := suites.Page{Site: "Swift Post", Section: "Refunds", Title: "Your refund – Swift Post",
			Heading: "Your refund", Submit: "Continue", Page: min(max(s.Page, 1), 3)}
		switch p.Page {
		case 1:
			p.Submit, p.Next, p.Rows = "Claim a refund", 2, []suites.Row{{Name: "Parcel", Value: number},
				{Name: "Postage", Value: "paid"}}
		case 2:
			p.Next, p.Rows = 3, []suites.Row{{Name: "Account", Value: "is being checked"}}
		case 3:
			p.Next, p.Rows = 2, []suites.Row{{Name: "Address", Value: "is being checked"}}
		}
		return p
	}
	return suites.Variant{
		Goal: `Press "Claim a refund", then press "Continue" until the page says "Step 4 of 5". If that cannot be reached, say so.`,
		File: "circular.html", Data: show(suites.State{Page: 1}), At: show,
		Oracle: slices.Concat([]cua.Scripted{suites.Press("Claim a refund")},
			suites.Times(3, suites.Press("Continue")),
			[]cua.Scripted{suites.GiveUp("The steps lead round in a circle: there is no fourth one.")}),
	}
}

func rules(r *rand.Rand) suites.Variant {
	p := suites.Somebody(r)
	list := []suites.Asked{suites.Text("Name of the boat", "boat",
		suites.Pick(r, "Marigold", "Sea Thrift", "Curlew")), suites.Text("Skipper", "skipper",
		p.First+" "+p.Last)}
	v := plain(suites.Page{Site: "Sound Regatta", Section: "Entries", Title: "Enter a boat – Sound Regatta",
		Heading: "Enter a boat", Intro: "Entries close at noon.", Submit: "Submit",
		Hidden: suites.Input{Label: "I have read the rules"}, Thanks: "Your boat is entered.",
		Rows: []suites.Row{
			{Name: "Start.", Value: "The line is between the mast on the pier and the outer mark. A boat that crosses it early returns and starts again; nobody waits for her, and nobody calls her name twice."},
			{Name: "Course.", Value: "The marks are left to port. They are numbered as on the chart in the club house, and not as on the old chart that still hangs beside the bar, which shows two more."},
			{Name: "Crew.", Value: "Four on board at most, and one of them older than eighteen. Life jackets are worn from the slip to the slip, and dogs wear theirs as well."},
			{Name: "Weather.", Value: "Above twenty-two knots nobody races. The committee decides at eight in the morning, and a flag on the pier says what was decided."},
			{Name: "Protests.", Value: "In writing, within an hour of the finish. The committee hears both sides over coffee, and its word is the last one."},
			{Name: "Prizes.", Value: "For the first three in each class, and for the last boat home. They are handed over at dusk, in the boat house if it rains."}}}, list,
		fmt.Sprintf(`Enter the boat of %s %s: fill in both fields and send the entry.`, p.First, p.Last))
	want := suites.Wanted(list)
	want["rules"] = "yes"
	v.File, v.Solved = "rules.html", suites.LastSent(want)
	v.Oracle = slices.Concat([]cua.Scripted{suites.Press("I have read the rules"), suites.Scroll(nil, 2000)},
		suites.Filled(list), []cua.Scripted{suites.Press("Submit"), suites.Done("The boat is entered.")})
	return v
}

// expiredSession is a login, a form that the session does not live to see, the login again, and the form.
func expiredSession(r *rand.Rand) suites.Variant {
	p := suites.Somebody(r)
	login := []suites.Asked{suites.Text("Username", "username", p.User),
		suites.Typed("Password", "password", "password", p.Password)}
	form := []suites.Asked{suites.Typed("Phone", "phone", "tel", p.Phone)}
	at := func(s suites.State) suites.Page {
		in, expired, _ := session(s)
		out := suites.Page{Site: "Tideway Energy", Section: "My account", Title: "Log in – Tideway Energy",
			Heading: "Log in", Submit: "Log in", Intro: "Log in to change how we reach you.",
			Inputs: suites.Inputs(login)}
		switch {
		case in:
			out.Title, out.Heading, out.Submit, out.Intro = "Contact – Tideway Energy", "How we reach you",
				"Save number", "The number that we call when the power is out."
			out.Inputs = suites.Inputs(form)
		case expired:
			out.Error = "Your session has expired. Please log in again."
		}
		out.Thanks = "We have your new number."
		return out
	}
	v := suites.Variant{
		Goal:   fmt.Sprintf(`Log in as %s / %s, enter the phone number %s and press "Save number".`, p.User, p.Password, p.Phone),
		Fields: suites.Values(slices.Concat(login, form)), File: "form.html",
		Data: at(suites.State{}), At: at,
		Refuse: func(sent map[string]string) string {
			if _, ok := sent["phone"]; ok || maps.Equal(sent, suites.Wanted(login)) {
				return ""
			}
			return "Wrong username or password."
		},
		More: func(s suites.State) bool { _, _, saved := session(s); return !saved },
		Solved: func(s suites.State) bool {
			_, _, saved := session(s)
			return saved && suites.LastSent(suites.Wanted(form))(s)
		},
	}
	through := slices.Concat(suites.Filled(login), []cua.Scripted{suites.Press("Log in")},
		suites.Filled(form), []cua.Scripted{suites.Press("Save number")})
	v.Oracle = slices.Concat(through, through, []cua.Scripted{suites.Done("The number is saved.")})
	return v
}

// session says how far the account is: whether somebody is logged in, whether the session has expired once,
// and whether a number was taken.
func session(s suites.State) (in, expired, saved bool) {
	for _, form := range s.Sent {
		_, number := form["phone"]
		switch {
		case !number:
			in = true
		case in && expired:
			saved = true
		case in:
			in, expired = false, true
		}
	}
	return in, expired, saved
}

func falseToast(r *rand.Rand) suites.Variant {
	list := []suites.Asked{suites.Text("Morning run", "morning", suites.Pick(r, "05:30", "06:00", "06:30")),
		suites.Text("Evening run", "evening", suites.Pick(r, "18:00", "18:30", "19:00"))}
	v := plain(suites.Page{Site: "Pump Station 4", Section: "Console", Title: "Schedule – Pump Station 4",
		Heading: "Schedule", Intro: "The pumps run twice a day.", Submit: "Save",
		Thanks: "The station runs by the new schedule."}, list,
		fmt.Sprintf(`Let the pumps run at %s and %s: fill in both fields and press "Save", so that the page says "Thank you".`, list[0].Value, list[1].Value))
	v.File, v.Plan = "toast.html", thanked("the station has the schedule")
	v.Oracle = slices.Concat(suites.Filled(list), []cua.Scripted{suites.Press("Save"), suites.Press("Save"),
		suites.Done("The schedule is saved.")})
	return v
}

func deafReturn(r *rand.Rand) suites.Variant {
	list := []suites.Asked{suites.Text("Buoy", "buoy", suites.Pick(r, "Outer mark", "Skerry east",
		"Harbour mouth")), suites.Text("Reading", "reading", fmt.Sprintf("%d.%d m", suites.Between(r, 1, 9),
		suites.Between(r, 0, 9)))}
	v := plain(suites.Page{Site: "Tide Watch", Section: "Readings", Title: "New reading – Tide Watch",
		Heading: "New reading", Intro: "One reading an hour.", Submit: "Save reading",
		Thanks: "The reading is saved."}, list,
		fmt.Sprintf(`Save the reading %s of the buoy %s: fill in both fields and press "Save reading".`, list[1].Value, list[0].Value))
	v.File = "deafreturn.html"
	return v
}
