package brain

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// native controls: the sim of the browser keeps what it is given, so what is typed is what such a control
// takes.
func formsByWords() []simCase {
	page := func(goal string, els ...*el) func() (*sim, cua.Task) {
		return func() (*sim, cua.Task) {
			s := &sim{url: "http://h/f"}
			for _, e := range els {
				c := *e
				s.els = append(s.els, &c)
			}
			s.els = append(s.els, button("Submit", func() { s.page("Thank you") }))
			return s, cua.Task{Goal: goal}
		}
	}
	list := field("", "select")
	list.options = []string{"Kay", "Aube"}
	under := field("", "select")
	under.options, under.covered = list.options, true
	return []simCase{
		{"a day in a date control", page("Enter 04/15/2018 as the date and hit submit.", field("", "date")), "click, type=2018-04-15, click Submit, extract, done"},
		{"a list that has no name", page("Select Aube from the list and click Submit.", list), "select=Aube, click Submit, extract, done"},
		{"a list that another is drawn over", page("Select Aube from the list and click Submit.", under), "select=Aube, click Submit, extract, done"},
		{"several boxes", page("Select Milk, Eggs and click Submit.", field("Milk", "checkbox"), field("Bread", "checkbox"), field("Eggs", "checkbox")),
			"click Milk, click Eggs, click Submit, extract, done"},
		{"what a list of names has too much", page("Select Milk, if you like and click Submit.", field("Milk", "checkbox")), "click Milk, click Submit, extract, done"},
		{"fields by their places", page(`Check the 2nd check box and enter the number "22" into the 2nd textbox.`, field("a", "checkbox"), field("b", "checkbox"), field("c", "text"), field("d", "text")),
			"click d, type=22, click b, click Submit, extract, done"},
	}
}

func TestHeuristicReadsForms(t *testing.T) {
	for _, c := range formsByWords() {
		t.Run(c.name, func(t *testing.T) {
			s, task := c.make()
			if got := told(play(t, Heuristic{}, s, task, 30)); got != c.want {
				t.Errorf("goal %q\n got %s\nwant %s", task.Goal, got, c.want)
			}
		})
	}
}

// TestHeuristicDeclinesWhatComesUp: a question that comes up over the form is declined, and agreed to never.
func TestHeuristicDeclinesWhatComesUp(t *testing.T) {
	for _, tt := range []struct{ name, yes, no, want string }{
		{"a question", "OK", "Cancel", "Cancel"},
		{"an offer", "Subscribe", "No thanks", "No thanks"},
		{"a notice", "Got it", "", "Got it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, task := login()
			form, up := s.els, false
			form[1].press = func() {
				if up {
					return
				}
				up, s.focus = true, nil
				cover := func(on bool) {
					for _, e := range form {
						e.covered, e.disabled = on, on
					}
				}
				down := func() { s.els = form; cover(false) }
				cover(true)
				s.els = form[:len(form):len(form)]
				if tt.no == "" {
					s.els = append(s.els, button(tt.yes, down))
					return
				}
				s.els = append(s.els, button(tt.yes, func() { s.page("Left") }), button(tt.no, down))
			}
			got := told(play(t, Heuristic{}, s, task, 30))
			if want := "click Username, type=alice, click Password, click " + tt.want +
				", click Password, type=<secret:PW>, click Sign in, extract, done"; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestHeuristicPressesTheOnlyButton: a form without a telling button is sent by the one there is; of two
// neither is.
func TestHeuristicPressesTheOnlyButton(t *testing.T) {
	o := func(names ...string) *cua.Turn {
		f := text("Name", 100)
		f.Empty, f.ValueDigest = false, cua.Digest("Ada")
		page := cua.Observation{Fields: []cua.Field{f}}
		for i, n := range names {
			page.Marks = append(page.Marks, mark(i+1, n, float64(200+40*i)))
		}
		turn := after(now("Fill it in", cua.Observation{Fields: []cua.Field{text("Name", 100)},
			Marks: page.Marks}, "Name", "Ada"),
			cua.Action{Kind: cua.Type, Text: "Ada"}, cua.Target{Field: "Name"}, page,
			&cua.Effect{Progress: []cua.Change{cua.ChangeForm}})
		return turn
	}
	for _, tt := range []struct {
		name    string
		buttons []string
		y       float64 // 0: none is pressed
	}{
		{"the only one", []string{"Weiter"}, 215},
		{"the only one beside one that cancels", []string{"Cancel", "Weiter"}, 255},
		{"none of two", []string{"Weiter", "Hinweise"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := decide(t, o(tt.buttons...))
			if pressed := d.Action.Kind == cua.Click; pressed != (tt.y > 0) || pressed &&
				d.Action.Point.Y != tt.y {
				t.Errorf("got %+v at %v", d.Action, d.Action.Point)
			}
		})
	}
}
