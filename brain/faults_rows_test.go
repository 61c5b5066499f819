package brain

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// faultRow is a turn, what the brain says in it, and what the faulty one says at rate 1.
type faultRow struct {
	name string
	turn *cua.Turn
	said cua.Action
	want cua.Action // the zero Action: as it was said
}

func checkRows(t *testing.T, spec string, rows []faultRow) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			said := cua.Decision{Action: row.said, Thought: "as planned", By: "b",
				Usage: cua.Usage{InputTokens: 3}}
			d, err := faulty(t, always{said}, 1, spec, "nudge_obedience=1").Decide(context.Background(),
				row.turn)
			want := row.want
			if reflect.DeepEqual(want, cua.Action{}) {
				want = row.said
			}
			if err != nil || !reflect.DeepEqual(d.Action, want) || d.By != "b" || d.Usage.InputTokens != 3 ||
				d.Failure != nil {
				t.Errorf("got %s, %v; want %s", shown(d.Action), err, shown(want))
			}
		})
	}
}

// shown is an action with its points read.
func shown(a cua.Action) string {
	p, q := a.Point, a.To
	a.Point, a.To = nil, nil
	return spell(a, p, q)
}

func at(x, y float64) *cua.Point { return &cua.Point{X: x, Y: y} }

func click(x, y float64) cua.Action { return cua.Action{Kind: cua.Click, Point: at(x, y)} }

// did is a turn after one step on o: what was done, to what, and that it had an effect.
func did(o cua.Observation, a cua.Action, target cua.Target, then cua.Observation,
	change func(*cua.Step)) *cua.Turn {
	turn := after(now("x", o), a, target, then, &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}})
	if change != nil {
		change(&turn.History.Steps[len(turn.History.Steps)-1])
	}
	return turn
}

var nudged = []cua.Note{{From: "nudge", Level: 1}}

func TestReturnSubmitter(t *testing.T) {
	name, city := text("Name", 100), text("City", 200)
	name.Tag, city.Tag = "input", "input"
	filled := name
	filled.Empty = false
	area := filled
	area.Tag = "textarea"
	send := cua.Mark{N: 3, ID: "Send", Role: "button", Name: "Send",
		Box: cua.Box{X: 100, Y: 300, W: 100, H: 30}}
	help := cua.Mark{N: 4, ID: "Help", Role: "button", Name: "Help",
		Box: cua.Box{X: 100, Y: 400, W: 100, H: 30}}
	in := func(focus *cua.Field) *cua.Turn {
		return now("x", cua.Observation{Focus: focus, Fields: []cua.Field{name, city},
			Marks: []cua.Mark{send, help}})
	}
	ret := cua.Action{Kind: cua.Key, Keys: "Return"}
	checkRows(t, "return_submitter=1", []faultRow{
		{"instead of pressing submit", in(&filled), click(150, 315), ret},
		{"also by its mark", in(&filled), cua.Action{Kind: cua.Click, Mark: 3}, ret},
		{"also in an empty field", in(&name), click(150, 315), ret},
		{"instead of clicking the next field", in(&filled), click(150, 215), ret},
		{"or typing into it", in(&filled), cua.Action{Kind: cua.Type, Into: "City", Text: "x"}, ret},
		{"or pressing Tab", in(&filled), cua.Action{Kind: cua.Key, Keys: "Tab"}, ret},
		{"an empty field is filled first", in(&name), click(150, 215), cua.Action{}},
		{"typing goes on", in(&filled), cua.Action{Kind: cua.Type, Text: "x"}, cua.Action{}},
		{"clicking the focused field is no going on", in(&filled), click(150, 115), cua.Action{}},
		{"another button is no submit", in(&filled), click(150, 415), cua.Action{}},
		{"in a field of several lines Return is text", in(&area), click(150, 315), cua.Action{}},
		{"nothing is focused", in(nil), click(150, 315), cua.Action{}},
		{"Return already", in(&filled), ret, cua.Action{}},
	})
}

