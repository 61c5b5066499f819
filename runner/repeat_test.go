package runner

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
)

// presses is an episode whose steps are judged by the repeat guard as the machine judges them.
type presses struct {
	asm Assembly
	h   cua.History
	tab int
}

func newPresses(c Config) *presses {
	start := cua.Observation{URL: "https://a.test/", Document: "d1", DOMDigest: "dom", Tab: 1, Tabs: 2}
	return &presses{asm: Assemble(c), h: cua.History{Start: start}, tab: 1}
}

// do makes one step of kind on the button or field of that name and gives it its feedback; each of changes is
// a class of change that it makes.
func (p *presses) do(kind cua.Kind, on string, changes ...cua.Change) *cua.Step {
	a := cua.Action{Kind: kind, Text: fmt.Sprint(len(p.h.Steps))}
	s := cua.Step{N: len(p.h.Steps) + 1, Proposed: a, Action: &a, Effect: &cua.Effect{Progress: changes},
		After: p.h.Now()}
	if on != "" {
		s.Target = cua.Target{ID: "button/" + on, Role: "button", Name: on, Point: &cua.Point{X: 10, Y: 10}}
	}
	for _, c := range changes {
		switch c {
		case cua.ChangeURL:
			s.After.URL, s.After.Document = fmt.Sprintf("https://a.test/%d", s.N), fmt.Sprint("d", s.N)
		default:
			s.After.DOMDigest = fmt.Sprint("dom", s.N)
		}
	}
	if kind == cua.SwitchTab {
		p.tab = 3 - p.tab
		s.After.Tab = p.tab
	}
	s.Repetition = p.asm.repeated(with(p.h, s))
	s.Feedback = feedback(&work{step: s, outcome: &cua.Outcome{}})
	p.h.Steps = append(p.h.Steps, s)
	return &p.h.Steps[len(p.h.Steps)-1]
}

// with is h and one more step.
func with(h cua.History, s cua.Step) cua.History {
	h.Steps = append(h.Steps, s)
	return h
}

func (p *presses) times(n int, kind cua.Kind, on string, changes ...cua.Change) {
	for range n {
		p.do(kind, on, changes...)
	}
}

// fails makes a step that was dispatched and failed.
func (p *presses) fails(kind cua.Kind, on string) {
	s := p.do(kind, on)
	s.Failure = &cua.Failure{Kind: cua.FailExec, Detail: "broken"}
	s.Repetition, s.Feedback = p.asm.repeated(with(cua.History{Start: p.h.Start,
		Steps: p.h.Steps[:s.N-1]}, *s)), ""
}

// note is the sentence with which the feedback of the n-th click ends (docs/memory.md#repeat-guard).
func note(ordinal string) string {
	return "Note: " + ordinal +
		" consecutive click on this element without a fresh look — verify visually or report current state " +
		"instead of clicking again."
}

