package detector

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"pgregory.net/rapid"
)

// drawAny is one arbitrary acting step of any kind.
func drawAny(t *rapid.T) (cua.Action, cua.Target) {
	field := box(strconv.Itoa(rapid.IntRange(0, 1).Draw(t, "field")))
	text := strconv.Itoa(rapid.IntRange(0, 3).Draw(t, "text"))
	switch rapid.IntRange(0, 5).Draw(t, "any") {
	case 0:
		return cua.Action{Kind: cua.Type, Point: at(200, 40), Text: text,
			Clear: rapid.Bool().Draw(t, "clear")}, field
	case 1:
		return cua.Action{Kind: cua.Select, Point: at(200, 40), Text: text}, field
	case 2:
		return cua.Action{Kind: cua.Key, Keys: rapid.SampledFrom([]string{"Tab", "Return", "Down"}).Draw(t,
			"keys")}, cua.Target{}
	case 3:
		return cua.Action{Kind: rapid.SampledFrom([]cua.Kind{cua.Navigate, cua.Back, cua.Reload,
			cua.Upload}).Draw(t, "elsewhere"), URL: text}, cua.Target{}
	}
	return draw(t)
}

// TestAlwaysAfterRepeats: whatever came before, a press that does nothing for as long as the widest window is
// told, and again for a hard signal.
func TestAlwaysAfterRepeats(t *testing.T) {
	c := DefaultConfig()
	rapid.Check(t, func(t *rapid.T) {
		s := &sim{page: newPage("https://a.test/")}
		s.h = wander(t, rapid.IntRange(0, 20).Draw(t, "steps"))
		s.page.values["f"] = rapid.SampledFrom([]string{"", "0", "1", "2"}).Draw(t, "now")
		press := func() { s.press("Dead", nil) }
		press() // it may have an effect: the page is another one than before
		for range c.Soft + 2 {
			press()
		}
		if got := (Repeat{c, true}).Detect(s.h); len(got) == 0 || !got[0].Level.AtLeast(cua.Soft) {
			t.Fatalf("signals %+v after %d presses", got, c.Soft+2)
		}
		for range c.Hard - c.Soft - 2 {
			press()
		}
		if got := (Repeat{c, true}).Detect(s.h); len(got) == 0 || got[0].Level != cua.Hard {
			t.Fatalf("signals %+v after %d presses", got, c.Hard)
		}
	})
}

// TestNeverWhileStepsReachNewNodes: nor with waits, looks and refusals in between, nor with effects that
// cannot be judged.
func TestNeverWhileStepsReachNewNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSim(newPage("https://a.test/"))
		ticks := rapid.Bool().Draw(t, "clock")
		if ticks {
			s.idle = tick()
		}
		same, target := drawAny(t)
		for i := range rapid.IntRange(1, 30).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "other") {
				same, target = drawAny(t)
			}
			step := s.do(same, target, show(strconv.Itoa(i)))
			if !ticks && rapid.IntRange(0, 4).Draw(t, "unknown") == 0 {
				step.Effect = nil
			}
			switch rapid.IntRange(0, 6).Draw(t, "between") {
			case 0:
				s.wait(20, nil)
			case 1:
				s.look()
			case 2:
				s.refuse(same)
			}
		}
		if got := alarms(Shapes(DefaultConfig()).Detect(s.h)); len(got) != 0 {
			t.Fatalf("signals %+v on a history of new nodes", got)
		}
	})
}

// TestInterventionsKeepEvidence: what gates dispatch in place of what was asked for changes no signal, as
// long as effects and pages are the same. Streak counts what was dispatched.
func TestInterventionsKeepEvidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := wander(t, rapid.IntRange(1, 20).Draw(t, "steps"))
		shapes := slices.DeleteFunc(Shapes(DefaultConfig()), func(d Detector) bool {
			_,
				ok := d.(Streak)
			return ok
		})
		want := shapes.Detect(h)
		h.Steps = slices.Clone(h.Steps)
		for i := range h.Steps {
			if s := &h.Steps[i]; s.Acting() && rapid.Bool().Draw(t, "substituted") {
				a, _ := drawAny(t)
				if rapid.IntRange(0, 3).Draw(t, "look") == 0 {
					a = cua.Action{Kind: cua.Observe}
				}
				substituted(s, cua.UseControl, a)
			}
		}
		if got := shapes.Detect(h); !reflect.DeepEqual(got, want) {
			t.Fatalf("with interventions %+v, without %+v", got, want)
		}
	})
}

// keeps reports whether each signal of before holds after it too, at its level or above.
func keeps(before, after []cua.Signal) error {
	for _, b := range alarms(before) {
		if !slices.ContainsFunc(after, func(a cua.Signal) bool {
			return a.Shape == b.Shape &&
				a.Level.AtLeast(b.Level)
		}) {
			return fmt.Errorf("%+v is gone: %+v", b, after)
		}
	}
	return nil
}

