package benchmarks

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// gateTraps are pages on which the gates before the ladder decide, and those that ask for more than one look.
func gateTraps() []Task {
	return []Task{
		trap("t14-corner-button", "a button at the top of the page is dead; the same one far below works", cornerButton),
		trap("t15-dead-send", "the button that says what it does is dead; the form's own submit control is a sign beside it", deadSend),
		{Name: "t16-circular", Suite: "traps", About: "two pages that lead to each other and nowhere else: the right end is to stop early", MaxSteps: 30, build: circular},
		trap("t17-rules", "the button is disabled until a box is ticked that is far above and that the goal does not name", rules),
		{Name: "t18-expired-session", Suite: "traps", About: "the first form that is sent ends at the login again", Solvable: true, MaxSteps: 40, build: expiredSession}, // three forms
		trap("t19-false-toast", "the page says that all is saved when the first press came to nothing", falseToast),
		trap("t20-small-signs", "three signs of 22 px at the end of a row: what is pressed beside them is nothing", smallSigns),
		trap("t21-deaf-return", "two fields in no form: Return sends nothing, only the button does", deafReturn),
	}
}

func cornerButton(r *rand.Rand) variant {
	boat := pick(r, "Gull 24", "Tern 31", "Petrel 28")
	p := page{Site: "Boat Yard Novak", Section: "Winter storage", Title: boat + " – Boat Yard Novak", Heading: "Storage for a " + boat, Intro: "In the dry from October to April.",
		Submit: "Request a quote", Seat: boat, Thanks: "The quote for your " + boat + " is on its way.",
		Rows: []row{{"Length", fmt.Sprintf("%d ft", between(r, 22, 34))}, {"Mast", pick(r, "stepped", "laid down")}, {"Hall", pick(r, "north", "south")}}}
	p.Scene.Y = between(r, 880, 1060)
	return variant{
		goal: fmt.Sprintf(`Press "Request a quote" for the %s.`, boat), plan: thanked("the quote is requested"), file: "quote.html", data: p,
		oracle: []cua.Scripted{scroll(nil, 500), press("Request a quote"), done("The quote was requested.")},
		solved: lastSent(map[string]string{"boat": boat}),
	}
}

func deadSend(r *rand.Rand) variant {
	topic := pick(r, "Repairs", "Rent", "Keys")
	list := []asked{{input{Label: "Topic", Name: "topic", Options: []string{"Keys", "Rent", "Repairs"}}, topic}}
	words := asked{input{Label: "Message", Name: "message"}, pick(r, "The tap in the kitchen drips.", "The cellar door does not close.", "The lamp in the hall is out.")}
	both := []asked{list[0], words}
	v := plain(page{Site: "Tenants' Desk", Section: "Quarry Street 12", Title: "Write to us – Tenants' Desk", Heading: "Write to us", Intro: "We answer within two days.",
		Submit: "Send message", Hidden: words.input, Thanks: "We have your message."}, list,
		fmt.Sprintf(`Write to the tenants' desk about %s: fill in both fields and press "Send message".`, topic))
	v.file, v.fields, v.solved = "message.html", values(both), lastSent(wanted(both))
	v.oracle = slices.Concat(filled(both), []cua.Scripted{press("Post"), done("The message was sent.")})
	return v
}

func circular(r *rand.Rand) variant {
	number := fmt.Sprint(between(r, 10000, 99999))
	show := func(s State) page {
		p := page{Site: "Swift Post", Section: "Refunds", Title: "Your refund – Swift Post", Heading: "Your refund", Submit: "Continue", Page: min(max(s.Page, 1), 3)}
		switch p.Page {
		case 1:
			p.Submit, p.Next, p.Rows = "Claim a refund", 2, []row{{"Parcel", number}, {"Postage", "paid"}}
		case 2:
			p.Next, p.Rows = 3, []row{{"Account", "is being checked"}}
		case 3:
			p.Next, p.Rows = 2, []row{{"Address", "is being checked"}}
		}
		return p
	}
	return variant{
		goal: `Press "Claim a refund", then press "Continue" until the page says "Step 4 of 5". If that cannot be reached, say so.`,
		file: "circular.html", data: show(State{Page: 1}), at: show,
		oracle: slices.Concat([]cua.Scripted{press("Claim a refund")}, times(3, press("Continue")), []cua.Scripted{giveUp("The steps lead round in a circle: there is no fourth one.")}),
	}
}

