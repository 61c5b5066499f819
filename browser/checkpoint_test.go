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
)

// without asks for everything but the cookies.
var without = slices.DeleteFunc(cua.Facets(), func(f string) bool { return f == cua.FacetCookies })

// back restores a state and gives what came of it.
func (e env) back(state *cua.PageState, facets []string) cua.Outcome {
	e.t.Helper()
	if state == nil {
		e.t.Fatal("there is no checkpoint")
	}
	// What is restored went through a file.
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

// facets checks what came of a restore.
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
	r, err := cdp.Call(e.t.Context(), e.active.s, runtime.Evaluate, runtime.EvaluateParams{Expression: expr, ReturnByValue: new(true)})
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
