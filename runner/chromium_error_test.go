package runner_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// errorRow is a page that answers what its form sends; page is that page before, and after with what was sent
// last.
type errorRow struct {
	name   string
	page   func(sent map[string]string) string
	script []cua.Scripted
}

// answered serves a page that stays, with what was sent to it; a send is redirected to it.
func answeredPage(t *testing.T, page func(sent map[string]string) string) string {
	var sent map[string]string
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.Method == http.MethodPost {
			if err := r.ParseForm(); err != nil {
				t.Error(err)
			}
			sent = map[string]string{}
			for k := range r.PostForm {
				sent[k] = r.PostForm.Get(k)
			}
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		fmt.Fprint(w, "<!doctype html>", calm, page(sent))
	}).URL
}

// zipForm is a form with what was sent in it; in is what else it holds, at its top.
func zipForm(action, in string, sent map[string]string) string {
	return fmt.Sprintf(`<form method=post action=%s>%s<p><label>City <input name=city value="%s"></label><p><label>Postal code <input name=zip value="%s"></label><p><button>Save address</button></form>`,
		action, in, sent["city"], sent["zip"])
}

// or is a when nothing was sent, and b after that.
func or(sent map[string]string, a, b string) string {
	if sent == nil {
		return a
	}
	return b
}

var (
	fillZip = []cua.Scripted{put("City", "Sandvik"), put("Postal code", "123456"), click("Save address")}
	claim   = cua.Scripted{Action: cua.Action{Kind: cua.Done, Success: true, Text: "The address is saved."}}
)

// wrongPlaces are pages that say what is wrong in other places than beside their form, or call it otherwise.
func wrongPlaces() []errorRow {
	const low, high = "<h2>Your address</h2>", "<h2>Please check your address</h2>"
	script := func(steps ...cua.Scripted) []cua.Scripted {
		return append(append([]cua.Scripted{}, fillZip...), steps...)
	}
	return []errorRow{
		{"the heading of the form has changed", func(s map[string]string) string {
			return zipForm("/save", or(s, low, high), s)
		}, fillZip},
		{"and it says more below the field", func(s map[string]string) string {
			return zipForm("/save", or(s, low, high), s) + or(s, "", "<p>Postleitzahl zu lang")
		}, fillZip},
		{"the address of the form has changed", func(s map[string]string) string {
			return zipForm(or(s, "/save", "/save/again"), "", s) + or(s, "", "<p>Too long")
		}, fillZip},
		{"its name has changed at each send", func(s map[string]string) string {
			return zipForm("/save/"+or(s, "first", "after "+s["zip"]), "", s) + or(s, "", "<p>Too long")
		}, script(put("Postal code", "1234567"), click("Save address"))},
		{"the heading around the form has changed", func(s map[string]string) string {
			return `<section>` + or(s, low, high) + `<div>` + zipForm("/save", "", s) + or(s, "", "<p>Too long") + `</div></section>`
		}, fillZip},
		{"a field is marked in a form with another heading", func(s map[string]string) string {
			return zipForm("/save", or(s, low, high), s) + or(s, "", `<script>document.forms[0].zip.setAttribute('aria-invalid','true')</script>`)
		}, fillZip},
		{"in a live region elsewhere, under another heading", func(s map[string]string) string {
			return `<header><p aria-live=polite>` + or(s, "", "Too long") + `</header><main><div>` + zipForm("/save", or(s, low, high), s) + `</div></main>`
		}, fillZip},
	}
}

// A claim of success is not taken while the form that was sent is still there and the page says something
// new, wherever.
func TestErrorsElsewhereAreSeen(t *testing.T) {
	for _, row := range wrongPlaces() {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			tr := play(t, "default", cua.Task{ID: "error", URL: answeredPage(t, row.page)},
				append(row.script, claim)...)
			s := &tr.Steps[len(row.script)]
			if s.DoneRejected != cua.FormShowsError {
				t.Errorf("done was ruled %q, want %q", s.DoneRejected, cua.FormShowsError)
			}
			story(t, tr)
		})
	}
}

