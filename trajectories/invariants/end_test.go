package invariants

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// told makes the records of a journal: header, start, the steps that have none yet, and then more.
func told(more ...trajectories.Record) func(j *Journal) {
	return func(j *Journal) {
		if j.Records == nil {
			j.Records = []*trajectories.Record{{Type: trajectories.HeaderRecord, Header: &j.Header},
				{Type: trajectories.StartRecord, Start: &j.Start}}
		}
		n := 0
		for _, r := range j.Records {
			if r.Type == trajectories.StepRecord {
				n++
			}
		}
		for i := range j.Steps[n:] {
			s := j.Steps[n+i]
			if s.Action != nil && !s.Action.Kind.Ends() {
				j.Records = append(j.Records, &trajectories.Record{Type: trajectories.IntentRecord,
					Intent: &cua.Intent{Number: s.N, Action: *s.Action}})
			}
			j.Records = append(j.Records, &trajectories.Record{Type: trajectories.StepRecord, Step: &s})
		}
		for i := range more {
			j.Records = append(j.Records, &more[i])
		}
	}
}

func TestEndAgrees(t *testing.T) {
	ended := func(why cua.EndReason, answer string, success bool) trajectories.Record {
		return trajectories.Record{Type: trajectories.EndRecord, End: &trajectories.End{Reason: why,
			Success: success, Answer: answer}}
	}
	event := func(k trajectories.EventKind) trajectories.Record {
		return trajectories.Record{Type: trajectories.EventRecord, Event: &trajectories.Event{Kind: k}}
	}
	paid := func(r trajectories.Record,
		reward float64) trajectories.Record {
		r.End.Reward = &reward
		return r
	}
	says := func(t *tale, success bool) *tale {
		return t.Brain(cua.Action{Kind: cua.Done, Text: "It is done.", Success: success}, cua.Target{})
	}
	done := func() *tale { return says(form().Clicks(2), true) }
	halted := func() *tale {
		return form().Clicks(2).Ruled(cua.Ruling{Gate: "breaker", Verdict: cua.Halt, Reason: "hard_loop",
			End: cua.EndLoop})
	}
	asks := func() *tale {
		return form().Clicks(1).Brain(cua.Action{Kind: cua.Ask, Text: "Which one?"}, cua.Target{})
	}
	fails := func(k cua.FailureKind) *tale {
		return form().Clicks(1).Last(func(s *cua.Step) { s.Failure = &cua.Failure{Kind: k} })
	}
	broke := func() *tale { return fails(cua.FailEnv) }
	capped := func(n int, t *tale) *tale {
		return t.With(func(j *Journal) { j.Header.Task.MaxSteps = n })
	}
	const answer = "It is done."
	checkRows(t, "end_agrees", []checkRow{
		{"no end yet", form().Clicks(3).With(told()), nil},
		{"done", done().With(told(ended(cua.EndDone, answer, true))), nil},
		{"done, and rewarded", done().With(told(paid(ended(cua.EndDone, answer, true), 1))), nil},
		{"done, and not rewarded", done().With(told(paid(ended(cua.EndDone, answer, false), 0.5))), nil},
		{"a success without its reward", done().With(told(paid(ended(cua.EndDone, answer, true), 0.5))), []int{3}},
		{"done without success", done().With(told(ended(cua.EndDone, answer, false))), []int{3}},
		{"another answer", done().With(told(ended(cua.EndDone, "Something else.", true))), []int{3}},
		{"done, and the end is a cap", done().With(told(ended(cua.EndMaxSteps, "", true))), []int{3}},
		{"done, and the end is another", done().With(told(ended(cua.EndLoop, "", false))), []int{3}},
		{"done, and the reward could not be asked for", done().With(told(ended(cua.EndEnvError, "", false))), nil},
		{"done failed", says(form(), false).With(told(ended(cua.EndDoneFailed, answer, false))), nil},
		{"done failed, and the end is a success", says(form(), false).With(told(ended(cua.EndDone, answer, true))), []int{1}},
		{"nobody said done", form().Clicks(2).With(told(ended(cua.EndDone, answer, true))), []int{2}},
		{"a question", asks().With(told(ended(cua.EndAsked, "Which one?", false))), nil},
		{"halted", halted().With(told(ended(cua.EndLoop, "", false))), nil},
		{"halted for something else", halted().With(told(ended(cua.EndSpiral, "", false))), []int{3}},
		{"nobody halted", form().Clicks(2).With(told(ended(cua.EndLoop, "", false))), []int{2}},
		{"the model refused", form().Clicks(1).Step(cua.Step{}).With(told(ended(cua.EndRefused, "", false))), nil},
		{"the model did not refuse", form().Clicks(1).With(told(ended(cua.EndRefused, "", false))), []int{1}},
		{"the browser broke", broke().With(told(ended(cua.EndEnvError, "", false))), nil},
		{"the browser broke, and the end is a success", broke().With(told(ended(cua.EndEnvEnded, "", false))), []int{1}},
		{"the page broke the episode", fails(cua.FailSite).With(told(ended(cua.EndSiteFault, "", false))), nil},
		{"the page broke the episode, and the end is a cap", fails(cua.FailSite).With(told(ended(cua.EndMaxWall, "", false))), []int{1}},
		{"a step after the page broke the episode", fails(cua.FailSite).Clicks(1).With(told()), []int{2}},
		{"a start page that is broken", form().With(told(ended(cua.EndSiteFault, "", false))), nil},
		{"the task ended itself", form().Clicks(1).With(told(paid(ended(cua.EndEnvEnded, "", true), 1))), nil},
		{"the task ended itself before a step", form().With(told(ended(cua.EndEnvEnded, "", false))), []int{0}},
		{"interrupted", form().Clicks(1).With(told(ended(cua.EndCancelled, "", false))), nil},
		{"interrupted before a step", form().With(told(ended(cua.EndCancelled, "", false))), nil},
		{"the cap", capped(2, form()).Clicks(2).With(told(ended(cua.EndMaxSteps, "", false))), nil},
		{"the cap, too early", capped(3, form()).Clicks(2).With(told(ended(cua.EndMaxSteps, "", false))), []int{2}},
		{"past the cap", capped(2, form()).Clicks(4).With(told()), []int{3}},
		{"past the cap of the config", form().With(configured(`{"recovery":{"limits":{"max_steps":2}}}`)).Clicks(3).With(told()), []int{3}},
		{"the task's cap before the config's", capped(3, form()).With(configured(`{"recovery":{"limits":{"max_steps":2}}}`)).Clicks(3).With(told()), nil},
		{"tokens that were not used", form().With(configured(`{"recovery":{"limits":{"max_tokens":9}}}`)).Clicks(1).With(told(ended(cua.EndMaxTokens, "", false))), []int{1}},
		{"tokens that were used", form().With(configured(`{"recovery":{"limits":{"max_tokens":9}}}`)).Clicks(1).Last(func(s *cua.Step) { s.Usage.InputTokens = 9 }).With(told(ended(cua.EndMaxTokens, "", false))), nil},
		{"a step after a halt", halted().Clicks(1).With(told()), []int{4}},
		{"a step after a done", done().Clicks(1).With(told()), []int{4}},
		{"a step after a done that was refused", form().Clicks(1).Ruled(cua.Ruling{Gate: "done", Verdict: cua.Refuse, Detail: "no"}).Clicks(1).With(told()), nil},
		{"a step after a halt in shadow", form().Clicks(1).Last(func(s *cua.Step) {
			s.Rulings = append(s.Rulings, cua.Ruling{Gate: "breaker", Verdict: cua.Halt, Shadow: true})
		}).Clicks(1).With(told()), nil},
		{"halted, killed before the end, and resumed", halted().With(told(event(trajectories.ResumeEvent))).Clicks(1).With(told()), nil},
		{"halted and continued", halted().With(told(ended(cua.EndLoop, "", false), event(trajectories.ContinueEvent))).Clicks(1).With(told()), nil},
		{"continued, and capped at once", capped(3, halted()).With(told(ended(cua.EndLoop, "", false), event(trajectories.ContinueEvent), ended(cua.EndMaxSteps, "", false))), nil},
		{"continued, and halted by nobody", halted().With(told(ended(cua.EndLoop, "", false), event(trajectories.ContinueEvent), ended(cua.EndLoop, "", false))), []int{3}},
		{"a pause is no resumption", halted().With(told(event(trajectories.PauseEvent))).Clicks(1).With(told()), []int{4}},
	})
}

