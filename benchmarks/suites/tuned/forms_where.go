package tuned

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
)

// whereTasks are forms whose fields are hard to find: by what they are called, or by where they are.
func whereTasks() []suites.Task {
	form := func(name, about string, build func(*rand.Rand) suites.Variant) suites.Task {
		return suites.Task{Name: name, Suite: "forms", About: about, Solvable: true, MaxSteps: 26,
			Build: build}
	}
	return []suites.Task{
		form("type-here", "the same placeholder in each field and no labels: the text beside says what it is",
			typeHereTask),
		form("foreign-frame", "the form is in a frame of another site", foreignFrameTask),
		form("shadow-form", "the form is in the open shadow tree of a custom element", shadowFormTask),
		form("edit-table",
			"a table whose cells become fields when they are clicked, and a button that sends what was "+
				"changed",
			editTableTask), form("note",
			"a title in a field and a body that is contenteditable, with a bar of buttons", noteTask),
	}
}

func typeHereTask(r *rand.Rand) suites.Variant {
	p := suites.Somebody(r)
	list := []suites.Asked{suites.Text("Contact", "", p.First+" "+p.Last), suites.Text("Phone", "", p.Phone),
		suites.Text("Street", "", fmt.Sprintf("%s %d", suites.Pick(r, "Mill Lane", "Orchard Road",
			"Dock Street"), suites.Between(r, 2, 98))), suites.Text("Town", "",
			suites.Pick(r, "Eastport", "Glenmoor", "Sandvik"))}
	// the order of the page is not that of the plan, which gives nothing away
	shown := make([]suites.Input, len(list))
	for i, at := range r.Perm(len(list)) {
		a := &list[i]
		a.Placeholder, a.Bare, a.Name = "Type here…", true, fmt.Sprintf("f%d", at+1)
		shown[at] = a.Input
	}
	v := plain(suites.Page{Site: "Coal & Wood", Section: "Orders", Title: "Delivery – Coal & Wood",
		Heading: "Delivery", Intro: "A ton of beech, cut and dry.",
		Submit: "Order", Thanks: "We come on Thursday."}, list,
		fmt.Sprintf(`Order firewood for %s %s: fill in all fields and press "Order".`, p.First, p.Last))
	v.File, v.Data.Inputs = "typehere.html", shown
	v.Oracle = nil
	for _, a := range list {
		v.Oracle = append(v.Oracle, suites.Fill(a.Name, a.Value))
	}
	v.Oracle = append(v.Oracle, suites.Press("Order"), suites.Done("The order was sent."))
	return v
}

func foreignFrameTask(r *rand.Rand) suites.Variant {
	p := suites.Somebody(r)
	list := []suites.Asked{suites.Text("Name", "name", p.First+" "+p.Last),
		suites.Typed("Phone", "phone", "tel", p.Phone),
		{Input: suites.Input{Label: "Guests", Name: "guests", Options: []string{"2", "3", "4", "5", "6"}}, Value: suites.Pick(r, "2", "3", "4", "5", "6")},
		{Input: suites.Input{Label: "Time", Name: "time", Options: []string{"18:00", "18:30", "19:00", "19:30", "20:00"}}, Value: suites.Pick(r, "18:30", "19:00", "19:30")}}
	v := plain(suites.Page{Site: "The Lantern", Section: "Fish and bread", Title: "A table – The Lantern",
		Heading: "A table for tonight", Intro: "Our tables are kept by Table Desk.",
		Submit: "Book table", Thanks: "Your table is kept until a quarter past."}, list,
		fmt.Sprintf(`Book a table for %s %s (%s guests at %s): fill in all fields and press "Book table".`, p.First, p.Last, list[2].Value, list[3].Value))
	inner := v.Data
	inner.Site, inner.Section, inner.Title, inner.Heading, inner.Intro, inner.Framed = "Table Desk", "",
		"Table Desk", "Table Desk", "Who is coming, and when?", true
	v.File, v.Inner = "frame.html", &inner
	return v
}

