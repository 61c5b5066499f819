package benchmarks_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// tale is a journal made by hand, step by step, on a page with a form.
type tale struct{ j *taleOf }

// taleOf holds what is told.
type taleOf struct{ *trajectories.Trajectory }

const talePage = "https://shop.example/form"

// textbox is a field of one line in form f; its place on the page is made of its name.
func textbox(label string) cua.Field {
	return cua.Field{ID: "box/" + label, Role: "textbox", Label: label, Tag: "input", Type: "text", Form: "f", Editable: true, Empty: true}
}

// sendButton is where no field is.
func sendButton() cua.Mark {
	return cua.Mark{N: 1, ID: "button/Send", Role: "button", Name: "Send", Tag: "button", Type: "submit", Submit: true, Form: "f", Box: cua.Box{X: 400, Y: 400, W: 80, H: 20}}
}

var sendTarget = cua.Target{ID: "button/Send", Role: "button", Name: "Send", Submit: true, Form: "f", Point: &cua.Point{X: 440, Y: 410}}

// begin is a tale in which nothing has happened yet. Its task wants the values, which are label and value by turns.
func begin(fields []cua.Field, values ...string) *tale {
	j := &taleOf{Trajectory: &trajectories.Trajectory{Header: trajectories.Header{Version: 1, Episode: "tale", Toggles: cua.AllOn(),
		Task: cua.Task{ID: "tale", Goal: "Fill in the form.", URL: talePage}}}}
	for i := 0; i < len(values); i += 2 {
		j.Header.Task.Fields = append(j.Header.Task.Fields, cua.PlanValue{Label: values[i], Value: values[i+1]})
	}
	j.Start = cua.Observation{URL: talePage, Document: "d1", Viewport: cua.Size{W: 1280, H: 800}, DOMDigest: "dom", Fields: fields, Marks: []cua.Mark{sendButton()}}
	for i := range j.Start.Fields {
		j.Start.Fields[i].Box = cua.Box{X: 100, Y: float64(100 + 40*i), W: 200, H: 30}
	}
	j.Start.FormDigest = digestOf(&j.Start)
	return &tale{j}
}

func digestOf(o *cua.Observation) string { return cua.Digest(fmt.Sprint(o.Fields)) }

// change is what a step does to the page.
type change func(o *cua.Observation)

// holding puts a value into a field; "" empties it.
func holding(label, value string) change {
	return func(o *cua.Observation) {
		for i := range o.Fields {
			f := &o.Fields[i]
			if f.Label != label {
				continue
			}
			f.ValueDigest, f.Secret, f.Empty = cua.Digest(value), cua.SecretName(value), value == ""
		}
	}
}

func dom(digest string) change { return func(o *cua.Observation) { o.DOMDigest = digest } }

func (t *tale) now() cua.Observation { return t.j.History().Now() }

// step adds s; what it changes makes its page and its effect.
func (t *tale) step(s cua.Step, changes ...change) *tale {
	before := t.now()
	after := before
	after.Fields, after.Writes = slices.Clone(before.Fields), nil
	for _, c := range changes {
		c(&after)
	}
	after.FormDigest = digestOf(&after)
	s.N, s.Decision, s.After = len(t.j.Steps)+1, len(t.j.Steps)+1, after
	if s.Action != nil {
		s.Effect = &cua.Effect{}
		for what, differ := range map[cua.Change]bool{cua.ChangeURL: before.URL != after.URL, cua.ChangeForm: before.FormDigest != after.FormDigest,
			cua.ChangeDOM: before.DOMDigest != after.DOMDigest, cua.ChangeWrite: after.Writes != nil} {
			if differ {
				s.Effect.Progress = append(s.Effect.Progress, what)
			}
		}
		slices.Sort(s.Effect.Progress)
	}
	t.j.Steps = append(t.j.Steps, s)
	return t
}

// brain does what the brain asks for.
func (t *tale) brain(a cua.Action, target cua.Target, changes ...change) *tale {
	return t.step(cua.Step{Proposed: a, Action: &a, Target: target, Rulings: passes("limits", "policy")}, changes...)
}

