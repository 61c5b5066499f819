package tuned

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
)

// rescueTraps are pages from which one row of the rescue table leads on, each by another.
func rescueTraps() []suites.Task {
	return []suites.Task{
		trap("t9-fold",
			"the button's upper edge is in sight, below a strip that stays there: it has to be scrolled "+
				"into view", belowFold),
		trap("t10-notices",
			"a notice over the button, and another one once it is closed, by names that say so in many words",
			notices),
		trap("t11-native-list",
			"a list of choices that no click opens: it is set by its value or by the keyboard", nativeList),
		trap("t12-error-page",
			"an error page with a spinner that never ends, and a button that does nothing: only a reload "+
				"brings the page", errorPage),
		trap("t13-wrong-turn",
			"the way that the goal names ends on a page where nothing works and that has no way back",
			wrongTurn),
	}
}

// trap is a task of the suite that can be solved.
func trap(name, about string, build func(*rand.Rand) suites.Variant) suites.Task {
	return suites.Task{Name: name, Suite: "traps", About: about, Solvable: true, MaxSteps: 30, Build: build}
}

// thanked is a plan whose last step shows by the page that all sent forms lead to.
func thanked(text string) []cua.PlanStep { return []cua.PlanStep{{Text: text, Title: "Thank you"}} }

func belowFold(r *rand.Rand) suites.Variant {
	item := suites.Pick(r, "Larch bench", "Oak stool", "Ash ladder")
	p := suites.Page{Site: "Joinery Lindqvist", Section: "Shop", Title: item + " – Joinery Lindqvist",
		Heading: item, Intro: "Made to order, oiled, and ready to use.", Submit: "Add to basket", Seat: item,
		Thanks: item + " is in your basket.", Rows: []suites.Row{{Name: "Height",
			Value: fmt.Sprintf("%d cm", suites.Between(r, 40, 90))}, {Name: "Weight",
			Value: fmt.Sprintf("%d kg", suites.Between(r, 4, 19))}, {Name: "Price",
			Value: fmt.Sprintf("%d.00", suites.Between(r, 80, 240))}}}
	// of the button's 40 px, that many of the window's 800 are over its middle
	p.Scene.Y = suites.Between(r, 782, 792)
	return suites.Variant{
		Goal: fmt.Sprintf(`Press "Add to basket" for the %s.`, item), Plan: thanked("the basket holds it"), File: "fold.html", Data: p,
		Oracle: []cua.Scripted{suites.Scroll(nil, 300), suites.Press("Add to basket"),
			suites.Done(item + " is in the basket.")},
		Solved: suites.LastSent(map[string]string{"item": item}),
	}
}

func notices(r *rand.Rand) suites.Variant {
	v := overlay(r)
	v.Goal, v.File = `Press "Reserve seat".`, "notices.html"
	last := v.Oracle[len(v.Oracle)-1]
	v.Oracle = []cua.Scripted{suites.Press("Close this notice"), suites.Press("Hide this message"),
		suites.Press("Reserve seat"), last}
	return v
}

func nativeList(r *rand.Rand) suites.Variant {
	tools := []suites.Row{{Name: "Belt sander", Value: fmt.Sprint(suites.Between(r, 20, 29))},
		{Name: "Chain hoist", Value: fmt.Sprint(suites.Between(r, 10, 19))},
		{Name: "Drill stand", Value: fmt.Sprint(suites.Between(r, 30, 39))},
		{Name: "Jigsaw", Value: fmt.Sprint(suites.Between(r, 3, 9))}, {Name: "Tile cutter", Value: fmt.Sprint(suites.Between(r, 40, 49))}}
	cheap := slices.Clone(tools)
	slices.SortFunc(cheap, func(a, b suites.Row) int {
		return len(a.Value)*1000 - len(b.Value)*1000 + int(a.Value[0]) - int(b.Value[0])
	})
	show := func(s suites.State) suites.Page {
		p := suites.Page{Site: "Tool Library", Section: "Loans", Heading: "Tools to borrow",
			Title: "Sorted by name – Tool Library", Intro: "Bring them back on Monday.",
			Submit: "Sort by name or price", Page: s.Page, Rows: tools}
		if s.Page > 1 {
			p.Title, p.Rows = "Sorted by price – Tool Library", cheap
		}
		return p
	}
	return suites.Variant{
		Goal: `Press "Sort by price" until the page says "Sorted by price".`, Plan: []cua.PlanStep{{Text: "the tools are sorted by price", Title: "Sorted by price"}},
		File: "sortlist.html", Data: show(suites.State{Page: 1}), At: show,
		Oracle: []cua.Scripted{suites.Choose("Sort by name or price", "Price"),
			suites.Done("The tools are sorted by price.")},
		Solved: func(s suites.State) bool { return s.Page == 2 },
	}
}

