package tuned

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
)

// chooseTasks are forms whose values are chosen and not only typed: days, boxes and buttons, entries of a
// list, a form in parts.
func chooseTasks() []suites.Task {
	task := func(name, about string, steps int, build func(*rand.Rand) suites.Variant) suites.Task {
		return suites.Task{Name: name, Suite: "forms", About: about, Solvable: true, MaxSteps: steps,
			Build: build}
	}
	return []suites.Task{
		task("two-dates",
			"a date field of the browser's own, and one that a calendar of the page's own fills",
			30, twoDates),
		task("boxes-and-buttons",
			"two groups of radio buttons and one of boxes, each under its legend; one box is ticked from "+
				"the start", 30, boxesAndButtons),
		task("three-steps", "a form in three parts with Next and Back: what is judged is the whole", 36,
			threeSteps),
		task("stations",
			"fields that forget what was typed when they are left, unless an entry of their list was chosen",
			30, stations),
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

func twoDates(r *rand.Rand) suites.Variant {
	arrival := time.Date(2026, time.Month(suites.Between(r, 4, 9)), suites.Between(r, 3, 26), 0, 0, 0,
		0, time.UTC)
	departure := time.Date(2026, arrival.Month()+time.Month(suites.Between(r, 1, 3)),
		suites.Between(r, 3, 26), 0, 0, 0, 0, time.UTC)
	off := suites.Pick(r, -2, -1, 1, 2, 3) // months from the one that the calendar opens with to the day's
	opens := time.Date(2026, departure.Month()-time.Month(off), 1, 0, 0, 0, 0, time.UTC)
	turn, n := "Next month", off
	if off < 0 {
		turn, n = "Previous month", -off
	}
	first := suites.Asked{Input: suites.Input{Label: "Arrival", Name: "arrival", Type: "date"},
		Value: arrival.Format(time.DateOnly)}
	last := suites.Asked{Input: suites.Input{Label: "Departure", Name: "departure"},
		Value: departure.Format(time.DateOnly)}
	return suites.Variant{
		Goal: fmt.Sprintf(`Book a berth from the arrival on %s to the departure on %s, then press "Book berth".`,
			arrival.Format("2 January 2006"), departure.Format("2 January 2006")),
		Fields: suites.Values([]suites.Asked{first, last}),
		File:   "stay.html",
		Data: suites.Page{Site: "Harbour Office", Section: "Berths", Title: "Book a berth – Harbour Office",
			Heading: "Book a berth",
			Intro:   "Guests stay for up to four months.", Submit: "Book berth",
			Inputs: []suites.Input{first.Input}, Hidden: last.Input, Year: opens.Year(),
			Month: int(opens.Month()), Thanks: "Your berth is booked."},
		Oracle: slices.Concat([]cua.Scripted{suites.Fill("Arrival", first.Value), suites.Press("Departure")},
			suites.Times(n, suites.Press(turn)), []cua.Scripted{
				suites.Press(departure.Format("Monday 2 January 2006")), suites.Press("Book berth"),
				suites.Done("The berth is booked.")}),
		Refuse: complete("Please choose both days.", "arrival", "departure"),
		Solved: suites.LastSent(map[string]string{"arrival": first.Value, "departure": last.Value}),
	}
}

func boxesAndButtons(r *rand.Rand) suites.Variant {
	group := func(label, name string, options ...string) suites.Asked {
		return suites.Asked{Input: suites.Input{Label: label, Name: name, Type: "radio", Options: options},
			Value: suites.Pick(r, options...)}
	}
	list := []suites.Asked{group("Meal", "meal", "Vegetarian", "Fish", "Meat", "No meal"),
		group("Shirt size", "shirt", "Small", "Medium", "Large")}
	courses := []string{"Rope work", "Sail repair", "First aid", "Radio licence", "Night sailing"}
	// what is ticked from the start, and what should be
	start, right := r.IntN(len(courses)), r.Perm(len(courses))[:2]
	oracle := []cua.Scripted{suites.Press("role=radio name=" + list[0].Value),
		suites.Press("role=radio name=" + list[1].Value)}
	want, names := suites.Wanted(list), []string(nil)
	for i, c := range courses {
		box := suites.Asked{Input: suites.Input{Label: c, Name: fmt.Sprintf("course%d", i+1),
			Type: "checkbox"}, Value: "no"}
		if slices.Contains(right, i) {
			box.Value, want[box.Name] = "yes", "yes"
			names = append(names, c)
		}
		if (box.Value == "yes") != (i == start) {
			oracle = append(oracle, suites.Press("role=checkbox name="+c))
		}
		list = append(list, box)
	}
	var plan []cua.PlanValue
	for i, v := range suites.Values(list) {
		if v.Value != "no" || list[i].Name == fmt.Sprintf("course%d", start+1) {
			plan = append(plan, v)
		}
	}
	return suites.Variant{
		Goal: fmt.Sprintf(`Sign up for the club's weekend with the meal %s, the shirt size %s and the courses %s and no other, then press "Sign up".`,
			list[0].Value, list[1].Value, strings.Join(names, " and ")),
		Fields: plan, File: "weekend.html",
		Data: suites.Page{Site: "Boat Club", Section: "Weekend", Title: "Sign up – Boat Club",
			Heading: "A weekend on the water",
			Intro:   "Take as many courses as you like.", Submit: "Sign up", Inputs: suites.Inputs(list),
			Seat: fmt.Sprintf("course%d", start+1), Thanks: "You are on the list."},
		Oracle: append(oracle, suites.Press("Sign up"), suites.Done("The form was sent.")),
		Refuse: complete("Please choose a meal and a shirt size.", "meal", "shirt"),
		Solved: func(s suites.State) bool {
			if len(s.Sent) == 0 {
				return false
			}
			sent := maps.Clone(s.Sent[len(s.Sent)-1])
			// browsers leave out what is not ticked
			maps.DeleteFunc(sent, func(_, v string) bool { return v == "no" })
			return maps.Equal(sent, want)
		},
	}
}

// walked is the part of a form in parts that comes next, and what was entered so far: each part that was sent
// says which one it is and which way it went.
func walked(s suites.State) (part int, held map[string]string) {
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

func threeSteps(r *rand.Rand) suites.Variant {
	p := suites.Somebody(r)
	parts := [][]suites.Asked{
		{suites.Text("Full name", "name", p.First+" "+p.Last), suites.Typed("Email", "email", "email", p.Email)},
		{suites.Text("Boat name", "boat", suites.Pick(r, "Kittiwake", "Sea Otter", "Petrel", "Grey Seal")), suites.Typed("Length in metres", "length", "number", fmt.Sprint(suites.Between(r, 5, 14))),
			{Input: suites.Input{Label: "Mooring", Name: "mooring", Options: []string{"Buoy", "Pontoon", "Quay"}}, Value: suites.Pick(r, "Buoy", "Pontoon", "Quay")}},
		{suites.Typed("Phone", "phone", "tel", p.Phone), suites.Text("Insurance number", "insurance", fmt.Sprintf("BI-%d", suites.Between(r, 10000, 99999)))},
	}
	headings := []string{"You", "Your boat", "In an emergency"}
	show := func(s suites.State) suites.Page {
		at, held := walked(s)
		at = min(at, len(parts))
		d := suites.Page{Site: "Harbour Office", Section: "Registration", Heading: headings[at-1],
			Submit: "Next", Page: at, Pages: len(parts), Title: fmt.Sprintf("Step %d of %d – Registration",
				at, len(parts)), Inputs: suites.Inputs(parts[at-1])}
		for _, a := range parts[at-1] {
			d.Rows = append(d.Rows, suites.Row{Name: a.Name, Value: held[a.Name]})
		}
		if at == len(parts) {
			d.Submit = "Register boat"
		}
		return d
	}
	v := suites.Variant{
		Goal: fmt.Sprintf(`Register the boat %s of %s %s: fill in the three parts of the form, pressing "Next" after the first two, and press "Register boat" at the end.`,
			parts[1][0].Value, p.First, p.Last),
		File: "wizard.html", Data: show(suites.State{}), At: show,
		More: func(s suites.State) bool { at, _ := walked(s); return at <= len(parts) },
		Refuse: func(sent map[string]string) string {
			n, err := strconv.Atoi(sent["part"])
			if sent["go"] == "back" || err != nil || n < 1 || n > len(parts) {
				return ""
			}
			return complete("Please fill in all fields.",
				slices.Collect(maps.Keys(suites.Wanted(parts[n-1])))...)(sent)
		},
	}
	v.Data.Thanks = "Your boat is registered."
	want := map[string]string{}
	for i, part := range parts {
		v.Fields = append(v.Fields, suites.Values(part)...)
		maps.Copy(want, suites.Wanted(part))
		v.Oracle = slices.Concat(v.Oracle, suites.Filled(part), []cua.Scripted{suites.Press([]string{"Next",
			"Next", "Register boat"}[i])})
	}
	v.Oracle = append(v.Oracle, suites.Done("The boat is registered."))
	v.Solved = func(s suites.State) bool {
		at, held := walked(s)
		return at > len(parts) && maps.Equal(held, want)
	}
	return v
}

func stations(r *rand.Rand) suites.Variant {
	names := []string{"Eastport Central", "Eastport Docks", "Glenmoor", "Glenmoor Mill", "Holm Bridge",
		"Holm North", "Sandvik", "Sandvik Harbour", "Tideway"}
	ends := r.Perm(len(names))[:2]
	list := []suites.Asked{suites.Text("Departure station", "from", names[ends[0]]),
		suites.Text("Arrival station", "to", names[ends[1]]),
		suites.Typed("Travellers", "travellers", "number", fmt.Sprint(suites.Between(r, 2, 6)))}
	v := plain(suites.Page{Site: "Coast Railway", Section: "Tickets", Title: "Find a train – Coast Railway",
		Heading: "Find a train",
		Intro:   "Type a few letters and choose a station from the list.", Submit: "Find trains",
		Thanks: "Three trains were found.", Scene: suites.Scene{Words: names}}, list,
		fmt.Sprintf(`Find a train from %s to %s for %s travellers: choose both stations from the lists that open, then press "Find trains".`,
			list[0].Value, list[1].Value, list[2].Value))
	v.File = "stations.html"
	v.Oracle = slices.Concat(chosen(list[0]), chosen(list[1]), suites.Filled(list[2:]),
		[]cua.Scripted{suites.Press("Find trains"), suites.Done("Trains were found.")})
	v.Refuse = complete("Please choose both stations from their lists and say how many travel.", "from", "to",
		"travellers")
	return v
}

// chosen types into a field with a list and takes the entry of just that name.
func chosen(a suites.Asked) []cua.Scripted {
	return []cua.Scripted{suites.Fill(a.Label, a.Value), suites.Press("role=option name=" + a.Value)}
}
