package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
)

// without asks for everything but the cookies.
var without = slices.DeleteFunc(cua.Facets(), func(f string) bool { return f == cua.FacetCookies })

// back restores a state and gives the outcome.
func (e env) back(state *cua.PageState, facets []string) cua.Outcome {
	e.t.Helper()
	if state == nil {
		e.t.Fatal("there is no checkpoint")
	}
	// The restored state went through a file.
	text, err := json.Marshal(state)
	if err != nil {
		e.t.Fatal(err)
	}
	var page cua.PageState
	if err := json.Unmarshal(text, &page); err != nil {
		e.t.Fatal(err)
	}
	out, err := e.Restore(e.t.Context(), cua.Checkpoint{Step: 1, URL: state.URL, Page: &page}, facets)
	if err != nil {
		e.t.Fatal(err)
	}
	return out
}

// facets checks the outcome of a restore.
func facets(t testing.TB, out cua.Outcome, want map[string]string) {
	t.Helper()
	if out.Failure != nil {
		t.Errorf("the restore failed: %v (log %q)", out.Failure, out.Log)
	}
	for _, f := range cua.Facets() {
		word := want[f]
		if word == "" {
			word = cua.WasRestored
		}
		if out.Facets[f] != word {
			t.Errorf("facet %s is %q, want %q (log %q)", f, out.Facets[f], word, out.Log)
		}
	}
}

// script runs in the page's own world and gives a string.
func (e env) script(expr string) string {
	e.t.Helper()
	r, err := cdp.Call(e.t.Context(), e.active.s, runtime.Evaluate,
		runtime.EvaluateParams{Expression: expr, ReturnByValue: new(true)})
	if err != nil || r.ExceptionDetails != nil {
		e.t.Fatalf("%s: %v, %+v", expr, err, r.ExceptionDetails)
	}
	var out string
	if err := json.Unmarshal(r.Result.Value, &out); err != nil {
		e.t.Fatal(err)
	}
	return out
}

// middle is that of an element as it shows.
func (e env) middle(css string) *cua.Point {
	e.t.Helper()
	var p cua.Point
	if err := json.Unmarshal([]byte(e.script(`(() => { const b = document.querySelector('`+css+`').getBoundingClientRect(); return JSON.stringify({x: b.x + b.width / 2, y: b.y + b.height / 2}); })()`)), &p); err != nil {
		e.t.Fatal(err)
	}
	return &p
}

const wizardPage = `<title>wizard</title><form onsubmit="return false">
<input name="who" aria-label="Who"><input type="password" name="word" aria-label="Word">
<textarea name="say" aria-label="Say"></textarea><label><input type="checkbox" name="agree">Agree</label>
<label><input type="radio" name="size" value="s">Small</label><label><input type="radio" name="size" value="l" checked>Large</label>
<select name="land" aria-label="Land" onchange="fetch('/towns').then((r) => r.json()).then((l) => { town.replaceChildren(...l.map((x) => new Option(x))); })"><option>none<option>north</select>
<select id="town" name="town" aria-label="Town"></select>
<div contenteditable role="textbox" aria-label="Notes" style="border:1px solid;min-height:20px"></div>
<input type="range" name="loud" aria-label="Loud"><div hidden><input name="later"></div></form>
<div id="box" style="height:80px;overflow:auto"><div style="height:900px">tall</div></div>
<a href="/other">Other</a><button onclick="localStorage.clear();sessionStorage.clear();localStorage.wrong='1'">Wipe</button>
<button onclick="document.cookie='seen=2;path=/'">Eat</button><a href="/out">Out</a>
<button onclick="window.open('/other')">Window</button>
<p style="height:3000px">long</p>
<script>const town = document.getElementById('town'); window.began = JSON.stringify(localStorage);
document.addEventListener('input', () => { localStorage.draft = document.forms[0].who.value; sessionStorage.n = '1'; localStorage.hidden = document.forms[0].word.value; });
</script>`