// What looks like it and is fine: the claim is taken at once.
func TestPagesWithoutAnErrorAreTaken(t *testing.T) {
	post := func(then string) string {
		return `<script>document.forms[0].onsubmit=e=>{e.preventDefault();fetch('/send',{method:'POST',body:new URLSearchParams(new FormData(e.target))}).then(()=>{` + then + `})}</script>`
	}
	get := func(then string) string {
		return `<script>document.forms[0].onsubmit=e=>{e.preventDefault();fetch('/?q').then(()=>{` + then + `})}</script>`
	}
	say := []cua.Scripted{put("Message", "Hello there"), click("Send")}
	look := []cua.Scripted{put("Words", "reef"), click("Search")}
	const chat, words = `<form><label>Message <input name=m></label> <button>Send</button></form>`, `<form><label>Words <input name=q></label> <button>Search</button></form>`
	const talk = `const p=document.createElement('p');p.textContent='Hello there, says Ada';l.append(p);document.forms[0].reset()`
	const found = `l.innerHTML='<p>The great reef<p>Reef knots<p>Coral'`
	const basket = `<form><label>Pieces <input type=number name=n value=1></label> <button>Add to basket</button></form>`
	for _, row := range []errorRow{
		{"a chat", func(map[string]string) string {
			return `<main><div id=l></div><div><div>` + chat + `</div></div></main>` + post(talk)
		}, say},
		{"a chat whose heading counts", func(s map[string]string) string {
			return `<main><div>` + or(s, "", "<p>Hello there, says Ada") + `</div><form method=post action=/send><h2>` + or(s, "Say something", "Say more") + `</h2><label>Message <input name=m></label> <button>Send</button></form></main>`
		}, say},
		{"a search that opens its results", func(map[string]string) string { return "" }, look},
		{"a search in the page", func(map[string]string) string {
			return `<main><div><div>` + words + `</div></div><div id=l></div></main>` + get(found)
		}, look},
		{"a thing for the basket", func(map[string]string) string {
			return `<main><p id=l></p><div><div>` + basket + `</div></div></main>` + post(`l.textContent='Added to your basket'`)
		}, []cua.Scripted{click("Add to basket")}},
		{"a basket in the head", func(map[string]string) string {
			return `<header><p id=l>Your basket is empty</p></header><main><div><div>` + basket + `</div></div></main>` + post(`l.textContent='Three lamps'`)
		}, []cua.Scripted{put("Pieces", "3"), click("Add to basket")}},
		{"saved, in a status region", func(s map[string]string) string {
			return `<main><p role=status>` + or(s, "", "Your address was saved") + `</p><div><div>` + zipForm("/save", "", s) + `</div></div></main>`
		}, fillZip},
		{"opened again after it was said above the box", func(s map[string]string) string {
			return `<main>` + or(s, "", "<p>Deliveries go to Sandvik") + `<div><div>` + zipForm("/save", "", s) + `</div></div></main>`
		}, append(append([]cua.Scripted{}, fillZip...), reloading)},
		{"one of two alike is gone", func(s map[string]string) string {
			other := strings.ReplaceAll(zipForm("/bill", "", map[string]string{"city": "Sandvik",
				"zip": "123456"}), "<label>", "<label>Billing ")
			if s == nil {
				return `<main>` + zipForm("/save", "", s) + other + `</main>`
			}
			return `<main><p>Your address was saved` + other + `</main>`
		}, fillZip},
		{"emptied for the next one", func(s map[string]string) string {
			return `<main>` + or(s, "", "<p>Your address was saved") + `<div><div>` + zipForm("/save", or(s, "<h2>An address</h2>", "<h2>The next address</h2>"), nil) + `</div></div></main>`
		}, fillZip},
		{"the next step of several asks for other things", func(s map[string]string) string {
			if s == nil {
				return zipForm("/save", "<h2>Address</h2>", nil)
			}
			return `<form method=post action=/save><h2>Person</h2><p><label>Name <input name=name></label><p><button>Save</button></form>`
		}, fillZip},
		{"an advertisement changes", func(s map[string]string) string {
			return `<main><div>` + zipForm("/save", "", s) + `</div></main><aside>` + or(s, "Buy lamps", "Buy ropes") + `</aside><footer>` + or(s, "Have a good day", "See you soon") + `</footer>`
		}, fillZip},
		{"a sum in the page", func(map[string]string) string {
			return `<main><p id=l></p><div><div><form onsubmit="event.preventDefault();l.textContent='that is Eur '+e.value*2"><label>Dollars <input id=e></label> <button>Convert</button></form></div></div></main>`
		}, []cua.Scripted{put("Dollars", "12"), click("Convert")}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			url := answeredPage(t, row.page)
			if row.name == "a search that opens its results" {
				url = pages(t, map[string]string{"/": `<main><div>` + `<form action=/results>` + words[6:] + `</div></main>`,
					"/results": `<main><div><form action=/results><h2>Reefs</h2><label>Words <input name=q value=reef></label> <button>Search</button></form></div><p>The great reef</main>`}).URL
			}
			tr := play(t, "default", cua.Task{ID: "fine", URL: url}, append(row.script, claim)...)
			if s := &tr.Steps[len(row.script)]; s.DoneRejected != "" || tr.End == nil ||
				tr.End.Reason != cua.EndDone {
				t.Errorf("done was ruled %q, the end is %+v", s.DoneRejected, tr.End)
			}
			story(t, tr)
		})
	}
}
