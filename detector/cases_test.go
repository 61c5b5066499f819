package detector

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// tick is a page with a clock in its text and a spinner in its pixels.
func tick() func(*page) {
	n := 0
	return func(p *page) {
		n++
		p.parts["clock"] = strconv.Itoa(n)
		p.tiles[7] = n
	}
}

// TestStuck: a soft signal is due by step 8 and a hard one by step 12 (docs/detection-errors.md#the-cases).
func TestStuck(t *testing.T) {
	rows := []struct {
		name string
		play func(*sim)
	}{
		{"S1 dead button on a frozen page", func(s *sim) {
			for range 24 {
				s.press("Go", nil)
			}
		}},
		{"S2 the same, jitter of 5 px, identified", func(s *sim) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 24 {
				s.do(click(400+float64(r.IntN(11)-5), 300+float64(r.IntN(11)-5)), button("Go"), nil)
			}
		}},
		{"S2 the same, jitter of 5 px, nothing there to identify", func(s *sim) {
			r := rand.New(rand.NewPCG(3, 4))
			for range 24 {
				p := cua.Point{X: 400 + float64(r.IntN(11)-5), Y: 300 + float64(r.IntN(11)-5)}
				s.do(click(p.X, p.Y), cua.Target{ID: cua.PointID(p)}, nil)
			}
		}},
		{"S2 the same, jitter that misses a small target now and then", func(s *sim) {
			icon := cua.Target{ID: "button|x", Role: "button", Box: cua.Box{X: 397, Y: 297, W: 6, H: 6}}
			r := rand.New(rand.NewPCG(5, 6))
			for range 24 {
				p := cua.Point{X: 400 + float64(r.IntN(11)-5), Y: 300 + float64(r.IntN(11)-5)}
				target := icon
				if !icon.Box.Contains(p) {
					target = cua.Target{ID: cua.PointID(p)}
				}
				s.do(click(p.X, p.Y), target, nil)
			}
		}},
		{"S3 A-B-A-B across two pages", func(s *sim) { s.round(24, 2) }},
		{"S4 A-B-C", func(s *sim) { s.round(24, 3) }},
		{"S5 dead button beside a ticking clock and a spinner", func(s *sim) {
			s.idle = tick()
			for range 24 {
				s.press("Go", s.idle)
			}
		}},
		{"S5 dead button, and one tile far from it blinks with each press", func(s *sim) {
			for i := range 24 {
				s.press("Go", func(p *page) { p.tiles[39] = i + 1 })
			}
		}},
		{"S6 dead button whose id is renumbered", func(s *sim) {
			for i := range 24 {
				b := button("Go")
				b.Box.Y += float64(i % 2) // it is rendered again each time
				s.do(click(400, 300), b, func(p *page) { p.focus = "" })
			}
		}},
		{"S7 dead click alternating with a wait", func(s *sim) {
			for range 12 {
				s.press("Go", nil)
				s.do(cua.Action{Kind: cua.Wait, MS: 500}, cua.Target{}, nil)
			}
		}},
		{"S8 different useless actions on a frozen page", func(s *sim) {
			for i := range 24 {
				switch i % 4 {
				case 0:
					s.do(click(float64(100+40*i), 300), cua.Target{ID: fmt.Sprint("link|", i)}, nil)
				case 1:
					s.key("Escape", nil)
				case 2:
					s.do(cua.Action{Kind: cua.Hover, Point: at(float64(30*i), 90)}, cua.Target{}, nil)
				case 3:
					s.do(cua.Action{Kind: cua.Scroll, DY: 300}, cua.Target{}, nil)
				}
			}
		}},
		{"S9 three kinds of error in rotation", func(s *sim) {
			for i := range 24 {
				switch i % 3 {
				case 0:
					s.fail(cua.FailNotInteractable)
				case 1:
					s.refuse(cua.Action{Kind: cua.Navigate, URL: "https://b.test/"})
				case 2:
					step := s.do(cua.Action{Kind: cua.Find, Text: "lamp"}, cua.Target{}, nil)
					step.Failure = &cua.Failure{Kind: cua.FailNotFound}
				}
			}
		}},
		{"drags of one slider that does not move", func(s *sim) {
			for i := range 24 {
				d := float64(i % 3)
				s.do(cua.Action{Kind: cua.Drag, Point: at(100+d, 100), To: at(300-d, 100+d)},
					cua.Target{}, nil)
			}
		}},
		{"Tab round and round a page with ten links", func(s *sim) {
			for i := range 24 {
				s.key("Tab", func(p *page) { p.focus = fmt.Sprint("link|", i%10) })
			}
		}},
		{"a value that is typed and wiped by turns", func(s *sim) {
			for i := range 24 {
				s.do(put(strconv.Itoa(i)), box("date"), fill("textbox|date", ""))
			}
		}},
	}
	for _, row := range rows {
		for _, before := range []struct {
			name  string
			pages int
		}{{"", 0}, {", after eight new pages", 8}} {
			t.Run(row.name+before.name, func(t *testing.T) {
				s := newSim(newPage("https://a.test/"))
				for i := range before.pages {
					s.press("Next", show(strconv.Itoa(i)))
				}
				row.play(s)
				soft, hard := firsts(s.h, Shapes(DefaultConfig()))
				if soft -= before.pages; soft <= 0 || soft > 8 {
					t.Errorf("first soft after step %d, due by 8", soft)
				}
				if hard -= before.pages; hard <= 0 || hard > 12 {
					t.Errorf("first hard after step %d, due by 12", hard)
				}
			})
		}
	}
}

