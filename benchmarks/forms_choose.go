package benchmarks

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// chooseTasks are forms whose values are chosen and not only typed: days, boxes and buttons, entries of a list, a form in parts.
func chooseTasks() []Task {
	task := func(name, about string, steps int, build func(*rand.Rand) variant) Task {
		return Task{Name: name, Suite: "forms", About: about, Solvable: true, MaxSteps: steps, build: build}
	}
	return []Task{
		task("two-dates", "a date field of the browser's own, and one that a calendar of the page's own fills", 30, twoDates),
		task("boxes-and-buttons", "two groups of radio buttons and one of boxes, each under its legend; one box is ticked from the start", 30, boxesAndButtons),
		task("three-steps", "a form in three parts with Next and Back: what is judged is the whole", 36, threeSteps),
		task("stations", "fields that forget what was typed when they are left, unless an entry of their list was chosen", 30, stations),
	}
}

// complete refuses a form in which one of names is empty.
func complete(message string, names ...string) func(map[string]string) string {
	return func(sent map[string]string) string {
		if slices.ContainsFunc(names, func(n string) bool { return sent[n] == "" }) {
			return message
		}
		return ""
	}
}

func twoDates(r *rand.Rand) variant {
	arrival := time.Date(2026, time.Month(between(r, 4, 9)), between(r, 3, 26), 0, 0, 0, 0, time.UTC)
	departure := time.Date(2026, arrival.Month()+time.Month(between(r, 1, 3)), between(r, 3, 26), 0, 0, 0, 0, time.UTC)
	off := pick(r, -2, -1, 1, 2, 3) // months from the one that the calendar opens with to the day's
	opens := time.Date(2026, departure.Month()-time.Month(off), 1, 0, 0, 0, 0, time.UTC)
	turn, n := "Next month", off
	if off < 0 {
		turn, n = "Previous month", -off
	}
	first := asked{input{Label: "Arrival", Name: "arrival", Type: "date"}, arrival.Format(time.DateOnly)}
	last := asked{input{Label: "Departure", Name: "departure"}, departure.Format(time.DateOnly)}
	return variant{
		goal: fmt.Sprintf(`Book a berth from the arrival on %s to the departure on %s, then press "Book berth".`,
			arrival.Format("2 January 2006"), departure.Format("2 January 2006")),
		fields: values([]asked{first, last}),
		file:   "stay.html",
		data: page{Site: "Harbour Office", Section: "Berths", Title: "Book a berth – Harbour Office", Heading: "Book a berth",
			Intro: "Guests stay for up to four months.", Submit: "Book berth", Inputs: []input{first.input}, Hidden: last.input,
			Year: opens.Year(), Month: int(opens.Month()), Thanks: "Your berth is booked."},
		oracle: slices.Concat([]cua.Scripted{fill("Arrival", first.value), press("Departure")}, times(n, press(turn)), []cua.Scripted{
			press(departure.Format("Monday 2 January 2006")), press("Book berth"), done("The berth is booked.")}),
		refuse: complete("Please choose both days.", "arrival", "departure"),
		solved: lastSent(map[string]string{"arrival": first.value, "departure": last.value}),
	}
}

func boxesAndButtons(r *rand.Rand) variant {
	group := func(label, name string, options ...string) asked {
		return asked{input{Label: label, Name: name, Type: "radio", Options: options}, pick(r, options...)}
	}
	list := []asked{group("Meal", "meal", "Vegetarian", "Fish", "Meat", "No meal"), group("Shirt size", "shirt", "Small", "Medium", "Large")}
	courses := []string{"Rope work", "Sail repair", "First aid", "Radio licence", "Night sailing"}
	start, right := r.IntN(len(courses)), r.Perm(len(courses))[:2] // what is ticked from the start, and what should be
	oracle := []cua.Scripted{press("role=radio name=" + list[0].value), press("role=radio name=" + list[1].value)}
	want, names := wanted(list), []string(nil)
	for i, c := range courses {
		box := asked{input{Label: c, Name: fmt.Sprintf("course%d", i+1), Type: "checkbox"}, "no"}
		if slices.Contains(right, i) {
			box.value, want[box.Name] = "yes", "yes"
			names = append(names, c)
		}
		if (box.value == "yes") != (i == start) {
			oracle = append(oracle, press("role=checkbox name="+c))
		}
		list = append(list, box)
	}
	var plan []cua.PlanValue
	for i, v := range values(list) {
		if v.Value != "no" || list[i].Name == fmt.Sprintf("course%d", start+1) {
			plan = append(plan, v)
		}
	}
	return variant{
		goal: fmt.Sprintf(`Sign up for the club's weekend with the meal %s, the shirt size %s and the courses %s and no other, then press "Sign up".`,
			list[0].value, list[1].value, strings.Join(names, " and ")),
		fields: plan, file: "weekend.html",
		data: page{Site: "Boat Club", Section: "Weekend", Title: "Sign up – Boat Club", Heading: "A weekend on the water",
			Intro: "Take as many courses as you like.", Submit: "Sign up", Inputs: inputs(list), Seat: fmt.Sprintf("course%d", start+1),
			Thanks: "You are on the list."},
		oracle: append(oracle, press("Sign up"), done("The form was sent.")),
		refuse: complete("Please choose a meal and a shirt size.", "meal", "shirt"),
		solved: func(s State) bool {
			if len(s.Sent) == 0 {
				return false
			}
			sent := maps.Clone(s.Sent[len(s.Sent)-1])
			maps.DeleteFunc(sent, func(_, v string) bool { return v == "no" }) // browsers leave out what is not ticked
			return maps.Equal(sent, want)
		},
	}
}