func TestDoneTooEarly(t *testing.T) {
	finish := func(t *tale, text string) *tale {
		return t.Brain(cua.Action{Kind: cua.Done, Text: text, Success: true}, cua.Target{})
	}
	gated := func(values ...string) *tale {
		return begin([]cua.Field{textbox("Name"), textbox("When")},
			values...).With(func(j *Journal) { j.Header.Gates = []string{"limits", "policy", "done"} })
	}
	plan := func(t *tale) *tale {
		return t.With(func(j *Journal) {
			j.Header.Task.Plan = []cua.PlanStep{{Text: "thanked", URL: "/thanks", Title: "thank you"}}
		})
	}
	outputs := func(t *tale) *tale {
		return t.With(func(j *Journal) { j.Header.Task.OutputFields = []string{"order_number"} })
	}
	arrived := func(o *cua.Observation) { o.URL, o.Title = "https://shop.example/thanks", "Thank you!" }
	pending := func() *tale { return finish(gated("Name", "ada").Clicks(1), "Done.") }
	checkRows(t, "done_too_early", []checkRow{
		{"nothing is planned", finish(gated().Clicks(1), "Done."), nil},
		{"a value that is in the page", finish(gated("Name", "ada").Fill("Name", "ada", holding("Name", "ada")), "Done."), nil},
		{"a value that was there from the start", finish(gated("Name", "ada").With(func(j *Journal) { holding("Name", "ada")(&j.Start) }), "Done."), nil},
		{"a value that was there and was sent", finish(gated("Name", "ada").Fill("Name", "ada", holding("Name", "ada")).Clicks(1).Last(func(s *cua.Step) { s.After.Fields = nil }), "Done."), nil},
		{"another day", finish(gated("Day", "2 January 2026").Gate("force_fill", "fill_pending_value", typing("When", "2027-01-03"), holding("When", "x")), "Done."), []int{2}},
		{"a value that never was in the page", pending(), []int{2}},
		{"the same, where the gate is off", pending().With(func(j *Journal) { j.Header.Gates = []string{"limits", "policy"} }), nil},
		{"the same, where the gate is in shadow", pending().With(configured(`{"shadow":["done"]}`)), nil},
		{"the same, and failure is admitted", pending().Last(func(s *cua.Step) { s.Action.Success = false }), nil},
		{"the same, refused", pending().Last(func(s *cua.Step) { s.Action = nil }), nil},
		{"a blank answer", finish(gated().Clicks(1), " \n"), []int{2}},
		{"a plan that shows", finish(plan(gated()).Brain(click(), sendTarget, arrived), "Done."), nil},
		{"a plan that does not show", finish(plan(gated()).Clicks(1), "Done."), []int{2}},
		{"an answer that says what is asked for", finish(outputs(gated()), "Order number: 7"), nil},
		{"an answer that does not", finish(outputs(gated()), "Done."), []int{1}},
	})
}
