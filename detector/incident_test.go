package detector

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// stuck presses a dead button n times, then lets the press of a substituted step change the page when helps
// says so, and continues elsewhere.
func stuck(n int, substitute, helps bool) cua.History {
	s := newSim(newPage("https://a.test/"))
	for range n {
		s.stuck(click(400, 300), nil)
	}
	if substitute {
		step := s.stuck(click(400, 300), func(p *page) {
			if helps {
				p.parts["main"] = "sent"
			}
		})
		substituted(step, cua.PressReturnForSubmit, cua.Action{Kind: cua.Key, Keys: "Return"})
		step.Usage, step.Timing = cua.Usage{}, cua.Timing{}
	}
	for i := range 3 {
		s.signalled(cua.Action{Kind: cua.Navigate, URL: "https://b.test/"}, cua.Target{}, func(p *page) {
			p.url = "https://b.test/" + string(rune('a'+i))
		})
	}
	return s.h
}

// loops are shapes whose signals end with the first effect.
func loops() LoopDetector { return Shapes(DefaultConfig())[:3] }

// signalled makes one step and records on it the signals that held before.
func (s *sim) signalled(a cua.Action, t cua.Target, change func(p *page)) *cua.Step {
	signals := loops().Detect(s.h)
	step := s.do(a, t, change)
	step.Signals = signals
	return step
}

// stuck makes one paid step at the button Go.
func (s *sim) stuck(a cua.Action, change func(p *page)) *cua.Step {
	step := s.signalled(a, button("Go"), change)
	step.Usage, step.Timing.Act = cua.Usage{InputTokens: 90, OutputTokens: 10, USD: new(0.01)}, 500
	return step
}

// substituted makes a recovery out of a step: a was dispatched in place of what was proposed.
func substituted(s *cua.Step, reason cua.Reason, a cua.Action) {
	s.Action, s.RecoveryReason = &a, reason
	s.Rulings = []cua.Ruling{{Gate: "loop_recovery", Verdict: cua.Replace, Reason: string(reason),
		Action: &a}}
}

// refuse makes one step that nothing was dispatched for.
func (s *sim) refuse(a cua.Action) *cua.Step {
	n := len(s.h.Steps) + 1
	s.h.Steps = append(s.h.Steps, cua.Step{N: n, Decision: n, Proposed: a, Target: button("Go"),
		After:   s.h.Now(),
		Failure: &cua.Failure{Kind: cua.FailPolicy}, Signals: loops().Detect(s.h)})
	return &s.h.Steps[n-1]
}