// walked is the part of a form in parts that comes next, and what was entered so far: each part that was sent says
// which one it is and which way it went.
func walked(s State) (part int, held map[string]string) {
	part, held = 1, map[string]string{}
	for _, sent := range s.Sent {
		for k, v := range sent {
			if k != "part" && k != "go" {
				held[k] = v
			}
		}
		part, _ = strconv.Atoi(sent["part"]) // what is no number is part 0, which leads to the first
		if sent["go"] == "back" {
			part--
		} else {
			part++
		}
	}
	return max(part, 1), held
}

func threeSteps(r *rand.Rand) variant {
	p := somebody(r)
	parts := [][]asked{
		{text("Full name", "name", p.first+" "+p.last), typed("Email", "email", "email", p.email)},
		{text("Boat name", "boat", pick(r, "Kittiwake", "Sea Otter", "Petrel", "Grey Seal")), typed("Length in metres", "length", "number", fmt.Sprint(between(r, 5, 14))),
			{input{Label: "Mooring", Name: "mooring", Options: []string{"Buoy", "Pontoon", "Quay"}}, pick(r, "Buoy", "Pontoon", "Quay")}},
		{typed("Phone", "phone", "tel", p.phone), text("Insurance number", "insurance", fmt.Sprintf("BI-%d", between(r, 10000, 99999)))},
	}
	headings := []string{"You", "Your boat", "In an emergency"}
	show := func(s State) page {
		at, held := walked(s)
		at = min(at, len(parts))
		d := page{Site: "Harbour Office", Section: "Registration", Heading: headings[at-1], Submit: "Next", Page: at, Pages: len(parts),
			Title: fmt.Sprintf("Step %d of %d – Registration", at, len(parts)), Inputs: inputs(parts[at-1])}
		for _, a := range parts[at-1] {
			d.Rows = append(d.Rows, row{a.Name, held[a.Name]})
		}
		if at == len(parts) {
			d.Submit = "Register boat"
		}
		return d
	}
	v := variant{
		goal: fmt.Sprintf(`Register the boat %s of %s %s: fill in the three parts of the form, pressing "Next" after the first two, and press "Register boat" at the end.`,
			parts[1][0].value, p.first, p.last),
		file: "wizard.html", data: show(State{}), at: show,
		more: func(s State) bool { at, _ := walked(s); return at <= len(parts) },
		refuse: func(sent map[string]string) string {
			n, err := strconv.Atoi(sent["part"])
			if sent["go"] == "back" || err != nil || n < 1 || n > len(parts) {
				return ""
			}
			return complete("Please fill in all fields.", slices.Collect(maps.Keys(wanted(parts[n-1])))...)(sent)
		},
	}
	v.data.Thanks = "Your boat is registered."
	want := map[string]string{}
	for i, part := range parts {
		v.fields = append(v.fields, values(part)...)
		maps.Copy(want, wanted(part))
		v.oracle = slices.Concat(v.oracle, filled(part), []cua.Scripted{press([]string{"Next", "Next", "Register boat"}[i])})
	}
	v.oracle = append(v.oracle, done("The boat is registered."))
	v.solved = func(s State) bool {
		at, held := walked(s)
		return at > len(parts) && maps.Equal(held, want)
	}
	return v
}

func stations(r *rand.Rand) variant {
	names := []string{"Eastport Central", "Eastport Docks", "Glenmoor", "Glenmoor Mill", "Holm Bridge", "Holm North", "Sandvik", "Sandvik Harbour", "Tideway"}
	ends := r.Perm(len(names))[:2]
	list := []asked{text("Departure station", "from", names[ends[0]]), text("Arrival station", "to", names[ends[1]]),
		typed("Travellers", "travellers", "number", fmt.Sprint(between(r, 2, 6)))}
	v := plain(page{Site: "Coast Railway", Section: "Tickets", Title: "Find a train – Coast Railway", Heading: "Find a train",
		Intro: "Type a few letters and choose a station from the list.", Submit: "Find trains", Thanks: "Three trains were found.", Scene: scene{Words: names}}, list,
		fmt.Sprintf(`Find a train from %s to %s for %s travellers: choose both stations from the lists that open, then press "Find trains".`,
			list[0].value, list[1].value, list[2].value))
	v.file = "stations.html"
	v.oracle = slices.Concat(chosen(list[0]), chosen(list[1]), filled(list[2:]), []cua.Scripted{press("Find trains"), done("Trains were found.")})
	v.refuse = complete("Please choose both stations from their lists and say how many travel.", "from", "to", "travellers")
	return v
}

// chosen types into a field with a list and takes the entry of just that name.
func chosen(a asked) []cua.Scripted {
	return []cua.Scripted{fill(a.Label, a.value), press("role=option name=" + a.value)}
}
