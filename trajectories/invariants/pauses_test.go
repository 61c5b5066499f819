package invariants

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// recorded makes the records of a journal, with others after the steps that they are named by.
func recorded(after map[int][]*trajectories.Record) func(j *Journal) {
	return func(j *Journal) {
		j.Records = []*trajectories.Record{{Type: trajectories.HeaderRecord, Header: &j.Header},
			{Type: trajectories.StartRecord, Start: &j.Start}}
		for i := range j.Steps {
			s := &j.Steps[i]
			if s.Action != nil && !s.Action.Kind.Ends() {
				j.Records = append(j.Records, &trajectories.Record{Type: trajectories.IntentRecord,
					Intent: &cua.Intent{Number: s.N, Action: *s.Action}})
			}
			j.Records = append(append(j.Records, &trajectories.Record{Type: trajectories.StepRecord,
				Step: s}), after[s.N]...)
		}
	}
}

func TestPauses(t *testing.T) {
	const attended, goesOn, halts, rewinds = `{"recovery":{"attended":true}}`, `{"recovery":{"on_spiral":"continue"}}`, `{"recovery":{"on_spiral":"halt"}}`, `{"recovery":{"on_spiral":"rewind"}}`
	pausing := cua.Ruling{Gate: "breaker", Verdict: cua.Pause, Reason: "hard_loop", End: cua.EndLoop}
	halting := pausing
	halting.Verdict = cua.Halt
	in := func(s *cua.Step) { s.Incident = "i1" }
	three := func(r cua.Ruling) *tale { return form().Clicks(2).Ruled(r).Last(in).Clicks(1) }
	ev := func(k trajectories.EventKind) *trajectories.Record {
		return &trajectories.Record{Type: trajectories.EventRecord,
			Event: &trajectories.Event{Kind: k, Reason: cua.EndLoop, Incident: "i1"}}
	}
	other := func(k trajectories.EventKind, reason cua.EndReason, id string) *trajectories.Record {
		return &trajectories.Record{Type: trajectories.EventRecord,
			Event: &trajectories.Event{Kind: k, Reason: reason, Incident: id}}
	}
	end := func(r cua.EndReason) *trajectories.Record {
		return &trajectories.Record{Type: trajectories.EndRecord, End: &trajectories.End{Reason: r}}
	}
	then := func(r cua.Ruling, config string, rs ...*trajectories.Record) *tale {
		return three(r).With(configured(config)).With(recorded(map[int][]*trajectories.Record{3: rs}))
	}
	last := func(config string, rs ...*trajectories.Record) *tale {
		return form().Clicks(2).Ruled(pausing).Last(in).With(configured(config)).With(recorded(
			map[int][]*trajectories.Record{3: rs}))
	}
	by := func(config string, rs ...*trajectories.Record) *tale {
		return form().Clicks(3).With(configured(config)).With(recorded(map[int][]*trajectories.Record{2: rs}))
	}
	person := func() *trajectories.Record {
		r := other(trajectories.PauseEvent, cua.EndPaused, "")
		r.Event.By = cua.Person
		return r
	}
	asked := func(rs ...*trajectories.Record) *tale {
		return form().Clicks(1).Brain(cua.Action{Kind: cua.Ask, Text: "which one?"}, cua.Target{}).
			With(configured(halts)).With(recorded(map[int][]*trajectories.Record{2: rs}))
	}
	checkRows(t, "pauses", []checkRow{
		{"a person chose to continue", then(pausing, attended, ev(trajectories.PauseEvent), ev(trajectories.ContinueEvent)), nil},
		{"a person took over", then(pausing, attended, ev(trajectories.PauseEvent), ev(trajectories.TakeoverEvent), ev(trajectories.ContinueEvent)), nil},
		{"the policy is to continue", then(pausing, goesOn, ev(trajectories.PauseEvent), ev(trajectories.ContinueEvent)), nil},
		{"it ended as paused", last(attended, ev(trajectories.PauseEvent), end(cua.EndLoop)), nil},
		{"it ended as paused and was resumed", then(pausing, attended, ev(trajectories.PauseEvent), end(cua.EndLoop), ev(trajectories.ContinueEvent)), nil},
		{"it was cut while paused, and a person was asked again", then(pausing, attended, ev(trajectories.PauseEvent), ev(trajectories.ResumeEvent), ev(trajectories.ContinueEvent)), nil},
		{"it was cut while paused, and nobody was asked again", then(pausing, attended, ev(trajectories.PauseEvent), ev(trajectories.ResumeEvent)), []int{4}},
		{"a person paused it", by(halts, person(), other(trajectories.ContinueEvent, cua.EndPaused, "")), nil},
		{"a person paused it and took over", by(halts, person(), other(trajectories.TakeoverEvent, cua.EndPaused, ""), other(trajectories.ContinueEvent, cua.EndPaused, "")), nil},
		{"a person paused it, and it went on by itself", by(halts, person()), []int{3}},
		{"nobody paused it", by(halts, other(trajectories.PauseEvent, cua.EndPaused, ""), other(trajectories.ContinueEvent, cua.EndPaused, "")), []int{2, 2}},
		{"a question was answered", asked(other(trajectories.PauseEvent, cua.EndAsked, ""), other(trajectories.AnswerEvent, cua.EndAsked, "")), nil},
		{"a question was not answered", asked(other(trajectories.PauseEvent, cua.EndAsked, ""), end(cua.EndAsked)), nil},
		{"an answer to a loop", then(pausing, attended, ev(trajectories.PauseEvent), ev(trajectories.AnswerEvent)), []int{3}},
		{"an answer to nothing", by(attended, other(trajectories.AnswerEvent, cua.EndAsked, "")), []int{2}},
		{"a fault while it was paused", last(attended, ev(trajectories.PauseEvent), end(cua.EndEnvError)), nil},
		{"it halted", form().Clicks(2).Ruled(halting).With(configured(halts)).With(recorded(map[int][]*trajectories.Record{3: {end(cua.EndLoop)}})), nil},
		{"a pause that no gate ruled", form().Clicks(2).With(configured(attended)).With(recorded(map[int][]*trajectories.Record{2: {ev(trajectories.PauseEvent), ev(trajectories.ContinueEvent)}})), []int{2}},
		{"a pause before any step", form().Clicks(1).With(configured(attended)).With(func(j *Journal) {
			j.Records = append(j.Records, &trajectories.Record{Type: trajectories.HeaderRecord,
				Header: &j.Header}, ev(trajectories.PauseEvent))
		}), []int{0}},
		{"for another reason", then(pausing, attended, other(trajectories.PauseEvent, cua.EndSpiral, "i1"), other(trajectories.ContinueEvent, cua.EndSpiral, "i1")), []int{3}},
		{"in another incident", then(pausing, attended, other(trajectories.PauseEvent, cua.EndLoop, "i2"), other(trajectories.ContinueEvent, cua.EndLoop, "i2")), []int{3}},
		{"it went on after something else", then(pausing, attended, ev(trajectories.PauseEvent), other(trajectories.ContinueEvent, cua.EndLoop, "i2")), []int{3}},
		{"nobody could be asked", then(pausing, halts, ev(trajectories.PauseEvent), ev(trajectories.ContinueEvent)), []int{3, 3}},
		{"nobody was asked, and somebody took over", then(pausing, goesOn, ev(trajectories.PauseEvent), ev(trajectories.TakeoverEvent), ev(trajectories.ContinueEvent)), []int{3}},
		{"a takeover without a pause", form().Clicks(2).With(configured(attended)).With(recorded(map[int][]*trajectories.Record{1: {ev(trajectories.TakeoverEvent)}})), []int{1}},
		{"it went on where nothing had stopped", form().Clicks(2).With(configured(attended)).With(recorded(map[int][]*trajectories.Record{1: {ev(trajectories.ContinueEvent)}})), []int{1}},
		{"a step while it was paused", then(pausing, attended, ev(trajectories.PauseEvent)), []int{4}},
		{"it ended otherwise than it paused", last(attended, ev(trajectories.PauseEvent), end(cua.EndSpiral)), []int{3}},
		{"it ended where it was to go on", last(goesOn, ev(trajectories.PauseEvent), end(cua.EndLoop)), []int{3}},
		{"it halted where somebody could be asked", form().Clicks(2).Ruled(halting).With(configured(attended)).With(recorded(nil)), []int{3}},
	})
}

func TestRewindsCapped(t *testing.T) {
	back := cua.Action{Kind: cua.Rewind, Step: 1}
	backs := func(n int, edit func(*cua.Step)) *tale {
		f := form().Clicks(1).With(configured(`{"recovery":{"rescue":{"rewinds":2}}}`))
		for range n {
			f.Brain(back, cua.Target{}).Last(edit)
		}
		return f
	}
	checkRows(t, "rewinds_capped", []checkRow{
		{"outside of incidents", backs(9, func(*cua.Step) {}), nil},
		{"two in an incident", backs(2, func(s *cua.Step) { s.Incident = "i2" }), nil},
		{"three in an incident", backs(3, func(s *cua.Step) { s.Incident = "i2" }), []int{4}},
		{"a person's", backs(9, func(s *cua.Step) { s.By, s.Incident = cua.Person, "i2" }), nil},
		{"somebody went on between", backs(4, func(s *cua.Step) { s.Incident = "i2" }).With(func(j *Journal) { j.Events = []trajectories.Event{{Kind: trajectories.ContinueEvent, Step: 3}} }), nil},
		{"a journal older than a cap", backs(9, func(s *cua.Step) { s.Incident = "i2" }).With(configured(`{}`)), nil},
	})
}