func wizard(t testing.TB, o SessionOptions) env {
	ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			if _, err := r.Cookie("sid"); err != nil {
				http.SetCookie(w, &http.Cookie{Name: "sid", Value: "s3ss10n", HttpOnly: true, Path: "/"})
				http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1", Path: "/"})
			}
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html>", wizardPage)
		case "/other":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>other</title><script>localStorage.other='x'</script>")
		case "/towns":
			fmt.Fprint(w, `["a","b"]`)
		case "/out":
			http.SetCookie(w, &http.Cookie{Name: "sid", MaxAge: -1, Path: "/"})
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>out</title>")
		}
	})
	return open(t, o, ts.URL+"/")
}

// filled is a wizard with everything in it.
func filled(t testing.TB) (env, cua.Observation) {
	e := wizard(t, SessionOptions{Secrets: map[string]string{"PW": "hunter2-ñ/+"}})
	fill := func(name, text string) { e.ok(e.at(cua.Action{Kind: cua.Type, Text: text}, name)) }
	fill("Who", "alice <b>")
	fill("Word", "hunter2-ñ/+")
	fill("Say", "two\nlines")
	e.click("Agree")
	e.click("Small")
	e.ok(e.at(cua.Action{Kind: cua.Select, Text: "north"}, "Land"))
	e.ok(e.at(cua.Action{Kind: cua.Select, Text: "b"}, "Town"))
	fill("Notes", "rich")
	e.script(`document.forms[0].loud.value = 80, document.forms[0].later.value = 'later', ''`)
	e.ok(cua.Action{Kind: cua.Scroll, Point: e.middle("#box"), DY: 300})
	e.ok(cua.Action{Kind: cua.Scroll, Point: &cua.Point{X: 1200, Y: 700}, DY: 120})
	return e, e.ok(cua.Action{Kind: cua.Wait, MS: 1})
}

// truth is what the page itself says it holds.
const truth = `JSON.stringify([...document.querySelectorAll('input,select,textarea')].map((e) => e.type === 'checkbox' || e.type === 'radio' ? e.checked : e.value)) +
document.querySelector('[contenteditable]').innerText + JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + scrollY + ' ' + document.getElementById('box').scrollTop`

func TestCheckpointBringsAPageBack(t *testing.T) {
	e, o := filled(t)
	before := e.script(truth)
	e.script(`document.forms[0].reset(), localStorage.clear(), sessionStorage.clear(), ''`)
	e.ok(cua.Action{Kind: cua.Navigate, URL: strings.TrimSuffix(o.URL, "/") + "/other"})
	out := e.back(o.State, without)
	facets(t, out, map[string]string{cua.FacetCookies: cua.Kept})
	title(t, out.After, "wizard")
	if after := e.script(truth); after != before {
		t.Errorf("the page holds\n%s\nand held\n%s", after, before)
	}
	if began := e.script(`window.began`); !strings.Contains(began, "alice") || strings.Contains(began, "other") {
		t.Errorf("when the page's first script ran the storage was %s", began)
	}
	if out.After.FormDigest != o.FormDigest {
		t.Errorf("the form's digest is %s, it was %s", out.After.FormDigest, o.FormDigest)
	}
}

func TestCookiesComeBackOnlyWhenAsked(t *testing.T) {
	e := wizard(t, SessionOptions{})
	o := e.ok(cua.Action{Kind: cua.Wait, MS: 1})
	if n := len(o.State.Cookies); n != 2 {
		t.Fatalf("%d cookies are known: %+v", n, o.State.Cookies)
	}
	e.click("Eat")
	signedOut := e.ok(cua.Action{Kind: cua.Navigate, URL: o.URL + "out"})
	if n := len(signedOut.State.Cookies); n != 1 {
		t.Fatalf("signed out, %d cookies are known: %+v", n, signedOut.State.Cookies)
	}
	kept := e.back(signedOut.State, without)
	facets(t, kept, map[string]string{cua.FacetCookies: cua.Kept})
	out := e.back(o.State, cua.Facets())
	facets(t, out, nil)
	got, err := e.readCookies(t.Context(), newSealer(nil))
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, c := range got {
		if c.Name != o.State.Cookies[i].Name || c.Value != o.State.Cookies[i].Value ||
			c.Domain != o.State.Cookies[i].Domain || c.HTTPOnly != o.State.Cookies[i].HTTPOnly {
			t.Errorf("cookie %d is %+v, it was %+v", i, c, o.State.Cookies[i])
		}
	}
	if text := e.script(`document.cookie`); text != "seen=1" {
		t.Errorf("the page sees %q", text)
	}
}

