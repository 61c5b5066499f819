package tuned

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
)

// healthyTasks are the cases H1 to H10 (docs/detection-errors.md#the-cases). Their players are their oracles.
func healthyTasks() []suites.Task {
	task := func(name, about string, steps int, build func(*rand.Rand) suites.Variant) suites.Task {
		return suites.Task{Name: name, Suite: "healthy", About: about, Solvable: true, MaxSteps: steps,
			Build: build}
	}
	refresh := task("h6-refresh", "Refresh nine times while nothing changes yet: stuck or patient?", 20,
		refreshing)
	refresh.Ambiguous = true
	return []suites.Task{
		task("h1-next", "Next twelve times: each press shows other rows", 26, nextPages),
		task("h2-next-month", "Next month twelve times: a few letters or pixels change", 26, nextMonths),
		task("h3-twelve-fields", "twelve fields on one page, filled in one of four ways", 50, manyFields),
		task("h4-slow-job", "a job of 42.5 s that shows nothing until it is done: nine waits of 5 s",
			20, slowJob), task("h5-endless-list",
			"twelve scrolls down a list that grows, two more at its end", 26, endlessList), refresh,
		task("h7-stepper", "+ ten times: a number grows by one", 26, plusTen),
		task("h8-six-searches", "six searches in one field, each with results", 26, sixSearches),
		task("h9-strokes", "ten strokes on one drawing", 26, strokes),
		task("h10-compare", "two pages read by turns, each time further down", 26, compare),
	}
}

// nextPages turns pages by documents, or puts other rows into one document with one address.
func nextPages(r *rand.Rand) suites.Variant {
	const pages, target = 14, 13
	kinds := []string{"common", "dwarf", "grey", "mountain", "silver", "swamp", "white"}
	genera := []string{"Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gorse", "Hazel", "Ivy", "Juniper",
		"Larch", "Maple", "Oak", "Pine"}
	r.Shuffle(len(genera), func(i, j int) { genera[i], genera[j] = genera[j], genera[i] })
	s := suites.Scene{Look: suites.Pick(r, "links", "swap"), Style: suites.Styles(r)}
	n := suites.Between(r, 3, len(kinds))
	show := func(st suites.State) suites.Page {
		at := min(max(st.Page, 1), pages)
		p := suites.Page{Site: "Plant Catalogue", Section: "Trees", Heading: "Trees",
			Title: "Trees – Plant Catalogue", Page: at, Pages: pages, Prev: at - 1, Next: at + 1, Scene: s}
		for i, k := range kinds[:n] {
			p.Rows = append(p.Rows, suites.Row{Name: genera[at-1] + ", " + k,
				Value: fmt.Sprintf("%d m", (at*37+i*53)%29+2)})
		}
		return p
	}
	return pressNext(target, pages, show)
}

// dial is a page on which one of two buttons is pressed n times, and then the form is sent. The look decides
// how its value is shown: words, letters that only the pixels show, or a field.
func dial(r *rand.Rand, p suites.Page, values []string, less, more string, n int) suites.Variant {
	p.Scene = suites.Scene{Look: suites.Pick(r, "text", "canvas", "svg", "after", "field"),
		Style: suites.Styles(r), Values: values, Less: less, More: more}
	return suites.Variant{
		Goal: fmt.Sprintf(`Press %q until the page says %q, then press %q.`, more, values[n], p.Submit),
		File: "dial.html", Data: p,
		Oracle: slices.Concat(suites.Times(n, suites.Press(more)),
			[]cua.Scripted{suites.Press(p.Submit), suites.Done("The page says " + values[n] + ".")}),
		Solved: suites.LastSent(map[string]string{"value": values[n]}),
	}
}

func nextMonths(r *rand.Rand) suites.Variant {
	start := time.Date(suites.Between(r, 2026, 2029), time.Month(suites.Between(r, 1, 12)), 1, 0, 0, 0,
		0, time.UTC)
	form := suites.Pick(r, "January 2006", "Jan 2006", "01/2006")
	var months []string
	for i := range 16 {
		months = append(months, start.AddDate(0, i, 0).Format(form))
	}
	return dial(r, suites.Page{Site: "Boat House", Section: "Bookings", Heading: "Choose a month",
		Title: "Choose a month – Boat House",
		Intro: "Boats are free in every month.", Submit: "Book this month", Thanks: "Your boat is booked."},
		months, "Previous month", "Next month", 12)
}