func errorPage(r *rand.Rand) suites.Variant {
	berth := fmt.Sprint(suites.Between(r, 2, 40))
	weather := []suites.Row{{Name: "Wind", Value: fmt.Sprintf("%d knots", suites.Between(r, 2, 18))},
		{Name: "High water", Value: suites.Pick(r, "21:40", "22:15", "22:50")}}
	show := func(s suites.State) suites.Page {
		p := suites.Page{Site: "Coldwater Marina", Section: "Guests", Title: "Tonight – Coldwater Marina",
			Heading: "Tonight in the harbour", Page: s.Page, Intro: "Guests are welcome after six.",
			Submit: "Book berth " + berth, Seat: berth, Thanks: "Berth " + berth + " is booked.",
			Rows: weather}
		p.Scene.Name = "Plan of the berths"
		if s.Page > 1 {
			p.Title, p.Heading = "Berths – Coldwater Marina", "Berth "+berth
			if s.Failed == 0 {
				p.Status = http.StatusServiceUnavailable
			}
		}
		return p
	}
	return suites.Variant{
		Goal: fmt.Sprintf(`Open "Plan of the berths", then press "Book berth %s".`, berth), Plan: thanked("the berth is booked"),
		File: "berths.html", Data: show(suites.State{Page: 1}), At: show,
		Oracle: []cua.Scripted{suites.Press("Plan of the berths"), {Action: cua.Action{Kind: cua.Reload}},
			suites.Press("Book berth " + berth), suites.Done("The berth is booked.")},
		Solved: suites.LastSent(map[string]string{"berth": berth}),
	}
}

func wrongTurn(r *rand.Rand) suites.Variant {
	number := fmt.Sprintf("H-%d", suites.Between(r, 1000, 9999))
	p := suites.Page{Site: "Harbour Archive", Section: "Photographs",
		Title: "Photograph " + number + " – Harbour Archive", Heading: "Photograph " + number,
		Intro: "The quay before the storm.", Submit: "Order a print", Seat: number,
		Thanks: "A print of " + number + " is ordered.", Rows: []suites.Row{{Name: "Taken",
			Value: fmt.Sprint(suites.Between(r, 1890, 1930))}, {Name: "Negative",
			Value: suites.Pick(r, "glass", "nitrate film")}}}
	p.Scene.Name = "Darkroom"
	return suites.Variant{
		Goal: fmt.Sprintf(`Open "Darkroom", then press "Order a print" of the photograph %s.`, number), Plan: thanked("the print is ordered"), File: "prints.html", Data: p,
		At: func(s suites.State) suites.Page {
			p := p
			if p.Page = s.Page; p.Page > 1 {
				p.Title, p.Heading = "Darkroom – Harbour Archive", "Darkroom"
			}
			return p
		},
		Oracle: []cua.Scripted{suites.Press("Order a print"), suites.Done("The print is ordered.")},
		Solved: suites.LastSent(map[string]string{"picture": number}),
	}
}

func smallSigns(r *rand.Rand) suites.Variant {
	bed := suites.Pick(r, "Ferns", "Orchids", "Mosses")
	return suites.Variant{
		Goal: fmt.Sprintf(`Press "Water the %s".`, bed), Plan: thanked("the water runs"), File: "signs.html",
		Data: suites.Page{Site: "Glass House", Section: "Console", Title: bed + " – Glass House",
			Heading: bed, Intro: "Warm and in the shade.", Seat: bed,
			Submit: "Water the " + bed, Thanks: bed + " are being watered.",
			Rows: []suites.Row{{Name: "Soil", Value: suites.Pick(r, "dry", "damp")},
				{Name: "Air", Value: fmt.Sprintf("%d %%", suites.Between(r, 40, 90))}}},
		Oracle: []cua.Scripted{suites.Press("Water the " + bed), suites.Done("The water runs.")},
		Solved: suites.LastSent(map[string]string{"bed": bed}),
	}
}
