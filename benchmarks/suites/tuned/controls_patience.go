package tuned

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
)

// patienceTasks are controls on which doing the same again, or waiting, is all there is to do.
func patienceTasks() []suites.Task {
	task := func(name, about string, steps int, build func(*rand.Rand) suites.Variant) suites.Task {
		return suites.Task{Name: name, Suite: "controls", About: about, Solvable: true, MaxSteps: steps,
			Build: build}
	}
	return []suites.Task{
		task("load-more", "Load more many times: the list grows, and the button moves down with its end",
			36, loadMore),
		task("busy-twice", "a button that the server answers with 503 twice; to try again is right", 16,
			busyTwice),
		task("five-presses", "the same press five times, no more and no fewer: the count is shown", 20,
			fivePresses),
		task("long-list", "a list that grows while it is scrolled to its end", 30, longList),
		task("print-job", "a job that is waited for: something shows every one to two seconds", 20, printJob),
	}
}

func loadMore(r *rand.Rand) suites.Variant {
	const parts, rows = 9, 6
	target := suites.Between(r, 5, 8)
	birds := []string{"avocet", "curlew", "dunlin", "godwit", "knot", "lapwing", "plover", "sanderling",
		"snipe", "turnstone", "whimbrel"}
	shift := r.IntN(len(birds))
	show := func(s suites.State) suites.Page {
		n := min(max(s.Page, 1), parts)
		p := suites.Page{Site: "Bird Log", Section: "Sightings", Heading: "Sightings",
			Title: "Sightings – Bird Log", Submit: "Load more", Page: n, Pages: parts, Next: n + 1,
			Count: n * rows, Thanks: fmt.Sprintf("%d of %d sightings", n*rows, parts*rows)}
		for i := range rows {
			k := (n-1)*rows + i
			p.Rows = append(p.Rows, suites.Row{Name: fmt.Sprintf("%d. %s", k+1,
				birds[(k*7+shift)%len(birds)]), Value: fmt.Sprintf("%02d:%02d", 5+k/6, k*17%60)})
		}
		return p
	}
	oracle := suites.Times(min(target-1, 2), suites.Press("Load more"))
	for range target - 1 - len(oracle) { // by now the button is below what is in sight
		oracle = append(oracle, suites.Scroll(suites.Point(640, 500), 2000), suites.Press("Load more"))
	}
	return suites.Variant{
		Goal: fmt.Sprintf(`Press "Load more" until the page says "%d of %d sightings".`, target*rows, parts*rows),
		File: "loadmore.html", Data: show(suites.State{}), At: show,
		Oracle: append(oracle, suites.Done(fmt.Sprintf("%d sightings are shown.", target*rows))),
		Solved: func(s suites.State) bool { return s.Page == target },
	}
}

// refusals is how often a busy server says so before it does its work.
const refusals = 2

func busyTwice(r *rand.Rand) suites.Variant {
	item := suites.Pick(r, "Gate 3", "Pump 7", "Lamp 12", "Valve 5")
	want := map[string]string{"item": item}
	right := suites.LastSent(want)
	return suites.Variant{
		Goal: `Press "Save settings" until the settings are saved: the server is busy at times, and then it has to be pressed again.`,
		Plan: thanked("the settings are saved"),
		File: "busy.html",
		Data: suites.Page{Site: "Pump Station 4", Section: "Console", Heading: "Settings of " + item,
			Title: "Settings of " + item + " – Pump Station 4",
			Intro: "The server is busy at times.", Submit: "Save settings",
			Hidden: suites.Input{Name: "item"}, Seat: item, Thanks: "The settings were saved.",
			Rows: []suites.Row{{Name: "Opens at", Value: fmt.Sprintf("%d cm", suites.Between(r, 20, 90))},
				{Name: "Closes at", Value: fmt.Sprintf("%d cm", suites.Between(r, 5, 19))}}},
		Oracle: slices.Concat(suites.Times(refusals+1, suites.Press("Save settings")),
			[]cua.Scripted{suites.Done("The settings were saved.")}),
		Lost: func(s suites.State) int {
			if len(s.Sent) <= refusals {
				return http.StatusServiceUnavailable
			}
			return http.StatusOK
		},
		Solved: func(s suites.State) bool { return len(s.Sent) > refusals && right(s) },
	}
}