// Storage and cookies are read again when they have changed, and only then.
func TestStorageAndCookiesAreReadWhenTheyChange(t *testing.T) {
	e := wizard(t, SessionOptions{})
	look := func() cua.Observation { return e.ok(cua.Action{Kind: cua.Wait, MS: 1}) }
	look()
	if n := e.active.keeps(); n != 1 {
		t.Errorf("the next look asks for %d where nothing has changed", n)
	}
	e.script(`localStorage.x = '1', ''`)
	if got := look().State.Stores; len(got) != 1 || got[0].Local["x"] != "1" {
		t.Errorf("stored: %+v", got)
	}
	e.script(`localStorage.x = '2', document.cookie = 'more=1', ''`)
	o := look()
	if o.State.Stores[0].Local["x"] != "2" || len(o.State.Cookies) != 3 {
		t.Errorf("stored: %+v, cookies %+v", o.State.Stores, o.State.Cookies)
	}
	e.script(`localStorage.removeItem('x'), sessionStorage.y = 'z', ''`)
	if got := look().State.Stores[0]; len(got.Local) != 0 || got.Session["y"] != "z" {
		t.Errorf("stored: %+v", got)
	}
}

func TestTabsComeBack(t *testing.T) {
	e := wizard(t, SessionOptions{})
	one := e.ok(cua.Action{Kind: cua.Wait, MS: 1})
	two := e.click("Window")
	title(t, two, "other")
	e.ok(cua.Action{Kind: cua.CloseTab})
	back := e.back(two.State, without)
	facets(t, back, map[string]string{cua.FacetCookies: cua.Kept})
	title(t, back.After, "other")
	if back.After.Tabs != 2 || back.After.Tab != 2 {
		t.Errorf("%d tabs, %d is active", back.After.Tabs, back.After.Tab)
	}
	back = e.back(one.State, []string{cua.FacetURL, cua.FacetForm, cua.FacetTabs})
	facets(t, back, map[string]string{cua.FacetCookies: cua.Kept, cua.FacetStorage: cua.Kept,
		cua.FacetScroll: cua.Kept})
	if title(t, back.After, "wizard"); back.After.Tabs != 1 {
		t.Errorf("%d tabs", back.After.Tabs)
	}
}

// No spelling of a known secret is in what is kept, and a password that is none is not in it at all; what is
// known comes back.
func TestSecretsAreKeptByName(t *testing.T) {
	const secret = "hunter2-ñ/+"
	e, o := filled(t)
	e.script(`localStorage.b = btoa(unescape(encodeURIComponent('x' + '` + secret + `'))), localStorage.u = encodeURIComponent('` + secret + `'), localStorage.trap = '<secret:PW~0>', ''`)
	o = e.ok(cua.Action{Kind: cua.Wait, MS: 1})
	text, err := json.Marshal(o.State)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range redact.Spellings(secret) {
		if s.Text != "" && strings.Contains(string(text), s.Text) {
			t.Errorf("spelling %d of the secret, %q, is in %s", i, s.Text, text)
		}
	}
	if !strings.Contains(string(text), "secret:PW~0") {
		t.Errorf("the secret's name is not in %s", text)
	}
	before := e.script(truth)
	e.ok(cua.Action{Kind: cua.Navigate, URL: o.URL + "other"})
	facets(t, e.back(o.State, without), map[string]string{cua.FacetCookies: cua.Kept})
	if after := e.script(truth); after != before {
		t.Errorf("the page holds\n%s\nand held\n%s", after, before)
	}
	e.ok(cua.Action{Kind: cua.Navigate, URL: o.URL})
	e.ok(e.at(cua.Action{Kind: cua.Type, Text: "unknown-word"}, "Word"))
	e.script(`localStorage.clear(), ''`)
	o = e.ok(cua.Action{Kind: cua.Wait, MS: 1})
	if text, _ = json.Marshal(o.State); strings.Contains(string(text), "unknown-word") {
		t.Errorf("a password is in %s", text)
	}
	facets(t, e.back(o.State, without), map[string]string{cua.FacetCookies: cua.Kept,
		cua.FacetForm: cua.Unsupported})
}

