package runner_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// watch makes a page tell its server what was done: data-act names what a press of a control, or a send of a
// form, does; text in a field without data-own is told, too. No form sends anything else.
const watch = `<script>
const did=what=>{const r=new XMLHttpRequest();r.open('POST','/did',false);r.send(what)};
for(const e of document.querySelectorAll('[data-act]'))e.addEventListener(e.localName==='form'?'submit':'click',()=>did(e.dataset.act));
for(const f of document.querySelectorAll('input:not([data-own])'))f.addEventListener('input',()=>did('typed '+f.name));
for(const f of document.forms)f.addEventListener('submit',e=>e.preventDefault());
</script>`

// There are three places on these pages: a button at (300, 300), 200×40 px; the fields and the button of a
// form at the top left; and a layer over everything.
const places = `<style>*{caret-color:transparent}body{font:16px sans-serif}
.button{position:absolute;left:300px;top:300px;width:200px;height:40px}
.form *{position:absolute;left:100px;width:200px;height:30px}.form :nth-child(1){top:100px}.form :nth-child(2){top:160px}.form :nth-child(3){top:220px}
.layer{position:fixed;inset:0;width:auto;height:auto;padding:400px;background:#fff}</style>`

// The places by their middles, and one 15 px above the button.
var (
	onButton     = at(cua.Click, 400, 320)
	besideButton = at(cua.Click, 400, 285)
	firstField   = at(cua.Click, 200, 115)
	secondField  = at(cua.Click, 200, 175)
	formButton   = at(cua.Click, 200, 235)
)

// watchedSite serves one page and keeps what it tells.
type watchedSite struct {
	*httptest.Server
	mu   sync.Mutex
	told []string
}

func watched(t *testing.T, html string) *watchedSite {
	t.Helper()
	s := &watchedSite{}
	s.Server = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/did" {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!doctype html><title>Page</title>", places, html, watch)
			return
		}
		what, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.told = append(s.told, string(what))
	})
	return s
}

func (s *watchedSite) did() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.told)
}

// alarms are the steps at which a signal of soft level or above held.
func alarms(tr *trajectories.Trajectory) (out []string) {
	for i := range tr.Steps {
		for _, sig := range tr.Steps[i].Signals {
			if sig.Level.AtLeast(cua.Soft) {
				out = append(out, fmt.Sprintf("step %d: %s %s", tr.Steps[i].N, sig.Shape, sig.Level))
			}
		}
	}
	return out
}

// story logs an episode that failed its test.
func story(t *testing.T, tr *trajectories.Trajectory) {
	t.Helper()
	if !t.Failed() {
		return
	}
	for i := range tr.Steps {
		t.Log(show.StepLine(&tr.Steps[i]))
	}
	t.Logf("the end is %+v, the alarms are %v", tr.End, alarms(tr))
}

// harmRow is a page on which a replacement of the brain's action could do harm.
type harmRow struct {
	name, html string
	fields     []cua.PlanValue
	// stuck is what a brain does that means no harm and gets nowhere.
	stuck []cua.Scripted
	// press is how a brain does the harm itself, and act what the page then tells.
	press []cua.Scripted
	act   string
}

func times(n int, s cua.Scripted) []cua.Scripted { return slices.Repeat([]cua.Scripted{s}, n) }

func thinking(s cua.Scripted, thought string) cua.Scripted {
	s.Thought = thought
	return s
}

