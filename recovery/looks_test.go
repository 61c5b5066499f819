package recovery

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// extracts adds n reads of the whole page that bring nothing, with notes on the last.
func (s *story) extracts(n int, notes ...cua.Note) *story {
	for range n {
		s.do(cua.Action{Kind: cua.Extract}, cua.Target{}, false)
	}
	s.h.Steps[len(s.h.Steps)-1].Notes = notes
	return s
}

func TestLookingForEver(t *testing.T) {
	warn := cua.Note{From: NudgeName, Level: LastWarning, Text: "last"}
	hint := cua.Note{From: NudgeName, Level: 1, Text: "perhaps"}
	extract := cua.Proposal{Action: cua.Action{Kind: cua.Extract}}
	wait := cua.Action{Kind: cua.Wait, MS: 500}
	start := func() *story { return begin(page("s")).clicks(1, button()) }
	gate := Breaker{Config: DefaultConfig().Breaker, Stop: Stop{Grace: 3, Nudged: true}}
	silent := gate
	silent.Stop.Nudged = false
	off := gate
	off.Config.Looks = 0
	for _, c := range []struct {
		name string
		s    *story
		gate Breaker
		p    cua.Proposal
		want bool
	}{
		{"one look and eight more", start().extracts(9, warn), gate, extract, true},
		{"one look and seven more", start().extracts(8, warn), gate, extract, false},
		{"no warning was delivered", start().extracts(9), gate, extract, false},
		{"a hint is no warning", start().extracts(9, hint), gate, extract, false},
		{"the warning came before it", start().extracts(1, warn).clicks(1, button()).extracts(9), gate, extract, false},
		{"nudges are off", start().extracts(9), silent, extract, true},
		{"looks are free", start().extracts(30, warn), off, extract, false},
		{"a press is a way out", start().extracts(9, warn), gate, proposal(button()), false},
		{"so is a wait", start().extracts(9, warn), gate, cua.Proposal{Action: wait}, false},
		{"so is another look", start().extracts(9, warn), gate, cua.Proposal{Action: cua.Action{Kind: cua.Find, Text: "price"}}, false},
		{"what cannot be read is the mistake tracker's", start().extracts(9, warn), gate, cua.Proposal{Action: extract.Action, Failure: &cua.Failure{Kind: cua.FailSchema}}, false},
		{"a wait in between: it watches", start().extracts(4).do(wait, cua.Target{}, false).extracts(5, warn), gate, extract, false},
		{"the page changed in between", start().extracts(4).do(extract.Action, cua.Target{}, true).extracts(4, warn), gate, extract, false},
		{"a press in between", start().extracts(5).clicks(1, button()).extracts(4, warn), gate, extract, false},
		{"two kinds in turn", func() *story {
			s := start()
			for range 5 {
				s.do(cua.Action{Kind: cua.Find, Text: "price"}, cua.Target{}, false).extracts(1, warn)
			}
			return s
		}(), gate, extract, true},
		{"each look another one", func() *story {
			s := start()
			for i := range 20 {
				s.do(cua.Action{Kind: cua.Find, Text: strings.Repeat("x", i+1)}, cua.Target{}, false)
			}
			return s.extracts(1, warn)
		}(), gate, extract, false},
		{"a chosen continuation starts afresh", func() *story {
			s := start().extracts(9, warn)
			s.h.Resumed = []cua.Resumption{{At: len(s.h.Steps), Page: page("s"), Fresh: true}}
			return s
		}(), gate, extract, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := review(t, c.gate, c.s.turn(), c.p)
			if (r.Verdict == cua.Halt) != c.want || c.want && (r.End != cua.EndLoop || r.Reason != ReasonLooks || len(r.Evidence) != 8) {
				t.Errorf("%+v", r)
			}
		})
	}
	gate.GiveUp.Attended = true
	if r := review(t, gate, start().extracts(9, warn).turn(), extract); r.Verdict != cua.Pause {
		t.Errorf("attended it pauses: %+v", r)
	}
}

// TestNudgeSpeaksOfLooks: with each look more, by the same levels as of a signal, and before the breaker stops.
func TestNudgeSpeaksOfLooks(t *testing.T) {
	s := begin(page("s")).extracts(1)
	n := Nudge{Config: DefaultConfig().Nudge}
	for run, want := range []int{0, 0, 0, 0, 1, 2, 2, 3, 3} {
		notes := n.Advise(s.turn())
		level := 0
		for _, o := range notes {
			level = o.Level
			if !strings.Contains(o.Text, "looked again at what you had seen already") {
				t.Errorf("%q", o.Text)
			}
		}
		if level != want {
			t.Errorf("after %d looks more: level %d, want %d", run, level, want)
		}
		s.extracts(1, notes...)
	}
	n.Config.Looks = 0
	if notes := n.Advise(s.turn()); notes != nil {
		t.Errorf("it was told to say nothing of looks: %+v", notes)
	}
}
