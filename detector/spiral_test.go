package detector

import (
	"strconv"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// formless leaves one digest of each page.
func (s *sim) formless() {
	one := func(o *cua.Observation) { o.FormDigest, o.Fields, o.DOMParts = "", nil, nil }
	one(&s.h.Start)
	for i := range s.h.Steps {
		one(&s.h.Steps[i].After)
	}
}

func TestSpiral(t *testing.T) {
	spiral := func(l cua.Level, target string, since int, evidence ...int) cua.Signal {
		return cua.Signal{Shape: cua.ShapeSpiral, Level: l, Run: len(evidence), Since: since, Target: target,
			Evidence: evidence}
	}
	try := func(s *sim, n int, change func(i int) func(*page)) {
		for i := range n {
			s.do(put("value "+strconv.Itoa(i)), box("date"), change(i))
		}
	}
	nothing := func(int) func(*page) { return nil }
	choose := func(option string) cua.Action {
		return cua.Action{Kind: cua.Select, Point: at(200, 40), Text: option}
	}
	checkShape(t, Spiral{DefaultConfig()}, []shapeRow{
		{"two values that the field does not take", func(s *sim) { try(s, 2, nothing) }, 0, 0, cua.Signal{}},
		{"three", func(s *sim) { try(s, 3, nothing) }, 3, 0, spiral(cua.Soft, "textbox|date", 1, 1, 2, 3)},
		{"five", func(s *sim) { try(s, 5, nothing) }, 3, 5, spiral(cua.Hard, "textbox|date", 1, 1, 2, 3, 4, 5)},
		{"the same one three times", func(s *sim) {
			for range 3 {
				s.do(put("x"), box("date"), nil)
			}
		}, 0, 0, cua.Signal{}},
		{"waits and looks in between", func(s *sim) {
			for i := range 3 {
				s.do(put(strconv.Itoa(i)), box("date"), nil)
				s.wait(1, nil)
				s.look()
			}
		}, 7, 0, spiral(cua.Soft, "textbox|date", 1, 1, 4, 7)},
		{"another target in between", func(s *sim) { try(s, 2, nothing); s.press("Go", nil); try(s, 2, nothing) }, 0, 0, cua.Signal{}},
		{"each value is taken", func(s *sim) {
			try(s, 5, func(i int) func(*page) { return fill("date", strconv.Itoa(i)) })
		}, 0, 0, cua.Signal{}},
		{"opened, looked at, closed: the effects cancel each other", func(s *sim) {
			list := button("Country")
			s.do(click(400, 300), list, show("list"))
			s.do(cua.Action{Kind: cua.DoubleClick, Point: at(400, 300)}, list, nil)
			s.do(click(401, 300), list, show("hello"))
		}, 3, 0, spiral(cua.Soft, "button|Country", 1, 1, 2, 3)},
		{"something new on the way", func(s *sim) {
			list := button("Country")
			s.do(click(400, 300), list, show("list"))
			s.do(cua.Action{Kind: cua.DoubleClick, Point: at(400, 300)}, list, show("grid"))
			s.do(click(401, 300), list, show("hello"))
		}, 0, 0, cua.Signal{}},
		{"two turns there and back, one of them a batch", func(s *sim) {
			s.do(choose("0"), box("size"), fill("size", "0"))
			s.do(choose("1"), box("size"), fill("size", "1"))
			for i := range 3 {
				s.do(choose(strconv.Itoa(i)), box("size"), fill("size", "0")).Decision = 3
			}
		}, 0, 0, cua.Signal{}},
		{"one option and the other, to and fro", func(s *sim) {
			for i := range 6 {
				s.do(choose(strconv.Itoa(i%2)), box("size"), fill("size", strconv.Itoa(i%2)))
			}
		}, 5, 0, spiral(cua.Soft, "textbox|size", 3, 3, 4, 5, 6)},
		{"three options and back the same way, as one undoes and redoes", func(s *sim) {
			for _, o := range []string{"1", "2", "3", "4", "3", "2", "3"} {
				s.do(choose(o), box("size"), fill("size", o))
			}
		}, 0, 0, cua.Signal{}},
		{"six searches with results", func(s *sim) {
			try(s, 6, func(i int) func(*page) { return fill("date", strconv.Itoa(i)) })
		}, 0, 0, cua.Signal{}},
		{"thirteen values, each with a result", func(s *sim) {
			try(s, 13, func(i int) func(*page) { return fill("date", strconv.Itoa(i)) })
		}, 0, 0, cua.Signal{}},
		{"a text that is written line by line where no field is", func(s *sim) {
			for i := range 13 {
				s.do(cua.Action{Kind: cua.Type, Point: at(200, 40), Text: strconv.Itoa(i)},
					cua.Target{ID: "img|paper"}, show(strconv.Itoa(i)))
			}
		}, 0, 0, cua.Signal{}},
		{"values on a page whose forms are not read", func(s *sim) {
			try(s, 13, func(i int) func(*page) { return show(strconv.Itoa(i)) })
			s.formless()
		}, 8, 13, spiral(cua.Hard, "textbox|date", 1, span(1, 13)...)},
		{"one value over and over there", func(s *sim) {
			for i := range 13 {
				s.do(put("x"), box("date"), show(strconv.Itoa(i)))
			}
			s.formless()
		}, 0, 0, cua.Signal{}},
		{"effects that cannot be judged", func(s *sim) { try(s, 5, nothing); s.h.Steps[3].Effect = nil }, 3, 0, cua.Signal{}},
		{"nothing there to identify", func(s *sim) {
			for i := range 5 {
				s.key(strconv.Itoa(i), nil)
			}
		}, 0, 0, cua.Signal{}},
	})
}

func TestFailures(t *testing.T) {
	failures := func(l cua.Level, evidence ...int) cua.Signal {
		return cua.Signal{Shape: cua.ShapeFailures, Level: l, Run: len(evidence), Since: evidence[0],
			Evidence: evidence}
	}
	fail := func(s *sim, kinds ...cua.FailureKind) {
		for _, k := range kinds {
			s.fail(k)
		}
	}
	rows := []shapeRow{
		{"two", func(s *sim) { fail(s, cua.FailExec, cua.FailExec) }, 0, 0, cua.Signal{}},
		{"three kinds", func(s *sim) { fail(s, cua.FailSchema, cua.FailNav, cua.FailNotFound) }, 3, 0, failures(cua.Soft, 1, 2, 3)},
		{"an effect ends the run", func(s *sim) {
			fail(s, cua.FailExec, cua.FailExec)
			s.press("Go", show("done"))
			fail(s, cua.FailExec, cua.FailExec)
		}, 0, 0, cua.Signal{}},
		{"a step without effect neither adds nor ends", func(s *sim) {
			fail(s, cua.FailExec, cua.FailExec)
			s.press("Go", nil)
			s.wait(1, nil)
			s.look()
			fail(s, cua.FailExec)
			s.press("Go", nil)
		}, 6, 0, failures(cua.Soft, 1, 2, 6)},
		{"a step whose effect shows late ends it", func(s *sim) {
			fail(s, cua.FailExec, cua.FailExec)
			s.press("Go", nil)
			s.wait(1, show("done"))
			fail(s, cua.FailExec, cua.FailExec)
		}, 0, 0, cua.Signal{}},
		{"a step of which only is known that it did not fail ends it", func(s *sim) {
			fail(s, cua.FailExec, cua.FailExec)
			s.press("Go", nil).Effect = nil
			fail(s, cua.FailExec, cua.FailExec)
		}, 0, 0, cua.Signal{}},
		{"failures with an effect count", func(s *sim) {
			for i := range 3 {
				s.press("Go", show(strconv.Itoa(i))).Failure = &cua.Failure{Kind: cua.FailTimeout}
			}
		}, 3, 0, failures(cua.Soft, 1, 2, 3)},
		{"replies that cannot be read", func(s *sim) {
			for range 3 {
				n := len(s.h.Steps) + 1
				s.h.Steps = append(s.h.Steps, cua.Step{N: n, After: s.h.Now(),
					Failure: &cua.Failure{Kind: cua.FailSchema}})
			}
		}, 3, 0, failures(cua.Soft, 1, 2, 3)},
		{"refusals", func(s *sim) {
			for range 3 {
				s.refuse(click(400, 300))
			}
		}, 3, 0, failures(cua.Soft, 1, 2, 3)},
		{"a broken environment is nobody's mistake", func(s *sim) { fail(s, cua.FailEnv, cua.FailEnv, cua.FailEnv) }, 0, 0, cua.Signal{}},
	}
	for _, k := range cua.FailureKinds() {
		if k != cua.FailEnv {
			rows = append(rows, shapeRow{"six of " + string(k), func(s *sim) { fail(s, k, k, k, k, k, k) }, 3,
				6, failures(cua.Hard, span(1, 6)...)})
		}
	}
	checkShape(t, Failures{DefaultConfig()}, rows)
}
