package show

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// opened is a page in a real browser.
type opened struct {
	*browser.Session
	t     *testing.T
	start cua.Observation
}

// openPage serves pages by path and opens the first.
func openPage(t *testing.T, wide int, pages map[string]string, path string) opened {
	t.Helper()
	b := browsertest.Launch(t, browser.Options{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, pages[r.URL.Path])
	}))
	t.Cleanup(web.Close)
	s, err := b.NewSession(t.Context(), browser.SessionOptions{Viewport: cua.Size{W: wide, H: 800}})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	o, err := s.Reset(t.Context(), cua.Task{URL: web.URL + path})
	must(t, err)
	return opened{s, t, o}
}

// is fails where a JavaScript expression is not what it should be, as JSON.
func (p opened) is(expression, want string) {
	p.t.Helper()
	got, err := p.Ask(p.t.Context(), expression)
	must(p.t, err)
	var a, b any
	must(p.t, json.Unmarshal(got, &a))
	must(p.t, json.Unmarshal([]byte(want), &b))
	if !bytes.Equal(asJSON(p.t, a), asJSON(p.t, b)) {
		p.t.Errorf("%s is %s, want %s", expression, got, want)
	}
}

func asJSON(t *testing.T, v any) []byte {
	out, err := json.Marshal(v)
	must(t, err)
	return out
}

// do acts as a person does, by mouse or keyboard.
func (p opened) do(a cua.Action) {
	p.t.Helper()
	out, err := p.Act(p.t.Context(), a)
	must(p.t, err)
	if out.Failure != nil {
		p.t.Fatal(out.Failure)
	}
}

func (p opened) press(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.do(cua.Action{Kind: cua.Key, Keys: k})
	}
}

// click presses the middle of the first element of a selector.
func (p opened) click(selector string) {
	p.t.Helper()
	raw, err := p.Ask(p.t.Context(), `(() => { const e = document.querySelector(`+string(asJSON(p.t, selector))+`);
		e.scrollIntoView({block: "center"}); const r = e.getBoundingClientRect();
		return {x: r.x + r.width / 2, y: r.y + r.height / 2}; })()`)
	must(p.t, err)
	var at cua.Point
	must(p.t, json.Unmarshal(raw, &at))
	p.do(cua.Action{Kind: cua.Click, Point: &at})
}

const (
	stoodOn   = `document.querySelector(".card[aria-current=step]")?.id ?? ""`
	cardsSeen = `[...document.querySelectorAll(".card")].filter(c => c.checkVisibility()).map(c => c.id)`
	zoomed    = `document.querySelector("dialog.zoom[open] img")?.alt ?? ""`
	sideways  = `document.documentElement.scrollWidth > innerWidth`
)

func episodeHTML(t *testing.T, tr *trajectories.Trajectory) string {
	t.Helper()
	var b bytes.Buffer
	must(t, WriteHTML(&b, tr))
	return b.String()
}

