package detector

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// again makes n presses of a button, the i-th of which makes the page show what it says.
func (s *sim) again(name string, n int, text func(i int) string) {
	for i := range n {
		s.press(name, show(text(i)))
	}
}

func counted(from, by int) func(i int) string {
	return func(i int) string { return strconv.Itoa(from + by*i) }
}

// TestHumanUse: what people do with pages, of which no shape makes an alarm.
func TestHumanUse(t *testing.T) {
	scroll := func(s *sim, n int, dy float64) {
		for range n {
			s.do(cua.Action{Kind: cua.Scroll, DY: dy}, cua.Target{},
				func(p *page) { p.scroll = min(max(p.scroll+dy, 0), 3000) })
		}
	}
	keys := func(s *sim, n int, name string, change func(i int) func(*page)) {
		for i := range n {
			s.key(name, change(i))
		}
	}
	write := func(s *sim, field, text string) {
		s.do(cua.Action{Kind: cua.Type, Text: text}, cua.Target{}, func(p *page) { p.values[field] += text })
	}
	cut := func(field string) func(int) func(*page) {
		return func(int) func(*page) {
			return func(p *page) { p.values[field] = p.values[field][:len(p.values[field])-1] }
		}
	}
	check := func(s *sim, i int, value string) {
		f := fmt.Sprint("checkbox|", i)
		s.do(click(20, float64(100+24*i)), cua.Target{ID: f, Field: f, Role: "checkbox"}, fill(f, value))
	}
	rows := []struct {
		name string
		play func(*sim)
	}{
		{"a date picker: a year on, half a year back", func(s *sim) {
			s.again("next month", 12, counted(1, 1))
			s.again("previous month", 6, counted(11, -1))
			s.press("17", fill("date", "17"))
		}},
		{"a date picker, each press a double press of which one counts", func(s *sim) {
			for i := range 12 {
				s.press("next month", show(strconv.Itoa(i)))
				s.press("next month", nil)
			}
		}},
		{"a date picker of which only pixels change, with double presses", func(s *sim) {
			for i := range 12 {
				s.press("next month", func(p *page) { p.tiles[372] = i + 1 })
				s.press("next month", nil)
			}
		}},
		{"three pickers for day, month and year, overshot and turned back", func(s *sim) {
			for _, part := range []string{"day", "month", "year"} {
				s.again(part+" up", 5, func(i int) string { return part + strconv.Itoa(i) })
				s.again(part+" down", 2, func(i int) string { return part + strconv.Itoa(3-i) })
			}
		}},
		{"a stepper to its limit and back, pressed twice more at each end", func(s *sim) {
			s.again("+", 10, counted(1, 1))
			s.again("+", 2, counted(10, 0))
			s.again("-", 10, counted(9, -1))
			s.again("-", 2, counted(0, 0))
			s.again("+", 3, counted(1, 1))
		}},
		{"a slider in many small drags, overshot and turned back", func(s *sim) {
			x := 100.0
			for i := range 24 {
				d := 4.0
				if i%8 >= 6 {
					d = -4
				}
				from := x
				x += d
				s.do(cua.Action{Kind: cua.Drag, Point: at(from, 50), To: at(x, 50)},
					cua.Target{ID: "slider|volume", Role: "slider"},
					fill("volume", fmt.Sprint(x)))
			}
		}},
		{"a slider by keys", func(s *sim) {
			v := 0
			for i := range 20 {
				name, d := "Right", 1
				if i%10 >= 7 {
					name, d = "Left", -1
				}
				v += d
				s.key(name, fill("volume", strconv.Itoa(v)))
			}
		}},
		{"check boxes ticked one by one, and all unticked", func(s *sim) {
			for i := range 10 {
				check(s, i, "on")
			}
			for i := range 10 {
				check(s, i, "")
			}
		}},
		{"check boxes unticked the way back", func(s *sim) {
			for i := range 10 {
				check(s, i, "on")
			}
			for i := range 10 {
				check(s, 9-i, "")
			}
		}},
		{"reading down and up again", func(s *sim) { scroll(s, 5, 600); scroll(s, 2, 600); scroll(s, 5, -600); scroll(s, 2, -600) }},
		{"reading a page twice", func(s *sim) {
			for range 2 {
				scroll(s, 4, 600)
				scroll(s, 4, -600)
			}
		}},
		{"reading with Page_Down, and back", func(s *sim) {
			page := func(dy float64) func(int) func(*page) {
				return func(int) func(*page) {
					return func(p *page) {
						p.scroll = min(max(p.scroll+dy,
							0), 3000)
					}
				}
			}
			keys(s, 6, "Page_Down", page(700))
			keys(s, 6, "Page_Up", page(-700))
		}},
		{"looking for a line: down, a little up, down", func(s *sim) {
			scroll(s, 4, 500)
			scroll(s, 1, -200)
			scroll(s, 2, 100)
			scroll(s, 1, -100)
			scroll(s, 3, 400)
		}},
		{"polling with waits and looks", func(s *sim) {
			s.press("Start", show("running"))
			for i := range 9 {
				s.wait(5, func(p *page) {
					if i == 8 {
						p.parts["main"] = "done"
					}
				})
				s.look()
			}
		}},
		{"a form of twenty fields by Tab", func(s *sim) {
			for i := range 20 {
				f := fmt.Sprint("textbox|", i)
				s.key("Tab", func(p *page) { p.focus = f })
				write(s, f, "x")
			}
		}},
		{"the same, with fields left out", func(s *sim) {
			for i := range 20 {
				f := fmt.Sprint("textbox|", i)
				s.key("Tab", func(p *page) { p.focus = f })
				if i%5 == 0 {
					write(s, f, "x")
				}
			}
		}},
		{"a code of six digits in six boxes", func(s *sim) {
			for i := range 6 {
				s.do(cua.Action{Kind: cua.Type, Text: "1"}, cua.Target{}, func(p *page) {
					p.values[fmt.Sprint("textbox|", i)], p.focus = "1", fmt.Sprint("textbox|", i+1)
				})
			}
		}},
		{"typing with corrections", func(s *sim) {
			s.do(click(200, 40), box("q"), func(p *page) { p.focus = "textbox|q" })
			write(s, "q", "a lanp fpr")
			keys(s, 6, "BackSpace", cut("q"))
			write(s, "q", "mp fpr")
			keys(s, 2, "BackSpace", cut("q"))
			write(s, "q", "or the desk")
		}},
		{"a wrong value wiped and typed anew, twice", func(s *sim) {
			s.do(click(200, 40), box("q"), func(p *page) { p.focus = "textbox|q" })
			for i := range 3 {
				write(s, "q", strconv.Itoa(i))
				s.key("Control+a", nil)
				s.key("Delete", fill("q", ""))
			}
			write(s, "q", "right")
		}},
		{"undo and redo by keys", func(s *sim) {
			for i := range 5 {
				s.do(cua.Action{Kind: cua.Type, Text: "word "}, cua.Target{}, fill("q", strconv.Itoa(i)))
			}
			keys(s, 3, "Control+z", func(i int) func(*page) { return fill("q", strconv.Itoa(3-i)) })
			keys(s, 3, "Control+y", func(i int) func(*page) { return fill("q", strconv.Itoa(2+i)) })
			keys(s, 1, "Control+z", func(int) func(*page) { return fill("q", "3") })
		}},
		{"undo and redo by buttons", func(s *sim) {
			s.again("Bold", 5, counted(1, 1))
			s.again("Undo", 3, counted(4, -1))
			s.again("Redo", 3, counted(3, 1))
			s.again("Undo", 1, counted(4, -1))
			s.again("Redo", 1, counted(5, 1))
		}},
		{"undo and redo on one control", func(s *sim) {
			for _, v := range []string{"1", "2", "3", "2", "1", "2", "3"} {
				s.do(cua.Action{Kind: cua.Select, Point: at(1, 1), Text: v}, box("size"), fill("size", v))
			}
		}},
		{"two tabs compared, each read on", func(s *sim) {
			y := map[int]float64{}
			for i := range 8 {
				tab := 1 + (i+1)%2
				s.do(cua.Action{Kind: cua.SwitchTab, Tab: tab}, cua.Target{},
					func(p *page) { p.url, p.scroll = fmt.Sprint("https://a.test/", tab), y[tab] })
				scroll(s, 1, 300)
				y[tab] += 300
			}
		}},
		{"two tabs compared twice", func(s *sim) {
			s.round(1, 1)
			s.press("open", func(p *page) { p.url = "https://a.test/x" })
			for i := range 4 {
				s.do(cua.Action{Kind: cua.SwitchTab, Tab: 1 + i%2}, cua.Target{},
					func(p *page) { p.url = []string{"https://a.test/0", "https://a.test/x"}[i%2] })
			}
		}},
		{"pages there and back, and on again", func(s *sim) {
			s.again("Next", 6, counted(1, 1))
			s.again("Previous", 6, counted(5, -1))
			s.again("Next", 3, counted(1, 1))
		}},
		{"results opened one after the other", func(s *sim) {
			for i := range 8 {
				s.do(click(100, float64(50*i)), cua.Target{ID: fmt.Sprint("link|", i)},
					func(p *page) { p.url = fmt.Sprint("https://a.test/r", i) })
				s.do(cua.Action{Kind: cua.Back}, cua.Target{}, func(p *page) { p.url = "https://a.test/" })
			}
		}},
		{"copying from field to field", func(s *sim) {
			for i := range 4 {
				s.do(click(100, 40), box("from"), func(p *page) { p.focus = "textbox|from" })
				s.key("Control+a", nil)
				s.key("Control+c", nil)
				s.do(click(300, 40), box("to"), func(p *page) { p.focus = "textbox|to" })
				s.key("Control+v", fill("to", strconv.Itoa(i)))
			}
		}},
		{"pop-ups closed one after the other, in one place", func(s *sim) { s.again("Close", 8, counted(0, 1)) }},
		{"a button that is slow, pressed twice", func(s *sim) {
			for i := range 4 {
				s.press("Save", nil)
				s.press("Save", nil)
				s.wait(2, show("saved "+strconv.Itoa(i)))
			}
		}},
		{"menus looked into before one is chosen", func(s *sim) {
			for i := range 6 {
				s.do(cua.Action{Kind: cua.Hover, Point: at(float64(80*i), 10)},
					cua.Target{ID: fmt.Sprint("menu|", i)}, show("menu "+strconv.Itoa(i)))
			}
			s.press("Export", show("export"))
		}},
		{"a tree opened and closed", func(s *sim) {
			for i := range 6 {
				s.press("node "+strconv.Itoa(i), func(p *page) { p.parts[strconv.Itoa(i)] = "open" })
			}
			for i := range 6 {
				s.press("node "+strconv.Itoa(5-i), func(p *page) { delete(p.parts, strconv.Itoa(5-i)) })
			}
		}},
		{"a list put into another order", func(s *sim) {
			for i := range 8 {
				s.do(cua.Action{Kind: cua.Drag, Point: at(100, 200), To: at(100, 100)},
					cua.Target{ID: "list|songs"}, show("order "+strconv.Itoa(i)))
			}
		}},
		{"a map brought near by its wheel", func(s *sim) {
			for i := range 10 {
				s.do(cua.Action{Kind: cua.Scroll, Point: at(400, 300), DY: -100}, cua.Target{ID: "@50,37"},
					func(p *page) { p.canvas = strconv.Itoa(i) })
			}
		}},
		{"two failures, and it works", func(s *sim) {
			for i := range 4 {
				s.fail(cua.FailNotFound)
				s.fail(cua.FailTimeout)
				s.press("Go", show(strconv.Itoa(i)))
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
				for i := range s.h.Steps {
					if got := alarms(Shapes(DefaultConfig()).Detect(prefix(s.h, i+1))); len(got) > 0 {
						t.Fatalf("after step %d: %+v", i+1, got)
					}
				}
			})
		}
	}
}