// TestRepeatGuard checks the runner against the rows of docs/memory.md#repeat-guard: the count at the last
// step.
func TestRepeatGuard(t *testing.T) {
	rewind := func(p *presses) { p.do(cua.Rewind, "").RewoundTo = 1 }
	for _, c := range []struct {
		name string
		play func(p *presses)
		want int // 0 is no note
	}{
		{"one click", func(p *presses) { p.times(1, cua.Click, "Go") }, 0},
		{"two clicks", func(p *presses) { p.times(2, cua.Click, "Go") }, 0},
		{"three clicks", func(p *presses) { p.times(3, cua.Click, "Go") }, 3},
		{"four clicks", func(p *presses) { p.times(4, cua.Click, "Go") }, 4},
		{"a read of it in between", func(p *presses) { p.times(2, cua.Click, "Go"); p.do(cua.Extract, "Go"); p.times(2, cua.Click, "Go") }, 0},
		{"three after the read", func(p *presses) { p.times(2, cua.Click, "Go"); p.do(cua.Observe, "Go"); p.times(3, cua.Click, "Go") }, 3},
		{"a zoom on it", func(p *presses) { p.times(2, cua.Click, "Go"); p.do(cua.Zoom, "Go"); p.do(cua.Click, "Go") }, 0},
		{"a find of it", func(p *presses) { p.times(2, cua.Click, "Go"); p.do(cua.Find, "Go"); p.do(cua.Click, "Go") }, 0},
		{"a scroll to it", func(p *presses) { p.times(2, cua.Click, "Go"); p.do(cua.Scroll, "Go"); p.do(cua.Click, "Go") }, 0},
		{"a look at something else clears nothing", func(p *presses) { p.times(2, cua.Click, "Go"); p.do(cua.Zoom, "Help"); p.do(cua.Click, "Go") }, 3},
		{"a look at the page", func(p *presses) { p.times(2, cua.Click, "Go"); p.do(cua.Observe, ""); p.do(cua.Click, "Go") }, 0},
		{"a wait clears nothing", func(p *presses) { p.times(2, cua.Click, "Go"); p.do(cua.Wait, ""); p.do(cua.Click, "Go") }, 3},
		{"another class on it", func(p *presses) { p.times(2, cua.Click, "Go"); p.do(cua.Key, "Go"); p.do(cua.Click, "Go") }, 0},
		{"two targets by turns", func(p *presses) {
			for range 3 {
				p.do(cua.Click, "Go")
				p.do(cua.Click, "Help")
			}
		}, 3},
		{"two targets, one of them too seldom", func(p *presses) { p.times(2, cua.Click, "Go"); p.times(2, cua.Click, "Help") }, 0},
		{"an effect elsewhere clears nothing", func(p *presses) {
			p.times(2, cua.Click, "Go")
			p.do(cua.Click, "Help", cua.ChangeDOM)
			p.do(cua.Click, "Go")
		}, 3},
		{"two tabs have two counts", func(p *presses) {
			p.times(2, cua.Click, "Go")
			p.do(cua.SwitchTab, "")
			p.times(2, cua.Click, "Go")
		}, 0},
		{"what is done in the other tab clears nothing", func(p *presses) {
			p.times(2, cua.Click, "Go")
			p.do(cua.SwitchTab, "")
			p.do(cua.Reload, "")
			p.do(cua.SwitchTab, "")
			p.do(cua.Click, "Go")
		}, 3},
		{"a navigation", func(p *presses) {
			p.times(2, cua.Click, "Go")
			p.do(cua.Navigate, "", cua.ChangeURL)
			p.do(cua.Click, "Go")
		}, 0},
		{"a link elsewhere on the page", func(p *presses) {
			p.times(2, cua.Click, "Go")
			p.do(cua.Click, "away", cua.ChangeURL)
			p.do(cua.Click, "Go")
		}, 0},
		{"a reload", func(p *presses) { p.times(2, cua.Click, "Go"); p.do(cua.Reload, ""); p.do(cua.Click, "Go") }, 0},
		{"a rewind", func(p *presses) { p.times(2, cua.Click, "Go"); rewind(p); p.do(cua.Click, "Go") }, 0},
		{"a failed dispatch is no repeat", func(p *presses) { p.times(2, cua.Click, "Go"); p.fails(cua.Click, "Go") }, 0},
		{"and clears nothing", func(p *presses) { p.times(2, cua.Click, "Go"); p.fails(cua.Click, "Go"); p.do(cua.Click, "Go") }, 3},
		{"a stepper that steps", func(p *presses) { p.times(12, cua.Click, "+", cua.ChangeDOM) }, 0},
		{"a date picker of which a few pixels change", func(p *presses) { p.times(12, cua.Click, "next month", cua.ChangePixels) }, 0},
		{"a pager", func(p *presses) { p.times(12, cua.Click, "Next", cua.ChangeURL) }, 0},
		{"a stepper at its end", func(p *presses) { p.times(9, cua.Click, "+", cua.ChangeDOM); p.times(2, cua.Click, "+") }, 0},
		{"a field that takes each edit", func(p *presses) { p.times(3, cua.Type, "q", cua.ChangeForm) }, 3},
		{"an option that is chosen each time", func(p *presses) { p.times(4, cua.Select, "size", cua.ChangeForm) }, 4},
		{"keys that work", func(p *presses) { p.times(4, cua.Key, "q", cua.ChangeForm) }, 0},
		{"drags that do nothing", func(p *presses) { p.times(3, cua.Drag, "q") }, 3},
		{"hovering is no mutation", func(p *presses) { p.times(5, cua.Hover, "q") }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPresses(DefaultConfig())
			c.play(p)
			s := &p.h.Steps[len(p.h.Steps)-1]
			got := 0
			if s.Repetition != nil {
				got = s.Repetition.Count
			}
			if said := strings.Contains(s.Feedback, "without a fresh look"); got != c.want ||
				said != (c.want > 0) {
				t.Errorf("%+v, feedback %q, want %d", s.Repetition, s.Feedback, c.want)
			}
			if r := s.Repetition; r != nil && (r.Target != s.Target.ID || r.Effect != s.Effect.Any()) {
				t.Errorf("%+v of %+v", r, s)
			}
		})
	}
}