func plusTen(r *rand.Rand) suites.Variant {
	from := suites.Between(r, 0, 5)
	var counts []string
	for i := range 20 {
		counts = append(counts, fmt.Sprint(from+i))
	}
	return dial(r, suites.Page{Site: "Lantern Theatre", Section: "Tickets", Heading: "How many tickets?",
		Title: "How many tickets? – Lantern Theatre",
		Intro: "The seats are side by side.", Submit: "Continue", Thanks: "Your seats are reserved."}, counts,
		"Remove one ticket", "Add one ticket", 10)
}

// manyFields fills the form by its labels, by clicks and typing, by the keyboard alone, or with
// one and the same answer everywhere.
func manyFields(r *rand.Rand) suites.Variant {
	v := twelveFields(r)
	way := suites.Pick(r, "labels", "clicks", "tabs", "same")
	if way == "same" {
		answer := suites.Pick(r, "n/a", "x", "none")
		same := map[string]string{}
		for i := range v.Data.Inputs {
			v.Data.Inputs[i].Type = "text"
			same[v.Data.Inputs[i].Name] = answer
			v.Fields[i].Value = answer
			v.Oracle[i].Text = answer
		}
		v.Goal = fmt.Sprintf(`Write %q into all twelve fields and press %q.`, answer, v.Data.Submit)
		v.Solved = suites.LastSent(same)
	}
	if way == "labels" || way == "same" {
		return v
	}
	var script []cua.Scripted
	for i, line := range v.Oracle[:len(v.Data.Inputs)] {
		if way == "clicks" || i == 0 {
			script = append(script, suites.Press(line.On))
		} else {
			script = append(script, suites.Key("Tab"))
		}
		script = append(script, suites.Write(line.Text))
	}
	v.Oracle = slices.Concat(script, v.Oracle[len(v.Data.Inputs):])
	return v
}

// jobWaits and jobWaitMS are how a job is waited for; it takes half a wait less.
const (
	jobWaits  = 9
	jobWaitMS = 5000
)

func slowJob(r *rand.Rand) suites.Variant {
	const takes = (2*jobWaits - 1) * jobWaitMS / 2 * time.Millisecond
	name, tells := suites.Pick(r, "Start", "Make the report", "Count again"),
		suites.Pick(r, "The job is running.", "Please wait…", "Queued")
	s := suites.Scene{Name: name, Style: suites.Styles(r), Look: suites.Pick(r, "plain", "spins")}
	delay := suites.Pick(r, 80, 120, 180)
	show := func(st suites.State) suites.Page {
		p := suites.Page{Site: "Pump Station 4", Section: "Reports", Heading: "Yearly report",
			Title: "Yearly report – Pump Station 4", Intro: "The report takes most of a minute.",
			Submit: name, DelayMS: delay, Scene: s}
		switch {
		case st.Presses > 0 && st.Since >= takes:
			p.Thanks, p.Pages = "The report is ready.", 1
		case st.Presses > 0:
			p.Thanks = tells
		}
		return p
	}
	return suites.Variant{
		Goal: fmt.Sprintf(`Press %q and wait until the page says "The report is ready."`, name),
		File: "job.html", Data: show(suites.State{}), At: show,
		Oracle: slices.Concat([]cua.Scripted{suites.Press(name)}, suites.Times(jobWaits,
			suites.Wait(jobWaitMS)), []cua.Scripted{suites.Done("The report is ready.")}),
		Solved: func(st suites.State) bool { return st.Presses == 1 && st.Since >= takes },
	}
}

// refreshes is how often the page is asked without an answer; the next time it has the answer.
const refreshes = 9

func refreshing(r *rand.Rand) suites.Variant {
	s := suites.Scene{Look: suites.Pick(r, "links", "swap"), Style: suites.Styles(r),
		Name: suites.Pick(r, "Refresh", "Check again", "Update")}
	parcel := fmt.Sprintf("PX-%d", suites.Between(r, 10000, 99999))
	show := func(st suites.State) suites.Page {
		p := suites.Page{Site: "Swift Post", Section: "Tracking", Heading: "Parcel " + parcel,
			Title: "Parcel " + parcel + " – Swift Post", Submit: s.Name, Thanks: "On its way", Scene: s}
		if st.Shown > refreshes+1 {
			p.Thanks = "At the depot"
		}
		return p
	}
	return suites.Variant{
		Goal: fmt.Sprintf(`Press %q until the page says "At the depot".`, s.Name),
		File: "refresh.html", Data: show(suites.State{}), At: show,
		Oracle: slices.Concat(suites.Times(refreshes+1, suites.Press(s.Name)),
			[]cua.Scripted{suites.Done("The parcel is at the depot.")}),
		Solved: func(st suites.State) bool { return st.Shown > refreshes+1 },
	}
}
