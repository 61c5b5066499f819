package benchmarks

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// whereTasks are forms whose fields are hard to find: by what they are called, or by where they are.
func whereTasks() []Task {
	form := func(name, about string, build func(*rand.Rand) variant) Task {
		return Task{Name: name, Suite: "forms", About: about, Solvable: true, MaxSteps: 26, build: build}
	}
	return []Task{
		form("type-here", "the same placeholder in each field and no labels: the text beside says what it is", typeHereTask),
		form("foreign-frame", "the form is in a frame of another site", foreignFrameTask),
		form("shadow-form", "the form is in the open shadow tree of a custom element", shadowFormTask),
		form("edit-table", "a table whose cells become fields when they are clicked, and a button that sends what was changed", editTableTask),
		form("note", "a title in a field and a body that is contenteditable, with a bar of buttons", noteTask),
	}
}

func typeHereTask(r *rand.Rand) variant {
	p := somebody(r)
	list := []asked{text("Contact", "", p.first+" "+p.last), text("Phone", "", p.phone), text("Street", "", fmt.Sprintf("%s %d", pick(r, "Mill Lane", "Orchard Road", "Dock Street"), between(r, 2, 98))),
		text("Town", "", pick(r, "Eastport", "Glenmoor", "Sandvik"))}
	shown := make([]input, len(list)) // the order of the page is not that of the plan, which gives nothing away
	for i, at := range r.Perm(len(list)) {
		a := &list[i]
		a.Placeholder, a.Bare, a.Name = "Type here…", true, fmt.Sprintf("f%d", at+1)
		shown[at] = a.input
	}
	v := plain(page{Site: "Coal & Wood", Section: "Orders", Title: "Delivery – Coal & Wood", Heading: "Delivery", Intro: "A ton of beech, cut and dry.",
		Submit: "Order", Thanks: "We come on Thursday."}, list,
		fmt.Sprintf(`Order firewood for %s %s: fill in all fields and press "Order".`, p.first, p.last))
	v.file, v.data.Inputs = "typehere.html", shown
	v.oracle = nil
	for _, a := range list {
		v.oracle = append(v.oracle, fill(a.Name, a.value))
	}
	v.oracle = append(v.oracle, press("Order"), done("The order was sent."))
	return v
}

func foreignFrameTask(r *rand.Rand) variant {
	p := somebody(r)
	list := []asked{text("Name", "name", p.first+" "+p.last), typed("Phone", "phone", "tel", p.phone),
		{input{Label: "Guests", Name: "guests", Options: []string{"2", "3", "4", "5", "6"}}, pick(r, "2", "3", "4", "5", "6")},
		{input{Label: "Time", Name: "time", Options: []string{"18:00", "18:30", "19:00", "19:30", "20:00"}}, pick(r, "18:30", "19:00", "19:30")}}
	v := plain(page{Site: "The Lantern", Section: "Fish and bread", Title: "A table – The Lantern", Heading: "A table for tonight", Intro: "Our tables are kept by Table Desk.",
		Submit: "Book table", Thanks: "Your table is kept until a quarter past."}, list,
		fmt.Sprintf(`Book a table for %s %s (%s guests at %s): fill in all fields and press "Book table".`, p.first, p.last, list[2].value, list[3].value))
	inner := v.data
	inner.Site, inner.Section, inner.Title, inner.Heading, inner.Intro, inner.Framed = "Table Desk", "", "Table Desk", "Table Desk", "Who is coming, and when?", true
	v.file, v.inner = "frame.html", &inner
	return v
}

func shadowFormTask(r *rand.Rand) variant {
	p := somebody(r)
	list := []asked{text("Name on the ticket", "name", p.first+" "+p.last), typed("Email", "email", "email", p.email),
		{input{Label: "From", Name: "from", Options: []string{"Eastport", "Glenmoor", "Sandvik"}}, pick(r, "Eastport", "Glenmoor", "Sandvik")},
		{input{Label: "Class", Name: "class", Options: []string{"Deck", "Lounge", "Cabin"}}, pick(r, "Deck", "Lounge", "Cabin")}}
	v := plain(page{Site: "Sound Ferries", Section: "Tickets", Title: "Ticket – Sound Ferries", Heading: "A ticket to Skerry", Intro: "Boats leave on the hour.",
		Submit: "Order ticket", Thanks: "The ticket is on its way to " + p.email + "."}, list,
		fmt.Sprintf(`Order a ticket to Skerry for %s %s (%s) from %s, class %s: fill in all fields and press "Order ticket".`, p.first, p.last, p.email, list[2].value, list[3].value))
	v.file = "shadow.html"
	return v
}

// editTableTask changes two numbers of a table: what is sent is what was changed, and nothing else.
func editTableTask(r *rand.Rand) variant {
	things := []string{"Lamp oil", "Rope", "Tar", "Sailcloth", "Biscuit"}
	var rows []row
	numbers := r.Perm(80) // no two alike
	for i, name := range things {
		rows = append(rows, row{name, fmt.Sprint(10 + numbers[i])})
	}
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	var list []asked
	var oracle []cua.Scripted
	for i, at := range r.Perm(len(rows))[:2] {
		value := fmt.Sprint(100 + numbers[len(things)+i])
		list = append(list, text(rows[at].Name+" in stock", rows[at].Name, value))
		oracle = append(oracle, press(rows[at].Value), fill("", value), key("Return")) // what is pressed has the focus
	}
	v := plain(page{Site: "Ship Chandler Berg", Section: "Store", Title: "Stock – Ship Chandler Berg", Heading: "Stock", Intro: "Click a number to change it.",
		Rows: rows, Submit: "Save changes", Thanks: "The stock list was saved."}, list,
		fmt.Sprintf(`Set %s to %s and %s to %s in the stock list, change nothing else, and press "Save changes".`, list[0].Name, list[0].value, list[1].Name, list[1].value))
	v.file = "edittable.html"
	v.oracle = slices.Concat(oracle, []cua.Scripted{press("Save changes"), done("The stock list was saved.")})
	return v
}

func noteTask(r *rand.Rand) variant {
	words := pick(r, row{"Keys to the boat house", "They hang behind the second door, below the map."}, row{"Bread for Saturday", "Six loaves, and two of them without salt."},
		row{"The leak in the attic", "It drips beside the chimney when the wind is from the west."})
	title, body := text("Title", "title", words.Name), asked{input{Label: "Text", Name: "text"}, words.Value}
	both := []asked{title, body}
	v := plain(page{Site: "Slate", Section: "Notes", Title: "New note – Slate", Heading: "New note", Intro: "Everyone in the house can read it.", Submit: "Save note", Hidden: body.input, Thanks: "The note is on the board."},
		[]asked{title}, fmt.Sprintf(`Write a note with the title %q: fill in title and text and press "Save note".`, title.value))
	v.file, v.fields, v.solved = "note.html", values(both), lastSent(wanted(both))
	v.oracle = slices.Concat(filled(both), []cua.Scripted{press("Save note"), done("The note was saved.")})
	return v
}
