package viewer_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// A person who has a keyboard alone takes the browser over, signs in and hands it back.
func TestTakingOverByKeyboardAlone(t *testing.T) {
	s, b, site := serve(t), chromium(t), newLogin(t)
	s.player.real, s.player.reward = b, site.reward
	id := s.beginAt("stuck", site.URL)
	p := s.at(b, id, wide)
	on := func(id string) { t.Helper(); p.sees(`document.activeElement.id === ` + quoted(id)) }
	s.let(2)
	p.sees(steps + ` === 2`)
	p.keys("Tab", "Tab") // past the link to the list
	on("pause")
	p.keys("Return")
	p.sees(`document.getElementById("notice").textContent.includes("It pauses after the current step.")`)
	s.let(1)
	p.state("Paused")
	on("continue")
	p.keys("Tab")
	on("takeover")
	p.keys("Return")
	p.sees(live)
	on("keys")
	p.keys("Tab") // the page's own order: its first field
	p.keys(strings.Split("alice", "")...)
	p.keys("Tab")
	p.keys(strings.Split(canary, "")...)
	p.keys("Return")
	p.keys("control+alt+Escape")
	on("handback")
	for n := 0; site.reward() != 1; n++ {
		if n > 2000 {
			t.Fatal("nobody signs in")
		}
		p.sees("true")
	}
	p.keys("Return")
	p.sees(`document.getElementById("hands").hidden && document.activeElement !== document.body`)
	s.let(3)
	p.state("Ended: success")
}

var axe = flag.String("axe", os.Getenv("CUA_AXE"), "`file` axe.min.js of the npm package axe-core")

// axe-core finds nothing, on a light and on a dark screen: in an episode that runs, while a question is open,
// with the page in a person's hands, at the end, in both dialogs and in the list.
func TestAxe(t *testing.T) {
	if *axe == "" {
		t.Skip("SKIPPED: -axe FILE names the axe.min.js of the npm package axe-core")
	}
	source, err := os.ReadFile(*axe)
	must(t, err)
	for scheme, value := range map[string]string{"dark": "0", "light": "1"} {
		t.Run(scheme, func(t *testing.T) {
			s, b, site := serve(t), zoomed(t, 1, "blink-settings=preferredColorScheme="+value), newLogin(t)
			passed := 0
			clean := func(p person, where string) {
				t.Helper()
				p.sees(`matchMedia("(prefers-color-scheme: ` + scheme + `)").matches`)
				var found struct {
					Passed int
					Faults []struct{ ID, Impact, HTML, Why string }
				}
				must(t, json.Unmarshal([]byte(p.ask(`(() => {`+string(source)+`
					; return axe.run(document, {resultTypes: ["violations", "passes"]}).then((r) => ({passed: r.passes.length,
					faults: r.violations.flatMap((v) => v.nodes.map((n) => ({id: v.id, impact: v.impact,
					html: n.html.slice(0, 200), why: n.failureSummary})))})); })()`)), &found))
				for _, f := range found.Faults {
					t.Errorf("%s: %s (%s): %s\n%s", where, f.ID, f.Impact, f.HTML, f.Why)
				}
				if found.Passed < 10 {
					t.Errorf("%s: only %d rules passed: was the page looked at?", where, found.Passed)
				}
				passed += found.Passed
			}
			asking := s.at(b, s.begin("ask"), wide)
			clean(asking, "an episode that has made no step")
			s.let(2)
			asking.state("Paused")
			clean(asking, "a question")
			stopped := s.at(b, s.begin("stuck"), cua.Size{W: 420, H: 800})
			s.let(4)
			stopped.sees(steps + ` === 4`)
			clean(stopped, "an episode that is stuck, on a narrow screen")
			stopped.presses("#back")
			stopped.sees(`document.getElementById("going").open`)
			clean(stopped, "the dialog to go back")
			stopped.keys("Escape")
			stopped.presses("#stop")
			stopped.state("Ended: cancelled")
			clean(stopped, "the end")
			clean(s.at(b, "", wide), "the list")

			s.player.real, s.player.reward = b, site.reward
			hands := s.at(b, s.beginAt("corner", site.URL), wide)
			s.pausedAfterOne(hands)
			hands.takesOver()
			clean(hands, "the page in a person's hands")
			t.Log(fmt.Sprint(passed, " rules passed, in 7 places"))
		})
	}
}
