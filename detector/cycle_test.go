package detector

import (
	"strconv"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// round makes n steps that press one button after the other, each of which leads to a page of its own.
func (s *sim) round(n, buttons int) {
	for i := range n {
		b := strconv.Itoa(i % buttons)
		s.press(b, func(p *page) { p.url = "https://a.test/" + b })
	}
}

func TestCycle(t *testing.T) {
	cycle := func(l cua.Level, run, since, period int, evidence ...int) cua.Signal {
		return cua.Signal{Shape: cua.ShapeCycle, Level: l, Run: run, Since: since, Score: float64(period),
			Evidence: evidence}
	}
	checkShape(t, Cycle{DefaultConfig()}, []shapeRow{
		{"two pages, four steps", func(s *sim) { s.round(4, 2) }, 0, 0, cua.Signal{}},
		{"two pages", func(s *sim) { s.round(5, 2) }, 5, 0, cycle(cua.Soft, 5, 1, 2, 2, 3, 4, 5)},
		{"two pages, on and on", func(s *sim) { s.round(10, 2) }, 5, 8, cycle(cua.Hard, 10, 1, 2, 7, 8, 9, 10)},
		{"three pages", func(s *sim) { s.round(9, 3) }, 6, 9, cycle(cua.Hard, 9, 1, 3, span(4, 9)...)},
		{"four pages", func(s *sim) { s.round(12, 4) }, 8, 12, cycle(cua.Hard, 12, 1, 4, span(5, 12)...)},
		{"five pages", func(s *sim) { s.round(15, 5) }, 10, 15, cycle(cua.Hard, 15, 1, 5, span(6, 15)...)},
		{"six pages are more than it follows", func(s *sim) { s.round(24, 6) }, 0, 0, cua.Signal{}},
		{"one switch to and fro", func(s *sim) {
			for i := range 5 {
				s.press("Dark", fill("dark", strconv.Itoa(i%2)))
			}
		}, 5, 0, cycle(cua.Soft, 5, 1, 2, 2, 3, 4, 5)},
		{"since it began", func(s *sim) { s.press("Start", show("list")); s.round(5, 2) }, 6, 0, cycle(cua.Soft, 5, 2, 2, 3, 4, 5, 6)},
		{"left again", func(s *sim) { s.round(6, 2); s.press("Out", show("out")) }, 5, 0, cua.Signal{}},
		{"one press over and over is the matter of repeat", func(s *sim) {
			for range 12 {
				s.press("Go", nil)
			}
		}, 0, 0, cua.Signal{}},
		{"two presses of which one does nothing", func(s *sim) {
			for i := range 6 {
				s.press(strconv.Itoa(i%2), nil)
			}
		}, 5, 0, cycle(cua.Soft, 6, 1, 2, 3, 4, 5, 6)},
		{"a press and a wait", func(s *sim) {
			for range 4 {
				s.press("Go", nil)
				s.wait(1, nil)
			}
		}, 5, 8, cycle(cua.Hard, 8, 1, 2, 5, 6, 7, 8)},
		{"a press and a look", func(s *sim) {
			for range 3 {
				s.press("Go", nil)
				s.look()
			}
		}, 5, 0, cycle(cua.Soft, 6, 1, 2, 3, 4, 5, 6)},
		{"a press and waits that get longer", func(s *sim) {
			for i := range 6 {
				s.press("Go", nil)
				s.wait(i+1, nil)
			}
		}, 5, 8, cycle(cua.Hard, 12, 1, 2, 9, 10, 11, 12)},
		{"a wait and a look: nobody acts", func(s *sim) {
			for range 8 {
				s.wait(1, nil)
				s.look()
			}
		}, 0, 0, cua.Signal{}},
		{"refusals in between", func(s *sim) {
			for i := range 3 {
				s.round(1, 1)
				s.refuse(click(400, 300))
				s.press("b", func(p *page) { p.url = "https://a.test/b" })
				if i == 2 {
					s.look()
				}
			}
		}, 7, 0, cua.Signal{}},
		{"next and down, each time another page", func(s *sim) {
			for i := range 8 {
				s.press("Next", func(p *page) { p.url, p.scroll = "https://a.test/?p="+strconv.Itoa(i), 0 })
				s.do(cua.Action{Kind: cua.Scroll, DY: 400}, cua.Target{}, func(p *page) { p.scroll = 400 })
			}
		}, 0, 0, cua.Signal{}},
		{"something new in each period", func(s *sim) {
			for i := range 8 {
				s.round(2, 2)
				s.press("Draw", func(p *page) { p.tiles[372] = i + 1 })
			}
		}, 0, 0, cua.Signal{}},
		{"the same pages another way", func(s *sim) {
			for i := range 8 {
				s.press(strconv.Itoa(i), func(p *page) { p.url = "https://a.test/" + strconv.Itoa(i%2) })
			}
		}, 0, 0, cua.Signal{}},
		{"what gates put in its place without effect", func(s *sim) {
			for i := range 6 {
				step := s.press(strconv.Itoa(i%2), nil)
				if i == 4 {
					substituted(step, cua.TabToNextField, cua.Action{Kind: cua.Key, Keys: "Tab"})
				}
			}
		}, 5, 0, cycle(cua.Soft, 6, 1, 2, 3, 4, 5, 6)},
		{"pages of which nothing is known", func(s *sim) {
			s.round(8, 2)
			for i := range s.h.Steps {
				s.h.Steps[i].After = cua.Observation{}
			}
		}, 0, 0, cua.Signal{}},
	})
}

func TestRevisit(t *testing.T) {
	revisit := func(l cua.Level, target string, evidence ...int) cua.Signal {
		return cua.Signal{Shape: cua.ShapeRevisit, Level: l, Run: len(evidence), Since: evidence[0],
			Target: "button|" + target, Evidence: evidence}
	}
	// trip opens page a from the hub and comes back, by a way that is as long as given and known after the
	// first time.
	trip := func(s *sim, detour int) {
		s.press("a", func(p *page) { p.url = "https://a.test/a" })
		for i := range detour {
			s.press("d"+strconv.Itoa(i), func(p *page) { p.url = "https://a.test/d" + strconv.Itoa(i) })
		}
		s.press("home", func(p *page) { p.url = "https://a.test/" })
	}
	checkShape(t, Revisit{DefaultConfig()}, []shapeRow{
		{"left twice", func(s *sim) { trip(s, 2); trip(s, 2) }, 0, 0, cua.Signal{}},
		{"left three times", func(s *sim) { trip(s, 1); trip(s, 1); s.press("a", show("x")) }, 7, 0, revisit(cua.Soft, "a", 1, 4, 7)},
		{"on and on", func(s *sim) {
			for range 5 {
				trip(s, 1)
			}
		}, 7, 13, revisit(cua.Hard, "home", 3, 6, 9, 12, 15)},
		{"too far apart", func(s *sim) {
			for range 4 {
				trip(s, 9)
			}
		}, 0, 0, cua.Signal{}},
		{"three in twenty, and not five in twenty-four", func(s *sim) {
			for range 4 {
				trip(s, 5)
			}
		}, 15, 0, revisit(cua.Soft, "home", 14, 21, 28)},
		{"two things that are done by turns on one page", func(s *sim) {
			for i := range 5 {
				s.press(strconv.Itoa(i%2), nil)
			}
		}, 5, 0, revisit(cua.Soft, "0", 1, 3, 5)},
		{"presses in a row that lead nowhere count once", func(s *sim) {
			for range 9 {
				s.press("Go", nil)
			}
		}, 0, 0, cua.Signal{}},
		{"waits and looks do not part them", func(s *sim) {
			for range 5 {
				s.press("Go", nil)
				s.look()
				s.wait(1, nil)
			}
		}, 0, 0, cua.Signal{}},
		{"a hub from which other things are done each time", func(s *sim) {
			for i := range 6 {
				s.press("menu", func(p *page) { p.parts["menu"] = "open" })
				s.press(strconv.Itoa(i), func(p *page) {
					p.url = "https://a.test/" +
						strconv.Itoa(i)
					delete(p.parts, "menu")
				})
				s.press("more", func(p *page) { p.parts["main"] = strconv.Itoa(i) })
				s.press("all", func(p *page) { p.parts["main"] += " and more" })
				s.press("home", func(p *page) { p.url, p.parts["main"] = "https://a.test/", "hello" })
			}
		}, 0, 0, cua.Signal{}},
		{"a menu that is opened and closed, with something new now and then", func(s *sim) {
			for i := range 4 {
				s.press("menu", func(p *page) { p.parts["menu"] = "open" })
				s.press("menu", func(p *page) { delete(p.parts, "menu") })
				if i == 1 {
					s.press("x", func(p *page) { p.parts["main"] = "x" })
					s.press("y", func(p *page) { p.parts["main"] = "hello" })
				}
			}
		}, 7, 0, revisit(cua.Soft, "menu", 2, 4, 8, 10)},
		{"a page that is read from its top at each visit", func(s *sim) {
			for i := range 5 {
				s.do(cua.Action{Kind: cua.Scroll, DY: 300}, cua.Target{}, func(p *page) { p.scroll = 300 })
				s.press(strconv.Itoa(i), func(p *page) { p.url, p.scroll = "https://a.test/a", 0 })
				s.do(cua.Action{Kind: cua.Navigate, URL: "https://a.test/?" + strconv.Itoa(i)}, cua.Target{},
					func(p *page) { p.url = "https://a.test/" })
			}
		}, 0, 0, cua.Signal{}},
		{"what is new after a rewind", func(s *sim) {
			for range 3 {
				s.press("a", func(p *page) { p.url = "https://a.test/a" })
				s.do(cua.Action{Kind: cua.Rewind, Step: 1}, cua.Target{},
					func(p *page) { p.url = "https://a.test/" }).RewoundTo = 1
			}
		}, 6, 0, cua.Signal{Shape: cua.ShapeRevisit, Level: cua.Soft, Run: 3, Since: 2,
			Evidence: []int{2, 4, 6}}},
	})
}
