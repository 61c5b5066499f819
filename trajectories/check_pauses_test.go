package trajectories

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// recorded are the records of the tale's steps, with others after the steps that they are named by.
func (t *tale) recorded(after map[int][]*Record) *tale {
	return t.set(func(j *Journal) {
		j.Records = []*Record{{Type: HeaderRecord, Header: &j.Header}, {Type: StartRecord, Start: &j.Start}}
		for i := range j.Steps {
			s := &j.Steps[i]
			if s.Action != nil && !s.Action.Kind.Ends() {
				j.Records = append(j.Records, &Record{Type: IntentRecord, Intent: &Intent{Number: s.N, Action: *s.Action}})
			}
			j.Records = append(append(j.Records, &Record{Type: StepRecord, Step: s}), after[s.N]...)
		}
	})
}

func TestPauses(t *testing.T) {
	const attended, goesOn, halts, rewinds = `{"recovery":{"attended":true}}`, `{"recovery":{"on_spiral":"continue"}}`, `{"recovery":{"on_spiral":"halt"}}`, `{"recovery":{"on_spiral":"rewind"}}`
	pausing := cua.Ruling{Gate: "breaker", Verdict: cua.Pause, Reason: "hard_loop", End: cua.EndLoop}
	halting := pausing
	halting.Verdict = cua.Halt
	in := func(s *cua.Step) { s.Incident = "i1" }
	three := func(r cua.Ruling) *tale { return form().clicks(2).ruled(r).last(in).clicks(1) }
	ev := func(k EventKind) *Record {
		return &Record{Type: EventRecord, Event: &Event{Kind: k, Reason: cua.EndLoop, Incident: "i1"}}
	}
	other := func(k EventKind, reason cua.EndReason, id string) *Record {
		return &Record{Type: EventRecord, Event: &Event{Kind: k, Reason: reason, Incident: id}}
	}
	end := func(r cua.EndReason) *Record { return &Record{Type: EndRecord, End: &End{Reason: r}} }
	then := func(r cua.Ruling, config string, rs ...*Record) *tale {
		return three(r).config(config).recorded(map[int][]*Record{3: rs})
	}
	last := func(config string, rs ...*Record) *tale {
		return form().clicks(2).ruled(pausing).last(in).config(config).recorded(map[int][]*Record{3: rs})
	}
	back := cua.Action{Kind: cua.Rewind, Step: 1}
	backs := func(config string, n int, rs ...*Record) *tale {
		f := form().clicks(2)
		for range n {
			f.gate("breaker", "on_spiral_rewind", back)
		}
		return f.config(config).recorded(map[int][]*Record{3: rs})
	}
	checkRows(t, "pauses", []checkRow{
		{"a person chose to continue", then(pausing, attended, ev(PauseEvent), ev(ContinueEvent)), nil},
		{"a person took over", then(pausing, attended, ev(PauseEvent), ev(TakeoverEvent), ev(ContinueEvent)), nil},
		{"the policy is to continue", then(pausing, goesOn, ev(PauseEvent), ev(ContinueEvent)), nil},
		{"it ended as paused", last(attended, ev(PauseEvent), end(cua.EndLoop)), nil},
		{"it ended as paused and was resumed", then(pausing, attended, ev(PauseEvent), end(cua.EndLoop), ev(ContinueEvent)), nil},
		{"it was cut while paused", then(pausing, attended, ev(PauseEvent), ev(ResumeEvent)), nil},
		{"a fault while it was paused", last(attended, ev(PauseEvent), end(cua.EndEnvError)), nil},
		{"it halted", form().clicks(2).ruled(halting).config(halts).recorded(map[int][]*Record{3: {end(cua.EndLoop)}}), nil},
		{"the policy went back once", backs(rewinds, 1), nil},
		{"a pause that no gate ruled", form().clicks(2).config(attended).recorded(map[int][]*Record{2: {ev(PauseEvent), ev(ContinueEvent)}}), []int{2}},
		{"a pause before any step", form().clicks(1).config(attended).set(func(j *Journal) {
			j.Records = append(j.Records, &Record{Type: HeaderRecord, Header: &j.Header}, ev(PauseEvent))
		}), []int{0}},
		{"for another reason", then(pausing, attended, other(PauseEvent, cua.EndSpiral, "i1"), other(ContinueEvent, cua.EndSpiral, "i1")), []int{3}},
		{"in another incident", then(pausing, attended, other(PauseEvent, cua.EndLoop, "i2"), other(ContinueEvent, cua.EndLoop, "i2")), []int{3}},
		{"it went on after something else", then(pausing, attended, ev(PauseEvent), other(ContinueEvent, cua.EndLoop, "i2")), []int{3}},
		{"nobody could be asked", then(pausing, halts, ev(PauseEvent), ev(ContinueEvent)), []int{3, 3}},
		{"nobody was asked, and somebody took over", then(pausing, goesOn, ev(PauseEvent), ev(TakeoverEvent), ev(ContinueEvent)), []int{3}},
		{"a takeover without a pause", form().clicks(2).config(attended).recorded(map[int][]*Record{1: {ev(TakeoverEvent)}}), []int{1}},
		{"it went on where nothing had stopped", form().clicks(2).config(attended).recorded(map[int][]*Record{1: {ev(ContinueEvent)}}), []int{1}},
		{"a step while it was paused", then(pausing, attended, ev(PauseEvent)), []int{4}},
		{"it ended otherwise than it paused", last(attended, ev(PauseEvent), end(cua.EndSpiral)), []int{3}},
		{"it ended where it was to go on", last(goesOn, ev(PauseEvent), end(cua.EndLoop)), []int{3}},
		{"it halted where somebody could be asked", form().clicks(2).ruled(halting).config(attended).recorded(nil), []int{3}},
		{"the policy went back twice", backs(rewinds, 2), []int{4}},
		{"it went back where the policy is to halt", backs(halts, 1), []int{3}},
		{"it went back where somebody could be asked", backs(attended, 1), []int{3}},
	})
}

