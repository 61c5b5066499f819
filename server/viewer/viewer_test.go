package viewer_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/server/viewer"
	"github.com/cua-runner/cua-runner/trajectories"
)

// A run is watched to its end by two people, and the second one comes late.
func TestARunIsWatchedToItsEnd(t *testing.T) {
	s, b := serve(t), chromium(t)
	id := s.begin("three")
	p := s.at(b, id, wide)
	p.state("Running")
	p.sees(`document.getElementById("goal").textContent === "Press Next until it is done."`)
	p.sees(`document.querySelector(".reasons").textContent === "No step was made yet."`)
	s.let(2)
	p.sees(steps + ` === 2`)
	p.sees(`document.querySelector("#strip [aria-current=step] b").textContent === "2"`)
	p.sees(`[...document.querySelectorAll(".frames img")].map((i) => i.naturalWidth > 0).join() === "true,true"`)
	late := s.at(b, id, wide)
	late.sees(steps + ` === 2`)
	s.let(2)
	for _, who := range []person{p, late} {
		who.state("Ended: success")
		who.sees(steps + ` === 4`)
		who.sees(`document.getElementById("stage").textContent === "it is done"`)
		who.sees(`["pause", "continue", "back", "stop", "resume"].every((id) => document.getElementById(id).disabled)`)
	}
	// The ended run has the same page for whoever comes after.
	after := s.at(b, id, wide)
	after.state("Ended: success")
	after.sees(steps + ` === 4`)
}

// What is asked for and done is said in the words of the exported page, and drawn in the same places.
func TestTheWordsAreThoseOfTheExport(t *testing.T) {
	s, b := serve(t), chromium(t)
	id := s.begin("stuck")
	s.let(5)
	p := s.at(b, id, wide)
	p.sees(steps + ` === 5`)
	tr, err := trajectories.Read(filepath.Join(s.dir, "a", id))
	must(t, err)
	for i := range tr.Steps {
		st := &tr.Steps[i]
		p.presses(fmt.Sprintf("#strip .step:nth-child(%d)", st.N))
		want := trajectories.Proposed(st)
		p.sees(`document.querySelector(".reasons h2").textContent === ` + quoted(fmt.Sprint(st.N)))
		if got := p.ask(`document.querySelector(".reasons .what code").textContent`); got != quoted(want) {
			t.Errorf("step %d: %s, the export says %q", st.N, got, want)
		}
		pin := trajectories.ProposedPoint(st)
		if pin == nil {
			continue
		}
		var at []float64
		must(t, json.Unmarshal([]byte(p.ask(`(() => { const f = [...document.querySelectorAll(".frames figure")]
			.find((f) => f.textContent.startsWith("Before") || f.querySelector(".pin"));
			const i = f.querySelector(".pin").getBoundingClientRect(), b = f.querySelector(".shot").getBoundingClientRect();
			return [(i.x + i.width / 2 - b.x) / b.width, (i.y + i.height / 2 - b.y) / b.height]; })()`)), &at))
		v := tr.History().Before(st.N - 1).Viewport
		if dx, dy := at[0]*float64(v.W)-pin.X, at[1]*float64(v.H)-pin.Y; dx*dx+dy*dy > 9 {
			t.Errorf("step %d: the pin is %.1f, %.1f px beside the point", st.N, dx, dy)
		}
	}
	p.sees(`document.querySelector(".chip.bad, .chip.warn") !== null`)
}

func TestAPersonTakesPart(t *testing.T) {
	s, b := serve(t), chromium(t)
	id := s.begin("long")
	p, other := s.at(b, id, wide), s.at(b, id, wide)
	p.pauses()
	s.let(1)
	for _, who := range []person{p, other} {
		who.state("Paused")
		who.sees(`document.getElementById("card").textContent.includes("by a person")`)
		who.sees(`document.getElementById("pause").disabled && !document.getElementById("continue").disabled`)
	}
	p.presses("#tell input")
	p.types("Press it twice. " + attack)
	p.presses("#tell button")
	p.sees(`document.querySelector("#tell input").value === ""`)
	other.presses("#continue")
	p.state("Running")
	s.let(1)
	p.sees(`document.querySelector(".reasons").textContent.includes("Press it twice. </script>")`)
	p.presses("#stop")
	for _, who := range []person{p, other} {
		who.state("Ended: cancelled")
	}
	// An episode that has ended can be resumed, and a viewer sees it go on.
	p.presses("#resume")
	p.state("Running")
	s.let(1)
	p.sees(steps + ` === 3`)
}

