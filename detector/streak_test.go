package detector

import (
	"strconv"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// TestStreak is the repeat guard's key and count (docs/memory.md#repeat-guard).
func TestStreak(t *testing.T) {
	streak := func(target string, evidence ...int) cua.Signal {
		return cua.Signal{Shape: cua.ShapeStreak, Level: cua.NoteLevel, Run: len(evidence),
			Since: evidence[0], Target: target, Evidence: evidence}
	}
	dead := func(s *sim, n int) {
		for range n {
			s.press("Go", nil)
		}
	}
	write := func(s *sim, n int) {
		for i := range n {
			s.do(put("v"+strconv.Itoa(i)), box("q"), fill("textbox|q", strconv.Itoa(i)))
		}
	}
	on := func(kind cua.Kind) func(*sim) {
		return func(s *sim) {
			s.do(cua.Action{Kind: kind, Point: at(400, 300), Text: "x", DY: 50}, button("Go"), nil)
		}
	}
	between := func(f func(*sim)) func(*sim) { return func(s *sim) { dead(s, 2); f(s); dead(s, 2) } }
	edited := func(f func(*sim)) func(*sim) { return func(s *sim) { write(s, 2); f(s); write(s, 2) } }
	kept, clear := streak("button|Go", 1, 2, 4, 5), cua.Signal{}
	rows := []shapeRow{
		{"two clicks", func(s *sim) { dead(s, 2) }, 0, 0, clear},
		{"three clicks", func(s *sim) { dead(s, 3) }, 0, 0, streak("button|Go", 1, 2, 3)},
		{"thirty clicks name the newest", func(s *sim) { dead(s, 30) }, 0, 0, cua.Signal{Shape: cua.ShapeStreak, Level: cua.NoteLevel, Run: 30,
			Since: 1, Target: "button|Go", Evidence: span(11, 30)}},
		{"a click and a double click are of one class", func(s *sim) { dead(s, 2); on(cua.DoubleClick)(s) }, 0, 0, streak("button|Go", 1, 2, 3)},
		{"a stepper that steps", func(s *sim) {
			for i := range 5 {
				s.press("+", show(strconv.Itoa(i)))
			}
		}, 0, 0, clear},
		{"edits that work", func(s *sim) { write(s, 3) }, 0, 0, streak("textbox|q", 1, 2, 3)},
		{"options that are chosen", func(s *sim) {
			for i := range 3 {
				s.do(cua.Action{Kind: cua.Select, Point: at(1, 1), Text: strconv.Itoa(i)}, box("size"),
					fill("size", strconv.Itoa(i)))
			}
		}, 0, 0, streak("textbox|size", 1, 2, 3)},
		{"drags that do nothing", func(s *sim) {
			for range 3 {
				on(cua.Drag)(s)
			}
		}, 0, 0, streak("button|Go", 1, 2, 3)},
		{"keys into what has the focus", func(s *sim) {
			s.page.focus = "textbox|q"
			s.press("x", nil)
			for range 3 {
				s.key("Return", nil)
			}
		}, 0, 0, streak("textbox|q", 2, 3, 4)},
		{"keys into one field after the other", func(s *sim) {
			for i := range 5 {
				s.key("Tab", func(p *page) { p.focus = "textbox|" + strconv.Itoa(i) })
			}
		}, 0, 0, clear},
		{"clicks where nothing is", func(s *sim) {
			for i := range 3 {
				s.do(click(401+float64(i), 301), cua.Target{}, nil)
			}
		}, 0, 0, streak("@50,37", 1, 2, 3)},
		{"it speaks of the step that it judges", func(s *sim) { dead(s, 3); s.wait(1, nil) }, 0, 0, clear},

		{"another class on it clears", between(on(cua.Key)), 0, 0, clear},
		{"hovering over it is another class", between(on(cua.Hover)), 0, 0, clear},
		{"a zoom clears", between(on(cua.Zoom)), 0, 0, clear},
		{"an observe of it clears", between(on(cua.Observe)), 0, 0, clear},
		{"a find clears", between(on(cua.Find)), 0, 0, clear},
		{"an extract clears", between(on(cua.Extract)), 0, 0, clear},
		{"a scroll to it clears", between(on(cua.Scroll)), 0, 0, clear},
		{"a look at the page clears", between(func(s *sim) { s.look() }), 0, 0, clear},
		{"the text of the page clears", between(func(s *sim) {
			s.do(cua.Action{Kind: cua.Extract}, cua.Target{}, nil)
		}), 0, 0, clear},
		{"a find that finds it clears", between(func(s *sim) {
			s.do(cua.Action{Kind: cua.Find, Text: "gO"}, cua.Target{}, nil)
		}), 0, 0, clear},
		{"an effect of a click clears", between(func(s *sim) { s.press("Go", show("x")) }), 0, 0, clear},
		{"an effect that shows late clears", func(s *sim) { dead(s, 2); s.wait(1, show("x")); dead(s, 2) }, 0, 0, clear},
		{"a reload clears", between(func(s *sim) { s.do(cua.Action{Kind: cua.Reload}, cua.Target{}, nil) }), 0, 0, clear},
		{"going back clears", between(func(s *sim) { s.do(cua.Action{Kind: cua.Back}, cua.Target{}, nil) }), 0, 0, clear},
		{"a link to another page clears", between(func(s *sim) { s.press("away", func(p *page) { p.url += "x" }) }), 0, 0, clear},
		{"a link to the same page that is reloaded clears edits too", edited(func(s *sim) {
			s.press("again", func(p *page) { p.document = "d2" })
		}), 0, 0, clear},
		{"a rewind clears", between(func(s *sim) {
			s.do(cua.Action{Kind: cua.Rewind, Step: 1}, cua.Target{}, nil).RewoundTo = 1
		}), 0, 0, clear},
		{"a rewind that a gate chose clears", between(func(s *sim) {
			step := s.press("Go", nil)
			substituted(step, cua.RewindReason, cua.Action{Kind: cua.Rewind, Step: 1})
			step.RewoundTo = 1
		}), 0, 0, clear},
		{"another session clears", func(s *sim) {
			dead(s, 4)
			s.h.Resumed = []cua.Resumption{{At: 2, Page: s.h.Start}}
		}, 0, 0, clear},

		{"a wait clears nothing", between(func(s *sim) { s.wait(1, nil) }), 0, 0, kept},
		{"a find of something else clears nothing", between(func(s *sim) {
			s.do(cua.Action{Kind: cua.Find, Text: "Help"}, cua.Target{}, nil)
		}), 0, 0, kept},
		{"a look at something else clears nothing", between(func(s *sim) {
			s.do(cua.Action{Kind: cua.Observe}, button("Help"), nil)
		}), 0, 0, kept},
		{"a look at the page that failed clears nothing", between(func(s *sim) {
			s.look().Failure = &cua.Failure{Kind: cua.FailTimeout}
		}), 0, 0, kept},
		{"another target clears nothing", between(func(s *sim) { s.press("Help", nil) }), 0, 0, kept},
		{"an effect elsewhere clears nothing", between(func(s *sim) { s.press("Help", show("help")) }), 0, 0, kept},
		{"a failed dispatch is no repeat", between(func(s *sim) { s.fail(cua.FailExec) }), 0, 0, kept},
		{"nor what was refused", between(func(s *sim) { s.refuse(click(400, 300)) }), 0, 0, kept},
		{"nor what a gate put something else for", between(func(s *sim) {
			substituted(s.press("Go", nil), cua.TabToNextField, cua.Action{Kind: cua.Key, Keys: "Tab"})
		}), 0, 0, kept},
		{"an effect does not clear edits", edited(func(s *sim) { s.press("Help", show("x")) }), 0, 0, streak("textbox|q", 1, 2, 4, 5)},
		{"nor does an address that moves with them", func(s *sim) {
			for i := range 3 {
				s.do(put(strconv.Itoa(i)), box("q"), func(p *page) {
					p.url = "https://a.test/?q=" +
						strconv.Itoa(i)
				})
			}
		}, 0, 0, streak("textbox|q", 1, 2, 3)},
		{"what is done in another tab clears nothing", func(s *sim) {
			dead(s, 2)
			s.do(cua.Action{Kind: cua.SwitchTab, Tab: 2}, cua.Target{}, nil).After.Tab = 2
			s.do(cua.Action{Kind: cua.Reload}, cua.Target{}, nil).After.Tab = 2
			s.press("Go", nil).After.Tab = 2
			s.do(cua.Action{Kind: cua.SwitchTab, Tab: 1}, cua.Target{}, nil)
			dead(s, 1)
		}, 0, 0, streak("button|Go", 1, 2, 7)},
	}
	checkShape(t, Streak{DefaultConfig()}, rows)
}
