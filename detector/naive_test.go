package detector

import (
	"strconv"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// Three equal actions are a loop to who ignores the page, also where each turns it to a new one.
func TestWhoIgnoresThePageSeesLoopsInReading(t *testing.T) {
	naive := DefaultConfig()
	naive.IgnorePage = true
	history := func(a cua.Action, moves bool) cua.History {
		h := cua.History{Start: cua.Observation{URL: "https://a.example/", FrameSHA: "0"}}
		for n := 1; n <= 3; n++ {
			page := h.Start
			if moves {
				page.FrameSHA = strconv.Itoa(n)
			}
			h.Steps = append(h.Steps, cua.Step{N: n, Proposed: a, Action: &a, After: page})
		}
		return h
	}
	for _, row := range []struct {
		name           string
		action         cua.Action
		moves          bool
		classic, naive bool
	}{
		{"scrolling a page that moves", cua.Action{Kind: cua.Scroll, DY: 300}, true, false, true},
		{"scrolling one that does not", cua.Action{Kind: cua.Scroll, DY: 300}, false, true, true},
		{"waiting for a page that moves", cua.Action{Kind: cua.Wait, MS: 500}, true, false, true},
		{"turning pages", cua.Action{Kind: cua.Key, Keys: "Page_Down"}, true, false, true},
		{"pressing a button that moves the page", cua.Action{Kind: cua.Click, Point: &cua.Point{X: 5, Y: 5}}, true, true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := history(row.action, row.moves)
			if got := len(ClassicRepeat{Config: DefaultConfig()}.Detect(h)) > 0; got != row.classic {
				t.Errorf("classic: %v", got)
			}
			if got := len(ClassicRepeat{Config: naive}.Detect(h)) > 0; got != row.naive {
				t.Errorf("naive: %v", got)
			}
		})
	}
}