// Fields of another page are not filled, whatever they are called: what one site was told goes to no other.
func TestAnotherOriginIsGivenNothing(t *testing.T) {
	e, o := filled(t)
	page := *o.State
	page.URL = strings.Replace(page.URL, "127.0.0.1", "localhost", 1)
	out := e.back(&page, without)
	facets(t, out, map[string]string{cua.FacetCookies: cua.Kept, cua.FacetForm: cua.Drifted,
		cua.FacetStorage: cua.Drifted, cua.FacetScroll: cua.Drifted, cua.FacetTabs: cua.Drifted})
	if text := e.script(`JSON.stringify(localStorage) + document.forms[0].word.value + document.forms[0].who.value`); text != "{}" {
		t.Errorf("the other origin was given %q", text)
	}
}

// A control that is on the page only after another was filled is filled in the next pass; one that is not
// there any more is told.
func TestAFormThatHasChanged(t *testing.T) {
	const page = `<title>%s</title><form><select aria-label=Kind name=kind onchange="more.innerHTML = this.value === 'b' ? '<input name=extra aria-label=Extra>' : ''"><option>a<option>b</select><span id=more></span>%s</form>`
	gone := false
	ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		last := `<input name=last aria-label=Last>`
		if gone {
			last = ""
		}
		fmt.Fprintf(w, "<!doctype html>"+page, "form", last)
	})
	e := open(t, SessionOptions{}, ts.URL)
	e.ok(e.at(cua.Action{Kind: cua.Select, Text: "b"}, "Kind"))
	e.ok(e.at(cua.Action{Kind: cua.Type, Text: "more"}, "Extra"))
	o := e.ok(e.at(cua.Action{Kind: cua.Type, Text: "end"}, "Last"))
	out := e.back(o.State, without)
	facets(t, out, map[string]string{cua.FacetCookies: cua.Kept})
	if got := e.script(`document.forms[0].extra.value + document.forms[0].last.value`); got != "moreend" {
		t.Errorf("the form holds %q", got)
	}
	gone = true
	facets(t, e.back(o.State, without), map[string]string{cua.FacetCookies: cua.Kept,
		cua.FacetForm: cua.Drifted})
}

// A secret whose digits the page parts is kept by its name and comes back parted as it was; one that nobody
// knows any more cannot be given back, and the other fields are.
func TestMaskedAndForgottenSecrets(t *testing.T) {
	const card, code = "4111111111111111", "123456"
	ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>pay</title><form><input name=card aria-label=Card autocomplete=cc-number>
<input name=code aria-label=Code oninput="const d=this.value.replace(/\D/g,'');this.value=d.length>3?d.slice(0,3)+'-'+d.slice(3):d"><input name=who aria-label=Who></form>`)
	})
	secrets := map[string]string{"CARD": card, "CODE": code}
	e := open(t, SessionOptions{Secrets: secrets}, ts.URL)
	e.ok(e.at(cua.Action{Kind: cua.Type, Text: "4111 1111 1111 1111"}, "Card"))
	e.ok(e.at(cua.Action{Kind: cua.Type, Text: code}, "Code"))
	o := e.ok(e.at(cua.Action{Kind: cua.Type, Text: "Ada"}, "Who"))
	text, err := json.Marshal(o.State)
	if err != nil {
		t.Fatal(err)
	}
	for _, clear := range []string{card, "4111 1111", code, "123-456"} {
		if strings.Contains(string(text), clear) {
			t.Errorf("%q is in %s", clear, text)
		}
	}
	holds := func(want string) {
		t.Helper()
		if got := e.script(`[...document.forms[0].elements].map((f) => f.value).join('|')`); got != want {
			t.Errorf("the form holds %q, want %q", got, want)
		}
	}
	e.ok(cua.Action{Kind: cua.Reload})
	holds("||")
	out := e.back(o.State, without)
	facets(t, out, map[string]string{cua.FacetCookies: cua.Kept})
	holds("4111 1111 1111 1111|123-456|Ada")
	delete(secrets, "CARD")
	facets(t, e.back(o.State, without), map[string]string{cua.FacetCookies: cua.Kept,
		cua.FacetForm: cua.Unsupported})
	holds("|123-456|Ada")
}
