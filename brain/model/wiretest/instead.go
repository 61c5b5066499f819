package wiretest

import (
	"reflect"
	"testing"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// Substitute is one action that our gates do instead of what a model asked for.
type Substitute struct {
	Name   string
	Action cua.Action
}

// View is the viewport of Swapped, and Field is the centre of its only field.
var (
	View  = cua.Size{W: 1280, H: 800}
	Field = cua.Point{X: 640, Y: 400}
)

// Substitutes are the substitutes that a model could have called itself.
func Substitutes() []Substitute {
	return []Substitute{
		{"a value over what a field holds", cua.Action{Kind: cua.Type, Into: "field", Text: `<secret:PASSWORD> & "x" it's ü`, Clear: true}},
		{"Tab", cua.Action{Kind: cua.Key, Keys: "Tab"}},
		{"Return in a field", cua.Action{Kind: cua.Key, Keys: "Return", Into: "field"}},
		{"Escape", cua.Action{Kind: cua.Key, Keys: "Escape"}},
		{"a press", cua.Action{Kind: cua.Click, Point: &Field}},
		{"a scroll", cua.Action{Kind: cua.Scroll, DY: 400, Point: &Field}},
	}
}

// Swapped is the outcome of a call that was replaced by a, and the turn that reports it.
func Swapped(a cua.Action) (model.Outcome, *cua.Turn) {
	page := cua.Observation{URL: "https://a.test/", Viewport: View,
		Fields: []cua.Field{{ID: "field", Editable: true, Box: cua.Box{X: Field.X - 50, Y: Field.Y - 10,
			W: 100, H: 20}}}}
	s := cua.Step{N: 1, Proposed: cua.Action{Kind: cua.Hover, Point: &Field}, Action: &a,
		Feedback: "instead of hover: something else", Rulings: []cua.Ruling{{Gate: "loop_recovery",
			Verdict: cua.Replace, Action: &a}}}
	t := &cua.Turn{Number: 2, Now: page, History: cua.History{Start: page, Steps: []cua.Step{s}}}
	return model.Outcome{Call: model.Call{ID: "c1", Name: "move"}, Fate: model.Substituted,
		Steps: []cua.Step{s}, Text: "Not done as asked."}, t
}

// SameActions checks that a wire parses its own expression of a into the same actions, with points within
// 1 px.
func SameActions(t testing.TB, a cua.Action, got []cua.Action) {
	t.Helper()
	o, turn := Swapped(a)
	done := o.Instead(turn)
	if done == nil {
		t.Fatal("nothing was done")
	}
	var flat []cua.Action
	for _, g := range got {
		flat = append(flat, model.Plain(g)...)
	}
	want := model.Plain(*done)
	if len(flat) != len(want) {
		t.Fatalf("read as %+v, want %+v", flat, want)
	}
	for i := range want {
		if near(flat[i].Point, want[i].Point) {
			flat[i].Point = want[i].Point
		}
		if !reflect.DeepEqual(flat[i], want[i]) {
			t.Errorf("call %d is read as %+v, want %+v", i+1, flat[i], want[i])
		}
	}
}

func near(a, b *cua.Point) bool {
	return a != nil && b != nil && a.X-b.X <= 1 && b.X-a.X <= 1 && a.Y-b.Y <= 1 && b.Y-a.Y <= 1
}
