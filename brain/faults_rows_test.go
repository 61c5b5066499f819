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
			said := cua.Decision{Action: row.said, Thought: "as planned", By: "b", Usage: cua.Usage{InputTokens: 3}}
			d, err := faulty(t, always{said}, 1, spec, "nudge_obedience=1").Decide(context.Background(), row.turn)
			want := row.want
			if reflect.DeepEqual(want, cua.Action{}) {
				want = row.said
			}
			if err != nil || !reflect.DeepEqual(d.Action, want) || d.By != "b" || d.Usage.InputTokens != 3 || d.Failure != nil {
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
func did(o cua.Observation, a cua.Action, target cua.Target, then cua.Observation, change func(*cua.Step)) *cua.Turn {
	turn := after(now("x", o), a, target, then, &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}})
	if change != nil {
		change(&turn.History.Steps[len(turn.History.Steps)-1])
	}
	return turn
}

var nudged = []cua.Note{{From: "nudge", Level: 1}}

func TestOffTarget(t *testing.T) {
	box := func(id, role string, x, y, w, h float64) cua.Mark {
		return cua.Mark{N: 1, ID: id, Role: role, Name: id, Box: cua.Box{X: x, Y: y, W: w, H: h}}
	}
	page := func(marks ...cua.Mark) *cua.Turn { return now("x", cua.Observation{Marks: marks}) }
	save := box("Save", "button", 100, 100, 100, 40)
	lone := page(save)
	mark := cua.Action{Kind: cua.Click, Mark: 1}
	drag := cua.Action{Kind: cua.Drag, Point: at(150, 120), To: at(400, 400)}
	dragged := drag
	dragged.Point = at(218, 120)
	typed := cua.Action{Kind: cua.Type, Point: at(150, 120), Text: "x"}
	missed := typed
	missed.Point = at(218, 120)
	checkRows(t, "off_target=1", []faultRow{
		{"beside the edge, wherever inside it was aimed", lone, click(190, 110), click(218, 110)},
		{"a type that clicks first", lone, typed, missed},
		{"where a drag starts", lone, drag, dragged},
		{"the other side where a neighbour is nearer", page(save, box("Right", "button", 210, 100, 50, 40)), click(150, 120), click(82, 120)},
		{"below where there are neighbours on both sides", page(save, box("Left", "button", 40, 100, 50, 40), box("Right", "button", 210, 100, 50, 40)),
			click(150, 120), click(150, 158)},
		{"inside the viewport", page(box("Edge", "button", 1170, 100, 100, 40)), click(1200, 120), click(1152, 120)},
		{"a check box is not missed towards its label", page(box("I agree", "checkbox", 10, 100, 18, 18)), click(19, 109), click(19, 136)},
		{"a neighbour where there is nothing else", page(box("15", "button", 100, 100, 100, 40), box("row", "link", 0, 0, 1280, 800)), click(150, 120), click(218, 120)},
		{"nothing to be missed is a place to be missed", lone, click(600, 600), click(618, 600)},
		{"no side in the viewport", page(box("All", "button", 0, 0, 1280, 800)), click(600, 600), cua.Action{}},
		{"a mark cannot be missed", lone, mark, cua.Action{}},
		{"nor can a key", lone, cua.Action{Kind: cua.Key, Keys: "Tab"}, cua.Action{}},
	})
	checkRows(t, "off_target=1@30", []faultRow{{"as far as was asked", lone, click(150, 120), click(230, 120)}})
	sides := map[float64]bool{}
	for seed := range int64(20) {
		f := faulty(t, always{cua.Decision{Action: click(150, 120)}}, seed, "off_target=1")
		first, _ := f.Decide(context.Background(), lone)
		later := *lone
		later.Number = 9
		second, _ := f.Decide(context.Background(), &later)
		if !reflect.DeepEqual(first, second) {
			t.Errorf("seed %d misses to two sides", seed)
		}
		sides[first.Action.Point.X] = true
	}
	if len(sides) != 2 {
		t.Errorf("20 seeds missed at %v, want both sides", sides)
	}
}