func TestThePauseCard(t *testing.T) {
	j := form().clicks(2).ruled(cua.Ruling{Gate: "breaker", Verdict: cua.Pause, Reason: "hard_loop", End: cua.EndSpiral}).last(func(s *cua.Step) {
		s.Incident, s.Target.Name = "i2", "Send\x1b[2J\nnow"
	}).j
	incidents := []cua.Incident{{ID: "i2", First: 2, Last: 3, Shapes: []cua.Shape{cua.ShapeSpiral}, Tokens: 1200, Seconds: 4,
		Tried: []cua.Attempt{{Step: 2, Reason: cua.TabToNextField}}}}
	if _, ok := PauseCardOf(j.Trajectory, incidents); ok {
		t.Error("an episode that is under way has a card")
	}
	j.Events = []Event{{Kind: PauseEvent, Step: 3, Reason: cua.EndSpiral, Incident: "i2", Detail: "round and round"}}
	c, ok := PauseCardOf(j.Trajectory, incidents)
	if !ok || c.Ended || c.Reason != cua.EndSpiral || c.Incident == nil || c.Incident.ID != "i2" || len(c.Asked) != 2 {
		t.Fatalf("%t %+v", ok, c)
	}
	want := []PauseChoice{{Kind: ChooseContinue}, {Kind: ChooseStop}} // nothing to go back to, and no window
	if len(c.Choices) != 2 || c.Choices[0].Kind != want[0].Kind || c.Choices[1].Kind != want[1].Kind {
		t.Errorf("the choices are %+v", c.Choices)
	}
	all := ""
	for _, l := range c.Lines() {
		all += l + "\n"
		for _, r := range l {
			if r < ' ' {
				t.Errorf("%q would move the cursor", l)
			}
		}
	}
	for _, part := range []string{"stuck after step 3 (spiral): round and round", "tab_to_next_field at 2 → no effect", "cost so far: 2 steps, 1,200 tokens"} {
		if !strings.Contains(all, part) {
			t.Errorf("no %q in\n%s", part, all)
		}
	}
	j.Events = append(j.Events, Event{Kind: ContinueEvent, Step: 3})
	if _, ok := PauseCardOf(j.Trajectory, incidents); ok {
		t.Error("it has gone on and still has a card")
	}
	for _, r := range cua.EndReasons() {
		end := End{Reason: r}
		j.End = &end
		_, ok := PauseCardOf(j.Trajectory, incidents)
		if want := r.CanContinue() && !r.Infrastructure() && r != cua.EndCancelled; ok != want {
			t.Errorf("ended as %s: a card %t", r, ok)
		}
	}
}

func TestRewindsCapped(t *testing.T) {
	back := cua.Action{Kind: cua.Rewind, Step: 1}
	backs := func(n int, edit func(*cua.Step)) *tale {
		f := form().clicks(1).config(`{"recovery":{"ladder":{"rewinds":2},"policy":{"rewinds":3}}}`)
		for range n {
			f.brain(back, cua.Target{}).last(edit)
		}
		return f
	}
	checkRows(t, "rewinds_capped", []checkRow{
		{"three outside of incidents", backs(3, func(*cua.Step) {}), nil},
		{"four", backs(4, func(*cua.Step) {}), []int{5}},
		{"two in an incident", backs(2, func(s *cua.Step) { s.Incident = "i2" }), nil},
		{"three in an incident", backs(3, func(s *cua.Step) { s.Incident = "i2" }), []int{4}},
		{"a person's", backs(9, func(s *cua.Step) { s.By = cua.Person }), nil},
		{"somebody went on between", backs(4, func(*cua.Step) {}).set(func(j *Journal) { j.Events = []Event{{Kind: ContinueEvent, Step: 3}} }), nil},
		{"a journal of before there was a cap", backs(9, func(*cua.Step) {}).config(`{}`), nil},
	})
}