// TestNoChangeKeepsSignals: to learn of a step that it changed nothing takes no signal away, of no shape,
// whether pages are known or not.
func TestNoChangeKeepsSignals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := wander(t, rapid.IntRange(1, 20).Draw(t, "steps"))
		unseen := rapid.Bool().Draw(t, "unseen")
		var unknown []int
		for i := range h.Steps {
			s := &h.Steps[i]
			if s.HasAction() && !s.Effect.Any() && rapid.IntRange(0, 2).Draw(t, "unknown") == 0 {
				unknown = append(unknown, i)
				s.Effect = nil
			}
			if unseen {
				s.After = cua.Observation{}
			}
		}
		if unseen {
			h.Start = cua.Observation{}
		}
		d := Shapes(DefaultConfig())
		for _, i := range unknown {
			before := d.Detect(h)
			h.Steps[i].Effect = &cua.Effect{}
			if err := keeps(before, d.Detect(h)); err != nil {
				t.Fatalf("step %d: %v", i+1, err)
			}
		}
	})
}

// TestWaitsAndLooksKeepStalls: looks without change, and refusals, in between take no stall away, and waits
// none.
func TestWaitsAndLooksKeepStalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain, mixed := newSim(newPage("https://a.test/")), newSim(newPage("https://a.test/"))
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				plain.press("Go", nil)
				mixed.press("Go", nil)
			default:
				n := rapid.IntRange(0, 60).Draw(t, "seconds")
				plain.wait(n, nil)
				mixed.wait(n, nil)
			}
			switch rapid.IntRange(0, 4).Draw(t, "between") {
			case 0:
				mixed.look()
			case 1:
				mixed.refuse(click(1, 1))
			case 2:
				mixed.wait(1, nil)
			}
		}
		d := Stall{DefaultConfig()}
		if err := keeps(d.Detect(plain.h), d.Detect(mixed.h)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestOrderOfDetectors changes nothing but the order of what they say.
func TestOrderOfDetectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawPaid(t, wander(t, rapid.IntRange(0, 20).Draw(t, "steps")))
		all := append(Shapes(DefaultConfig()), classic(DefaultConfig())...)
		shuffled := LoopDetector(rapid.Permutation([]Detector(all)).Draw(t, "order"))
		sorted := func(signals []cua.Signal) []string {
			var out []string
			for _, s := range signals {
				out = append(out, fmt.Sprintf("%+v", s))
			}
			slices.SortFunc(out, cmp.Compare[string])
			return out
		}
		if got, want := sorted(shuffled.Detect(h)), sorted(all.Detect(h)); !slices.Equal(got, want) {
			t.Fatalf("in another order %v, want %v", got, want)
		}
	})
}

// TestScoreIsDetectAtEachStep, over clocks, rewinds and sessions.
func TestScoreIsDetectAtEachStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawPaid(t, wander(t, rapid.IntRange(0, 24).Draw(t, "steps")))
		d := Shapes(DefaultConfig())
		score := d.Score(h, cua.EndMaxSteps)
		firstSoft, firstHard := 0, 0
		type key struct {
			shape cua.Shape
			level cua.Level
		}
		runs := map[key]map[int]int{} // of each shape and level the run after each step
		for i := range h.Steps {
			n := h.Steps[i].N
			for _, s := range d.Detect(after(h, i+1)) {
				for _, l := range []cua.Level{cua.NoteLevel, cua.Soft, cua.Hard} {
					if s.Level != l && !(s.Level == cua.Hard && l == cua.Soft) {
						continue
					}
					k := key{s.Shape, l}
					if runs[k] == nil {
						runs[k] = map[int]int{}
					}
					runs[k][n] = s.Run
				}
				if s.Level.AtLeast(cua.Soft) {
					firstSoft = cmp.Or(firstSoft, n)
				}
				if s.Level == cua.Hard {
					firstHard = cmp.Or(firstHard, n)
				}
			}
		}
		if score.FirstSoft != firstSoft || score.FirstHard != firstHard {
			t.Fatalf("first soft %d, first hard %d, want %d and %d", score.FirstSoft, score.FirstHard,
				firstSoft, firstHard)
		}
		last := 0
		for _, o := range score.Onsets {
			if o.Step < last || o.Last < o.Step {
				t.Fatalf("onsets out of order: %+v", score.Onsets)
			}
			last = o.Step
			longest := 0
			for n := o.Step; n <= o.Last; n++ {
				run, held := runs[key{o.Shape, o.Level}][n]
				if !held {
					t.Fatalf("%+v, but not after step %d", o, n)
				}
				longest = max(longest, run)
				delete(runs[key{o.Shape, o.Level}], n)
			}
			if o.Run != longest {
				t.Fatalf("%+v, the longest run is %d", o, longest)
			}
		}
		for k, rest := range runs {
			if len(rest) > 0 {
				t.Fatalf("%v held after steps %v too: %+v", k, rest, score.Onsets)
			}
		}
	})
}