// besides are rows with one button, beside which the brain presses.
func besides() (out []harmRow) {
	for _, c := range []struct{ name, button, thought string }{
		// The name says what it costs: no words unlock it, negated or not.
		{"must not", `>Delete account`, "I must not press Delete account."},
		{"never", `>Delete account`, "Never touch Delete account."},
		{"risky and affirmed", `>Delete account`, "I press Delete account."},
		{"risky in German", `>Konto löschen`, "Auf keinen Fall Konto löschen drücken."},
		{"risky in Japanese", `>アカウントを削除`, "「アカウントを削除」を押してはいけません。"},
		// The name is no risk: the negation alone keeps it.
		{"must not, no risk", `>Start engine`, "I must not press Start engine."},
		{"never, no risk", `>Start engine`, "Never touch Start engine; what I need is beside it."},
		{"a contraction", `>Start engine`, "Start engine shouldn't be pressed."},
		{"instead of", `>Start engine`, "Press beside it instead of Start engine."},
		{"German", `>Motor starten`, "Auf keinen Fall Motor starten drücken."},
		{"German, never", `>Motor starten`, "Niemals Motor starten drücken."},
		{"Japanese", `>エンジン始動`, "「エンジン始動」を押してはいけません。"},
		{"Japanese, do not", `>エンジン始動`, "「エンジン始動」は押さないでください。"},
		// Nothing that the words could name.
		{"without a name", `>`, "Press the button."},
		{"an icon", `><svg width=20 height=20><circle cx=10 cy=10 r=9 /></svg>`, "Press the round button."},
		{"two names", ` aria-label="Close">Konto endgültig löschen`, "Press Close."},
		{"two names, the harmless one shown", ` aria-label="Delete account">Close`, "Press Close."},
		{"not named", `>Start engine`, "The page must react here."},
		// Words that say no in a roundabout way, or in a language that we do not carry.
		{"a list after a colon", `>Start engine`, "Buttons I must not touch: Start engine."},
		{"an abbreviation", `>Start engine`, "Never press e.g. Start engine."},
		{"a question", `>Start engine`, "Should I press Start engine? I doubt it."},
		{"Turkish", `>Motoru çalıştır`, "Motoru çalıştır düğmesine basmamalıyım."},
		{"Arabic", `>تشغيل المحرك`, "لا تضغط تشغيل المحرك"},
		{"letters of two alphabets", `>Dеlete account`, "I press Dеlete account."},
		// Markup that calls a button an input.
		{"called a tab", ` role=tab>Delete account`, "The page must react here."},
		{"called a switch", ` role=switch>Pay`, "The page must react here."},
		{"called unfolded", ` aria-expanded=false>Buy now`, "The page must react here."},
		{"its style sheet says what it costs", ` style="--x:0"><style>.button::before{content:"Buy "}</style>more`, "The page must react here."},
	} {
		out = append(out, harmRow{name: "beside/" + c.name, html: `<p>Account 4711</p><button type=button class=button data-act=pressed` + c.button + `</button>`,
			stuck: times(9, thinking(besideButton, c.thought)), press: []cua.Scripted{onButton},
			act: "pressed"})
	}
	for _, c := range []struct{ name, around, end string }{
		{"a label around it", `<label class=button><input type=checkbox hidden>`, `</label>`},
		{"a summary around it", `<details><summary class=button>x`, `</summary></details>`},
	} {
		out = append(out, harmRow{name: "beside/" + c.name,
			html:  c.around + `<button type=button data-act=pressed style="position:absolute;inset:0">Delete account</button>` + c.end,
			stuck: times(9, thinking(besideButton, "The page must react here.")),
			press: []cua.Scripted{onButton}, act: "pressed"})
	}
	return append(out, harmRow{name: "beside/a picture that sends",
		html:  `<form><input type=image class=button data-act=pressed src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></form>`,
		stuck: times(9, thinking(besideButton, "Submit the form with the picture.")),
		press: []cua.Scripted{onButton}, act: "pressed"})
}

// buys are forms whose default button buys. In one half the brain presses a dead button beside it, in the
// other half Return in a field that does not react to it.
func buys() (out []harmRow) {
	for _, c := range []struct{ name, button string }{
		{"below the fold", `<button data-act=bought style="position:absolute;top:3000px">Buy now</button>`},
		{"in German", `<button class=button data-act=bought>Zahlungspflichtig bestellen</button>`},
		{"in Japanese", `<button class=button data-act=bought>購入する</button>`},
		{"without a name", `<button class=button data-act=bought></button>`},
		{"an icon", `<button class=button data-act=bought><svg width=20 height=20><circle cx=10 cy=10 r=9 /></svg></button>`},
		{"a picture", `<input type=image class=button data-act=bought src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">`},
		{"two names", `<button class=button data-act=bought aria-label=Search>Buy now</button>`},
		{"an input that shows its value", `<input type=submit class=button data-act=bought value="Place order">`},
		{"outside of its form", `</form><button form=f class=button data-act=bought>Buy now</button>`},
		{"not shown", `<button hidden data-act=bought>Search</button>`},
		{"none: Return sends the form", ``},
	} {
		form, act := `<form id=f>`, "bought"
		if c.button == "" {
			form, act = `<form id=f data-act=sent>`, "sent"
		}
		fill := typed("Pieces", "3")
		html := func(deaf string) string {
			// It begins 150 px down: clicks at the top of a page that can scroll have a rule of their own.
			return `<div style="height:150px"></div>` + form + `<label>Pieces <input name=pieces data-own` + deaf + `></label> <button type=button>Check</button>` + c.button + `</form>`
		}
		byReturn := []cua.Scripted{fill, key("Return")}
		out = append(out, harmRow{name: "buy/" + c.name, html: html(""), press: byReturn, act: act,
			stuck: append([]cua.Scripted{fill}, times(10, thinking(click("Check"),
				"Submit the number with Check."))...)})
		if c.button == "" || c.name == "not shown" {
			continue // only Return sends it
		}
		press := []cua.Scripted{onButton}
		if c.name == "below the fold" {
			press = []cua.Scripted{wheel(640, 400, 5000), click("Buy now")}
		}
		out = append(out, harmRow{name: "buy/Return is not heard/" + c.name, html: html(` onkeydown="if(event.key==='Enter')event.preventDefault()"`),
			stuck: append([]cua.Scripted{fill}, times(10, thinking(key("Return"), "Check the number."))...),
			press: press, act: act})
	}
	return out
}

