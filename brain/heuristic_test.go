package brain

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"pgregory.net/rapid"
)

func decide(t *testing.T, turn *cua.Turn) cua.Decision {
	t.Helper()
	d, err := Heuristic{}.Decide(context.Background(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var view0 = cua.Size{W: 1280, H: 800}

func mark(n int, name string, y float64) cua.Mark {
	return cua.Mark{N: n, ID: name, Role: "button", Name: name, Box: cua.Box{X: 100, Y: y, W: 100, H: 30}}
}

func text(id string, y float64) cua.Field {
	return cua.Field{ID: id, Label: id, Type: "text", Role: "textbox", Editable: true, Empty: true,
		Box: cua.Box{X: 100, Y: y, W: 100, H: 30}}
}

// now is a turn on a page that nothing was done to.
func now(goal string, o cua.Observation, values ...string) *cua.Turn {
	o.Viewport = view0
	return &cua.Turn{Task: cua.Task{Goal: goal, Fields: fields(values...)}, History: cua.History{Start: o},
		Now: o, Number: 1, Decision: 1}
}

// after adds a step that clicked at p and led to o.
func after(t *cua.Turn, a cua.Action, target cua.Target, o cua.Observation, e *cua.Effect) *cua.Turn {
	o.Viewport = view0
	c := *t
	c.History.Steps = append(c.History.Steps[:len(c.History.Steps):len(c.History.Steps)],
		cua.Step{N: c.Number, Decision: c.Decision, Proposed: a, Action: &a, Target: target,
			Effect: e, After: o})
	c.Now, c.Number, c.Decision = o, c.Number+1, c.Decision+1
	return &c
}

func TestHeuristicDecides(t *testing.T) {
	at := func(y float64) *cua.Point { return &cua.Point{X: 150, Y: y} }
	click := func(y float64) cua.Action { return cua.Action{Kind: cua.Click, Point: at(y)} }
	saveAt100 := cua.Observation{Marks: []cua.Mark{mark(1, "Cancel", 50), mark(2, "Save", 100)},
		DOMDigest: "a", URL: "u"}
	none, changed := &cua.Effect{}, &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}}
	pressed := func(goal string, o cua.Observation, e *cua.Effect) *cua.Turn {
		return after(now(goal, saveAt100), click(115), cua.Target{ID: "Save", Name: "Save",
			Role: "button"}, o, e)
	}
	with := func(o cua.Observation, change func(*cua.Observation)) cua.Observation { change(&o); return o }
	focused := text("Name", 100)
	filled := text("Name", 100)
	filled.Empty, filled.ValueDigest = false, cua.Digest("Ada")
	tests := []struct {
		name string // what the row means
		turn *cua.Turn
		want cua.Action
	}{
		{"what the goal quotes is pressed", now(`Press "Save"`, saveAt100), click(115)},
		{"a name is matched by whole words, not by letters", now("Press Save",
			cua.Observation{Marks: []cua.Mark{mark(1, "Savecraft", 50), mark(2, "Save", 100)}}), click(115)},
		{"a press without effect is made again: it is stubborn", pressed(`Press "Save"`, saveAt100, none), click(115)},
		{"and again, nudged or not", func() *cua.Turn {
			turn := pressed(`Press "Save"`, saveAt100, none)
			turn.Notes = []cua.Note{{From: "nudge", Level: 3, Text: "press something else"}}
			return turn
		}(), click(115)},
		{"after an effect the page is read before anything is claimed", pressed(`Press "Save"`,
			with(saveAt100, func(o *cua.Observation) { o.DOMDigest = "b" }), changed),
			cua.Action{Kind: cua.Extract}},
		{"a new title that says so is enough", pressed(`Press "Save"`,
			with(saveAt100, func(o *cua.Observation) { o.DOMDigest, o.Title = "b", "Saved" }), changed),
			cua.Action{Kind: cua.Done, Success: true, Text: `Done. I pressed "Save" last. The page says: Saved`}},
		{"a control that says it is at work is waited for", pressed(`Press "Save"`,
			cua.Observation{Marks: []cua.Mark{mark(1, "Saving…", 100)}, DOMDigest: "b"}, changed),
			cua.Action{Kind: cua.Wait, MS: 1000}},
		{"an unanswered write is waited for", pressed(`Press "Save"`,
			with(saveAt100, func(o *cua.Observation) {
				o.DOMDigest, o.Writes = "b",
					[]cua.Write{{Method: "POST", URL: "u"}}
			}), changed), cua.Action{Kind: cua.Wait, MS: 1000}},
		{"a page that loads is waited for", now(`Press "Save"`, cua.Observation{Title: "Loading…"}), cua.Action{Kind: cua.Wait, MS: 1000}},
		{"an empty field is focused first", now("Fill in", cua.Observation{Fields: []cua.Field{text("Name", 100)}}, "Name", "Ada"), click(115)},
		{"the focused field is typed into", now("Fill in", cua.Observation{Fields: []cua.Field{focused}, Focus: &focused}, "Name", "Ada"),
			cua.Action{Kind: cua.Type, Text: "Ada"}},
		{"what stands in the field is replaced", func() *cua.Turn {
			f := filled
			return now("Fill in", cua.Observation{Fields: []cua.Field{f}, Focus: &f}, "Name", "Bob")
		}(), cua.Action{Kind: cua.Type, Text: "Bob", Clear: true}},
		{"a secret is typed as it is written", now("Fill in", cua.Observation{Fields: []cua.Field{focused}, Focus: &focused}, "Name", "<secret:N>"),
			cua.Action{Kind: cua.Type, Text: "<secret:N>"}},
		{"a filled form is sent", now("Fill in", cua.Observation{Fields: []cua.Field{filled}, Marks: []cua.Mark{mark(1, "Cancel", 20), mark(2, "Register", 200)}}, "Name", "Ada"), click(215)},
		{"a field below the fold is scrolled to", now("Fill in", cua.Observation{Fields: []cua.Field{text("Name", 1385)}}, "Name", "Ada"),
			cua.Action{Kind: cua.Scroll, DY: 1000}},
		{"what is not visible is looked for further down", now(`Press "Save"`, cua.Observation{Marks: []cua.Mark{mark(1, "Other", 10)}, Scroll: cua.Scrolled{MaxY: 2000}}),
			cua.Action{Kind: cua.Scroll, DY: 640}},
		{"company name does not take the first name", now("Fill in", cua.Observation{Fields: []cua.Field{text("Company name", 100), text("First name", 200)}},
			"First name", "Ada"), click(215)},
		{"a value in the goal itself", now(`Type "cats" into the search box`, cua.Observation{Fields: []cua.Field{text("Search", 100)}}), click(115)},
		{"a banner that can be closed is closed first", now("Press Save", cua.Observation{Marks: []cua.Mark{
			{N: 1, ID: "s", Role: "button", Name: "Save", Box: cua.Box{X: 100, Y: 100, W: 100, H: 30}, Covered: true}, mark(2, "Accept all", 700)}}), click(715)},
		{"a covered button with nothing to close is pressed all the same", now("Press Save", cua.Observation{Marks: []cua.Mark{
			{N: 1, ID: "s", Role: "button", Name: "Save", Box: cua.Box{X: 100, Y: 100, W: 100, H: 30}, Covered: true}}}), click(115)},
		{"a harmless question is answered with yes", now("Press Save", cua.Observation{Dialog: &cua.Dialog{Type: "confirm", Message: "Save the changes?"}}),
			cua.Action{Kind: cua.AnswerDlg, Accept: true}},
		{"nothing dangerous is granted", now("Press Save", cua.Observation{Dialog: &cua.Dialog{Type: "confirm", Message: "Delete your account?"}}),
			cua.Action{Kind: cua.AnswerDlg}},
		{"unless the goal asks for just that", now("Delete the account", cua.Observation{Dialog: &cua.Dialog{Type: "confirm", Message: "Delete your account?"}}),
			cua.Action{Kind: cua.AnswerDlg, Accept: true}},
		{"a prompt gets the value of that label", now("Rename it", cua.Observation{Dialog: &cua.Dialog{Type: "prompt", Message: "New name:"}}, "Name", "Ada"),
			cua.Action{Kind: cua.AnswerDlg, Accept: true, Text: "Ada"}},
		{"a page that did not load is asked for again", now("Press Save", cua.Observation{NavError: "net::ERR_CONNECTION_REFUSED"}), cua.Action{Kind: cua.Reload}},
		{"a month too early is turned", now("Pick 3 May 2026", cua.Observation{Marks: []cua.Mark{mark(1, "April 2026", 10), mark(2, "‹", 50), mark(3, "›", 100)}}), click(115)},
		{"of two days of one number the later month's is not taken", now("Pick 3 May 2026", cua.Observation{Marks: []cua.Mark{
			mark(1, "May 2026", 10), mark(2, "›", 50), mark(3, "3", 100), mark(4, "3", 300)}}), click(115)},
		{"the runner's word after an interruption: look first", func() *cua.Turn {
			turn := now("Press Save", saveAt100)
			turn.Notes = []cua.Note{{From: "runner",
				Text: "the last action was interrupted: look before repeating it"}}
			return turn
		}(), cua.Action{Kind: cua.Extract}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := decide(t, tt.turn)
			if !reflect.DeepEqual(got.Action, tt.want) {
				g, _ := json.Marshal(got.Action)
				w, _ := json.Marshal(tt.want)
				t.Errorf("got %s (%s), want %s", g, got.Thought, w)
			}
			if got.By != "heuristic" || got.Thought == "" {
				t.Errorf("by %q, thought %q", got.By, got.Thought)
			}
		})
	}
}

