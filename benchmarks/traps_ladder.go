package benchmarks

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// ladderTraps are pages from which one rung of the ladder leads on, each by another.
func ladderTraps() []Task {
	return []Task{
		trap("t9-fold", "the button's upper edge is in sight, below a strip that stays there: it has to be scrolled into view", belowFold),
		trap("t10-notices", "a notice over the button, and another one once it is closed, by names that say so in many words", notices),
		trap("t11-native-list", "a list of choices that no click opens: it is set by its value or by the keyboard", nativeList),
		trap("t12-error-page", "an error page with a spinner that never ends, and a button that does nothing: only a reload brings the page", errorPage),
		trap("t13-wrong-turn", "the way that the goal names ends on a page where nothing works and that has no way back", wrongTurn),
	}
}

// trap is a task of the suite that can be solved.
func trap(name, about string, build func(*rand.Rand) variant) Task {
	return Task{Name: name, Suite: "traps", About: about, Solvable: true, MaxSteps: 30, build: build}
}

// thanked is a plan whose last step shows by the page that all sent forms lead to.
func thanked(text string) []cua.PlanStep { return []cua.PlanStep{{Text: text, Title: "Thank you"}} }

func belowFold(r *rand.Rand) variant {
	item := pick(r, "Larch bench", "Oak stool", "Ash ladder")
	p := page{Site: "Joinery Lindqvist", Section: "Shop", Title: item + " – Joinery Lindqvist", Heading: item, Intro: "Made to order, oiled, and ready to use.",
		Submit: "Add to basket", Seat: item, Thanks: item + " is in your basket.",
		Rows: []row{{"Height", fmt.Sprintf("%d cm", between(r, 40, 90))}, {"Weight", fmt.Sprintf("%d kg", between(r, 4, 19))}, {"Price", fmt.Sprintf("%d.00", between(r, 80, 240))}}}
	p.Scene.Y = between(r, 782, 792) // of the button's 40 px, that many of the window's 800 are over its middle
	return variant{
		goal: fmt.Sprintf(`Press "Add to basket" for the %s.`, item), plan: thanked("the basket holds it"), file: "fold.html", data: p,
		oracle: []cua.Scripted{scroll(nil, 300), press("Add to basket"), done(item + " is in the basket.")},
		solved: lastSent(map[string]string{"item": item}),
	}
}

func notices(r *rand.Rand) variant {
	v := overlay(r)
	v.goal, v.file = `Press "Reserve seat".`, "notices.html"
	last := v.oracle[len(v.oracle)-1]
	v.oracle = []cua.Scripted{press("Close this notice"), press("Hide this message"), press("Reserve seat"), last}
	return v
}

func nativeList(r *rand.Rand) variant {
	tools := []row{{"Belt sander", fmt.Sprint(between(r, 20, 29))}, {"Chain hoist", fmt.Sprint(between(r, 10, 19))}, {"Drill stand", fmt.Sprint(between(r, 30, 39))},
		{"Jigsaw", fmt.Sprint(between(r, 3, 9))}, {"Tile cutter", fmt.Sprint(between(r, 40, 49))}}
	cheap := slices.Clone(tools)
	slices.SortFunc(cheap, func(a, b row) int { return len(a.Value)*1000 - len(b.Value)*1000 + int(a.Value[0]) - int(b.Value[0]) })
	show := func(s State) page {
		p := page{Site: "Tool Library", Section: "Loans", Heading: "Tools to borrow", Title: "Sorted by name – Tool Library", Intro: "Bring them back on Monday.",
			Submit: "Sort by name or price", Page: s.Page, Rows: tools}
		if s.Page > 1 {
			p.Title, p.Rows = "Sorted by price – Tool Library", cheap
		}
		return p
	}
	return variant{
		goal: `Press "Sort by price" until the page says "Sorted by price".`, plan: []cua.PlanStep{{Text: "the tools are sorted by price", Title: "Sorted by price"}},
		file: "sortlist.html", data: show(State{Page: 1}), at: show,
		oracle: []cua.Scripted{choose("Sort by name or price", "Price"), done("The tools are sorted by price.")},
		solved: func(s State) bool { return s.Page == 2 },
	}
}

func errorPage(r *rand.Rand) variant {
	berth := fmt.Sprint(between(r, 2, 40))
	weather := []row{{"Wind", fmt.Sprintf("%d knots", between(r, 2, 18))}, {"High water", pick(r, "21:40", "22:15", "22:50")}}
	show := func(s State) page {
		p := page{Site: "Coldwater Marina", Section: "Guests", Title: "Tonight – Coldwater Marina", Heading: "Tonight in the harbour", Page: s.Page,
			Intro: "Guests are welcome after six.", Submit: "Book berth " + berth, Seat: berth, Thanks: "Berth " + berth + " is booked.",
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
	return variant{
		goal: fmt.Sprintf(`Open "Plan of the berths", then press "Book berth %s".`, berth), plan: thanked("the berth is booked"),
		file: "berths.html", data: show(State{Page: 1}), at: show,
		oracle: []cua.Scripted{press("Plan of the berths"), {Action: cua.Action{Kind: cua.Reload}}, press("Book berth " + berth), done("The berth is booked.")},
		solved: lastSent(map[string]string{"berth": berth}),
	}
}

func wrongTurn(r *rand.Rand) variant {
	number := fmt.Sprintf("H-%d", between(r, 1000, 9999))
	p := page{Site: "Harbour Archive", Section: "Photographs", Title: "Photograph " + number + " – Harbour Archive", Heading: "Photograph " + number, Intro: "The quay before the storm.",
		Submit: "Order a print", Seat: number, Thanks: "A print of " + number + " is ordered.",
		Rows: []row{{"Taken", fmt.Sprint(between(r, 1890, 1930))}, {"Negative", pick(r, "glass", "nitrate film")}}}
	p.Scene.Name = "Darkroom"
	return variant{
		goal: fmt.Sprintf(`Open "Darkroom", then press "Order a print" of the photograph %s.`, number), plan: thanked("the print is ordered"), file: "prints.html", data: p,
		at: func(s State) page {
			p := p
			if p.Page = s.Page; p.Page > 1 {
				p.Title, p.Heading = "Darkroom – Harbour Archive", "Darkroom"
			}
			return p
		},
		oracle: []cua.Scripted{press("Order a print"), done("The print is ordered.")},
		solved: lastSent(map[string]string{"picture": number}),
	}
}

func smallSigns(r *rand.Rand) variant {
	bed := pick(r, "Ferns", "Orchids", "Mosses")
	return variant{
		goal: fmt.Sprintf(`Press "Water the %s".`, bed), plan: thanked("the water runs"), file: "signs.html",
		data: page{Site: "Glass House", Section: "Console", Title: bed + " – Glass House", Heading: bed, Intro: "Warm and in the shade.", Seat: bed,
			Submit: "Water the " + bed, Thanks: bed + " are being watered.",
			Rows: []row{{"Soil", pick(r, "dry", "damp")}, {"Air", fmt.Sprintf("%d %%", between(r, 40, 90))}}},
		oracle: []cua.Scripted{press("Water the " + bed), done("The water runs.")},
		solved: lastSent(map[string]string{"bed": bed}),
	}
}