func TestAQuestionIsAnswered(t *testing.T) {
	for _, row := range []struct {
		name   string
		answer func(p person)
		record string
	}{
		{"in words", func(p person) { p.types("blue") }, "blue"},
		{"by a secret", func(p person) {
			p.presses("#answer [name=secret]")
			p.presses("#answer [name=text]")
			p.types("the-canary")
			p.presses("#answer [name=name]")
			p.types("WORD")
		}, "<secret:WORD>"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, b := serve(t), chromium(t)
			id := s.begin("ask")
			p := s.at(b, id, wide)
			s.let(2)
			p.state("Paused")
			p.sees(`document.querySelector(".question").textContent.startsWith("Which word? </script>")`)
			p.presses("#answer [name=text]")
			row.answer(p)
			p.presses("#answer button")
			p.sees(`document.getElementById("answer").hidden`)
			s.let(1)
			p.state("Ended: success")
			tr, err := trajectories.Read(filepath.Join(s.dir, "a", id))
			must(t, err)
			var answers []string
			for _, e := range tr.Events {
				if e.Kind == trajectories.AnswerEvent {
					answers = append(answers, e.Answer)
				}
			}
			if len(answers) != 1 || answers[0] != row.record {
				t.Errorf("the journal has the answers %q, want %q", answers, row.record)
			}
			p.sees(`!document.body.textContent.includes("the-canary")`)
		})
	}
}

// Going back names the step that it crosses and does nothing without consent.
func TestGoingBackAsksForConsent(t *testing.T) {
	s, b := serve(t), chromium(t)
	id := s.begin("send")
	p := s.at(b, id, wide)
	s.let(3)
	p.sees(steps + ` === 3`)
	p.pauses()
	s.let(1)
	p.state("Paused")
	p.presses("#strip .step:nth-child(2)")
	p.presses("#back")
	p.sees(`document.querySelector("#going select").value === "2"`)
	p.sees(`document.getElementById("crosses").textContent.startsWith("Step 2 sent something")`)
	p.sees(`document.getElementById("go").disabled`)
	p.presses("#going [name=consent]")
	p.presses("#go")
	p.sees(steps + ` === 5`)
	p.sees(`document.getElementById("notice").textContent.startsWith("Went back: the page is as before step 2")`)
}

// All is done by keyboard, and the focus is never lost.
func TestKeyboardAlone(t *testing.T) {
	s, b := serve(t), chromium(t)
	id := s.begin("long")
	p := s.at(b, id, wide)
	s.let(3)
	p.sees(steps + ` === 3`)
	p.keys("Left")
	p.sees(`document.querySelector(".reasons h2").textContent === "2"`)
	p.sees(`scrollY === 0`) // the strip moves, not the page
	p.keys("Left", "Left", "Left")
	p.sees(`document.querySelector(".reasons h2").textContent === "1"`)
	p.keys("Right")
	p.sees(`document.querySelector(".reasons h2").textContent === "2"`)
	p.keys("End")
	p.sees(`document.querySelector(".reasons h2").textContent === "3"`)
	on := func(id string) { p.t.Helper(); p.sees(`document.activeElement.id === ` + quoted(id)) }
	p.keys("Tab", "Tab") // past the link to the list
	on("pause")
	p.keys("Return")
	s.let(1)
	p.state("Paused")
	on("continue")
	p.keys("Tab")
	on("takeover")
	p.keys("Tab")
	on("back")
	p.keys("Return")
	p.sees(`document.getElementById("going").open`)
	p.keys("Escape")
	p.sees(`!document.getElementById("going").open`)
	on("back")
	p.keys("Tab", "Tab")
	p.types("Look twice.")
	p.keys("Return")
	p.sees(`document.querySelector("#tell input").value === ""`)
	p.keys("shift+Tab", "shift+Tab", "shift+Tab", "shift+Tab")
	on("continue")
	p.keys("Return")
	p.state("Running")
	p.sees(`document.activeElement !== document.body`)
}

func TestItFitsANarrowScreen(t *testing.T) {
	s, b := serve(t), chromium(t)
	id := s.begin("ask")
	s.let(2)
	for _, row := range []struct{ name, id, ready string }{
		{"an episode", id, `!document.getElementById("answer").hidden`},
		{"the list", "", `document.querySelectorAll("tbody tr").length === 1`},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := s.at(b, row.id, cua.Size{W: 420, H: 800})
			p.sees(row.ready)
			if got := p.ask(`document.documentElement.scrollWidth`); got != "420" {
				t.Errorf("the page is %s px wide on a screen of 420", got)
			}
		})
	}
}

