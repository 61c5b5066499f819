package detector

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestStall(t *testing.T) {
	stall := func(l cua.Level, seconds float64, evidence ...int) cua.Signal {
		return cua.Signal{Shape: cua.ShapeStall, Level: l, Run: len(evidence), Since: evidence[0],
			Score: seconds, Evidence: evidence}
	}
	wait := func(s *sim, seconds ...int) {
		for _, n := range seconds {
			s.wait(n, nil)
		}
	}
	working := func(s *sim, seconds, n int) {
		for range n {
			s.wait(seconds, nil).After.Working = true
		}
	}
	looks := func(s *sim, n int) {
		for range n {
			s.look()
		}
	}
	pauses := func(s *sim, n int) {
		for range n {
			s.do(cua.Action{Kind: cua.Wait, MS: 500}, cua.Target{}, nil)
		}
	}
	checkShape(t, Stall{DefaultConfig()}, []shapeRow{
		{"less than a minute", func(s *sim) { wait(s, 30, 29) }, 0, 0, cua.Signal{}},
		{"a minute", func(s *sim) { s.press("Go", nil); wait(s, 30, 30) }, 3, 0, stall(cua.Soft, 60, 2, 3)},
		{"three minutes", func(s *sim) { wait(s, 60, 60, 60) }, 1, 3, stall(cua.Hard, 180, 1, 2, 3)},
		{"looks in between do nothing either", func(s *sim) {
			for range 4 {
				wait(s, 20)
				s.look()
			}
		}, 5, 0, stall(cua.Soft, 80, 1, 3, 5, 7)},
		{"and refusals", func(s *sim) { wait(s, 30); s.refuse(click(400, 300)); wait(s, 30) }, 3, 0, stall(cua.Soft, 60, 1, 3)},
		{"somebody acts", func(s *sim) { wait(s, 30, 29); s.press("Go", nil); wait(s, 30, 29) }, 0, 0, cua.Signal{}},
		{"something changes", func(s *sim) { wait(s, 30); s.wait(30, show("done")); wait(s, 30) }, 0, 0, cua.Signal{}},
		{"something changes between two waits", func(s *sim) {
			s.press("Go", nil)
			wait(s, 30)
			s.idle = show("done")
			wait(s, 30)
			s.idle = nil
			wait(s, 29)
		}, 0, 0, cua.Signal{}},
		{"nine waits of 5 s for what a press has begun: patience costs half a step", func(s *sim) {
			s.press("Start", show("running"))
			wait(s, 5, 5, 5, 5, 5, 5, 5, 5, 5)
		}, 0, 0, cua.Signal{}},
		{"nine waits of 5 s beside a spinner", func(s *sim) {
			s.press("Start", nil)
			s.h.Steps[0].After.Ambient.Boxes = []cua.Box{{W: 24, H: 24}}
			wait(s, 5, 5, 5, 5, 5, 5, 5, 5, 5)
		}, 0, 0, cua.Signal{}},
		{"nine waits of 5 s while a request is open", func(s *sim) {
			s.press("Start", nil).Settle = &cua.Settle{Capped: true}
			wait(s, 5, 5, 5, 5, 5, 5, 5, 5, 5)
		}, 0, 0, cua.Signal{}},
		{"nine waits of 5 s for nothing", func(s *sim) { s.press("Go", nil); wait(s, 5, 5, 5, 5, 5, 5, 5, 5, 5) }, 7, 0, stall(cua.Soft, 45, span(2, 10)...)},
		{"nine waits of 5 s below a bar that is not full", func(s *sim) { s.press("Go", nil); working(s, 5, 9) }, 0, 0, cua.Signal{}},
		{"twelve are too many", func(s *sim) { s.press("Go", nil); working(s, 4, 12) }, 13, 0, stall(cua.Soft, 48, span(2, 13)...)},
		{"a minute is one all the same", func(s *sim) { s.press("Go", nil); working(s, 20, 3) }, 4, 0, stall(cua.Soft, 60, 2, 3, 4)},
		{"the bar has gone", func(s *sim) { s.press("Go", nil); working(s, 5, 4); wait(s, 5, 5, 5, 5) }, 9, 0, stall(cua.Soft, 40, span(2, 9)...)},
		{"ten waits after a job that is done", func(s *sim) {
			s.press("Start", show("running"))
			s.wait(5, show("done"))
			wait(s, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5)
		}, 8, 0, stall(cua.Soft, 50, span(3, 12)...)},
		{"45 waits of a second", func(s *sim) { s.press("Start", show("running")); wait(s, slices.Repeat([]int{1}, 45)...) }, 13, 25,
			cua.Signal{Shape: cua.ShapeStall, Level: cua.Hard, Run: 45, Since: 2, Score: 45,
				Evidence: span(27, 46)}},
		{"waits of less than a second count", func(s *sim) { pauses(s, 12) }, 6, 12, stall(cua.Hard, 6, span(1, 12)...)},
		{"five of them do not", func(s *sim) { pauses(s, 5) }, 0, 0, cua.Signal{}},
		{"so do waits whose length is not told, five seconds each", func(s *sim) { wait(s, make([]int, 12)...) }, 6, 12, stall(cua.Hard, 60, span(1, 12)...)},
		{"one look and six more", func(s *sim) { looks(s, 7) }, 7, 0, stall(cua.Soft, 0, span(1, 7)...)},
		{"one look and twelve more", func(s *sim) { looks(s, 13) }, 7, 13, stall(cua.Hard, 0, span(1, 13)...)},
		{"one look and five more", func(s *sim) { looks(s, 6) }, 0, 0, cua.Signal{}},
		{"each look another one, on one page", func(s *sim) {
			for i := range 60 {
				s.do(cua.Action{Kind: cua.Extract, Text: fmt.Sprint("word", i)}, cua.Target{}, nil)
			}
		}, 12, 24, cua.Signal{Shape: cua.ShapeStall, Level: cua.Hard, Run: 60, Since: 1,
			Evidence: span(41, 60)}},
		{"eleven looks, each another one", func(s *sim) {
			for i := range 11 {
				s.do(cua.Action{Kind: cua.Extract, Text: fmt.Sprint("word", i)}, cua.Target{}, nil)
			}
		}, 0, 0, cua.Signal{}},
		{"two looks by turns", func(s *sim) {
			for range 4 {
				s.do(cua.Action{Kind: cua.Find, Text: "price"}, cua.Target{}, nil)
				s.look()
			}
		}, 7, 0, stall(cua.Soft, 0, span(1, 8)...)},
		{"looks and pauses are one run", func(s *sim) { looks(s, 4); pauses(s, 3) }, 7, 0, stall(cua.Soft, 1.5, span(1, 7)...)},
		{"a look after each wait watches the page", func(s *sim) {
			s.press("Start", show("running"))
			for range 11 {
				wait(s, 5)
				s.look()
			}
		}, 0, 0, cua.Signal{}},
		{"a press in between", func(s *sim) { looks(s, 6); s.press("Go", nil); looks(s, 6) }, 0, 0, cua.Signal{}},
		{"a press in place of a look ends nothing", func(s *sim) {
			looks(s, 6)
			substituted(s.look(), cua.ReloadPage, cua.Action{Kind: cua.Reload})
		}, 7, 0, stall(cua.Soft, 0, span(1, 7)...)},
		{"a look that shows a change", func(s *sim) {
			looks(s, 6)
			s.do(cua.Action{Kind: cua.Observe}, cua.Target{}, show("more"))
			looks(s, 6)
		}, 0, 0, cua.Signal{}},
		{"looks at a page that is not known", func(s *sim) {
			looks(s, 9)
			for i := range s.h.Steps {
				s.h.Steps[i].Effect = nil
			}
		}, 0, 0, cua.Signal{}},
		{"what gates put in its place without effect", func(s *sim) {
			wait(s, 30)
			substituted(s.wait(30, nil), cua.ReloadPage, cua.Action{Kind: cua.Reload})
		}, 2, 0, stall(cua.Soft, 60, 1, 2)},
		{"effects that cannot be judged", func(s *sim) { wait(s, 60, 60); s.h.Steps[0].Effect, s.h.Steps[1].Effect = nil, nil }, 0, 0, cua.Signal{}},
		{"long ones name the newest", func(s *sim) { wait(s, make([]int, 40)...) }, 6, 12, cua.Signal{Shape: cua.ShapeStall, Level: cua.Hard,
			Run: 40, Since: 1, Score: 200, Evidence: span(21, 40)}},
	})
}

