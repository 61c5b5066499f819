package miniwob

import (
	"encoding/json"
	"fmt"
	"testing"
)

// state is a page as a fault, a gate or nobody left it, and what its solver says to that.
type state struct {
	name, task, goal string
	// page is the body. What has the attribute focus has the focus.
	page string
	// want is the action: its kind, the id of what its point meets ("-" is nothing), its text or keys; "null"
	// is no way on.
	want string
}

// decided is what the solver says to s.
func (s state) decided(t *testing.T, e *Episode) string {
	t.Helper()
	put := fmt.Sprintf(`(html => {
		delete globalThis[Symbol.for('cua-runner.seen')];
		document.body.innerHTML = html;
		document.querySelector('[focus]')?.focus();
	})(%q)`, s.page)
	if _, err := e.Ask(t.Context(), put); err != nil {
		t.Fatal(err)
	}
	said, err := e.Ask(t.Context(), fmt.Sprintf(`(a => {
		if (!a) return 'null';
		const on = a.point ? ['#' + document.elementFromPoint(a.point.x, a.point.y).id] : [];
		return [a.kind, ...on, a.text ?? a.keys ?? ''].join(' ').replace('# ', '- ').trim();
	})(%s(%q, %q))`, solving(), s.task, s.goal))
	if err != nil {
		return err.Error()
	}
	var out string
	if err := json.Unmarshal(said, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// formStates are of the subset forms.
func formStates() []state {
	const (
		passwords = `<input id=password value="%s"><input id=verify value="%s"><button id=go>Submit</button>`
		three     = `<div id=area><input type=radio><input type=radio %s><input type=radio>
			<input type=text id=a value="%s"><input type=text id=b value="%s"><input type=text><button id=go>Submit</button></div>`
		boxes   = `<div id=area><label><input type=checkbox id=one %s>aB1</label><label><input type=checkbox id=two %s>xyz</label><button id=go>Submit</button></div>`
		tags    = `<input id=tags value="%s" %s>%s<br><button id=go>Submit</button>`
		list    = `<ul class=ui-autocomplete><li class=ui-menu-item id=mali>Mali</li><li class=ui-menu-item id=malta>Malta</li></ul>`
		flights = `<style>.hide{display:none}</style><div class=hide><input id=flight-from value="Oslo, NO (OSL)">
			<input id=flight-to value="%s"><input id=datepicker value="10/04/2016"></div>
			<div id=results><button id=menu-back>Back</button>
			<div class=flight><b class=time-duration data-duration=900>15m</b>
			<button class=flight-price id=slow data-price=70>$70</button></div>
			<div class=flight><b class=time-duration data-duration=60>1m</b>
			<button class=flight-price id=quick data-price=700>$700</button></div></div>`
		login    = `<input id=username %[1]s><input id=password %[1]s><button id=subbtn %[1]s>OK</button>%s`
		second   = `Check the 2nd radio button and enter the number "7" into the 1st textbox.`
		shortest = "Book the shortest one-way flight from: OSL to: Rome, IT on 10/04/2016."
		cheapest = "Book the cheapest one-way flight from: OSL to: Rome, IT on 10/04/2016."
		drama    = "Search for drama movies directed by Ng from year 1999."
	)
	p := fmt.Sprintf
	return []state{
		{"a form that is half filled", "enter-password", `Enter "q1".`, p(passwords, "q1", ""), "type #verify q1"},
		{"a wrong value", "enter-password", `Enter "q1".`, p(passwords, "q1q1", "q1"), "type #password q1"},
		{"a form that is filled", "enter-password", `Enter "q1".`, p(passwords, "q1", "q1"), "click #go"},
		{"a time after noon", "enter-time", "Enter 12:05\u202fPM as the time.", `<input type=time id=tt>`, "type #tt 12:05"},
		{"a time after midnight", "enter-time", "Enter 12:05 AM as the time.", `<input type=time id=tt>`, "type #tt 00:05"},
		{"text in the wrong field", "form-sequence-2", second, p(three, "checked", "7", "7"), "type #b"},
		{"the text is right", "form-sequence-2", second, p(three, "checked", "7", ""), "click #go"},
		{"a box that is ticked wrongly", "click-checkboxes", "Select aB1 and click Submit.", p(boxes, "checked", "checked"), "click #two"},
		{"no box is wanted", "click-checkboxes-transfer", "Select nothing and click Submit.", p(boxes, "", ""), "click #go"},
		{"another option", "choose-list", "Select Ada from the list and click Submit.", `<select id=options><option>Bo<option>Ada</select>`, "select #options Ada"},
		{"a question is open", "login-user-popup", `"ada" "x1"`,
			p(login, "disabled", `<div id=popup><button id=popup-ok>OK</button><button id=popup-cancel>Cancel</button></div>`), "click #popup-cancel"},
		{"the question is gone", "login-user-popup", `"ada" "x1"`, p(login, "", ""), "type #username ada"},
		{"the year has another name", "multi-layouts", drama,
			`<div id=area><p>Genre<input value=drama></p><p>Director<input value=Ng></p><p>Released Date<input id=year></p></div>`, "type #year 1999"},
		{"the list is shut", "use-autocomplete", `"Mal" "ta"`, p(tags, "Mal", "focus", ""), "key Down"},
		{"the list is open", "use-autocomplete", `"Mal" "ta"`, p(tags, "Mal", "focus", list), "click #malta"},
		{"an item that does not end so", "use-autocomplete", `"Mal" "ta"`, p(tags, "Mali", "", ""), "type #tags Mal"},
		{"what begins so and is no item", "use-autocomplete", `"Mal"`, p(tags, "Malx", "focus", ""), "type #tags Mal"},
		{"the shortest flight", "book-flight", shortest, p(flights, "Rome, IT (FCO)"), "click #quick"},
		{"the cheapest flight", "book-flight", cheapest, p(flights, "Rome, IT (FCO)"), "click #slow"},
		{"flights to elsewhere", "book-flight", shortest, p(flights, "Rome, GA (RMG)"), "click #menu-back"},
	}
}

// controlStates are of the subset controls.
func controlStates() []state {
	const (
		calendar = `<input id=datepicker value="%s" %s><button id=go>Submit</button>%s`
		october  = `<div class=ui-datepicker><a class=ui-datepicker-prev id=prev>Prev</a><a class=ui-datepicker-next id=next>Next</a>
			<i class=ui-datepicker-month>October</i> <i class=ui-datepicker-year>2016</i>
			<table><tr><td><a id=day4>4</a><td><a id=day14>14</a></table></div>`
		cover   = `<div style="position:fixed;inset:0 100px 0 0;background:#fff;opacity:%s"></div>`
		spinner = `<input id=spinner value="%s"><a class=ui-spinner-up id=up>more</a><a class=ui-spinner-down id=down>less</a><button id=go>Submit</button>`
		search  = `<input id=search-text value="%s"><button id=search>Search</button>
			<div id=page-content><a class=search-title data-result=%s>A</a> <a class=search-title id=second>B</a></div>
			<ul id=pagination><li class="page-item active"><a id=page1>%d</a></li><li class=page-item><a id=page2>2</a></li></ul>`
		number    = `<div id=display-number>%s</div><button id=generate>Generate</button><button id=submit>Submit</button>`
		stock     = `<i id=stock-price>%s</i><button id=buy>Buy</button>`
		shell     = `<div id=terminal style="height:70px">%s<div class=terminal-line>user$ <i class=command id=active-input>%s</i></div></div><input id=terminal-target %s>`
		listed    = `<div class=terminal-line>user$ <i class=command>ls</i></div><div class=terminal-output>shark.sh cats memes.sh</div>`
		fourth    = "Select 10/04/2016."
		three     = "Select -3 with the spinner."
		secondAda = `Enter "Ada", click the 2nd search result.`
		fourthAda = `Enter "Ada", click the 4th search result.`
		buy       = "Buy when the price is less than $50.20."
		shEnding  = "Delete a file ending with the extension .sh"
		even      = "Generate an even number."
	)
	p := fmt.Sprintf
	return []state{
		{"a calendar that is shut", "choose-date", fourth, p(calendar, "", "", ""), "click #datepicker"},
		{"a calendar that was shut by its key", "choose-date", fourth, p(calendar, "", "focus", ""), "click -"},
		{"a month too early", "choose-date", "Select 11/04/2016.", p(calendar, "", "focus", october), "click #next"},
		{"a month too late", "choose-date", "Select 09/14/2016.", p(calendar, "", "", october), "click #prev"},
		{"the month", "choose-date", fourth, p(calendar, "10/14/2016", "", october), "click #day4"},
		{"something lies over what sends", "choose-date", fourth, p(calendar, "10/04/2016", "", p(cover, "1")), "click -"},
		{"and fades", "choose-date", fourth, p(calendar, "10/04/2016", "", p(cover, "0.5")), "wait"},
		{"one too few", "use-spinner", three, p(spinner, "-4"), "click #up"},
		{"one too many", "use-spinner", three, p(spinner, "-2"), "click #down"},
		{"just so many", "use-spinner", three, p(spinner, "-3"), "click #go"},
		{"the results of other words", "search-engine", secondAda, p(search, "Ada", "-1", 1), "click #search"},
		{"the results are on this page", "search-engine", secondAda, p(search, "Ada", "0", 1), "click #second"},
		{"the results are on another page", "search-engine", fourthAda, p(search, "Ada", "0", 1), "click #page2"},
		{"no number yet", "generate-number", even, p(number, "-"), "click #generate"},
		{"a number that is not less", "generate-number", "Generate a number less than 6.", p(number, "6"), "click #generate"},
		{"nothing is even", "generate-number", even, p(number, "0"), "click #submit"},
		{"a text that is not at its end", "scroll-text-2", "Scroll to the bottom.", `<textarea id=text-area rows=2>` + "1\n2\n3\n4\n5\n6\n7\n8" + `</textarea>`, "scroll #text-area"},
		{"a text that is all to be seen", "scroll-text-2", "Scroll to the bottom.", `<textarea id=text-area rows=2></textarea><button id=go>Submit</button>`, "click #go"},
		{"a price above", "stock-market", buy, p(stock, "$50.50"), "wait"},
		{"a price that may be above when it is pressed", "stock-market", buy, p(stock, "$50.00"), "wait"},
		{"a price well below", "stock-market", buy, p(stock, "$48.00"), "click #buy"},
		{"no price will come", "stock-market", buy, p(stock, "$undefined0"), "null"},
		{"a terminal without the focus", "terminal", shEnding, p(shell, "", "", ""), "click #terminal"},
		{"a command that is half typed", "terminal", shEnding, p(shell, "", "l", "focus"), "key s"},
		{"another command", "terminal", shEnding, p(shell, "", "ex", "focus"), "key BackSpace BackSpace"},
		{"a command that is typed", "terminal", shEnding, p(shell, "", "ls", "focus"), "key Return"},
		{"the files are listed", "terminal", shEnding, p(shell, listed, "rm ", "focus"), "key m e m e s . s h"},
		{"a file without an extension", "terminal", "Delete a file that has no file extension.", p(shell, listed, "", "focus"), "key r m space c a t s"},
	}
}

func TestASolverGoesOnFromAnyState(t *testing.T) {
	e := open(t, "click-test")
	for _, s := range append(formStates(), controlStates()...) {
		t.Run(s.name, func(t *testing.T) {
			if got := s.decided(t, e); got != s.want {
				t.Errorf("%s: %s\nsays %q, want %q", s.task, s.goal, got, s.want)
			}
		})
	}
}