// Nothing that a page, a brain or a person wrote becomes markup.
func TestHostileWordsStayText(t *testing.T) {
	s, b := serve(t), chromium(t)
	id := s.begin("stuck")
	s.let(5)
	p := s.at(b, id, wide)
	p.sees(steps + ` === 5`)
	p.sees(`document.querySelector(".reasons").textContent.includes("</script><img src=x onerror")`)
	if got := p.ask(`[document.querySelectorAll("img:not(.frame)").length, document.title.includes("owned")]`); got != `[0,false]` {
		t.Errorf("pictures that are no frames, and the title was taken: %s", got)
	}
	// The token is not in the address any more, and a page that has none asks for it.
	p.sees(`location.hash === ""`)
	p.ask(`sessionStorage.clear()`)
	p.do(cua.Action{Kind: cua.Reload})
	p.presses("#login input")
	p.types(token)
	p.keys("Return")
	p.sees(steps + ` === 5`)
}

// A frame is live for two seconds by the clock of the server, and never where the time is not known.
func TestAge(t *testing.T) {
	s, b := serve(t), chromium(t)
	id := s.begin("three")
	s.let(1)
	p := s.at(b, id, wide)
	p.sees(steps + ` === 1`)
	for _, row := range []struct{ name, call, want string }{
		{"fresh", `age(1000000, 1001999)`, `[true,"Live"]`},
		{"two seconds", `age(1000000, 1002000)`, `[false,"2 s old"]`},
		{"a minute", `age(1000000, 1060000)`, `[false,"60 s old"]`},
		{"a journal that does not tell it", `age(0, 1000000)`, `[false,"taken at an unknown time"]`},
		{"a server that does not tell it", `age(1000000, NaN)`, `[false,"taken at an unknown time"]`},
	} {
		got := p.ask(`import("/view/words.js").then((words) => words.` + row.call + `)`)
		if got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
	// The page whose frame grows old says so by itself.
	p.sees(`/^[2-9] s old$/.test(document.getElementById("age").textContent)`)
}

// A question that a page dictates is shown as text with escapes, and the controls stay in sight however long
// it is.
func TestAHostileQuestionIsShown(t *testing.T) {
	s, b := serve(t), chromium(t)
	id := s.begin("flood")
	for _, size := range []cua.Size{wide, {W: 420, H: 800}} {
		p := s.at(b, id, size)
		if size == wide {
			s.let(2)
		}
		p.state("Paused")
		p.sees(`document.querySelector(".question").textContent.length > 100000`)
		const escaped = `\u202egnp.exe\u202c \u2066x \u200b\x1b[2J`
		p.sees(`document.querySelector(".question").textContent.includes(` + quoted(escaped) + `)`)
		p.sees(`document.querySelector(".reasons").textContent.includes(` + quoted("List "+attack+escaped) + `)`)
		for _, row := range [][2]string{
			{`document.querySelectorAll("img:not(.frame), .panel b b").length`, "0"},
			{`document.title.includes("owned")`, "false"},
			{`/(?![\n\t\u200d])[\p{Cc}\p{Cf}]/u.test(document.body.innerText + document.title)`, "false"},
			{`[...document.querySelectorAll("[aria-label], [title]")].some((e) => /\p{Cf}/u.test(e.ariaLabel + e.title))`, "false"},
			{`document.documentElement.scrollWidth > innerWidth`, "false"},
			{`document.querySelector(".question").tabIndex`, "0"}, // the keyboard scrolls it
		} {
			if got := p.ask(row[0]); got != row[1] {
				t.Errorf("%d px wide: %s is %s, want %s", size.W, row[0], got, row[1])
			}
		}
		var answer, strip float64
		place := func(id, edge string, of *float64) {
			at := p.ask(`document.getElementById("` + id + `").getBoundingClientRect().` + edge)
			must(t, json.Unmarshal([]byte(at), of))
		}
		place("answer", "bottom", &answer)
		place("strip", "top", &strip)
		if answer > 800 || strip > 4000 {
			t.Errorf("%d px wide: the answer ends at %.0f px and the steps begin at %.0f px", size.W,
				answer, strip)
		}
	}
}

func TestTheFilesAndTheirPolicy(t *testing.T) {
	view, err := viewer.Handler()
	must(t, err)
	for _, row := range []struct {
		path   string
		status int
		kind   string
	}{{"/", 200, "text/html"}, {"/viewer.js", 200, "text/javascript"}, {"/cards.css", 200, "text/css"},
		{"/viewer.go", 404, "text/plain"}, {"/page.html", 404, "text/plain"}} {
		w := httptest.NewRecorder()
		view.ServeHTTP(w, httptest.NewRequest("GET", row.path, nil))
		if w.Code != row.status || !strings.HasPrefix(w.Header().Get("Content-Type"), row.kind) {
			t.Errorf("%s: %d %s", row.path, w.Code, w.Header().Get("Content-Type"))
		}
		csp := w.Header().Get("Content-Security-Policy")
		strict := strings.HasPrefix(csp, "default-src 'none'; script-src 'self'") &&
			!strings.Contains(csp, "unsafe")
		if row.status == 200 && !strict {
			t.Errorf("%s: the policy is %q", row.path, csp)
		}
	}
}