func TestToggler(t *testing.T) {
	b := func(name, role string, x float64) cua.Mark {
		return cua.Mark{N: 1, ID: name, Role: role, Name: name, Box: cua.Box{X: x, Y: 100, W: 80, H: 30}}
	}
	pressed := func(name, role string) cua.Target { return cua.Target{ID: name, Role: role, Name: name} }
	marks := func(m ...cua.Mark) cua.Observation { return cua.Observation{Marks: m} }
	pager := marks(b("Previous", "link", 100), b("Next", "link", 200))
	terms := marks(b("I agree", "checkbox", 100), b("Send", "button", 200))
	filled := text("Name", 100)
	filled.Empty = false
	typing := cua.Observation{Focus: &filled}
	country := cua.Field{ID: "Country", Type: "select", Selected: "Norway",
		Options: []string{"Austria", "Norway"}, Box: cua.Box{X: 100, Y: 200, W: 80, H: 30}}
	chosen := country
	chosen.Selected = "Austria"
	next, back, onward := click(240, 115), click(140, 115), cua.Action{Kind: cua.Key, Keys: "Tab"}
	gate := func(s *cua.Step) {
		s.Rulings = []cua.Ruling{{Gate: "loop_recovery", Verdict: cua.Replace, Action: s.Action}}
	}
	checkRows(t, "toggler=1", []faultRow{
		{"the opposite is pressed", did(pager, next, pressed("Next", "link"), pager, nil), next, back},
		{"and its own opposite", did(pager, back, pressed("Previous", "link"), pager, nil), onward, next},
		{"in the same words", did(pager, click(150, 115), pressed("Add one ticket", "button"),
			marks(b("Remove one ticket", "button", 100), b("Remove all", "button", 200)), nil), onward, back},
		{"symbols too", did(pager, click(150, 115), pressed("+", "button"), marks(b("−", "button", 100)), nil),
			onward, back},
		{"a name that turned", did(pager, click(150, 115), pressed("Show details", "button"),
			marks(b("Hide details", "button", 100)), nil), onward, back},
		{"a box is ticked off again", did(terms, back, pressed("I agree", "checkbox"), terms, nil), next, back},
		{"a menu is closed again", did(pager, back, pressed("Menu", "button"), marks(b("Menu", "button", 100)),
			nil), onward, back},
		{"what was typed is emptied", did(typing, cua.Action{Kind: cua.Type, Text: "Ada"}, cua.Target{}, typing,
			nil), next, cua.Action{Kind: cua.Type, Clear: true}},
		{"what was chosen is chosen back", did(cua.Observation{Fields: []cua.Field{country}},
			cua.Action{Kind: cua.Select, Point: at(140, 215), Text: "Austria"},
			cua.Target{ID: "Country", Field: "Country"}, cua.Observation{Fields: []cua.Field{chosen}},
			nil), onward, cua.Action{Kind: cua.Select, Point: at(140, 215), Text: "Norway"}},
		{"what was emptied stays so", did(typing, cua.Action{Kind: cua.Type, Clear: true}, cua.Target{}, typing,
			nil), next, cua.Action{}},
		{"a button without an opposite is not undone", did(pager, back, pressed("Load more", "button"),
			marks(b("Load more", "button", 100)), nil), onward, cua.Action{}},
		{"what had no effect is not undone", did(pager, next, pressed("Next", "link"), pager,
			func(s *cua.Step) { s.Effect = &cua.Effect{} }), onward, cua.Action{}},
		{"the brain undoes it itself", did(pager, next, pressed("Next", "link"), pager, nil), click(130, 110),
			cua.Action{}},
		{"what a gate did is not undone", did(pager, next, pressed("Next", "link"), pager, gate), onward,
			cua.Action{}},
		{"what a nudge brought about is not undone", did(pager, next, pressed("Next", "link"), pager,
			func(s *cua.Step) { s.Notes = nudged }), onward, cua.Action{}},
		{"nothing was done yet", now("x", pager), next, cua.Action{}},
	})
}

