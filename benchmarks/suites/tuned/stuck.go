package tuned

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
)

// stuckSteps is how long the players of the suite stuck go on.
const stuckSteps = 24

// stuckTasks are the cases S1 to S9 (docs/detection-errors.md#the-cases). None can be solved.
func stuckTasks() []suites.Task {
	task := func(name, about string, build func(*rand.Rand) suites.Variant) suites.Task {
		return suites.Task{Name: name, Suite: "stuck", About: about, MaxSteps: stuckSteps, Build: build}
	}
	return []suites.Task{
		task("s1-dead-button", "a dead button on a frozen page", deadThing),
		task("s2-jitter", "the same, the clicks up to 5 px beside each other, on a button or on a picture",
			jitter), task("s3-two-pages", "from one page to the other and back", circle(2)),
		task("s4-three-pages", "from page to page in a circle of three", circle(3)),
		task("s5-dead-button-clock", "a dead button beside a ticking clock and something that turns",
			deadBesideClock), task("s6-renumbered",
			"a dead button that each press renders again, under another id", renumbered),
		task("s7-click-wait", "a dead button and a wait by turns", clickAndWait),
		task("s8-all-in-vain", "always something else, and nothing helps", allInVain),
		task("s9-errors", "three kinds of error by turns", errorsByTurns),
	}
}

// dead is a page with things on it that do nothing.
func dead(r *rand.Rand) suites.Variant {
	name := suites.Pick(r, "Save settings", "Apply", "Confirm order", "Send request", "Update plan")
	v := suites.Variant{
		Goal: fmt.Sprintf(`Press %q so that the page says that it was done. If that cannot be done, say so.`, name),
		File: "stuck.html",
		Data: suites.Page{Site: suites.Pick(r, "Pump Station 4", "Harbour Library", "Parcel Desk",
			"Orchard Co-op"), Section: "Console",
			Heading: suites.Pick(r, "Settings", "Your order", "Schedule"),
			Intro:   suites.Pick(r, "Nothing has been saved yet.", "This has not been sent yet."),
			Rows:    suites.Facts(r, "Site", suites.Between(r, 2, 4)),
			Scene: suites.Scene{Name: name, Style: suites.Styles(r),
				Look: suites.Pick(r, "button", "role", "input")}},
		Oracle: []cua.Scripted{suites.Press(name), suites.GiveUp(fmt.Sprintf("%q does nothing.", name))},
	}
	v.Data.Title = v.Data.Heading + " – " + v.Data.Site
	v.Data.Scene.Board(r)
	return v
}

func deadThing(r *rand.Rand) suites.Variant {
	v := dead(r)
	v.Player = suites.Times(stuckSteps, suites.Press(v.Data.Scene.Name))
	return v
}

// jitter presses a button, or a picture on which there is nothing to identify.
func jitter(r *rand.Rand) suites.Variant {
	v := dead(r)
	s := &v.Data.Scene
	if suites.Pick(r, true, false) {
		s.Look = suites.Pick(r, "canvas", "picture")
		v.Goal = `Press the picture so that the page says that it was done. If that cannot be done, say so.`
		v.Oracle = []cua.Scripted{suites.Click(s.At(0, 0)), suites.GiveUp("The picture does nothing.")}
	}
	for range stuckSteps {
		v.Player = append(v.Player, suites.Click(s.At(suites.Between(r, -5, 5), suites.Between(r, -5, 5))))
	}
	return v
}

// circle is n pages, each with one link to the next, and the last with one to the first.
func circle(n int) func(*rand.Rand) suites.Variant {
	return func(r *rand.Rand) suites.Variant {
		titles := []string{"Overview", "Details", "History", "Contacts", "Prices"}
		r.Shuffle(len(titles), func(i, j int) { titles[i], titles[j] = titles[j], titles[i] })
		views := make([]suites.View, n)
		for i := range views {
			views[i] = suites.View{Title: titles[i], Rows: suites.Facts(r, titles[i],
				suites.Between(r, 2, 5)),
				Link: suites.Pick(r, "Go to ", "See ", "") + titles[(i+1)%n]}
		}
		s := suites.Scene{Look: suites.Pick(r, "links", "links", "views", "swap"), Style: suites.Styles(r),
			Views: views}
		show := func(st suites.State) suites.Page {
			i := (max(st.Page, 1) - 1) % n
			p := suites.Page{Site: "Orchard Co-op", Section: "Depot", Heading: views[i].Title,
				Title: views[i].Title + " – Orchard Co-op", Rows: views[i].Rows, Submit: views[i].Link,
				Page: i + 1, Next: (i+1)%n + 1, Scene: s}
			return p
		}
		v := suites.Variant{
			Goal: `Find the price of a crate of quinces. If it is nowhere, say so.`,
			File: "circle.html", Data: show(suites.State{}), At: show,
			Oracle: []cua.Scripted{suites.Press(views[0].Link), suites.GiveUp("No page names that price.")},
		}
		for i := range stuckSteps {
			v.Player = append(v.Player, suites.Press(views[i%n].Link))
		}
		return v
	}
}

