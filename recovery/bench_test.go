package recovery

import (
	"fmt"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// long is a turn after 200 steps on a page of 40 fields, none of which has the focus, and 60 parts, ten of
// them a clock each, with a hard repeat at the end: no gate can answer early.
func long() *cua.Turn {
	o := page("s")
	o.DOMParts = map[string]string{}
	for i := range 60 {
		o.DOMParts[fmt.Sprint("main/", i)] = "x"
	}
	for i := range 40 {
		o.Fields = append(o.Fields, textField(fmt.Sprint("f", i), fmt.Sprint("Label ", i)))
	}
	s := begin(o)
	for n := range 192 {
		to := button()
		to.Idle.Parts = []string{fmt.Sprint("main/", n%10)}
		next := o
		next.FormDigest = fmt.Sprint(n)
		a := click(to)
		s.add(cua.Step{Proposed: a, Action: &a, Target: to, Effect: effect(true), After: next})
	}
	s.clicks(8, button())
	s.h.Steps[195].Notes = []cua.Note{{From: NudgeName, Level: LastWarning}}
	t := s.looping(cua.ShapeRepeat, cua.Hard, 8)
	t.Form = &cua.FormState{Values: []cua.FormValue{value("Name", "Ada", "f1", true)}}
	t.Task = cua.Task{URL: "https://start.example/", Allow: []string{"shop.example", "bücher.example:8080"}}
	t.Evidence = cua.EvidenceOf(t.History, t.Form)
	return t
}

func BenchmarkGates(b *testing.B) {
	t, c := long(), DefaultConfig()
	for _, g := range []struct {
		gate gate
		p    cua.Proposal
		want cua.Verdict
	}{
		{Limits{LimitsConfig{MaxSteps: 1000, MaxWallMS: 1e9, MaxTokens: 1e9, MaxCostUSD: 1e3}}, proposal(button()), cua.Pass},
		{Breaker{Config: c.Breaker, Stop: StopRule{Grace: 3, Nudged: true}}, proposal(button()), cua.Halt},
		{Policy{Config: c.Policy}, cua.Proposal{Action: cua.Action{Kind: cua.Navigate, URL: "https://a.bücher.example:8080/"}}, cua.Pass},
		{Done{c.Done}, success("ok"), cua.Refuse},
		{whole(), proposal(button()), cua.Halt},
		{Director{c.Director}, proposal(button()), cua.Pass},
	} {
		b.Run(g.gate.Name(), func(b *testing.B) {
			if r := g.gate.Review(t, g.p); r.Verdict != g.want {
				b.Fatalf("the bench wants %s: %+v", g.want, r)
			}
			for b.Loop() {
				g.gate.Review(t, g.p)
			}
		})
	}
	b.Run("nudge", func(b *testing.B) {
		for b.Loop() {
			Nudge{Config: c.Nudge}.Advise(t)
		}
	})
}