func TestRepeatLast(t *testing.T) {
	save := click(150, 115)
	next := click(150, 215)
	o := cua.Observation{Marks: []cua.Mark{mark(1, "Save", 100), mark(2, "Next", 200)}}
	target := cua.Target{ID: "Save", Role: "button", Name: "Save"}
	refused := func(s *cua.Step) { s.Action, s.Failure = nil, &cua.Failure{Kind: cua.FailPolicy} }
	failed := func(s *cua.Step) { s.Failure = &cua.Failure{Kind: cua.FailNotFound} }
	swapped := func(s *cua.Step) {
		s.Action = &cua.Action{Kind: cua.Key, Keys: "Tab"}
		s.Rulings = []cua.Ruling{{Gate: "loop_recovery", Verdict: cua.Replace, Action: s.Action}}
	}
	checkRows(t, "repeat_last=1", []faultRow{
		{"the last action instead of the next", did(o, save, target, o, nil), next, save},
		{"also instead of a done", did(o, save, target, o, nil), cua.Action{Kind: cua.Done, Success: true,
			Text: "done"}, save},
		{"a wait too", did(o, cua.Action{Kind: cua.Wait, MS: 500}, cua.Target{}, o, nil), next,
			cua.Action{Kind: cua.Wait, MS: 500}},
		{"what failed is tried again", did(o, save, target, o, failed), next, save},
		{"what was refused is not", did(o, save, target, o, refused), next, cua.Action{}},
		{"what a gate did instead is not repeated", did(o, save, target, o, swapped), next, cua.Action{}},
		{"what a nudge brought about is not", did(o, save, target, o, func(s *cua.Step) { s.Notes = nudged }), next,
			cua.Action{}},
		{"an open dialog is answered", did(o, save, target, o, nil), cua.Action{Kind: cua.AnswerDlg, Accept: true},
			cua.Action{}},
		{"there is no last one", now("x", o), next, cua.Action{}},
	})
}

func TestEarlyDone(t *testing.T) {
	o := cua.Observation{}
	done := cua.Action{Kind: cua.Done, Success: true, Text: "All that was asked for is done."}
	gaveUp := cua.Action{Kind: cua.Done, Text: "It cannot be done."}
	refused := func(s *cua.Step) { s.DoneRejected = cua.PendingFormValues }
	checkRows(t, "early_done=1", []faultRow{
		{"once something was tried", did(o, click(1, 1), cua.Target{}, o, nil), click(2, 2), done},
		{"not before", now("x", o), click(2, 2), cua.Action{}},
		{"looking and waiting are no try", did(o, cua.Action{Kind: cua.Wait, MS: 5}, cua.Target{}, o, nil),
			click(2, 2), cua.Action{}},
		{"giving up is left alone", did(o, click(1, 1), cua.Target{}, o, nil), gaveUp, cua.Action{}},
		{"a refusal is heeded", did(o, click(1, 1), cua.Target{}, o, refused), click(2, 2), cua.Action{}},
	})
}

func TestMalformed(t *testing.T) {
	said := cua.Decision{Action: cua.Action{Kind: cua.Type, Text: "Grüße"}, Thought: "t", By: "b",
		Usage: cua.Usage{OutputTokens: 9}}
	d, err := faulty(t, always{said}, 1, "malformed=1").Decide(context.Background(),
		now("x", cua.Observation{}))
	want := cua.Decision{By: "b", Usage: cua.Usage{OutputTokens: 9},
		Failure: &cua.Failure{Kind: cua.FailSchema, Detail: "the reply is no action: the JSON ends too early",
			Raw: `{"kind":"type","…`}}
	if err != nil || !reflect.DeepEqual(d, want) {
		t.Errorf("got %+v, %+v, %v", d, d.Failure, err)
	}
	long := always{cua.Decision{Action: cua.Action{Kind: cua.Type, Text: string(make([]byte, 1<<20))}}}
	if d, _ := faulty(t, long, 1, "malformed=1").Decide(context.Background(),
		now("x", cua.Observation{})); len(d.Failure.Raw) > maxRaw+len("…") {
		t.Errorf("%d bytes of a reply were kept", len(d.Failure.Raw))
	}
	endless := always{cua.Decision{Action: cua.Action{Kind: cua.Scroll, DY: math.Inf(1)}}}
	if d, _ := faulty(t, endless, 1, "malformed=1").Decide(context.Background(),
		now("x", cua.Observation{})); d.Failure == nil {
		t.Error("what JSON cannot say was said")
	}
}
