package detector

import (
	"reflect"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// stuck presses a dead button n times, then lets the press of a substituted step change the page when helps
// says so, and goes on elsewhere.
func stuck(n int, substitute, helps bool) cua.History {
	s := newSim(newPage("https://a.test/"))
	d := Conditioned(DefaultConfig())
	usd := 0.01
	for range n {
		signals := d.Detect(s.h)
		step := s.do(click(400, 300), button("Go"), nil)
		step.Signals = signals
		step.Usage = cua.Usage{InputTokens: 90, OutputTokens: 10, USD: &usd}
		step.Timing.Act = 500
	}
	if substitute {
		signals := d.Detect(s.h)
		step := s.do(click(400, 300), button("Go"), func(p *page) {
			if helps {
				p.parts["main"] = "sent"
			}
		})
		step.Action = &cua.Action{Kind: cua.Key, Keys: "Return"}
		step.RecoveryReason, step.Signals = cua.PressReturnForSubmit, signals
		step.Rulings = []cua.Ruling{{Gate: "loop_recovery", Verdict: cua.Replace, Action: step.Action}}
	}
	for i := range 3 {
		signals := d.Detect(s.h)
		s.do(cua.Action{Kind: cua.Navigate, URL: "https://b.test/"}, cua.Target{}, func(p *page) {
			p.url = "https://b.test/" + string(rune('a'+i))
		}).Signals = signals
	}
	return s.h
}

func TestIncidentOutcome(t *testing.T) {
	rewound := stuck(6, false, false)
	rewound.Steps[5].RewoundTo = 2
	cut := func(h cua.History, n int) cua.History { return prefix(h, n) }
	asked := cut(stuck(6, false, false), 6)
	asked.Resumed = []cua.Resumption{{At: 5, Page: asked.Start, Fresh: true}}
	rows := []struct {
		name string
		h    cua.History
		end  cua.EndReason
		want cua.IncidentOutcome
	}{
		{"a substitution helped", stuck(4, true, true), cua.EndDone, cua.OutcomeRecovered},
		{"it helped in the last step", cut(stuck(4, true, true), 5), cua.EndEnvEnded, cua.OutcomeRecovered},
		{"a substitution did not, the brain did", stuck(4, true, false), cua.EndDone, cua.OutcomeSelfRecovered},
		{"the brain found its way", stuck(5, false, false), cua.EndDone, cua.OutcomeSelfRecovered},
		{"the breaker", cut(stuck(9, false, false), 9), cua.EndLoop, cua.OutcomeHalted},
		{"asked", cut(stuck(9, false, false), 9), cua.EndAsked, cua.OutcomeAsked},
		{"paused", cut(stuck(9, false, false), 9), cua.EndPaused, cua.OutcomeAsked},
		{"out of steps", cut(stuck(9, false, false), 9), cua.EndMaxSteps, cua.OutcomeEnded},
		{"going on", cut(stuck(9, false, false), 9), "", ""},
		{"rewound", rewound, cua.EndDone, cua.OutcomeRewound},
		{"asked, and somebody went on", asked, cua.EndDone, cua.OutcomeAsked},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := Incidents(row.h, Conditioned(DefaultConfig()), row.end)
			if len(got) != 1 || got[0].Outcome != row.want {
				t.Errorf("incidents %+v, want one that is %q", got, row.want)
			}
		})
	}
}

func TestIncidentPrice(t *testing.T) {
	h := stuck(6, true, true)
	want := []cua.Incident{{ID: "i4", Shapes: []cua.Shape{cua.ShapeRepeat, cua.ShapeDrift, cua.ShapeFrozen}, First: 4, Last: 7,
		Tried:  []cua.Attempt{{Step: 7, Reason: cua.PressReturnForSubmit, Effect: true}},
		Tokens: 300, USD: 0.03, Seconds: 1.5, Outcome: cua.OutcomeRecovered}}
	if got := Incidents(h, Conditioned(DefaultConfig()), cua.EndDone); !reflect.DeepEqual(got, want) {
		t.Errorf("computed %+v\nwant %+v", got, want)
	}
	if got := Incidents(h, nil, cua.EndDone); !reflect.DeepEqual(got, want) {
		t.Errorf("recorded %+v\nwant %+v", got, want)
	}
	if got := Incidents(cua.History{Start: h.Start}, nil, cua.EndDone); got != nil {
		t.Errorf("no steps: %+v", got)
	}
}

func TestIncidentsApart(t *testing.T) {
	s := newSim(newPage("https://a.test/"))
	for range 5 {
		s.do(click(400, 300), button("Go"), nil)
	}
	s.do(cua.Action{Kind: cua.Navigate, URL: "https://b.test/"}, cua.Target{}, func(p *page) { p.url = "https://b.test/" })
	for range 5 {
		s.do(click(10, 10), button("Other"), nil)
	}
	got := Incidents(s.h, Conditioned(DefaultConfig()), cua.EndMaxSteps)
	if len(got) != 2 || got[0].ID != "i4" || got[0].Last != 6 || got[1].ID != "i10" || got[1].Last != 11 {
		t.Errorf("incidents %+v, want steps 4 to 6 and 10 to 11", got)
	}
}

// TestOpenAgreesWithIncidents: what was open at a step is what the incident is called afterwards.
func TestOpenAgreesWithIncidents(t *testing.T) {
	h := stuck(6, true, true)
	d := Conditioned(DefaultConfig())
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
	if got := Open(cua.History{}, []cua.Signal{{Shape: cua.ShapeStall, Level: cua.Soft}}); got == nil || got.First != 1 {
		t.Errorf("before the first step: %+v", got)
	}
}