// The sentence comes last, and what stands before it is byte for byte what is said without it.
func TestTheFeedbackOfARepeat(t *testing.T) {
	for _, row := range []struct {
		n       int
		ordinal string
	}{{3, "3rd"}, {4, "4th"}, {11, "11th"}, {12, "12th"}, {13, "13th"}, {21, "21st"}, {22, "22nd"},
		{23, "23rd"}, {101, "101st"}, {103, "103rd"}, {111, "111th"}} {
		t.Run(row.ordinal, func(t *testing.T) {
			p := newPresses(DefaultConfig())
			p.times(row.n, cua.Click, "Go")
			if got := p.h.Steps[row.n-1].Feedback; got != note(row.ordinal) {
				t.Errorf("at %d: %q", row.n, got)
			}
		})
	}
	p := newPresses(DefaultConfig())
	p.times(3, cua.Click, "Go")
	w := &work{step: p.h.Steps[2], outcome: &cua.Outcome{},
		warning: "WARNING: no observed effect (global_and_region_stable)"}
	w.step.After.Alerts = []string{"Sorry"}
	loud := feedback(w)
	w.step.Repetition = nil
	if quiet := feedback(w); quiet == "" || loud != quiet+"; "+note("3rd") {
		t.Errorf("%q, without the guard %q", loud, quiet)
	}
}

// The threshold is detector.streak.from, and either toggle off leaves nothing of the guard.
func TestTheThresholdOfRepeats(t *testing.T) {
	count := func(change func(*Config)) int {
		c := DefaultConfig()
		change(&c)
		p := newPresses(c)
		p.times(8, cua.Click, "Go")
		n := 0
		for _, s := range p.h.Steps {
			if (s.Repetition != nil) != (s.Feedback != "") {
				t.Fatalf("step %d: %+v, feedback %q", s.N, s.Repetition, s.Feedback)
			}
			if s.Repetition != nil {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		name   string
		change func(*Config)
		want   int
	}{
		{"as it comes", func(*Config) {}, 6},
		{"from five on", func(c *Config) { c.Detector.Streak.From = 5 }, 4},
		{"the guard is off", func(c *Config) { c.Toggles.RepeatGuard = false }, 0},
		{"the shape that it speaks for is off", func(c *Config) { c.Toggles.ShapeStreak = false }, 0},
	} {
		if got := count(c.change); got != c.want {
			t.Errorf("%s: %d notes, want %d", c.name, got, c.want)
		}
	}
}

// TestRepeatGuardProperty: the guard answers the same twice and changes nothing, presses that work never
// repeat, and no count is greater than the presses of that class on that target.
func TestRepeatGuardProperty(t *testing.T) {
	seen := 0
	rapid.Check(t, func(t *rapid.T) {
		p := newPresses(DefaultConfig())
		kinds := []cua.Kind{cua.Click, cua.Click, cua.Click, cua.DoubleClick, cua.Type, cua.Type, cua.Key,
			cua.Select, cua.Zoom, cua.Wait, cua.SwitchTab, cua.Reload, cua.Scroll}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			kind, on := rapid.SampledFrom(kinds).Draw(t, "kind"), rapid.SampledFrom([]string{"Go", "Go",
				"Help"}).Draw(t, "on")
			if kind == cua.SwitchTab || kind == cua.Reload || kind == cua.Wait {
				on = ""
			}
			var changes []cua.Change
			if rapid.IntRange(0, 5).Draw(t, "effect") == 0 {
				changes = []cua.Change{cua.ChangeDOM}
			}
			s := *p.do(kind, on, changes...)
			before, err := json.Marshal(p.h)
			if err != nil {
				t.Fatal(err)
			}
			again := p.asm.repeated(with(cua.History{Start: p.h.Start, Steps: p.h.Steps[: s.N-1 : s.N-1]}, s))
			if after, _ := json.Marshal(p.h); !reflect.DeepEqual(again, s.Repetition) ||
				string(before) != string(after) {
				t.Fatalf("step %d: %+v, then %+v", s.N, s.Repetition, again)
			}
			if s.Repetition == nil {
				continue
			}
			seen++
			edits := kind == cua.Type || kind == cua.Select
			if r := s.Repetition; r.Effect && !edits || r.Count < 3 || r.Count > p.of(kind, on) {
				t.Fatalf("step %d: %+v of %d presses", s.N, s.Repetition, p.of(kind, on))
			}
			if want := (recovery.RepeatGuard{}).Sentence(*s.Action,
				*s.Repetition); !strings.HasSuffix(s.Feedback, want) {
				t.Fatalf("step %d: feedback %q", s.N, s.Feedback)
			}
		}
	})
	if seen == 0 {
		t.Error("nothing was ever repeated")
	}
}

// of counts the steps of the class of kind on a target, in both tabs.
func (p *presses) of(kind cua.Kind, on string) int {
	n := 0
	for _, s := range p.h.Steps {
		same := s.Action.Kind == kind || s.Action.Kind.Pressing() && kind.Pressing()
		if same && s.Target.ID == "button/"+on {
			n++
		}
	}
	return n
}
