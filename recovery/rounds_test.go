package recovery

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// TestNoRoundTwice: a rung that led away to another page, from which the way led back past nothing new, is not
// used in the same state once more.
func TestNoRoundTwice(t *testing.T) {
	sign := mark(1, "Next", cua.Box{X: 300, Y: 400, W: 60, H: 20})
	miss := cua.Target{Role: "generic", Tag: "div", Point: at(375, 410)}
	here, there, third := page("s"), page("w"), page("x")
	there.URL, third.URL = "https://shop.example/elsewhere", "https://shop.example/third"
	to := func(o cua.Observation) cua.Observation { o.Marks = []cua.Mark{sign}; return o }
	press := cua.Action{Kind: cua.Click, Point: at(330, 410)}
	helped := func(s *story, o cua.Observation) {
		s.add(cua.Step{Proposed: click(miss), Action: &press, Target: miss, Effect: effect(true), After: to(o), RecoveryReason: cua.RetargetClick, Incident: "i1"})
	}
	back := func(s *story, o cua.Observation) {
		a := cua.Action{Kind: cua.Back}
		s.add(cua.Step{Proposed: a, Action: &a, Effect: effect(true), After: to(o)})
	}
	for _, c := range []struct {
		name string
		tell func(*story)
		want bool
	}{
		{"never used", func(*story) {}, true},
		{"there and back", func(s *story) { helped(s, there); back(s, here) }, false},
		{"there and back by the rung itself", func(s *story) { helped(s, there); helped(s, here) }, false},
		{"on the way back something new", func(s *story) { helped(s, there); back(s, third); back(s, here) }, true},
		{"something new since", func(s *story) { helped(s, there); back(s, here); back(s, third); back(s, here) }, true},
		{"another state of the page", func(s *story) { helped(s, there); o := page("t"); back(s, o) }, true},
		{"it changed and went back by itself", func(s *story) { helped(s, page("w")); back(s, here) }, true},
		{"what it led to had failed", func(s *story) { o := there; o.Status = 503; helped(s, o); back(s, here) }, true},
		{"the brain went there itself", func(s *story) { helped(s, there); s.h.Steps[0].RecoveryReason = ""; back(s, here) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := begin(to(here))
			c.tell(s)
			turn := s.clicks(4, miss).looping(cua.ShapeRepeat, cua.Soft, 4)
			if r := review(t, only(cua.RetargetClick), turn, proposal(miss)); (r.Verdict == cua.Replace) != c.want {
				t.Errorf("%+v", r)
			}
		})
	}
}