// TestHealthy: no soft or hard signal, ever (docs/detection-errors.md#the-cases).
func TestHealthy(t *testing.T) {
	rows := []struct {
		name string
		play func(*sim)
	}{
		{"H1 Next twelve times, the page moves", func(s *sim) {
			for i := range 12 {
				s.do(click(400, 300), button("Next"),
					func(p *page) {
						p.url = fmt.Sprint("https://a.test/?page=",
							i)
						p.document = fmt.Sprint(i)
					})
			}
		}},
		{"H2 next month twelve times, a few pixels change", func(s *sim) {
			for i := range 12 {
				s.do(click(400, 300), button("next month"), func(p *page) { p.tiles[372] = i + 1 })
			}
		}},
		{"H3 a form of twelve fields on one URL", func(s *sim) {
			for i := range 12 {
				f := fmt.Sprint("textbox|", i)
				s.do(click(200, float64(50*i)), cua.Target{ID: f, Field: f, Editable: true},
					func(p *page) { p.focus = f })
				s.do(cua.Action{Kind: cua.Type, Text: "x"}, cua.Target{}, func(p *page) { p.values[f] = "x" })
			}
		}},
		{"H4 nine waits for a slow job", func(s *sim) {
			s.do(click(400, 300), button("Start"), func(p *page) { p.parts["job"] = "running" })
			for i := range 9 {
				s.do(cua.Action{Kind: cua.Wait, MS: 5000}, cua.Target{}, func(p *page) {
					if i == 8 {
						p.parts["job"] = "done"
					}
				})
			}
		}},
		{"H5 infinite scroll, two scrolls at its end", func(s *sim) {
			for i := range 14 {
				s.do(cua.Action{Kind: cua.Scroll, DY: 600}, cua.Target{}, func(p *page) {
					if i < 12 {
						p.scroll += 600
					}
				})
			}
		}},
		{"H7 a stepper pressed ten times", func(s *sim) {
			for i := range 10 {
				s.do(click(400, 300), button("+"), func(p *page) { p.parts["count"] = strconv.Itoa(i + 1) })
			}
		}},
		{"H8 one search, six words, each with results", func(s *sim) {
			for i := range 6 {
				s.do(cua.Action{Kind: cua.Type, Point: at(200, 40), Text: fmt.Sprint("word", i), Clear: true},
					cua.Target{ID: "searchbox|q", Field: "searchbox|q"},
					func(p *page) { p.values["searchbox|q"] = fmt.Sprint("word", i) })
				s.do(cua.Action{Kind: cua.Key, Keys: "Return"}, cua.Target{},
					func(p *page) { p.parts["results"] = fmt.Sprint(i) })
			}
		}},
		{"H9 ten strokes on a canvas", func(s *sim) {
			s.page.canvas = "blank"
			s.h.Start = s.page.observe()
			for i := range 10 {
				s.do(cua.Action{Kind: cua.Drag, Point: at(100, 100), To: at(103, 100)},
					cua.Target{ID: "canvas|c"},
					func(p *page) { p.canvas += strconv.Itoa(i) })
			}
		}},
		{"H9 ten strokes on a canvas that only pixels see", func(s *sim) {
			for i := range 10 {
				s.do(cua.Action{Kind: cua.Drag, Point: at(100, 100), To: at(103, 100)},
					cua.Target{ID: "canvas|c"},
					func(p *page) { p.tiles[120] = i + 1 })
			}
		}},
		{"H10 two pages compared, further down each time", func(s *sim) {
			for i := range 6 {
				s.do(click(50, 20), cua.Target{ID: "link|other"},
					func(p *page) { p.url = fmt.Sprint("https://a.test/", i%2); p.scroll = 0 })
				s.do(cua.Action{Kind: cua.Scroll, DY: 300}, cua.Target{},
					func(p *page) { p.scroll = float64(300 * (i + 1)) })
			}
		}},
		{"a slow save: the click shows its result after the waits", func(s *sim) {
			for i := range 4 {
				s.do(click(400, 300), button("Save"), nil)
				s.do(cua.Action{Kind: cua.Wait, MS: 1000}, cua.Target{},
					func(p *page) { p.parts["saved"] = strconv.Itoa(i) })
			}
		}},
	}
	for _, row := range rows {
		for _, clock := range []bool{false, true} {
			t.Run(fmt.Sprint(row.name, " clock=", clock), func(t *testing.T) {
				s := newSim(newPage("https://a.test/"))
				if clock {
					s.idle = tick()
				}
				row.play(s)
				if soft, hard := firsts(s.h, Shapes(DefaultConfig())); soft != 0 || hard != 0 {
					t.Errorf("soft after step %d, hard after step %d, want never", soft, hard)
				}
			})
		}
	}
}

