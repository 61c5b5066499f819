package detector

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"pgregory.net/rapid"
)

// draw is one arbitrary acting step: pointer actions close together, keys, scrolls, on few targets.
func draw(t *rapid.T) (cua.Action, cua.Target) {
	var target cua.Target
	if rapid.Bool().Draw(t, "identified") {
		target = button(strconv.Itoa(rapid.IntRange(0, 2).Draw(t, "target")))
	}
	p := at(float64(rapid.IntRange(395, 405).Draw(t, "x")), float64(rapid.IntRange(295, 305).Draw(t, "y")))
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return cua.Action{Kind: cua.Key, Keys: "Return"}, cua.Target{}
	case 1:
		return cua.Action{Kind: cua.Scroll, DY: 100}, cua.Target{}
	case 2:
		return cua.Action{Kind: cua.Drag, Point: p, To: at(p.X+50, p.Y)}, target
	}
	return cua.Action{Kind: cua.Click, Point: p}, target
}

// wander makes an arbitrary history; some steps have effects, at once or late, some lead to one of three
// pages, some are waits or looks, some fail or are refused.
func wander(t *rapid.T, steps int) cua.History {
	s := newSim(newPage("https://a.test/"))
	if rapid.Bool().Draw(t, "clock") {
		s.idle = tick()
	}
	for i := range steps {
		switch rapid.IntRange(0, 14).Draw(t, "what") {
		case 10, 11:
			b := strconv.Itoa(rapid.IntRange(0, 2).Draw(t, "page"))
			s.press(b, func(p *page) { p.url = "https://a.test/" + b })
		case 12:
			s.fail(cua.FailExec)
		case 13:
			s.wait(rapid.IntRange(0, 60).Draw(t, "seconds"), fill("late",
				strconv.Itoa(rapid.IntRange(0, 2).Draw(t, "value"))))
		case 14:
			s.do(put(strconv.Itoa(rapid.IntRange(0, 2).Draw(t, "text"))), box("q"), nil)
		case 0:
			s.wait(rapid.IntRange(0, 60).Draw(t, "seconds"), nil)
		case 1:
			s.do(cua.Action{Kind: cua.Observe}, cua.Target{}, nil)
		case 2:
			a, target := draw(t)
			s.h.Steps = append(s.h.Steps, cua.Step{N: i + 1, Proposed: a, Target: target, After: s.h.Now()})
		case 3:
			a, target := draw(t)
			s.do(a, target, func(p *page) {
				p.values["f"] = strconv.Itoa(rapid.IntRange(0, 2).Draw(t,
					"value"))
			})
		default:
			a, target := draw(t)
			s.do(a, target, nil)
		}
	}
	return s.h
}

// TestNeverWhileNodesAreNew: never fires while each action reaches a new node, by whatever
// evidence it is new.
func TestNeverWhileNodesAreNew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSim(newPage("https://a.test/"))
		if rapid.Bool().Draw(t, "clock") {
			s.idle = tick()
		}
		same, target := draw(t)
		for i := range rapid.IntRange(1, 24).Draw(t, "steps") {
			by := rapid.IntRange(0, 4).Draw(t, "by")
			s.do(same, target, func(p *page) {
				switch by {
				case 0:
					p.url = fmt.Sprint("https://a.test/", i)
				case 1:
					p.values["f"] = strconv.Itoa(i)
				case 2:
					p.parts["main"] = strconv.Itoa(i)
				case 3:
					p.canvas += "x"
				case 4:
					p.scroll += 100
				}
			})
		}
		if got := alarms(Shapes(DefaultConfig()).Detect(s.h)); len(got) != 0 {
			t.Fatalf("signals %+v on a history of new nodes", got)
		}
	})
}

// TestNeverOnFewerThanWindow: a signal has a run of at least its window, made of acting steps.
func TestNeverOnFewerThanWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := DefaultConfig()
		c.Soft = rapid.IntRange(2, 6).Draw(t, "soft")
		c.Frozen.Soft = rapid.IntRange(2, 6).Draw(t, "frozen.soft")
		least := map[cua.Shape]int{cua.ShapeRepeat: c.Soft, cua.ShapeDrift: c.Soft,
			cua.ShapeFrozen: min(c.Soft, c.Frozen.Soft), cua.ShapeCycle: c.Cycle.SoftSteps,
			cua.ShapeRevisit: c.Revisit.Soft, cua.ShapeSpiral: c.Spiral.Soft,
			cua.ShapeFailures: c.Failures.Soft, cua.ShapeStreak: c.Streak.From, cua.ShapeStall: 1}
		hard := map[cua.Shape]int{cua.ShapeRepeat: c.Hard - 1, cua.ShapeDrift: c.Hard - 1,
			cua.ShapeFrozen: c.Hard - 1, cua.ShapeCycle: c.Cycle.HardSteps, cua.ShapeRevisit: c.Revisit.Hard,
			cua.ShapeSpiral: c.Spiral.Hard, cua.ShapeFailures: c.Failures.Hard}
		h := wander(t, rapid.IntRange(0, 20).Draw(t, "steps"))
		for _, s := range append(Shapes(c).Detect(h), classic(c).Detect(h)...) {
			if s.Run < least[s.Shape] || len(h.Steps) < least[s.Shape] || s.Level == cua.Hard &&
				s.Run < hard[s.Shape] {
				t.Fatalf("signal %+v over %d steps", s, len(h.Steps))
			}
		}
	})
}