func TestIncidentOutcome(t *testing.T) {
	rewound := stuck(6, false, false)
	rewound.Steps[5].RewoundTo = 2
	then := stuck(6, true, true)
	then.Steps[4].RewoundTo = 2
	cut := func(h cua.History, n int) cua.History { return prefix(h, n) }
	chosen := func(at int, end cua.EndReason) cua.History {
		h := cut(stuck(6, false, false), 6)
		h.Resumed = []cua.Resumption{{At: at, Page: h.Start, Fresh: true, End: end}}
		return h
	}
	// blind makes the pages after the newest n steps of nine unknown.
	blind := func(n int) cua.History {
		h := cut(stuck(9, false, false), 9)
		for i := 9 - n; i < 9; i++ {
			h.Steps[i].Effect, h.Steps[i].After = nil, cua.Observation{}
		}
		return h
	}
	crashed := cut(stuck(6, false, false), 6)
	crashed.Resumed = []cua.Resumption{{At: 5, Page: crashed.Start}}
	rows := []struct {
		name string
		h    cua.History
		end  cua.EndReason
		want cua.IncidentOutcome
	}{
		{"a substitution helped", stuck(4, true, true), cua.EndDone, cua.OutcomeRecovered},
		{"it helped in the last step", cut(stuck(4, true, true), 5), cua.EndEnvEnded, cua.OutcomeRecovered},
		{"it helped in the last step that there is so far", cut(stuck(4, true, true), 5), "", ""},
		{"a substitution did not, the brain did", stuck(4, true, false), cua.EndDone, cua.OutcomeSelfRecovered},
		{"the brain found its way", stuck(5, false, false), cua.EndDone, cua.OutcomeSelfRecovered},
		{"the breaker", cut(stuck(9, false, false), 9), cua.EndLoop, cua.OutcomeHalted},
		{"a spiral", cut(stuck(9, false, false), 9), cua.EndSpiral, cua.OutcomeHalted},
		{"too many mistakes", cut(stuck(9, false, false), 9), cua.EndMistakes, cua.OutcomeHalted},
		{"asked", cut(stuck(9, false, false), 9), cua.EndAsked, cua.OutcomeAsked},
		{"paused", cut(stuck(9, false, false), 9), cua.EndPaused, cua.OutcomeAsked},
		{"out of steps", cut(stuck(9, false, false), 9), cua.EndMaxSteps, cua.OutcomeEnded},
		{"it said that it was done", cut(stuck(9, false, false), 9), cua.EndDone, cua.OutcomeEnded},
		{"cancelled", cut(stuck(9, false, false), 9), cua.EndCancelled, cua.OutcomeEnded},
		{"the last page is unknown", blind(1), cua.EndMaxSteps, cua.OutcomeEnded},
		{"the last four pages are unknown", blind(4), cua.EndMaxSteps, cua.OutcomeEnded},
		{"the last page is unknown, and it continues", blind(1), "", ""},
		{"going on", cut(stuck(9, false, false), 9), "", ""},
		{"rewound", rewound, cua.EndDone, cua.OutcomeRewound},
		{"rewound without effect, then a substitution helped", then, cua.EndDone, cua.OutcomeRecovered},
		{"asked, and somebody went on", chosen(5, cua.EndAsked), cua.EndDone, cua.OutcomeAsked},
		{"halted, and somebody went on", chosen(5, cua.EndLoop), cua.EndDone, cua.OutcomeHalted},
		{"somebody went on, and nobody knows from what", chosen(5, ""), cua.EndDone, cua.OutcomeAsked},
		{"halted, somebody went on, and it was cut at once", chosen(6, cua.EndLoop), cua.EndCancelled, cua.OutcomeHalted},
		{"a crash in between ends nothing", crashed, cua.EndLoop, cua.OutcomeHalted},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := Incidents(row.h, loops(), row.end)
			if len(got) != 1 || got[0].Outcome != row.want {
				t.Errorf("incidents %+v, want one that is %q", got, row.want)
			}
			if again := Incidents(row.h, nil, row.end); !strings.Contains(row.name, "unknown") &&
				row.h.Resumed == nil && !reflect.DeepEqual(again, got) {
				t.Errorf("recorded %+v\ncomputed %+v", again, got)
			}
		})
	}
}