func TestJitter(t *testing.T) {
	for _, tt := range []struct {
		spec  string
		sigma float64
	}{{"jitter=1", 5}, {"jitter=1@12", 12}} {
		f := faulty(t, always{cua.Decision{Action: cua.Action{Kind: cua.Drag, Point: at(600, 400), To: at(640, 440)}}}, 7, tt.spec)
		var sum, squares float64
		const n = 4000
		for step := 1; step <= n; step++ {
			d, err := f.Decide(context.Background(), &cua.Turn{Number: step, Now: cua.Observation{Viewport: view0}})
			if err != nil {
				t.Fatal(err)
			}
			for _, off := range []float64{d.Action.Point.X - 600, d.Action.Point.Y - 400, d.Action.To.X - 640, d.Action.To.Y - 440} {
				sum, squares = sum+off, squares+off*off
			}
		}
		// Four standard errors of 16,000 draws.
		mean, sigma := sum/(4*n), math.Sqrt(squares/(4*n))
		if math.Abs(mean) > 4*tt.sigma/math.Sqrt(4*n) || math.Abs(sigma-tt.sigma) > 4*tt.sigma/math.Sqrt(8*n) {
			t.Errorf("%s: mean %.3f, deviation %.3f, want 0 and %g", tt.spec, mean, sigma, tt.sigma)
		}
	}
	corner := now("x", cua.Observation{})
	for seed := range int64(50) {
		d, _ := faulty(t, always{cua.Decision{Action: click(1279, 0)}}, seed, "jitter=1@400").Decide(context.Background(), corner)
		if err := d.Action.Validate(view0); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	checkRows(t, "jitter=1", []faultRow{{"a mark does not shake", now("x", cua.Observation{}), cua.Action{Kind: cua.Click, Mark: 1}, cua.Action{}}})
}

func TestReturnSubmitter(t *testing.T) {
	name, city := text("Name", 100), text("City", 200)
	name.Tag, city.Tag = "input", "input"
	filled := name
	filled.Empty = false
	area := filled
	area.Tag = "textarea"
	send := cua.Mark{N: 3, ID: "Send", Role: "button", Name: "Send", Box: cua.Box{X: 100, Y: 300, W: 100, H: 30}}
	help := cua.Mark{N: 4, ID: "Help", Role: "button", Name: "Help", Box: cua.Box{X: 100, Y: 400, W: 100, H: 30}}
	in := func(focus *cua.Field) *cua.Turn {
		return now("x", cua.Observation{Focus: focus, Fields: []cua.Field{name, city}, Marks: []cua.Mark{send, help}})
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
	country := cua.Field{ID: "Country", Type: "select", Selected: "Norway", Options: []string{"Austria", "Norway"}, Box: cua.Box{X: 100, Y: 200, W: 80, H: 30}}
	chosen := country
	chosen.Selected = "Austria"
	next, back, onward := click(240, 115), click(140, 115), cua.Action{Kind: cua.Key, Keys: "Tab"}
	gate := func(s *cua.Step) {
		s.Rulings = []cua.Ruling{{Gate: "loop_recovery", Verdict: cua.Replace, Action: s.Action}}
	}
	checkRows(t, "toggler=1", []faultRow{
		{"the opposite is pressed", did(pager, next, pressed("Next", "link"), pager, nil), next, back},
		{"and its own opposite", did(pager, back, pressed("Previous", "link"), pager, nil), onward, next},
		{"in the same words", did(pager, click(150, 115), pressed("Add one ticket", "button"), marks(b("Remove one ticket", "button", 100), b("Remove all", "button", 200)), nil), onward, back},
		{"symbols too", did(pager, click(150, 115), pressed("+", "button"), marks(b("−", "button", 100)), nil), onward, back},
		{"a name that turned", did(pager, click(150, 115), pressed("Show details", "button"), marks(b("Hide details", "button", 100)), nil), onward, back},
		{"a box is ticked off again", did(terms, back, pressed("I agree", "checkbox"), terms, nil), next, back},
		{"a menu is closed again", did(pager, back, pressed("Menu", "button"), marks(b("Menu", "button", 100)), nil), onward, back},
		{"what was typed is emptied", did(typing, cua.Action{Kind: cua.Type, Text: "Ada"}, cua.Target{}, typing, nil), next, cua.Action{Kind: cua.Type, Clear: true}},
		{"what was chosen is chosen back", did(cua.Observation{Fields: []cua.Field{country}}, cua.Action{Kind: cua.Select, Point: at(140, 215), Text: "Austria"},
			cua.Target{ID: "Country", Field: "Country"}, cua.Observation{Fields: []cua.Field{chosen}}, nil), onward, cua.Action{Kind: cua.Select, Point: at(140, 215), Text: "Norway"}},
		{"what was emptied stays so", did(typing, cua.Action{Kind: cua.Type, Clear: true}, cua.Target{}, typing, nil), next, cua.Action{}},
		{"a button without an opposite is not undone", did(pager, back, pressed("Load more", "button"), marks(b("Load more", "button", 100)), nil), onward, cua.Action{}},
		{"what had no effect is not undone", did(pager, next, pressed("Next", "link"), pager, func(s *cua.Step) { s.Effect = &cua.Effect{} }), onward, cua.Action{}},
		{"the brain undoes it itself", did(pager, next, pressed("Next", "link"), pager, nil), click(130, 110), cua.Action{}},
		{"what a gate did is not undone", did(pager, next, pressed("Next", "link"), pager, gate), onward, cua.Action{}},
		{"what a nudge brought about is not undone", did(pager, next, pressed("Next", "link"), pager, func(s *cua.Step) { s.Notes = nudged }), onward, cua.Action{}},
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
		{"also instead of a done", did(o, save, target, o, nil), cua.Action{Kind: cua.Done, Success: true, Text: "done"}, save},
		{"a wait too", did(o, cua.Action{Kind: cua.Wait, MS: 500}, cua.Target{}, o, nil), next, cua.Action{Kind: cua.Wait, MS: 500}},
		{"what failed is tried again", did(o, save, target, o, failed), next, save},
		{"what was refused is not", did(o, save, target, o, refused), next, cua.Action{}},
		{"what a gate did instead is not repeated", did(o, save, target, o, swapped), next, cua.Action{}},
		{"what a nudge brought about is not", did(o, save, target, o, func(s *cua.Step) { s.Notes = nudged }), next, cua.Action{}},
		{"an open dialog is answered", did(o, save, target, o, nil), cua.Action{Kind: cua.AnswerDlg, Accept: true}, cua.Action{}},
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
		{"looking and waiting are no try", did(o, cua.Action{Kind: cua.Wait, MS: 5}, cua.Target{}, o, nil), click(2, 2), cua.Action{}},
		{"giving up is left alone", did(o, click(1, 1), cua.Target{}, o, nil), gaveUp, cua.Action{}},
		{"a refusal is heeded", did(o, click(1, 1), cua.Target{}, o, refused), click(2, 2), cua.Action{}},
	})
}

func TestMalformed(t *testing.T) {
	said := cua.Decision{Action: cua.Action{Kind: cua.Type, Text: "Grüße"}, Thought: "t", By: "b", Usage: cua.Usage{OutputTokens: 9}}
	d, err := faulty(t, always{said}, 1, "malformed=1").Decide(context.Background(), now("x", cua.Observation{}))
	want := cua.Decision{By: "b", Usage: cua.Usage{OutputTokens: 9},
		Failure: &cua.Failure{Kind: cua.FailSchema, Detail: "the reply is no action: the JSON ends too early", Raw: `{"kind":"type","`}}
	if err != nil || !reflect.DeepEqual(d, want) {
		t.Errorf("got %+v, %+v, %v", d, d.Failure, err)
	}
	long := always{cua.Decision{Action: cua.Action{Kind: cua.Type, Text: string(make([]byte, 1<<20))}}}
	if d, _ := faulty(t, long, 1, "malformed=1").Decide(context.Background(), now("x", cua.Observation{})); len(d.Failure.Raw) > maxRaw {
		t.Errorf("%d bytes of a reply were kept", len(d.Failure.Raw))
	}
	endless := always{cua.Decision{Action: cua.Action{Kind: cua.Scroll, DY: math.Inf(1)}}}
	if d, _ := faulty(t, endless, 1, "malformed=1").Decide(context.Background(), now("x", cua.Observation{})); d.Failure == nil {
		t.Error("what JSON cannot say was said")
	}
}