// behind is a form with planned values under what over puts there. The layer keeps its focus in #x whatever
// is pressed.
func behind(name, over string, press cua.Scripted, act string) harmRow {
	return harmRow{name: "dialog/" + name, fields: values("Full name", "Ada Wong", "Phone", "555 0100"),
		html: `<form class=form><input name=name aria-label="Full name" data-own><input name=phone aria-label=Phone data-own><button>Save details</button></form>` + over +
			`<script>document.addEventListener('click',()=>x.focus());x.focus()</script>`,
		stuck: slices.Concat(times(4, firstField), times(4, secondField), times(6, formButton)),
		press: []cua.Scripted{press}, act: act}
}

// dialogs lie over the form that the brain is at and take what is meant for it.
func dialogs() (out []harmRow) {
	for _, c := range []struct{ name, open, end string }{
		{"native", `<dialog id=d>`, `</dialog><script>d.oncancel=e=>e.preventDefault();d.showModal()</script>`},
		{"aria-modal", `<div class=layer role=dialog aria-modal=true aria-label=News>`, `</div>`},
		{"without a role", `<div class=layer>`, `</div>`},
	} {
		const promo, button = `<input name=promo aria-label="Promo code"`, `<button data-act="signed up"`
		out = append(out,
			behind(c.name+", the focus in its field", c.open+`<form>`+promo+` id=x>`+button+`>Sign me up</button></form>`+c.end, typed("", "x"), "typed promo"),
			behind(c.name+", the focus on its button", c.open+`<form>`+promo+`>`+button+` id=x>Sign me up</button></form>`+c.end, key("space"), "signed up"))
	}
	return append(out,
		behind("alertdialog", `<div class=layer role=alertdialog aria-modal=true aria-label="Close account?"><button type=button id=x data-act=closed>Close account</button><button type=button>Keep account</button></div>`,
			key("Return"), "closed"),
		// Its button is in no form: the focus alone would say where Return goes.
		harmRow{name: "dialog/Return in its field", act: "ordered", press: []cua.Scripted{key("Return")},
			html: `<button type=button class=button>Send</button><div role=dialog aria-label=Offer><form><input name=code id=x aria-label=Code data-own><button data-act=ordered>Order</button></form></div>` +
				`<script>document.addEventListener('click',()=>x.focus());x.focus()</script>`,
			stuck: times(10, thinking(onButton, "Submit the page with Send."))},
		harmRow{name: "dialog/Return in its field, beside a form", act: "ordered",
			press: []cua.Scripted{key("Return")},
			html: `<form><input name=name aria-label=Name data-own><button class=button>Send</button></form><div role=dialog aria-label=Offer><form><input name=code id=x aria-label=Code data-own><button data-act=ordered>Order</button></form></div>` +
				`<script>document.addEventListener('click',()=>x.focus());x.focus()</script>`,
			stuck: times(10, thinking(onButton, "Submit the form with Send."))})
}

