package benchmarks

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// stuckSteps is how long the players of the suite stuck go on (spec: loops, cases).
const stuckSteps = 24

// stuckTasks are S1 to S9 of the spec's cases. None can be solved.
func stuckTasks() []Task {
	task := func(name, about string, build func(*rand.Rand) variant) Task {
		return Task{Name: name, Suite: "stuck", About: about, MaxSteps: stuckSteps, build: build}
	}
	return []Task{
		task("s1-dead-button", "a dead button on a frozen page", deadThing),
		task("s2-jitter", "the same, the clicks up to 5 px beside each other, on a button or on a picture", jitter),
		task("s3-two-pages", "from one page to the other and back", circle(2)),
		task("s4-three-pages", "from page to page in a circle of three", circle(3)),
		task("s5-dead-button-clock", "a dead button beside a ticking clock and something that turns", deadBesideClock),
		task("s6-renumbered", "a dead button that each press renders anew, under another id", renumbered),
		task("s7-click-wait", "a dead button and a wait by turns", clickAndWait),
		task("s8-all-in-vain", "always something else, and nothing helps", allInVain),
		task("s9-errors", "three kinds of error by turns", errorsByTurns),
	}
}

// dead is a page with things on it that do nothing.
func dead(r *rand.Rand) variant {
	name := pick(r, "Save settings", "Apply", "Confirm order", "Send request", "Update plan")
	v := variant{
		goal: fmt.Sprintf(`Press %q so that the page says that it was done. If that cannot be done, say so.`, name),
		file: "stuck.html",
		data: page{Site: pick(r, "Pump Station 4", "Harbour Library", "Parcel Desk", "Orchard Co-op"), Section: "Console",
			Heading: pick(r, "Settings", "Your order", "Schedule"), Intro: pick(r, "Nothing has been saved yet.", "This has not been sent yet."),
			Rows: facts(r, "Site", between(r, 2, 4)), Scene: scene{Name: name, Style: styles(r), Look: pick(r, "button", "role", "input")}},
		oracle: []cua.Scripted{press(name), giveUp(fmt.Sprintf("%q does nothing.", name))},
	}
	v.data.Title = v.data.Heading + " – " + v.data.Site
	v.data.Scene.board(r)
	return v
}

func deadThing(r *rand.Rand) variant {
	v := dead(r)
	v.player = times(stuckSteps, press(v.data.Scene.Name))
	return v
}

// jitter presses a button, or a picture on which there is nothing to identify.
func jitter(r *rand.Rand) variant {
	v := dead(r)
	s := &v.data.Scene
	if pick(r, true, false) {
		s.Look = pick(r, "canvas", "picture")
		v.goal = `Press the picture so that the page says that it was done. If that cannot be done, say so.`
		v.oracle = []cua.Scripted{click(s.at(0, 0)), giveUp("The picture does nothing.")}
	}
	for range stuckSteps {
		v.player = append(v.player, click(s.at(between(r, -5, 5), between(r, -5, 5))))
	}
	return v
}

// circle is n pages, each with one link to the next, and the last with one to the first.
func circle(n int) func(*rand.Rand) variant {
	return func(r *rand.Rand) variant {
		titles := []string{"Overview", "Details", "History", "Contacts", "Prices"}
		r.Shuffle(len(titles), func(i, j int) { titles[i], titles[j] = titles[j], titles[i] })
		views := make([]view, n)
		for i := range views {
			views[i] = view{Title: titles[i], Rows: facts(r, titles[i], between(r, 2, 5)),
				Link: pick(r, "Go to ", "See ", "") + titles[(i+1)%n]}
		}
		s := scene{Look: pick(r, "links", "links", "views", "swap"), Style: styles(r), Views: views}
		show := func(st State) page {
			i := (max(st.Page, 1) - 1) % n
			p := page{Site: "Orchard Co-op", Section: "Depot", Heading: views[i].Title, Title: views[i].Title + " – Orchard Co-op",
				Rows: views[i].Rows, Submit: views[i].Link, Page: i + 1, Next: (i+1)%n + 1, Scene: s}
			return p
		}
		v := variant{
			goal: `Find the price of a crate of quinces. If it is nowhere, say so.`,
			file: "circle.html", data: show(State{}), at: show,
			oracle: []cua.Scripted{press(views[0].Link), giveUp("No page names that price.")},
		}
		for i := range stuckSteps {
			v.player = append(v.player, press(views[i%n].Link))
		}
		return v
	}
}

func deadBesideClock(r *rand.Rand) variant {
	v := deadThing(r)
	v.data.Scene.alive(r)
	return v
}

func renumbered(r *rand.Rand) variant {
	v := dead(r)
	s := &v.data.Scene
	s.Look, s.First, s.Renews = "button", between(r, 100, 9000), pick(r, "thing", "page")
	v.player = times(stuckSteps, press(s.Name))
	return v
}

func clickAndWait(r *rand.Rand) variant {
	v := dead(r)
	pause := between(r, 50, 400)
	for range stuckSteps / 2 {
		v.player = append(v.player, press(v.data.Scene.Name), wait(pause))
	}
	return v
}

// allInVain does something else each time: none of it is what the page waits for, since it
// waits for nothing.
func allInVain(r *rand.Rand) variant {
	v := dead(r)
	s := &v.data.Scene
	s.Look = "button"
	pool := []func() cua.Scripted{
		func() cua.Scripted { return press(s.Name) },
		func() cua.Scripted { return click(point(between(r, 20, 1260), between(r, 440, 490))) }, // above the board
		func() cua.Scripted { return click(s.at(-s.W/2+8, s.H/2-8)) },                           // a corner of it
		func() cua.Scripted { return key(pick(r, "Escape", "Left", "Right", "Down", "Up", "F2")) },
		func() cua.Scripted { return key(pick(r, "Tab", "Home", "End", "Page_Down")) },
		func() cua.Scripted { return scroll(s.at(0, 0), pick(r, 200, 300, 400)) },
		func() cua.Scripted {
			return cua.Scripted{Action: cua.Action{Kind: cua.Hover, Point: point(between(r, 20, 1260), between(r, 60, 780))}}
		},
		func() cua.Scripted { return cua.Scripted{Action: cua.Action{Kind: cua.DoubleClick}, On: s.Name} },
	}
	last := -1
	for len(v.player) < stuckSteps {
		i := r.IntN(len(pool))
		if i != last {
			v.player = append(v.player, pool[i]())
		}
		last = i
	}
	return v
}

// errorsByTurns fails in three ways, each of which the browser or the policy turns down by itself.
func errorsByTurns(r *rand.Rand) variant {
	v := dead(r)
	v.data.Inputs = []input{{Label: "Depot", Name: "depot", Options: []string{"North", "South"}}}
	pool := []cua.Scripted{
		{Action: cua.Action{Kind: cua.Click, Mark: 280}},                                        // element_not_found
		key("Hyper+Launch9"),                                                                    // unknown_action
		choose("Depot", pick(r, "West", "East")),                                                // not_interactable
		{Action: cua.Action{Kind: cua.AnswerDlg, Accept: true}},                                 // exec_error
		{Action: cua.Action{Kind: cua.Navigate, URL: "http://depot.test/" + pick(r, "a", "b")}}, // policy_denied
		{Action: cua.Action{Kind: cua.Scroll}},                                                  // schema_reject
	}
	r.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	for i := range stuckSteps {
		v.player = append(v.player, pool[i%3])
	}
	v.oracle = slices.Concat([]cua.Scripted{press(v.data.Scene.Name)}, v.oracle[1:])
	return v
}