// poll makes a step that the server answered, and a wait after it.
func (s *sim) poll(a cua.Action, t cua.Target, waitMS int, change func(*page),
	answer func(o *cua.Observation)) {
	step := s.do(a, t, change)
	answer(&step.After)
	if waitMS > 0 {
		s.do(cua.Action{Kind: cua.Wait, MS: waitMS}, cua.Target{}, nil)
	}
}

// TestPolling: who presses and waits for an answer that comes is judged by the time that was waited.
func TestPolling(t *testing.T) {
	answered := func(o *cua.Observation) { o.Answered = 1 }
	refused := func(o *cua.Observation) {
		o.Writes = []cua.Write{{Method: "POST", URL: "https://a.test/refresh", Status: 500}}
	}
	alike := func(o *cua.Observation) { refused(o); o.Answered = 1 }
	press := func(s *sim, n, waitMS int, answer func(*cua.Observation)) {
		for range n {
			s.poll(click(400, 300), button("Refresh"), waitMS, nil, answer)
		}
	}
	reload := func(s *sim, n, status int) {
		for i := range n {
			s.poll(cua.Action{Kind: cua.Reload}, cua.Target{}, 2000,
				func(p *page) { p.document = fmt.Sprint("r", i) },
				func(o *cua.Observation) { o.Status = status })
		}
	}
	rows := []struct {
		name       string
		play       func(s *sim)
		soft, hard bool
		shape      cua.Shape // of every signal; "" is not checked
	}{
		{"14 polls 2 s apart", func(s *sim) { press(s, 14, 2000, answered) }, false, false, ""},
		{"29 polls 2 s apart, and a press that nobody waited for yet", func(s *sim) { press(s, 29, 2000, answered); press(s, 1, 0, answered) }, false, false, ""},
		{"a minute of polls", func(s *sim) { press(s, 30, 2000, answered) }, true, false, cua.ShapeStall},
		{"three minutes of polls", func(s *sim) { press(s, 18, 10000, answered) }, true, true, cua.ShapeStall},
		{"the same presses without waits", func(s *sim) { press(s, 14, 0, answered) }, true, true, ""},
		{"waits of 500 ms are pauses", func(s *sim) { press(s, 14, 500, answered) }, true, true, ""},
		{"presses that the server answers badly", func(s *sim) { press(s, 14, 2000, refused) }, true, true, ""},
		{"presses of which a part is answered badly", func(s *sim) { press(s, 14, 2000, alike) }, true, true, ""},
		{"presses that ask the server nothing", func(s *sim) { press(s, 14, 2000, func(*cua.Observation) {}) }, true, true, ""},
		{"the status of a document that was there before", func(s *sim) {
			press(s, 14, 2000, func(o *cua.Observation) { o.Status = 200 })
		}, true, true, ""},
		{"reloads", func(s *sim) { reload(s, 14, 200) }, false, false, ""},
		{"reloads of an error page", func(s *sim) { reload(s, 14, 503) }, true, true, ""},
		{"polls with a look after each wait", func(s *sim) {
			for range 14 {
				press(s, 1, 2000, answered)
				s.look()
			}
		}, false, false, ""},
		{"polls with a look before each wait", func(s *sim) {
			for range 14 {
				press(s, 1, 0, answered)
				s.look()
				s.wait(2, nil)
			}
		}, false, false, ""},
		{"two pages by turns, each answered and waited for", func(s *sim) {
			for i := range 12 {
				s.poll(click(50, 20), cua.Target{ID: "link|other"}, 2000,
					func(p *page) { p.url = fmt.Sprint("https://a.test/", i%2) }, answered)
			}
		}, true, true, ""},
		{"a gate's presses", func(s *sim) {
			for range 14 {
				step := s.press("Refresh", nil)
				answered(&step.After)
				substituted(step, cua.PressReturnForSubmit, cua.Action{Kind: cua.Key, Keys: "Return"})
				s.wait(2, nil)
			}
		}, true, true, ""},
		{"a dead button between polls", func(s *sim) {
			for range 8 {
				press(s, 1, 2000, answered)
				s.press("Go", nil)
			}
		}, true, true, ""},
		{"the answer comes at last", func(s *sim) {
			press(s, 20, 2000, answered)
			s.press("Refresh", show("ready"))
			press(s, 14, 2000, answered)
		}, false, false, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := newSim(newPage("https://a.test/"))
			row.play(s)
			soft, hard := firsts(s.h, Shapes(DefaultConfig()))
			if (soft > 0) != row.soft || (hard > 0) != row.hard {
				t.Errorf("soft after step %d, hard after step %d", soft, hard)
			}
			for _, x := range alarms(Shapes(DefaultConfig()).Detect(s.h)) {
				if row.shape != "" && x.Shape != row.shape {
					t.Errorf("%+v", x)
				}
			}
		})
	}
}