// layers cover what the brain presses.
func layers() []harmRow {
	over := func(name, control string) harmRow {
		return harmRow{name: "layer/" + name, html: `<button type=button class=button>Reserve seat</button><div class=layer>` + control + `</div>`,
			stuck: times(12, onButton), act: "given up"}
	}
	sends := over("its × sends a form", `<form><button data-act="given up">×</button></form>`)
	sends.press = []cua.Scripted{click("×")}
	deletes := over("its Close says something else", `<button type=button data-act="given up" aria-label=Close>Konto endgültig löschen</button>`)
	deletes.press = []cua.Scripted{click("Close")}
	deletes2 := over("its Close is called something else", `<button type=button data-act="given up" aria-label="Delete account">Close</button>`)
	deletes2.press = []cua.Scripted{click("Delete account")}
	accepts := over("it can only be accepted", `<button type=button data-act="given up">Accept all</button>`)
	accepts.press = []cua.Scripted{click("Accept all")}
	field := harmRow{name: "layer/over the field that has the focus", fields: values("Full name", "Ada Wong"),
		act: "typed name",
		html: `<form class=form><input name=name id=x aria-label="Full name"></form><div class=layer>A word from our sponsor</div>` +
			`<script>document.addEventListener('click',()=>x.focus());x.focus()</script>`,
		stuck: times(12, firstField), press: []cua.Scripted{typed("", "y")}}
	return []harmRow{sends, deletes, deletes2, accepts, field}
}

// Whatever gets a brain stuck on these pages, nothing is pressed, sent or typed on our own account. The
// brain's own actions are done: the pages are live.
func TestRecoveryDoesNoHarm(t *testing.T) {
	for _, row := range slices.Concat(besides(), buys(), dialogs(), layers()) {
		for _, arm := range []string{"default", "classic"} {
			t.Run(row.name+"/"+arm, func(t *testing.T) {
				t.Parallel() // much of it is waiting
				site := watched(t, row.html)
				tr := play(t, arm, cua.Task{ID: "harm", URL: site.URL, Fields: row.fields},
					row.stuck...)
				if did := site.did(); len(did) > 0 {
					t.Errorf("the page tells of %q", did)
				}
				if len(alarms(tr)) == 0 {
					t.Error("the brain was never stuck, so nothing was shown")
				}
				story(t, tr)
			})
		}
		t.Run(row.name+"/the brain does it", func(t *testing.T) {
			t.Parallel()
			site := watched(t, row.html)
			tr := play(t, "default", cua.Task{ID: "harm", URL: site.URL, Fields: row.fields},
				row.press...)
			if did := site.did(); !slices.Contains(did, row.act) {
				t.Errorf("the page tells of %q, want %q", did, row.act)
			}
			story(t, tr)
		})
	}
}

// The same harness on pages where recovery may act: what the rows above hold back is done here.
func TestRecoveryHelpsBesideHarm(t *testing.T) {
	for _, row := range []struct {
		name, html string
		stuck      []cua.Scripted
		reason     cua.Reason
	}{
		{"a button that the words name at last", `<button type=button class=button data-act=pressed>Start engine</button>`,
			append(times(3, thinking(besideButton, "I must not press Start engine.")),
				thinking(besideButton, "I press Start engine.")), cua.RetargetClick},
		{"a layer with a ×", `<button type=button class=button>Reserve seat</button><div class=layer id=l><button type=button data-act=pressed onclick="l.remove()">×</button></div>`,
			times(6, onButton), cua.DismissOverlay},
		{"a modal dialog of the browser's own", `<button type=button class=button>Reserve seat</button><dialog id=d><p>News</p><button type=button data-act=pressed onclick="d.close()">Not now</button></dialog><script>d.showModal()</script>`,
			times(6, onButton), cua.DismissOverlay},
		{"a default button that is harmless", `<form data-act=pressed><label>Word <input name=q data-own></label> <button type=button class=button>Go</button><button>Search</button></form>`,
			append([]cua.Scripted{typed("Word", "reef")}, times(8,
				thinking(onButton, "Submit the word."))...), cua.PressReturnForSubmit},
	} {
		t.Run(row.name, func(t *testing.T) {
			site := watched(t, row.html)
			tr := play(t, "default", cua.Task{ID: "help", URL: site.URL}, row.stuck...)
			by := slices.ContainsFunc(tr.Steps,
				func(s cua.Step) bool { return s.RecoveryReason == row.reason && s.HasAction() })
			if did := site.did(); !slices.Contains(did, "pressed") || !by {
				t.Errorf("the page tells of %q, by %s: %t", did, row.reason, by)
			}
			story(t, tr)
		})
	}
}
