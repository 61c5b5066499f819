package tuned

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
)

func controlTasks() []suites.Task {
	tasks := []suites.Task{
		{Name: "pagination", Suite: "controls", About: "Next many times: each press loads another page", Solvable: true, MaxSteps: 26, Build: pagination},
		{Name: "stepper", Suite: "controls", About: "+ many times: a number grows by one", Solvable: true, MaxSteps: 26, Build: stepper},
		{Name: "twelve-fields", Suite: "controls", About: "twelve fields on one page", Solvable: true, MaxSteps: 40, Build: twelveFields},
		{Name: "date-picker", Suite: "controls", About: "Next month many times, then a day", Solvable: true, MaxSteps: 26, Build: datePicker},
		{Name: "slow-save", Suite: "controls", About: "nothing shows until the save is through, one to three seconds later", Solvable: true, MaxSteps: 16, Build: slowSave},
	}
	return slices.Concat(tasks, patienceTasks())
}

func pagination(r *rand.Rand) suites.Variant {
	const pages = 14
	target := suites.Between(r, 8, 12)
	genera := []string{"Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gorse", "Hazel", "Ivy", "Juniper",
		"Larch", "Maple", "Oak", "Pine"}
	r.Shuffle(len(genera), func(i, j int) { genera[i], genera[j] = genera[j], genera[i] })
	kinds := []string{"common", "dwarf", "grey", "mountain", "silver", "swamp", "white"}
	show := func(s suites.State) suites.Page {
		n := min(max(s.Page, 1), pages)
		p := suites.Page{Site: "Plant Catalogue", Section: "Trees", Heading: "Trees",
			Title: fmt.Sprintf("Page %d of %d – Trees", n, pages), Page: n, Pages: pages, Prev: n - 1,
			Next: n + 1}
		for i, k := range kinds {
			p.Rows = append(p.Rows, suites.Row{Name: genera[n-1] + ", " + k,
				Value: fmt.Sprintf("%d m", (n*37+i*53)%29+2)})
		}
		return p
	}
	return pressNext(target, pages, show)
}

// pressNext is the task of going to page target of a list of pages, one page a press.
func pressNext(target, pages int, show func(suites.State) suites.Page) suites.Variant {
	return suites.Variant{
		Goal: fmt.Sprintf(`Press "Next" until the page says "Page %d of %d".`, target, pages),
		File: "pagination.html", Data: show(suites.State{Page: 1}), At: show,
		Oracle: slices.Concat(suites.Times(target-1, suites.Press("Next")),
			[]cua.Scripted{suites.Done(fmt.Sprintf("Page %d is shown.", target))}),
		Solved: func(s suites.State) bool { return s.Page == target },
	}
}

func stepper(r *rand.Rand) suites.Variant {
	target := suites.Between(r, 6, 12)
	show := func(s suites.State) suites.Page {
		return suites.Page{Site: "Lantern Theatre", Section: "Tickets", Heading: "How many tickets?",
			Count: s.Count, Title: fmt.Sprintf("%d tickets – How many tickets?", s.Count),
			Intro: "The seats are side by side."}
	}
	return suites.Variant{
		Goal: fmt.Sprintf(`Press "Add one ticket" until the page says "%d tickets".`, target),
		File: "stepper.html", Data: show(suites.State{}), At: show,
		Oracle: slices.Concat(suites.Times(target, suites.Press("Add one ticket")),
			[]cua.Scripted{suites.Done(fmt.Sprintf("There are %d tickets.", target))}),
		Solved: func(s suites.State) bool { return s.Count == target },
	}
}

func twelveFields(r *rand.Rand) suites.Variant {
	p := suites.Somebody(r)
	list := []suites.Asked{suites.Text("First name", "first", p.First),
		suites.Text("Last name", "last", p.Last),
		suites.Typed("Email", "email", "email", p.Email), suites.Typed("Phone", "phone", "tel", p.Phone),
		suites.Text("Company", "company", p.Company), suites.Text("Job title", "job",
			suites.Pick(r, "Engineer", "Buyer", "Editor")), suites.Text("Street", "street",
			suites.Pick(r, "Mill Lane", "Orchard Road")), suites.Typed("House number", "house", "number",
			fmt.Sprint(suites.Between(r, 2, 99))), suites.Text("Postcode", "postcode",
			fmt.Sprint(suites.Between(r, 10000, 99999))), suites.Text("City", "city",
			suites.Pick(r, "Eastport", "Glenmoor")), suites.Text("Country", "country",
			suites.Pick(r, "Norway", "Austria", "Canada")), suites.Text("Member number", "member",
			fmt.Sprintf("M-%d", suites.Between(r, 1000, 9999)))}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return plain(suites.Page{Site: "Guild of Makers", Section: "Register",
		Title: "Your entry – Guild of Makers", Heading: "Your entry",
		Intro: "Twelve answers and you are in the register.", Submit: "Save entry", Wide: true,
		Thanks: "Your entry was saved, " + p.First + "."}, list,
		fmt.Sprintf(`Enter %s %s in the register: fill in all twelve fields and press "Save entry".`, p.First, p.Last))
}

func datePicker(r *rand.Rand) suites.Variant {
	start := time.Date(2026, time.Month(suites.Between(r, 1, 12)), 1, 0, 0, 0, 0, time.UTC)
	months, day := suites.Between(r, 5, 10), suites.Between(r, 2, 28)
	end := start.AddDate(0, months, day-1)
	return suites.Variant{
		Goal: fmt.Sprintf(`Press "Next month" until the page says "%s", then press "%d", then press "Book this day".`, end.Format("January 2006"), day),
		File: "datepicker.html",
		Data: suites.Page{Site: "Boat House", Section: "Bookings", Heading: "Choose a day",
			Title: start.Format("January 2006") + " – Choose a day",
			Intro: "Boats are free on every day.", Submit: "Book this day", Year: start.Year(),
			Month: int(start.Month()), Thanks: "Your boat is booked for " +
				end.Format("2 January 2006") + "."},
		Oracle: slices.Concat(suites.Times(months, suites.Press("Next month")), []cua.Scripted{
			suites.Press(fmt.Sprintf("role=button name=%d", day)), suites.Press("Book this day"),
			suites.Done("The boat is booked.")}),
		Solved: suites.LastSent(map[string]string{"date": end.Format("2006-01-02")}),
	}
}

func slowSave(r *rand.Rand) suites.Variant {
	delay := suites.Between(r, 1000, 3000)
	return suites.Variant{
		Goal: `Press "Save" and wait until the page says "Saved".`,
		File: "slowsave.html",
		Data: suites.Page{Site: "Pump Station 4", Section: "Console", Heading: "Schedule",
			Title: "Schedule – Pump Station 4",
			Intro: "The station answers slowly.", Submit: "Save", DelayMS: delay,
			Rows: []suites.Row{{Name: "Morning run", Value: suites.Pick(r, "05:30", "06:00", "06:30")},
				{Name: "Evening run", Value: suites.Pick(r, "18:00", "18:30", "19:00")}}},
		Oracle: []cua.Scripted{suites.Press("Save"), suites.Wait(delay + 700),
			suites.Done("The schedule was saved.")},
		Solved: func(s suites.State) bool { return s.Count == 1 },
	}
}
