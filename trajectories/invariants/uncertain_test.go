package invariants

import (
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

func TestUncertainSend(t *testing.T) {
	// cut interrupts the brain's click on the button where the tale is, and continues in a new session.
	cut := func(tale *tale, changes ...change) *tale {
		return tale.With(func(j *Journal) {
			h := j.History()
			now := h.Now()
			in := cua.IntentOf(&h, &cua.Step{N: len(j.Steps) + 1, Action: new(click()), Target: sendTarget})
			after := now
			after.Fields = slices.Clone(now.Fields)
			for _, c := range changes {
				c(&after)
			}
			j.Events = append(j.Events, trajectories.Event{Kind: trajectories.InterruptedEvent,
				Step: len(j.Steps), Intent: &in},
				trajectories.Event{Kind: trajectories.ResumeEvent, Step: len(j.Steps), After: &after})
		})
	}
	filled := func() *tale {
		return form().Brain(typing("Name", "ada"), cua.Target{},
			holding("Name", "ada"))
	}
	asked := func(tale *tale, kind trajectories.EventKind) *tale {
		return tale.Ruled(cua.Ruling{Gate: "policy", Verdict: cua.Halt, Reason: cua.UncertainSend,
			End: cua.EndAsked}).
			With(func(j *Journal) {
				now := j.History().Now()
				j.Events = append(j.Events, trajectories.Event{Kind: kind, Step: len(j.Steps), After: &now})
			})
	}
	nothing := func(o *cua.Observation) { o.Fields = nil }
	checkRows(t, "uncertain_send", []checkRow{
		{"sent again", cut(filled()).Clicks(1), []int{2}},
		{"the same press of what is no submit control", cut(filled()).With(func(j *Journal) {
			in := j.Events[len(j.Events)-2].Intent
			in.Target, in.Form = "tidy", ""
		}).Brain(click(), cua.Target{ID: "tidy", Role: "button", Name: "Tidy up"}), []int{2}},
		{"sent again by Return", cut(filled()).Brain(returnKey("Name"), cua.Target{}), []int{2}},
		{"sent again by a gate", cut(filled()).Gate("force_submit", "submit_filled_form", returnKey("Name")), []int{2}},
		{"sent again after a look", cut(filled()).Looks(1).Clicks(1), []int{3}},
		{"asked, and sent all the same", asked(cut(filled()), trajectories.ResumeEvent).Clicks(1), []int{3}},
		{"filled in again as it was", cut(filled(), holding("Name", "")).Brain(typing("Name", "ada"), cua.Target{}, holding("Name", "ada")).Clicks(1), []int{3}},
		{"not sent again", cut(filled()).Looks(2), nil},
		{"asked, and somebody went on", asked(cut(filled()), trajectories.ContinueEvent).Clicks(1), nil},
		{"other values", cut(filled()).Brain(typing("Name", "bob"), cua.Target{}, holding("Name", "bob")).Clicks(1), nil},
		{"answered by another page", cut(filled(), at(shopPage+"/thanks"), nothing).Brain(cua.Action{Kind: cua.Back}, cua.Target{}, at(shopPage)).Clicks(1), nil},
		{"sending twice is harmless", cut(filled()).Clicks(1).With(func(j *Journal) { j.Header.Task.Idempotent = true }), nil},
		{"nothing was interrupted", filled().Clicks(2), nil},
	})
}
