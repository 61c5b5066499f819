package benchmarks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// healthyTasks are H1 to H10 of the spec's cases. Their players are their oracles.
func healthyTasks() []Task {
	task := func(name, about string, steps int, build func(*rand.Rand) variant) Task {
		return Task{Name: name, Suite: "healthy", About: about, Solvable: true, MaxSteps: steps, build: build}
	}
	refresh := task("h6-refresh", "Refresh nine times while nothing changes yet: stuck or patient?", 20, refreshing)
	refresh.Ambiguous = true
	return []Task{
		task("h1-next", "Next twelve times: each press shows other rows", 26, nextPages),
		task("h2-next-month", "Next month twelve times: a few letters or pixels change", 26, nextMonths),
		task("h3-twelve-fields", "twelve fields on one page, filled in one of four ways", 50, manyFields),
		task("h4-slow-job", "a job of 42.5 s that shows nothing until it is done: nine waits of 5 s", 20, slowJob),
		task("h5-endless-list", "twelve scrolls down a list that grows, two more at its end", 26, endlessList),
		refresh,
		task("h7-stepper", "+ ten times: a number grows by one", 26, plusTen),
		task("h8-six-searches", "six searches in one field, each with results", 26, sixSearches),
		task("h9-strokes", "ten strokes on one drawing", 26, strokes),
		task("h10-compare", "two pages read by turns, each time further down", 26, compare),
	}
}