// TestClassicIsBlind pins down what the baseline does, so that a change of it is noticed.
func TestClassicIsBlind(t *testing.T) {
	dead := newSim(newPage("https://a.test/"))
	for range 10 {
		dead.do(click(400, 300), button("Go"), nil)
	}
	stepper := newSim(newPage("https://a.test/"))
	for i := range 10 {
		stepper.do(click(400, 300), button("+"), func(p *page) { p.parts["n"] = strconv.Itoa(i) })
	}
	scrolling := newSim(newPage("https://a.test/"))
	for range 10 {
		scrolling.do(cua.Action{Kind: cua.Scroll, DY: 100}, cua.Target{}, func(p *page) { p.scroll += 100 })
	}
	rows := []struct {
		name       string
		h          cua.History
		d          Detector
		soft, hard int
	}{
		{"repeat sees a dead button", dead.h, ClassicRepeat{DefaultConfig()}, 3, 8},
		{"drift sees a dead button", dead.h, ClassicDrift{DefaultConfig()}, 3, 8},
		{"frozen sees a dead button", dead.h, ClassicFrozen{DefaultConfig()}, 3, 8},
		{"repeat stops a healthy stepper", stepper.h, ClassicRepeat{DefaultConfig()}, 3, 8},
		{"frozen sees the frames of a stepper move", stepper.h, ClassicFrozen{DefaultConfig()}, 0, 0},
		{"a scroll that moves is no repeat", scrolling.h, ClassicRepeat{DefaultConfig()}, 0, 0},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if soft, hard := firsts(row.h, row.d); soft != row.soft || hard != row.hard {
				t.Errorf("first soft, hard = %d, %d, want %d, %d", soft, hard, row.soft, row.hard)
			}
		})
	}
}

// classic are the shapes of the arm classic.
func classic(c Config) LoopDetector {
	return LoopDetector{ClassicRepeat{c}, ClassicDrift{c}, ClassicFrozen{c}}
}