func shadowFormTask(r *rand.Rand) suites.Variant {
	p := suites.Somebody(r)
	list := []suites.Asked{suites.Text("Name on the ticket", "name", p.First+" "+p.Last),
		suites.Typed("Email", "email", "email", p.Email),
		{Input: suites.Input{Label: "From", Name: "from", Options: []string{"Eastport", "Glenmoor", "Sandvik"}}, Value: suites.Pick(r, "Eastport", "Glenmoor", "Sandvik")},
		{Input: suites.Input{Label: "Class", Name: "class", Options: []string{"Deck", "Lounge", "Cabin"}}, Value: suites.Pick(r, "Deck", "Lounge", "Cabin")}}
	v := plain(suites.Page{Site: "Sound Ferries", Section: "Tickets", Title: "Ticket – Sound Ferries",
		Heading: "A ticket to Skerry", Intro: "Boats leave on the hour.",
		Submit: "Order ticket", Thanks: "The ticket is on its way to " + p.Email + "."}, list,
		fmt.Sprintf(`Order a ticket to Skerry for %s %s (%s) from %s, class %s: fill in all fields and press "Order ticket".`, p.First, p.Last, p.Email, list[2].Value, list[3].Value))
	v.File = "shadow.html"
	return v
}

// editTableTask changes two numbers of a table: what is sent is what was changed, and nothing else.
func editTableTask(r *rand.Rand) suites.Variant {
	things := []string{"Lamp oil", "Rope", "Tar", "Sailcloth", "Biscuit"}
	var rows []suites.Row
	numbers := r.Perm(80) // no two alike
	for i, name := range things {
		rows = append(rows, suites.Row{Name: name, Value: fmt.Sprint(10 + numbers[i])})
	}
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	var list []suites.Asked
	var oracle []cua.Scripted
	for i, at := range r.Perm(len(rows))[:2] {
		value := fmt.Sprint(100 + numbers[len(things)+i])
		list = append(list, suites.Text(rows[at].Name+" in stock", rows[at].Name, value))
		// what is pressed has the focus
		oracle = append(oracle, suites.Press(rows[at].Value), suites.Fill("", value), suites.Key("Return"))
	}
	v := plain(suites.Page{Site: "Ship Chandler Berg", Section: "Store", Title: "Stock – Ship Chandler Berg",
		Heading: "Stock", Intro: "Click a number to change it.",
		Rows: rows, Submit: "Save changes", Thanks: "The stock list was saved."}, list,
		fmt.Sprintf(`Set %s to %s and %s to %s in the stock list, change nothing else, and press "Save changes".`, list[0].Name, list[0].Value, list[1].Name, list[1].Value))
	v.File = "edittable.html"
	v.Oracle = slices.Concat(oracle, []cua.Scripted{suites.Press("Save changes"),
		suites.Done("The stock list was saved.")})
	return v
}

func noteTask(r *rand.Rand) suites.Variant {
	words := suites.Pick(r, suites.Row{Name: "Keys to the boat house",
		Value: "They hang behind the second door, below the map."},
		suites.Row{Name: "Bread for Saturday", Value: "Six loaves, and two of them without salt."},
		suites.Row{Name: "The leak in the attic",
			Value: "It drips beside the chimney when the wind is from the west."})
	title, body := suites.Text("Title", "title", words.Name), suites.Asked{Input: suites.Input{Label: "Text",
		Name: "text"}, Value: words.Value}
	both := []suites.Asked{title, body}
	v := plain(suites.Page{Site: "Slate", Section: "Notes", Title: "New note – Slate", Heading: "New note",
		Intro: "Everyone in the house can read it.", Submit: "Save note", Hidden: body.Input,
		Thanks: "The note is on the board."},
		[]suites.Asked{title}, fmt.Sprintf(`Write a note with the title %q: fill in title and text and press "Save note".`, title.Value))
	v.File, v.Fields, v.Solved = "note.html", suites.Values(both), suites.LastSent(suites.Wanted(both))
	v.Oracle = slices.Concat(suites.Filled(both), []cua.Scripted{suites.Press("Save note"),
		suites.Done("The note was saved.")})
	return v
}