// TestIncidentTried: what a substitution did is known at the next step.
func TestIncidentTried(t *testing.T) {
	sent := func(p *page) { p.parts["main"] = "sent" }
	typed := func(p *page) { p.values["textbox|Name"] = "ada" }
	wait := cua.Action{Kind: cua.Wait, MS: 1000}
	key := cua.Action{Kind: cua.Key, Keys: "Return"}
	tab := func(s *sim) {
		substituted(s.stuck(click(400, 300), nil), cua.TabToNextField, cua.Action{Kind: cua.Key, Keys: "Tab"})
	}
	rows := []struct {
		name string
		make func(s *sim)
		want cua.IncidentOutcome
		hits []bool
	}{
		{"at once", func(s *sim) { substituted(s.stuck(click(400, 300), sent), cua.PressReturnForSubmit, key) }, cua.OutcomeRecovered, []bool{true}},
		{"not at all", func(s *sim) {
			substituted(s.stuck(click(400, 300), nil), cua.PressReturnForSubmit, key)
			s.stuck(click(500, 300), sent)
		}, cua.OutcomeSelfRecovered, []bool{false}},
		{"after two waits", func(s *sim) {
			substituted(s.stuck(click(400, 300), nil), cua.PressReturnForSubmit, key)
			s.signalled(wait, cua.Target{}, nil)
			s.signalled(wait, cua.Target{}, sent)
		}, cua.OutcomeRecovered, []bool{true}},
		{"a Tab, and what was typed after it", func(s *sim) {
			tab(s)
			s.stuck(cua.Action{Kind: cua.Type, Text: "ada"}, typed)
		}, cua.OutcomeRecovered, []bool{true}},
		{"a Tab, and a press elsewhere", func(s *sim) {
			tab(s)
			s.stuck(click(500, 300), sent)
		}, cua.OutcomeSelfRecovered, []bool{false}},
		{"the second one", func(s *sim) {
			tab(s)
			substituted(s.stuck(click(400, 300), sent), cua.PressReturnForSubmit, key)
		}, cua.OutcomeRecovered, []bool{false, true}},
		{"another gate's", func(s *sim) {
			step := s.stuck(click(400, 300), typed)
			step.Rulings = []cua.Ruling{{Gate: "force_fill", Verdict: cua.Replace,
				Reason: "fill_pending_value", Action: step.Action}}
		}, cua.OutcomeRecovered, []bool{true}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := newSim(newPage("https://a.test/"))
			for range 4 {
				s.stuck(click(400, 300), nil)
			}
			row.make(s)
			for i := range 4 {
				s.signalled(click(10, 10), button("More"),
					func(p *page) { p.url = fmt.Sprint("https://a.test/", i) })
			}
			for _, d := range []LoopDetector{nil, loops()} {
				got := Incidents(s.h, d, cua.EndDone)
				if len(got) != 1 || got[0].Outcome != row.want {
					t.Fatalf("incidents %+v, want one that is %q", got, row.want)
				}
				var hits []bool
				for _, a := range got[0].Tried {
					hits = append(hits, a.Effect)
				}
				if !slices.Equal(hits, row.hits) {
					t.Errorf("tried %+v, want effects %v", got[0].Tried, row.hits)
				}
			}
		})
	}
}

// TestIncidentJudgedAtTheNextStep: the step after an incident may tell what the last one inside
// did, and steps after that tell nothing more.
func TestIncidentJudgedAtTheNextStep(t *testing.T) {
	s := newSim(newPage("https://a.test/"))
	s.do(click(400, 300), button("Go"), nil)
	substituted(s.do(click(400, 300), button("Go"), nil), cua.TabToNextField,
		cua.Action{Kind: cua.Key, Keys: "Tab"})
	s.do(cua.Action{Kind: cua.Type, Text: "ada"}, cua.Target{},
		func(p *page) { p.values["textbox|Name"] = "ada" })
	signals := [][]cua.Signal{held(cua.ShapeCycle, cua.Soft, "", 1), nil, nil}
	for n, want := range map[int]cua.IncidentOutcome{2: "", 3: cua.OutcomeRecovered} {
		if got := incidents(prefix(s.h, n), signals[:n], ""); len(got) != 1 || got[0].Outcome != want {
			t.Errorf("after %d steps %+v, want %q", n, got, want)
		}
	}
}

// TestIncidentOfACycleToTheEnd: each step of a cycle changes the page, and none of them helps.
func TestIncidentOfACycleToTheEnd(t *testing.T) {
	s := newSim(newPage("https://a.test/a"))
	signals := make([][]cua.Signal, 8)
	for i := range 8 {
		s.do(click(400, 300), button(string("ab"[i%2])), func(p *page) {
			p.url = "https://a.test/" +
				string("ba"[i%2])
		})
		if i >= 4 {
			signals[i] = held(cua.ShapeCycle, cua.Soft, "", i-2, i-1, i, i+1)
		}
	}
	for _, known := range []int{7, 8} {
		got := incidents(s.h, signals[:known], cua.EndMaxSteps)
		if len(got) != 1 || got[0].First != 6 || got[0].Last != 8 || got[0].Outcome != cua.OutcomeEnded {
			t.Errorf("incidents %+v, want one of steps 6 to 8 that ended", got)
		}
	}
}