// TestWaitsAndLooksChangeNothing: waits and read-only steps in between change neither shape,
// level, run nor target.
func TestWaitsAndLooksChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain, mixed := newSim(newPage("https://a.test/")), newSim(newPage("https://a.test/"))
		for range rapid.IntRange(1, 16).Draw(t, "steps") {
			a, target := draw(t)
			var change func(p *page)
			if v := rapid.IntRange(0, 12).Draw(t, "effect"); v < 3 {
				change = func(p *page) { p.values["f"] = strconv.Itoa(v) }
			}
			plain.do(a, target, change)
			mixed.do(a, target, change)
			for range rapid.IntRange(0, 2).Draw(t, "between") {
				if rapid.Bool().Draw(t, "wait") {
					mixed.do(cua.Action{Kind: cua.Wait, MS: 100}, cua.Target{}, nil)
				} else {
					mixed.do(cua.Action{Kind: cua.Observe}, cua.Target{}, nil)
				}
			}
		}
		// Cycle keeps waits and looks, stall is waiting, a look ends a streak: by their definitions.
		shapes := slices.Concat(Shapes(DefaultConfig())[:3], LoopDetector{Revisit{DefaultConfig()},
			Spiral{DefaultConfig()}, Failures{DefaultConfig()}})
		got, want := shapes.Detect(mixed.h), shapes.Detect(plain.h)
		for _, signals := range [][]cua.Signal{got, want} {
			for i := range signals {
				signals[i].Since, signals[i].Evidence = 0, nil
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("with waits %+v, without %+v", got, want)
		}
	})
}

// TestIndependentAndPure: the signals of a list are those of its members, asking twice
// gives the same, and the history is left deep-equal.
func TestIndependentAndPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := wander(t, rapid.IntRange(0, 20).Draw(t, "steps"))
		before, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		all := append(Shapes(DefaultConfig()), classic(DefaultConfig())...)
		var alone []cua.Signal
		for _, d := range all {
			alone = append(alone, d.Detect(h)...)
		}
		first, second := all.Detect(h), all.Detect(h)
		if !reflect.DeepEqual(first, alone) || !reflect.DeepEqual(first, second) {
			t.Fatalf("together %+v, again %+v, alone %+v", first, second, alone)
		}
		incidents := Incidents(h, all, cua.EndMaxSteps)
		if !reflect.DeepEqual(incidents, Incidents(h, all, cua.EndMaxSteps)) {
			t.Fatal("incidents differ when asked twice")
		}
		for i, x := range incidents {
			if x.Outcome == "" || x.First > x.Last || i > 0 && x.First <= incidents[i-1].Last ||
				len(x.Shapes) == 0 {
				t.Fatalf("incidents %+v: open, empty or overlapping", incidents)
			}
		}
		if after, _ := json.Marshal(h); string(after) != string(before) {
			t.Fatal("the history was changed")
		}
	})
}

// TestRefusedStepsAreInNoShape: a refused action adds nothing to any run, and what moved before it counts
// once, although it is found again before the next.
func TestRefusedStepsAreInNoShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := wander(t, rapid.IntRange(0, 12).Draw(t, "steps"))
		refused := cua.History{Start: h.Start}
		for _, s := range h.Steps {
			if rapid.Bool().Draw(t, "refused") {
				no := cua.Step{N: s.N, Proposed: s.Proposed, Target: s.Target, After: refused.Now()}
				refused.Steps = append(refused.Steps, no)
			}
			refused.Steps = append(refused.Steps, s)
		}
		all := append(Shapes(DefaultConfig()), classic(DefaultConfig())...)
		if got, want := all.Detect(refused), all.Detect(h); !reflect.DeepEqual(got, want) {
			t.Fatalf("with refused steps %+v, without %+v", got, want)
		}
	})
}
