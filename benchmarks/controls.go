package benchmarks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

func controlTasks() []Task {
	tasks := []Task{
		{Name: "pagination", Suite: "controls", About: "Next many times: each press loads another page", Solvable: true, MaxSteps: 26, build: pagination},
		{Name: "stepper", Suite: "controls", About: "+ many times: a number grows by one", Solvable: true, MaxSteps: 26, build: stepper},
		{Name: "twelve-fields", Suite: "controls", About: "twelve fields on one page", Solvable: true, MaxSteps: 40, build: twelveFields},
		{Name: "date-picker", Suite: "controls", About: "Next month many times, then a day", Solvable: true, MaxSteps: 26, build: datePicker},
		{Name: "slow-save", Suite: "controls", About: "nothing shows until the save is through, one to three seconds later", Solvable: true, MaxSteps: 16, build: slowSave},
	}
	return slices.Concat(tasks, patienceTasks())
}

func pagination(r *rand.Rand) variant {
	const pages = 14
	target := between(r, 8, 12)
	genera := []string{"Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gorse", "Hazel", "Ivy", "Juniper", "Larch", "Maple", "Oak", "Pine"}
	r.Shuffle(len(genera), func(i, j int) { genera[i], genera[j] = genera[j], genera[i] })
	kinds := []string{"common", "dwarf", "grey", "mountain", "silver", "swamp", "white"}
	show := func(s State) page {
		n := min(max(s.Page, 1), pages)
		p := page{Site: "Plant Catalogue", Section: "Trees", Heading: "Trees", Title: fmt.Sprintf("Page %d of %d – Trees", n, pages),
			Page: n, Pages: pages, Prev: n - 1, Next: n + 1}
		for i, k := range kinds {
			p.Rows = append(p.Rows, row{genera[n-1] + ", " + k, fmt.Sprintf("%d m", (n*37+i*53)%29+2)})
		}
		return p
	}
	return variant{
		goal: fmt.Sprintf(`Press "Next" until the page says "Page %d of %d".`, target, pages),
		file: "pagination.html", data: show(State{Page: 1}), at: show,
		oracle: slices.Concat(times(target-1, press("Next")), []cua.Scripted{done(fmt.Sprintf("Page %d is shown.", target))}),
		solved: func(s State) bool { return s.Page == target },
	}
}

func stepper(r *rand.Rand) variant {
	target := between(r, 6, 12)
	show := func(s State) page {
		return page{Site: "Lantern Theatre", Section: "Tickets", Heading: "How many tickets?", Count: s.Count,
			Title: fmt.Sprintf("%d tickets – How many tickets?", s.Count), Intro: "The seats are side by side."}
	}
	return variant{
		goal: fmt.Sprintf(`Press "Add one ticket" until the page says "%d tickets".`, target),
		file: "stepper.html", data: show(State{}), at: show,
		oracle: slices.Concat(times(target, press("Add one ticket")), []cua.Scripted{done(fmt.Sprintf("There are %d tickets.", target))}),
		solved: func(s State) bool { return s.Count == target },
	}
}

func twelveFields(r *rand.Rand) variant {
	p := somebody(r)
	list := []asked{text("First name", "first", p.first), text("Last name", "last", p.last),
		typed("Email", "email", "email", p.email), typed("Phone", "phone", "tel", p.phone),
		text("Company", "company", p.company), text("Job title", "job", pick(r, "Engineer", "Buyer", "Editor")),
		text("Street", "street", pick(r, "Mill Lane", "Orchard Road")), typed("House number", "house", "number", fmt.Sprint(between(r, 2, 99))),
		text("Postcode", "postcode", fmt.Sprint(between(r, 10000, 99999))), text("City", "city", pick(r, "Eastport", "Glenmoor")),
		text("Country", "country", pick(r, "Norway", "Austria", "Canada")), text("Member number", "member", fmt.Sprintf("M-%d", between(r, 1000, 9999)))}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return plain(page{Site: "Guild of Makers", Section: "Register", Title: "Your entry – Guild of Makers", Heading: "Your entry",
		Intro: "Twelve answers and you are in the register.", Submit: "Save entry", Wide: true, Thanks: "Your entry was saved, " + p.first + "."}, list,
		fmt.Sprintf(`Enter %s %s in the register: fill in all twelve fields and press "Save entry".`, p.first, p.last))
}

func datePicker(r *rand.Rand) variant {
	start := time.Date(2026, time.Month(between(r, 1, 12)), 1, 0, 0, 0, 0, time.UTC)
	months, day := between(r, 5, 10), between(r, 2, 28)
	end := start.AddDate(0, months, day-1)
	return variant{
		goal: fmt.Sprintf(`Press "Next month" until the page says "%s", then press "%d", then press "Book this day".`, end.Format("January 2006"), day),
		file: "datepicker.html",
		data: page{Site: "Boat House", Section: "Bookings", Heading: "Choose a day", Title: start.Format("January 2006") + " – Choose a day",
			Intro: "Boats are free on every day.", Submit: "Book this day", Year: start.Year(), Month: int(start.Month()),
			Thanks: "Your boat is booked for " + end.Format("2 January 2006") + "."},
		oracle: slices.Concat(times(months, press("Next month")), []cua.Scripted{
			press(fmt.Sprintf("role=button name=%d", day)), press("Book this day"), done("The boat is booked.")}),
		solved: lastSent(map[string]string{"date": end.Format("2006-01-02")}),
	}
}

func slowSave(r *rand.Rand) variant {
	delay := between(r, 1000, 3000)
	return variant{
		goal: `Press "Save" and wait until the page says "Saved".`,
		file: "slowsave.html",
		data: page{Site: "Pump Station 4", Section: "Console", Heading: "Schedule", Title: "Schedule – Pump Station 4",
			Intro: "The station answers slowly.", Submit: "Save", DelayMS: delay,
			Rows: []row{{"Morning run", pick(r, "05:30", "06:00", "06:30")}, {"Evening run", pick(r, "18:00", "18:30", "19:00")}}},
		oracle: []cua.Scripted{press("Save"), wait(delay + 700), done("The schedule was saved.")},
		solved: func(s State) bool { return s.Count == 1 },
	}
}