func rules(r *rand.Rand) variant {
	p := somebody(r)
	list := []asked{text("Name of the boat", "boat", pick(r, "Marigold", "Sea Thrift", "Curlew")), text("Skipper", "skipper", p.first+" "+p.last)}
	v := plain(page{Site: "Sound Regatta", Section: "Entries", Title: "Enter a boat – Sound Regatta", Heading: "Enter a boat", Intro: "Entries close at noon.", Submit: "Submit",
		Hidden: input{Label: "I have read the rules"}, Thanks: "Your boat is entered.", Rows: []row{
			{"Start.", "The line is between the mast on the pier and the outer mark. A boat that crosses it early returns and starts again; nobody waits for her, and nobody calls her name twice."},
			{"Course.", "The marks are left to port. They are numbered as on the chart in the club house, and not as on the old chart that still hangs beside the bar, which shows two more."},
			{"Crew.", "Four on board at most, and one of them older than eighteen. Life jackets are worn from the slip to the slip, and dogs wear theirs as well."},
			{"Weather.", "Above twenty-two knots nobody races. The committee decides at eight in the morning, and a flag on the pier says what was decided."},
			{"Protests.", "In writing, within an hour of the finish. The committee hears both sides over coffee, and its word is the last one."},
			{"Prizes.", "For the first three in each class, and for the last boat home. They are handed over at dusk, in the boat house if it rains."}}}, list,
		fmt.Sprintf(`Enter the boat of %s %s: fill in both fields and send the entry.`, p.first, p.last))
	want := wanted(list)
	want["rules"] = "yes"
	v.file, v.solved = "rules.html", lastSent(want)
	v.oracle = slices.Concat([]cua.Scripted{press("I have read the rules"), scroll(nil, 2000)}, filled(list), []cua.Scripted{press("Submit"), done("The boat is entered.")})
	return v
}

// expiredSession is a login, a form that the session does not live to see, the login again, and the form.
func expiredSession(r *rand.Rand) variant {
	p := somebody(r)
	login := []asked{text("Username", "username", p.user), typed("Password", "password", "password", p.password)}
	form := []asked{typed("Phone", "phone", "tel", p.phone)}
	at := func(s State) page {
		in, expired, _ := session(s)
		out := page{Site: "Tideway Energy", Section: "My account", Title: "Log in – Tideway Energy", Heading: "Log in", Submit: "Log in", Intro: "Log in to change how we reach you.", Inputs: inputs(login)}
		switch {
		case in:
			out.Title, out.Heading, out.Submit, out.Intro = "Contact – Tideway Energy", "How we reach you", "Save number", "The number that we call when the power is out."
			out.Inputs = inputs(form)
		case expired:
			out.Error = "Your session has expired. Please log in again."
		}
		out.Thanks = "We have your new number."
		return out
	}
	v := variant{
		goal:   fmt.Sprintf(`Log in as %s / %s, enter the phone number %s and press "Save number".`, p.user, p.password, p.phone),
		fields: values(slices.Concat(login, form)), file: "form.html", data: at(State{}), at: at,
		refuse: func(sent map[string]string) string {
			if _, ok := sent["phone"]; ok || maps.Equal(sent, wanted(login)) {
				return ""
			}
			return "Wrong username or password."
		},
		more:   func(s State) bool { _, _, saved := session(s); return !saved },
		solved: func(s State) bool { _, _, saved := session(s); return saved && lastSent(wanted(form))(s) },
	}
	through := slices.Concat(filled(login), []cua.Scripted{press("Log in")}, filled(form), []cua.Scripted{press("Save number")})
	v.oracle = slices.Concat(through, through, []cua.Scripted{done("The number is saved.")})
	return v
}

// session says how far the account is: whether somebody is logged in, whether the session has expired once, and
// whether a number was taken.
func session(s State) (in, expired, saved bool) {
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

func falseToast(r *rand.Rand) variant {
	list := []asked{text("Morning run", "morning", pick(r, "05:30", "06:00", "06:30")), text("Evening run", "evening", pick(r, "18:00", "18:30", "19:00"))}
	v := plain(page{Site: "Pump Station 4", Section: "Console", Title: "Schedule – Pump Station 4", Heading: "Schedule", Intro: "The pumps run twice a day.", Submit: "Save", Thanks: "The station runs by the new schedule."}, list,
		fmt.Sprintf(`Let the pumps run at %s and %s: fill in both fields and press "Save", so that the page says "Thank you".`, list[0].value, list[1].value))
	v.file, v.plan = "toast.html", thanked("the station has the schedule")
	v.oracle = slices.Concat(filled(list), []cua.Scripted{press("Save"), press("Save"), done("The schedule is saved.")})
	return v
}

func deafReturn(r *rand.Rand) variant {
	list := []asked{text("Buoy", "buoy", pick(r, "Outer mark", "Skerry east", "Harbour mouth")), text("Reading", "reading", fmt.Sprintf("%d.%d m", between(r, 1, 9), between(r, 0, 9)))}
	v := plain(page{Site: "Tide Watch", Section: "Readings", Title: "New reading – Tide Watch", Heading: "New reading", Intro: "One reading an hour.", Submit: "Save reading", Thanks: "The reading is saved."}, list,
		fmt.Sprintf(`Save the reading %s of the buoy %s: fill in both fields and press "Save reading".`, list[1].value, list[0].value))
	v.file = "deafreturn.html"
	return v
}