// nextPages turns pages by documents, or puts other rows into one document with one address.
func nextPages(r *rand.Rand) variant {
	const pages, target = 14, 13
	kinds := []string{"common", "dwarf", "grey", "mountain", "silver", "swamp", "white"}
	genera := []string{"Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gorse", "Hazel", "Ivy", "Juniper", "Larch", "Maple", "Oak", "Pine"}
	r.Shuffle(len(genera), func(i, j int) { genera[i], genera[j] = genera[j], genera[i] })
	s := scene{Look: pick(r, "links", "swap"), Style: styles(r)}
	n := between(r, 3, len(kinds))
	show := func(st State) page {
		at := min(max(st.Page, 1), pages)
		p := page{Site: "Plant Catalogue", Section: "Trees", Heading: "Trees", Title: "Trees – Plant Catalogue",
			Page: at, Pages: pages, Prev: at - 1, Next: at + 1, Scene: s}
		for i, k := range kinds[:n] {
			p.Rows = append(p.Rows, row{genera[at-1] + ", " + k, fmt.Sprintf("%d m", (at*37+i*53)%29+2)})
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

// dial is a page on which one of two buttons is pressed n times, and then the form is sent. What
// it shows of its value depends on the look: words, letters that only the pixels show, or a field.
func dial(r *rand.Rand, p page, values []string, less, more string, n int) variant {
	p.Scene = scene{Look: pick(r, "text", "canvas", "svg", "after", "field"), Style: styles(r), Values: values, Less: less, More: more}
	return variant{
		goal: fmt.Sprintf(`Press %q until the page says %q, then press %q.`, more, values[n], p.Submit),
		file: "dial.html", data: p,
		oracle: slices.Concat(times(n, press(more)), []cua.Scripted{press(p.Submit), done("The page says " + values[n] + ".")}),
		solved: lastSent(map[string]string{"value": values[n]}),
	}
}

func nextMonths(r *rand.Rand) variant {
	start := time.Date(between(r, 2026, 2029), time.Month(between(r, 1, 12)), 1, 0, 0, 0, 0, time.UTC)
	form := pick(r, "January 2006", "Jan 2006", "01/2006")
	var months []string
	for i := range 16 {
		months = append(months, start.AddDate(0, i, 0).Format(form))
	}
	return dial(r, page{Site: "Boat House", Section: "Bookings", Heading: "Choose a month", Title: "Choose a month – Boat House",
		Intro: "Boats are free in every month.", Submit: "Book this month", Thanks: "Your boat is booked."}, months, "Previous month", "Next month", 12)
}

func plusTen(r *rand.Rand) variant {
	from := between(r, 0, 5)
	var counts []string
	for i := range 20 {
		counts = append(counts, fmt.Sprint(from+i))
	}
	return dial(r, page{Site: "Lantern Theatre", Section: "Tickets", Heading: "How many tickets?", Title: "How many tickets? – Lantern Theatre",
		Intro: "The seats are side by side.", Submit: "Continue", Thanks: "Your seats are reserved."}, counts, "Remove one ticket", "Add one ticket", 10)
}

// manyFields fills the form by its labels, by clicks and typing, by the keyboard alone, or with
// one and the same answer everywhere.
func manyFields(r *rand.Rand) variant {
	v := twelveFields(r)
	way := pick(r, "labels", "clicks", "tabs", "same")
	if way == "same" {
		answer := pick(r, "n/a", "x", "none")
		same := map[string]string{}
		for i := range v.data.Inputs {
			v.data.Inputs[i].Type = "text"
			same[v.data.Inputs[i].Name] = answer
			v.fields[i].Value = answer
			v.oracle[i].Text = answer
		}
		v.goal = fmt.Sprintf(`Write %q into all twelve fields and press %q.`, answer, v.data.Submit)
		v.solved = lastSent(same)
	}
	if way == "labels" || way == "same" {
		return v
	}
	var script []cua.Scripted
	for i, line := range v.oracle[:len(v.data.Inputs)] {
		if way == "clicks" || i == 0 {
			script = append(script, press(line.On))
		} else {
			script = append(script, key("Tab"))
		}
		script = append(script, write(line.Text))
	}
	v.oracle = slices.Concat(script, v.oracle[len(v.data.Inputs):])
	return v
}

// jobWaits and jobWaitMS are how a job is waited for; it takes half a wait less.
const (
	jobWaits  = 9
	jobWaitMS = 5000
)

func slowJob(r *rand.Rand) variant {
	const takes = (2*jobWaits - 1) * jobWaitMS / 2 * time.Millisecond
	name, tells := pick(r, "Start", "Make the report", "Count again"), pick(r, "The job is running.", "Please wait…", "Queued")
	s := scene{Name: name, Style: styles(r), Look: pick(r, "plain", "spins")}
	delay := pick(r, 80, 120, 180)
	show := func(st State) page {
		p := page{Site: "Pump Station 4", Section: "Reports", Heading: "Yearly report", Title: "Yearly report – Pump Station 4",
			Intro: "The report takes most of a minute.", Submit: name, DelayMS: delay, Scene: s}
		switch {
		case st.Presses > 0 && st.Since >= takes:
			p.Thanks, p.Pages = "The report is ready.", 1
		case st.Presses > 0:
			p.Thanks = tells
		}
		return p
	}
	return variant{
		goal: fmt.Sprintf(`Press %q and wait until the page says "The report is ready."`, name),
		file: "job.html", data: show(State{}), at: show,
		oracle: slices.Concat([]cua.Scripted{press(name)}, times(jobWaits, wait(jobWaitMS)), []cua.Scripted{done("The report is ready.")}),
		solved: func(st State) bool { return st.Presses == 1 && st.Since >= takes },
	}
}

// refreshes is how often the page is asked in vain; the next time it has the answer.
const refreshes = 9

func refreshing(r *rand.Rand) variant {
	s := scene{Look: pick(r, "links", "swap"), Style: styles(r), Name: pick(r, "Refresh", "Check again", "Update")}
	parcel := fmt.Sprintf("PX-%d", between(r, 10000, 99999))
	show := func(st State) page {
		p := page{Site: "Swift Post", Section: "Tracking", Heading: "Parcel " + parcel, Title: "Parcel " + parcel + " – Swift Post", Submit: s.Name,
			Thanks: "On its way", Scene: s}
		if st.Shown > refreshes+1 {
			p.Thanks = "At the depot"
		}
		return p
	}
	return variant{
		goal: fmt.Sprintf(`Press %q until the page says "At the depot".`, s.Name),
		file: "refresh.html", data: show(State{}), at: show,
		oracle: slices.Concat(times(refreshes+1, press(s.Name)), []cua.Scripted{done("The parcel is at the depot.")}),
		solved: func(st State) bool { return st.Shown > refreshes+1 },
	}
}