func fivePresses(r *rand.Rand) suites.Variant {
	const target = 5
	bell := suites.Pick(r, "ship's bell", "gong", "fog horn")
	show := func(s suites.State) suites.Page {
		return suites.Page{Site: "Signal Mast", Section: "Remote", Heading: "The " + bell,
			Title: "The " + bell + " – Signal Mast", Intro: "Each press sounds it once.",
			Submit: "Sound the " + bell, Count: s.Count}
	}
	return suites.Variant{
		Goal: fmt.Sprintf(`Press "Sound the %s" five times.`, bell),
		File: "bell.html", Data: show(suites.State{}), At: show,
		Oracle: slices.Concat(suites.Times(target, suites.Press("Sound the "+bell)),
			[]cua.Scripted{suites.Done("It was sounded five times.")}),
		Solved: func(s suites.State) bool { return s.Count == target },
	}
}

func longList(r *rand.Rand) suites.Variant {
	const rows = 5
	parts, height := suites.Between(r, 5, 8), suites.Between(r, 132, 140) // a part is as high as one scroll
	streets := []string{"Mill Lane", "Orchard Road", "Station Street", "Quay Side", "Lantern Hill", "Tideway",
		"Church Walk"}
	shift := r.IntN(len(streets))
	show := func(s suites.State) suites.Page {
		at := min(max(s.Page, 1), parts)
		p := suites.Page{Site: "Swift Post", Section: "Rounds", Heading: "Today's round",
			Title: "Today's round – Swift Post", Page: at, Pages: parts, Next: at + 1,
			Scene: suites.Scene{Look: "document", H: height, First: rows * height}}
		for i := range rows {
			k := (at-1)*rows + i
			p.Rows = append(p.Rows, suites.Row{Name: fmt.Sprintf("%d. %s %d", k+1,
				streets[(k*3+shift)%len(streets)], k*11%90+1), Value: fmt.Sprintf("%d letters", k*13%7+2)})
		}
		return p
	}
	down := suites.Scroll(suites.Point(640, 500), rows*height)
	return suites.Variant{
		Goal: "Scroll down to the end of the list: it grows while you do.",
		File: "feed.html", Data: show(suites.State{}), At: show,
		Oracle: slices.Concat(suites.Times(parts, down),
			[]cua.Scripted{suites.Done("The end of the list is shown.")}),
		Solved: func(s suites.State) bool { return s.Shown > parts }, // each part once, and its end
	}
}

func printJob(r *rand.Rand) suites.Variant {
	sheets, each := suites.Between(r, 3, 5), time.Duration(suites.Between(r, 1100, 1900))*time.Millisecond
	takes := time.Duration(sheets) * each
	delay := suites.Pick(r, 100, 150)
	show := func(s suites.State) suites.Page {
		p := suites.Page{Site: "Copy Corner", Section: "Printer 2", Heading: "Your leaflet",
			Title: "Your leaflet – Copy Corner", Intro: "The printer is slow and sure.",
			Submit: "Print leaflet", DelayMS: delay, Scene: suites.Scene{Look: "plain"}}
		switch {
		case s.Presses > 0 && s.Since >= takes:
			p.Thanks, p.Pages = "The leaflet is printed.", 1
		case s.Presses > 0:
			p.Thanks = fmt.Sprintf("Printing sheet %d of %d", int(s.Since/each)+1, sheets)
		}
		return p
	}
	wait := suites.Wait(int(each.Milliseconds()))
	return suites.Variant{
		Goal: `Press "Print leaflet" and wait until the page says "The leaflet is printed."`,
		File: "job.html", Data: show(suites.State{}), At: show,
		Oracle: slices.Concat([]cua.Scripted{suites.Press("Print leaflet")}, suites.Times(sheets, wait),
			[]cua.Scripted{suites.Done("The leaflet is printed.")}),
		Solved: func(s suites.State) bool { return s.Presses == 1 && s.Since >= takes },
	}
}
