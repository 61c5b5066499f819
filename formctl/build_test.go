package formctl

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// tb is what testing and rapid have in common.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

type gate interface {
	Name() string
	Review(t *cua.Turn, p cua.Proposal) cua.Ruling
}

// review asks g twice: the answer must be the same and the turn and proposal as they were.
func review(t tb, g gate, turn *cua.Turn, p cua.Proposal) cua.Ruling {
	t.Helper()
	before, first := snapshot(t, turn, p), g.Review(turn, p)
	if second := g.Review(turn, p); !reflect.DeepEqual(first, second) {
		t.Fatalf("%s answers twice differently: %+v, then %+v", g.Name(), first, second)
	}
	if snapshot(t, turn, p) != before {
		t.Fatalf("%s changed what it was shown", g.Name())
	}
	if first.Gate != g.Name() || first.Verdict != cua.Pass && (first.Reason == "" || first.Detail == "") {
		t.Fatalf("ruling of %s is incomplete: %+v", g.Name(), first)
	}
	return first
}

// snapshot is all of turn and proposal, the spare capacity of the steps included.
func snapshot(t tb, turn *cua.Turn, p cua.Proposal) string {
	t.Helper()
	c := *turn
	c.History.Steps = c.History.Steps[:cap(c.History.Steps)]
	b, err := json.Marshal(struct {
		T cua.Turn
		P cua.Proposal
	}{c, p})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// page is an observation of fields on one form page; its digest is over what they hold.
func page(fields ...cua.Field) cua.Observation {
	o := cua.Observation{URL: "https://shop.example/form", Document: "d1", Fields: fields}
	for _, f := range fields {
		o.FormDigest += f.ID + "=" + f.ValueDigest + f.Secret + f.Selected
		if f.Checked {
			o.FormDigest += "x"
		}
		o.FormDigest += ";"
		if f.Form != "" && o.FormOf(f.Form, f.Frame) == nil {
			o.Forms = append(o.Forms, cua.Form{ID: f.Form, Frame: f.Frame, Dialog: f.Dialog})
		}
	}
	return o
}

// marked is o with marks; the first submit control of each form is its default button.
func marked(o cua.Observation, marks ...cua.Mark) cua.Observation {
	o.Marks, o.Forms = marks, slices.Clone(o.Forms)
	for _, m := range marks {
		if f := o.FormOf(m.Form, m.Frame); m.Submit && f != nil && f.Default == nil {
			c := m.Control()
			f.Default = &c
		}
	}
	return o
}

// in is a text field known by its label.
func in(id, label string) cua.Field {
	return cua.Field{ID: id, Label: label, Name: label, Role: "textbox", Tag: "input", Type: "text",
		Form: "f", Editable: true, Empty: true}
}

func with(f cua.Field, change func(*cua.Field)) cua.Field {
	change(&f)
	return f
}

func typed(f cua.Field, kind string) cua.Field { f.Type = kind; return f }

// holding is f with value in it.
func holding(f cua.Field, value string) cua.Field {
	f.Empty, f.ValueDigest = value == "", cua.Digest(value)
	return f
}

// shows reports whether f holds value.
func shows(f cua.Field, value string) bool {
	w := want(cua.PlanValue{Label: "x", Value: value})
	return w.holds(&f)
}

func plan(pairs ...string) cua.Task {
	var t cua.Task
	for i := 0; i < len(pairs); i += 2 {
		t.Fields = append(t.Fields, cua.PlanValue{Label: pairs[i], Value: pairs[i+1]})
	}
	return t
}

// steps is a history of observations, each reached by a click that did whatever it did.
func steps(obs ...cua.Observation) cua.History {
	h := cua.History{Start: obs[0]}
	for i, o := range obs[1:] {
		a := cua.Action{Kind: cua.Click, Point: &cua.Point{X: 1, Y: 1}}
		h.Steps = append(h.Steps, cua.Step{N: i + 1, Proposed: a, Action: &a,
			Effect: &cua.Effect{}, After: o})
	}
	return h
}

func state(task cua.Task, h cua.History) *cua.FormState { return State(task, h, DefaultConfig()) }

func turn(task cua.Task, h cua.History) *cua.Turn {
	form := state(task, h)
	return &cua.Turn{Task: task, History: h, Now: h.Now(), Number: len(h.Steps) + 1, Form: form,
		Evidence: cua.EvidenceOf(h, form)}
}