func TestIncidentPrice(t *testing.T) {
	h := stuck(6, true, true)
	want := []cua.Incident{{ID: "i4", Shapes: []cua.Shape{cua.ShapeRepeat, cua.ShapeDrift, cua.ShapeFrozen},
		First: 4, Last: 7,
		Tried:  []cua.Attempt{{Step: 7, Reason: cua.PressReturnForSubmit, Effect: true}},
		Tokens: 300, USD: new(0.03), Seconds: 1.5, Outcome: cua.OutcomeRecovered}}
	if got := Incidents(h, loops(), cua.EndDone); !reflect.DeepEqual(got, want) {
		t.Errorf("computed %+v\nwant %+v", got, want)
	}
	if got := Incidents(h, nil, cua.EndDone); !reflect.DeepEqual(got, want) {
		t.Errorf("recorded %+v\nwant %+v", got, want)
	}
	if got := Incidents(cua.History{Start: h.Start}, nil, cua.EndDone); got != nil {
		t.Errorf("no steps: %+v", got)
	}
}

// TestIncidentCost: what is unknown stays unknown, and what used nothing costs nothing.
func TestIncidentCost(t *testing.T) {
	tokens := func(n int, usd *float64) cua.Usage { return cua.Usage{InputTokens: n, USD: usd} }
	for name, row := range map[string]struct {
		usage []cua.Usage // of the steps inside
		want  *float64
	}{
		"all known":                {[]cua.Usage{tokens(5, new(0.25)), tokens(5, new(0.5))}, new(0.75)},
		"free":                     {[]cua.Usage{tokens(5, new(0.0))}, new(0.0)},
		"one unknown":              {[]cua.Usage{tokens(5, new(0.25)), tokens(5, nil)}, nil},
		"one that used nothing":    {[]cua.Usage{tokens(5, new(0.25)), {}}, new(0.25)},
		"nobody said what it cost": {[]cua.Usage{{}, {}}, nil},
	} {
		h := steps(1 + len(row.usage))
		h.Steps[0].Usage = tokens(7, new(100.0)) // before the incident
		signals := make([][]cua.Signal, len(h.Steps))
		for i, u := range row.usage {
			h.Steps[i+1].Usage = u
			signals[i] = held(cua.ShapeRepeat, cua.Soft, "a", 1)
		}
		got := incidents(h, signals, cua.EndDone)
		if len(got) != 1 || !reflect.DeepEqual(got[0].USD, row.want) || got[0].Steps() != len(row.usage) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// steps is a history of n steps of which nothing is known.
func steps(n int) cua.History {
	var h cua.History
	for i := range n {
		h.Steps = append(h.Steps, cua.Step{N: i + 1, Decision: i + 1, Action: &cua.Action{Kind: cua.Click}})
	}
	return h
}

func held(shape cua.Shape, level cua.Level, target string, evidence ...int) []cua.Signal {
	return []cua.Signal{{Shape: shape, Level: level, Run: len(evidence), Since: evidence[0], Target: target,
		Evidence: evidence}}
}

// TestOpenAgreesWithIncidents: what was open at a step is what the incident is called afterwards.
func TestOpenAgreesWithIncidents(t *testing.T) {
	h := stuck(6, true, true)
	d := loops()
	var ids []string
	for i := range h.Steps {
		id := ""
		if open := Open(prefix(h, i), d.Detect(prefix(h, i))); open != nil {
			id = open.ID
			if open.Outcome != "" || i == 5 && (open.Tokens != 200 || open.Last != 5) {
				t.Errorf("open at step %d: %+v", i+1, open)
			}
		}
		ids = append(ids, id)
	}
	if want := []string{"", "", "", "i4", "i4", "i4", "i4", "", "", ""}; !reflect.DeepEqual(ids, want) {
		t.Errorf("open by step: %q, want %q", ids, want)
	}
	if Open(h, []cua.Signal{{Shape: cua.ShapeStreak, Level: cua.NoteLevel}}) != nil {
		t.Error("a note opens an incident")
	}
	if got := Open(cua.History{}, []cua.Signal{{Shape: cua.ShapeStall, Level: cua.Soft}}); got == nil ||
		got.First != 1 {
		t.Errorf("before the first step: %+v", got)
	}
}
