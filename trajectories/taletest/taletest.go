// Package taletest builds journals for tests: tales, which are told step by step on a page with one form, and
// copies of the golden episode. Only tests import it.
package taletest

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Page is the address at which each tale starts.
const Page = "https://shop.example/form"

// SendTarget is what a click on the button of SendButton is aimed at.
var SendTarget = cua.Target{ID: "button/Send", Role: "button", Name: "Send", Text: "Send", Submit: true,
	Form: "f", Point: &cua.Point{X: 440, Y: 410}}

// Told is what a tale is told into. It records the steps in order.
type Told interface{ History() cua.History }

// Tale is a journal of type J that is made step by step. Each method returns the tale itself.
type Tale[J Told] struct {
	J     J
	steps *[]cua.Step
}

// Begin returns a tale without steps. task, start and steps are those of j, and Begin sets the first two. The
// values are pairs of label and value that the task plans.
func Begin[J Told](j J, task *cua.Task, start *cua.Observation, steps *[]cua.Step, fields []cua.Field,
	values ...string) *Tale[J] {
	*task = cua.Task{ID: "tale", Goal: "Fill in the form.", URL: Page}
	for i := 0; i < len(values); i += 2 {
		task.Fields = append(task.Fields, cua.PlanValue{Label: values[i], Value: values[i+1]})
	}
	send := SendButton()
	*start = cua.Observation{URL: Page, Document: "d1", Viewport: cua.Size{W: 1280, H: 800}, DOMDigest: "dom",
		Fields: fields, Marks: []cua.Mark{send}, Forms: []cua.Form{{ID: "f", Default: new(send.Control())}}}
	for i := range fields {
		fields[i].Box = cua.Box{X: 100, Y: float64(100 + 40*i), W: 200, H: 30}
	}
	start.FormDigest = digestOf(start)
	return &Tale[J]{J: j, steps: steps}
}

func digestOf(o *cua.Observation) string { return cua.Digest(fmt.Sprint(o.Fields)) }

// With edits the journal.
func (t *Tale[J]) With(edit func(j J)) *Tale[J] {
	edit(t.J)
	return t
}

// Step adds s. Its number, its page after and its effect are set from the changes.
func (t *Tale[J]) Step(s cua.Step, changes ...Change) *Tale[J] {
	before := t.J.History().Now()
	after := before
	after.Fields, after.Writes = slices.Clone(before.Fields), nil
	for _, c := range changes {
		c(&after)
	}
	after.FormDigest = digestOf(&after)
	n := len(*t.steps) + 1
	s.N, s.Decision, s.After = n, n, after
	if s.Action != nil {
		s.Effect = effect(&before, &after)
	}
	*t.steps = append(*t.steps, s)
	return t
}

// effect is what differs between two pages, as the verifier would say it.
func effect(before, after *cua.Observation) *cua.Effect {
	out := &cua.Effect{}
	for what, differ := range map[cua.Change]bool{
		cua.ChangeURL: before.URL != after.URL, cua.ChangeForm: before.FormDigest != after.FormDigest,
		cua.ChangeDOM: before.DOMDigest != after.DOMDigest, cua.ChangeWrite: after.Writes != nil,
	} {
		if differ {
			out.Progress = append(out.Progress, what)
		}
	}
	slices.Sort(out.Progress)
	return out
}

// Brain adds a step that dispatches what the brain asks for.
func (t *Tale[J]) Brain(a cua.Action, target cua.Target, changes ...Change) *Tale[J] {
	rulings := Passes("limits", "policy")
	return t.Step(cua.Step{Proposed: a, Action: &a, Target: target, Rulings: rulings}, changes...)
}

// Clicks adds n clicks of the brain on the button, without effect.
func (t *Tale[J]) Clicks(n int) *Tale[J] {
	for range n {
		t.Brain(Click(), SendTarget)
	}
	return t
}

// Looks adds n steps in which the brain reads the page, without effect.
func (t *Tale[J]) Looks(n int) *Tale[J] {
	for range n {
		t.Brain(cua.Action{Kind: cua.Extract}, cua.Target{})
	}
	return t
}

// Gate adds a step in which a gate puts a in the place of a click on the button.
func (t *Tale[J]) Gate(gate, reason string, a cua.Action, changes ...Change) *Tale[J] {
	r := cua.Ruling{Gate: gate, Verdict: cua.Replace, Reason: reason, Action: &a, Detail: "because"}
	s := cua.Step{Proposed: Click(), Action: &a, Target: SendTarget}
	s.Rulings = append(Passes("limits", "policy"), r)
	if gate == "rescue" {
		s.RecoveryReason, s.Incident = cua.Reason(reason), "i1"
	}
	return t.Step(s, changes...)
}

// Fill adds a step in which force_fill types value into the field with that label.
func (t *Tale[J]) Fill(label, value string, changes ...Change) *Tale[J] {
	return t.Gate("force_fill", "fill_pending_value", Typing(label, value), changes...)
}

// Ruled adds a click on the button that r keeps from being dispatched.
func (t *Tale[J]) Ruled(r cua.Ruling) *Tale[J] {
	s := cua.Step{Proposed: Click(), Target: SendTarget, Rulings: append(Passes("limits"), r)}
	switch {
	case r.Verdict == cua.Refuse:
		s.Failure = &cua.Failure{Kind: cua.FailPolicy, Detail: r.Detail}
	case r.Gate == "rescue":
		s.RecoveryReason = cua.Reason(r.Reason)
	}
	return t.Step(s)
}

// Last edits the newest step.
func (t *Tale[J]) Last(edit func(s *cua.Step)) *Tale[J] {
	edit(&(*t.steps)[len(*t.steps)-1])
	return t
}
