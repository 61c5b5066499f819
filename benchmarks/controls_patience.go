package benchmarks

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// patienceTasks are controls on which doing the same again, or waiting, is all there is to do.
func patienceTasks() []Task {
	task := func(name, about string, steps int, build func(*rand.Rand) variant) Task {
		return Task{Name: name, Suite: "controls", About: about, Solvable: true, MaxSteps: steps, build: build}
	}
	return []Task{
		task("load-more", "Load more many times: the list grows, and the button moves down with its end", 36, loadMore),
		task("busy-twice", "a button that the server answers with 503 twice; to try again is right", 16, busyTwice),
		task("five-presses", "the same press five times, no more and no fewer: the count is shown", 20, fivePresses),
		task("long-list", "a list that grows while it is scrolled to its end", 30, longList),
		task("print-job", "a job that is waited for: something shows every one to two seconds", 20, printJob),
	}
}

func loadMore(r *rand.Rand) variant {
	const parts, rows = 9, 6
	target := between(r, 5, 8)
	birds := []string{"avocet", "curlew", "dunlin", "godwit", "knot", "lapwing", "plover", "sanderling", "snipe", "turnstone", "whimbrel"}
	shift := r.IntN(len(birds))
	show := func(s State) page {
		n := min(max(s.Page, 1), parts)
		p := page{Site: "Bird Log", Section: "Sightings", Heading: "Sightings", Title: "Sightings – Bird Log", Submit: "Load more", Page: n, Pages: parts, Next: n + 1,
			Count: n * rows, Thanks: fmt.Sprintf("%d of %d sightings", n*rows, parts*rows)}
		for i := range rows {
			k := (n-1)*rows + i
			p.Rows = append(p.Rows, row{fmt.Sprintf("%d. %s", k+1, birds[(k*7+shift)%len(birds)]), fmt.Sprintf("%02d:%02d", 5+k/6, k*17%60)})
		}
		return p
	}
	oracle := times(min(target-1, 2), press("Load more"))
	for range target - 1 - len(oracle) { // by now the button is below what is in sight
		oracle = append(oracle, scroll(point(640, 500), 2000), press("Load more"))
	}
	return variant{
		goal: fmt.Sprintf(`Press "Load more" until the page says "%d of %d sightings".`, target*rows, parts*rows),
		file: "loadmore.html", data: show(State{}), at: show,
		oracle: append(oracle, done(fmt.Sprintf("%d sightings are shown.", target*rows))),
		solved: func(s State) bool { return s.Page == target },
	}
}

// refusals is how often a busy server says so before it does its work.
const refusals = 2

func busyTwice(r *rand.Rand) variant {
	item := pick(r, "Gate 3", "Pump 7", "Lamp 12", "Valve 5")
	want := map[string]string{"item": item}
	right := lastSent(want)
	return variant{
		goal: `Press "Save settings" until the settings are saved: the server is busy at times, and then it has to be pressed again.`,
		plan: thanked("the settings are saved"),
		file: "busy.html",
		data: page{Site: "Pump Station 4", Section: "Console", Heading: "Settings of " + item, Title: "Settings of " + item + " – Pump Station 4",
			Intro: "The server is busy at times.", Submit: "Save settings", Hidden: input{Name: "item"}, Seat: item, Thanks: "The settings were saved.",
			Rows: []row{{"Opens at", fmt.Sprintf("%d cm", between(r, 20, 90))}, {"Closes at", fmt.Sprintf("%d cm", between(r, 5, 19))}}},
		oracle: slices.Concat(times(refusals+1, press("Save settings")), []cua.Scripted{done("The settings were saved.")}),
		lost: func(s State) int {
			if len(s.Sent) <= refusals {
				return http.StatusServiceUnavailable
			}
			return http.StatusOK
		},
		solved: func(s State) bool { return len(s.Sent) > refusals && right(s) },
	}
}

func fivePresses(r *rand.Rand) variant {
	const target = 5
	bell := pick(r, "ship's bell", "gong", "fog horn")
	show := func(s State) page {
		return page{Site: "Signal Mast", Section: "Remote", Heading: "The " + bell, Title: "The " + bell + " – Signal Mast", Intro: "Each press sounds it once.",
			Submit: "Sound the " + bell, Count: s.Count}
	}
	return variant{
		goal: fmt.Sprintf(`Press "Sound the %s" five times.`, bell),
		file: "bell.html", data: show(State{}), at: show,
		oracle: slices.Concat(times(target, press("Sound the "+bell)), []cua.Scripted{done("It was sounded five times.")}),
		solved: func(s State) bool { return s.Count == target },
	}
}

func longList(r *rand.Rand) variant {
	const rows = 5
	parts, height := between(r, 5, 8), between(r, 132, 140) // a part is as high as one scroll
	streets := []string{"Mill Lane", "Orchard Road", "Station Street", "Quay Side", "Lantern Hill", "Tideway", "Church Walk"}
	shift := r.IntN(len(streets))
	show := func(s State) page {
		at := min(max(s.Page, 1), parts)
		p := page{Site: "Swift Post", Section: "Rounds", Heading: "Today's round", Title: "Today's round – Swift Post", Page: at, Pages: parts, Next: at + 1,
			Scene: scene{Look: "document", H: height, First: rows * height}}
		for i := range rows {
			k := (at-1)*rows + i
			p.Rows = append(p.Rows, row{fmt.Sprintf("%d. %s %d", k+1, streets[(k*3+shift)%len(streets)], k*11%90+1), fmt.Sprintf("%d letters", k*13%7+2)})
		}
		return p
	}
	down := scroll(point(640, 500), rows*height)
	return variant{
		goal: "Scroll down to the end of the list: it grows while you do.",
		file: "feed.html", data: show(State{}), at: show,
		oracle: slices.Concat(times(parts, down), []cua.Scripted{done("The end of the list is shown.")}),
		solved: func(s State) bool { return s.Shown > parts }, // each part once, and its end
	}
}

func printJob(r *rand.Rand) variant {
	sheets, each := between(r, 3, 5), time.Duration(between(r, 1100, 1900))*time.Millisecond
	takes := time.Duration(sheets) * each
	delay := pick(r, 100, 150)
	show := func(s State) page {
		p := page{Site: "Copy Corner", Section: "Printer 2", Heading: "Your leaflet", Title: "Your leaflet – Copy Corner", Intro: "The printer is slow and sure.",
			Submit: "Print leaflet", DelayMS: delay, Scene: scene{Look: "plain"}}
		switch {
		case s.Presses > 0 && s.Since >= takes:
			p.Thanks, p.Pages = "The leaflet is printed.", 1
		case s.Presses > 0:
			p.Thanks = fmt.Sprintf("Printing sheet %d of %d", int(s.Since/each)+1, sheets)
		}
		return p
	}
	wait := wait(int(each.Milliseconds()))
	return variant{
		goal: `Press "Print leaflet" and wait until the page says "The leaflet is printed."`,
		file: "job.html", data: show(State{}), at: show,
		oracle: slices.Concat([]cua.Scripted{press("Print leaflet")}, times(sheets, wait), []cua.Scripted{done("The leaflet is printed.")}),
		solved: func(s State) bool { return s.Presses == 1 && s.Since >= takes },
	}
}
