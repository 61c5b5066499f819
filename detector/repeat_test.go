package detector

import (
	"strconv"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestRepeat(t *testing.T) {
	repeat := func(l cua.Level, run, since int, evidence ...int) cua.Signal {
		return cua.Signal{Shape: cua.ShapeRepeat, Level: l, Run: run, Since: since, Target: "button|Go",
			Evidence: evidence}
	}
	dead := func(s *sim, n int) {
		for range n {
			s.press("Go", nil)
		}
	}
	checkShape(t, Repeat{Config: DefaultConfig()}, []shapeRow{
		{"two presses", func(s *sim) { dead(s, 2) }, 0, 0, cua.Signal{}},
		{"three presses", func(s *sim) { dead(s, 3) }, 3, 0, repeat(cua.Soft, 3, 1, 1, 2, 3)},
		{"ten presses: the newest eight are the evidence", func(s *sim) { dead(s, 10) }, 3, 8, repeat(cua.Hard, 10, 1, span(3, 10)...)},
		{"after something else", func(s *sim) { s.press("Help", show("help")); dead(s, 3) }, 4, 0, repeat(cua.Soft, 3, 2, 2, 3, 4)},
		{"one target at any point", func(s *sim) {
			for i := range 3 {
				s.do(click(float64(390+10*i), 300), button("Go"), nil)
			}
		}, 3, 0, repeat(cua.Soft, 3, 1, 1, 2, 3)},
		{"something else in between", func(s *sim) { dead(s, 2); s.press("Help", nil); dead(s, 2) }, 0, 0, cua.Signal{}},
		{"an effect in between", func(s *sim) { dead(s, 2); s.press("Go", show("gone")); dead(s, 2) }, 0, 0, cua.Signal{}},
		{"an effect at the end", func(s *sim) { dead(s, 4); s.press("Go", show("gone")) }, 3, 0, cua.Signal{}},
		{"a moved focus is none", func(s *sim) {
			for i := range 3 {
				s.press("Go", func(p *page) { p.focus = strconv.Itoa(i) })
			}
		}, 3, 0, repeat(cua.Soft, 3, 1, 1, 2, 3)},
		{"waits and looks in between", func(s *sim) {
			for range 3 {
				dead(s, 1)
				s.look()
				s.wait(1, nil)
			}
		}, 7, 0, repeat(cua.Soft, 3, 1, 1, 4, 7)},
		{"a refusal in between", func(s *sim) { dead(s, 2); s.refuse(click(400, 300)); dead(s, 1) }, 4, 0, repeat(cua.Soft, 3, 1, 1, 2, 4)},
		{"an effect that cannot be judged", func(s *sim) { dead(s, 4); s.h.Steps[1].Effect = nil }, 0, 0, cua.Signal{}},
		{"the result shows while nobody acts", func(s *sim) { dead(s, 4); s.wait(1, show("saved")) }, 3, 0, cua.Signal{}},
		{"other words each time", func(s *sim) {
			for i := range 5 {
				s.do(put(strconv.Itoa(i)), box("q"), nil)
			}
		}, 0, 0, cua.Signal{}},
		{"Tab from field to field", func(s *sim) {
			for i := range 5 {
				s.key("Tab", func(p *page) { p.focus = "textbox|" + strconv.Itoa(i) })
			}
		}, 0, 0, cua.Signal{}},
		{"Tab that moves nothing", func(s *sim) {
			for range 3 {
				s.key("Tab", nil)
			}
		}, 3, 0, cua.Signal{Shape: cua.ShapeRepeat, Level: cua.Soft, Run: 3, Since: 1,
			Evidence: []int{1, 2, 3}}},
		{"steps that a rewind undid", func(s *sim) {
			dead(s, 2)
			s.do(cua.Action{Kind: cua.Rewind, Step: 1}, cua.Target{}, nil).RewoundTo = 1
			dead(s, 3)
		}, 6, 0, repeat(cua.Soft, 3, 4, 4, 5, 6)},
		{"what a gate put in its place without effect", func(s *sim) {
			for i := range 4 {
				step := s.press("Go", nil)
				if i > 0 {
					substituted(step, cua.ScrollIntoView, []cua.Action{{Kind: cua.Scroll, DY: 90},
						{Kind: cua.Observe}, {Kind: cua.Wait, MS: 9}}[i-1])
				}
			}
		}, 3, 0, repeat(cua.Soft, 4, 1, 1, 2, 3, 4)},
	})
}

func TestFrozen(t *testing.T) {
	frozen := func(l cua.Level, run, since int, evidence ...int) cua.Signal {
		return cua.Signal{Shape: cua.ShapeFrozen, Level: l, Run: run, Since: since, Evidence: evidence}
	}
	tries := func(s *sim, n int) {
		for i := range n {
			s.press(strconv.Itoa(i), nil)
		}
	}
	checkShape(t, Frozen{Config: DefaultConfig()}, []shapeRow{
		{"three tries", func(s *sim) { tries(s, 3) }, 0, 0, cua.Signal{}},
		{"four tries", func(s *sim) { tries(s, 4) }, 4, 0, frozen(cua.Soft, 4, 1, 1, 2, 3, 4)},
		{"ten tries", func(s *sim) { tries(s, 10) }, 4, 8, frozen(cua.Hard, 10, 1, span(3, 10)...)},
		{"waits and looks in between", func(s *sim) { tries(s, 2); s.wait(1, nil); s.look(); tries(s, 2) }, 6, 0, frozen(cua.Soft, 4, 1, 1, 2, 5, 6)},
		{"an effect in between", func(s *sim) { tries(s, 3); s.press("x", fill("a", "1")); tries(s, 3) }, 0, 0, cua.Signal{}},
		{"the page goes elsewhere by itself", func(s *sim) {
			tries(s, 3)
			s.idle = show("logged out")
			tries(s, 1)
			s.idle = nil
			tries(s, 2)
		}, 0, 0, cua.Signal{}},
		{"to a known page and back", func(s *sim) {
			s.press("Open", show("more"))
			s.press("Close", show("hello"))
			tries(s, 4)
		}, 6, 0, frozen(cua.Soft, 4, 3, 3, 4, 5, 6)},
		{"effects alone are known", func(s *sim) {
			tries(s, 5)
			s.h.Start = cua.Observation{URL: s.h.Start.URL}
			for i := range s.h.Steps {
				s.h.Steps[i].After = s.h.Start
			}
		}, 4, 0, frozen(cua.Soft, 5, 1, 1, 2, 3, 4, 5)},
		{"nothing is known", func(s *sim) {
			tries(s, 5)
			s.h.Start = cua.Observation{}
			for i := range s.h.Steps {
				s.h.Steps[i].After, s.h.Steps[i].Effect = s.h.Start, nil
			}
		}, 0, 0, cua.Signal{}},
	})
}

// TestAdaptiveWindows: when a dead button is told, after what came before.
func TestAdaptiveWindows(t *testing.T) {
	pages := func(s *sim, n int) {
		for i := range n {
			s.press("Next", show(strconv.Itoa(i)))
		}
	}
	rows := []struct {
		name       string
		before     func(*sim)
		soft, hard int // presses of the dead button
	}{
		{"nothing", func(*sim) {}, 3, 7},
		{"new pages", func(s *sim) { pages(s, 8) }, 5, 8},
		{"one new page", func(s *sim) { pages(s, 1) }, 5, 8},
		{"eight other things", func(s *sim) {
			for i := range 8 {
				s.press(strconv.Itoa(i), fill("a", strconv.Itoa(i%2)))
			}
		}, 5, 8},
		{"one switch, to and fro: a toggling bit is no progress", func(s *sim) {
			for i := range 12 {
				s.press("Dark", fill("dark", strconv.Itoa(i%2)))
			}
		}, 3, 8},
		{"a new page that waiting showed", func(s *sim) { s.press("Go", nil); s.wait(1, show("saved")) }, 5, 8},
		{"new pages that a rewind undid", func(s *sim) {
			pages(s, 2)
			s.do(cua.Action{Kind: cua.Rewind, Step: 1}, cua.Target{}, show("hello")).RewoundTo = 1
		}, 5, 8},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := newSim(newPage("https://a.test/"))
			row.before(s)
			n := len(s.h.Steps)
			for range 12 {
				s.press("Dead", nil)
			}
			soft, hard := firsts(s.h, Repeat{Config: DefaultConfig(), Adaptive: true})
			if soft-n != row.soft || hard-n != row.hard {
				t.Errorf("soft at press %d, hard at press %d, want %d and %d", soft-n, hard-n,
					row.soft, row.hard)
			}
		})
	}
	t.Run("soft is never below three", func(t *testing.T) {
		c := DefaultConfig()
		s := newSim(newPage("https://a.test/"))
		for range 2 {
			s.press("Dead", nil)
		}
		if got := alarms(Shapes(c).Detect(s.h)); len(got) != 0 {
			t.Errorf("signals %+v after two presses", got)
		}
	})
}