func deadBesideClock(r *rand.Rand) suites.Variant {
	v := deadThing(r)
	v.Data.Scene.Alive(r)
	return v
}

func renumbered(r *rand.Rand) suites.Variant {
	v := dead(r)
	s := &v.Data.Scene
	s.Look, s.First, s.Renews = "button", suites.Between(r, 100, 9000), suites.Pick(r, "thing", "page")
	v.Player = suites.Times(stuckSteps, suites.Press(s.Name))
	return v
}

func clickAndWait(r *rand.Rand) suites.Variant {
	v := dead(r)
	pause := suites.Between(r, 50, 400)
	for range stuckSteps / 2 {
		v.Player = append(v.Player, suites.Press(v.Data.Scene.Name), suites.Wait(pause))
	}
	return v
}

// allInVain does something else each time: none of it is what the page waits for, since it
// waits for nothing.
func allInVain(r *rand.Rand) suites.Variant {
	v := dead(r)
	s := &v.Data.Scene
	s.Look = "button"
	pool := []func() cua.Scripted{
		func() cua.Scripted { return suites.Press(s.Name) },
		func() cua.Scripted {
			return suites.Click(suites.Point(suites.Between(r, 20, 1260), suites.Between(r, 440, 490)))
		}, // above the board
		func() cua.Scripted { return suites.Click(s.At(-s.W/2+8, s.H/2-8)) }, // a corner of it
		func() cua.Scripted {
			return suites.Key(suites.Pick(r, "Escape", "Left", "Right", "Down",
				"Up", "F2"))
		},
		func() cua.Scripted { return suites.Key(suites.Pick(r, "Tab", "Home", "End", "Page_Down")) },
		func() cua.Scripted { return suites.Scroll(s.At(0, 0), suites.Pick(r, 200, 300, 400)) },
		func() cua.Scripted {
			return cua.Scripted{Action: cua.Action{Kind: cua.Hover,
				Point: suites.Point(suites.Between(r, 20, 1260), suites.Between(r, 60, 780))}}
		},
		func() cua.Scripted { return cua.Scripted{Action: cua.Action{Kind: cua.DoubleClick}, On: s.Name} },
	}
	last := -1
	for len(v.Player) < stuckSteps {
		i := r.IntN(len(pool))
		if i != last {
			v.Player = append(v.Player, pool[i]())
		}
		last = i
	}
	return v
}

// errorsByTurns fails in three ways, each of which the browser or the policy turns down by itself.
func errorsByTurns(r *rand.Rand) suites.Variant {
	v := dead(r)
	v.Data.Inputs = []suites.Input{{Label: "Depot", Name: "depot", Options: []string{"North", "South"}}}
	pool := []cua.Scripted{
		{Action: cua.Action{Kind: cua.Click, Mark: 280}}, // element_not_found
		// unknown_action
		suites.Key("Hyper+Launch9"),
		// not_interactable
		suites.Choose("Depot", suites.Pick(r, "West", "East")),
		{Action: cua.Action{Kind: cua.AnswerDlg, Accept: true}},                                        // exec_error
		{Action: cua.Action{Kind: cua.Navigate, URL: "http://depot.test/" + suites.Pick(r, "a", "b")}}, // policy_denied
		{Action: cua.Action{Kind: cua.Scroll}},                                                         // schema_reject
	}
	r.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	for i := range stuckSteps {
		v.Player = append(v.Player, pool[i%3])
	}
	v.Oracle = slices.Concat([]cua.Scripted{suites.Press(v.Data.Scene.Name)}, v.Oracle[1:])
	return v
}