func TestHeuristicGivesUpHonestly(t *testing.T) {
	s := &sim{url: "http://h/x", text: "Nothing to see", els: []*el{button("About", nil)}}
	steps := play(t, Heuristic{}, s, cua.Task{Goal: "Buy the red shoes", Fields: fields("Size", "42")}, 30)
	last := steps[len(steps)-1].Proposed
	if last.Kind != cua.Done || last.Success || !strings.Contains(last.Text, "Size") {
		t.Errorf("ended with %+v after %s", last, told(steps))
	}
}

func TestHeuristicNeverStopsPressingADeadButton(t *testing.T) {
	s := &sim{url: "http://h/x", text: "Ready", els: []*el{button("Start job", nil)}}
	steps := play(t, Heuristic{}, s, cua.Task{Goal: `Press "Start job"`}, 40)
	if got, want := told(steps), "click Start job ×40"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestHeuristicBelievesThePage: an effect is no success while the page denies what the goal expects.
func TestHeuristicBelievesThePage(t *testing.T) {
	s := &sim{url: "http://h/x", text: "These settings have not been saved yet."}
	flash := 0
	s.els = []*el{button("Save settings", func() {
		if flash++; flash == 1 {
			s.text += "\nHm."
		}
	})}
	task := cua.Task{Goal: `Press "Save settings" so that the page says that the settings were saved. If that cannot be done, say so.`}
	if got, want := told(play(t, Heuristic{}, s, task, 30)),
		"click Save settings, extract, wait ×3, click Save settings ×25"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestHeuristicSendsOnce: a page that reports an error after a send gets no second one. It may be a wrong
// password.
func TestHeuristicSendsOnce(t *testing.T) {
	s := &sim{url: "http://h/x"}
	s.els = []*el{button("Send", func() { s.text = "Service unavailable." })}
	if got, want := told(play(t, Heuristic{}, s, cua.Task{Goal: "Press Send"}, 20)),
		"click Send, extract, done failed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestHeuristicIsPure shows each turn of real plays twice: same answer, and the turn is left as it was.
func TestHeuristicIsPure(t *testing.T) {
	for _, make := range []func() (*sim, cua.Task){login, signup, address, stepper, calendar, slow, wizard} {
		s, task := make()
		play(t, twice{t}, s, task, 40)
	}
}

type twice struct{ t *testing.T }

func (b twice) Decide(ctx context.Context, turn *cua.Turn) (cua.Decision, error) {
	before, _ := json.Marshal(turn)
	d1, _ := Heuristic{}.Decide(ctx, turn)
	d2, err := Heuristic{}.Decide(ctx, turn)
	if !reflect.DeepEqual(d1, d2) {
		b.t.Errorf("turn %d: first %+v, then %+v", turn.Number, d1, d2)
	}
	if after, _ := json.Marshal(turn); string(after) != string(before) {
		b.t.Errorf("turn %d: the turn was changed", turn.Number)
	}
	return d1, err
}

// TestHeuristicIsAlwaysValid: whatever page and goal, the action is one that Validate accepts.
func TestHeuristicIsAlwaysValid(t *testing.T) {
	name := rapid.SampledFrom([]string{"", "Save", "Next", "+", "×", "3", "May 2026", "3 May 2026", "Saving…",
		"Delete everything", "\x00", "日本", "Name", "Quantity"})
	goal := rapid.SampledFrom([]string{"", "Save", "Press Next five times", "Set the quantity to 3",
		"Go to the last page", "Open page 4", "Pick 3 May", "Tick Name",
		"Select Name from Quantity", "Scroll to the bottom", "Click Next until 3", `Type "x" into Name`, "Log in as a / b", "\x00\x000\x00", "press \x0099\x00"})
	box := rapid.Custom(func(t *rapid.T) cua.Box {
		f := rapid.Float64Range(-2000, 3000)
		return cua.Box{X: f.Draw(t, "x"), Y: f.Draw(t, "y"), W: rapid.Float64Range(0, 2000).Draw(t, "w"),
			H: rapid.Float64Range(0, 2000).Draw(t, "h")}
	})
	observation := rapid.Custom(func(t *rapid.T) cua.Observation {
		o := cua.Observation{Viewport: view0, URL: "http://h/" + name.Draw(t, "url"),
			Title: name.Draw(t, "title"), DOMDigest: name.Draw(t, "dom"),
			Scroll: cua.Scrolled{Y: rapid.Float64Range(0, 500).Draw(t, "at"),
				MaxY: rapid.Float64Range(0, 3000).Draw(t, "max")}}
		for i := range rapid.IntRange(0, 5).Draw(t, "marks") {
			o.Marks = append(o.Marks, cua.Mark{N: i + 1, ID: name.Draw(t, "id"),
				Role: rapid.SampledFrom([]string{"button", "link", "option", ""}).Draw(t, "role"),
				Name: name.Draw(t, "name"), Box: box.Draw(t, "box"),
				Disabled: rapid.Bool().Draw(t, "disabled"), Covered: rapid.Bool().Draw(t, "covered")})
		}
		for range rapid.IntRange(0, 4).Draw(t, "fields") {
			o.Fields = append(o.Fields, cua.Field{ID: name.Draw(t, "fid"), Label: name.Draw(t, "label"),
				Box: box.Draw(t, "fbox"), Editable: rapid.Bool().Draw(t, "editable"),
				Type: rapid.SampledFrom([]string{"text", "select", "checkbox", "radio", "number",
					"date"}).Draw(t, "type"), Options: []string{"Save", "3"}, Empty: true})
		}
		if len(o.Fields) > 0 && rapid.Bool().Draw(t, "focused") {
			f := o.Fields[0]
			o.Focus = &f
		}
		return o
	})
	rapid.Check(t, func(t *rapid.T) {
		turn := &cua.Turn{Task: cua.Task{Goal: goal.Draw(t, "goal"),
			Fields: fields(name.Draw(t, "l"), name.Draw(t, "v"))}}
		turn.History.Start = observation.Draw(t, "start")
		for n := range rapid.IntRange(0, 6).Draw(t, "steps") {
			turn.Number, turn.Decision, turn.Now = n+1, n+1, turn.History.Now()
			d, err := Heuristic{}.Decide(context.Background(), turn)
			if err != nil || d.Failure != nil {
				t.Fatalf("%v %v", err, d.Failure)
			}
			if err := d.Action.Validate(view0); err != nil {
				t.Fatalf("%+v: %v", d.Action, err)
			}
			a := d.Action
			step := cua.Step{N: n + 1, Proposed: a, Action: &a, Target: cua.Target{Name: name.Draw(t,
				"target")}, Feedback: name.Draw(t, "feedback"), After: observation.Draw(t, "after")}
			if rapid.Bool().Draw(t, "effect") {
				step.Effect = &cua.Effect{Progress: []cua.Change{cua.ChangeURL}}
			}
			turn.History.Steps = append(turn.History.Steps, step)
		}
	})
}

// TestALineThatTicksIsReadAgain: a line that changes by itself is in no effect, and may say in the end what
// the goal waits for.
func TestALineThatTicksIsReadAgain(t *testing.T) {
	page := func(line string) cua.Observation {
		return cua.Observation{URL: "u", Document: "d", Marks: []cua.Mark{mark(1, "Print", 100)},
			DOMDigest: "dom" + line, DOMParts: map[string]string{"body": "b", "line": line},
			Ambient: cua.Ambient{Parts: []string{"line"}}}
	}
	press := cua.Action{Kind: cua.Click, Point: &cua.Point{X: 150, Y: 115}}
	extract, wait := cua.Action{Kind: cua.Extract}, cua.Action{Kind: cua.Wait, MS: 1000}
	read := func(line string) *cua.Turn {
		turn := now(`Press "Print" and wait until the page says "The leaflet is printed."`, page("1"))
		turn = after(turn, press, cua.Target{ID: "Print", Name: "Print", Role: "button"}, page("2"),
			&cua.Effect{Progress: []cua.Change{cua.ChangeDOM}})
		turn = after(turn, extract, cua.Target{}, page("3"), &cua.Effect{})
		turn.History.Steps[1].Feedback = "Printing, 3 of 9"
		return after(turn, wait, cua.Target{}, page(line), &cua.Effect{})
	}
	if d := decide(t, read("9")); d.Action.Kind != cua.Extract {
		t.Errorf("the line is another one: %s %q, want that the page is read", d.Action.Kind, d.Thought)
	}
	if d := decide(t, read("3")); d.Action.Kind != cua.Wait {
		t.Errorf("nothing moved: %s %q, want one more wait", d.Action.Kind, d.Thought)
	}
	again := func(turn *cua.Turn, line string) *cua.Turn { // one more wait, and the page is read
		turn = after(after(turn, wait, cua.Target{}, page(line), &cua.Effect{}), extract, cua.Target{},
			page(line), &cua.Effect{})
		turn.History.Steps[len(turn.History.Steps)-1].Feedback = "Printing"
		return turn
	}
	if d := decide(t, again(again(again(read("4"), "5"), "6"), "7")); d.Action.Kind != cua.Wait {
		t.Errorf("it has moved all the time: %s %q, want one more wait", d.Action.Kind, d.Thought)
	}
	if d := decide(t, again(again(again(read("4"), "5"), "6"), "6")); d.Action.Kind != cua.Click {
		t.Errorf("it has come to a stop: %s %q, want the button pressed again", d.Action.Kind, d.Thought)
	}
}