// gate puts a in the place of a click on the button.
func (t *tale) gate(gate, reason string, a cua.Action, changes ...change) *tale {
	s := cua.Step{Proposed: click(), Action: &a, Target: sendTarget,
		Rulings: append(passes("limits", "policy"), cua.Ruling{Gate: gate, Verdict: cua.Replace, Reason: reason, Action: &a, Detail: "because"})}
	if gate == "rescue" {
		s.RecoveryReason, s.Incident = cua.Reason(reason), "i1"
	}
	return t.step(s, changes...)
}

// ruled adds a step that a ruling kept from being dispatched.
func (t *tale) ruled(r cua.Ruling) *tale {
	s := cua.Step{Proposed: click(), Target: sendTarget, Rulings: append(passes("limits"), r)}
	switch {
	case r.Verdict == cua.Refuse:
		s.Failure = &cua.Failure{Kind: cua.FailPolicy, Detail: r.Detail}
	case r.Gate == "rescue":
		s.RecoveryReason = cua.Reason(r.Reason)
	}
	return t.step(s)
}

// clicks adds n clicks of the brain on the button, without effect.
func (t *tale) clicks(n int) *tale {
	for range n {
		t.brain(click(), sendTarget)
	}
	return t
}

// last edits the newest step.
func (t *tale) last(edit func(s *cua.Step)) *tale {
	edit(&t.j.Steps[len(t.j.Steps)-1])
	return t
}

func passes(gates ...string) []cua.Ruling {
	var out []cua.Ruling
	for _, g := range gates {
		out = append(out, cua.Ruling{Gate: g, Verdict: cua.Pass})
	}
	return out
}

func click() cua.Action { return cua.Action{Kind: cua.Click, Point: &cua.Point{X: 440, Y: 410}} }

func typing(label, value string) cua.Action {
	return cua.Action{Kind: cua.Type, Into: "box/" + label, Text: value, Clear: true}
}

func form() *tale {
	return begin([]cua.Field{textbox("Name"), textbox("Email")}, "Name", "ada", "Email", "ada@example.org")
}

// look adds n looks without effect.
func (t *tale) look(n int) *tale {
	for range n {
		t.brain(cua.Action{Kind: cua.Extract}, cua.Target{})
	}
	return t
}

func (t *tale) fill(label, value string, changes ...change) *tale {
	return t.gate("force_fill", "fill_pending_value", typing(label, value), changes...)
}

func returnKey(label string) cua.Action {
	return cua.Action{Kind: cua.Key, Keys: "Return", Into: "box/" + label}
}