// The page of an episode is used as a person uses it: keys, filter, search, zoom by mouse and keyboard.
func TestTheEpisodePageIsUsed(t *testing.T) {
	p := openPage(t, 1280, map[string]string{"/": episodeHTML(t, goldenEpisode(t))}, "/")
	p.is(`document.querySelector("h1 bdi").textContent`, `"Sign in as ada and say who is signed in."`)
	p.is(`[...document.querySelectorAll(".card img, .strip img")].filter(i => i.naturalWidth !== 640).length`, `0`)
	p.is(`document.querySelectorAll(".card img").length > 8`, `true`)
	p.is(`document.querySelectorAll('img[src^="data:"][id]').length`, `4`)

	p.press("Right", "Right")
	p.is(stoodOn, `"step-2"`)
	p.press("Right", "Right", "Left")
	p.is(stoodOn, `"step-3"`)
	p.is(`document.querySelector(".strip [aria-current=step]").hash`, `"#step-3"`)
	p.is(`Math.abs(document.querySelector("#step-3").getBoundingClientRect().top) < 60`, `true`)

	p.press("z")
	p.is(zoomed, `"The page before step 3"`)
	p.press("Right")
	p.is(zoomed, `"The page before step 4"`)
	p.is(`document.querySelector("dialog .shot").clientWidth > 900`, `true`)
	p.press("Escape")
	p.is(zoomed, `""`)
	p.press("Return")
	p.is(zoomed, `"The page before step 4"`)
	p.press("Escape")
	p.click("#step-1 .shot")
	p.is(zoomed, `"The page before step 1"`)
	p.press("Escape")

	p.press("/")
	p.do(cua.Action{Kind: cua.Type, Text: "sign in as"})
	p.is(`document.activeElement.name`, `"words"`)
	p.is(`document.querySelector("output").value`, `"0 of 8"`)
	p.press("Escape")
	p.is(`document.querySelector("output").value`, `"8 of 8"`)
	for _, row := range []struct{ option, seen string }{
		{"repeat (", `["step-4","step-7"]`},
		{"press_return_for_submit (", `["step-7"]`},
	} {
		choose := strings.ReplaceAll(`(() => { const s = document.querySelector("select");
			s.value = [...s.options].find(o => o.text.startsWith("WORD")).value;
			s.dispatchEvent(new Event("input", {bubbles: true})); return s.value !== ""; })()`, "WORD", row.option)
		p.is(choose, `true`)
		p.is(cardsSeen, row.seen)
	}
	p.is(`document.querySelectorAll(".strip .out").length`, `7`)
}

// Nothing that a page or a brain wrote runs, while the page's own script does.
func TestHostilePagesInABrowser(t *testing.T) {
	tr := poisoned(t)
	var list bytes.Buffer
	must(t, WriteIndex(&list, []IndexRow{NewIndexRow(tr, "one.html")}))
	attacked := "<!doctype html><title>plain</title>" + attack
	for _, row := range []struct {
		name, page string
		runs       bool
	}{{"the episode", episodeHTML(t, tr), false}, {"the list", list.String(), false},
		{"the attack alone", attacked, true}} {
		t.Run(row.name, func(t *testing.T) {
			p := openPage(t, 1280, map[string]string{"/": row.page}, "/")
			if ran := len(p.start.Alerts) > 0 || p.start.Title == "owned"; ran != row.runs {
				t.Errorf("it ran: %v, title %q, alerts %v", ran, p.start.Title, p.start.Alerts)
			}
			if !row.runs {
				p.is(`document.querySelector("form.find").hidden || document.querySelector("dialog") === null`, `false`)
			}
		})
	}
}

// The list of runs leads to their pages; both fit on a narrow screen.
func TestTheListLeadsToTheEpisodes(t *testing.T) {
	tr, other := goldenEpisode(t), goldenEpisode(t)
	other.Header.Task.Goal, other.Header.Arm, other.Incidents = "Look around.", "off", nil
	var list bytes.Buffer
	must(t, WriteIndex(&list, []IndexRow{NewIndexRow(tr, "one.html"), NewIndexRow(other, "two.html")}))
	p := openPage(t, 420, map[string]string{"/": list.String(), "/one.html": episodeHTML(t, tr)}, "/")
	p.is(`[...document.querySelectorAll("tbody tr")].map(r => [...r.cells].slice(2).map(c => c.textContent))`,
		`[["8","1","1","1 recovered"],["8","1","0","–"]]`)
	p.is(sideways, `false`)
	p.press("/")
	p.do(cua.Action{Kind: cua.Type, Text: "look AROUND"})
	p.is(`[...document.querySelectorAll("tbody tr")].map(r => r.hidden)`, `[true,false]`)
	p.press("Escape")
	p.click("tbody a")
	p.is(`document.querySelector("h1 bdi").textContent`, `"Sign in as ada and say who is signed in."`)
	p.is(sideways, `false`)
}
