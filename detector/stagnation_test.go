package detector

import (
	"fmt"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestStagnation(t *testing.T) {
	scroll := func(s *sim, to float64) {
		s.do(cua.Action{Kind: cua.Scroll, Point: at(400, 400), DY: to - s.page.scroll}, cua.Target{},
			func(p *page) { p.scroll = to })
	}
	upAndDown := func(s *sim, n int) {
		for i := range n {
			scroll(s, 300*[]float64{1, 2, 3, 2, 1, 0}[i%6])
		}
	}
	phrases := func(s *sim, n int) {
		for i := range n {
			text := fmt.Sprint("phrase ", i*i%5)
			s.do(put(text), box("Search"),
				func(p *page) { p.values["textbox|Search"] = text; p.parts["main"] = "results of " + text })
		}
	}
	d := Stagnation{DefaultConfig()}
	for _, row := range []struct {
		name       string
		play       func(s *sim)
		soft, hard int
	}{
		{"one page scrolled up and down", func(s *sim) { upAndDown(s, 28) }, 17, 27},
		{"read down and up again once", func(s *sim) { upAndDown(s, 6) }, 0, 0},
		{"five phrases to and fro", func(s *sim) { phrases(s, 30) }, 17, 27},
		{"known pages in no order", func(s *sim) {
			for i := range 40 {
				name := fmt.Sprint(i * i * i % 7)
				s.press(name, func(p *page) { p.url = "https://a.test/" + name })
			}
		}, 18, 28},
		{"a new page now and then", func(s *sim) {
			for i := range 40 {
				name := fmt.Sprint(i % 3)
				if i%10 == 9 {
					name = fmt.Sprint("new", i)
				}
				s.press(name, func(p *page) { p.url = "https://a.test/" + name })
			}
		}, 0, 0},
		{"a year on in a date picker, and a year back", func(s *sim) {
			for i := range 24 {
				month := min(i+1, 23-i)
				s.press("month", func(p *page) { p.parts["main"] = fmt.Sprint("month ", month) })
			}
		}, 0, 0},
		{"waits alone are another matter", func(s *sim) {
			for range 40 {
				s.wait(1, nil)
			}
		}, 0, 0},
		{"looks alone too", func(s *sim) {
			for range 40 {
				s.look()
			}
		}, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSim(newPage("https://a.test/"))
			row.play(s)
			if soft, hard := firsts(s.h, d); soft != row.soft || hard != row.hard {
				t.Errorf("soft after step %d, hard after step %d, want %d and %d", soft, hard,
					row.soft, row.hard)
			}
		})
	}
}

// Where no page is known, only what was done tells.
func TestStagnationWithoutPages(t *testing.T) {
	d := Stagnation{DefaultConfig()}
	for _, row := range []struct {
		name string
		step func(i int) cua.Action
		soft bool
	}{
		{"five phrases to and fro", func(i int) cua.Action { return cua.Action{Kind: cua.Type, Text: fmt.Sprint("phrase ", i*i%5)} }, true},
		{"a new phrase each time", func(i int) cua.Action { return cua.Action{Kind: cua.Type, Text: fmt.Sprint("phrase ", i)} }, false},
		{"scrolling on", func(int) cua.Action { return cua.Action{Kind: cua.Scroll, Point: at(400, 400), DY: 300} }, false},
		{"the arrow keys", func(int) cua.Action { return cua.Action{Kind: cua.Key, Keys: "Down"} }, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			var h cua.History
			for i := range 30 {
				a := row.step(i)
				h.Steps = append(h.Steps, cua.Step{N: i + 1, Decision: i + 1, Proposed: a, Action: &a})
			}
			if soft, _ := firsts(h, d); (soft > 0) != row.soft {
				t.Errorf("soft after step %d, want %v", soft, row.soft)
			}
		})
	}
}