func TestWrongInterventions(t *testing.T) {
	const enter = "press_return_for_submit"
	halt := cua.Ruling{Gate: "breaker", Verdict: cua.Halt, Reason: "hard_loop", End: cua.EndLoop}
	bare := func() *tale { return begin([]cua.Field{textbox("Name"), textbox("Email")}) }
	for _, row := range []struct {
		name string
		tale *tale
		want map[benchmarks.WrongKind]int
	}{
		{"nothing", form().clicks(5), nil},
		{"right values", form().fill("Name", "ada", holding("Name", "ada")).fill("Email", "ada@example.org", holding("Email", "ada@example.org")), nil},
		{"a value in another one's field", form().fill("Name", "ada@example.org", holding("Name", "ada@example.org")), map[benchmarks.WrongKind]int{benchmarks.WrongInField: 1}},
		{"a value that is there", form().fill("Name", "ada", holding("Name", "ada")).fill("Name", "ada"), map[benchmarks.WrongKind]int{benchmarks.WrongTwice: 1}},
		{"Return for a dead button", bare().clicks(2).gate("rescue", enter, returnKey("Email")), nil},
		{"Return for a button that nobody had pressed", bare().gate("rescue", enter, returnKey("Email")), map[benchmarks.WrongKind]int{benchmarks.WrongReturn: 1}},
		{"Return for a button that had worked", bare().brain(click(), sendTarget, dom("next")).gate("rescue", enter, returnKey("Email")), map[benchmarks.WrongKind]int{benchmarks.WrongReturn: 1}},
		{"Return twice", bare().clicks(2).gate("rescue", enter, returnKey("Email")).clicks(1).gate("rescue", enter, returnKey("Email")), map[benchmarks.WrongKind]int{benchmarks.WrongReturn: 1}},
		{"Return after the brain's own", bare().clicks(2).brain(returnKey("Email"), cua.Target{}).gate("rescue", enter, returnKey("Email")), map[benchmarks.WrongKind]int{benchmarks.WrongReturn: 1}},
		{"Return in a form that is half filled", form().fill("Name", "ada", holding("Name", "ada")).clicks(2).gate("rescue", enter, returnKey("Email")), map[benchmarks.WrongKind]int{benchmarks.WrongReturn: 1}},
		{"Return for a click into a field", bare().clicks(2).gate("rescue", enter, returnKey("Email")).last(func(s *cua.Step) { s.Target.Editable = true }), map[benchmarks.WrongKind]int{benchmarks.WrongReturn: 1}},
		{"Return for a click on nothing", bare().clicks(2).gate("rescue", enter, returnKey("Email")).last(func(s *cua.Step) { s.Target = cua.Target{Point: s.Target.Point} }), map[benchmarks.WrongKind]int{benchmarks.WrongReturn: 1}},
		{"Return for a click on nothing, to send the form, as the brain said", bare().clicks(2).gate("rescue", enter, returnKey("Email"), dom("sent")).
			last(func(s *cua.Step) { s.Target, s.Thought = cua.Target{Point: s.Target.Point}, "I press Send." }), nil},
		{"Tab is no Return", bare().gate("rescue", "tab_to_next_field", cua.Action{Kind: cua.Key, Keys: "Tab"}), nil},
		{"stopped on a dead page", bare().clicks(8).ruled(halt), nil},
		{"stopped while it reads what it came to", bare().brain(click(), sendTarget, dom("2")).look(1).brain(cua.Action{Kind: cua.Find, Text: "a"}, cua.Target{}).brain(cua.Action{Kind: cua.Find, Text: "b"}, cua.Target{}).ruled(halt), map[benchmarks.WrongKind]int{benchmarks.WrongStop: 1}},
		{"stopped while it reads the same for ever", bare().brain(click(), sendTarget, dom("2")).look(4).ruled(halt), nil},
		{"stopped when it has read the same twice more", bare().brain(click(), sendTarget, dom("2")).look(3).ruled(halt), map[benchmarks.WrongKind]int{benchmarks.WrongStop: 1}},
		{"stopped on a page that moves", bare().brain(click(), sendTarget, dom("2")).brain(click(), sendTarget, dom("3")).ruled(halt), map[benchmarks.WrongKind]int{benchmarks.WrongStop: 1}},
		{"stopped where a rewind had brought it back to", bare().brain(click(), sendTarget, dom("2")).brain(click(), sendTarget, dom("3")).
			step(cua.Step{Proposed: cua.Action{Kind: cua.Rewind, Step: 1}, Action: &cua.Action{Kind: cua.Rewind, Step: 1}, RewoundTo: 1}, dom("dom")).
			brain(click(), sendTarget, dom("2")).brain(click(), sendTarget, dom("3")).ruled(halt), nil},
		{"stopped after waiting for a page", bare().brain(click(), sendTarget, dom("2")).brain(cua.Action{Kind: cua.Wait, MS: 1}, cua.Target{}).
			brain(cua.Action{Kind: cua.Wait, MS: 1}, cua.Target{}).brain(cua.Action{Kind: cua.Wait, MS: 1}, cua.Target{}).ruled(halt), nil},
		{"stopped by a cap", bare().brain(click(), sendTarget, dom("2")).ruled(cua.Ruling{Gate: "limits", Verdict: cua.Halt}), nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := map[benchmarks.WrongKind]int{}
			all := benchmarks.WrongInterventions(row.tale.j.Trajectory)
			for _, w := range all {
				got[w.Kind]++
			}
			for _, k := range benchmarks.WrongKinds() {
				if got[k] != row.want[k] {
					t.Errorf("%s: %d, want %d (%+v)", k, got[k], row.want[k], all)
				}
			}
		})
	}
}
