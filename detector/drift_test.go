package detector

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestDrift(t *testing.T) {
	drift := func(l cua.Level, target string, score float64, evidence ...int) cua.Signal {
		return cua.Signal{Shape: cua.ShapeDrift, Level: l, Run: len(evidence), Since: evidence[0],
			Target: target, Score: score, Evidence: evidence}
	}
	press := func(s *sim, target func(i int) cua.Target, xs ...float64) {
		for i, x := range xs {
			s.do(click(x, 300), target(i), nil)
		}
	}
	bare := func(int) cua.Target { return cua.Target{} }
	star := func(i int) cua.Target {
		return cua.Target{ID: "button|star" + string(rune('1'+i)), Role: "button",
			Box: cua.Box{X: 395 + 9*float64(i), Y: 295, W: 8, H: 10}}
	}
	surface := cua.Target{ID: "@0,0", Role: "canvas", Tag: "canvas", Box: cua.Box{W: 800, H: 600}}
	drag := func(s *sim, to float64, change func(*page)) {
		s.do(cua.Action{Kind: cua.Drag, Point: at(100, 50), To: at(to, 50)},
			cua.Target{ID: "slider|a", Box: cua.Box{X: 90, Y: 40, W: 20, H: 20}}, change)
	}
	checkShape(t, Drift{Config: DefaultConfig()}, []shapeRow{
		{"two points", func(s *sim) { press(s, bare, 400, 402) }, 0, 0, cua.Signal{}},
		{"three points", func(s *sim) { press(s, bare, 400, 403, 406) }, 3, 0, drift(cua.Soft, "", 3, 1, 2, 3)},
		{"nine points", func(s *sim) { press(s, bare, 400, 400, 400, 400, 400, 400, 400, 400) }, 3, 8, drift(cua.Hard, "", 0, span(1, 8)...)},
		{"one far off in the middle of many: the centre is robust", func(s *sim) { press(s, bare, 400, 402, 460, 401, 400) }, 0, 0, cua.Signal{}},
		{"an effect in between", func(s *sim) { press(s, bare, 400, 400); s.press("Go", show("x")); press(s, bare, 400, 400) }, 0, 0, cua.Signal{}},
		{"waits, looks and refusals in between", func(s *sim) {
			press(s, bare, 400)
			s.wait(1, nil)
			press(s, bare, 403)
			s.look()
			s.refuse(click(1, 1))
			press(s, bare, 406)
		}, 6, 0, drift(cua.Soft, "", 3, 1, 3, 6)},
		{"another kind in between", func(s *sim) {
			press(s, bare, 400, 400)
			s.do(cua.Action{Kind: cua.RightClick, Point: at(400, 300)}, cua.Target{}, nil)
			press(s, bare, 400)
		}, 0, 0, cua.Signal{}},
		{"a key in between", func(s *sim) { press(s, bare, 400, 400); s.key("Escape", nil); press(s, bare, 400) }, 0, 0, cua.Signal{}},
		{"hovering", func(s *sim) {
			for range 3 {
				s.do(cua.Action{Kind: cua.Hover, Point: at(400, 300)}, cua.Target{}, nil)
			}
		}, 3, 0, drift(cua.Soft, "", 0, 1, 2, 3)},
		{"inside the box of what was identified", func(s *sim) {
			press(s, func(i int) cua.Target {
				if i < 2 {
					return cua.Target{} // a gap in the drawing, in which nothing is hit
				}
				return button("Go")
			}, 382, 418, 400)
		}, 3, 0, drift(cua.Soft, "button|Go", 18, 1, 2, 3)},
		{"other elements close by are other places", func(s *sim) { press(s, star, 399, 408, 417) }, 0, 0, cua.Signal{}},
		{"a surface is pressed for the place on it", func(s *sim) {
			press(s, func(i int) cua.Target { return surface }, 100, 300, 500)
		}, 0, 0, cua.Signal{}},
		{"one place on a surface", func(s *sim) {
			press(s, func(i int) cua.Target { return surface }, 300, 304, 302)
		}, 3, 0, drift(cua.Soft, "@0,0", 2, 1, 2, 3)},
		{"drags from one place to another", func(s *sim) { drag(s, 200, nil); drag(s, 204, nil); drag(s, 202, nil) }, 3, 0,
			drift(cua.Soft, "slider|a", 0, 1, 2, 3)},
		{"drags from one place to many", func(s *sim) { drag(s, 200, nil); drag(s, 260, nil); drag(s, 320, nil) }, 0, 0, cua.Signal{}},
		{"drags that move it", func(s *sim) { drag(s, 200, fill("a", "1")); drag(s, 200, fill("a", "2")); drag(s, 200, fill("a", "3")) }, 0, 0, cua.Signal{}},
		{"what a gate put in its place", func(s *sim) {
			press(s, bare, 400, 402)
			s.do(click(401, 300), cua.Target{}, nil)
			substituted(&s.h.Steps[1], cua.ScrollIntoView, cua.Action{Kind: cua.Scroll, DY: 90})
			substituted(&s.h.Steps[2], cua.RetargetClick, click(700, 20))
		}, 3, 0, drift(cua.Soft, "", 1, 1, 2, 3)},
	})
}
