package trajectories

import (
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestThePauseCard(t *testing.T) {
	j := begin([]cua.Field{textbox("Name"), textbox("Email")}).Clicks(2).Ruled(cua.Ruling{Gate: "breaker",
		Verdict: cua.Pause, Reason: "hard_loop", End: cua.EndSpiral}).Last(func(s *cua.Step) {
		s.Incident, s.Target.Name = "i2", "Send\x1b[2J\nnow"
	}).J
	incidents := []cua.Incident{{ID: "i2", First: 2, Last: 3, Shapes: []cua.Shape{cua.ShapeSpiral},
		Tokens: 1200, Seconds: 4,
		Tried: []cua.Attempt{{Step: 2, Reason: cua.TabToNextField}}}}
	if _, ok := PauseCardOf(j, incidents); ok {
		t.Error("an episode that is under way has a card")
	}
	j.Events = []Event{{Kind: PauseEvent, Step: 3, Reason: cua.EndSpiral, Incident: "i2",
		Detail: "round and round"}}
	c, ok := PauseCardOf(j, incidents)
	if !ok || c.Ended || c.Reason != cua.EndSpiral || c.Incident == nil || c.Incident.ID != "i2" ||
		len(c.Asked) != 2 {
		t.Fatalf("%t %+v", ok, c)
	}
	want := []PauseChoice{{Kind: ChooseContinue}, {Kind: ChooseStop}} // nothing to go back to, and no window
	if len(c.Choices) != 2 || c.Choices[0].Kind != want[0].Kind || c.Choices[1].Kind != want[1].Kind {
		t.Errorf("the choices are %+v", c.Choices)
	}
	if want := []string{"click 440,410 (Send)", "click 440,410 (Send\x1b[2J\nnow)"}; !slices.Equal(c.Asked,
		want) {
		t.Errorf("asked for %q, want %q", c.Asked, want)
	}
	j.Events = append(j.Events, Event{Kind: ContinueEvent, Step: 3})
	if _, ok := PauseCardOf(j, incidents); ok {
		t.Error("it has gone on and still has a card")
	}
	for _, r := range cua.EndReasons() {
		end := End{Reason: r}
		j.End = &end
		_, ok := PauseCardOf(j, incidents)
		if want := r.CanContinue() && !r.Infrastructure() && r != cua.EndCancelled; ok != want {
			t.Errorf("ended as %s: a card %t", r, ok)
		}
	}
}
